-- Pay Later behind the basket: who buys, what is lent and how it is paid back, and the checkout in a browser.

-- Somebody who buys now and pays later: a telephone that was proven, and the bank's customer who signed in with it.
CREATE TABLE customer (
    id BLOB NOT NULL,
    phone TEXT NOT NULL,
    psu BLOB REFERENCES psu (id),
    -- The bank lends nothing on this telephone.
    blocked INTEGER NOT NULL,
    created_at INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX customer_id ON customer (id);
CREATE UNIQUE INDEX customer_phone ON customer (phone);
CREATE INDEX customer_psu ON customer (psu) WHERE psu IS NOT NULL;

-- A loan from the moment it is asked for. What is owed is in the ledger, under the loan's id.
CREATE TABLE loan (
    id BLOB NOT NULL,
    basket INTEGER NOT NULL,
    merchant BLOB NOT NULL REFERENCES merchant (id),
    application BLOB NOT NULL REFERENCES application (id),
    status TEXT NOT NULL,
    currency TEXT NOT NULL,
    amount_minor INTEGER NOT NULL,
    requested_at INTEGER NOT NULL,
    decided_at INTEGER,
    last_action INTEGER NOT NULL,
    -- Why it was rejected, and the figures of the rule that decided.
    reason TEXT,
    inputs TEXT,
    -- The contract; null before there is one.
    customer BLOB REFERENCES customer (id),
    psu BLOB REFERENCES psu (id),
    account BLOB REFERENCES account (id),
    installments INTEGER,
    yearly_rate_bp INTEGER,
    discount_minor INTEGER,
    signed_day INTEGER,
    -- Principal that is not paid back yet, and since when an installment is owed.
    open_minor INTEGER,
    overdue_since INTEGER
) STRICT;
CREATE UNIQUE INDEX loan_id ON loan (id);
CREATE UNIQUE INDEX loan_basket ON loan (basket);
CREATE INDEX loan_customer ON loan (customer) WHERE customer IS NOT NULL;
CREATE INDEX loan_psu ON loan (psu) WHERE psu IS NOT NULL;

-- What a contract says is paid when, numbered from 1; and the day on which it was.
CREATE TABLE loan_installment (
    loan BLOB NOT NULL,
    number INTEGER NOT NULL,
    principal_minor INTEGER NOT NULL,
    interest_minor INTEGER NOT NULL,
    due_day INTEGER NOT NULL,
    payment_day INTEGER NOT NULL,
    settled_day INTEGER,
    PRIMARY KEY (loan, number)
) STRICT, WITHOUT ROWID;

-- A checkout in the one browser that began it.
CREATE TABLE checkout (
    basket INTEGER NOT NULL,
    -- The keyed hash of the browser's mark, and when it last did something.
    browser BLOB NOT NULL,
    seen_at INTEGER NOT NULL,
    -- The telephone that was named, and whose it is once it was proven.
    phone TEXT,
    customer BLOB REFERENCES customer (id),
    -- Who signed in.
    psu BLOB REFERENCES psu (id),
    -- The one code that is out, as a keyed hash.
    challenge_nonce BLOB,
    challenge_code BLOB,
    challenge_sent_at INTEGER,
    challenge_tries INTEGER,
    challenge_sends INTEGER
) STRICT;
CREATE UNIQUE INDEX checkout_basket ON checkout (basket);
