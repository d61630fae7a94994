-- Customers, their accounts and cards, and what is told about their transactions.

CREATE TABLE psu (
    id BLOB NOT NULL,
    login TEXT NOT NULL,
    name TEXT NOT NULL,
    phone TEXT NOT NULL,
    password_hash TEXT NOT NULL,
    created_at INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX psu_id ON psu (id);
CREATE UNIQUE INDEX psu_login ON psu (login);

CREATE TABLE sca_method (
    id BLOB NOT NULL,
    psu BLOB NOT NULL REFERENCES psu (id),
    place INTEGER NOT NULL,
    kind TEXT NOT NULL,
    name TEXT NOT NULL
) STRICT;
CREATE UNIQUE INDEX sca_method_id ON sca_method (id);
CREATE UNIQUE INDEX sca_method_psu ON sca_method (psu, place);

-- One currency each: a multi-currency IBAN is several rows.
CREATE TABLE account (
    id BLOB NOT NULL,
    ledger INTEGER NOT NULL,
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
CREATE UNIQUE INDEX account_ledger ON account (ledger);
CREATE UNIQUE INDEX account_iban ON account (iban, currency);

CREATE TABLE account_owner (
    account BLOB NOT NULL REFERENCES account (id),
    psu BLOB NOT NULL REFERENCES psu (id),
    place INTEGER NOT NULL,
    PRIMARY KEY (account, place)
) STRICT;
CREATE UNIQUE INDEX account_owner_psu ON account_owner (psu, account);

-- The number is kept as a keyed hash and masked, never whole.
CREATE TABLE card (
    id BLOB NOT NULL,
    ledger INTEGER NOT NULL,
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
    expiry_day INTEGER NOT NULL,
    issued_at INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX card_id ON card (id);
CREATE UNIQUE INDEX card_ledger ON card (ledger);
CREATE UNIQUE INDEX card_pan ON card (pan_hash);
CREATE INDEX card_holder ON card (holder);
CREATE INDEX card_account ON card (account);

-- What is told about a transfer or a hold. The counts spare a query where there are no parts or exchanges.
CREATE TABLE detail (
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
    purpose INTEGER,
    additional_information TEXT,
    bank_transaction_code TEXT,
    proprietary_code TEXT
) STRICT;

-- One payment inside a batch, numbered from 1.
CREATE TABLE detail_part (
    detail INTEGER NOT NULL REFERENCES detail (id),
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
    purpose INTEGER,
    PRIMARY KEY (detail, part)
) STRICT;

-- Exchanges of the whole (part 0) or of one part, in their order.
CREATE TABLE detail_exchange (
    detail INTEGER NOT NULL REFERENCES detail (id),
    part INTEGER NOT NULL,
    place INTEGER NOT NULL,
    source TEXT NOT NULL,
    target TEXT NOT NULL,
    unit TEXT NOT NULL,
    rate TEXT NOT NULL,
    quotation_day INTEGER NOT NULL,
    contract TEXT,
    PRIMARY KEY (detail, part, place)
) STRICT;

-- What a card's statement tells, beside the detail row of the same number.
CREATE TABLE card_detail (
    detail INTEGER PRIMARY KEY REFERENCES detail (id),
    transaction_day INTEGER NOT NULL,
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
