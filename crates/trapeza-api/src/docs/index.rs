//! Which documentation belongs to which operation: its group, its summary, and its [`Doc`].
//!
//! Operations know nothing of their documentation; it is found here by the operation's id.

use super::content::{Doc, OperationDoc};
use super::{
    account_information, authorisation, basket, configuration, consent, health, loan, payment, refund,
    sandbox, sandbox_bank,
};
use crate::operation as op;
use trapeza_http::operation::Operation;

/// The documentation of an operation. A test proves that every operation has an entry.
pub fn of(operation: &Operation) -> &'static OperationDoc {
    entries().find(|entry| entry.operation.id == operation.id).expect("every operation is documented")
}

fn entries() -> impl Iterator<Item = &'static OperationDoc> {
    ENTRIES.iter().chain(authorisation::ENTRIES.into_iter().flatten())
}

const fn entry(
    operation: &'static Operation,
    tag: &'static str,
    summary: &'static str,
    doc: &'static Doc,
) -> OperationDoc {
    OperationDoc { operation, tag, summary, doc }
}

/// The groups of the documentation, in its order, each with a sentence.
pub static TAGS: &[(&str, &str)] = &[
    ("Consents", "Consents to read a customer's accounts: create, read, revoke, authorise."),
    ("Funds consents", "Consents of card issuers to confirm funds, and the confirmations."),
    ("Payments", "Payments: initiate, read, cancel, authorise."),
    ("Accounts", "Accounts, balances and transactions under a consent."),
    ("Cards", "Cards, their balances and transactions under a consent."),
    ("Pay Later", "Purchases on credit at a merchant: baskets, loans, refunds."),
    (
        "Sandbox",
        "Operations of the sandbox only: its clock, sent messages, the URLs of an application, and the customers with their money.",
    ),
    ("Operation", "Health checks, metrics and this documentation."),
];

