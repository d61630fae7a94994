-- The schema. A JSON column, not JSONB, holds a text that must stay as it was written.

-- Idempotency, audit log, clock

-- Audit events, chained by HMAC. Each writer has its own chain; rows are appended and never changed.
CREATE TABLE audit_event (
    chain BIGINT NOT NULL,
    sequence BIGINT NOT NULL,
    occurred_at TIMESTAMPTZ NOT NULL,
    actor TEXT NOT NULL,
    action TEXT NOT NULL,
    object TEXT NOT NULL,
    detail TEXT NOT NULL,
    mac BYTEA NOT NULL
);
CREATE UNIQUE INDEX audit_event_sequence ON audit_event (chain, sequence);
-- The timeline of an object. Ids of busy objects ascend (UUIDv7), so that their rows are adjacent in the index.
CREATE INDEX audit_event_object ON audit_event (object);

-- The last known row of each chain, stored every minute: rows that are cut off a chain are missing against it.
CREATE TABLE audit_head (
    chain BIGINT PRIMARY KEY,
    sequence BIGINT NOT NULL,
    mac BYTEA NOT NULL
);

-- The outcome of every write, stored for ever. A record is found by a short hash of application, operation and request id:
-- the index takes a quarter of the pages that the three columns would.
CREATE TABLE idempotency_record (
    key_hash BYTEA NOT NULL,
    application UUID NOT NULL,
    operation TEXT NOT NULL,
    request_id UUID NOT NULL,
    -- Keyed hash of the whole request.
    fingerprint BYTEA NOT NULL,
    outcome TEXT NOT NULL,
    -- What the request created or changed, encoded by its use case.
    result BYTEA NOT NULL,
    created_at TIMESTAMPTZ NOT NULL
);
CREATE UNIQUE INDEX idempotency_record_key_hash ON idempotency_record (key_hash);

-- One row: how far the sandbox clock is ahead of the system clock, and the latest time any process has seen.
CREATE TABLE clock (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    offset_micros BIGINT NOT NULL,
    watermark TIMESTAMPTZ NOT NULL
);
INSERT INTO clock (id, offset_micros, watermark) VALUES (1, 0, 'epoch');

-- One row: the key from which all keys are derived, encrypted with the root secret, and the check value of that secret.
CREATE TABLE root_key (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    ciphertext BYTEA NOT NULL,
    secret_check BYTEA NOT NULL,
    sealed_at TIMESTAMPTZ NOT NULL
);

-- What people sign in with: members of organisations to the portal, the bank's staff to the console. The times of sessions,
-- enrolments and invitations are the system's: the clock of a sandbox is moved, and people's clocks are not.

-- A login has the id of its member or member of staff.
CREATE TABLE login (
    id UUID NOT NULL,
    -- member or staff
    kind TEXT NOT NULL,
    -- In lower case.
    email TEXT NOT NULL,
    -- Null until the person has enrolled.
    password_hash TEXT,
    -- The secret of the authenticator app, encrypted; null for a person who only uses passkeys.
    totp_secret BYTEA,
    -- The last time step whose code was accepted: a code is accepted once.
    totp_step BIGINT NOT NULL,
    -- A disabled login signs in nowhere.
    disabled_at TIMESTAMPTZ,
    -- Of staff who have signed in with the bank's identity provider: the provider and its name for the person.
    provider_issuer TEXT,
    provider_subject TEXT
);
CREATE UNIQUE INDEX login_id ON login (id);
CREATE UNIQUE INDEX login_email ON login (email, kind);
CREATE UNIQUE INDEX login_provider ON login (provider_issuer, provider_subject);

-- Recovery codes that are not used, as keyed hashes.
CREATE TABLE login_recovery_code (
    login UUID NOT NULL REFERENCES login (id),
    hash BYTEA NOT NULL,
    PRIMARY KEY (login, hash)
);

CREATE TABLE login_session (
    id UUID NOT NULL,
    token_hash BYTEA NOT NULL,
    login UUID NOT NULL REFERENCES login (id),
    -- The browser as it describes itself.
    browser TEXT NOT NULL,
    created_at TIMESTAMPTZ NOT NULL,
    last_seen_at TIMESTAMPTZ NOT NULL
);
CREATE UNIQUE INDEX login_session_id ON login_session (id);
CREATE UNIQUE INDEX login_session_token_hash ON login_session (token_hash);
CREATE INDEX login_session_login ON login_session (login);

-- Passkeys (WebAuthn credentials with ES256).
CREATE TABLE login_passkey (
    id UUID NOT NULL,
    login UUID NOT NULL REFERENCES login (id),
    credential BYTEA NOT NULL,
    -- An uncompressed P-256 point.
    public_key BYTEA NOT NULL,
    -- The counter of the last use; zero for authenticators without one.
    sign_count BIGINT NOT NULL,
    name TEXT NOT NULL,
    created_at TIMESTAMPTZ NOT NULL,
    last_used_at TIMESTAMPTZ
);
CREATE UNIQUE INDEX login_passkey_id ON login_passkey (id);
CREATE UNIQUE INDEX login_passkey_credential ON login_passkey (credential);
CREATE INDEX login_passkey_login ON login_passkey (login);

-- Challenges that a passkey has answered, until they expire: each is answered once.
CREATE TABLE login_challenge (
    challenge BYTEA PRIMARY KEY,
    expires_at TIMESTAMPTZ NOT NULL
);

-- The bank's staff, who use the console.

CREATE TABLE staff (
    id UUID NOT NULL REFERENCES login (id),
    name TEXT NOT NULL,
    role TEXT NOT NULL,
    created_at TIMESTAMPTZ NOT NULL,
    -- The person who has seen the enrolment link, until another one confirms the enrolment.
    link_holder UUID
);
CREATE UNIQUE INDEX staff_id ON staff (id);

-- The link with which a person enrols: once, and again after a reset.
CREATE TABLE staff_enrolment (
    staff UUID NOT NULL REFERENCES staff (id),
    token_hash BYTEA NOT NULL,
    expires_at TIMESTAMPTZ NOT NULL
);
CREATE UNIQUE INDEX staff_enrolment_staff ON staff_enrolment (staff);
CREATE UNIQUE INDEX staff_enrolment_token_hash ON staff_enrolment (token_hash);

-- Manual postings of staff. The transfer has the id as its reference.
CREATE TABLE manual_posting (
    id UUID PRIMARY KEY,
    -- An IBAN, or the code of an account of the bank.
    debit TEXT NOT NULL,
    credit TEXT NOT NULL,
    debit_account BIGINT NOT NULL,
    credit_account BIGINT NOT NULL,
    currency TEXT NOT NULL,
    amount_minor BIGINT NOT NULL,
    -- The reason, which customers read on their statement.
    posting_text TEXT NOT NULL,
    posted_at TIMESTAMPTZ NOT NULL,
    posted_by TEXT NOT NULL,
    reversed_at TIMESTAMPTZ,
    reversed_by TEXT,
    reversal_text TEXT
);
CREATE INDEX manual_posting_posted ON manual_posting (posted_at);

-- Requests for actions that need a second person. The times are the bank's.
CREATE TABLE staff_request (
    id UUID NOT NULL,
    action TEXT NOT NULL,
    -- A JSON object.
    parameters TEXT NOT NULL,
    reason TEXT NOT NULL,
    requested_by UUID NOT NULL REFERENCES staff (id),
    requested_at TIMESTAMPTZ NOT NULL,
    expires_at TIMESTAMPTZ NOT NULL,
    -- pending, approved, rejected, cancelled, expired or failed
    status TEXT NOT NULL,
    decided_by UUID REFERENCES staff (id),
    decided_at TIMESTAMPTZ,
    -- What the action did, or why it was refused or rejected.
    outcome TEXT,
    -- A keyed hash of the object's state when the action was requested.
    fingerprint BYTEA NOT NULL
);
CREATE UNIQUE INDEX staff_request_id ON staff_request (id);
CREATE INDEX staff_request_requested_at ON staff_request (requested_at);
CREATE INDEX staff_request_expires_at ON staff_request (expires_at) WHERE status = 'pending';

-- Actions of staff by the key of the form or call that ran or requested them: each has one effect.
CREATE TABLE staff_action_run (
    key UUID NOT NULL,
    staff UUID NOT NULL REFERENCES staff (id),
    action TEXT NOT NULL,
    -- A JSON object.
    parameters TEXT NOT NULL,
    reason TEXT NOT NULL,
    run_at TIMESTAMPTZ NOT NULL,
    -- What the action did, unless it was requested.
    outcome TEXT,
    request UUID REFERENCES staff_request (id)
);
CREATE UNIQUE INDEX staff_action_run_key ON staff_action_run (key);

-- Tokens with which staff use the admin API, as keyed hashes.
CREATE TABLE staff_token (
    id UUID NOT NULL,
    staff UUID NOT NULL REFERENCES staff (id),
    token_hash BYTEA NOT NULL,
    -- What the person calls it.
    name TEXT NOT NULL,
    created_at TIMESTAMPTZ NOT NULL,
    expires_at TIMESTAMPTZ NOT NULL,
    last_used_at TIMESTAMPTZ,
    revoked_at TIMESTAMPTZ
);
CREATE UNIQUE INDEX staff_token_id ON staff_token (id);
CREATE UNIQUE INDEX staff_token_hash ON staff_token (token_hash);
CREATE INDEX staff_token_staff ON staff_token (staff);

-- Organisations of developers and their members, who use the portal.

CREATE TABLE organisation (
    id UUID NOT NULL,
    name TEXT NOT NULL,
    created_at TIMESTAMPTZ NOT NULL
);
CREATE UNIQUE INDEX organisation_id ON organisation (id);

CREATE TABLE member (
    id UUID NOT NULL REFERENCES login (id),
    organisation UUID NOT NULL REFERENCES organisation (id),
    name TEXT NOT NULL,
    role TEXT NOT NULL,
    created_at TIMESTAMPTZ NOT NULL
);
CREATE UNIQUE INDEX member_id ON member (id);
CREATE INDEX member_organisation ON member (organisation);

-- Invitations to an organisation, or to create one (organisation is null).
CREATE TABLE member_invitation (
    id UUID NOT NULL,
    token_hash BYTEA NOT NULL,
    organisation UUID REFERENCES organisation (id),
    email TEXT NOT NULL,
    role TEXT NOT NULL,
    created_at TIMESTAMPTZ NOT NULL,
    expires_at TIMESTAMPTZ NOT NULL
);
CREATE UNIQUE INDEX member_invitation_id ON member_invitation (id);
CREATE UNIQUE INDEX member_invitation_token_hash ON member_invitation (token_hash);
CREATE INDEX member_invitation_organisation ON member_invitation (organisation);

