-- The key that a customer's browser keeps for the bank's app: the bank has its public half, and checks with it what the
-- customer approves.
ALTER TABLE enrolled_device ADD COLUMN public_key BLOB;

-- Browsers from before have no key: they prove themselves again.
DELETE FROM enrolled_device;

-- The bank itself, as the program through which its customers order payments in the app. It has no key and no
-- certificate, so nobody calls in its name.
INSERT INTO application (id, name, sandbox, created_at) VALUES (zeroblob(16), 'Trapeza', 0, 0);

-- When a permission was last used, whoever was there. Written now and then, not with every read.
CREATE TABLE consent_seen (
    consent BLOB PRIMARY KEY,
    at INTEGER NOT NULL
) STRICT;
CREATE INDEX consent_of_psu ON consent (psu, created_at);
