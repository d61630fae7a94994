-- Strong customer authentication: its runs, what counts against guessing, the devices, the messages.

CREATE TABLE authorisation (
    id BYTEA NOT NULL,
    application BYTEA NOT NULL REFERENCES application (id),
    target_kind TEXT NOT NULL,
    target BYTEA NOT NULL,
    -- As the third party sent it; and whose name it is, null when nobody's or not the target's.
    psu_name TEXT NOT NULL,
    psu BYTEA REFERENCES psu (id),
    status TEXT NOT NULL,
    -- The password was right on our page.
    proven BIGINT NOT NULL,
    method BYTEA,
    method_kind TEXT,
    -- The way the third party was told, and whether it is the only one.
    approach TEXT NOT NULL,
    approach_only BIGINT NOT NULL,
    -- What the customer agrees to, as a hash; and who asks, as the certificate says.
    link BYTEA NOT NULL,
    organisation TEXT NOT NULL,
    tpp_name TEXT NOT NULL,
    redirect_uri TEXT,
    nok_redirect_uri TEXT,
    -- The keyed hash of the mark of the browser that opened our page first.
    browser BYTEA,
    opened_at BIGINT,
    created_at BIGINT NOT NULL,
    ends_at BIGINT NOT NULL,
    -- When time alone ends it; null when it is final.
    due_at BIGINT,
    -- The one challenge that is out. The code is a keyed hash.
    challenge_nonce BYTEA,
    challenge_code BYTEA,
    challenge_shown TEXT,
    challenge_sent_at BIGINT,
    challenge_ends_at BIGINT,
    challenge_tries BIGINT,
    challenge_sends BIGINT
);
CREATE UNIQUE INDEX authorisation_id ON authorisation (id);
CREATE INDEX authorisation_target ON authorisation (target, target_kind);
CREATE INDEX authorisation_due ON authorisation (due_at) WHERE due_at IS NOT NULL;

-- Failures in a row. The subject is a keyed hash of the name that was sent: names that are nobody's count alike.
CREATE TABLE sca_counter (
    subject BYTEA NOT NULL,
    channel TEXT NOT NULL,
    kind TEXT NOT NULL,
    count BIGINT NOT NULL,
    last_at BIGINT NOT NULL,
    blocked_until BIGINT NOT NULL,
    PRIMARY KEY (subject, channel, kind)
);

-- One row for each wrong code, first code and code sent again, for limits over a window of time.
CREATE TABLE sca_tally (
    subject BYTEA NOT NULL,
    kind TEXT NOT NULL,
    at BIGINT NOT NULL
);
CREATE INDEX sca_tally_subject ON sca_tally (subject, kind, at);

-- The seed that a chip device or photo reader shares with the bank.
CREATE TABLE sca_device (
    method BYTEA NOT NULL REFERENCES sca_method (id),
    sealed_seed BYTEA NOT NULL
);
CREATE UNIQUE INDEX sca_device_method ON sca_device (method);

-- Texts and pushes to customers. The text is sealed, and gone once it was sent.
CREATE TABLE message (
    id BYTEA NOT NULL,
    recipient TEXT NOT NULL,
    channel TEXT NOT NULL,
    sealed BYTEA,
    state TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    sent_at BIGINT
);
CREATE UNIQUE INDEX message_id ON message (id);
CREATE INDEX message_created ON message (created_at);
CREATE INDEX message_waiting ON message (created_at) WHERE state = 'waiting';

CREATE INDEX consent_psu ON consent (application, psu);