-- Sign-ups that wait for the first code of the authenticator app. Nothing else exists of them.
CREATE TABLE member_enrolment (
    token_hash BYTEA NOT NULL,
    invitation UUID,
    organisation_name TEXT NOT NULL,
    email TEXT NOT NULL,
    name TEXT NOT NULL,
    password_hash TEXT NOT NULL,
    totp_secret BYTEA NOT NULL,
    attempts BIGINT NOT NULL,
    expires_at TIMESTAMPTZ NOT NULL
);
CREATE UNIQUE INDEX member_enrolment_token_hash ON member_enrolment (token_hash);

-- Merchants and applications

CREATE TABLE merchant (
    id UUID NOT NULL,
    -- The integer that Pay Later responses show.
    number BIGINT NOT NULL,
    code TEXT NOT NULL,
    name TEXT NOT NULL,
    currency TEXT NOT NULL,
    minimum_minor BIGINT NOT NULL,
    maximum_minor BIGINT NOT NULL,
    basket_ttl_minutes BIGINT NOT NULL,
    discount_basis_points BIGINT NOT NULL
);
CREATE UNIQUE INDEX merchant_id ON merchant (id);
CREATE UNIQUE INDEX merchant_number ON merchant (number);
CREATE UNIQUE INDEX merchant_code ON merchant (code);

-- Installment plans that a merchant offers.
CREATE TABLE merchant_plan (
    merchant UUID NOT NULL REFERENCES merchant (id),
    installments BIGINT NOT NULL,
    yearly_rate_basis_points BIGINT NOT NULL,
    is_default BOOLEAN NOT NULL,
    PRIMARY KEY (merchant, installments)
);

-- The account to which a merchant's balance is paid.
CREATE TABLE merchant_settlement_account (
    merchant UUID PRIMARY KEY REFERENCES merchant (id),
    iban TEXT NOT NULL,
    name TEXT NOT NULL,
    agent TEXT
);

-- A registered API client of a third party (merchant is null) or of a merchant.
CREATE TABLE application (
    id UUID NOT NULL,
    merchant UUID REFERENCES merchant (id),
    name TEXT NOT NULL,
    sandbox BOOLEAN NOT NULL,
    created_at TIMESTAMPTZ NOT NULL,
    success_callback_url TEXT,
    fail_callback_url TEXT,
    success_redirect_uri TEXT,
    failure_redirect_uri TEXT,
    -- The keys of a disabled application are refused.
    disabled_at TIMESTAMPTZ,
    -- The organisation whose members manage it in the portal.
    organisation UUID REFERENCES organisation (id)
);
CREATE UNIQUE INDEX application_id ON application (id);
CREATE INDEX application_organisation ON application (organisation);
-- The bank itself: the application of payments that customers order in the bank's app. It has no key and no certificate.
INSERT INTO application (id, name, sandbox, created_at) VALUES ('00000000-0000-0000-0000-000000000000', 'Trapeza', FALSE, 'epoch');

-- Subscription keys as keyed hashes, so that a stolen backup contains no usable key.
CREATE TABLE application_key (
    hash BYTEA NOT NULL,
    application UUID NOT NULL REFERENCES application (id),
    created_at TIMESTAMPTZ NOT NULL,
    retired_at TIMESTAMPTZ
);
CREATE UNIQUE INDEX application_key_hash ON application_key (hash);
CREATE INDEX application_key_application ON application_key (application);

-- When a key was last used; written at intervals, not with every request.
CREATE TABLE application_key_last_used (
    hash BYTEA PRIMARY KEY,
    used_at TIMESTAMPTZ NOT NULL
);

CREATE TABLE application_certificate (
    application UUID NOT NULL REFERENCES application (id),
    fingerprint BYTEA NOT NULL,
    organisation TEXT NOT NULL,
    status TEXT NOT NULL,
    registered_at TIMESTAMPTZ NOT NULL,
    -- The end of its validity, for warnings. Requests are checked against the certificate itself.
    expires_at TIMESTAMPTZ NOT NULL
);
CREATE UNIQUE INDEX application_certificate_fingerprint ON application_certificate (application, fingerprint);
-- A caller that presents its certificate alone is found by it.
CREATE INDEX application_certificate_alone ON application_certificate (fingerprint);
CREATE INDEX application_certificate_organisation ON application_certificate (organisation);

-- Redirect URIs of a third party, compared character by character.
CREATE TABLE application_redirect_uri (
    application UUID NOT NULL REFERENCES application (id),
    uri TEXT NOT NULL,
    PRIMARY KEY (application, uri)
);

-- Webhook signing secrets, encrypted with a key outside the database.
CREATE TABLE application_webhook_secret (
    application UUID NOT NULL REFERENCES application (id),
    ciphertext BYTEA NOT NULL,
    created_at TIMESTAMPTZ NOT NULL
);
CREATE INDEX application_webhook_secret_application ON application_webhook_secret (application);

-- Ledger. Rows of transfer and entry are written once and never changed. These tables have no foreign keys: on PostgreSQL
-- each would lock the bank's own account rows for every payment. `trapeza ledger check` verifies the references instead.

-- The bank's own accounts and loans keep no statement: their balance is the sum of their transfers, so that no row is
-- updated by every payment, and booked_minor, held_minor and entry_count are null. The owner of the bank's own accounts is
-- the nil UUID.
CREATE TABLE ledger_account (
    id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    kind BIGINT NOT NULL,
    owner UUID NOT NULL,
    currency TEXT NOT NULL,
    floor_minor BIGINT NOT NULL,
    booked_minor BIGINT,
    held_minor BIGINT,
    entry_count BIGINT,
    -- That of the last entry: none is booked on an earlier day than the one before it.
    last_booking_date DATE
);
CREATE UNIQUE INDEX ledger_account_owner ON ledger_account (kind, owner, currency);

-- One debit and one credit. A side whose account keeps a statement has the number of its entry in debit_seq or credit_seq.
CREATE TABLE transfer (
    id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    debit_account BIGINT NOT NULL,
    credit_account BIGINT NOT NULL,
    currency TEXT NOT NULL,
    amount_minor BIGINT NOT NULL CHECK (amount_minor > 0),
    debit_seq BIGINT,
    credit_seq BIGINT,
    event TEXT NOT NULL,
    reference TEXT NOT NULL,
    detail BIGINT,
    booking_date DATE NOT NULL,
    value_date DATE NOT NULL,
    -- Proves that the bank wrote the row: its key is outside the database.
    mac BYTEA NOT NULL
);

-- The statement of an account: numbered 1, 2, 3 …, each entry with the balance after it. `details` holds the names, references
-- and texts of an account's entry, encoded by the store (statement/entry_details.rs), so that a page reads one table; it is
-- null for cards.
CREATE TABLE entry (
    account BIGINT NOT NULL,
    seq BIGINT NOT NULL,
    transfer BIGINT NOT NULL,
    amount_minor BIGINT NOT NULL,
    balance_minor BIGINT NOT NULL,
    booking_date DATE NOT NULL,
    details BYTEA,
    PRIMARY KEY (account, seq)
);
CREATE INDEX entry_booking_date ON entry (account, booking_date, seq);

-- Amounts reserved on an account: the pending transactions.
CREATE TABLE hold (
    id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    account BIGINT NOT NULL,
    currency TEXT NOT NULL,
    amount_minor BIGINT NOT NULL CHECK (amount_minor > 0),
    event TEXT NOT NULL,
    reference TEXT NOT NULL,
    status TEXT NOT NULL,
    detail BIGINT,
    placed_on DATE NOT NULL
);
CREATE UNIQUE INDEX hold_reference ON hold (reference);
CREATE INDEX hold_active ON hold (account, placed_on, id) WHERE status = 'active';

-- Customers, accounts and cards

CREATE TABLE psu (
    id UUID NOT NULL,
    login TEXT NOT NULL,
    name TEXT NOT NULL,
    phone TEXT NOT NULL,
    -- Null without a password: the customer cannot sign in until the operator sets one.
    password_hash TEXT,
    -- The language of the last page on which the customer signed in; null before that.
    language TEXT,
    created_at TIMESTAMPTZ NOT NULL,
    -- A former customer cannot sign in any more; the login stays reserved.
    closed_at TIMESTAMPTZ,
    -- When the personal data of a former customer was erased.
    erased_at TIMESTAMPTZ
);
CREATE UNIQUE INDEX psu_id ON psu (id);
CREATE UNIQUE INDEX psu_login ON psu (login);
CREATE INDEX psu_phone ON psu (phone);

-- The words of customers' names in Latin letters and lower case, for the search of the bank's staff.
CREATE TABLE psu_name_word (
    -- Prefixes are ranges of bytes, whatever the collation of the database.
    word TEXT COLLATE "C" NOT NULL,
    psu UUID NOT NULL REFERENCES psu (id),
    PRIMARY KEY (word, psu)
);
CREATE INDEX psu_name_word_psu ON psu_name_word (psu);

-- How many customers of a file are imported, by the hash of the file.
CREATE TABLE import_progress (
    file_hash BYTEA PRIMARY KEY,
    customer_count BIGINT NOT NULL,
    total_count BIGINT NOT NULL,
    updated_at TIMESTAMPTZ NOT NULL
);

CREATE TABLE sca_method (
    id UUID NOT NULL,
    psu UUID NOT NULL REFERENCES psu (id),
    position BIGINT NOT NULL,
    kind TEXT NOT NULL
);
CREATE UNIQUE INDEX sca_method_id ON sca_method (id);
CREATE UNIQUE INDEX sca_method_psu ON sca_method (psu, position);

-- The seed that a chip or photo reader shares with the bank, encrypted.
CREATE TABLE sca_method_seed (
    method UUID NOT NULL REFERENCES sca_method (id),
    ciphertext BYTEA NOT NULL
);
CREATE UNIQUE INDEX sca_method_seed_method ON sca_method_seed (method);

-- A payment account has one currency: a multi-currency IBAN is several rows.
CREATE TABLE account (
    id UUID NOT NULL,
    ledger_account BIGINT NOT NULL,
    kind TEXT NOT NULL,
    status TEXT NOT NULL,
    usage TEXT NOT NULL,
    iban TEXT NOT NULL,
    bic TEXT NOT NULL,
    currency TEXT NOT NULL,
    product TEXT NOT NULL,
    name TEXT NOT NULL,
    -- The owner chose the name, so it is never translated.
    has_own_name BOOLEAN NOT NULL,
    credit_limit_minor BIGINT NOT NULL,
    opened_at TIMESTAMPTZ NOT NULL
);
CREATE UNIQUE INDEX account_id ON account (id);
CREATE UNIQUE INDEX account_ledger_account ON account (ledger_account);
CREATE UNIQUE INDEX account_iban ON account (iban, currency);

