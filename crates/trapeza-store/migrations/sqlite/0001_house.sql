-- The house: who may call, what was called before, what was done, what time it is.

CREATE TABLE audit (
    chain INTEGER NOT NULL,
    sequence INTEGER NOT NULL,
    at INTEGER NOT NULL,
    actor TEXT NOT NULL,
    action TEXT NOT NULL,
    object TEXT NOT NULL,
    detail TEXT NOT NULL,
    mac BLOB NOT NULL
) STRICT;
CREATE UNIQUE INDEX audit_place ON audit (chain, sequence);

-- Calls that had an effect, kept for ever.
CREATE TABLE replay (
    application BLOB NOT NULL,
    operation TEXT NOT NULL,
    request BLOB NOT NULL,
    fingerprint BLOB NOT NULL,
    outcome TEXT NOT NULL,
    object BLOB NOT NULL,
    at INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX replay_key ON replay (application, operation, request);

-- One row: how far the sandbox has moved its clock, and the largest time any process has seen.
CREATE TABLE clock (
    one INTEGER PRIMARY KEY CHECK (one = 1),
    ahead_micros INTEGER NOT NULL,
    seen INTEGER NOT NULL
) STRICT;
INSERT INTO clock (one, ahead_micros, seen) VALUES (1, 0, 0);

-- One row: which secret this database was made with. Another one would find no key and verify no chain.
CREATE TABLE secret_mark (
    one INTEGER PRIMARY KEY CHECK (one = 1),
    mark BLOB NOT NULL
) STRICT;

CREATE TABLE merchant (
    id BLOB NOT NULL,
    number INTEGER NOT NULL,
    code TEXT NOT NULL,
    name TEXT NOT NULL,
    currency TEXT NOT NULL,
    minimum_minor INTEGER NOT NULL,
    maximum_minor INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX merchant_id ON merchant (id);
CREATE UNIQUE INDEX merchant_number ON merchant (number);
CREATE UNIQUE INDEX merchant_code ON merchant (code);

-- Installment plans a merchant offers. The yearly rate is in hundredths of a percent.
CREATE TABLE merchant_plan (
    merchant BLOB NOT NULL REFERENCES merchant (id),
    installments INTEGER NOT NULL,
    yearly_rate_bp INTEGER NOT NULL,
    is_default INTEGER NOT NULL,
    PRIMARY KEY (merchant, installments)
) STRICT;

-- A program of a third party (no merchant) or of a merchant. Its id is the ClientId or the X-Application-ID.
CREATE TABLE application (
    id BLOB NOT NULL,
    merchant BLOB REFERENCES merchant (id),
    name TEXT NOT NULL,
    sandbox INTEGER NOT NULL,
    created_at INTEGER NOT NULL,
    success_callback_url TEXT,
    fail_callback_url TEXT,
    success_redirect_uri TEXT,
    failure_redirect_uri TEXT
) STRICT;
CREATE UNIQUE INDEX application_id ON application (id);

-- Only keyed hashes: a stolen backup calls nobody.
CREATE TABLE application_key (
    hash BLOB NOT NULL,
    application BLOB NOT NULL REFERENCES application (id),
    created_at INTEGER NOT NULL,
    retired_at INTEGER
) STRICT;
CREATE UNIQUE INDEX application_key_hash ON application_key (hash);
CREATE INDEX application_key_application ON application_key (application);

CREATE TABLE application_certificate (
    application BLOB NOT NULL REFERENCES application (id),
    fingerprint BLOB NOT NULL,
    organisation TEXT NOT NULL,
    standing TEXT NOT NULL,
    registered_at INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX application_certificate_fingerprint ON application_certificate (application, fingerprint);

-- Where a third party's customers may be sent back to, letter by letter.
CREATE TABLE application_redirect (
    application BLOB NOT NULL REFERENCES application (id),
    uri TEXT NOT NULL,
    PRIMARY KEY (application, uri)
) STRICT;

-- Sealed: signing needs the secret itself, the database alone must not give it away.
CREATE TABLE application_webhook_secret (
    application BLOB NOT NULL REFERENCES application (id),
    sealed BLOB NOT NULL,
    created_at INTEGER NOT NULL
) STRICT;
CREATE INDEX application_webhook_secret_application ON application_webhook_secret (application);
