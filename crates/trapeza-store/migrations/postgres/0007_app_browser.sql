-- Browsers that are a customer's app: those that have proven it, and those that were sent a code to prove it.
CREATE TABLE enrolled_device (
    -- The keyed hash of what the browser's cookie says.
    mark BYTEA NOT NULL,
    psu BYTEA NOT NULL REFERENCES psu (id),
    -- Null while the code is on its way.
    enrolled_at BIGINT,
    -- The first instant at which the app is locked again; null when it is.
    open_until BIGINT,
    -- When the browser is forgotten.
    ends_at BIGINT NOT NULL,
    -- The one code that is out, as a keyed hash.
    challenge_nonce BYTEA,
    challenge_code BYTEA,
    challenge_sent_at BIGINT,
    challenge_tries BIGINT,
    challenge_sends BIGINT
);
CREATE UNIQUE INDEX app_browser_mark ON enrolled_device (mark);
CREATE INDEX app_browser_end ON enrolled_device (ends_at);
