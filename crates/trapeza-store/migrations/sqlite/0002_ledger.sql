-- The books. Rows of transfer and entry are written once and never changed. There are no foreign keys between these
-- tables: in PostgreSQL each would lock the bank's own account rows for every payment. `ledger check` looks instead.

-- Accounts without a statement (the bank's own, and loans) have no booked, held and entry_count: they are the sums of
-- their transfers, so that no row is touched by every payment. The owner is empty for the bank's own.
CREATE TABLE ledger_account (
    id INTEGER PRIMARY KEY,
    kind INTEGER NOT NULL,
    owner BLOB NOT NULL,
    currency TEXT NOT NULL,
    floor_minor INTEGER NOT NULL,
    booked_minor INTEGER,
    held_minor INTEGER,
    entry_count INTEGER
) STRICT;
CREATE UNIQUE INDEX ledger_account_owner ON ledger_account (kind, owner, currency);

-- A side that keeps a statement has the number of its entry here.
CREATE TABLE transfer (
    id INTEGER PRIMARY KEY,
    debit INTEGER NOT NULL,
    credit INTEGER NOT NULL,
    currency TEXT NOT NULL,
    amount_minor INTEGER NOT NULL CHECK (amount_minor > 0),
    debit_seq INTEGER,
    credit_seq INTEGER,
    event TEXT NOT NULL,
    reference TEXT NOT NULL,
    detail INTEGER,
    booking_day INTEGER NOT NULL,
    value_day INTEGER NOT NULL
) STRICT;

-- The statement of an account: numbered 1, 2, 3 …, with the balance after each line.
CREATE TABLE entry (
    account INTEGER NOT NULL,
    seq INTEGER NOT NULL,
    transfer INTEGER NOT NULL,
    amount_minor INTEGER NOT NULL,
    balance_minor INTEGER NOT NULL,
    booking_day INTEGER NOT NULL,
    PRIMARY KEY (account, seq)
) STRICT, WITHOUT ROWID;
CREATE INDEX entry_day ON entry (account, booking_day, seq);

-- Amounts set aside: the pending transactions.
CREATE TABLE hold (
    id INTEGER PRIMARY KEY,
    account INTEGER NOT NULL,
    currency TEXT NOT NULL,
    amount_minor INTEGER NOT NULL CHECK (amount_minor > 0),
    event TEXT NOT NULL,
    reference TEXT NOT NULL,
    state TEXT NOT NULL,
    detail INTEGER,
    day INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX hold_reference ON hold (reference);
CREATE INDEX hold_active ON hold (account, day, id) WHERE state = 'active';
