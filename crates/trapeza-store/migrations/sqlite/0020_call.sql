-- A call is found by a short hash of whose it is, which operation and which id it was given: a quarter of the pages that
-- the three themselves took, and every order touches one of them.
ALTER TABLE replay ADD COLUMN call BLOB NOT NULL DEFAULT x'';
UPDATE replay SET call = call_key(application, operation, request);
DROP INDEX replay_key;
CREATE UNIQUE INDEX replay_call ON replay (call);
