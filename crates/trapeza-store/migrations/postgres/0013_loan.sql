-- Pay Later behind the basket: who buys, what is lent and how it is paid back, and the checkout in a browser.

-- Somebody who buys now and pays later: a telephone that was proven, and the bank's customer who signed in with it.
CREATE TABLE customer (
    id BYTEA NOT NULL,
    phone TEXT NOT NULL,
    psu BYTEA REFERENCES psu (id),
    -- The bank lends nothing on this telephone.
    blocked BIGINT NOT NULL,
    created_at BIGINT NOT NULL
);
CREATE UNIQUE INDEX customer_id ON customer (id);
CREATE UNIQUE INDEX customer_phone ON customer (phone);
CREATE INDEX customer_psu ON customer (psu) WHERE psu IS NOT NULL;

-- A loan from the moment it is asked for. What is owed is in the ledger, under the loan's id.
CREATE TABLE loan (
    id BYTEA NOT NULL,
    basket BIGINT NOT NULL,
    merchant BYTEA NOT NULL REFERENCES merchant (id),
    application BYTEA NOT NULL REFERENCES application (id),
    status TEXT NOT NULL,
    currency TEXT NOT NULL,
    amount_minor BIGINT NOT NULL,
    requested_at BIGINT NOT NULL,
    decided_at BIGINT,
    last_action BIGINT NOT NULL,
    -- Why it was rejected, and the figures of the rule that decided.
    reason TEXT,
    inputs TEXT,
    -- The contract; null before there is one.
    customer BYTEA REFERENCES customer (id),
    psu BYTEA REFERENCES psu (id),
    account BYTEA REFERENCES account (id),
    installments BIGINT,
    yearly_rate_bp BIGINT,
    discount_minor BIGINT,
    signed_day BIGINT,
    -- Principal that is not paid back yet, and since when an installment is owed.
    open_minor BIGINT,
    overdue_since BIGINT
);
CREATE UNIQUE INDEX loan_id ON loan (id);
CREATE UNIQUE INDEX loan_basket ON loan (basket);
CREATE INDEX loan_customer ON loan (customer) WHERE customer IS NOT NULL;
CREATE INDEX loan_psu ON loan (psu) WHERE psu IS NOT NULL;

-- What a contract says is paid when, numbered from 1; and the day on which it was.
CREATE TABLE loan_installment (
    loan BYTEA NOT NULL,
    number BIGINT NOT NULL,
    principal_minor BIGINT NOT NULL,
    interest_minor BIGINT NOT NULL,
    due_day BIGINT NOT NULL,
    payment_day BIGINT NOT NULL,
    settled_day BIGINT,
    PRIMARY KEY (loan, number)
);

-- A checkout in the one browser that began it.
CREATE TABLE checkout (
    basket BIGINT NOT NULL,
    -- The keyed hash of the browser's mark, and when it last did something.
    browser BYTEA NOT NULL,
    seen_at BIGINT NOT NULL,
    -- The telephone that was named, and whose it is once it was proven.
    phone TEXT,
    customer BYTEA REFERENCES customer (id),
    -- Who signed in.
    psu BYTEA REFERENCES psu (id),
    -- The one code that is out, as a keyed hash.
    challenge_nonce BYTEA,
    challenge_code BYTEA,
    challenge_sent_at BIGINT,
    challenge_tries BIGINT,
    challenge_sends BIGINT
);
CREATE UNIQUE INDEX checkout_basket ON checkout (basket);