CREATE TABLE account_owner (
    account UUID NOT NULL REFERENCES account (id),
    psu UUID NOT NULL REFERENCES psu (id),
    position BIGINT NOT NULL,
    PRIMARY KEY (account, position)
);
CREATE UNIQUE INDEX account_owner_psu ON account_owner (psu, account);

-- A card number is stored as a keyed hash and masked.
CREATE TABLE card (
    id UUID NOT NULL,
    ledger_account BIGINT NOT NULL,
    holder UUID NOT NULL REFERENCES psu (id),
    account UUID NOT NULL REFERENCES account (id),
    pan_hash BYTEA NOT NULL,
    masked_pan TEXT NOT NULL,
    status TEXT NOT NULL,
    usage TEXT NOT NULL,
    currency TEXT NOT NULL,
    product TEXT NOT NULL,
    name TEXT NOT NULL,
    credit_limit_minor BIGINT NOT NULL,
    expiry_date DATE NOT NULL,
    issued_at TIMESTAMPTZ NOT NULL
);
CREATE UNIQUE INDEX card_id ON card (id);
CREATE UNIQUE INDEX card_ledger_account ON card (ledger_account);
CREATE UNIQUE INDEX card_pan_hash ON card (pan_hash);
CREATE INDEX card_holder ON card (holder);
CREATE INDEX card_account ON card (account);

-- Names, references and texts of a transfer or a hold. The two counts save a query when there are no parts or exchanges.
CREATE TABLE transaction_detail (
    id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    part_count BIGINT NOT NULL,
    exchange_count BIGINT NOT NULL,
    end_to_end_id TEXT,
    mandate_id TEXT,
    check_id TEXT,
    creditor_id TEXT,
    creditor_name TEXT,
    creditor_account_kind TEXT,
    creditor_account TEXT,
    creditor_currency TEXT,
    ultimate_creditor TEXT,
    debtor_name TEXT,
    debtor_account_kind TEXT,
    debtor_account TEXT,
    debtor_currency TEXT,
    ultimate_debtor TEXT,
    remittance_unstructured TEXT,
    remittance_structured TEXT,
    purpose_code TEXT,
    additional_information TEXT,
    bank_transaction_code TEXT,
    proprietary_code TEXT
);

-- One payment of a batch entry, numbered from 1.
CREATE TABLE transaction_detail_part (
    detail BIGINT NOT NULL REFERENCES transaction_detail (id),
    part BIGINT NOT NULL,
    currency TEXT NOT NULL,
    amount_minor BIGINT NOT NULL,
    exchange_count BIGINT NOT NULL,
    end_to_end_id TEXT,
    mandate_id TEXT,
    check_id TEXT,
    creditor_id TEXT,
    creditor_name TEXT,
    creditor_account_kind TEXT,
    creditor_account TEXT,
    creditor_currency TEXT,
    ultimate_creditor TEXT,
    debtor_name TEXT,
    debtor_account_kind TEXT,
    debtor_account TEXT,
    debtor_currency TEXT,
    ultimate_debtor TEXT,
    remittance_unstructured TEXT,
    remittance_structured TEXT,
    purpose_code TEXT,
    PRIMARY KEY (detail, part)
);

-- Currency exchanges of the whole transaction (part 0) or of one part, in their order.
CREATE TABLE transaction_detail_exchange (
    detail BIGINT NOT NULL REFERENCES transaction_detail (id),
    part BIGINT NOT NULL,
    position BIGINT NOT NULL,
    source_currency TEXT NOT NULL,
    target_currency TEXT NOT NULL,
    unit_currency TEXT NOT NULL,
    rate TEXT NOT NULL,
    quotation_date DATE NOT NULL,
    contract TEXT,
    PRIMARY KEY (detail, part, position)
);

-- What a card statement shows, beside the transaction_detail row of the same id.
CREATE TABLE card_transaction_detail (
    detail BIGINT PRIMARY KEY REFERENCES transaction_detail (id),
    transaction_date DATE NOT NULL,
    terminal_id TEXT,
    acceptor_id TEXT,
    acceptor_street TEXT,
    acceptor_building_number TEXT,
    acceptor_city TEXT,
    acceptor_postal_code TEXT,
    acceptor_country TEXT,
    merchant_category_code TEXT,
    text TEXT,
    original_currency TEXT,
    original_minor BIGINT,
    markup_currency TEXT,
    markup_minor BIGINT,
    markup_basis_points BIGINT,
    invoiced BOOLEAN NOT NULL,
    proprietary_code TEXT
);

-- What a sandbox shows again: passwords by login and card numbers by card. In production it is always empty.
CREATE TABLE sandbox_secret (
    kind TEXT NOT NULL,
    subject TEXT NOT NULL,
    value TEXT NOT NULL,
    PRIMARY KEY (kind, subject)
);

-- Consents

-- Access consents and funds consents. The columns from scope on are null for a funds consent.
CREATE TABLE consent (
    id UUID NOT NULL,
    application UUID NOT NULL REFERENCES application (id),
    kind TEXT NOT NULL,
    -- The login as the third party sent it, empty until the customer is identified; there may be no such customer.
    psu_login TEXT NOT NULL,
    status TEXT NOT NULL,
    created_at TIMESTAMPTZ NOT NULL,
    last_action_at TIMESTAMPTZ NOT NULL,
    authorised_at TIMESTAMPTZ,
    -- Why the consent was rejected.
    rejection_reason TEXT,
    -- When time alone changes the status next.
    deadline TIMESTAMPTZ,
    scope TEXT,
    recurring BOOLEAN,
    -- Whether the third party is notified of changes of status.
    notifies BOOLEAN NOT NULL DEFAULT FALSE,
    -- The open signing basket that it is in.
    signing_basket UUID,
    -- The date if the third party sent a date; valid_until is then its last instant.
    valid_until_date DATE,
    valid_until TIMESTAMPTZ,
    frequency_per_day BIGINT,
    combined_service BOOLEAN,
    -- What the third party asks for where the customer chooses the accounts.
    offered_balances BOOLEAN,
    offered_transactions BOOLEAN,
    -- Whose owners are named: of all accounts, or of those in the list ownerNames of consent_access.
    owner_names TEXT NOT NULL DEFAULT 'hidden',
    -- The cashAccountTypes to which it is restricted, separated by commas.
    restricted_to TEXT
);
CREATE UNIQUE INDEX consent_id ON consent (id);
CREATE INDEX consent_deadline ON consent (deadline) WHERE deadline IS NOT NULL;
CREATE INDEX consent_application_psu ON consent (application, psu_login);
CREATE INDEX consent_psu ON consent (psu_login, created_at);
CREATE INDEX consent_psu_valid ON consent (psu_login) WHERE status = 'valid';

-- The accounts that an access consent lists. A card number is stored as a keyed hash and masked.
CREATE TABLE consent_access (
    consent UUID NOT NULL REFERENCES consent (id),
    application UUID NOT NULL,
    list TEXT NOT NULL,
    position BIGINT NOT NULL,
    kind TEXT NOT NULL,
    value TEXT NOT NULL,
    pan_hash BYTEA,
    currency TEXT
);
CREATE UNIQUE INDEX consent_access_position ON consent_access (consent, list, position);

-- The further columns of a funds consent.
CREATE TABLE funds_consent (
    consent UUID NOT NULL REFERENCES consent (id),
    application UUID NOT NULL,
    account_kind TEXT NOT NULL,
    account_value TEXT NOT NULL,
    account_pan_hash BYTEA,
    account_currency TEXT,
    card_pan_hash BYTEA,
    card_masked_pan TEXT,
    card_expiry_date DATE,
    card_expires_at TIMESTAMPTZ,
    card_information TEXT,
    registration_information TEXT
);
CREATE INDEX funds_consent_account ON funds_consent (application, account_value);
CREATE UNIQUE INDEX funds_consent_consent ON funds_consent (consent);

-- Reads and funds confirmations that count against a consent's quota. The subject is the account or card that was read, the
-- nil UUID for a list.
CREATE TABLE consent_usage (
    consent UUID NOT NULL,
    endpoint TEXT NOT NULL,
    subject UUID NOT NULL,
    used_at TIMESTAMPTZ NOT NULL
);
CREATE INDEX consent_usage_subject ON consent_usage (consent, endpoint, subject, used_at);

-- The last entry of an account or card that delta lists have delivered under a consent.
CREATE TABLE consent_delivery (
    consent UUID NOT NULL REFERENCES consent (id),
    ledger_account BIGINT NOT NULL,
    application UUID NOT NULL REFERENCES application (id),
    entry_seq BIGINT NOT NULL,
    PRIMARY KEY (consent, ledger_account)
);

-- When a consent was last used; written at intervals, not with every read.
CREATE TABLE consent_last_used (
    consent UUID PRIMARY KEY,
    used_at TIMESTAMPTZ NOT NULL
);

-- Strong customer authentication

-- Consents and payments whose customer gave the login on the bank's page: the third party does not learn it.
CREATE TABLE private_login (
    target UUID PRIMARY KEY,
    application UUID NOT NULL REFERENCES application (id)
);

-- The redirect URIs that a third party sent with the creation of a consent or payment, for the start of its authorisation.
CREATE TABLE target_redirect (
    target_kind TEXT NOT NULL,
    target UUID NOT NULL,
    application UUID NOT NULL REFERENCES application (id),
    redirect_uri TEXT,
    nok_redirect_uri TEXT,
    PRIMARY KEY (target_kind, target)
);

-- Where a third party is notified of the changed status of an object, and of which changes.
CREATE TABLE status_subscription (
    object UUID NOT NULL PRIMARY KEY,
    application UUID NOT NULL REFERENCES application (id),
    uri TEXT NOT NULL,
    sca BOOLEAN NOT NULL,
    process BOOLEAN NOT NULL,
    last BOOLEAN NOT NULL,
    -- How many notifications were enqueued.
    notifications BIGINT NOT NULL
);

