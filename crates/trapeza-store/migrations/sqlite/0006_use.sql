-- Reads that count against a consent's frequency, and checks that count against a funds consent's budget. The subject
-- is the account or card that was read, empty for a list.
CREATE TABLE consent_use (
    consent BLOB NOT NULL,
    endpoint TEXT NOT NULL,
    subject BLOB NOT NULL,
    at INTEGER NOT NULL
) STRICT;
CREATE INDEX consent_use_place ON consent_use (consent, endpoint, subject, at);
