//! The list of the sandbox's customers with their accounts and cards.

use super::response::CustomerOut;
use schemars::JsonSchema;
use serde::Serialize;
use trapeza_app::sandbox::SandboxCustomer;
use trapeza_domain::money::Money;
use uuid::Uuid;

/// The customers of the sandbox.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "SandboxCustomers")]
pub struct Customers {
    /// By their psuId.
    customers: Vec<CustomerView>,
}

/// A customer with accounts and cards.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "SandboxCustomerView")]
struct CustomerView {
    /// The login.
    psu_id: String,
    /// The password, if there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    password: Option<String>,
    /// The name.
    name: String,
    /// The phone number.
    phone: String,
    /// The SCA methods.
    methods: Vec<MethodView>,
    /// The accounts with their balances.
    accounts: Vec<AccountView>,
    /// The cards.
    cards: Vec<CardView>,
}

/// An SCA method.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "SandboxMethod")]
struct MethodView {
    /// The authenticationMethodId.
    id: Uuid,
    /// The type.
    #[serde(rename = "type")]
    kind: &'static str,
}

/// An account with its balances.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "SandboxAccountView")]
struct AccountView {
    /// The IBAN.
    iban: String,
    /// ISO 4217.
    currency: &'static str,
    /// The name of the account.
    name: String,
    /// The booked balance.
    booked: String,
    /// The booked balance less what is held, plus the credit limit.
    available: String,
}

/// A card with its number.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "SandboxCardView")]
struct CardView {
    /// The card number.
    #[serde(skip_serializing_if = "Option::is_none")]
    pan: Option<String>,
    /// The masked card number.
    masked_pan: String,
    /// The name of the product.
    product: String,
}

pub fn customers(all: &[SandboxCustomer]) -> Customers {
    Customers { customers: all.iter().map(customer_view).collect() }
}

fn customer_view(one: &SandboxCustomer) -> CustomerView {
    let CustomerOut { psu_id, password, name, phone, .. } = CustomerOut::from(&one.customer);
    let accounts = one.accounts.iter().map(|(account, balance)| {
        let money = |minor| Money::new(minor, account.currency).to_decimal_string();
        AccountView {
            iban: account.iban.as_str().to_owned(),
            currency: account.currency.code(),
            name: account.name.as_str().to_owned(),
            booked: money(balance.booked),
            available: money(balance.booked - balance.held - balance.floor),
        }
    });
    let cards = one.cards.iter().map(|(card, pan)| CardView {
        pan: pan.as_ref().map(|pan| pan.expose().to_owned()),
        masked_pan: card.masked_pan.as_str().to_owned(),
        product: card.product.clone(),
    });
    let methods = one.customer.methods.iter();
    let methods = methods.map(|method| MethodView { id: method.id.uuid(), kind: method.kind.name() });
    CustomerView {
        psu_id,
        password,
        name,
        phone,
        methods: methods.collect(),
        accounts: accounts.collect(),
        cards: cards.collect(),
    }
}