-- Payments and consents that the customer approves together.
CREATE TABLE signing_basket (
    id UUID NOT NULL,
    application UUID NOT NULL REFERENCES application (id),
    psu_login TEXT NOT NULL,
    status TEXT NOT NULL,
    created_at TIMESTAMPTZ NOT NULL,
    last_action_at TIMESTAMPTZ NOT NULL,
    expires_at TIMESTAMPTZ NOT NULL,
    -- When time alone ends it; null when it has ended.
    deadline TIMESTAMPTZ,
    notifies BOOLEAN NOT NULL DEFAULT FALSE
);
CREATE UNIQUE INDEX signing_basket_id ON signing_basket (id);
CREATE INDEX signing_basket_deadline ON signing_basket (deadline) WHERE deadline IS NOT NULL;
CREATE INDEX signing_basket_application ON signing_basket (application, created_at);
CREATE INDEX signing_basket_psu ON signing_basket (psu_login, created_at);

CREATE TABLE signing_basket_member (
    basket UUID NOT NULL,
    position BIGINT NOT NULL,
    kind TEXT NOT NULL,
    member UUID NOT NULL,
    PRIMARY KEY (basket, position)
);
CREATE INDEX signing_basket_member_of ON signing_basket_member (member);

CREATE TABLE authorisation (
    id UUID NOT NULL,
    application UUID NOT NULL REFERENCES application (id),
    target_kind TEXT NOT NULL,
    target UUID NOT NULL,
    -- The login as the third party sent it; psu is null if there is no such customer or the target is another's.
    psu_login TEXT NOT NULL,
    psu UUID REFERENCES psu (id),
    status TEXT NOT NULL,
    -- The password was entered correctly on the redirect page.
    password_verified BOOLEAN NOT NULL,
    method UUID,
    method_kind TEXT,
    -- The reported approach, and whether it is the only one allowed.
    approach TEXT NOT NULL,
    approach_is_only BOOLEAN NOT NULL,
    -- Whether the third party is notified of changes of status.
    notifies BOOLEAN NOT NULL DEFAULT FALSE,
    linking_digest BYTEA NOT NULL,
    -- Licence number and name of the third party from its certificate.
    organisation TEXT NOT NULL,
    tpp_name TEXT NOT NULL,
    redirect_uri TEXT,
    nok_redirect_uri TEXT,
    -- Keyed hash of the session token of the browser that opened the redirect page, and its last activity.
    session_token_hash BYTEA,
    session_last_seen_at TIMESTAMPTZ,
    created_at TIMESTAMPTZ NOT NULL,
    expires_at TIMESTAMPTZ NOT NULL,
    -- When time alone ends it; null when it is final.
    deadline TIMESTAMPTZ,
    -- The open challenge. The OTP is stored as a keyed hash.
    challenge_nonce BYTEA,
    challenge_otp_hash BYTEA,
    challenge_display TEXT,
    challenge_sent_at TIMESTAMPTZ,
    challenge_expires_at TIMESTAMPTZ,
    challenge_attempts BIGINT,
    challenge_send_count BIGINT
);
CREATE UNIQUE INDEX authorisation_id ON authorisation (id);
CREATE INDEX authorisation_target ON authorisation (target, target_kind);
CREATE INDEX authorisation_psu ON authorisation (psu) WHERE deadline IS NOT NULL;
CREATE INDEX authorisation_deadline ON authorisation (deadline) WHERE deadline IS NOT NULL;

-- Consecutive failures. The subject is a keyed hash of the login that was sent, so unknown logins are counted alike.
CREATE TABLE sca_counter (
    subject BYTEA NOT NULL,
    channel TEXT NOT NULL,
    kind TEXT NOT NULL,
    failures BIGINT NOT NULL,
    last_failure_at TIMESTAMPTZ NOT NULL,
    blocked_until TIMESTAMPTZ NOT NULL,
    -- The request whose attempt was counted last, until its outcome is stored: sent again, it is the same attempt.
    counted_request BYTEA,
    PRIMARY KEY (subject, channel, kind)
);
-- Blocks, for the bank's staff. Few attempts fail more than three times, so most writes do not touch this index.
CREATE INDEX sca_counter_blocked ON sca_counter (blocked_until) WHERE failures > 3;

-- One row per wrong OTP, first OTP and OTP sent again, for limits over a time window.
CREATE TABLE sca_event (
    subject BYTEA NOT NULL,
    kind TEXT NOT NULL,
    channel TEXT NOT NULL,
    occurred_at TIMESTAMPTZ NOT NULL
);
CREATE INDEX sca_event_subject ON sca_event (subject, kind, occurred_at);

-- Outbox of SMS and push messages to customers. The text is encrypted, and deleted once it is sent.
CREATE TABLE notification (
    id UUID NOT NULL,
    recipient TEXT NOT NULL,
    channel TEXT NOT NULL,
    ciphertext BYTEA,
    status TEXT NOT NULL,
    created_at TIMESTAMPTZ NOT NULL,
    -- After this time the message is useless and is dropped.
    expires_at TIMESTAMPTZ NOT NULL,
    sent_at TIMESTAMPTZ,
    claimed_until TIMESTAMPTZ,
    -- The trace of the request that caused it (W3C Trace Context).
    traceparent TEXT
);
CREATE UNIQUE INDEX notification_id ON notification (id);
CREATE INDEX notification_created_at ON notification (created_at);
CREATE INDEX notification_waiting ON notification (expires_at) WHERE status = 'waiting';

-- Browsers and phones that are enrolled, or being enrolled, as a customer's banking app.
CREATE TABLE enrolled_device (
    session_token_hash BYTEA NOT NULL,
    psu UUID NOT NULL REFERENCES psu (id),
    -- Null until the OTP of the enrolment was entered.
    enrolled_at TIMESTAMPTZ,
    -- The app is signed in until then; null when it is signed out.
    signed_in_until TIMESTAMPTZ,
    expires_at TIMESTAMPTZ NOT NULL,
    challenge_nonce BYTEA,
    challenge_otp_hash BYTEA,
    challenge_sent_at TIMESTAMPTZ,
    challenge_attempts BIGINT,
    challenge_send_count BIGINT,
    -- Verifies the approvals that the device signs; set when it is enrolled.
    public_key BYTEA
);
CREATE UNIQUE INDEX enrolled_device_session_token_hash ON enrolled_device (session_token_hash);
CREATE INDEX enrolled_device_psu ON enrolled_device (psu);
CREATE INDEX enrolled_device_expires_at ON enrolled_device (expires_at);

-- Payments and clearing

-- A payment order and its status. The money is in the ledger, under the payment's id.
CREATE TABLE payment (
    id UUID NOT NULL,
    application UUID NOT NULL REFERENCES application (id),
    product TEXT NOT NULL,
    -- The login as the third party sent it, empty until the customer is identified; there may be no such customer.
    psu_login TEXT NOT NULL,
    status TEXT NOT NULL,
    -- Why the payment was rejected, clearing's code for it, and whether the payment had been accepted before.
    rejection_reason TEXT,
    clearing_reason_code TEXT,
    was_accepted BOOLEAN,
    -- When an accepted payment goes to clearing; not before cancellation_hold_until while a cancellation is open.
    submit_at TIMESTAMPTZ,
    cancellation_hold_until TIMESTAMPTZ,
    created_at TIMESTAMPTZ NOT NULL,
    last_action_at TIMESTAMPTZ NOT NULL,
    -- When time alone rejects the payment.
    deadline TIMESTAMPTZ,
    end_to_end_id TEXT,
    -- A card number is stored as a keyed hash and masked.
    debtor_kind TEXT NOT NULL,
    debtor_value TEXT NOT NULL,
    debtor_pan_hash BYTEA,
    debtor_currency TEXT,
    currency TEXT NOT NULL,
    amount_minor BIGINT NOT NULL,
    fee_minor BIGINT NOT NULL,
    creditor_iban TEXT NOT NULL,
    creditor_currency TEXT,
    creditor_agent TEXT,
    creditor_agent_name TEXT,
    creditor_name TEXT NOT NULL,
    has_creditor_address BOOLEAN NOT NULL,
    -- Whether the third party is notified of changes of status.
    notifies BOOLEAN NOT NULL DEFAULT FALSE,
    -- The open signing basket that it is in.
    signing_basket UUID,
    building_number TEXT,
    city TEXT,
    country TEXT,
    postal_code TEXT,
    street TEXT,
    remittance TEXT,
    -- The result of payee verification, once it was requested, and on a close match the owner's name for the payer.
    payee_verification TEXT,
    payee_owner_name TEXT,
    -- The payee's bank, from the order or the routing table, once the payment was accepted.
    routed_agent TEXT,
    -- The day that the customer has approved; null when the payment is executed at once.
    execution_date DATE,
    -- When a scheduled payment is executed, or tried again.
    execute_at TIMESTAMPTZ,
    -- The terms of a standing order; null in all other payments. Bit n of months_of_execution is month n.
    frequency TEXT,
    start_date DATE,
    end_date DATE,
    execution_rule TEXT,
    day_of_execution BIGINT,
    months_of_execution BIGINT,
    -- The standing order that this payment executes.
    standing_order UUID,
    -- How many lines a bulk payment has, whether they are booked as one entry, and their digest; null in all other payments.
    bulk_line_count BIGINT,
    batch_booking BOOLEAN,
    lines_digest BYTEA,
    -- Whether lines of a partly accepted bulk are in clearing.
    has_open_lines BOOLEAN,
    -- The bulk payment of which this payment is a line.
    bulk UUID,
    -- Of a standing order, how many executions were created; of an execution or a line, its number.
    execution_number BIGINT,
    -- The ledger account of a line that was debited in one entry with the others; null in payments that are booked on their own.
    batch_account BIGINT
);
CREATE UNIQUE INDEX payment_id ON payment (id);
CREATE INDEX payment_deadline ON payment (deadline) WHERE deadline IS NOT NULL;
CREATE INDEX payment_submit_at ON payment (submit_at) WHERE submit_at IS NOT NULL;
CREATE UNIQUE INDEX payment_execution ON payment (standing_order, execution_number) WHERE standing_order IS NOT NULL;
CREATE UNIQUE INDEX payment_line ON payment (bulk, execution_number) WHERE bulk IS NOT NULL;
-- The scheduled payments and standing orders of a customer.
CREATE INDEX payment_upcoming ON payment (psu_login, id) WHERE execute_at IS NOT NULL;
CREATE INDEX payment_execute_at ON payment (execute_at) WHERE execute_at IS NOT NULL;
-- A customer's rejected payments, for the app. Most payments are not rejected, so most writes do not touch this index.
CREATE INDEX payment_rejected ON payment (psu_login, last_action_at) WHERE rejection_reason IS NOT NULL;
-- The payments that customers created in the app, by customer. The payments of third parties do not touch this index.
CREATE INDEX payment_of_app ON payment (psu_login, id) WHERE application = '00000000-0000-0000-0000-000000000000';
-- A customer's payments that are at clearing: while there is one, the customer is not closed.
CREATE INDEX payment_submitted ON payment (psu_login, id) WHERE status = 'ACSP';
-- The rejected payments of all customers, for the bank's staff.
CREATE INDEX payment_rejected_at ON payment (last_action_at) WHERE rejection_reason IS NOT NULL;

