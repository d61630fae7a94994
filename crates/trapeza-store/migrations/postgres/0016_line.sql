-- What a line tells, kept with it in one piece (the store's own form, see statement/codec.rs), so that a page of a
-- statement reads one table. NULL in lines that are older than this step and in those of cards: they are read from
-- transfer and detail as before.
ALTER TABLE entry ADD COLUMN told BYTEA;
