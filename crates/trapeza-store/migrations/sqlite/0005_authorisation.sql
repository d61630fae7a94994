-- Strong customer authentication: its runs, what counts against guessing, the devices, the messages.

CREATE TABLE authorisation (
    id BLOB NOT NULL,
    application BLOB NOT NULL REFERENCES application (id),
    target_kind TEXT NOT NULL,
    target BLOB NOT NULL,
    -- As the third party sent it; and whose name it is, null when nobody's or not the target's.
    psu_name TEXT NOT NULL,
    psu BLOB REFERENCES psu (id),
    status TEXT NOT NULL,
    -- The password was right on our page.
    proven INTEGER NOT NULL,
    method BLOB,
    method_kind TEXT,
    -- The way the third party was told, and whether it is the only one.
    approach TEXT NOT NULL,
    approach_only INTEGER NOT NULL,
    -- What the customer agrees to, as a hash; and who asks, as the certificate says.
    link BLOB NOT NULL,
    organisation TEXT NOT NULL,
    tpp_name TEXT NOT NULL,
    redirect_uri TEXT,
    nok_redirect_uri TEXT,
    -- The keyed hash of the mark of the browser that opened our page first.
    browser BLOB,
    opened_at INTEGER,
    created_at INTEGER NOT NULL,
    ends_at INTEGER NOT NULL,
    -- When time alone ends it; null when it is final.
    due_at INTEGER,
    -- The one challenge that is out. The code is a keyed hash.
    challenge_nonce BLOB,
    challenge_code BLOB,
    challenge_shown TEXT,
    challenge_sent_at INTEGER,
    challenge_ends_at INTEGER,
    challenge_tries INTEGER,
    challenge_sends INTEGER
) STRICT;
CREATE UNIQUE INDEX authorisation_id ON authorisation (id);
CREATE INDEX authorisation_target ON authorisation (target, target_kind);
CREATE INDEX authorisation_due ON authorisation (due_at) WHERE due_at IS NOT NULL;

-- Failures in a row. The subject is a keyed hash of the name that was sent: names that are nobody's count alike.
CREATE TABLE sca_counter (
    subject BLOB NOT NULL,
    channel TEXT NOT NULL,
    kind TEXT NOT NULL,
    count INTEGER NOT NULL,
    last_at INTEGER NOT NULL,
    blocked_until INTEGER NOT NULL,
    PRIMARY KEY (subject, channel, kind)
) STRICT;

-- One row for each wrong code, first code and code sent again, for limits over a window of time.
CREATE TABLE sca_tally (
    subject BLOB NOT NULL,
    kind TEXT NOT NULL,
    at INTEGER NOT NULL
) STRICT;
CREATE INDEX sca_tally_subject ON sca_tally (subject, kind, at);

-- The seed that a chip device or photo reader shares with the bank.
CREATE TABLE sca_device (
    method BLOB NOT NULL REFERENCES sca_method (id),
    sealed_seed BLOB NOT NULL
) STRICT;
CREATE UNIQUE INDEX sca_device_method ON sca_device (method);

-- Texts and pushes to customers. The text is sealed, and gone once it was sent.
CREATE TABLE message (
    id BLOB NOT NULL,
    recipient TEXT NOT NULL,
    channel TEXT NOT NULL,
    sealed BLOB,
    state TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    sent_at INTEGER
) STRICT;
CREATE UNIQUE INDEX message_id ON message (id);
CREATE INDEX message_created ON message (created_at);
CREATE INDEX message_waiting ON message (created_at) WHERE state = 'waiting';

CREATE INDEX consent_psu ON consent (application, psu);
