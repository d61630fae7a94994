//! Documentation of accounts, balances and transactions (§2.5, §4.3).

use super::content::value;
use super::content::{Doc, EMPTY, Header, Payload};
use super::envelope::{ACCOUNT_REFERENCE, LINKS, with_envelope};
use super::examples;
use super::parameter::{
    ACCOUNT_PATH, BOOKING_STATUS, CONSENT_ID, CURSOR, DATE_FROM, DATE_TO, ENTRY_REFERENCE_FROM, LIMIT,
    PSU_ADDRESS, TRANSACTION_PATH, WITH_BALANCE,
};
use super::schema::Schema::{self, Boolean, Formatted, Integer, Text};
use super::schema::{Component, Field, list, optional, required};
use crate::wire::account::{AccountBalances, AccountDetails, AccountList, AccountOut, BalanceTable};
use crate::wire::envelope::{Envelope, EnvelopeTail, Links};
use crate::wire::transaction::{self, TransactionLists};
use trapeza_app::account_information::TransactionView;

pub static LIST: Doc = Doc {
    parameters: &[&CONSENT_ID, &PSU_ADDRESS, &WITH_BALANCE],
    answer: Some(Payload::json(
        "The accounts of the consent.",
        || Schema::Component(&ACCOUNTS),
        || {
            let view = examples::account_view(true);
            let accounts = vec![AccountOut::of(&view, BalanceTable::List)];
            value(&AccountList { accounts, envelope: Envelope::default() })
        },
    )),
    headers: &[&REMAINING],
    ..EMPTY
};

pub static DETAILS: Doc = Doc {
    parameters: &[&ACCOUNT_PATH, &CONSENT_ID, &PSU_ADDRESS, &WITH_BALANCE],
    answer: Some(Payload::json(
        "The account.",
        || with_tail(account_fields()),
        || {
            let view = examples::account_view(false);
            value(&AccountDetails {
                account: AccountOut::of(&view, BalanceTable::Details),
                envelope: EnvelopeTail::default(),
            })
        },
    )),
    headers: &[&REMAINING],
    ..EMPTY
};

pub static BALANCES: Doc = Doc {
    parameters: &[&ACCOUNT_PATH, &CONSENT_ID, &PSU_ADDRESS],
    answer: Some(Payload::json(
        "The balances.",
        || Schema::Component(&ACCOUNT_BALANCES),
        || {
            let view = examples::account_view(true);
            value(&AccountBalances::of(&view.account, &view.balances.unwrap_or_default()))
        },
    )),
    headers: &[&REMAINING],
    ..EMPTY
};

pub static TRANSACTIONS: Doc = Doc {
    parameters: &[
        &ACCOUNT_PATH,
        &CONSENT_ID,
        &PSU_ADDRESS,
        &DATE_FROM,
        &DATE_TO,
        &ENTRY_REFERENCE_FROM,
        &BOOKING_STATUS,
        &LIMIT,
        &CURSOR,
        &WITH_BALANCE,
    ],
    answer: Some(Payload::json(
        "A page of the statement.",
        || Schema::Component(&STATEMENT),
        || {
            let path = format!("/v1/accounts/{}/transactions", ACCOUNT_PATH.example);
            let next = format!("{path}?dateFrom=2026-09-01&cursor={}", CURSOR.example);
            let (account, (id, line)) = (examples::account(), examples::line());
            let booked = Some(vec![TransactionView::booked(id, &line)]);
            let lists = TransactionLists { booked, pending: None, next: Links::one("next", next) };
            value(&transaction::page(&account, lists, None))
        },
    )),
    headers: &[&REMAINING],
    ..EMPTY
};