-- The lines of a bulk payment as they were ordered. When the bulk is executed, each becomes a payment.
CREATE TABLE bulk_line (
    bulk UUID NOT NULL,
    application UUID NOT NULL REFERENCES application (id),
    number BIGINT NOT NULL,
    product TEXT NOT NULL,
    end_to_end_id TEXT,
    currency TEXT NOT NULL,
    amount_minor BIGINT NOT NULL,
    fee_minor BIGINT NOT NULL,
    creditor_iban TEXT NOT NULL,
    creditor_currency TEXT,
    creditor_agent TEXT,
    creditor_agent_name TEXT,
    creditor_name TEXT NOT NULL,
    remittance TEXT,
    has_creditor_address BOOLEAN NOT NULL,
    building_number TEXT,
    city TEXT,
    country TEXT,
    postal_code TEXT,
    street TEXT,
    PRIMARY KEY (bulk, number)
);

-- The message pain.001 in which a payment was ordered, as it was sent; payments that were ordered as JSON have none.
CREATE TABLE payment_message (
    payment UUID PRIMARY KEY,
    application UUID NOT NULL REFERENCES application (id),
    document TEXT NOT NULL
);

-- Payments or returns that leave in one clearing file, named by the batch's id. The file is generated from these rows
-- alone, so generating it again gives the same file.
CREATE TABLE clearing_batch (
    id UUID NOT NULL,
    kind TEXT NOT NULL,
    status TEXT NOT NULL,
    created_at TIMESTAMPTZ NOT NULL,
    settlement_date DATE NOT NULL,
    claimed_until TIMESTAMPTZ,
    -- The last claim before the file was prepared. Its file alone goes out, so that a process that stalled past its claim changes nothing.
    claim UUID,
    -- The spool in which the file was prepared: only its owner can see whether the file was moved on.
    spool_id UUID
);
CREATE UNIQUE INDEX clearing_batch_id ON clearing_batch (id);
CREATE INDEX clearing_batch_unsent ON clearing_batch (created_at) WHERE status <> 'written';

-- One payment in a batch, with the debtor as it was when the payment was submitted.
CREATE TABLE clearing_transaction (
    id UUID NOT NULL,
    batch UUID NOT NULL,
    position BIGINT NOT NULL,
    application UUID NOT NULL,
    payment UUID NOT NULL,
    debtor_name TEXT NOT NULL,
    debtor_iban TEXT NOT NULL,
    debtor_agent TEXT NOT NULL,
    submitted_at TIMESTAMPTZ NOT NULL,
    -- When the operator is alerted that no status report came; null once one came or the alert was raised.
    alert_at TIMESTAMPTZ,
    alerted BOOLEAN NOT NULL,
    answered_at TIMESTAMPTZ,
    returned_at TIMESTAMPTZ
);
CREATE UNIQUE INDEX clearing_transaction_id ON clearing_transaction (id);
CREATE UNIQUE INDEX clearing_transaction_payment ON clearing_transaction (payment);
CREATE INDEX clearing_transaction_batch ON clearing_transaction (batch, position);
CREATE INDEX clearing_transaction_alert_at ON clearing_transaction (alert_at) WHERE alert_at IS NOT NULL;
CREATE INDEX clearing_transaction_unanswered ON clearing_transaction (submitted_at)
    WHERE alerted AND answered_at IS NULL;

-- An instant payment at clearing. It is recorded as sent before it is sent, so it is never sent twice.
CREATE TABLE instant_submission (
    clearing_transaction UUID NOT NULL,
    status TEXT NOT NULL,
    -- Without an answer the payment is rejected then.
    deadline_at TIMESTAMPTZ NOT NULL,
    -- When it is sent, or when clearing is asked about it; null when there is nothing left to do.
    next_at TIMESTAMPTZ
);
CREATE UNIQUE INDEX instant_submission_key ON instant_submission (clearing_transaction);
CREATE INDEX instant_submission_late ON instant_submission (clearing_transaction) WHERE status = 'late';
CREATE INDEX instant_submission_next_at ON instant_submission (next_at) WHERE next_at IS NOT NULL;

-- An incoming credit transfer. The sender's message id and transaction id are its key, so it is booked once.
CREATE TABLE clearing_incoming (
    id UUID NOT NULL,
    message_id TEXT NOT NULL,
    transaction_id TEXT NOT NULL,
    end_to_end_id TEXT,
    currency TEXT NOT NULL,
    amount_minor BIGINT NOT NULL,
    status TEXT NOT NULL,
    reason_code TEXT,
    received_at TIMESTAMPTZ NOT NULL,
    -- Parties, remittance and settlement date as received, for a return and to recognise another transfer under the same ids.
    content BYTEA NOT NULL,
    -- The part that is on the suspense account, or was returned or assigned, when the rest was booked before; null when it is all of it.
    excess_minor BIGINT,
    -- When staff returned or assigned it, who, and the IBAN or the loan that it was assigned to.
    decided_at TIMESTAMPTZ,
    decided_by TEXT,
    assigned_to TEXT,
    -- The batch in which it is returned.
    batch UUID,
    position BIGINT
);
CREATE UNIQUE INDEX clearing_incoming_id ON clearing_incoming (id);
CREATE UNIQUE INDEX clearing_incoming_key ON clearing_incoming (message_id, transaction_id);
CREATE INDEX clearing_incoming_status ON clearing_incoming (status, received_at);
CREATE INDEX clearing_incoming_batch ON clearing_incoming (batch, position) WHERE batch IS NOT NULL;

-- Money that came back for one of our payments. The returning bank's ids are the key.
CREATE TABLE clearing_return (
    clearing_transaction UUID NOT NULL,
    message_id TEXT NOT NULL,
    return_id TEXT NOT NULL,
    amount_minor BIGINT NOT NULL,
    received_at TIMESTAMPTZ NOT NULL
);
CREATE UNIQUE INDEX clearing_return_key ON clearing_return (clearing_transaction, message_id, return_id);

-- Files that were set aside, and files with parts that contradict the ledger: an operator must look at them.
CREATE TABLE clearing_problem (
    id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    file TEXT NOT NULL,
    problem TEXT NOT NULL,
    recorded_at TIMESTAMPTZ NOT NULL,
    -- When an operator had looked at it, who, and what they found.
    acknowledged_at TIMESTAMPTZ,
    acknowledged_by TEXT,
    note TEXT
);
CREATE UNIQUE INDEX clearing_problem_key ON clearing_problem (file, problem);
CREATE INDEX clearing_problem_recorded ON clearing_problem (recorded_at);

-- Clearing messages that were received.
CREATE TABLE clearing_message (
    kind TEXT NOT NULL,
    message_id TEXT NOT NULL,
    digest BYTEA NOT NULL,
    -- When all of its parts had been applied.
    processed_at TIMESTAMPTZ
);
CREATE UNIQUE INDEX clearing_message_key ON clearing_message (kind, message_id);

-- Callbacks: the outbox of webhooks to merchants and of notifications to third parties

CREATE TABLE callback (
    id UUID NOT NULL,
    application UUID NOT NULL REFERENCES application (id),
    kind TEXT NOT NULL,
    -- The public id of the basket, or the id of the payment or consent.
    object_id TEXT NOT NULL,
    -- Where a notification is sent, and its number among those of the object, which are sent in this order. The address alone is
    -- the basket's own; without it the callback is sent to a URL of the application.
    address TEXT,
    sequence BIGINT,
    -- JSON, sent byte for byte on every attempt.
    body JSON NOT NULL,
    status TEXT NOT NULL,
    created_at TIMESTAMPTZ NOT NULL,
    -- All attempts, and the failed ones since the callback was last enqueued.
    attempts BIGINT NOT NULL,
    failed_attempts BIGINT NOT NULL,
    -- By the bank's clock; null when there is no further attempt.
    next_attempt_at TIMESTAMPTZ,
    -- When the callback was delivered, given up or disabled.
    ended_at TIMESTAMPTZ,
    -- The worker that is sending it, until then by the system clock: moving the sandbox clock must not send it twice.
    claim_token UUID,
    claimed_until TIMESTAMPTZ,
    -- The trace of the request that caused it (W3C Trace Context).
    traceparent TEXT
);
CREATE UNIQUE INDEX callback_id ON callback (id);
-- By application first, so that a long queue of one application does not delay the search for another's.
CREATE INDEX callback_due ON callback (application, next_attempt_at) WHERE next_attempt_at IS NOT NULL;
CREATE INDEX callback_status ON callback (status, created_at);
CREATE INDEX callback_object ON callback (object_id);

-- The latest attempts of each callback.
CREATE TABLE callback_attempt (
    callback UUID NOT NULL,
    number BIGINT NOT NULL,
    attempted_at TIMESTAMPTZ NOT NULL,
    duration_ms BIGINT NOT NULL,
    http_status BIGINT,
    error TEXT,
    -- The headers webhook-timestamp and webhook-signature; null when nothing was sent.
    sent_timestamp BIGINT,
    sent_signature TEXT
);
CREATE UNIQUE INDEX callback_attempt_number ON callback_attempt (callback, number);

-- The callbacks of a sandbox in the order in which they are listed to developers, also those of merchants without a callback URL. In
-- production it is always empty.
CREATE TABLE sandbox_callback (
    id UUID NOT NULL,
    application UUID NOT NULL REFERENCES application (id),
    kind TEXT NOT NULL,
    body TEXT NOT NULL,
    created_at TIMESTAMPTZ NOT NULL,
    -- By the system clock: moving the sandbox clock must not purge what was not listed yet.
    recorded_at TIMESTAMPTZ NOT NULL,
    traceparent TEXT,
    -- Set when it is first listed: in the transaction that inserts it, writers of one merchant would conflict.
    position BIGINT
);
CREATE UNIQUE INDEX sandbox_callback_position ON sandbox_callback (application, position);
CREATE INDEX sandbox_callback_recorded ON sandbox_callback (recorded_at);

-- Pay Later

