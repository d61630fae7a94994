-- Consents: what a third party may read or ask, by leave of a customer.

-- Both kinds. The columns from scope on are those of an access consent and null for the other.
CREATE TABLE consent (
    id BYTEA NOT NULL,
    application BYTEA NOT NULL REFERENCES application (id),
    kind TEXT NOT NULL,
    -- As the third party sent it; it may be nobody's name.
    psu TEXT NOT NULL,
    state TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    last_action BIGINT NOT NULL,
    authorised_at BIGINT,
    -- When time alone changes the state next; null when it never will.
    due_at BIGINT,
    scope TEXT,
    recurring BIGINT,
    -- The day, where a day was given; and always its last instant.
    valid_until_day BIGINT,
    valid_until BIGINT,
    frequency_per_day BIGINT,
    combined_service BIGINT
);
CREATE UNIQUE INDEX consent_id ON consent (id);
CREATE INDEX consent_due ON consent (due_at) WHERE due_at IS NOT NULL;

-- The accounts an access consent names, list by list. A card number is its keyed hash and its mask.
CREATE TABLE consent_access (
    consent BYTEA NOT NULL REFERENCES consent (id),
    application BYTEA NOT NULL,
    list TEXT NOT NULL,
    position BIGINT NOT NULL,
    kind TEXT NOT NULL,
    value TEXT NOT NULL,
    pan_hash BYTEA,
    currency TEXT
);
CREATE UNIQUE INDEX consent_access_place ON consent_access (consent, list, position);

-- What a funds consent says besides.
CREATE TABLE consent_funds (
    consent BYTEA NOT NULL REFERENCES consent (id),
    application BYTEA NOT NULL,
    account_kind TEXT NOT NULL,
    account_value TEXT NOT NULL,
    account_pan_hash BYTEA,
    account_currency TEXT,
    card_hash BYTEA,
    card_masked TEXT,
    card_expiry_day BIGINT,
    card_expiry_at BIGINT,
    card_information TEXT,
    registration_information TEXT
);
CREATE UNIQUE INDEX consent_funds_consent ON consent_funds (consent);
