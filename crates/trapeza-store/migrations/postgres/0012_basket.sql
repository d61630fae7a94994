-- Baskets: what a merchant's customer wants to buy now and pay later, and what became of that.

-- How long a merchant's basket may be decided, and what the merchant leaves the bank of each loan.
ALTER TABLE merchant ADD COLUMN basket_minutes BIGINT NOT NULL DEFAULT 30;
ALTER TABLE merchant ADD COLUMN discount_bp BIGINT NOT NULL DEFAULT 0;

CREATE TABLE basket (
    number BIGINT NOT NULL,
    public BYTEA NOT NULL,
    merchant BYTEA NOT NULL REFERENCES merchant (id),
    application BYTEA NOT NULL REFERENCES application (id),
    -- The merchant's id of the call that made it, as it was sent.
    request TEXT NOT NULL,
    status TEXT NOT NULL,
    -- The loan that was asked for once somebody began the checkout, and why nothing was lent.
    loan BYTEA,
    reason TEXT,
    created_at BIGINT NOT NULL,
    expires_at BIGINT NOT NULL,
    last_action BIGINT NOT NULL,
    -- When time alone ends it; null when it never will.
    due_at BIGINT,
    currency TEXT NOT NULL,
    value_minor BIGINT NOT NULL,
    order_identifier TEXT NOT NULL,
    -- The merchant's own; nobody here reads it.
    merchant_data TEXT,
    phone TEXT,
    email TEXT,
    -- Spares a query where there are none.
    product_count BIGINT NOT NULL
);
CREATE UNIQUE INDEX basket_number ON basket (number);
CREATE UNIQUE INDEX basket_public ON basket (public);
CREATE INDEX basket_due ON basket (due_at) WHERE due_at IS NOT NULL;

-- The lines of a basket, numbered from 0. Quantity and tax rate are numbers as they were written.
CREATE TABLE basket_product (
    basket BIGINT NOT NULL,
    place BIGINT NOT NULL,
    number TEXT,
    name TEXT NOT NULL,
    quantity TEXT NOT NULL,
    quantity_units TEXT,
    unit_price_minor BIGINT NOT NULL,
    tax_rate TEXT,
    total_minor BIGINT NOT NULL,
    discount_minor BIGINT,
    tax_minor BIGINT,
    url TEXT,
    image_url TEXT,
    PRIMARY KEY (basket, place)
);