CREATE TABLE basket (
    number BIGINT NOT NULL,
    public_id UUID NOT NULL,
    merchant UUID NOT NULL REFERENCES merchant (id),
    application UUID NOT NULL REFERENCES application (id),
    -- The merchant's requestId, as it was sent.
    request_id TEXT NOT NULL,
    status TEXT NOT NULL,
    -- The loan, once the checkout was opened, and why it was declined.
    loan UUID,
    decline_reason TEXT,
    created_at TIMESTAMPTZ NOT NULL,
    expires_at TIMESTAMPTZ NOT NULL,
    last_action_at TIMESTAMPTZ NOT NULL,
    -- When time alone ends the basket.
    deadline TIMESTAMPTZ,
    currency TEXT NOT NULL,
    value_minor BIGINT NOT NULL,
    order_identifier TEXT NOT NULL,
    -- Opaque data of the merchant.
    merchant_data TEXT,
    phone TEXT,
    email TEXT,
    -- Where callbacks are sent and where the shopper returns to, instead of the application's addresses.
    success_callback TEXT,
    fail_callback TEXT,
    success_redirect TEXT,
    failure_redirect TEXT,
    -- The products, encoded by the store (basket/products.rs); null when there are none.
    products BYTEA
);
CREATE UNIQUE INDEX basket_number ON basket (number);
CREATE UNIQUE INDEX basket_public_id ON basket (public_id);
CREATE INDEX basket_order ON basket (order_identifier);
CREATE INDEX basket_deadline ON basket (deadline) WHERE deadline IS NOT NULL;

-- A person at a merchant's checkout: a verified telephone number, and the customer who signed in with it.
CREATE TABLE shopper (
    id UUID NOT NULL,
    phone TEXT NOT NULL,
    psu UUID REFERENCES psu (id),
    -- No loan is granted to this telephone number.
    blocked BOOLEAN NOT NULL,
    created_at TIMESTAMPTZ NOT NULL
);
CREATE UNIQUE INDEX shopper_id ON shopper (id);
CREATE UNIQUE INDEX shopper_phone ON shopper (phone);
CREATE INDEX shopper_psu ON shopper (psu) WHERE psu IS NOT NULL;

-- A loan from its request on. Its balance is in the ledger, under the loan's id.
CREATE TABLE loan (
    id UUID NOT NULL,
    basket BIGINT NOT NULL,
    merchant UUID NOT NULL REFERENCES merchant (id),
    application UUID NOT NULL REFERENCES application (id),
    status TEXT NOT NULL,
    currency TEXT NOT NULL,
    amount_minor BIGINT NOT NULL,
    requested_at TIMESTAMPTZ NOT NULL,
    decided_at TIMESTAMPTZ,
    last_action_at TIMESTAMPTZ NOT NULL,
    decline_reason TEXT,
    -- The figures that the credit decision was based on.
    decision_inputs TEXT,
    -- The contract; null before it is signed.
    shopper UUID REFERENCES shopper (id),
    psu UUID REFERENCES psu (id),
    account UUID REFERENCES account (id),
    installments BIGINT,
    yearly_rate_basis_points BIGINT,
    discount_minor BIGINT,
    signed_on DATE,
    open_principal_minor BIGINT,
    refunded_minor BIGINT NOT NULL DEFAULT 0,
    overdue_since DATE,
    -- Set when the customer withdrew and pays back by transfer: by when.
    repay_by DATE,
    -- The reference (ISO 11649) by which a transfer to the collection account is assigned.
    creditor_reference TEXT,
    -- When servicing has something to do next.
    next_due_date DATE,
    -- When the borrower was reminded of the right of withdrawal, was offered forbearance, paused, and got a longer plan.
    reminded_on DATE,
    forbearance_offered_on DATE,
    paused_on DATE,
    extended_on DATE,
    -- The language of messages to the borrower.
    language TEXT
);
CREATE UNIQUE INDEX loan_id ON loan (id);
CREATE UNIQUE INDEX loan_basket ON loan (basket);
CREATE INDEX loan_shopper ON loan (shopper) WHERE shopper IS NOT NULL;
CREATE INDEX loan_psu ON loan (psu) WHERE psu IS NOT NULL;
CREATE UNIQUE INDEX loan_creditor_reference ON loan (creditor_reference) WHERE creditor_reference IS NOT NULL;
CREATE INDEX loan_next_due_date ON loan (next_due_date) WHERE next_due_date IS NOT NULL;
CREATE INDEX loan_status ON loan (status, last_action_at);

-- The installments of a contract, numbered from 1. Amounts are as agreed; refunded_minor and waived_minor are principal and
-- interest that refunds took off, cancelled_minor is interest that is not owed because the loan ended early.
CREATE TABLE loan_installment (
    loan UUID NOT NULL,
    number BIGINT NOT NULL,
    principal_minor BIGINT NOT NULL,
    interest_minor BIGINT NOT NULL,
    due_date DATE NOT NULL,
    -- The business day on which it is collected, and the day since which nothing is left to be paid.
    payment_date DATE NOT NULL,
    paid_on DATE,
    -- As in the contract; null for an installment that a longer plan added.
    agreed_due_date DATE,
    agreed_payment_date DATE,
    paid_principal_minor BIGINT NOT NULL,
    paid_interest_minor BIGINT NOT NULL,
    cancelled_minor BIGINT NOT NULL,
    interest_accrued BOOLEAN NOT NULL,
    collection_attempts BIGINT NOT NULL,
    refunded_minor BIGINT NOT NULL,
    waived_minor BIGINT NOT NULL,
    -- Principal that a longer plan moved to an installment after the last one.
    deferred_minor BIGINT NOT NULL,
    PRIMARY KEY (loan, number)
);

-- What a customer asked a person of the bank to decide: a declined purchase, or a longer plan. The loan of a declined purchase is
-- the rejected one. Income and expenses are what the customer declared, per month in minor units.
CREATE TABLE loan_review (
    id UUID NOT NULL,
    loan UUID NOT NULL,
    kind TEXT NOT NULL,
    shopper UUID NOT NULL REFERENCES shopper (id),
    psu UUID REFERENCES psu (id),
    -- The language of the messages about it.
    language TEXT NOT NULL,
    statement TEXT NOT NULL,
    income_minor BIGINT,
    expenses_minor BIGINT,
    income_source TEXT,
    status TEXT NOT NULL,
    requested_at TIMESTAMPTZ NOT NULL,
    decided_at TIMESTAMPTZ,
    explanation TEXT,
    -- The last day on which a purchase can be made with an approval, and the loan of that purchase.
    valid_until DATE,
    used_by UUID
);
CREATE UNIQUE INDEX loan_review_id ON loan_review (id);
CREATE UNIQUE INDEX loan_review_loan ON loan_review (loan, kind);
CREATE INDEX loan_review_open ON loan_review (requested_at) WHERE status = 'open';
CREATE INDEX loan_review_shopper ON loan_review (shopper);

-- A refund as it was reported to the merchant.
CREATE TABLE loan_refund (
    id UUID NOT NULL,
    loan UUID NOT NULL,
    application UUID NOT NULL REFERENCES application (id),
    -- The merchant's requestId, as it was sent.
    request_id TEXT NOT NULL,
    reason TEXT,
    amount_minor BIGINT NOT NULL,
    -- The bank's share, the reduction of the open loan, and the amount paid back to the customer.
    discount_minor BIGINT NOT NULL,
    reduced_minor BIGINT NOT NULL,
    returned_minor BIGINT NOT NULL,
    -- All refunds of the loan up to and including this one.
    total_minor BIGINT NOT NULL,
    refunded_at TIMESTAMPTZ NOT NULL
);
CREATE UNIQUE INDEX loan_refund_id ON loan_refund (id);
CREATE INDEX loan_refund_loan ON loan_refund (loan);

-- Who has paid a loan by transfer, by IBAN: a refund of what was paid goes back there.
CREATE TABLE loan_payer (
    loan UUID NOT NULL,
    iban TEXT NOT NULL,
    name TEXT NOT NULL,
    -- The payer's bank, and this bank as the payer's bank addressed it; null for a payer of this bank.
    agent TEXT,
    own_agent TEXT,
    currency TEXT NOT NULL,
    paid_minor BIGINT NOT NULL,
    returned_minor BIGINT NOT NULL,
    last_paid_at TIMESTAMPTZ NOT NULL,
    PRIMARY KEY (loan, iban)
);

-- The payments by which a refund goes back to the payers of a loan. The bank is their payer, under this IBAN and BIC.
CREATE TABLE loan_refund_payment (
    payment UUID NOT NULL,
    refund UUID NOT NULL,
    loan UUID NOT NULL
);
CREATE UNIQUE INDEX loan_refund_payment_payment ON loan_refund_payment (payment);
CREATE INDEX loan_refund_payment_loan ON loan_refund_payment (loan);

-- The documents of a loan as the borrower received them: never changed, their hashes are in the audit log.
CREATE TABLE loan_document (
    loan UUID NOT NULL,
    kind TEXT NOT NULL,
    -- The language tag.
    language TEXT NOT NULL,
    sha256 BYTEA NOT NULL,
    content BYTEA NOT NULL,
    created_at TIMESTAMPTZ NOT NULL,
    PRIMARY KEY (loan, kind)
);

-- Payments of the bank itself, with the account and the BIC under which it pays.
CREATE TABLE bank_payment (
    payment UUID PRIMARY KEY,
    debtor_iban TEXT NOT NULL,
    debtor_agent TEXT NOT NULL
);

-- The payments by which balances of merchants are paid out.
CREATE TABLE merchant_payout (
    payment UUID PRIMARY KEY,
    merchant UUID NOT NULL
);
CREATE INDEX merchant_payout_merchant ON merchant_payout (merchant, payment);

-- A browser that views the loan of a borrower without an account here, after a code or before it.
CREATE TABLE guest_session (
    loan UUID NOT NULL,
    session_token_hash BYTEA NOT NULL,
    expires_at TIMESTAMPTZ NOT NULL,
    -- Whether the telephone number was verified.
    verified BOOLEAN NOT NULL,
    challenge_nonce BYTEA,
    challenge_otp_hash BYTEA,
    challenge_sent_at TIMESTAMPTZ,
    challenge_attempts BIGINT,
    challenge_send_count BIGINT,
    PRIMARY KEY (loan, session_token_hash)
);
CREATE INDEX guest_session_expires_at ON guest_session (expires_at);

