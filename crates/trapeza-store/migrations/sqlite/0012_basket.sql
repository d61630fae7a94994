-- Baskets: what a merchant's customer wants to buy now and pay later, and what became of that.

-- How long a merchant's basket may be decided, and what the merchant leaves the bank of each loan.
ALTER TABLE merchant ADD COLUMN basket_minutes INTEGER NOT NULL DEFAULT 30;
ALTER TABLE merchant ADD COLUMN discount_bp INTEGER NOT NULL DEFAULT 0;

CREATE TABLE basket (
    number INTEGER NOT NULL,
    public BLOB NOT NULL,
    merchant BLOB NOT NULL REFERENCES merchant (id),
    application BLOB NOT NULL REFERENCES application (id),
    -- The merchant's id of the call that made it, as it was sent.
    request TEXT NOT NULL,
    status TEXT NOT NULL,
    -- The loan that was asked for once somebody began the checkout, and why nothing was lent.
    loan BLOB,
    reason TEXT,
    created_at INTEGER NOT NULL,
    expires_at INTEGER NOT NULL,
    last_action INTEGER NOT NULL,
    -- When time alone ends it; null when it never will.
    due_at INTEGER,
    currency TEXT NOT NULL,
    value_minor INTEGER NOT NULL,
    order_identifier TEXT NOT NULL,
    -- The merchant's own; nobody here reads it.
    merchant_data TEXT,
    phone TEXT,
    email TEXT,
    -- Spares a query where there are none.
    product_count INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX basket_number ON basket (number);
CREATE UNIQUE INDEX basket_public ON basket (public);
CREATE INDEX basket_due ON basket (due_at) WHERE due_at IS NOT NULL;

-- The lines of a basket, numbered from 0. Quantity and tax rate are numbers as they were written.
CREATE TABLE basket_product (
    basket INTEGER NOT NULL,
    place INTEGER NOT NULL,
    number TEXT,
    name TEXT NOT NULL,
    quantity TEXT NOT NULL,
    quantity_units TEXT,
    unit_price_minor INTEGER NOT NULL,
    tax_rate TEXT,
    total_minor INTEGER NOT NULL,
    discount_minor INTEGER,
    tax_minor INTEGER,
    url TEXT,
    image_url TEXT,
    PRIMARY KEY (basket, place)
) STRICT, WITHOUT ROWID;
