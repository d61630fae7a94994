-- Clearing: what goes to other banks in batches, what they answer, and what they send.

-- When it is its turn; null once it was handed over, or never will be.
ALTER TABLE payment ADD COLUMN hand_over_at BIGINT;
-- Why clearing turned it down.
ALTER TABLE payment ADD COLUMN reason_code TEXT;
-- What the bank takes for it.
ALTER TABLE payment ADD COLUMN fee_minor BIGINT NOT NULL DEFAULT 0;
UPDATE payment SET hand_over_at = last_action WHERE status = 'ACCP';
CREATE INDEX payment_hand_over ON payment (hand_over_at) WHERE hand_over_at IS NOT NULL;

-- A lot that goes out as one message, named by the batch's id. The message is made from these rows alone, so that it is
-- the same whenever it is made.
CREATE TABLE clearing_batch (
    id BYTEA NOT NULL,
    kind TEXT NOT NULL,
    state TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    settlement_day BIGINT NOT NULL,
    -- Somebody writes it, until then.
    claimed_until BIGINT NOT NULL,
    -- Where its message was prepared: only there can be seen whether it was moved on.
    place BYTEA
);
CREATE UNIQUE INDEX clearing_batch_id ON clearing_batch (id);
CREATE INDEX clearing_batch_open ON clearing_batch (created_at) WHERE state <> 'written';

-- One payment in a batch. Who pays is kept as it was then.
CREATE TABLE clearing_transaction (
    id BYTEA NOT NULL,
    batch BYTEA NOT NULL,
    position BIGINT NOT NULL,
    application BYTEA NOT NULL,
    payment BYTEA NOT NULL,
    debtor_name TEXT NOT NULL,
    debtor_iban TEXT NOT NULL,
    debtor_agent TEXT NOT NULL,
    handed_over_at BIGINT NOT NULL,
    -- When somebody has to be told that no answer came; null once one has come, or they were told.
    alarm_at BIGINT,
    alarmed BIGINT NOT NULL,
    answered_at BIGINT,
    returned_at BIGINT
);
CREATE UNIQUE INDEX clearing_transaction_id ON clearing_transaction (id);
CREATE UNIQUE INDEX clearing_transaction_payment ON clearing_transaction (payment);
CREATE INDEX clearing_transaction_batch ON clearing_transaction (batch, position);
CREATE INDEX clearing_transaction_alarm ON clearing_transaction (alarm_at) WHERE alarm_at IS NOT NULL;
CREATE INDEX clearing_transaction_alarmed ON clearing_transaction (handed_over_at)
    WHERE alarmed = 1 AND answered_at IS NULL;

-- A transfer that came in. Its sender's names for it are its key: it is booked once.
CREATE TABLE clearing_incoming (
    id BYTEA NOT NULL,
    message TEXT NOT NULL,
    transfer TEXT NOT NULL,
    end_to_end_id TEXT,
    currency TEXT NOT NULL,
    amount_minor BIGINT NOT NULL,
    state TEXT NOT NULL,
    reason_code TEXT,
    received_at BIGINT NOT NULL,
    -- The batch in which it goes back.
    batch BYTEA,
    position BIGINT
);
CREATE UNIQUE INDEX clearing_incoming_key ON clearing_incoming (message, transfer);
CREATE INDEX clearing_incoming_suspended ON clearing_incoming (received_at) WHERE state = 'suspended';
CREATE INDEX clearing_incoming_batch ON clearing_incoming (batch, position) WHERE batch IS NOT NULL;

-- Messages that were read to their end.
CREATE TABLE clearing_message (
    kind TEXT NOT NULL,
    message TEXT NOT NULL,
    digest BYTEA NOT NULL,
    at BIGINT NOT NULL
);
CREATE UNIQUE INDEX clearing_message_key ON clearing_message (kind, message);
