//! Documentation of the content of the sandbox.

use super::content::{Doc, EMPTY, PLAIN, Payload, Shell, value};
use super::parameter::{SANDBOX_ACCOUNT, SANDBOX_AFTER, SANDBOX_CURRENCY};
use crate::wire::sandbox_bank as wire;
use serde_json::{Value, json};
use trapeza_app::sandbox::ContentCount;

/// The command replaces what other commands use.
const LAST: Shell = Shell { last: true, ..PLAIN };

pub static OUTCOMES: Doc = Doc {
    response: Some(Payload::json::<wire::Outcomes>("The table.", || value(&wire::outcomes()))),
    ..EMPTY
};

pub static CUSTOMER_LIST: Doc = Doc {
    response: Some(Payload::json::<wire::Customers>("The customers.", || {
        json!({ "customers": [{
            "psuId": "maria.test",
            "password": "correct-horse-1",
            "name": "Maria Test",
            "phone": "+306900000200",
            "methods": [{ "id": "1b4e28ba-2fa1-41d2-883f-0016d3cca427", "type": "SMSOTP" }],
            "accounts": [{
                "iban": IBAN, "currency": "EUR", "name": "Current account", "booked": "987.50", "available": "987.50",
            }],
            "cards": [{ "pan": PAN, "maskedPan": "499800******0014", "product": "Card" }],
        }] })
    })),
    ..EMPTY
};

pub static CUSTOMER: Doc = Doc {
    request: Some(Payload::json::<wire::CustomerBody<'_>>("The customer.", customer)),
    response: Some(Payload::json::<wire::CustomerOut>("The customer as created.", || {
        let mut body = customer();
        body["methods"] = json!(["SMSOTP"]);
        body
    })),
    ..EMPTY
};

pub static ACCOUNT: Doc = Doc {
    request: Some(Payload::json::<wire::AccountBody<'_>>("The account.", account)),
    response: Some(Payload::json::<wire::AccountOut>("The account as created.", || {
        let mut body = account();
        body["currency"] = "EUR".into();
        body["openingBalance"] = "1000.00".into();
        body["creditLimit"] = "0.00".into();
        body["name"] = "Current account".into();
        body["product"] = "Current account".into();
        body["kind"] = "current".into();
        body["usage"] = "private".into();
        body["status"] = "enabled".into();
        body
    })),
    ..EMPTY
};

pub static CARD: Doc = Doc {
    request: Some(Payload::json::<wire::CardBody<'_>>("The card.", card)),
    response: Some(Payload::json::<wire::CardOut>("The card as created.", || {
        let mut body = card();
        body["currency"] = "EUR".into();
        body["product"] = "Card".into();
        body["name"] = "maria.test".into();
        body["expiryDate"] = "2030-11-14".into();
        body["status"] = "enabled".into();
        body
    })),
    ..EMPTY
};

pub static TRANSACTION: Doc = Doc {
    request: Some(Payload::json::<wire::TransactionBody<'_>>("The transaction.", transaction)),
    response: Some(Payload::json::<wire::TransactionOut<'_>>("The transaction as booked.", || {
        let mut body = transaction();
        body["currency"] = "EUR".into();
        body["pending"] = false.into();
        body
    })),
    ..EMPTY
};

pub static TRANSACTION_LIST: Doc = Doc {
    parameters: &[&SANDBOX_ACCOUNT, &SANDBOX_CURRENCY, &SANDBOX_AFTER],
    response: Some(Payload::json::<wire::TransactionPage<'_>>(
        "The transactions, newest first. The first page begins with what is pending.",
        || {
            let mut booked = transaction();
            booked["currency"] = "EUR".into();
            booked["bookingDate"] = "2026-11-15".into();
            booked["valueDate"] = "2026-11-15".into();
            booked["pending"] = false.into();
            json!({ "transactions": [booked] })
        },
    )),
    ..EMPTY
};

pub static EXPORT: Doc = Doc {
    response: Some(Payload::json::<wire::BankOut<'_>>(
        "The bank.",
        || json!({ "now": "2026-11-15T09:30:00Z", "customers": [], "accounts": [], "cards": [], "transactions": [] }),
    )),
    ..EMPTY
};

pub static IMPORT: Doc = Doc {
    request: Some(Payload::json::<wire::BankBody<'_>>("The bank.", || {
        json!({
            "customers": [customer()],
            "accounts": [account()],
            "cards": [card()],
            "transactions": [transaction()],
        })
    })),
    response: Some(Payload::json::<wire::BankCount>("What the bank has now.", || count(1))),
    shell: LAST,
    ..EMPTY
};

pub static RESET: Doc = Doc {
    response: Some(Payload::json::<wire::BankCount>("What the bank has now.", || count(5))),
    shell: LAST,
    ..EMPTY
};

pub(super) const IBAN: &str = "GR9899900010050000000000001";
const PAN: &str = "4998000000000014";

fn customer() -> Value {
    json!({
        "psuId": "maria.test", "password": "correct-horse-1", "name": "Maria Test", "phone": "+306900000200",
        "language": "el",
    })
}

fn account() -> Value {
    json!({ "owners": ["maria.test"], "iban": IBAN, "openingBalance": "1000.00" })
}

fn card() -> Value {
    json!({ "psuId": "maria.test", "iban": IBAN, "pan": PAN, "creditLimit": "500.00" })
}

fn transaction() -> Value {
    json!({ "iban": IBAN, "amount": "-12.50", "counterpartyName": "Bakery", "remittance": "Bread" })
}

fn count(customers: usize) -> Value {
    let count = ContentCount { customers, accounts: 2 * customers, cards: customers, transactions: 0 };
    value(&wire::bank_count(count))
}

#[cfg(test)]
mod tests {
    use super::*;
    use trapeza_app::sandbox::number_generator::{Country, pan};

    #[test]
    fn example_numbers_have_valid_check_digits() {
        assert_eq!(IBAN, Country::Greece.iban(50_000_000_000_001).as_str());
        assert_eq!(PAN, pan("499800000000001").expose());
    }
}
