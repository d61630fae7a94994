-- Clearing: what goes to other banks in batches, what they answer, and what they send.

-- When it is its turn; null once it was handed over, or never will be.
ALTER TABLE payment ADD COLUMN hand_over_at INTEGER;
-- Why clearing turned it down.
ALTER TABLE payment ADD COLUMN reason_code TEXT;
-- What the bank takes for it.
ALTER TABLE payment ADD COLUMN fee_minor INTEGER NOT NULL DEFAULT 0;
UPDATE payment SET hand_over_at = last_action WHERE status = 'ACCP';
CREATE INDEX payment_hand_over ON payment (hand_over_at) WHERE hand_over_at IS NOT NULL;

-- A lot that goes out as one message, named by the batch's id. The message is made from these rows alone, so that it is
-- the same whenever it is made.
CREATE TABLE clearing_batch (
    id BLOB NOT NULL,
    kind TEXT NOT NULL,
    state TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    settlement_day INTEGER NOT NULL,
    -- Somebody writes it, until then.
    claimed_until INTEGER NOT NULL,
    -- Where its message was prepared: only there can be seen whether it was moved on.
    place BLOB
) STRICT;
CREATE UNIQUE INDEX clearing_batch_id ON clearing_batch (id);
CREATE INDEX clearing_batch_open ON clearing_batch (created_at) WHERE state <> 'written';

-- One payment in a batch. Who pays is kept as it was then.
CREATE TABLE clearing_transaction (
    id BLOB NOT NULL,
    batch BLOB NOT NULL,
    position INTEGER NOT NULL,
    application BLOB NOT NULL,
    payment BLOB NOT NULL,
    debtor_name TEXT NOT NULL,
    debtor_iban TEXT NOT NULL,
    debtor_agent TEXT NOT NULL,
    handed_over_at INTEGER NOT NULL,
    -- When somebody has to be told that no answer came; null once one has come, or they were told.
    alarm_at INTEGER,
    alarmed INTEGER NOT NULL,
    answered_at INTEGER,
    returned_at INTEGER
) STRICT;
CREATE UNIQUE INDEX clearing_transaction_id ON clearing_transaction (id);
CREATE UNIQUE INDEX clearing_transaction_payment ON clearing_transaction (payment);
CREATE INDEX clearing_transaction_batch ON clearing_transaction (batch, position);
CREATE INDEX clearing_transaction_alarm ON clearing_transaction (alarm_at) WHERE alarm_at IS NOT NULL;
CREATE INDEX clearing_transaction_alarmed ON clearing_transaction (handed_over_at)
    WHERE alarmed = 1 AND answered_at IS NULL;

-- A transfer that came in. Its sender's names for it are its key: it is booked once.
CREATE TABLE clearing_incoming (
    id BLOB NOT NULL,
    message TEXT NOT NULL,
    transfer TEXT NOT NULL,
    end_to_end_id TEXT,
    currency TEXT NOT NULL,
    amount_minor INTEGER NOT NULL,
    state TEXT NOT NULL,
    reason_code TEXT,
    received_at INTEGER NOT NULL,
    -- The batch in which it goes back.
    batch BLOB,
    position INTEGER
) STRICT;
CREATE UNIQUE INDEX clearing_incoming_key ON clearing_incoming (message, transfer);
CREATE INDEX clearing_incoming_suspended ON clearing_incoming (received_at) WHERE state = 'suspended';
CREATE INDEX clearing_incoming_batch ON clearing_incoming (batch, position) WHERE batch IS NOT NULL;

-- Messages that were read to their end.
CREATE TABLE clearing_message (
    kind TEXT NOT NULL,
    message TEXT NOT NULL,
    digest BLOB NOT NULL,
    at INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX clearing_message_key ON clearing_message (kind, message);
