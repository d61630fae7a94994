-- One writer appends to the log, so a row's place in it is enough to find the rows of a chain in their order: an index of
-- chain and number was one more tree for every write to grow.
CREATE TABLE audit_new (
    place INTEGER PRIMARY KEY,
    chain INTEGER NOT NULL,
    sequence INTEGER NOT NULL,
    at INTEGER NOT NULL,
    actor TEXT NOT NULL,
    action TEXT NOT NULL,
    object TEXT NOT NULL,
    detail TEXT NOT NULL,
    mac BLOB NOT NULL
) STRICT;
INSERT INTO audit_new (chain, sequence, at, actor, action, object, detail, mac)
    SELECT chain, sequence, at, actor, action, object, detail, mac FROM audit ORDER BY rowid;
DROP TABLE audit;
ALTER TABLE audit_new RENAME TO audit;
