-- The books. Rows of transfer and entry are written once and never changed. There are no foreign keys between these
-- tables: in PostgreSQL each would lock the bank's own account rows for every payment. `ledger check` looks instead.

-- Accounts without a statement (the bank's own, and loans) have no booked, held and entry_count: they are the sums of
-- their transfers, so that no row is touched by every payment. The owner is empty for the bank's own.
CREATE TABLE ledger_account (
    id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    kind BIGINT NOT NULL,
    owner BYTEA NOT NULL,
    currency TEXT NOT NULL,
    floor_minor BIGINT NOT NULL,
    booked_minor BIGINT,
    held_minor BIGINT,
    entry_count BIGINT
);
CREATE UNIQUE INDEX ledger_account_owner ON ledger_account (kind, owner, currency);

-- A side that keeps a statement has the number of its entry here.
CREATE TABLE transfer (
    id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    debit BIGINT NOT NULL,
    credit BIGINT NOT NULL,
    currency TEXT NOT NULL,
    amount_minor BIGINT NOT NULL CHECK (amount_minor > 0),
    debit_seq BIGINT,
    credit_seq BIGINT,
    event TEXT NOT NULL,
    reference TEXT NOT NULL,
    detail BIGINT,
    booking_day BIGINT NOT NULL,
    value_day BIGINT NOT NULL
);

-- The statement of an account: numbered 1, 2, 3 …, with the balance after each line.
CREATE TABLE entry (
    account BIGINT NOT NULL,
    seq BIGINT NOT NULL,
    transfer BIGINT NOT NULL,
    amount_minor BIGINT NOT NULL,
    balance_minor BIGINT NOT NULL,
    booking_day BIGINT NOT NULL,
    PRIMARY KEY (account, seq)
);
CREATE INDEX entry_day ON entry (account, booking_day, seq);

-- Amounts set aside: the pending transactions.
CREATE TABLE hold (
    id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    account BIGINT NOT NULL,
    currency TEXT NOT NULL,
    amount_minor BIGINT NOT NULL CHECK (amount_minor > 0),
    event TEXT NOT NULL,
    reference TEXT NOT NULL,
    state TEXT NOT NULL,
    detail BIGINT,
    day BIGINT NOT NULL
);
CREATE UNIQUE INDEX hold_reference ON hold (reference);
CREATE INDEX hold_active ON hold (account, day, id) WHERE state = 'active';