pub static TRANSACTION: Doc = Doc {
    parameters: &[&ACCOUNT_PATH, &TRANSACTION_PATH, &CONSENT_ID, &PSU_ADDRESS],
    answer: Some(Payload::json(
        "The transaction.",
        || with_tail(transaction_fields()),
        || {
            let (id, line) = examples::line();
            value(&transaction::details(id, &line, &format!("/v1/accounts/{}", ACCOUNT_PATH.example)))
        },
    )),
    headers: &[&REMAINING],
    ..EMPTY
};

pub static REMAINING: Header = Header {
    name: "X-Frequency-Remaining",
    description: "The number of reads left in 24 hours without the customer present.",
    schema: || Integer,
};

pub static AMOUNT: Component = Component {
    name: "Amount",
    description: "An amount. Note the capital A.",
    schema: || {
        Schema::Object(vec![
            required("currency", Text, "ISO 4217."),
            required("Amount", Text, "A decimal with a point and all its digits; negative for debits."),
        ])
    },
};

pub static BALANCE: Component = Component {
    name: "Balance",
    description: "A balance. The meaning of its type depends on the response.",
    schema: || {
        Schema::Object(vec![
            required("balanceAmount", Schema::Component(&AMOUNT), "The amount."),
            required(
                "balanceType",
                Integer,
                "In lists, beside transactions and with cards: 0 closingBooked, 2 authorised, 4 interimAvailable, 5 \
                 interimBooked, 7 nonInvoiced. On an account's own page: 0 available, 1 current, 2 credit limit. Where \
                 balances are asked for: 1 current, 2 credit limit, 3 credit available, 4 savings balance, 5 savings \
                 available.",
            ),
            required("creditLimitIncluded", Boolean, "Whether the credit limit is included."),
            optional("referenceDate", Formatted("date"), "The date of the balance, unless it is current."),
            optional("lastCommittedTransaction", Text, "The id of the last booked transaction."),
        ])
    },
};

static ACCOUNTS: Component = Component {
    name: "Accounts",
    description: "The accounts of a consent.",
    schema: || {
        with_envelope(vec![required(
            "accounts",
            list(Schema::Component(&ACCOUNT)),
            "The accounts, in the order they were opened.",
        )])
    },
};

static ACCOUNT: Component = Component {
    name: "Account",
    description: "A payment account.",
    schema: || {
        let mut fields = account_fields();
        fields.push(required("_links", Schema::Component(&LINKS), "Links to what the consent covers."));
        Schema::Object(fields)
    },
};

fn account_fields() -> Vec<Field> {
    vec![
        required("resourceId", Formatted("uuid"), "The id in paths; it never changes."),
        required("iban", Text, "The IBAN."),
        required("currency", Text, "The currency, ISO 4217."),
        required("name", Text, "The owner's name for the account."),
        required("ownerName", Text, "The names of the owners."),
        required("product", Text, "The name of the product."),
        required("cashAccountType", Text, "ISO 20022: CACC current, SVGS savings."),
        required("status", Schema::EnumIndex(&["enabled", "deleted", "blocked"]), ""),
        required("bic", Text, "The bank's BIC."),
        required("usage", Schema::EnumIndex(&["PRIV", "ORGA"]), ""),
        optional(
            "balances",
            list(Schema::Component(&BALANCE)),
            "The balances, if requested and covered by the consent.",
        ),
    ]
}

static ACCOUNT_BALANCES: Component = Component {
    name: "AccountBalances",
    description: "The balances of an account.",
    schema: || {
        with_envelope(vec![
            required("account", Schema::Component(&ACCOUNT_REFERENCE), "The account."),
            required("balances", list(Schema::Component(&BALANCE)), "The balances."),
        ])
    },
};

static STATEMENT: Component = Component {
    name: "AccountTransactions",
    description: "A page of an account's statement.",
    schema: || {
        with_envelope(vec![
            required("account", Schema::Component(&ACCOUNT_REFERENCE), "The account."),
            required("transactions", lines(|| Schema::Component(&TRANSACTION_LINE)), "The transactions."),
            optional(
                "balances",
                list(Schema::Component(&BALANCE)),
                "The balances, if requested and covered by the consent.",
            ),
        ])
    },
};

