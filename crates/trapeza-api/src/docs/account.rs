//! Accounts, balances and transactions, documented (§2.5, §4.3).

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
use crate::wire::transaction;
use serde_json::Value;

pub static LIST: Doc = Doc {
    parameters: &[&CONSENT_ID, &PSU_ADDRESS, &WITH_BALANCE],
    answer: Some(Payload::json(
        "The accounts.",
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
            written(
                &transaction::statement(&examples::statement(), &Links::one("next", next))
                    .unwrap_or_default(),
            )
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
            written(&transaction::details(id, &line, &format!("/v1/accounts/{}", ACCOUNT_PATH.example)))
        },
    )),
    headers: &[&REMAINING],
    ..EMPTY
};

pub static REMAINING: Header = Header {
    name: "X-Frequency-Remaining",
    description: "How often this may still be read in 24 hours without the customer.",
    schema: || Integer,
};

fn written(body: &[u8]) -> Value {
    serde_json::from_slice(body).expect("an example is JSON")
}

pub static AMOUNT: Component = Component {
    name: "Amount",
    description: "Money. Mind the capital A.",
    schema: || {
        Schema::Object(vec![
            required("currency", Text, "ISO 4217."),
            required(
                "Amount",
                Text,
                "A decimal with a point and all its digits; negative when money leaves.",
            ),
        ])
    },
};

pub static BALANCE: Component = Component {
    name: "Balance",
    description: "A balance. What its number means depends on where it is shown.",
    schema: || {
        Schema::Object(vec![
            required("balanceAmount", Schema::Component(&AMOUNT), "How much."),
            required(
                "balanceType",
                Integer,
                "In lists, beside transactions and with cards: 0 closingBooked, 2 authorised, 4 interimAvailable, 5 \
                 interimBooked, 7 nonInvoiced. On an account's own page: 0 available, 1 current, 2 credit limit. Where \
                 balances are asked for: 1 current, 2 credit limit, 3 credit available, 4 savings balance, 5 savings \
                 available.",
            ),
            required("creditLimitIncluded", Boolean, "Whether the credit limit is counted in."),
            optional("referenceDate", Formatted("date"), "Its day, when it is not of now."),
            optional("lastCommittedTransaction", Text, "The transaction that was booked last."),
        ])
    },
};

static ACCOUNTS: Component = Component {
    name: "Accounts",
    description: "The accounts that a consent opens.",
    schema: || {
        with_envelope(vec![required(
            "accounts",
            list(Schema::Component(&ACCOUNT)),
            "In the order they were opened.",
        )])
    },
};

static ACCOUNT: Component = Component {
    name: "Account",
    description: "A payment account.",
    schema: || {
        let mut fields = account_fields();
        fields.push(required("_links", Schema::Component(&LINKS), "What of it the consent covers."));
        Schema::Object(fields)
    },
};

fn account_fields() -> Vec<Field> {
    vec![
        required("resourceId", Formatted("uuid"), "Its id in paths; it never changes."),
        required("iban", Text, "Its IBAN."),
        required("currency", Text, "Its currency, ISO 4217."),
        required("name", Text, "What its owner calls it."),
        required("ownerName", Text, "Whose it is."),
        required("product", Text, "What the bank calls it."),
        required("cashAccountType", Text, "ISO 20022: CACC current, SVGS savings."),
        required("status", Schema::EnumIndex(&["enabled", "deleted", "blocked"]), ""),
        required("bic", Text, "The bank's BIC."),
        required("usage", Schema::EnumIndex(&["PRIV", "ORGA"]), ""),
        optional("balances", list(Schema::Component(&BALANCE)), "When they were asked for and are covered."),
    ]
}

static ACCOUNT_BALANCES: Component = Component {
    name: "AccountBalances",
    description: "The balances of an account.",
    schema: || {
        with_envelope(vec![
            required("account", Schema::Component(&ACCOUNT_REFERENCE), "Which account."),
            required("balances", list(Schema::Component(&BALANCE)), "Its balances."),
        ])
    },
};

static STATEMENT: Component = Component {
    name: "AccountTransactions",
    description: "A page of an account's statement.",
    schema: || {
        with_envelope(vec![
            required("account", Schema::Component(&ACCOUNT_REFERENCE), "Which account."),
            required("transactions", lines(|| Schema::Component(&TRANSACTION_LINE)), "The transactions."),
            optional(
                "balances",
                list(Schema::Component(&BALANCE)),
                "When they were asked for and are covered.",
            ),
        ])
    },
};

/// Booked and pending lines with the way to the next page.
pub fn lines(line: fn() -> Schema) -> Schema {
    Schema::Object(vec![
        optional("booked", list(line()), "Newest first; there when asked for."),
        optional("pending", list(line()), "Newest first; there when asked for."),
        required("_links", Schema::Component(&LINKS), "`next` leads to the next page."),
    ])
}

static TRANSACTION_LINE: Component = Component {
    name: "Transaction",
    description: "A transaction of an account.",
    schema: || {
        let mut fields = transaction_fields();
        fields.push(required("_links", Schema::Component(&LINKS), "Where all of it is told."));
        Schema::Object(fields)
    },
};

static EXCHANGE: Component = Component {
    name: "CurrencyExchange",
    description: "An exchange on the way of an amount.",
    schema: || {
        Schema::Object(vec![
            required("sourceCurrency", Text, "From."),
            required("exchangeRate", Text, "At which rate."),
            required("unitCurrency", Text, "The currency that the rate counts in."),
            required("targetCurrency", Text, "To."),
            required("quotationDate", Formatted("date"), "When the rate was quoted."),
            optional("contractIdentification", Text, "Under which contract."),
        ])
    },
};

pub fn exchanges() -> Field {
    optional("currencyExchange", list(Schema::Component(&EXCHANGE)), "Exchanges on its way.")
}

fn transaction_fields() -> Vec<Field> {
    let mut fields = vec![
        required("transactionId", Formatted("uuid"), "Its id."),
        optional("entryReference", Text, "Its place in the statement, for entryReferenceFrom."),
    ];
    fields.extend(particulars());
    fields.extend([
        optional("bookingDate", Formatted("date"), "When it was booked."),
        required("valueDate", Formatted("date"), "From when it counts."),
        optional("additionalInformation", Text, "More about it."),
        optional("bankTransactionCode", Text, "Its kind by ISO 20022."),
        optional("proprietaryBankTransactionCode", Text, "Its kind in the bank's words."),
        optional("batchIndicator", Boolean, "It books several payments at once."),
        optional("batchNumberOfTransactions", Integer, "How many."),
        optional("entryDetails", list(Schema::Component(&PART)), "Each of them."),
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
        required("transactionAmount", Schema::Component(&AMOUNT), "How much; negative when it left."),
        exchanges(),
        optional("creditorName", Text, "Who got it."),
        optional("creditorAccount", account(), "On which account."),
        optional("ultimateCreditor", Text, "For whom."),
        optional("debtorName", Text, "Who paid it."),
        optional("debtorAccount", account(), "From which account."),
        optional("ultimateDebtor", Text, "On whose behalf."),
        optional("remittanceInformationUnstructured", Text, "What it is for."),
        optional("remittanceInformationStructured", Text, "A reference that programs read."),
        optional(
            "purposeCode",
            Integer,
            "Its purpose: the place of the ISO 20022 code in the list, 0 to 285.",
        ),
    ]
}

/// An answer that has links of its own, with the rest of the envelope.
pub fn with_tail(fields: Vec<Field>) -> Schema {
    with_envelope(fields)
}
