//! The state of a visitor's walkthrough through the sample third party.

use crate::bank_client::{Exchange, random_hex};
use serde_json::Value;
use trapeza_web::page_request::PageRequest;

/// Maximum number of calls that a walkthrough shows; the oldest are dropped.
const MAX_CALLS: usize = 40;

/// What the visitor has chosen to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    Consent,
    RedirectPayment,
    DecoupledPayment,
    EmbeddedPayment,
}

impl Purpose {
    pub const ALL: [(Self, &str, &str); 4] = [
        (
            Self::Consent,
            "consent",
            "Read accounts, with a consent that the customer gives on the bank's page",
        ),
        (Self::RedirectPayment, "redirect", "Pay, authorised on the bank's page (redirect)"),
        (Self::DecoupledPayment, "decoupled", "Pay, authorised in the bank's app (decoupled)"),
        (Self::EmbeddedPayment, "embedded", "Pay, authorised on this page (embedded)"),
    ];

    fn parse(text: &str) -> Self {
        let found = Self::ALL.iter().find(|(_, name, _)| *name == text);
        found.map_or(Self::Consent, |(purpose, _, _)| *purpose)
    }

    pub fn name(self) -> &'static str {
        Self::ALL.iter().find(|(purpose, _, _)| *purpose == self).map_or("", |(_, name, _)| name)
    }
}

/// Where a walkthrough is.
#[derive(Clone, Debug)]
pub enum Stage {
    /// Nothing was created: the bank has refused the request.
    Start,
    /// The customer is to open the bank's page.
    BankPage {
        link: String,
    },
    /// The customer is to choose this number in the bank's app.
    BankApp {
        number: String,
    },
    Password,
    /// The SCA methods: id and name.
    Method {
        methods: Vec<(String, String)>,
    },
    /// The code of a method, with the bank's message to the customer.
    Code {
        message: String,
    },
    /// The authorisation has ended.
    Done,
}

/// A customer of the sandbox.
#[derive(Clone, Debug, Default)]
pub struct Customer {
    pub psu_id: String,
    pub name: String,
    pub password: String,
    pub iban: String,
}

#[derive(Clone, Debug)]
pub struct Walkthrough {
    /// Also the `state` of the redirect URI.
    pub id: String,
    pub purpose: Purpose,
    /// The chosen customer and payee, by their logins until the bank has listed its customers.
    pub customer: Customer,
    pub payee: Customer,
    pub amount: String,
    /// The path of the consent or payment.
    pub object: String,
    /// The path of its authorisation.
    pub authorisation: String,
    pub stage: Stage,
    /// The status of the consent or payment as the bank names it.
    pub status: String,
    /// Why the bank has rejected the payment.
    pub reason: String,
    pub accounts: Vec<Account>,
    pub transactions: Vec<Vec<String>>,
    /// Why the last step was refused.
    pub error: Option<String>,
    pub calls: Vec<Exchange>,
}

/// An account as a consent shows it.
#[derive(Clone, Debug)]
pub struct Account {
    pub path: String,
    pub name: String,
    pub iban: String,
    pub balance: String,
}

impl Walkthrough {
    /// A new walkthrough from the form of the start page.
    pub fn of_form(request: &PageRequest) -> Self {
        let customer =
            |field: &str| Customer { psu_id: request.field(field).to_owned(), ..Customer::default() };
        Self {
            id: random_hex(),
            purpose: Purpose::parse(request.field("purpose")),
            customer: customer("customer"),
            payee: customer("payee"),
            amount: request.field("amount").to_owned(),
            object: String::new(),
            authorisation: String::new(),
            stage: Stage::Start,
            status: String::new(),
            reason: String::new(),
            accounts: Vec::new(),
            transactions: Vec::new(),
            error: None,
            calls: Vec::new(),
        }
    }

    pub fn is_consent(&self) -> bool {
        self.purpose == Purpose::Consent
    }

    /// Records a call, so that the page shows it.
    pub fn record(&mut self, exchange: &Exchange) {
        if self.calls.len() >= MAX_CALLS {
            self.calls.remove(0);
        }
        self.calls.push(exchange.clone());
    }
}

impl Customer {
    /// The customers that `GET /sandbox/customers` lists, each with its first account in euro.
    pub fn list(response: &Value) -> Vec<Self> {
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let customer = |entry: &Value| {
            let accounts = entry["accounts"].as_array()?;
            let account = accounts.iter().find(|account| account["currency"] == "EUR")?;
            Some(Self {
                psu_id: text(&entry["psuId"]),
                name: text(&entry["name"]),
                password: text(&entry["password"]),
                iban: text(&account["iban"]),
            })
        };
        response["customers"].as_array().into_iter().flatten().filter_map(customer).collect()
    }
}
