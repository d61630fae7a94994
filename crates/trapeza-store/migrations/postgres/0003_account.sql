-- Customers, their accounts and cards, and what is told about their transactions.

CREATE TABLE psu (
    id BYTEA NOT NULL,
    login TEXT NOT NULL,
    name TEXT NOT NULL,
    phone TEXT NOT NULL,
    password_hash TEXT NOT NULL,
    created_at BIGINT NOT NULL
);
CREATE UNIQUE INDEX psu_id ON psu (id);
CREATE UNIQUE INDEX psu_login ON psu (login);

CREATE TABLE sca_method (
    id BYTEA NOT NULL,
    psu BYTEA NOT NULL REFERENCES psu (id),
    place BIGINT NOT NULL,
    kind TEXT NOT NULL,
    name TEXT NOT NULL
);
CREATE UNIQUE INDEX sca_method_id ON sca_method (id);
CREATE UNIQUE INDEX sca_method_psu ON sca_method (psu, place);

-- One currency each: a multi-currency IBAN is several rows.
CREATE TABLE account (
    id BYTEA NOT NULL,
    ledger BIGINT NOT NULL,
    kind TEXT NOT NULL,
    status TEXT NOT NULL,
    usage TEXT NOT NULL,
    iban TEXT NOT NULL,
    bic TEXT NOT NULL,
    currency TEXT NOT NULL,
    product TEXT NOT NULL,
    name TEXT NOT NULL,
    credit_limit_minor BIGINT NOT NULL,
    opened_at BIGINT NOT NULL
);
CREATE UNIQUE INDEX account_id ON account (id);
CREATE UNIQUE INDEX account_ledger ON account (ledger);
CREATE UNIQUE INDEX account_iban ON account (iban, currency);

CREATE TABLE account_owner (
    account BYTEA NOT NULL REFERENCES account (id),
    psu BYTEA NOT NULL REFERENCES psu (id),
    place BIGINT NOT NULL,
    PRIMARY KEY (account, place)
);
CREATE UNIQUE INDEX account_owner_psu ON account_owner (psu, account);

-- The number is kept as a keyed hash and masked, never whole.
CREATE TABLE card (
    id BYTEA NOT NULL,
    ledger BIGINT NOT NULL,
    holder BYTEA NOT NULL REFERENCES psu (id),
    account BYTEA NOT NULL REFERENCES account (id),
    pan_hash BYTEA NOT NULL,
    masked_pan TEXT NOT NULL,
    status TEXT NOT NULL,
    usage TEXT NOT NULL,
    currency TEXT NOT NULL,
    product TEXT NOT NULL,
    name TEXT NOT NULL,
    credit_limit_minor BIGINT NOT NULL,
    expiry_day BIGINT NOT NULL,
    issued_at BIGINT NOT NULL
);
CREATE UNIQUE INDEX card_id ON card (id);
CREATE UNIQUE INDEX card_ledger ON card (ledger);
CREATE UNIQUE INDEX card_pan ON card (pan_hash);
CREATE INDEX card_holder ON card (holder);
CREATE INDEX card_account ON card (account);

-- What is told about a transfer or a hold. The counts spare a query where there are no parts or exchanges.
CREATE TABLE detail (
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
    purpose BIGINT,
    additional_information TEXT,
    bank_transaction_code TEXT,
    proprietary_code TEXT
);

-- One payment inside a batch, numbered from 1.
CREATE TABLE detail_part (
    detail BIGINT NOT NULL REFERENCES detail (id),
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
    purpose BIGINT,
    PRIMARY KEY (detail, part)
);

-- Exchanges of the whole (part 0) or of one part, in their order.
CREATE TABLE detail_exchange (
    detail BIGINT NOT NULL REFERENCES detail (id),
    part BIGINT NOT NULL,
    place BIGINT NOT NULL,
    source TEXT NOT NULL,
    target TEXT NOT NULL,
    unit TEXT NOT NULL,
    rate TEXT NOT NULL,
    quotation_day BIGINT NOT NULL,
    contract TEXT,
    PRIMARY KEY (detail, part, place)
);

-- What a card's statement tells, beside the detail row of the same number.
CREATE TABLE card_detail (
    detail BIGINT PRIMARY KEY REFERENCES detail (id),
    transaction_day BIGINT NOT NULL,
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
    invoiced BIGINT NOT NULL,
    proprietary_code TEXT
);
