-- Callbacks: what merchants are to be told. A row is written with its cause; a courier sends it.

CREATE TABLE callback (
    id BLOB NOT NULL,
    application BLOB NOT NULL REFERENCES application (id),
    kind TEXT NOT NULL,
    public_basket TEXT NOT NULL,
    -- Byte for byte what is sent, on every try.
    body TEXT NOT NULL,
    state TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    -- How often it was tried, in all rounds; and how many tries of this round have failed.
    tries INTEGER NOT NULL,
    failed INTEGER NOT NULL,
    -- When it is tried next, by the bank's clock; null when it is not.
    due_at INTEGER,
    -- When it was delivered, died or was turned off.
    settled_at INTEGER,
    -- Who tries it now, and until when by the machine's clock: moving the bank's must not send it twice.
    claim BLOB,
    claimed_until INTEGER
) STRICT;
CREATE UNIQUE INDEX callback_id ON callback (id);
-- A lane for each application, so that a long one is no reason to look for another's callbacks behind it.
CREATE INDEX callback_lane ON callback (application, due_at) WHERE due_at IS NOT NULL;
CREATE INDEX callback_state ON callback (state, created_at);

-- The last tries of each callback.
CREATE TABLE callback_attempt (
    callback BLOB NOT NULL,
    number INTEGER NOT NULL,
    tried_at INTEGER NOT NULL,
    duration_ms INTEGER NOT NULL,
    -- What the receiver answered; null when it did not.
    status INTEGER,
    error TEXT
) STRICT;
CREATE UNIQUE INDEX callback_attempt_number ON callback_attempt (callback, number);