/// Booked and pending transactions with the link to the next page.
pub fn lines(line: fn() -> Schema) -> Schema {
    Schema::Object(vec![
        optional("booked", list(line()), "Newest first; present if requested."),
        optional("pending", list(line()), "Newest first; present if requested."),
        required("_links", Schema::Component(&LINKS), "`next` is the link to the next page."),
    ])
}

static TRANSACTION_LINE: Component = Component {
    name: "Transaction",
    description: "A transaction of an account.",
    schema: || {
        let mut fields = transaction_fields();
        fields.push(required("_links", Schema::Component(&LINKS), "A link to the details."));
        Schema::Object(fields)
    },
};

static EXCHANGE: Component = Component {
    name: "CurrencyExchange",
    description: "A currency exchange of an amount.",
    schema: || {
        Schema::Object(vec![
            required("sourceCurrency", Text, "Source currency."),
            required("exchangeRate", Text, "Exchange rate."),
            required("unitCurrency", Text, "The currency in which the rate is expressed."),
            required("targetCurrency", Text, "Target currency."),
            required("quotationDate", Formatted("date"), "The date of the rate."),
            optional("contractIdentification", Text, "The id of the exchange contract."),
        ])
    },
};

pub fn exchanges() -> Field {
    optional(
        "currencyExchange",
        list(Schema::Component(&EXCHANGE)),
        "The currency exchanges of the transaction.",
    )
}

fn transaction_fields() -> Vec<Field> {
    let mut fields = vec![
        required("transactionId", Formatted("uuid"), "The id."),
        optional("entryReference", Text, "The position in the statement, for entryReferenceFrom."),
    ];
    fields.extend(particulars());
    fields.extend([
        optional("bookingDate", Formatted("date"), "The booking date."),
        required("valueDate", Formatted("date"), "The value date."),
        optional("additionalInformation", Text, "Additional information."),
        optional("bankTransactionCode", Text, "The ISO 20022 code of the transaction."),
        optional("proprietaryBankTransactionCode", Text, "The bank's own code of the transaction."),
        optional("batchIndicator", Boolean, "Whether the entry books several payments."),
        optional("batchNumberOfTransactions", Integer, "The number of payments."),
        optional("entryDetails", list(Schema::Component(&PART)), "The payments of the batch."),
    ]);
    fields
}

static PART: Component = Component {
    name: "EntryDetail",
    description: "One payment inside a batch booking.",
    schema: || Schema::Object(particulars()),
};

fn particulars() -> Vec<Field> {
    let account = || Schema::Component(&ACCOUNT_REFERENCE);
    vec![
        optional("endToEndId", Text, "The payer's reference."),
        optional("mandateId", Text, "The mandate of a direct debit."),
        optional("checkId", Text, "The number of a cheque."),
        optional("creditorId", Text, "The creditor's id in a direct debit."),
        required("transactionAmount", Schema::Component(&AMOUNT), "The amount; negative for debits."),
        exchanges(),
        optional("creditorName", Text, "The name of the payee."),
        optional("creditorAccount", account(), "The account of the payee."),
        optional("ultimateCreditor", Text, "The ultimate payee."),
        optional("debtorName", Text, "The name of the payer."),
        optional("debtorAccount", account(), "The account of the payer."),
        optional("ultimateDebtor", Text, "The ultimate payer."),
        optional("remittanceInformationUnstructured", Text, "Unstructured remittance information."),
        optional("remittanceInformationStructured", Text, "Structured remittance information."),
        optional(
            "purposeCode",
            Integer,
            "The purpose: the index of the ISO 20022 code in the list, 0 to 285.",
        ),
    ]
}

/// The fields of a response that has its own links, with the rest of the envelope.
pub fn with_tail(fields: Vec<Field>) -> Schema {
    with_envelope(fields)
}
