-- The schema. SQLite has no types for these: a UUID is a BLOB of 16 bytes, a timestamp an INTEGER of microseconds since 1970, a
-- date an INTEGER of days since 1970, a boolean 0 or 1, JSON a TEXT.

-- Idempotency, audit log, clock

-- Audit events, chained by HMAC. Each writer has its own chain; rows are appended and never changed.
CREATE TABLE audit_event (
    -- One writer appends all rows, so this order is each chain's order and needs no second index.
    position INTEGER PRIMARY KEY,
    chain INTEGER NOT NULL,
    sequence INTEGER NOT NULL,
    occurred_at INTEGER NOT NULL,
    actor TEXT NOT NULL,
    action TEXT NOT NULL,
    object TEXT NOT NULL,
    detail TEXT NOT NULL,
    mac BLOB NOT NULL
) STRICT;
-- The timeline of an object. Ids of busy objects ascend (UUIDv7), so that their rows are adjacent in the index.
CREATE INDEX audit_event_object ON audit_event (object);

-- The last known row of each chain, stored every minute: rows that are cut off a chain are missing against it.
CREATE TABLE audit_head (
    chain INTEGER PRIMARY KEY,
    sequence INTEGER NOT NULL,
    mac BLOB NOT NULL
) STRICT;

-- The outcome of every write, stored for ever. A record is found by a short hash of application, operation and request id:
-- the index takes a quarter of the pages that the three columns would.
CREATE TABLE idempotency_record (
    key_hash BLOB NOT NULL,
    application BLOB NOT NULL,
    operation TEXT NOT NULL,
    request_id BLOB NOT NULL,
    -- Keyed hash of the whole request.
    fingerprint BLOB NOT NULL,
    outcome TEXT NOT NULL,
    -- What the request created or changed, encoded by its use case.
    result BLOB NOT NULL,
    created_at INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX idempotency_record_key_hash ON idempotency_record (key_hash);

-- One row: how far the sandbox clock is ahead of the system clock, and the latest time any process has seen.
CREATE TABLE clock (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    offset_micros INTEGER NOT NULL,
    watermark INTEGER NOT NULL
) STRICT;
INSERT INTO clock (id, offset_micros, watermark) VALUES (1, 0, 0);

-- One row: the key from which all keys are derived, encrypted with the root secret, and the check value of that secret.
CREATE TABLE root_key (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    ciphertext BLOB NOT NULL,
    secret_check BLOB NOT NULL,
    sealed_at INTEGER NOT NULL
) STRICT;

-- What people sign in with: members of organisations to the portal, the bank's staff to the console. The times of sessions,
-- enrolments and invitations are the system's: the clock of a sandbox is moved, and people's clocks are not.

-- A login has the id of its member or member of staff.
CREATE TABLE login (
    id BLOB NOT NULL,
    -- member or staff
    kind TEXT NOT NULL,
    -- In lower case.
    email TEXT NOT NULL,
    -- Null until the person has enrolled.
    password_hash TEXT,
    -- The secret of the authenticator app, encrypted; null for a person who only uses passkeys.
    totp_secret BLOB,
    -- The last time step whose code was accepted: a code is accepted once.
    totp_step INTEGER NOT NULL,
    -- A disabled login signs in nowhere.
    disabled_at INTEGER,
    -- Of staff who have signed in with the bank's identity provider: the provider and its name for the person.
    provider_issuer TEXT,
    provider_subject TEXT
) STRICT;
CREATE UNIQUE INDEX login_id ON login (id);
CREATE UNIQUE INDEX login_email ON login (email, kind);
CREATE UNIQUE INDEX login_provider ON login (provider_issuer, provider_subject);

-- Recovery codes that are not used, as keyed hashes.
CREATE TABLE login_recovery_code (
    login BLOB NOT NULL REFERENCES login (id),
    hash BLOB NOT NULL,
    PRIMARY KEY (login, hash)
) STRICT;

CREATE TABLE login_session (
    id BLOB NOT NULL,
    token_hash BLOB NOT NULL,
    login BLOB NOT NULL REFERENCES login (id),
    -- The browser as it describes itself.
    browser TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    last_seen_at INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX login_session_id ON login_session (id);
CREATE UNIQUE INDEX login_session_token_hash ON login_session (token_hash);
CREATE INDEX login_session_login ON login_session (login);

-- Passkeys (WebAuthn credentials with ES256).
CREATE TABLE login_passkey (
    id BLOB NOT NULL,
    login BLOB NOT NULL REFERENCES login (id),
    credential BLOB NOT NULL,
    -- An uncompressed P-256 point.
    public_key BLOB NOT NULL,
    -- The counter of the last use; zero for authenticators without one.
    sign_count INTEGER NOT NULL,
    name TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    last_used_at INTEGER
) STRICT;
CREATE UNIQUE INDEX login_passkey_id ON login_passkey (id);
CREATE UNIQUE INDEX login_passkey_credential ON login_passkey (credential);
CREATE INDEX login_passkey_login ON login_passkey (login);

-- Challenges that a passkey has answered, until they expire: each is answered once.
CREATE TABLE login_challenge (
    challenge BLOB PRIMARY KEY,
    expires_at INTEGER NOT NULL
) STRICT;

-- The bank's staff, who use the console.

CREATE TABLE staff (
    id BLOB NOT NULL REFERENCES login (id),
    name TEXT NOT NULL,
    role TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    -- The person who has seen the enrolment link, until another one confirms the enrolment.
    link_holder BLOB
) STRICT;
CREATE UNIQUE INDEX staff_id ON staff (id);

-- The link with which a person enrols: once, and again after a reset.
CREATE TABLE staff_enrolment (
    staff BLOB NOT NULL REFERENCES staff (id),
    token_hash BLOB NOT NULL,
    expires_at INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX staff_enrolment_staff ON staff_enrolment (staff);
CREATE UNIQUE INDEX staff_enrolment_token_hash ON staff_enrolment (token_hash);

-- Manual postings of staff. The transfer has the id as its reference.
CREATE TABLE manual_posting (
    id BLOB PRIMARY KEY,
    -- An IBAN, or the code of an account of the bank.
    debit TEXT NOT NULL,
    credit TEXT NOT NULL,
    debit_account INTEGER NOT NULL,
    credit_account INTEGER NOT NULL,
    currency TEXT NOT NULL,
    amount_minor INTEGER NOT NULL,
    -- The reason, which customers read on their statement.
    posting_text TEXT NOT NULL,
    posted_at INTEGER NOT NULL,
    posted_by TEXT NOT NULL,
    reversed_at INTEGER,
    reversed_by TEXT,
    reversal_text TEXT
) STRICT;
CREATE INDEX manual_posting_posted ON manual_posting (posted_at);

-- Requests for actions that need a second person. The times are the bank's.
CREATE TABLE staff_request (
    id BLOB NOT NULL,
    action TEXT NOT NULL,
    -- A JSON object.
    parameters TEXT NOT NULL,
    reason TEXT NOT NULL,
    requested_by BLOB NOT NULL REFERENCES staff (id),
    requested_at INTEGER NOT NULL,
    expires_at INTEGER NOT NULL,
    -- pending, approved, rejected, cancelled, expired or failed
    status TEXT NOT NULL,
    decided_by BLOB REFERENCES staff (id),
    decided_at INTEGER,
    -- What the action did, or why it was refused or rejected.
    outcome TEXT,
    -- A keyed hash of the object's state when the action was requested.
    fingerprint BLOB NOT NULL
) STRICT;
CREATE UNIQUE INDEX staff_request_id ON staff_request (id);
CREATE INDEX staff_request_requested_at ON staff_request (requested_at);
CREATE INDEX staff_request_expires_at ON staff_request (expires_at) WHERE status = 'pending';

-- Actions of staff by the key of the form or call that ran or requested them: each has one effect.
CREATE TABLE staff_action_run (
    key BLOB NOT NULL,
    staff BLOB NOT NULL REFERENCES staff (id),
    action TEXT NOT NULL,
    -- A JSON object.
    parameters TEXT NOT NULL,
    reason TEXT NOT NULL,
    run_at INTEGER NOT NULL,
    -- What the action did, unless it was requested.
    outcome TEXT,
    request BLOB REFERENCES staff_request (id)
) STRICT;
CREATE UNIQUE INDEX staff_action_run_key ON staff_action_run (key);

-- Tokens with which staff use the admin API, as keyed hashes.
CREATE TABLE staff_token (
    id BLOB NOT NULL,
    staff BLOB NOT NULL REFERENCES staff (id),
    token_hash BLOB NOT NULL,
    -- What the person calls it.
    name TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    expires_at INTEGER NOT NULL,
    last_used_at INTEGER,
    revoked_at INTEGER
) STRICT;
CREATE UNIQUE INDEX staff_token_id ON staff_token (id);
CREATE UNIQUE INDEX staff_token_hash ON staff_token (token_hash);
CREATE INDEX staff_token_staff ON staff_token (staff);

-- Organisations of developers and their members, who use the portal.

CREATE TABLE organisation (
    id BLOB NOT NULL,
    name TEXT NOT NULL,
    created_at INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX organisation_id ON organisation (id);

CREATE TABLE member (
    id BLOB NOT NULL REFERENCES login (id),
    organisation BLOB NOT NULL REFERENCES organisation (id),
    name TEXT NOT NULL,
    role TEXT NOT NULL,
    created_at INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX member_id ON member (id);
CREATE INDEX member_organisation ON member (organisation);

-- Invitations to an organisation, or to create one (organisation is null).
CREATE TABLE member_invitation (
    id BLOB NOT NULL,
    token_hash BLOB NOT NULL,
    organisation BLOB REFERENCES organisation (id),
    email TEXT NOT NULL,
    role TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    expires_at INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX member_invitation_id ON member_invitation (id);
CREATE UNIQUE INDEX member_invitation_token_hash ON member_invitation (token_hash);
CREATE INDEX member_invitation_organisation ON member_invitation (organisation);

-- Sign-ups that wait for the first code of the authenticator app. Nothing else exists of them.
CREATE TABLE member_enrolment (
    token_hash BLOB NOT NULL,
    invitation BLOB,
    organisation_name TEXT NOT NULL,
    email TEXT NOT NULL,
    name TEXT NOT NULL,
    password_hash TEXT NOT NULL,
    totp_secret BLOB NOT NULL,
    attempts INTEGER NOT NULL,
    expires_at INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX member_enrolment_token_hash ON member_enrolment (token_hash);

-- Merchants and applications

CREATE TABLE merchant (
    id BLOB NOT NULL,
    -- The integer that Pay Later responses show.
    number INTEGER NOT NULL,
    code TEXT NOT NULL,
    name TEXT NOT NULL,
    currency TEXT NOT NULL,
    minimum_minor INTEGER NOT NULL,
    maximum_minor INTEGER NOT NULL,
    basket_ttl_minutes INTEGER NOT NULL,
    discount_basis_points INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX merchant_id ON merchant (id);
CREATE UNIQUE INDEX merchant_number ON merchant (number);
CREATE UNIQUE INDEX merchant_code ON merchant (code);

-- Installment plans that a merchant offers.
CREATE TABLE merchant_plan (
    merchant BLOB NOT NULL REFERENCES merchant (id),
    installments INTEGER NOT NULL,
    yearly_rate_basis_points INTEGER NOT NULL,
    is_default INTEGER NOT NULL,
    PRIMARY KEY (merchant, installments)
) STRICT;

-- The account to which a merchant's balance is paid.
CREATE TABLE merchant_settlement_account (
    merchant BLOB PRIMARY KEY REFERENCES merchant (id),
    iban TEXT NOT NULL,
    name TEXT NOT NULL,
    agent TEXT
) STRICT;

-- A registered API client of a third party (merchant is null) or of a merchant.
CREATE TABLE application (
    id BLOB NOT NULL,
    merchant BLOB REFERENCES merchant (id),
    name TEXT NOT NULL,
    sandbox INTEGER NOT NULL,
    created_at INTEGER NOT NULL,
    success_callback_url TEXT,
    fail_callback_url TEXT,
    success_redirect_uri TEXT,
    failure_redirect_uri TEXT,
    -- The keys of a disabled application are refused.
    disabled_at INTEGER,
    -- The organisation whose members manage it in the portal.
    organisation BLOB REFERENCES organisation (id)
) STRICT;
CREATE UNIQUE INDEX application_id ON application (id);
CREATE INDEX application_organisation ON application (organisation);
-- The bank itself: the application of payments that customers order in the bank's app. It has no key and no certificate.
INSERT INTO application (id, name, sandbox, created_at) VALUES (zeroblob(16), 'Trapeza', FALSE, 0);

-- Subscription keys as keyed hashes, so that a stolen backup contains no usable key.
CREATE TABLE application_key (
    hash BLOB NOT NULL,
    application BLOB NOT NULL REFERENCES application (id),
    created_at INTEGER NOT NULL,
    retired_at INTEGER
) STRICT;
CREATE UNIQUE INDEX application_key_hash ON application_key (hash);
CREATE INDEX application_key_application ON application_key (application);

-- When a key was last used; written at intervals, not with every request.
CREATE TABLE application_key_last_used (
    hash BLOB PRIMARY KEY,
    used_at INTEGER NOT NULL
) STRICT;

CREATE TABLE application_certificate (
    application BLOB NOT NULL REFERENCES application (id),
    fingerprint BLOB NOT NULL,
    organisation TEXT NOT NULL,
    status TEXT NOT NULL,
    registered_at INTEGER NOT NULL,
    -- The end of its validity, for warnings. Requests are checked against the certificate itself.
    expires_at INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX application_certificate_fingerprint ON application_certificate (application, fingerprint);
-- A caller that presents its certificate alone is found by it.
CREATE INDEX application_certificate_alone ON application_certificate (fingerprint);
CREATE INDEX application_certificate_organisation ON application_certificate (organisation);

-- Redirect URIs of a third party, compared character by character.
CREATE TABLE application_redirect_uri (
    application BLOB NOT NULL REFERENCES application (id),
    uri TEXT NOT NULL,
    PRIMARY KEY (application, uri)
) STRICT;

-- Webhook signing secrets, encrypted with a key outside the database.
CREATE TABLE application_webhook_secret (
    application BLOB NOT NULL REFERENCES application (id),
    ciphertext BLOB NOT NULL,
    created_at INTEGER NOT NULL
) STRICT;
CREATE INDEX application_webhook_secret_application ON application_webhook_secret (application);

-- Ledger. Rows of transfer and entry are written once and never changed. These tables have no foreign keys: on PostgreSQL
-- each would lock the bank's own account rows for every payment. `trapeza ledger check` verifies the references instead.

-- The bank's own accounts and loans keep no statement: their balance is the sum of their transfers, so that no row is
-- updated by every payment, and booked_minor, held_minor and entry_count are null. The owner of the bank's own accounts is
-- the nil UUID.
CREATE TABLE ledger_account (
    id INTEGER PRIMARY KEY,
    kind INTEGER NOT NULL,
    owner BLOB NOT NULL,
    currency TEXT NOT NULL,
    floor_minor INTEGER NOT NULL,
    booked_minor INTEGER,
    held_minor INTEGER,
    entry_count INTEGER,
    -- That of the last entry: none is booked on an earlier day than the one before it.
    last_booking_date INTEGER
) STRICT;
CREATE UNIQUE INDEX ledger_account_owner ON ledger_account (kind, owner, currency);

-- One debit and one credit. A side whose account keeps a statement has the number of its entry in debit_seq or credit_seq.
CREATE TABLE transfer (
    id INTEGER PRIMARY KEY,
    debit_account INTEGER NOT NULL,
    credit_account INTEGER NOT NULL,
    currency TEXT NOT NULL,
    amount_minor INTEGER NOT NULL CHECK (amount_minor > 0),
    debit_seq INTEGER,
    credit_seq INTEGER,
    event TEXT NOT NULL,
    reference TEXT NOT NULL,
    detail INTEGER,
    booking_date INTEGER NOT NULL,
    value_date INTEGER NOT NULL,
    -- Proves that the bank wrote the row: its key is outside the database.
    mac BLOB NOT NULL
) STRICT;

-- The statement of an account: numbered 1, 2, 3 …, each entry with the balance after it. `details` holds the names, references
-- and texts of an account's entry, encoded by the store (statement/entry_details.rs), so that a page reads one table; it is
-- null for cards.
-- The rows lie in the order of pages, by date; the index is by number.
CREATE TABLE entry (
    account INTEGER NOT NULL,
    seq INTEGER NOT NULL,
    transfer INTEGER NOT NULL,
    amount_minor INTEGER NOT NULL,
    balance_minor INTEGER NOT NULL,
    booking_date INTEGER NOT NULL,
    details BLOB,
    PRIMARY KEY (account, booking_date, seq)
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX entry_seq ON entry (account, seq);

-- Amounts reserved on an account: the pending transactions.
CREATE TABLE hold (
    id INTEGER PRIMARY KEY,
    account INTEGER NOT NULL,
    currency TEXT NOT NULL,
    amount_minor INTEGER NOT NULL CHECK (amount_minor > 0),
    event TEXT NOT NULL,
    reference TEXT NOT NULL,
    status TEXT NOT NULL,
    detail INTEGER,
    placed_on INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX hold_reference ON hold (reference);
CREATE INDEX hold_active ON hold (account, placed_on, id) WHERE status = 'active';

-- Customers, accounts and cards

CREATE TABLE psu (
    id BLOB NOT NULL,
    login TEXT NOT NULL,
    name TEXT NOT NULL,
    phone TEXT NOT NULL,
    -- Null without a password: the customer cannot sign in until the operator sets one.
    password_hash TEXT,
    -- The language of the last page on which the customer signed in; null before that.
    language TEXT,
    created_at INTEGER NOT NULL,
    -- A former customer cannot sign in any more; the login stays reserved.
    closed_at INTEGER,
    -- When the personal data of a former customer was erased.
    erased_at INTEGER
) STRICT;
CREATE UNIQUE INDEX psu_id ON psu (id);
CREATE UNIQUE INDEX psu_login ON psu (login);
CREATE INDEX psu_phone ON psu (phone);

-- The words of customers' names in Latin letters and lower case, for the search of the bank's staff.
CREATE TABLE psu_name_word (
    word TEXT NOT NULL,
    psu BLOB NOT NULL REFERENCES psu (id),
    PRIMARY KEY (word, psu)
) WITHOUT ROWID, STRICT;
CREATE INDEX psu_name_word_psu ON psu_name_word (psu);

-- How many customers of a file are imported, by the hash of the file.
CREATE TABLE import_progress (
    file_hash BLOB PRIMARY KEY,
    customer_count INTEGER NOT NULL,
    total_count INTEGER NOT NULL,
    updated_at INTEGER NOT NULL
) STRICT;

CREATE TABLE sca_method (
    id BLOB NOT NULL,
    psu BLOB NOT NULL REFERENCES psu (id),
    position INTEGER NOT NULL,
    kind TEXT NOT NULL
) STRICT;
CREATE UNIQUE INDEX sca_method_id ON sca_method (id);
CREATE UNIQUE INDEX sca_method_psu ON sca_method (psu, position);

-- The seed that a chip or photo reader shares with the bank, encrypted.
CREATE TABLE sca_method_seed (
    method BLOB NOT NULL REFERENCES sca_method (id),
    ciphertext BLOB NOT NULL
) STRICT;
CREATE UNIQUE INDEX sca_method_seed_method ON sca_method_seed (method);

-- A payment account has one currency: a multi-currency IBAN is several rows.
-- Without a rowid, so that a read by the id needs one search and not two.
CREATE TABLE account (
    id BLOB PRIMARY KEY,
    ledger_account INTEGER NOT NULL,
    kind TEXT NOT NULL,
    status TEXT NOT NULL,
    usage TEXT NOT NULL,
    iban TEXT NOT NULL,
    bic TEXT NOT NULL,
    currency TEXT NOT NULL,
    product TEXT NOT NULL,
    name TEXT NOT NULL,
    -- The owner chose the name, so it is never translated.
    has_own_name INTEGER NOT NULL,
    credit_limit_minor INTEGER NOT NULL,
    opened_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX account_ledger_account ON account (ledger_account);
CREATE UNIQUE INDEX account_iban ON account (iban, currency);

CREATE TABLE account_owner (
    account BLOB NOT NULL REFERENCES account (id),
    psu BLOB NOT NULL REFERENCES psu (id),
    position INTEGER NOT NULL,
    PRIMARY KEY (account, position)
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX account_owner_psu ON account_owner (psu, account);

-- A card number is stored as a keyed hash and masked.
CREATE TABLE card (
    id BLOB NOT NULL,
    ledger_account INTEGER NOT NULL,
    holder BLOB NOT NULL REFERENCES psu (id),
    account BLOB NOT NULL REFERENCES account (id),
    pan_hash BLOB NOT NULL,
    masked_pan TEXT NOT NULL,
    status TEXT NOT NULL,
    usage TEXT NOT NULL,
    currency TEXT NOT NULL,
    product TEXT NOT NULL,
    name TEXT NOT NULL,
    credit_limit_minor INTEGER NOT NULL,
    expiry_date INTEGER NOT NULL,
    issued_at INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX card_id ON card (id);
CREATE UNIQUE INDEX card_ledger_account ON card (ledger_account);
CREATE UNIQUE INDEX card_pan_hash ON card (pan_hash);
CREATE INDEX card_holder ON card (holder);
CREATE INDEX card_account ON card (account);

-- Names, references and texts of a transfer or a hold. The two counts save a query when there are no parts or exchanges.
CREATE TABLE transaction_detail (
    id INTEGER PRIMARY KEY,
    part_count INTEGER NOT NULL,
    exchange_count INTEGER NOT NULL,
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
) STRICT;

-- One payment of a batch entry, numbered from 1.
CREATE TABLE transaction_detail_part (
    detail INTEGER NOT NULL REFERENCES transaction_detail (id),
    part INTEGER NOT NULL,
    currency TEXT NOT NULL,
    amount_minor INTEGER NOT NULL,
    exchange_count INTEGER NOT NULL,
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
) STRICT;

-- Currency exchanges of the whole transaction (part 0) or of one part, in their order.
CREATE TABLE transaction_detail_exchange (
    detail INTEGER NOT NULL REFERENCES transaction_detail (id),
    part INTEGER NOT NULL,
    position INTEGER NOT NULL,
    source_currency TEXT NOT NULL,
    target_currency TEXT NOT NULL,
    unit_currency TEXT NOT NULL,
    rate TEXT NOT NULL,
    quotation_date INTEGER NOT NULL,
    contract TEXT,
    PRIMARY KEY (detail, part, position)
) STRICT;

-- What a card statement shows, beside the transaction_detail row of the same id.
CREATE TABLE card_transaction_detail (
    detail INTEGER PRIMARY KEY REFERENCES transaction_detail (id),
    transaction_date INTEGER NOT NULL,
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
    original_minor INTEGER,
    markup_currency TEXT,
    markup_minor INTEGER,
    markup_basis_points INTEGER,
    invoiced INTEGER NOT NULL,
    proprietary_code TEXT
) STRICT;

-- What a sandbox shows again: passwords by login and card numbers by card. In production it is always empty.
CREATE TABLE sandbox_secret (
    kind TEXT NOT NULL,
    subject TEXT NOT NULL,
    value TEXT NOT NULL,
    PRIMARY KEY (kind, subject)
) STRICT;

-- Consents

-- Access consents and funds consents. The columns from scope on are null for a funds consent.
CREATE TABLE consent (
    id BLOB PRIMARY KEY,
    application BLOB NOT NULL REFERENCES application (id),
    kind TEXT NOT NULL,
    -- The login as the third party sent it, empty until the customer is identified; there may be no such customer.
    psu_login TEXT NOT NULL,
    status TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    last_action_at INTEGER NOT NULL,
    authorised_at INTEGER,
    -- Why the consent was rejected.
    rejection_reason TEXT,
    -- When time alone changes the status next.
    deadline INTEGER,
    scope TEXT,
    recurring INTEGER,
    -- Whether the third party is notified of changes of status.
    notifies INTEGER NOT NULL DEFAULT FALSE,
    -- The open signing basket that it is in.
    signing_basket BLOB,
    -- The date if the third party sent a date; valid_until is then its last instant.
    valid_until_date INTEGER,
    valid_until INTEGER,
    frequency_per_day INTEGER,
    combined_service INTEGER,
    -- What the third party asks for where the customer chooses the accounts.
    offered_balances INTEGER,
    offered_transactions INTEGER,
    -- Whose owners are named: of all accounts, or of those in the list ownerNames of consent_access.
    owner_names TEXT NOT NULL DEFAULT 'hidden',
    -- The cashAccountTypes to which it is restricted, separated by commas.
    restricted_to TEXT
) STRICT, WITHOUT ROWID;
CREATE INDEX consent_deadline ON consent (deadline) WHERE deadline IS NOT NULL;
CREATE INDEX consent_application_psu ON consent (application, psu_login);
CREATE INDEX consent_psu ON consent (psu_login, created_at);
CREATE INDEX consent_psu_valid ON consent (psu_login) WHERE status = 'valid';

-- The accounts that an access consent lists. A card number is stored as a keyed hash and masked.
CREATE TABLE consent_access (
    consent BLOB NOT NULL REFERENCES consent (id),
    application BLOB NOT NULL,
    list TEXT NOT NULL,
    position INTEGER NOT NULL,
    kind TEXT NOT NULL,
    value TEXT NOT NULL,
    pan_hash BLOB,
    currency TEXT
) STRICT;
CREATE UNIQUE INDEX consent_access_position ON consent_access (consent, list, position);

-- The further columns of a funds consent.
CREATE TABLE funds_consent (
    consent BLOB NOT NULL REFERENCES consent (id),
    application BLOB NOT NULL,
    account_kind TEXT NOT NULL,
    account_value TEXT NOT NULL,
    account_pan_hash BLOB,
    account_currency TEXT,
    card_pan_hash BLOB,
    card_masked_pan TEXT,
    card_expiry_date INTEGER,
    card_expires_at INTEGER,
    card_information TEXT,
    registration_information TEXT
) STRICT;
CREATE INDEX funds_consent_account ON funds_consent (application, account_value);
CREATE UNIQUE INDEX funds_consent_consent ON funds_consent (consent);

-- Reads and funds confirmations that count against a consent's quota. The subject is the account or card that was read, the
-- nil UUID for a list.
CREATE TABLE consent_usage (
    consent BLOB NOT NULL,
    endpoint TEXT NOT NULL,
    subject BLOB NOT NULL,
    used_at INTEGER NOT NULL
) STRICT;
CREATE INDEX consent_usage_subject ON consent_usage (consent, endpoint, subject, used_at);

-- The last entry of an account or card that delta lists have delivered under a consent.
CREATE TABLE consent_delivery (
    consent BLOB NOT NULL REFERENCES consent (id),
    ledger_account INTEGER NOT NULL,
    application BLOB NOT NULL REFERENCES application (id),
    entry_seq INTEGER NOT NULL,
    PRIMARY KEY (consent, ledger_account)
) STRICT;

-- When a consent was last used; written at intervals, not with every read.
CREATE TABLE consent_last_used (
    consent BLOB PRIMARY KEY,
    used_at INTEGER NOT NULL
) STRICT;

-- Strong customer authentication

-- Consents and payments whose customer gave the login on the bank's page: the third party does not learn it.
CREATE TABLE private_login (
    target BLOB PRIMARY KEY,
    application BLOB NOT NULL REFERENCES application (id)
) STRICT;

-- The redirect URIs that a third party sent with the creation of a consent or payment, for the start of its authorisation.
CREATE TABLE target_redirect (
    target_kind TEXT NOT NULL,
    target BLOB NOT NULL,
    application BLOB NOT NULL REFERENCES application (id),
    redirect_uri TEXT,
    nok_redirect_uri TEXT,
    PRIMARY KEY (target_kind, target)
) STRICT;

-- Where a third party is notified of the changed status of an object, and of which changes.
CREATE TABLE status_subscription (
    object BLOB NOT NULL PRIMARY KEY,
    application BLOB NOT NULL REFERENCES application (id),
    uri TEXT NOT NULL,
    sca INTEGER NOT NULL,
    process INTEGER NOT NULL,
    last INTEGER NOT NULL,
    -- How many notifications were enqueued.
    notifications INTEGER NOT NULL
) STRICT;

-- Payments and consents that the customer approves together.
CREATE TABLE signing_basket (
    id BLOB NOT NULL,
    application BLOB NOT NULL REFERENCES application (id),
    psu_login TEXT NOT NULL,
    status TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    last_action_at INTEGER NOT NULL,
    expires_at INTEGER NOT NULL,
    -- When time alone ends it; null when it has ended.
    deadline INTEGER,
    notifies INTEGER NOT NULL DEFAULT FALSE
) STRICT;
CREATE UNIQUE INDEX signing_basket_id ON signing_basket (id);
CREATE INDEX signing_basket_deadline ON signing_basket (deadline) WHERE deadline IS NOT NULL;
CREATE INDEX signing_basket_application ON signing_basket (application, created_at);
CREATE INDEX signing_basket_psu ON signing_basket (psu_login, created_at);

CREATE TABLE signing_basket_member (
    basket BLOB NOT NULL,
    position INTEGER NOT NULL,
    kind TEXT NOT NULL,
    member BLOB NOT NULL,
    PRIMARY KEY (basket, position)
) STRICT;
CREATE INDEX signing_basket_member_of ON signing_basket_member (member);

CREATE TABLE authorisation (
    id BLOB NOT NULL,
    application BLOB NOT NULL REFERENCES application (id),
    target_kind TEXT NOT NULL,
    target BLOB NOT NULL,
    -- The login as the third party sent it; psu is null if there is no such customer or the target is another's.
    psu_login TEXT NOT NULL,
    psu BLOB REFERENCES psu (id),
    status TEXT NOT NULL,
    -- The password was entered correctly on the redirect page.
    password_verified INTEGER NOT NULL,
    method BLOB,
    method_kind TEXT,
    -- The reported approach, and whether it is the only one allowed.
    approach TEXT NOT NULL,
    approach_is_only INTEGER NOT NULL,
    -- Whether the third party is notified of changes of status.
    notifies INTEGER NOT NULL DEFAULT FALSE,
    linking_digest BLOB NOT NULL,
    -- Licence number and name of the third party from its certificate.
    organisation TEXT NOT NULL,
    tpp_name TEXT NOT NULL,
    redirect_uri TEXT,
    nok_redirect_uri TEXT,
    -- Keyed hash of the session token of the browser that opened the redirect page, and its last activity.
    session_token_hash BLOB,
    session_last_seen_at INTEGER,
    created_at INTEGER NOT NULL,
    expires_at INTEGER NOT NULL,
    -- When time alone ends it; null when it is final.
    deadline INTEGER,
    -- The open challenge. The OTP is stored as a keyed hash.
    challenge_nonce BLOB,
    challenge_otp_hash BLOB,
    challenge_display TEXT,
    challenge_sent_at INTEGER,
    challenge_expires_at INTEGER,
    challenge_attempts INTEGER,
    challenge_send_count INTEGER
) STRICT;
CREATE UNIQUE INDEX authorisation_id ON authorisation (id);
CREATE INDEX authorisation_target ON authorisation (target, target_kind);
CREATE INDEX authorisation_psu ON authorisation (psu) WHERE deadline IS NOT NULL;
CREATE INDEX authorisation_deadline ON authorisation (deadline) WHERE deadline IS NOT NULL;

-- Consecutive failures. The subject is a keyed hash of the login that was sent, so unknown logins are counted alike.
CREATE TABLE sca_counter (
    subject BLOB NOT NULL,
    channel TEXT NOT NULL,
    kind TEXT NOT NULL,
    failures INTEGER NOT NULL,
    last_failure_at INTEGER NOT NULL,
    blocked_until INTEGER NOT NULL,
    -- The request whose attempt was counted last, until its outcome is stored: sent again, it is the same attempt.
    counted_request BLOB,
    PRIMARY KEY (subject, channel, kind)
) STRICT;
-- Blocks, for the bank's staff. Few attempts fail more than three times, so most writes do not touch this index.
CREATE INDEX sca_counter_blocked ON sca_counter (blocked_until) WHERE failures > 3;

-- One row per wrong OTP, first OTP and OTP sent again, for limits over a time window.
CREATE TABLE sca_event (
    subject BLOB NOT NULL,
    kind TEXT NOT NULL,
    channel TEXT NOT NULL,
    occurred_at INTEGER NOT NULL
) STRICT;
CREATE INDEX sca_event_subject ON sca_event (subject, kind, occurred_at);

-- Outbox of SMS and push messages to customers. The text is encrypted, and deleted once it is sent.
CREATE TABLE notification (
    id BLOB NOT NULL,
    recipient TEXT NOT NULL,
    channel TEXT NOT NULL,
    ciphertext BLOB,
    status TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    -- After this time the message is useless and is dropped.
    expires_at INTEGER NOT NULL,
    sent_at INTEGER,
    claimed_until INTEGER,
    -- The trace of the request that caused it (W3C Trace Context).
    traceparent TEXT
) STRICT;
CREATE UNIQUE INDEX notification_id ON notification (id);
CREATE INDEX notification_created_at ON notification (created_at);
CREATE INDEX notification_waiting ON notification (expires_at) WHERE status = 'waiting';

-- Browsers and phones that are enrolled, or being enrolled, as a customer's banking app.
CREATE TABLE enrolled_device (
    session_token_hash BLOB NOT NULL,
    psu BLOB NOT NULL REFERENCES psu (id),
    -- Null until the OTP of the enrolment was entered.
    enrolled_at INTEGER,
    -- The app is signed in until then; null when it is signed out.
    signed_in_until INTEGER,
    expires_at INTEGER NOT NULL,
    challenge_nonce BLOB,
    challenge_otp_hash BLOB,
    challenge_sent_at INTEGER,
    challenge_attempts INTEGER,
    challenge_send_count INTEGER,
    -- Verifies the approvals that the device signs; set when it is enrolled.
    public_key BLOB
) STRICT;
CREATE UNIQUE INDEX enrolled_device_session_token_hash ON enrolled_device (session_token_hash);
CREATE INDEX enrolled_device_psu ON enrolled_device (psu);
CREATE INDEX enrolled_device_expires_at ON enrolled_device (expires_at);

-- Payments and clearing

-- A payment order and its status. The money is in the ledger, under the payment's id.
CREATE TABLE payment (
    id BLOB NOT NULL,
    application BLOB NOT NULL REFERENCES application (id),
    product TEXT NOT NULL,
    -- The login as the third party sent it, empty until the customer is identified; there may be no such customer.
    psu_login TEXT NOT NULL,
    status TEXT NOT NULL,
    -- Why the payment was rejected, clearing's code for it, and whether the payment had been accepted before.
    rejection_reason TEXT,
    clearing_reason_code TEXT,
    was_accepted INTEGER,
    -- When an accepted payment goes to clearing; not before cancellation_hold_until while a cancellation is open.
    submit_at INTEGER,
    cancellation_hold_until INTEGER,
    created_at INTEGER NOT NULL,
    last_action_at INTEGER NOT NULL,
    -- When time alone rejects the payment.
    deadline INTEGER,
    end_to_end_id TEXT,
    -- A card number is stored as a keyed hash and masked.
    debtor_kind TEXT NOT NULL,
    debtor_value TEXT NOT NULL,
    debtor_pan_hash BLOB,
    debtor_currency TEXT,
    currency TEXT NOT NULL,
    amount_minor INTEGER NOT NULL,
    fee_minor INTEGER NOT NULL,
    creditor_iban TEXT NOT NULL,
    creditor_currency TEXT,
    creditor_agent TEXT,
    creditor_agent_name TEXT,
    creditor_name TEXT NOT NULL,
    has_creditor_address INTEGER NOT NULL,
    -- Whether the third party is notified of changes of status.
    notifies INTEGER NOT NULL DEFAULT FALSE,
    -- The open signing basket that it is in.
    signing_basket BLOB,
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
    execution_date INTEGER,
    -- When a scheduled payment is executed, or tried again.
    execute_at INTEGER,
    -- The terms of a standing order; null in all other payments. Bit n of months_of_execution is month n.
    frequency TEXT,
    start_date INTEGER,
    end_date INTEGER,
    execution_rule TEXT,
    day_of_execution INTEGER,
    months_of_execution INTEGER,
    -- The standing order that this payment executes.
    standing_order BLOB,
    -- How many lines a bulk payment has, whether they are booked as one entry, and their digest; null in all other payments.
    bulk_line_count INTEGER,
    batch_booking INTEGER,
    lines_digest BLOB,
    -- Whether lines of a partly accepted bulk are in clearing.
    has_open_lines INTEGER,
    -- The bulk payment of which this payment is a line.
    bulk BLOB,
    -- Of a standing order, how many executions were created; of an execution or a line, its number.
    execution_number INTEGER,
    -- The ledger account of a line that was debited in one entry with the others; null in payments that are booked on their own.
    batch_account INTEGER
) STRICT;
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
CREATE INDEX payment_of_app ON payment (psu_login, id) WHERE application = x'00000000000000000000000000000000';
-- A customer's payments that are at clearing: while there is one, the customer is not closed.
CREATE INDEX payment_submitted ON payment (psu_login, id) WHERE status = 'ACSP';
-- The rejected payments of all customers, for the bank's staff.
CREATE INDEX payment_rejected_at ON payment (last_action_at) WHERE rejection_reason IS NOT NULL;

-- The lines of a bulk payment as they were ordered. When the bulk is executed, each becomes a payment.
CREATE TABLE bulk_line (
    bulk BLOB NOT NULL,
    application BLOB NOT NULL REFERENCES application (id),
    number INTEGER NOT NULL,
    product TEXT NOT NULL,
    end_to_end_id TEXT,
    currency TEXT NOT NULL,
    amount_minor INTEGER NOT NULL,
    fee_minor INTEGER NOT NULL,
    creditor_iban TEXT NOT NULL,
    creditor_currency TEXT,
    creditor_agent TEXT,
    creditor_agent_name TEXT,
    creditor_name TEXT NOT NULL,
    remittance TEXT,
    has_creditor_address INTEGER NOT NULL,
    building_number TEXT,
    city TEXT,
    country TEXT,
    postal_code TEXT,
    street TEXT,
    PRIMARY KEY (bulk, number)
) STRICT;

-- The message pain.001 in which a payment was ordered, as it was sent; payments that were ordered as JSON have none.
CREATE TABLE payment_message (
    payment BLOB PRIMARY KEY,
    application BLOB NOT NULL REFERENCES application (id),
    document TEXT NOT NULL
) STRICT;

-- Payments or returns that leave in one clearing file, named by the batch's id. The file is generated from these rows
-- alone, so generating it again gives the same file.
CREATE TABLE clearing_batch (
    id BLOB NOT NULL,
    kind TEXT NOT NULL,
    status TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    settlement_date INTEGER NOT NULL,
    claimed_until INTEGER,
    -- The last claim before the file was prepared. Its file alone goes out, so that a process that stalled past its claim changes nothing.
    claim BLOB,
    -- The spool in which the file was prepared: only its owner can see whether the file was moved on.
    spool_id BLOB
) STRICT;
CREATE UNIQUE INDEX clearing_batch_id ON clearing_batch (id);
CREATE INDEX clearing_batch_unsent ON clearing_batch (created_at) WHERE status <> 'written';

-- One payment in a batch, with the debtor as it was when the payment was submitted.
CREATE TABLE clearing_transaction (
    id BLOB NOT NULL,
    batch BLOB NOT NULL,
    position INTEGER NOT NULL,
    application BLOB NOT NULL,
    payment BLOB NOT NULL,
    debtor_name TEXT NOT NULL,
    debtor_iban TEXT NOT NULL,
    debtor_agent TEXT NOT NULL,
    submitted_at INTEGER NOT NULL,
    -- When the operator is alerted that no status report came; null once one came or the alert was raised.
    alert_at INTEGER,
    alerted INTEGER NOT NULL,
    answered_at INTEGER,
    returned_at INTEGER
) STRICT;
CREATE UNIQUE INDEX clearing_transaction_id ON clearing_transaction (id);
CREATE UNIQUE INDEX clearing_transaction_payment ON clearing_transaction (payment);
CREATE INDEX clearing_transaction_batch ON clearing_transaction (batch, position);
CREATE INDEX clearing_transaction_alert_at ON clearing_transaction (alert_at) WHERE alert_at IS NOT NULL;
CREATE INDEX clearing_transaction_unanswered ON clearing_transaction (submitted_at)
    WHERE alerted AND answered_at IS NULL;

-- An instant payment at clearing. It is recorded as sent before it is sent, so it is never sent twice.
CREATE TABLE instant_submission (
    clearing_transaction BLOB NOT NULL,
    status TEXT NOT NULL,
    -- Without an answer the payment is rejected then.
    deadline_at INTEGER NOT NULL,
    -- When it is sent, or when clearing is asked about it; null when there is nothing left to do.
    next_at INTEGER
) STRICT;
CREATE UNIQUE INDEX instant_submission_key ON instant_submission (clearing_transaction);
CREATE INDEX instant_submission_late ON instant_submission (clearing_transaction) WHERE status = 'late';
CREATE INDEX instant_submission_next_at ON instant_submission (next_at) WHERE next_at IS NOT NULL;

-- An incoming credit transfer. The sender's message id and transaction id are its key, so it is booked once.
CREATE TABLE clearing_incoming (
    id BLOB NOT NULL,
    message_id TEXT NOT NULL,
    transaction_id TEXT NOT NULL,
    end_to_end_id TEXT,
    currency TEXT NOT NULL,
    amount_minor INTEGER NOT NULL,
    status TEXT NOT NULL,
    reason_code TEXT,
    received_at INTEGER NOT NULL,
    -- Parties, remittance and settlement date as received, for a return and to recognise another transfer under the same ids.
    content BLOB NOT NULL,
    -- The part that is on the suspense account, or was returned or assigned, when the rest was booked before; null when it is all of it.
    excess_minor INTEGER,
    -- When staff returned or assigned it, who, and the IBAN or the loan that it was assigned to.
    decided_at INTEGER,
    decided_by TEXT,
    assigned_to TEXT,
    -- The batch in which it is returned.
    batch BLOB,
    position INTEGER
) STRICT;
CREATE UNIQUE INDEX clearing_incoming_id ON clearing_incoming (id);
CREATE UNIQUE INDEX clearing_incoming_key ON clearing_incoming (message_id, transaction_id);
CREATE INDEX clearing_incoming_status ON clearing_incoming (status, received_at);
CREATE INDEX clearing_incoming_batch ON clearing_incoming (batch, position) WHERE batch IS NOT NULL;

-- Money that came back for one of our payments. The returning bank's ids are the key.
CREATE TABLE clearing_return (
    clearing_transaction BLOB NOT NULL,
    message_id TEXT NOT NULL,
    return_id TEXT NOT NULL,
    amount_minor INTEGER NOT NULL,
    received_at INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX clearing_return_key ON clearing_return (clearing_transaction, message_id, return_id);

-- Files that were set aside, and files with parts that contradict the ledger: an operator must look at them.
CREATE TABLE clearing_problem (
    id INTEGER PRIMARY KEY,
    file TEXT NOT NULL,
    problem TEXT NOT NULL,
    recorded_at INTEGER NOT NULL,
    -- When an operator had looked at it, who, and what they found.
    acknowledged_at INTEGER,
    acknowledged_by TEXT,
    note TEXT
) STRICT;
CREATE UNIQUE INDEX clearing_problem_key ON clearing_problem (file, problem);
CREATE INDEX clearing_problem_recorded ON clearing_problem (recorded_at);

-- Clearing messages that were received.
CREATE TABLE clearing_message (
    kind TEXT NOT NULL,
    message_id TEXT NOT NULL,
    digest BLOB NOT NULL,
    -- When all of its parts had been applied.
    processed_at INTEGER
) STRICT;
CREATE UNIQUE INDEX clearing_message_key ON clearing_message (kind, message_id);

-- Callbacks: the outbox of webhooks to merchants and of notifications to third parties

CREATE TABLE callback (
    id BLOB NOT NULL,
    application BLOB NOT NULL REFERENCES application (id),
    kind TEXT NOT NULL,
    -- The public id of the basket, or the id of the payment or consent.
    object_id TEXT NOT NULL,
    -- Where a notification is sent, and its number among those of the object, which are sent in this order. The address alone is
    -- the basket's own; without it the callback is sent to a URL of the application.
    address TEXT,
    sequence INTEGER,
    -- JSON, sent byte for byte on every attempt.
    body TEXT NOT NULL,
    status TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    -- All attempts, and the failed ones since the callback was last enqueued.
    attempts INTEGER NOT NULL,
    failed_attempts INTEGER NOT NULL,
    -- By the bank's clock; null when there is no further attempt.
    next_attempt_at INTEGER,
    -- When the callback was delivered, given up or disabled.
    ended_at INTEGER,
    -- The worker that is sending it, until then by the system clock: moving the sandbox clock must not send it twice.
    claim_token BLOB,
    claimed_until INTEGER,
    -- The trace of the request that caused it (W3C Trace Context).
    traceparent TEXT
) STRICT;
CREATE UNIQUE INDEX callback_id ON callback (id);
-- By application first, so that a long queue of one application does not delay the search for another's.
CREATE INDEX callback_due ON callback (application, next_attempt_at) WHERE next_attempt_at IS NOT NULL;
CREATE INDEX callback_status ON callback (status, created_at);
CREATE INDEX callback_object ON callback (object_id);

-- The latest attempts of each callback.
CREATE TABLE callback_attempt (
    callback BLOB NOT NULL,
    number INTEGER NOT NULL,
    attempted_at INTEGER NOT NULL,
    duration_ms INTEGER NOT NULL,
    http_status INTEGER,
    error TEXT,
    -- The headers webhook-timestamp and webhook-signature; null when nothing was sent.
    sent_timestamp INTEGER,
    sent_signature TEXT
) STRICT;
CREATE UNIQUE INDEX callback_attempt_number ON callback_attempt (callback, number);

-- The callbacks of a sandbox in the order in which they are listed to developers, also those of merchants without a callback URL. In
-- production it is always empty.
CREATE TABLE sandbox_callback (
    id BLOB NOT NULL,
    application BLOB NOT NULL REFERENCES application (id),
    kind TEXT NOT NULL,
    body TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    -- By the system clock: moving the sandbox clock must not purge what was not listed yet.
    recorded_at INTEGER NOT NULL,
    traceparent TEXT,
    -- Set when it is first listed: in the transaction that inserts it, writers of one merchant would conflict.
    position INTEGER
) STRICT;
CREATE UNIQUE INDEX sandbox_callback_position ON sandbox_callback (application, position);
CREATE INDEX sandbox_callback_recorded ON sandbox_callback (recorded_at);

-- Pay Later

CREATE TABLE basket (
    number INTEGER NOT NULL,
    public_id BLOB NOT NULL,
    merchant BLOB NOT NULL REFERENCES merchant (id),
    application BLOB NOT NULL REFERENCES application (id),
    -- The merchant's requestId, as it was sent.
    request_id TEXT NOT NULL,
    status TEXT NOT NULL,
    -- The loan, once the checkout was opened, and why it was declined.
    loan BLOB,
    decline_reason TEXT,
    created_at INTEGER NOT NULL,
    expires_at INTEGER NOT NULL,
    last_action_at INTEGER NOT NULL,
    -- When time alone ends the basket.
    deadline INTEGER,
    currency TEXT NOT NULL,
    value_minor INTEGER NOT NULL,
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
    products BLOB
) STRICT;
CREATE UNIQUE INDEX basket_number ON basket (number);
CREATE UNIQUE INDEX basket_public_id ON basket (public_id);
CREATE INDEX basket_order ON basket (order_identifier);
CREATE INDEX basket_deadline ON basket (deadline) WHERE deadline IS NOT NULL;

-- A person at a merchant's checkout: a verified telephone number, and the customer who signed in with it.
CREATE TABLE shopper (
    id BLOB NOT NULL,
    phone TEXT NOT NULL,
    psu BLOB REFERENCES psu (id),
    -- No loan is granted to this telephone number.
    blocked INTEGER NOT NULL,
    created_at INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX shopper_id ON shopper (id);
CREATE UNIQUE INDEX shopper_phone ON shopper (phone);
CREATE INDEX shopper_psu ON shopper (psu) WHERE psu IS NOT NULL;

-- A loan from its request on. Its balance is in the ledger, under the loan's id.
CREATE TABLE loan (
    id BLOB NOT NULL,
    basket INTEGER NOT NULL,
    merchant BLOB NOT NULL REFERENCES merchant (id),
    application BLOB NOT NULL REFERENCES application (id),
    status TEXT NOT NULL,
    currency TEXT NOT NULL,
    amount_minor INTEGER NOT NULL,
    requested_at INTEGER NOT NULL,
    decided_at INTEGER,
    last_action_at INTEGER NOT NULL,
    decline_reason TEXT,
    -- The figures that the credit decision was based on.
    decision_inputs TEXT,
    -- The contract; null before it is signed.
    shopper BLOB REFERENCES shopper (id),
    psu BLOB REFERENCES psu (id),
    account BLOB REFERENCES account (id),
    installments INTEGER,
    yearly_rate_basis_points INTEGER,
    discount_minor INTEGER,
    signed_on INTEGER,
    open_principal_minor INTEGER,
    refunded_minor INTEGER NOT NULL DEFAULT 0,
    overdue_since INTEGER,
    -- Set when the customer withdrew and pays back by transfer: by when.
    repay_by INTEGER,
    -- The reference (ISO 11649) by which a transfer to the collection account is assigned.
    creditor_reference TEXT,
    -- When servicing has something to do next.
    next_due_date INTEGER,
    -- When the borrower was reminded of the right of withdrawal, was offered forbearance, paused, and got a longer plan.
    reminded_on INTEGER,
    forbearance_offered_on INTEGER,
    paused_on INTEGER,
    extended_on INTEGER,
    -- The language of messages to the borrower.
    language TEXT
) STRICT;
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
    loan BLOB NOT NULL,
    number INTEGER NOT NULL,
    principal_minor INTEGER NOT NULL,
    interest_minor INTEGER NOT NULL,
    due_date INTEGER NOT NULL,
    -- The business day on which it is collected, and the day since which nothing is left to be paid.
    payment_date INTEGER NOT NULL,
    paid_on INTEGER,
    -- As in the contract; null for an installment that a longer plan added.
    agreed_due_date INTEGER,
    agreed_payment_date INTEGER,
    paid_principal_minor INTEGER NOT NULL,
    paid_interest_minor INTEGER NOT NULL,
    cancelled_minor INTEGER NOT NULL,
    interest_accrued INTEGER NOT NULL,
    collection_attempts INTEGER NOT NULL,
    refunded_minor INTEGER NOT NULL,
    waived_minor INTEGER NOT NULL,
    -- Principal that a longer plan moved to an installment after the last one.
    deferred_minor INTEGER NOT NULL,
    PRIMARY KEY (loan, number)
) STRICT, WITHOUT ROWID;

-- What a customer asked a person of the bank to decide: a declined purchase, or a longer plan. The loan of a declined purchase is
-- the rejected one. Income and expenses are what the customer declared, per month in minor units.
CREATE TABLE loan_review (
    id BLOB NOT NULL,
    loan BLOB NOT NULL,
    kind TEXT NOT NULL,
    shopper BLOB NOT NULL REFERENCES shopper (id),
    psu BLOB REFERENCES psu (id),
    -- The language of the messages about it.
    language TEXT NOT NULL,
    statement TEXT NOT NULL,
    income_minor INTEGER,
    expenses_minor INTEGER,
    income_source TEXT,
    status TEXT NOT NULL,
    requested_at INTEGER NOT NULL,
    decided_at INTEGER,
    explanation TEXT,
    -- The last day on which a purchase can be made with an approval, and the loan of that purchase.
    valid_until INTEGER,
    used_by BLOB
) STRICT;
CREATE UNIQUE INDEX loan_review_id ON loan_review (id);
CREATE UNIQUE INDEX loan_review_loan ON loan_review (loan, kind);
CREATE INDEX loan_review_open ON loan_review (requested_at) WHERE status = 'open';
CREATE INDEX loan_review_shopper ON loan_review (shopper);

-- A refund as it was reported to the merchant.
CREATE TABLE loan_refund (
    id BLOB NOT NULL,
    loan BLOB NOT NULL,
    application BLOB NOT NULL REFERENCES application (id),
    -- The merchant's requestId, as it was sent.
    request_id TEXT NOT NULL,
    reason TEXT,
    amount_minor INTEGER NOT NULL,
    -- The bank's share, the reduction of the open loan, and the amount paid back to the customer.
    discount_minor INTEGER NOT NULL,
    reduced_minor INTEGER NOT NULL,
    returned_minor INTEGER NOT NULL,
    -- All refunds of the loan up to and including this one.
    total_minor INTEGER NOT NULL,
    refunded_at INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX loan_refund_id ON loan_refund (id);
CREATE INDEX loan_refund_loan ON loan_refund (loan);

-- Who has paid a loan by transfer, by IBAN: a refund of what was paid goes back there.
CREATE TABLE loan_payer (
    loan BLOB NOT NULL,
    iban TEXT NOT NULL,
    name TEXT NOT NULL,
    -- The payer's bank, and this bank as the payer's bank addressed it; null for a payer of this bank.
    agent TEXT,
    own_agent TEXT,
    currency TEXT NOT NULL,
    paid_minor INTEGER NOT NULL,
    returned_minor INTEGER NOT NULL,
    last_paid_at INTEGER NOT NULL,
    PRIMARY KEY (loan, iban)
) STRICT;

-- The payments by which a refund goes back to the payers of a loan. The bank is their payer, under this IBAN and BIC.
CREATE TABLE loan_refund_payment (
    payment BLOB NOT NULL,
    refund BLOB NOT NULL,
    loan BLOB NOT NULL
) STRICT;
CREATE UNIQUE INDEX loan_refund_payment_payment ON loan_refund_payment (payment);
CREATE INDEX loan_refund_payment_loan ON loan_refund_payment (loan);

-- The documents of a loan as the borrower received them: never changed, their hashes are in the audit log.
CREATE TABLE loan_document (
    loan BLOB NOT NULL,
    kind TEXT NOT NULL,
    -- The language tag.
    language TEXT NOT NULL,
    sha256 BLOB NOT NULL,
    content BLOB NOT NULL,
    created_at INTEGER NOT NULL,
    PRIMARY KEY (loan, kind)
) STRICT;

-- Payments of the bank itself, with the account and the BIC under which it pays.
CREATE TABLE bank_payment (
    payment BLOB PRIMARY KEY,
    debtor_iban TEXT NOT NULL,
    debtor_agent TEXT NOT NULL
) STRICT;

-- The payments by which balances of merchants are paid out.
CREATE TABLE merchant_payout (
    payment BLOB PRIMARY KEY,
    merchant BLOB NOT NULL
) STRICT;
CREATE INDEX merchant_payout_merchant ON merchant_payout (merchant, payment);

-- A browser that views the loan of a borrower without an account here, after a code or before it.
CREATE TABLE guest_session (
    loan BLOB NOT NULL,
    session_token_hash BLOB NOT NULL,
    expires_at INTEGER NOT NULL,
    -- Whether the telephone number was verified.
    verified INTEGER NOT NULL,
    challenge_nonce BLOB,
    challenge_otp_hash BLOB,
    challenge_sent_at INTEGER,
    challenge_attempts INTEGER,
    challenge_send_count INTEGER,
    PRIMARY KEY (loan, session_token_hash)
) STRICT, WITHOUT ROWID;
CREATE INDEX guest_session_expires_at ON guest_session (expires_at);

-- A checkout in the one browser that opened it.
CREATE TABLE checkout (
    basket INTEGER NOT NULL,
    session_token_hash BLOB NOT NULL,
    last_seen_at INTEGER NOT NULL,
    -- The telephone number that was entered, and the shopper once it is verified.
    phone TEXT,
    shopper BLOB REFERENCES shopper (id),
    psu BLOB REFERENCES psu (id),
    -- What a shopper without an account here declared to earn and to spend in a month.
    income_minor INTEGER,
    expenses_minor INTEGER,
    income_source TEXT,
    challenge_nonce BLOB,
    challenge_otp_hash BLOB,
    challenge_sent_at INTEGER,
    challenge_attempts INTEGER,
    challenge_send_count INTEGER
) STRICT;
CREATE UNIQUE INDEX checkout_basket ON checkout (basket);

-- Statistics: availability and performance of the interfaces

-- Requests of applications, for their developers: without secrets, bounded in rows, and deleted after some days.
CREATE TABLE request_log (
    application BLOB NOT NULL REFERENCES application (id),
    -- A UUID of version 7, so that requests are in the order of their time.
    id BLOB NOT NULL,
    recorded_at INTEGER NOT NULL,
    correlation_id BLOB NOT NULL,
    operation TEXT NOT NULL,
    method TEXT NOT NULL,
    -- Path and query.
    target TEXT NOT NULL,
    status INTEGER NOT NULL,
    duration_micros INTEGER NOT NULL,
    request_headers TEXT NOT NULL,
    request_body TEXT,
    response_headers TEXT NOT NULL,
    response_body TEXT,
    PRIMARY KEY (application, id)
) STRICT, WITHOUT ROWID;

-- What a process has counted of the requests of a day since its start. A process overwrites its own rows, so that a repeated write counts
-- nothing twice; the figures of a day are the sums over all processes.
CREATE TABLE call_count (
    day INTEGER NOT NULL,
    interface TEXT NOT NULL,
    service TEXT NOT NULL,
    process BLOB NOT NULL,
    requests INTEGER NOT NULL,
    errors INTEGER NOT NULL,
    micros_total INTEGER NOT NULL,
    micros_max INTEGER NOT NULL,
    -- The numbers of response times by class, separated by commas.
    buckets TEXT NOT NULL,
    PRIMARY KEY (day, interface, service, process)
) STRICT, WITHOUT ROWID;

-- Figures of the health of a process, sampled every few minutes, for the graphs of the console.
CREATE TABLE health_sample (
    sampled_at INTEGER NOT NULL,
    process BLOB NOT NULL,
    figure TEXT NOT NULL,
    value INTEGER NOT NULL,
    PRIMARY KEY (sampled_at, process, figure)
) STRICT, WITHOUT ROWID;

-- When a process has served an interface. The end is written every few seconds.
CREATE TABLE serving_period (
    interface TEXT NOT NULL,
    process BLOB NOT NULL,
    started_at INTEGER NOT NULL,
    ended_at INTEGER NOT NULL,
    -- Whether an orderly stop has ended it.
    is_stopped INTEGER NOT NULL,
    PRIMARY KEY (interface, process, started_at)
) STRICT, WITHOUT ROWID;
CREATE INDEX serving_period_ended_at ON serving_period (interface, ended_at);

-- Reporting: views for analysts, with amounts in units of their currency, dates and times in the bank's time zone, and statuses in
-- words. docs/reporting.md lists every column.

-- Currencies whose unit does not have a hundred parts.
CREATE TABLE currency_scale (
    currency TEXT PRIMARY KEY,
    digits INTEGER NOT NULL,
    units INTEGER NOT NULL
) STRICT;
INSERT INTO currency_scale (currency, digits, units) VALUES
    ('BIF', 0, 1), ('CLP', 0, 1), ('DJF', 0, 1), ('GNF', 0, 1), ('ISK', 0, 1), ('JPY', 0, 1),
    ('KMF', 0, 1), ('KRW', 0, 1), ('PYG', 0, 1), ('RWF', 0, 1), ('UGX', 0, 1), ('VND', 0, 1),
    ('VUV', 0, 1), ('XAF', 0, 1), ('XOF', 0, 1), ('XPF', 0, 1), ('BHD', 3, 1000), ('IQD', 3, 1000),
    ('JOD', 3, 1000), ('KWD', 3, 1000), ('LYD', 3, 1000), ('OMR', 3, 1000), ('TND', 3, 1000);

-- The offsets of the bank's time zone from UTC, each from an instant on. A start stores them from the configuration: SQLite knows no
-- time zones.
CREATE TABLE zone_offset (
    starts_at INTEGER PRIMARY KEY,
    offset_seconds INTEGER NOT NULL
) STRICT;

-- Customers of the bank, former ones included.
CREATE VIEW report_customers AS
SELECT
    LOWER(SUBSTR(HEX(p.id), 1, 8) || '-' || SUBSTR(HEX(p.id), 9, 4) || '-' || SUBSTR(HEX(p.id), 13, 4) || '-' ||
        SUBSTR(HEX(p.id), 17, 4) || '-' || SUBSTR(HEX(p.id), 21)) AS customer_id,
    p.login,
    p.name,
    p.phone,
    CASE WHEN p.closed_at IS NULL THEN 'active' ELSE 'closed' END AS status,
    DATE(p.created_at / 1000000 + COALESCE((SELECT z.offset_seconds FROM zone_offset z
        WHERE z.starts_at <= p.created_at ORDER BY z.starts_at DESC LIMIT 1), 0), 'unixepoch') AS customer_since,
    DATE(p.closed_at / 1000000 + COALESCE((SELECT z.offset_seconds FROM zone_offset z
        WHERE z.starts_at <= p.closed_at ORDER BY z.starts_at DESC LIMIT 1), 0), 'unixepoch') AS closed_on
FROM psu p;

-- Payment accounts with their balances as they are now.
CREATE VIEW report_accounts AS
SELECT
    LOWER(SUBSTR(HEX(a.id), 1, 8) || '-' || SUBSTR(HEX(a.id), 9, 4) || '-' || SUBSTR(HEX(a.id), 13, 4) || '-' ||
        SUBSTR(HEX(a.id), 17, 4) || '-' || SUBSTR(HEX(a.id), 21)) AS account_id,
    a.iban,
    a.currency,
    (SELECT GROUP_CONCAT(owner.name, ', ')
         FROM (SELECT p.name FROM account_owner o JOIN psu p ON p.id = o.psu WHERE o.account = a.id ORDER BY o.position) owner) AS owners,
    a.name,
    a.product,
    a.kind,
    a.usage,
    CASE a.status WHEN 'enabled' THEN 'open' WHEN 'deleted' THEN 'closed' ELSE a.status END AS status,
    DATE(a.opened_at / 1000000 + COALESCE((SELECT z.offset_seconds FROM zone_offset z
        WHERE z.starts_at <= a.opened_at ORDER BY z.starts_at DESC LIMIT 1), 0), 'unixepoch') AS opened_on,
    ROUND(l.booked_minor * 1.0 / COALESCE(s.units, 100), 3) AS booked_balance,
    ROUND(l.held_minor * 1.0 / COALESCE(s.units, 100), 3) AS held_amount,
    ROUND(a.credit_limit_minor * 1.0 / COALESCE(s.units, 100), 3) AS credit_limit,
    ROUND((l.booked_minor - l.held_minor + a.credit_limit_minor) * 1.0 / COALESCE(s.units, 100), 3) AS available_balance,
    DATE((SELECT MAX(e.booking_date) FROM entry e WHERE e.account = l.id) * 86400, 'unixepoch') AS last_booked_on
FROM account a JOIN ledger_account l ON l.id = a.ledger_account
LEFT JOIN currency_scale s ON s.currency = a.currency;

-- The entries of all statements: accounts, cards and the balances owed to merchants.
CREATE VIEW report_bookings AS
SELECT
    CASE l.kind WHEN 2000 THEN 'account' WHEN 2050 THEN 'card' WHEN 2100 THEN 'merchant' END AS account_type,
    COALESCE(a.iban, c.masked_pan, m.name) AS account,
    e.seq AS entry_number,
    DATE(e.booking_date * 86400, 'unixepoch') AS booked_on,
    DATE(t.value_date * 86400, 'unixepoch') AS value_date,
    t.currency,
    ROUND(e.amount_minor * 1.0 / COALESCE(s.units, 100), 3) AS amount,
    ROUND(e.balance_minor * 1.0 / COALESCE(s.units, 100), 3) AS balance_after,
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
CREATE VIEW report_payments AS
SELECT
    LOWER(SUBSTR(HEX(p.id), 1, 8) || '-' || SUBSTR(HEX(p.id), 9, 4) || '-' || SUBSTR(HEX(p.id), 13, 4) || '-' ||
        SUBSTR(HEX(p.id), 17, 4) || '-' || SUBSTR(HEX(p.id), 21)) AS payment_id,
    a.name AS third_party,
    p.product,
    CASE WHEN p.frequency IS NOT NULL THEN 'standing order' WHEN p.bulk_line_count IS NOT NULL THEN 'bulk' ELSE 'single' END AS kind,
    CASE WHEN COALESCE(p.bulk, p.standing_order) IS NOT NULL THEN
        LOWER(SUBSTR(HEX(COALESCE(p.bulk, p.standing_order)), 1, 8) || '-' || SUBSTR(HEX(COALESCE(p.bulk, p.standing_order)), 9, 4) || '-' ||
        SUBSTR(HEX(COALESCE(p.bulk, p.standing_order)), 13, 4) || '-' || SUBSTR(HEX(COALESCE(p.bulk, p.standing_order)), 17, 4) || '-' ||
        SUBSTR(HEX(COALESCE(p.bulk, p.standing_order)), 21)) END AS part_of,
    p.psu_login AS customer_login,
    p.debtor_value AS payer_account,
    p.creditor_name AS payee_name,
    p.creditor_iban AS payee_iban,
    p.currency,
    ROUND(p.amount_minor * 1.0 / COALESCE(s.units, 100), 3) AS amount,
    ROUND(p.fee_minor * 1.0 / COALESCE(s.units, 100), 3) AS fee,
    CASE p.status WHEN 'RCVD' THEN 'received' WHEN 'ACTC' THEN 'authorised' WHEN 'ACCP' THEN 'accepted' WHEN 'PART' THEN 'partly accepted' WHEN 'ACSP' THEN 'submitted'
         WHEN 'ACSC' THEN 'settled' WHEN 'ACCC' THEN 'credited' WHEN 'RJCT' THEN 'rejected' WHEN 'CANC' THEN 'cancelled' END AS status,
    p.status AS status_code,
    p.rejection_reason,
    CASE p.payee_verification WHEN 'MTCH' THEN 'match' WHEN 'CMTC' THEN 'close match' WHEN 'NMTC' THEN 'no match'
         WHEN 'NOAP' THEN 'not possible' END AS payee_verification,
    p.remittance,
    p.end_to_end_id,
    DATE(p.created_at / 1000000 + COALESCE((SELECT z.offset_seconds FROM zone_offset z
        WHERE z.starts_at <= p.created_at ORDER BY z.starts_at DESC LIMIT 1), 0), 'unixepoch') AS created_on,
    DATETIME(p.created_at / 1000000 + COALESCE((SELECT z.offset_seconds FROM zone_offset z
        WHERE z.starts_at <= p.created_at ORDER BY z.starts_at DESC LIMIT 1), 0), 'unixepoch') AS created_at,
    DATETIME(p.last_action_at / 1000000 + COALESCE((SELECT z.offset_seconds FROM zone_offset z
        WHERE z.starts_at <= p.last_action_at ORDER BY z.starts_at DESC LIMIT 1), 0), 'unixepoch') AS last_changed_at
FROM payment p JOIN application a ON a.id = p.application LEFT JOIN currency_scale s ON s.currency = p.currency;

-- Consents of customers to third parties.
CREATE VIEW report_consents AS
SELECT
    LOWER(SUBSTR(HEX(c.id), 1, 8) || '-' || SUBSTR(HEX(c.id), 9, 4) || '-' || SUBSTR(HEX(c.id), 13, 4) || '-' ||
        SUBSTR(HEX(c.id), 17, 4) || '-' || SUBSTR(HEX(c.id), 21)) AS consent_id,
    a.name AS third_party,
    CASE c.kind WHEN 'access' THEN 'account information' ELSE 'funds confirmation' END AS kind,
    c.psu_login AS customer_login,
    CASE c.status WHEN 'revokedByPsu' THEN 'revoked by customer' WHEN 'terminatedByTpp' THEN 'terminated by third party'
         ELSE c.status END AS status,
    c.rejection_reason,
    CASE WHEN c.recurring THEN 'yes' WHEN NOT c.recurring THEN 'no' END AS recurring,
    c.frequency_per_day AS reads_per_day,
    DATE(c.created_at / 1000000 + COALESCE((SELECT z.offset_seconds FROM zone_offset z
        WHERE z.starts_at <= c.created_at ORDER BY z.starts_at DESC LIMIT 1), 0), 'unixepoch') AS created_on,
    DATETIME(c.created_at / 1000000 + COALESCE((SELECT z.offset_seconds FROM zone_offset z
        WHERE z.starts_at <= c.created_at ORDER BY z.starts_at DESC LIMIT 1), 0), 'unixepoch') AS created_at,
    DATETIME(c.authorised_at / 1000000 + COALESCE((SELECT z.offset_seconds FROM zone_offset z
        WHERE z.starts_at <= c.authorised_at ORDER BY z.starts_at DESC LIMIT 1), 0), 'unixepoch') AS authorised_at,
    DATE(c.valid_until / 1000000 + COALESCE((SELECT z.offset_seconds FROM zone_offset z
        WHERE z.starts_at <= c.valid_until ORDER BY z.starts_at DESC LIMIT 1), 0), 'unixepoch') AS valid_until,
    DATETIME(u.used_at / 1000000 + COALESCE((SELECT z.offset_seconds FROM zone_offset z
        WHERE z.starts_at <= u.used_at ORDER BY z.starts_at DESC LIMIT 1), 0), 'unixepoch') AS last_used_at
FROM consent c JOIN application a ON a.id = c.application LEFT JOIN consent_last_used u ON u.consent = c.id;

-- Loans from their request on.
CREATE VIEW report_loans AS
SELECT
    LOWER(SUBSTR(HEX(l.id), 1, 8) || '-' || SUBSTR(HEX(l.id), 9, 4) || '-' || SUBSTR(HEX(l.id), 13, 4) || '-' ||
        SUBSTR(HEX(l.id), 17, 4) || '-' || SUBSTR(HEX(l.id), 21)) AS loan_id,
    l.basket AS basket_number,
    m.name AS merchant,
    p.name AS customer_name,
    h.phone AS borrower_phone,
    a.iban AS collection_iban,
    CASE l.status WHEN 'writtenOff' THEN 'written off' ELSE l.status END AS status,
    l.decline_reason,
    l.currency,
    ROUND(l.amount_minor * 1.0 / COALESCE(s.units, 100), 3) AS amount,
    ROUND(l.discount_minor * 1.0 / COALESCE(s.units, 100), 3) AS merchant_discount,
    l.installments,
    ROUND(l.yearly_rate_basis_points / 100.0, 2) AS yearly_rate_percent,
    DATE(l.requested_at / 1000000 + COALESCE((SELECT z.offset_seconds FROM zone_offset z
        WHERE z.starts_at <= l.requested_at ORDER BY z.starts_at DESC LIMIT 1), 0), 'unixepoch') AS requested_on,
    DATETIME(l.requested_at / 1000000 + COALESCE((SELECT z.offset_seconds FROM zone_offset z
        WHERE z.starts_at <= l.requested_at ORDER BY z.starts_at DESC LIMIT 1), 0), 'unixepoch') AS requested_at,
    DATE(l.signed_on * 86400, 'unixepoch') AS signed_on,
    ROUND(l.open_principal_minor * 1.0 / COALESCE(s.units, 100), 3) AS open_principal,
    ROUND(l.refunded_minor * 1.0 / COALESCE(s.units, 100), 3) AS refunded,
    DATE(l.overdue_since * 86400, 'unixepoch') AS overdue_since,
    DATE(l.next_due_date * 86400, 'unixepoch') AS next_due_on,
    DATE(l.repay_by * 86400, 'unixepoch') AS repay_by,
    l.creditor_reference
FROM loan l JOIN merchant m ON m.id = l.merchant LEFT JOIN psu p ON p.id = l.psu LEFT JOIN shopper h ON h.id = l.shopper
LEFT JOIN account a ON a.id = l.account LEFT JOIN currency_scale s ON s.currency = l.currency;

-- The installments of loans.
CREATE VIEW report_loan_installments AS
SELECT
    LOWER(SUBSTR(HEX(i.loan), 1, 8) || '-' || SUBSTR(HEX(i.loan), 9, 4) || '-' || SUBSTR(HEX(i.loan), 13, 4) || '-' ||
        SUBSTR(HEX(i.loan), 17, 4) || '-' || SUBSTR(HEX(i.loan), 21)) AS loan_id,
    i.number AS installment_number,
    DATE(i.due_date * 86400, 'unixepoch') AS due_on,
    DATE(i.payment_date * 86400, 'unixepoch') AS collected_on,
    l.currency,
    ROUND(i.principal_minor * 1.0 / COALESCE(s.units, 100), 3) AS principal,
    ROUND(i.interest_minor * 1.0 / COALESCE(s.units, 100), 3) AS interest,
    ROUND(i.paid_principal_minor * 1.0 / COALESCE(s.units, 100), 3) AS paid_principal,
    ROUND(i.paid_interest_minor * 1.0 / COALESCE(s.units, 100), 3) AS paid_interest,
    ROUND(i.cancelled_minor * 1.0 / COALESCE(s.units, 100), 3) AS cancelled_interest,
    ROUND(i.refunded_minor * 1.0 / COALESCE(s.units, 100), 3) AS refunded_principal,
    ROUND(i.waived_minor * 1.0 / COALESCE(s.units, 100), 3) AS waived_interest,
    ROUND((i.principal_minor + i.interest_minor - i.paid_principal_minor - i.paid_interest_minor - i.cancelled_minor
          - i.refunded_minor - i.waived_minor - i.deferred_minor) * 1.0 / COALESCE(s.units, 100), 3) AS open_amount,
    DATE(i.paid_on * 86400, 'unixepoch') AS paid_on,
    i.collection_attempts
FROM loan_installment i JOIN loan l ON l.id = i.loan LEFT JOIN currency_scale s ON s.currency = l.currency;

-- What the bank owes to each merchant, and why.
CREATE VIEW report_merchant_settlement AS
SELECT
    LOWER(SUBSTR(HEX(m.id), 1, 8) || '-' || SUBSTR(HEX(m.id), 9, 4) || '-' || SUBSTR(HEX(m.id), 13, 4) || '-' ||
        SUBSTR(HEX(m.id), 17, 4) || '-' || SUBSTR(HEX(m.id), 21)) AS merchant_id,
    m.number AS merchant_number,
    m.code,
    m.name,
    m.currency,
    ROUND(COALESCE((SELECT SUM(e.amount_minor) FROM entry e JOIN transfer t ON t.id = e.transfer
         WHERE e.account = l.id AND t.event = 'loan_approved'), 0) * 1.0 / COALESCE(s.units, 100), 3) AS financed,
    ROUND(-COALESCE((SELECT SUM(e.amount_minor) FROM entry e JOIN transfer t ON t.id = e.transfer
         WHERE e.account = l.id AND t.event = 'merchant_refund'), 0) * 1.0 / COALESCE(s.units, 100), 3) AS refunded,
    ROUND(-COALESCE((SELECT SUM(e.amount_minor) FROM entry e JOIN transfer t ON t.id = e.transfer
         WHERE e.account = l.id AND t.event IN ('merchant_payout_settled', 'merchant_payout_internal', 'merchant_payout_returned')), 0) * 1.0 / COALESCE(s.units, 100), 3) AS paid_out,
    ROUND(COALESCE(l.booked_minor, 0) * 1.0 / COALESCE(s.units, 100), 3) AS balance_due
FROM merchant m LEFT JOIN ledger_account l ON l.kind = 2100 AND l.owner = m.id AND l.currency = m.currency
LEFT JOIN currency_scale s ON s.currency = m.currency;

-- Callbacks to merchants that are stored: delivered ones are deleted after some time.
CREATE VIEW report_callbacks AS
SELECT
    LOWER(SUBSTR(HEX(c.id), 1, 8) || '-' || SUBSTR(HEX(c.id), 9, 4) || '-' || SUBSTR(HEX(c.id), 13, 4) || '-' ||
        SUBSTR(HEX(c.id), 17, 4) || '-' || SUBSTR(HEX(c.id), 21)) AS callback_id,
    COALESCE(m.name, a.name) AS merchant,
    c.kind AS outcome,
    c.object_id AS basket_id,
    c.status,
    c.attempts,
    DATE(c.created_at / 1000000 + COALESCE((SELECT z.offset_seconds FROM zone_offset z
        WHERE z.starts_at <= c.created_at ORDER BY z.starts_at DESC LIMIT 1), 0), 'unixepoch') AS created_on,
    DATETIME(c.created_at / 1000000 + COALESCE((SELECT z.offset_seconds FROM zone_offset z
        WHERE z.starts_at <= c.created_at ORDER BY z.starts_at DESC LIMIT 1), 0), 'unixepoch') AS created_at,
    DATETIME(c.next_attempt_at / 1000000 + COALESCE((SELECT z.offset_seconds FROM zone_offset z
        WHERE z.starts_at <= c.next_attempt_at ORDER BY z.starts_at DESC LIMIT 1), 0), 'unixepoch') AS next_attempt_at,
    DATETIME(c.ended_at / 1000000 + COALESCE((SELECT z.offset_seconds FROM zone_offset z
        WHERE z.starts_at <= c.ended_at ORDER BY z.starts_at DESC LIMIT 1), 0), 'unixepoch') AS ended_at,
    (SELECT t.http_status FROM callback_attempt t WHERE t.callback = c.id ORDER BY t.number DESC LIMIT 1) AS last_http_status,
    (SELECT t.error FROM callback_attempt t WHERE t.callback = c.id ORDER BY t.number DESC LIMIT 1) AS last_error
FROM callback c JOIN application a ON a.id = c.application LEFT JOIN merchant m ON m.id = a.merchant
WHERE c.address IS NULL;
