-- A call is found by a short hash of whose it is, which operation and which id it was given: a quarter of the pages that
-- the three themselves took, and every order touches one of them.
ALTER TABLE replay ADD COLUMN call BYTEA;
UPDATE replay SET call = substr(sha256(application || request || convert_to(operation, 'UTF8')), 1, 12);
ALTER TABLE replay ALTER COLUMN call SET NOT NULL;
DROP INDEX replay_key;
CREATE UNIQUE INDEX replay_call ON replay (call);