-- A checkout in the one browser that opened it.
CREATE TABLE checkout (
    basket BIGINT NOT NULL,
    session_token_hash BYTEA NOT NULL,
    last_seen_at TIMESTAMPTZ NOT NULL,
    -- The telephone number that was entered, and the shopper once it is verified.
    phone TEXT,
    shopper UUID REFERENCES shopper (id),
    psu UUID REFERENCES psu (id),
    -- What a shopper without an account here declared to earn and to spend in a month.
    income_minor BIGINT,
    expenses_minor BIGINT,
    income_source TEXT,
    challenge_nonce BYTEA,
    challenge_otp_hash BYTEA,
    challenge_sent_at TIMESTAMPTZ,
    challenge_attempts BIGINT,
    challenge_send_count BIGINT
);
CREATE UNIQUE INDEX checkout_basket ON checkout (basket);

-- Statistics: availability and performance of the interfaces

-- Requests of applications, for their developers: without secrets, bounded in rows, and deleted after some days.
CREATE TABLE request_log (
    application UUID NOT NULL REFERENCES application (id),
    -- A UUID of version 7, so that requests are in the order of their time.
    id UUID NOT NULL,
    recorded_at TIMESTAMPTZ NOT NULL,
    correlation_id UUID NOT NULL,
    operation TEXT NOT NULL,
    method TEXT NOT NULL,
    -- Path and query.
    target TEXT NOT NULL,
    status BIGINT NOT NULL,
    duration_micros BIGINT NOT NULL,
    request_headers TEXT NOT NULL,
    request_body TEXT,
    response_headers TEXT NOT NULL,
    response_body TEXT,
    PRIMARY KEY (application, id)
);

-- What a process has counted of the requests of a day since its start. A process overwrites its own rows, so that a repeated write counts
-- nothing twice; the figures of a day are the sums over all processes.
CREATE TABLE call_count (
    day DATE NOT NULL,
    interface TEXT NOT NULL,
    service TEXT NOT NULL,
    process UUID NOT NULL,
    requests BIGINT NOT NULL,
    errors BIGINT NOT NULL,
    micros_total BIGINT NOT NULL,
    micros_max BIGINT NOT NULL,
    -- The numbers of response times by class, separated by commas.
    buckets TEXT NOT NULL,
    PRIMARY KEY (day, interface, service, process)
);

-- Figures of the health of a process, sampled every few minutes, for the graphs of the console.
CREATE TABLE health_sample (
    sampled_at TIMESTAMPTZ NOT NULL,
    process UUID NOT NULL,
    figure TEXT NOT NULL,
    value BIGINT NOT NULL,
    PRIMARY KEY (sampled_at, process, figure)
);

-- When a process has served an interface. The end is written every few seconds.
CREATE TABLE serving_period (
    interface TEXT NOT NULL,
    process UUID NOT NULL,
    started_at TIMESTAMPTZ NOT NULL,
    ended_at TIMESTAMPTZ NOT NULL,
    -- Whether an orderly stop has ended it.
    is_stopped BOOLEAN NOT NULL,
    PRIMARY KEY (interface, process, started_at)
);
CREATE INDEX serving_period_ended_at ON serving_period (interface, ended_at);

-- Reporting: views for analysts, with amounts in units of their currency, dates and times in the bank's time zone, and statuses in
-- words. docs/reporting.md lists every column.

-- Currencies whose unit does not have a hundred parts.
CREATE TABLE currency_scale (
    currency TEXT PRIMARY KEY,
    digits INTEGER NOT NULL,
    units INTEGER NOT NULL
);
INSERT INTO currency_scale (currency, digits, units) VALUES
    ('BIF', 0, 1), ('CLP', 0, 1), ('DJF', 0, 1), ('GNF', 0, 1), ('ISK', 0, 1), ('JPY', 0, 1),
    ('KMF', 0, 1), ('KRW', 0, 1), ('PYG', 0, 1), ('RWF', 0, 1), ('UGX', 0, 1), ('VND', 0, 1),
    ('VUV', 0, 1), ('XAF', 0, 1), ('XOF', 0, 1), ('XPF', 0, 1), ('BHD', 3, 1000), ('IQD', 3, 1000),
    ('JOD', 3, 1000), ('KWD', 3, 1000), ('LYD', 3, 1000), ('OMR', 3, 1000), ('TND', 3, 1000);

-- The offsets of the bank's time zone from UTC, each from an instant on. A start stores them from the configuration: SQLite knows no
-- time zones.
CREATE TABLE zone_offset (
    starts_at TIMESTAMPTZ PRIMARY KEY,
    offset_seconds BIGINT NOT NULL
);

CREATE SCHEMA report;

-- Customers of the bank, former ones included.
CREATE VIEW report.customers AS
SELECT
    p.id AS customer_id,
    p.login,
    p.name,
    p.phone,
    CASE WHEN p.closed_at IS NULL THEN 'active' ELSE 'closed' END AS status,
    CAST((p.created_at AT TIME ZONE 'UTC' + INTERVAL '1 second' * COALESCE((SELECT z.offset_seconds FROM zone_offset z
        WHERE z.starts_at <= p.created_at ORDER BY z.starts_at DESC LIMIT 1), 0)) AS DATE) AS customer_since,
    CAST((p.closed_at AT TIME ZONE 'UTC' + INTERVAL '1 second' * COALESCE((SELECT z.offset_seconds FROM zone_offset z
        WHERE z.starts_at <= p.closed_at ORDER BY z.starts_at DESC LIMIT 1), 0)) AS DATE) AS closed_on
FROM psu p;

-- Payment accounts with their balances as they are now.
CREATE VIEW report.accounts AS
SELECT
    a.id AS account_id,
    a.iban,
    a.currency,
    (SELECT STRING_AGG(p.name, ', ' ORDER BY o.position) FROM account_owner o JOIN psu p ON p.id = o.psu
         WHERE o.account = a.id) AS owners,
    a.name,
    a.product,
    a.kind,
    a.usage,
    CASE a.status WHEN 'enabled' THEN 'open' WHEN 'deleted' THEN 'closed' ELSE a.status END AS status,
    CAST((a.opened_at AT TIME ZONE 'UTC' + INTERVAL '1 second' * COALESCE((SELECT z.offset_seconds FROM zone_offset z
        WHERE z.starts_at <= a.opened_at ORDER BY z.starts_at DESC LIMIT 1), 0)) AS DATE) AS opened_on,
    ROUND(CAST(l.booked_minor AS NUMERIC) / COALESCE(s.units, 100), COALESCE(s.digits, 2)) AS booked_balance,
    ROUND(CAST(l.held_minor AS NUMERIC) / COALESCE(s.units, 100), COALESCE(s.digits, 2)) AS held_amount,
    ROUND(CAST(a.credit_limit_minor AS NUMERIC) / COALESCE(s.units, 100), COALESCE(s.digits, 2)) AS credit_limit,
    ROUND(CAST((l.booked_minor - l.held_minor + a.credit_limit_minor) AS NUMERIC) / COALESCE(s.units, 100), COALESCE(s.digits, 2)) AS available_balance,
    (SELECT MAX(e.booking_date) FROM entry e WHERE e.account = l.id) AS last_booked_on
FROM account a JOIN ledger_account l ON l.id = a.ledger_account
LEFT JOIN currency_scale s ON s.currency = a.currency;

-- The entries of all statements: accounts, cards and the balances owed to merchants.
CREATE VIEW report.bookings AS
SELECT
    CASE l.kind WHEN 2000 THEN 'account' WHEN 2050 THEN 'card' WHEN 2100 THEN 'merchant' END AS account_type,
    COALESCE(a.iban, c.masked_pan, m.name) AS account,
    e.seq AS entry_number,
    e.booking_date AS booked_on,
    t.value_date,
    t.currency,
    ROUND(CAST(e.amount_minor AS NUMERIC) / COALESCE(s.units, 100), COALESCE(s.digits, 2)) AS amount,
    ROUND(CAST(e.balance_minor AS NUMERIC) / COALESCE(s.units, 100), COALESCE(s.digits, 2)) AS balance_after,
    REPLACE(t.event, '_', ' ') AS event,
    t.reference,
    d.debtor_name AS payer_name,
    d.creditor_name AS payee_name,
    d.remittance_unstructured AS remittance,
    t.id AS transfer_number
FROM entry e JOIN transfer t ON t.id = e.transfer JOIN ledger_account l ON l.id = e.account
LEFT JOIN account a ON a.ledger_account = l.id LEFT JOIN card c ON c.ledger_account = l.id
LEFT JOIN merchant m ON l.kind = 2100 AND m.id = l.owner LEFT JOIN transaction_detail d ON d.id = t.detail
LEFT JOIN currency_scale s ON s.currency = t.currency;

-- Payment orders of third parties and of the bank's app.
CREATE VIEW report.payments AS
SELECT
    p.id AS payment_id,
    a.name AS third_party,
    p.product,
    CASE WHEN p.frequency IS NOT NULL THEN 'standing order' WHEN p.bulk_line_count IS NOT NULL THEN 'bulk' ELSE 'single' END AS kind,
    COALESCE(p.bulk, p.standing_order) AS part_of,
    p.psu_login AS customer_login,
    p.debtor_value AS payer_account,
    p.creditor_name AS payee_name,
    p.creditor_iban AS payee_iban,
    p.currency,
    ROUND(CAST(p.amount_minor AS NUMERIC) / COALESCE(s.units, 100), COALESCE(s.digits, 2)) AS amount,
    ROUND(CAST(p.fee_minor AS NUMERIC) / COALESCE(s.units, 100), COALESCE(s.digits, 2)) AS fee,
    CASE p.status WHEN 'RCVD' THEN 'received' WHEN 'ACTC' THEN 'authorised' WHEN 'ACCP' THEN 'accepted' WHEN 'PART' THEN 'partly accepted' WHEN 'ACSP' THEN 'submitted'
         WHEN 'ACSC' THEN 'settled' WHEN 'ACCC' THEN 'credited' WHEN 'RJCT' THEN 'rejected' WHEN 'CANC' THEN 'cancelled' END AS status,
    p.status AS status_code,
    p.rejection_reason,
    CASE p.payee_verification WHEN 'MTCH' THEN 'match' WHEN 'CMTC' THEN 'close match' WHEN 'NMTC' THEN 'no match'
         WHEN 'NOAP' THEN 'not possible' END AS payee_verification,
    p.remittance,
    p.end_to_end_id,
    CAST((p.created_at AT TIME ZONE 'UTC' + INTERVAL '1 second' * COALESCE((SELECT z.offset_seconds FROM zone_offset z
        WHERE z.starts_at <= p.created_at ORDER BY z.starts_at DESC LIMIT 1), 0)) AS DATE) AS created_on,
    p.created_at AT TIME ZONE 'UTC' + INTERVAL '1 second' * COALESCE((SELECT z.offset_seconds FROM zone_offset z
        WHERE z.starts_at <= p.created_at ORDER BY z.starts_at DESC LIMIT 1), 0) AS created_at,
    p.last_action_at AT TIME ZONE 'UTC' + INTERVAL '1 second' * COALESCE((SELECT z.offset_seconds FROM zone_offset z
        WHERE z.starts_at <= p.last_action_at ORDER BY z.starts_at DESC LIMIT 1), 0) AS last_changed_at
