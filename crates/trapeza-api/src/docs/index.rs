//! Which documentation belongs to which operation: its group, its summary, and its [`Doc`].
//!
//! Operations know nothing of their documentation; it is found here by the operation's id.

use super::content::Doc;
use super::{
    account, authorisation, basket, card, consent, funds, health, loan, pay_later, payment,
    payment_authorisation, refund, sandbox,
};
use crate::operation as op;
use trapeza_http::operation::Operation;

/// The documentation of one operation.
pub struct Entry {
    operation: &'static Operation,
    /// The group that it is listed in, one of [`TAGS`].
    pub tag: &'static str,
    pub summary: &'static str,
    pub doc: &'static Doc,
}

/// The documentation of an operation. A test proves that every operation has an entry.
pub fn of(operation: &Operation) -> &'static Entry {
    let mut entries = ENTRIES.iter();
    entries.find(|entry| entry.operation.id == operation.id).expect("every operation is documented")
}

const fn entry(
    operation: &'static Operation,
    tag: &'static str,
    summary: &'static str,
    doc: &'static Doc,
) -> Entry {
    Entry { operation, tag, summary, doc }
}

/// The groups of the documentation, in its order, each with a sentence.
pub static TAGS: &[(&str, &str)] = &[
    ("Consents", "A third party asks a customer for access to accounts, and sees where that stands."),
    ("Funds consents", "A card issuer asks a customer for leave to check whether money is there."),
    ("Payments", "A third party orders a payment; the customer authorises it, and may call it back."),
    ("Accounts", "Accounts, balances and transactions, inside a granted consent."),
    ("Cards", "Cards, their balances and transactions, inside a granted consent."),
    ("Pay Later", "A merchant lends at its till."),
    (
        "Sandbox",
        "Calls that only a demo bank answers: they move its clock and set an application's addresses.",
    ),
    ("Operation", "What the bank's own machines ask, and this documentation."),
];

