-- The house: who may call, what was called before, what was done, what time it is.

CREATE TABLE audit (
    chain BIGINT NOT NULL,
    sequence BIGINT NOT NULL,
    at BIGINT NOT NULL,
    actor TEXT NOT NULL,
    action TEXT NOT NULL,
    object TEXT NOT NULL,
    detail TEXT NOT NULL,
    mac BYTEA NOT NULL
);
CREATE UNIQUE INDEX audit_place ON audit (chain, sequence);

-- Calls that had an effect, kept for ever.
CREATE TABLE replay (
    application BYTEA NOT NULL,
    operation TEXT NOT NULL,
    request BYTEA NOT NULL,
    fingerprint BYTEA NOT NULL,
    outcome TEXT NOT NULL,
    object BYTEA NOT NULL,
    at BIGINT NOT NULL
);
CREATE UNIQUE INDEX replay_key ON replay (application, operation, request);

-- One row: how far the sandbox has moved its clock, and the largest time any process has seen.
CREATE TABLE clock (
    one BIGINT PRIMARY KEY CHECK (one = 1),
    ahead_micros BIGINT NOT NULL,
    seen BIGINT NOT NULL
);
INSERT INTO clock (one, ahead_micros, seen) VALUES (1, 0, 0);

-- One row: which secret this database was made with. Another one would find no key and verify no chain.
CREATE TABLE secret_mark (
    one BIGINT PRIMARY KEY CHECK (one = 1),
    mark BYTEA NOT NULL
);

CREATE TABLE merchant (
    id BYTEA NOT NULL,
    number BIGINT NOT NULL,
    code TEXT NOT NULL,
    name TEXT NOT NULL,
    currency TEXT NOT NULL,
    minimum_minor BIGINT NOT NULL,
    maximum_minor BIGINT NOT NULL
);
CREATE UNIQUE INDEX merchant_id ON merchant (id);
CREATE UNIQUE INDEX merchant_number ON merchant (number);
CREATE UNIQUE INDEX merchant_code ON merchant (code);

-- Installment plans a merchant offers. The yearly rate is in hundredths of a percent.
CREATE TABLE merchant_plan (
    merchant BYTEA NOT NULL REFERENCES merchant (id),
    installments BIGINT NOT NULL,
    yearly_rate_bp BIGINT NOT NULL,
    is_default BIGINT NOT NULL,
    PRIMARY KEY (merchant, installments)
);

-- A program of a third party (no merchant) or of a merchant. Its id is the ClientId or the X-Application-ID.
CREATE TABLE application (
    id BYTEA NOT NULL,
    merchant BYTEA REFERENCES merchant (id),
    name TEXT NOT NULL,
    sandbox BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    success_callback_url TEXT,
    fail_callback_url TEXT,
    success_redirect_uri TEXT,
    failure_redirect_uri TEXT
);
CREATE UNIQUE INDEX application_id ON application (id);

-- Only keyed hashes: a stolen backup calls nobody.
CREATE TABLE application_key (
    hash BYTEA NOT NULL,
    application BYTEA NOT NULL REFERENCES application (id),
    created_at BIGINT NOT NULL,
    retired_at BIGINT
);
CREATE UNIQUE INDEX application_key_hash ON application_key (hash);
CREATE INDEX application_key_application ON application_key (application);

CREATE TABLE application_certificate (
    application BYTEA NOT NULL REFERENCES application (id),
    fingerprint BYTEA NOT NULL,
    organisation TEXT NOT NULL,
    standing TEXT NOT NULL,
    registered_at BIGINT NOT NULL
);
CREATE UNIQUE INDEX application_certificate_fingerprint ON application_certificate (application, fingerprint);

-- Where a third party's customers may be sent back to, letter by letter.
CREATE TABLE application_redirect (
    application BYTEA NOT NULL REFERENCES application (id),
    uri TEXT NOT NULL,
    PRIMARY KEY (application, uri)
);

-- Sealed: signing needs the secret itself, the database alone must not give it away.
CREATE TABLE application_webhook_secret (
    application BYTEA NOT NULL REFERENCES application (id),
    sealed BYTEA NOT NULL,
    created_at BIGINT NOT NULL
);
CREATE INDEX application_webhook_secret_application ON application_webhook_secret (application);
