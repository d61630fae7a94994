//! The forms that create one object each.

use crate::page::step_form;
use serde_json::{Map, Value, json};
use trapeza_web::page_request::PageRequest;
use trapeza_web::site::{Form, Input};

use Kind::{Flag, List, Text};

pub struct Creation {
    pub step: &'static str,
    pub title: &'static str,
    /// The operation that creates the object.
    pub path: &'static str,
    button: &'static str,
    done: &'static str,
    fields: &'static [Field],
}

struct Field {
    name: &'static str,
    label: &'static str,
    hint: &'static str,
    kind: Kind,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Text,
    /// Values that are separated by commas.
    List,
    Flag,
}

const fn field(name: &'static str, label: &'static str, kind: Kind, hint: &'static str) -> Field {
    Field { name, label, hint, kind }
}

pub const CREATIONS: [Creation; 4] = [
    Creation {
        step: "customer",
        title: "New customer",
        path: "/sandbox/customers",
        button: "Create the customer",
        done: "The customer was created.",
        fields: &[
            field("psuId", "User id", Text, ""),
            field("password", "Password", Text, "Without one the customer cannot sign in."),
            field("name", "Name", Text, ""),
            field("phone", "Telephone number", Text, "For example +306900000200."),
            field(
                "methods",
                "SCA methods",
                List,
                "SMSOTP, CHIPOTP, PHOTOOTP, PUSHOTP, separated by commas; SMSOTP by default.",
            ),
        ],
    },
    Creation {
        step: "account",
        title: "New account",
        path: "/sandbox/accounts",
        button: "Create the account",
        done: "The account was created.",
        fields: &[
            field("owners", "User ids of the owners", List, "Separated by commas."),
            field("openingBalance", "Opening balance", Text, "For example 1000.00; zero by default."),
            field(
                "openedOn",
                "Opened on",
                Text,
                "A date such as 2026-01-31; transactions may follow from there. Today by default.",
            ),
            field("currency", "Currency", Text, "EUR by default."),
            field("iban", "IBAN", Text, "Without one the bank generates it."),
            field("name", "Name", Text, ""),
            field("creditLimit", "Credit limit", Text, "How far the balance may fall below zero."),
        ],
    },
    Creation {
        step: "card",
        title: "New card",
        path: "/sandbox/cards",
        button: "Create the card",
        done: "The card was created.",
        fields: &[
            field("psuId", "User id of the holder", Text, ""),
            field("iban", "IBAN of the account that pays it", Text, ""),
            field("creditLimit", "Credit limit", Text, "For example 500.00; zero by default."),
            field("pan", "Card number", Text, "Without one the bank generates it."),
        ],
    },
    Creation {
        step: "transaction",
        title: "New transaction",
        path: "/sandbox/transactions",
        button: "Create the transaction",
        done: "The transaction was created.",
        fields: &[
            field("iban", "IBAN of the account", Text, "An account, or a card."),
            field("pan", "Card number", Text, ""),
            field("amount", "Amount", Text, "Negative for a debit: -12.50."),
            field("bookingDate", "Booking date", Text, "A date such as 2026-01-31; today by default."),
            field("counterpartyName", "Other party", Text, ""),
            field("remittance", "Remittance information", Text, ""),
            field("pending", "Only reserve the amount", Flag, ""),
        ],
    },
];

impl Creation {
    pub fn done(&self) -> &'static str {
        self.done
    }

    /// The form; with what was sent and its errors after a refusal.
    pub fn form(&self, request: &PageRequest, errors: Option<&[(String, String)]>) -> Form {
        let mut form = step_form(request, super::PATH, self.step, self.button);
        for Field { name, label, hint, kind } in self.fields {
            let input = if *kind == Flag { Input::check(name, label) } else { Input::text(name, label) };
            let input = if hint.is_empty() { input } else { input.hint(hint) };
            form = form.field(if errors.is_some() { input.value(request.field(name)) } else { input });
        }
        form.errors(errors.unwrap_or_default())
    }

    /// The body of the request. A field that was left empty is absent.
    pub fn body(&self, request: &PageRequest) -> Value {
        let filled = self.fields.iter().map(|field| (field, request.field(field.name)));
        let filled = filled.filter(|(_, value)| !value.is_empty());
        let entry = |(field, value): (&Field, &str)| {
            let value = match field.kind {
                Text => json!(value),
                List => value.split(',').map(str::trim).map(Value::from).collect(),
                Flag => json!(true),
            };
            (field.name.to_owned(), value)
        };
        Value::Object(filled.map(entry).collect::<Map<_, _>>())
    }
}
