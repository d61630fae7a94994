-- Browsers that are a customer's app: those that have proven it, and those that were sent a code to prove it.
CREATE TABLE enrolled_device (
    -- The keyed hash of what the browser's cookie says.
    mark BLOB NOT NULL,
    psu BLOB NOT NULL REFERENCES psu (id),
    -- Null while the code is on its way.
    enrolled_at INTEGER,
    -- The first instant at which the app is locked again; null when it is.
    open_until INTEGER,
    -- When the browser is forgotten.
    ends_at INTEGER NOT NULL,
    -- The one code that is out, as a keyed hash.
    challenge_nonce BLOB,
    challenge_code BLOB,
    challenge_sent_at INTEGER,
    challenge_tries INTEGER,
    challenge_sends INTEGER
) STRICT;
CREATE UNIQUE INDEX app_browser_mark ON enrolled_device (mark);
CREATE INDEX app_browser_end ON enrolled_device (ends_at);