static ENTRIES: &[Entry] = &[
    entry(&op::CONSENT_CREATE, "Consents", "Ask for access to a customer's accounts", &consent::CREATE),
    entry(&op::CONSENT_FETCH, "Consents", "What a consent covers, and where it stands", &consent::FETCH),
    entry(&op::CONSENT_STATUS, "Consents", "Where a consent stands", &consent::STATUS),
    entry(&op::CONSENT_DELETE, "Consents", "Give a consent back", &consent::DELETE),
    entry(
        &op::CONSENT_AUTHORISATION_START,
        "Consents",
        "Start the customer's strong authentication",
        &authorisation::START,
    ),
    entry(
        &op::CONSENT_AUTHORISATION_LIST,
        "Consents",
        "The authorisations that were started",
        &authorisation::LIST,
    ),
    entry(
        &op::CONSENT_AUTHORISATION_FETCH,
        "Consents",
        "Where an authorisation stands",
        &authorisation::FETCH,
    ),
    entry(
        &op::CONSENT_AUTHORISATION_UPDATE,
        "Consents",
        "Take the customer's next step: password, method, code",
        &authorisation::UPDATE,
    ),
    entry(
        &op::FUNDS_CONSENT_CREATE,
        "Funds consents",
        "Ask for leave to check whether money is there",
        &funds::CREATE,
    ),
    entry(
        &op::FUNDS_CONSENT_FETCH,
        "Funds consents",
        "What a funds consent covers, and where it stands",
        &funds::FETCH,
    ),
    entry(&op::FUNDS_CONSENT_DELETE, "Funds consents", "Give a funds consent back", &funds::DELETE),
    entry(
        &op::FUNDS_CONSENT_STATUS,
        "Funds consents",
        "Where a funds consent and its newest authorisation stand",
        &funds::STATUS,
    ),
    entry(
        &op::FUNDS_AUTHORISATION_START,
        "Funds consents",
        "Start the customer's strong authentication",
        &authorisation::START,
    ),
    entry(
        &op::FUNDS_AUTHORISATION_LIST,
        "Funds consents",
        "The authorisations that were started",
        &authorisation::LIST,
    ),
    entry(
        &op::FUNDS_AUTHORISATION_FETCH,
        "Funds consents",
        "Where an authorisation stands",
        &authorisation::FETCH,
    ),
    entry(
        &op::FUNDS_AUTHORISATION_UPDATE,
        "Funds consents",
        "Take the customer's next step: password, method, code",
        &authorisation::UPDATE,
    ),
    entry(&op::FUNDS_CONFIRMATION, "Funds consents", "Whether an amount is there", &funds::CONFIRM),
    entry(
        &op::PAYMENT_INITIATE,
        "Payments",
        "Order a payment, which then waits for the customer",
        &payment::INITIATE,
    ),
    entry(&op::PAYMENT_FETCH, "Payments", "What a payment says, and where it stands", &payment::FETCH),
    entry(&op::PAYMENT_STATUS, "Payments", "Where a payment stands", &payment::STATUS),
    entry(&op::PAYMENT_CANCEL, "Payments", "Call a payment back", &payment::CANCEL),
    entry(
        &op::PAYMENT_AUTHORISATION_START,
        "Payments",
        "Start the customer's strong authentication",
        &payment_authorisation::PAYMENT_START,
    ),
    entry(
        &op::PAYMENT_AUTHORISATION_LIST,
        "Payments",
        "The authorisations that were started",
        &payment_authorisation::PAYMENT_LIST,
    ),
    entry(
        &op::PAYMENT_AUTHORISATION_FETCH,
        "Payments",
        "Where an authorisation stands",
        &payment_authorisation::PAYMENT_FETCH,
    ),
    entry(
        &op::PAYMENT_AUTHORISATION_UPDATE,
        "Payments",
        "Take the customer's next step: password, method, code",
        &payment_authorisation::PAYMENT_UPDATE,
    ),
    entry(
        &op::CANCELLATION_AUTHORISATION_START,
        "Payments",
        "Start the customer's strong authentication of a cancellation",
        &payment_authorisation::CANCELLATION_START,
    ),
    entry(
        &op::CANCELLATION_AUTHORISATION_LIST,
        "Payments",
        "The authorisations of a cancellation that were started",
        &payment_authorisation::CANCELLATION_LIST,
    ),
    entry(
        &op::CANCELLATION_AUTHORISATION_FETCH,
        "Payments",
        "Where an authorisation of a cancellation stands",
        &payment_authorisation::CANCELLATION_FETCH,
    ),
    entry(
        &op::CANCELLATION_AUTHORISATION_UPDATE,
        "Payments",
        "Take the customer's next step: password, method, code",
        &payment_authorisation::CANCELLATION_UPDATE,
    ),
    entry(&op::ACCOUNT_LIST, "Accounts", "The accounts that a consent opens", &account::LIST),
    entry(&op::ACCOUNT_DETAILS, "Accounts", "One account", &account::DETAILS),
    entry(&op::ACCOUNT_BALANCES, "Accounts", "An account's balances", &account::BALANCES),
    entry(
        &op::TRANSACTION_LIST,
        "Accounts",
        "An account's transactions, newest first, page by page",
        &account::TRANSACTIONS,
    ),
    entry(&op::TRANSACTION_DETAILS, "Accounts", "One transaction with all it tells", &account::TRANSACTION),
    entry(&op::CARD_LIST, "Cards", "The cards that a consent opens", &card::LIST),
    entry(&op::CARD_DETAILS, "Cards", "One card", &card::DETAILS),
    entry(&op::CARD_BALANCES, "Cards", "A card's balances", &card::BALANCES),
    entry(
        &op::CARD_TRANSACTIONS,
        "Cards",
        "A card's transactions, newest first, page by page",
        &card::TRANSACTIONS,
    ),
    entry(
        &op::BASKET_CREATE,
        "Pay Later",
        "Make a basket that is to be bought now and paid later",
        &basket::CREATE,
    ),
    entry(&op::BASKET_FIND, "Pay Later", "A basket, and what is paid when", &basket::FIND),
    entry(
        &op::LOAN_SIMULATE,
        "Pay Later",
        "Decide a basket at once, without a customer: test applications only",
        &loan::SIMULATE,
    ),
    entry(&op::LOAN_FETCH, "Pay Later", "What became of a basket's loan", &loan::FETCH),
    entry(&op::LOAN_REFUND, "Pay Later", "Give back a basket's loan, in part or whole", &refund::REFUND),
    entry(
        &op::BASKET_VOID,
        "Pay Later",
        "Take a basket back: it ends, or its loan is refunded whole",
        &refund::VOID,
    ),
    entry(
        &op::CONFIGURATION,
        "Pay Later",
        "The merchant's limits and installment plans",
        &pay_later::CONFIGURATION,
    ),
    entry(&op::SANDBOX_CLOCK, "Sandbox", "What time the bank believes it is", &sandbox::CLOCK),
    entry(&op::SANDBOX_CLOCK_ADVANCE, "Sandbox", "Move the bank's clock forward", &sandbox::CLOCK_ADVANCE),
    entry(
        &op::SANDBOX_MESSAGES,
        "Sandbox",
        "What customers were sent: the newest hundred",
        &sandbox::MESSAGES,
    ),
    entry(
        &op::SANDBOX_APPLICATION,
        "Sandbox",
        "Set the calling application's own callback and redirect addresses",
        &sandbox::APPLICATION,
    ),
    entry(&op::LIVEZ, "Operation", "Whether the process runs", &health::LIVE),
    entry(&op::READYZ, "Operation", "Whether the process takes requests", &health::READY),
    entry(&op::METRICS, "Operation", "Counters and timings for Prometheus", &health::METRICS),
    entry(&op::OPENAPI, "Operation", "This document", &health::OPENAPI),
    entry(&op::DOCS, "Operation", "This document, for people", &health::PAGE),
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::operation::OPERATIONS;

    #[test]
    fn every_operation_has_one_entry() {
        let documented: Vec<&str> = ENTRIES.iter().map(|entry| entry.operation.id).collect();
        let operations: Vec<&str> = OPERATIONS.iter().map(|operation| operation.id).collect();
        assert_eq!(documented, operations);
    }
}
