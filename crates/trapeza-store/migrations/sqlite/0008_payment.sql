-- Payments: what a third party ordered, and where it stands. The money is in the ledger, under the payment's id.

CREATE TABLE payment (
    id BLOB NOT NULL,
    application BLOB NOT NULL REFERENCES application (id),
    product TEXT NOT NULL,
    -- As the third party sent it; it may be nobody's name.
    psu TEXT NOT NULL,
    status TEXT NOT NULL,
    -- Why it was rejected, and whether it had been accepted before.
    cause TEXT,
    accepted INTEGER,
    -- Somebody wants it back: until then it is not handed over.
    frozen_until INTEGER,
    created_at INTEGER NOT NULL,
    last_action INTEGER NOT NULL,
    -- When time alone rejects it; null when it never will.
    due_at INTEGER,
    end_to_end_id TEXT,
    -- A card number is its keyed hash and its mask.
    debtor_kind TEXT NOT NULL,
    debtor_value TEXT NOT NULL,
    debtor_pan_hash BLOB,
    debtor_currency TEXT,
    currency TEXT NOT NULL,
    amount_minor INTEGER NOT NULL,
    creditor_iban TEXT NOT NULL,
    creditor_currency TEXT,
    creditor_agent TEXT,
    creditor_agent_name TEXT,
    creditor_name TEXT NOT NULL,
    -- Whether an address was sent at all, and its parts.
    addressed INTEGER NOT NULL,
    building_number TEXT,
    city TEXT,
    country TEXT,
    postal_code TEXT,
    street TEXT,
    remittance TEXT,
    -- How the payee's name fits their account, once that was asked.
    payee_check TEXT
) STRICT;
CREATE UNIQUE INDEX payment_id ON payment (id);
CREATE INDEX payment_due ON payment (due_at) WHERE due_at IS NOT NULL;
