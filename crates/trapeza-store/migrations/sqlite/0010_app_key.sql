-- The key that a customer's browser keeps for the bank's app: the bank has its public half, and checks with it what the
-- customer approves.
ALTER TABLE app_browser ADD COLUMN public_key BLOB;

-- Browsers from before have no key: they prove themselves again.
DELETE FROM app_browser;

-- The bank itself, as the program through which its customers order payments in the app. It has no key and no
-- certificate, so nobody calls in its name.
INSERT INTO application (id, name, sandbox, created_at) VALUES (zeroblob(16), 'Trapeza', 0, 0);