FROM payment p JOIN application a ON a.id = p.application LEFT JOIN currency_scale s ON s.currency = p.currency;

-- Consents of customers to third parties.
CREATE VIEW report.consents AS
SELECT
    c.id AS consent_id,
    a.name AS third_party,
    CASE c.kind WHEN 'access' THEN 'account information' ELSE 'funds confirmation' END AS kind,
    c.psu_login AS customer_login,
    CASE c.status WHEN 'revokedByPsu' THEN 'revoked by customer' WHEN 'terminatedByTpp' THEN 'terminated by third party'
         ELSE c.status END AS status,
    c.rejection_reason,
    CASE WHEN c.recurring THEN 'yes' WHEN NOT c.recurring THEN 'no' END AS recurring,
    c.frequency_per_day AS reads_per_day,
    CAST((c.created_at AT TIME ZONE 'UTC' + INTERVAL '1 second' * COALESCE((SELECT z.offset_seconds FROM zone_offset z
        WHERE z.starts_at <= c.created_at ORDER BY z.starts_at DESC LIMIT 1), 0)) AS DATE) AS created_on,
    c.created_at AT TIME ZONE 'UTC' + INTERVAL '1 second' * COALESCE((SELECT z.offset_seconds FROM zone_offset z
        WHERE z.starts_at <= c.created_at ORDER BY z.starts_at DESC LIMIT 1), 0) AS created_at,
    c.authorised_at AT TIME ZONE 'UTC' + INTERVAL '1 second' * COALESCE((SELECT z.offset_seconds FROM zone_offset z
        WHERE z.starts_at <= c.authorised_at ORDER BY z.starts_at DESC LIMIT 1), 0) AS authorised_at,
    CAST((c.valid_until AT TIME ZONE 'UTC' + INTERVAL '1 second' * COALESCE((SELECT z.offset_seconds FROM zone_offset z
        WHERE z.starts_at <= c.valid_until ORDER BY z.starts_at DESC LIMIT 1), 0)) AS DATE) AS valid_until,
    u.used_at AT TIME ZONE 'UTC' + INTERVAL '1 second' * COALESCE((SELECT z.offset_seconds FROM zone_offset z
        WHERE z.starts_at <= u.used_at ORDER BY z.starts_at DESC LIMIT 1), 0) AS last_used_at
FROM consent c JOIN application a ON a.id = c.application LEFT JOIN consent_last_used u ON u.consent = c.id;

-- Loans from their request on.
CREATE VIEW report.loans AS
SELECT
    l.id AS loan_id,
    l.basket AS basket_number,
    m.name AS merchant,
    p.name AS customer_name,
    h.phone AS borrower_phone,
    a.iban AS collection_iban,
    CASE l.status WHEN 'writtenOff' THEN 'written off' ELSE l.status END AS status,
    l.decline_reason,
    l.currency,
    ROUND(CAST(l.amount_minor AS NUMERIC) / COALESCE(s.units, 100), COALESCE(s.digits, 2)) AS amount,
    ROUND(CAST(l.discount_minor AS NUMERIC) / COALESCE(s.units, 100), COALESCE(s.digits, 2)) AS merchant_discount,
    l.installments,
    ROUND(CAST(l.yearly_rate_basis_points AS NUMERIC) / 100, 2) AS yearly_rate_percent,
    CAST((l.requested_at AT TIME ZONE 'UTC' + INTERVAL '1 second' * COALESCE((SELECT z.offset_seconds FROM zone_offset z
        WHERE z.starts_at <= l.requested_at ORDER BY z.starts_at DESC LIMIT 1), 0)) AS DATE) AS requested_on,
    l.requested_at AT TIME ZONE 'UTC' + INTERVAL '1 second' * COALESCE((SELECT z.offset_seconds FROM zone_offset z
        WHERE z.starts_at <= l.requested_at ORDER BY z.starts_at DESC LIMIT 1), 0) AS requested_at,
    l.signed_on,
    ROUND(CAST(l.open_principal_minor AS NUMERIC) / COALESCE(s.units, 100), COALESCE(s.digits, 2)) AS open_principal,
    ROUND(CAST(l.refunded_minor AS NUMERIC) / COALESCE(s.units, 100), COALESCE(s.digits, 2)) AS refunded,
    l.overdue_since,
    l.next_due_date AS next_due_on,
    l.repay_by,
    l.creditor_reference
FROM loan l JOIN merchant m ON m.id = l.merchant LEFT JOIN psu p ON p.id = l.psu LEFT JOIN shopper h ON h.id = l.shopper
LEFT JOIN account a ON a.id = l.account LEFT JOIN currency_scale s ON s.currency = l.currency;

-- The installments of loans.
CREATE VIEW report.loan_installments AS
SELECT
    i.loan AS loan_id,
    i.number AS installment_number,
    i.due_date AS due_on,
    i.payment_date AS collected_on,
    l.currency,
    ROUND(CAST(i.principal_minor AS NUMERIC) / COALESCE(s.units, 100), COALESCE(s.digits, 2)) AS principal,
    ROUND(CAST(i.interest_minor AS NUMERIC) / COALESCE(s.units, 100), COALESCE(s.digits, 2)) AS interest,
    ROUND(CAST(i.paid_principal_minor AS NUMERIC) / COALESCE(s.units, 100), COALESCE(s.digits, 2)) AS paid_principal,
    ROUND(CAST(i.paid_interest_minor AS NUMERIC) / COALESCE(s.units, 100), COALESCE(s.digits, 2)) AS paid_interest,
    ROUND(CAST(i.cancelled_minor AS NUMERIC) / COALESCE(s.units, 100), COALESCE(s.digits, 2)) AS cancelled_interest,
    ROUND(CAST(i.refunded_minor AS NUMERIC) / COALESCE(s.units, 100), COALESCE(s.digits, 2)) AS refunded_principal,
    ROUND(CAST(i.waived_minor AS NUMERIC) / COALESCE(s.units, 100), COALESCE(s.digits, 2)) AS waived_interest,
    ROUND(CAST((i.principal_minor + i.interest_minor - i.paid_principal_minor - i.paid_interest_minor - i.cancelled_minor
          - i.refunded_minor - i.waived_minor - i.deferred_minor) AS NUMERIC) / COALESCE(s.units, 100), COALESCE(s.digits, 2)) AS open_amount,
    i.paid_on,
    i.collection_attempts
FROM loan_installment i JOIN loan l ON l.id = i.loan LEFT JOIN currency_scale s ON s.currency = l.currency;

-- What the bank owes to each merchant, and why.
CREATE VIEW report.merchant_settlement AS
SELECT
    m.id AS merchant_id,
    m.number AS merchant_number,
    m.code,
    m.name,
    m.currency,
    ROUND(CAST(COALESCE((SELECT SUM(e.amount_minor) FROM entry e JOIN transfer t ON t.id = e.transfer
         WHERE e.account = l.id AND t.event = 'loan_approved'), 0) AS NUMERIC) / COALESCE(s.units, 100), COALESCE(s.digits, 2)) AS financed,
    ROUND(CAST(-COALESCE((SELECT SUM(e.amount_minor) FROM entry e JOIN transfer t ON t.id = e.transfer
         WHERE e.account = l.id AND t.event = 'merchant_refund'), 0) AS NUMERIC) / COALESCE(s.units, 100), COALESCE(s.digits, 2)) AS refunded,
    ROUND(CAST(-COALESCE((SELECT SUM(e.amount_minor) FROM entry e JOIN transfer t ON t.id = e.transfer
         WHERE e.account = l.id AND t.event IN ('merchant_payout_settled', 'merchant_payout_internal', 'merchant_payout_returned')), 0) AS NUMERIC) / COALESCE(s.units, 100), COALESCE(s.digits, 2)) AS paid_out,
    ROUND(CAST(COALESCE(l.booked_minor, 0) AS NUMERIC) / COALESCE(s.units, 100), COALESCE(s.digits, 2)) AS balance_due
FROM merchant m LEFT JOIN ledger_account l ON l.kind = 2100 AND l.owner = m.id AND l.currency = m.currency
LEFT JOIN currency_scale s ON s.currency = m.currency;

-- Callbacks to merchants that are stored: delivered ones are deleted after some time.
CREATE VIEW report.callbacks AS
SELECT
    c.id AS callback_id,
    COALESCE(m.name, a.name) AS merchant,
    c.kind AS outcome,
    c.object_id AS basket_id,
    c.status,
    c.attempts,
    CAST((c.created_at AT TIME ZONE 'UTC' + INTERVAL '1 second' * COALESCE((SELECT z.offset_seconds FROM zone_offset z
        WHERE z.starts_at <= c.created_at ORDER BY z.starts_at DESC LIMIT 1), 0)) AS DATE) AS created_on,
    c.created_at AT TIME ZONE 'UTC' + INTERVAL '1 second' * COALESCE((SELECT z.offset_seconds FROM zone_offset z
        WHERE z.starts_at <= c.created_at ORDER BY z.starts_at DESC LIMIT 1), 0) AS created_at,
    c.next_attempt_at AT TIME ZONE 'UTC' + INTERVAL '1 second' * COALESCE((SELECT z.offset_seconds FROM zone_offset z
        WHERE z.starts_at <= c.next_attempt_at ORDER BY z.starts_at DESC LIMIT 1), 0) AS next_attempt_at,
    c.ended_at AT TIME ZONE 'UTC' + INTERVAL '1 second' * COALESCE((SELECT z.offset_seconds FROM zone_offset z
        WHERE z.starts_at <= c.ended_at ORDER BY z.starts_at DESC LIMIT 1), 0) AS ended_at,
    (SELECT t.http_status FROM callback_attempt t WHERE t.callback = c.id ORDER BY t.number DESC LIMIT 1) AS last_http_status,
    (SELECT t.error FROM callback_attempt t WHERE t.callback = c.id ORDER BY t.number DESC LIMIT 1) AS last_error
FROM callback c JOIN application a ON a.id = c.application LEFT JOIN merchant m ON m.id = a.merchant
WHERE c.address IS NULL;