static ENTRIES: &[OperationDoc] = &[
    entry(&op::CONSENT_CREATE, "Consents", "Create an account-access consent", &consent::CREATE),
    entry(&op::CONSENT_GET, "Consents", "Get a consent", &consent::GET),
    entry(&op::CONSENT_STATUS, "Consents", "Get a consent's status", &consent::STATUS),
    entry(&op::CONSENT_DELETE, "Consents", "Revoke a consent", &consent::DELETE),
    entry(&op::FUNDS_CONSENT_CREATE, "Funds consents", "Create a funds consent", &consent::FUNDS_CREATE),
    entry(&op::FUNDS_CONSENT_GET, "Funds consents", "Get a funds consent", &consent::FUNDS_GET),
    entry(&op::FUNDS_CONSENT_DELETE, "Funds consents", "Revoke a funds consent", &consent::DELETE),
    entry(
        &op::FUNDS_CONSENT_STATUS,
        "Funds consents",
        "Get the status of a funds consent and of its newest authorisation",
        &consent::FUNDS_STATUS,
    ),
    entry(&op::FUNDS_CONFIRMATION, "Funds consents", "Confirm funds", &consent::FUNDS_CONFIRM),
    entry(&op::PAYMENT_INITIATE, "Payments", "Initiate a payment", &payment::INITIATE),
    entry(&op::PAYMENT_GET, "Payments", "Get a payment", &payment::GET),
    entry(&op::PAYMENT_STATUS, "Payments", "Get a payment's status", &payment::STATUS),
    entry(&op::PAYMENT_CANCEL, "Payments", "Cancel a payment", &payment::CANCEL),
    entry(&op::ACCOUNT_LIST, "Accounts", "List the accounts of a consent", &account_information::ACCOUNTS),
    entry(&op::ACCOUNT_DETAILS, "Accounts", "Get an account", &account_information::ACCOUNT),
    entry(
        &op::ACCOUNT_BALANCES,
        "Accounts",
        "Get an account's balances",
        &account_information::ACCOUNT_BALANCES,
    ),
    entry(
        &op::TRANSACTION_LIST,
        "Accounts",
        "Get an account's transactions, newest first, in pages",
        &account_information::ACCOUNT_TRANSACTIONS,
    ),
    entry(
        &op::TRANSACTION_DETAILS,
        "Accounts",
        "Get a transaction",
        &account_information::ACCOUNT_TRANSACTION,
    ),
    entry(&op::CARD_LIST, "Cards", "List the cards of a consent", &account_information::CARDS),
    entry(&op::CARD_DETAILS, "Cards", "Get a card", &account_information::CARD),
    entry(&op::CARD_BALANCES, "Cards", "Get a card's balances", &account_information::CARD_BALANCES),
    entry(
        &op::CARD_TRANSACTIONS,
        "Cards",
        "Get a card's transactions, newest first, in pages",
        &account_information::CARD_TRANSACTIONS,
    ),
    entry(&op::BASKET_CREATE, "Pay Later", "Create a basket", &basket::CREATE),
    entry(&op::BASKET_GET, "Pay Later", "Get a basket with its installments", &basket::FIND),
    entry(
        &op::LOAN_SIMULATE,
        "Pay Later",
        "Simulate the decision on a basket (test applications only)",
        &loan::SIMULATE,
    ),
    entry(&op::LOAN_GET, "Pay Later", "Get the loan of a basket", &loan::GET),
    entry(&op::LOAN_REFUND, "Pay Later", "Refund a loan, partially or fully", &refund::REFUND),
    entry(
        &op::BASKET_VOID,
        "Pay Later",
        "Void a basket: it ends, or its loan is fully refunded",
        &refund::VOID,
    ),
    entry(
        &op::CONFIGURATION,
        "Pay Later",
        "Get the merchant's limits and installment plans",
        &configuration::CONFIGURATION,
    ),
    entry(&op::SANDBOX_CLOCK, "Sandbox", "Get the bank's time", &sandbox::CLOCK),
    entry(&op::SANDBOX_CLOCK_ADVANCE, "Sandbox", "Advance the bank's clock", &sandbox::CLOCK_ADVANCE),
    entry(
        &op::SANDBOX_MESSAGES,
        "Sandbox",
        "List the newest hundred messages to customers",
        &sandbox::MESSAGES,
    ),
    entry(
        &op::SANDBOX_APPLICATION,
        "Sandbox",
        "Update the calling application's callback and redirect URLs",
        &sandbox::APPLICATION,
    ),
    entry(
        &op::SANDBOX_CALLBACKS,
        "Sandbox",
        "List the calling application's callbacks, or wait for one",
        &sandbox::CALLBACKS,
    ),
    entry(&op::SANDBOX_OUTCOMES, "Sandbox", "List the inputs that force an outcome", &sandbox_bank::OUTCOMES),
    entry(
        &op::SANDBOX_CUSTOMER_LIST,
        "Sandbox",
        "List the customers with passwords, accounts and cards",
        &sandbox_bank::CUSTOMER_LIST,
    ),
    entry(&op::SANDBOX_CUSTOMER, "Sandbox", "Create a customer", &sandbox_bank::CUSTOMER),
    entry(
        &op::SANDBOX_ACCOUNT,
        "Sandbox",
        "Create an account with an opening balance",
        &sandbox_bank::ACCOUNT,
    ),
    entry(&op::SANDBOX_CARD, "Sandbox", "Create a card", &sandbox_bank::CARD),
    entry(
        &op::SANDBOX_TRANSACTION,
        "Sandbox",
        "Book a transaction on an account or a card",
        &sandbox_bank::TRANSACTION,
    ),
    entry(
        &op::SANDBOX_TRANSACTION_LIST,
        "Sandbox",
        "List the transactions of an account",
        &sandbox_bank::TRANSACTION_LIST,
    ),
    entry(&op::SANDBOX_EXPORT, "Sandbox", "Export the bank as one document", &sandbox_bank::EXPORT),
    entry(
        &op::SANDBOX_IMPORT,
        "Sandbox",
        "Replace the bank by an exported document; keys stay valid",
        &sandbox_bank::IMPORT,
    ),
    entry(
        &op::SANDBOX_RESET,
        "Sandbox",
        "Replace the bank by the demo bank; keys stay valid",
        &sandbox_bank::RESET,
    ),
    entry(&op::LIVEZ, "Operation", "Check whether the process is alive", &health::LIVE),
    entry(&op::READYZ, "Operation", "Check whether the process is ready", &health::READY),
    entry(&op::METRICS, "Operation", "Get metrics in the format of Prometheus", &health::METRICS),
    entry(&op::OPENAPI, "Operation", "Get this document", &health::OPENAPI),
    entry(&op::DOCS, "Operation", "Get the index of this documentation, or search it", &health::INDEX_PAGE),
    entry(&op::DOCS_PAGE, "Operation", "Get a page of this documentation", &health::PAGE),
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::operation::OPERATIONS;

    #[test]
    fn every_operation_has_one_entry() {
        let mut documented: Vec<&str> = entries().map(|entry| entry.operation.id).collect();
        let mut operations: Vec<&str> = OPERATIONS.iter().map(|operation| operation.id).collect();
        documented.sort_unstable();
        operations.sort_unstable();
        assert_eq!(documented, operations);
    }
}
