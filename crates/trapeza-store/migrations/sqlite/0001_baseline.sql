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

-- One row: a digest of the root secret that this database was created with.
CREATE TABLE root_key_check (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    digest BLOB NOT NULL
) STRICT;

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
    disabled_at INTEGER
) STRICT;
CREATE UNIQUE INDEX application_id ON application (id);
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
    entry_count INTEGER
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
    password_hash TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    -- A former customer cannot sign in any more; the login stays reserved.
    closed_at INTEGER
) STRICT;
CREATE UNIQUE INDEX psu_id ON psu (id);
CREATE UNIQUE INDEX psu_login ON psu (login);

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
CREATE TABLE account (
    id BLOB NOT NULL,
    ledger_account INTEGER NOT NULL,
    kind TEXT NOT NULL,
    status TEXT NOT NULL,
    usage TEXT NOT NULL,
    iban TEXT NOT NULL,
    bic TEXT NOT NULL,
    currency TEXT NOT NULL,
    product TEXT NOT NULL,
    name TEXT NOT NULL,
    credit_limit_minor INTEGER NOT NULL,
    opened_at INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX account_id ON account (id);
CREATE UNIQUE INDEX account_ledger_account ON account (ledger_account);
CREATE UNIQUE INDEX account_iban ON account (iban, currency);

CREATE TABLE account_owner (
    account BLOB NOT NULL REFERENCES account (id),
    psu BLOB NOT NULL REFERENCES psu (id),
    position INTEGER NOT NULL,
    PRIMARY KEY (account, position)
) STRICT;
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

-- Consents

-- Access consents and funds consents. The columns from scope on are null for a funds consent.
CREATE TABLE consent (
    id BLOB NOT NULL,
    application BLOB NOT NULL REFERENCES application (id),
    kind TEXT NOT NULL,
    -- The login as the third party sent it; there may be no such customer.
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
    -- The date if the third party sent a date; valid_until is then its last instant.
    valid_until_date INTEGER,
    valid_until INTEGER,
    frequency_per_day INTEGER,
    combined_service INTEGER
) STRICT;
CREATE UNIQUE INDEX consent_id ON consent (id);
CREATE INDEX consent_deadline ON consent (deadline) WHERE deadline IS NOT NULL;
CREATE INDEX consent_application_psu ON consent (application, psu_login);
CREATE INDEX consent_psu ON consent (psu_login, created_at);

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

-- When a consent was last used; written at intervals, not with every read.
CREATE TABLE consent_last_used (
    consent BLOB PRIMARY KEY,
    used_at INTEGER NOT NULL
) STRICT;

-- Strong customer authentication

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
    PRIMARY KEY (subject, channel, kind)
) STRICT;

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
    sent_at INTEGER,
    claimed_until INTEGER,
    -- The trace of the request that caused it (W3C Trace Context).
    traceparent TEXT
) STRICT;
CREATE UNIQUE INDEX notification_id ON notification (id);
CREATE INDEX notification_created_at ON notification (created_at);
CREATE INDEX notification_waiting ON notification (created_at) WHERE status = 'waiting';

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
CREATE INDEX enrolled_device_expires_at ON enrolled_device (expires_at);

-- Payments and clearing

-- A payment order and its status. The money is in the ledger, under the payment's id.
CREATE TABLE payment (
    id BLOB NOT NULL,
    application BLOB NOT NULL REFERENCES application (id),
    product TEXT NOT NULL,
    -- The login as the third party sent it; there may be no such customer.
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
    routed_agent TEXT
) STRICT;
CREATE UNIQUE INDEX payment_id ON payment (id);
CREATE INDEX payment_deadline ON payment (deadline) WHERE deadline IS NOT NULL;
CREATE INDEX payment_submit_at ON payment (submit_at) WHERE submit_at IS NOT NULL;

-- Payments or returns that leave in one clearing file, named by the batch's id. The file is generated from these rows
-- alone, so generating it again gives the same file.
CREATE TABLE clearing_batch (
    id BLOB NOT NULL,
    kind TEXT NOT NULL,
    status TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    settlement_date INTEGER NOT NULL,
    claimed_until INTEGER,
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
    -- The part that goes back when the rest was booked; null when all of it goes back.
    excess_minor INTEGER,
    -- The batch in which it is returned.
    batch BLOB,
    position INTEGER
) STRICT;
CREATE UNIQUE INDEX clearing_incoming_key ON clearing_incoming (message_id, transaction_id);
CREATE INDEX clearing_incoming_suspended ON clearing_incoming (received_at) WHERE status = 'suspended';
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
    file TEXT NOT NULL,
    problem TEXT NOT NULL,
    recorded_at INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX clearing_problem_key ON clearing_problem (file, problem);
CREATE INDEX clearing_problem_recorded ON clearing_problem (recorded_at);

-- Clearing messages that were processed completely.
CREATE TABLE clearing_message (
    kind TEXT NOT NULL,
    message_id TEXT NOT NULL,
    digest BLOB NOT NULL,
    processed_at INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX clearing_message_key ON clearing_message (kind, message_id);

-- Callbacks: the outbox of webhooks to merchants

CREATE TABLE callback (
    id BLOB NOT NULL,
    application BLOB NOT NULL REFERENCES application (id),
    kind TEXT NOT NULL,
    public_basket_id TEXT NOT NULL,
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

-- The latest attempts of each callback.
CREATE TABLE callback_attempt (
    callback BLOB NOT NULL,
    number INTEGER NOT NULL,
    attempted_at INTEGER NOT NULL,
    duration_ms INTEGER NOT NULL,
    http_status INTEGER,
    error TEXT
) STRICT;
CREATE UNIQUE INDEX callback_attempt_number ON callback_attempt (callback, number);

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
    -- Where the shopper returns to, instead of the application's addresses.
    success_redirect TEXT,
    failure_redirect TEXT,
    -- The products, encoded by the store (basket/products.rs); null when there are none.
    products BLOB
) STRICT;
CREATE UNIQUE INDEX basket_number ON basket (number);
CREATE UNIQUE INDEX basket_public_id ON basket (public_id);
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
    next_due_date INTEGER
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
    paid_principal_minor INTEGER NOT NULL,
    paid_interest_minor INTEGER NOT NULL,
    cancelled_minor INTEGER NOT NULL,
    interest_accrued INTEGER NOT NULL,
    collection_attempts INTEGER NOT NULL,
    refunded_minor INTEGER NOT NULL,
    waived_minor INTEGER NOT NULL,
    PRIMARY KEY (loan, number)
) STRICT, WITHOUT ROWID;

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

-- A checkout in the one browser that opened it.
CREATE TABLE checkout (
    basket INTEGER NOT NULL,
    session_token_hash BLOB NOT NULL,
    last_seen_at INTEGER NOT NULL,
    -- The telephone number that was entered, and the shopper once it is verified.
    phone TEXT,
    shopper BLOB REFERENCES shopper (id),
    psu BLOB REFERENCES psu (id),
    challenge_nonce BLOB,
    challenge_otp_hash BLOB,
    challenge_sent_at INTEGER,
    challenge_attempts INTEGER,
    challenge_send_count INTEGER
) STRICT;
CREATE UNIQUE INDEX checkout_basket ON checkout (basket);
