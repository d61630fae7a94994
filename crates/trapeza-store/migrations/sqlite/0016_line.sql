-- What a line tells, kept with it in one piece (the store's own form, see statement/codec.rs), so that a page of a
-- statement reads one stretch of one table. NULL in lines that are older than this step and in those of cards: they are
-- read from transfer and detail as before. Lines lie in the order of pages, by day; their numbers have the index.
CREATE TABLE entry_by_day (
    account INTEGER NOT NULL,
    seq INTEGER NOT NULL,
    transfer INTEGER NOT NULL,
    amount_minor INTEGER NOT NULL,
    balance_minor INTEGER NOT NULL,
    booking_day INTEGER NOT NULL,
    told BLOB,
    PRIMARY KEY (account, booking_day, seq)
) STRICT, WITHOUT ROWID;
INSERT INTO entry_by_day (account, seq, transfer, amount_minor, balance_minor, booking_day)
    SELECT account, seq, transfer, amount_minor, balance_minor, booking_day FROM entry
    ORDER BY account, booking_day, seq;
DROP TABLE entry;
ALTER TABLE entry_by_day RENAME TO entry;
CREATE UNIQUE INDEX entry_seq ON entry (account, seq);
