//! The content of the sandbox in responses. What is exported has the form of the requests that create it.

use schemars::JsonSchema;
use serde::Serialize;
use trapeza_app::sandbox::magic_value::MAGIC_VALUES;
use trapeza_app::sandbox::{
    AccountContent, BankContent, CardContent, ContentCount, CustomerContent, TransactionContent,
    TransactionList, TransactionSubject,
};
use trapeza_app::{format_date, format_timestamp};
use trapeza_domain::money::Money;

/// A customer with its password.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "SandboxCustomer")]
pub struct CustomerOut {
    /// The login.
    pub(super) psu_id: String,
    /// The password, if there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) password: Option<String>,
    /// The name.
    pub(super) name: String,
    /// The phone number.
    pub(super) phone: String,
    /// The language of messages, if it is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    language: Option<&'static str>,
    /// The SCA methods.
    methods: Vec<&'static str>,
}

impl From<&CustomerContent> for CustomerOut {
    fn from(customer: &CustomerContent) -> Self {
        Self {
            psu_id: customer.login.clone(),
            password: customer.password.as_ref().map(|password| password.expose().clone()),
            name: customer.name.clone(),
            phone: customer.phone.as_str().to_owned(),
            language: customer.language.map(|language| language.tag()),
            methods: customer.methods.iter().map(|method| method.kind.name()).collect(),
        }
    }
}

/// An account.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "SandboxAccount")]
pub struct AccountOut {
    /// The psuId of each owner.
    owners: Vec<String>,
    /// The IBAN.
    iban: String,
    /// The BIC, unless it is the bank's own.
    #[serde(skip_serializing_if = "Option::is_none")]
    bic: Option<String>,
    /// ISO 4217.
    currency: &'static str,
    /// The opening balance.
    opening_balance: String,
    /// The booking date of the opening balance, if it is not today.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("format" = "date"))]
    opened_on: Option<String>,
    /// How far the balance may fall below zero.
    credit_limit: String,
    /// The name of the account.
    name: String,
    /// The name of the product.
    product: String,
    /// The kind of account.
    kind: &'static str,
    /// Whether it belongs to persons or to an organisation.
    usage: &'static str,
    /// The status.
    status: &'static str,
}

impl From<&AccountContent> for AccountOut {
    fn from(account: &AccountContent) -> Self {
        let money = |minor| Money::new(minor, account.currency).to_decimal_string();
        Self {
            owners: account.owners.clone(),
            iban: account.iban.as_str().to_owned(),
            bic: account.bic.as_ref().map(|bic| bic.as_str().to_owned()),
            currency: account.currency.code(),
            opening_balance: money(account.opening_minor),
            opened_on: account.opened_on.map(format_date),
            credit_limit: money(account.credit_limit_minor),
            name: account.name.as_str().to_owned(),
            product: account.product.clone(),
            kind: account.kind.name(),
            usage: account.usage.name(),
            status: account.status.name(),
        }
    }
}

/// A card.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "SandboxCard")]
pub struct CardOut {
    /// The holder.
    psu_id: String,
    /// The account that pays the card.
    iban: String,
    /// ISO 4217.
    currency: &'static str,
    /// The card number.
    pan: String,
    /// The credit limit.
    credit_limit: String,
    /// The name of the product.
    product: String,
    /// The name on the card.
    name: String,
    /// The last day on which the card is valid.
    #[schemars(extend("format" = "date"))]
    expiry_date: String,
    /// The status.
    status: &'static str,
}

impl From<&CardContent> for CardOut {
    fn from(card: &CardContent) -> Self {
        Self {
            psu_id: card.holder.clone(),
            iban: card.iban.as_str().to_owned(),
            currency: card.currency.code(),
            pan: card.pan.expose().to_owned(),
            credit_limit: Money::new(card.credit_limit_minor, card.currency).to_decimal_string(),
            product: card.product.clone(),
            name: card.name.clone(),
            expiry_date: format_date(card.expiry),
            status: card.status.name(),
        }
    }
}

/// A transaction.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "SandboxTransaction")]
pub struct TransactionOut<'a> {
    /// The account.
    #[serde(skip_serializing_if = "Option::is_none")]
    iban: Option<&'a str>,
    /// The card.
    #[serde(skip_serializing_if = "Option::is_none")]
    pan: Option<&'a str>,
    /// ISO 4217.
    currency: &'static str,
    /// The amount, negative for a debit.
    amount: String,
    /// The booking date, if it is not today.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("format" = "date"))]
    booking_date: Option<String>,
    /// The value date, if it is not the booking date.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("format" = "date"))]
    value_date: Option<String>,
    /// The amount is held and not booked.
    pending: bool,
    /// The other party; of a card transaction the shop.
    #[serde(skip_serializing_if = "Option::is_none")]
    counterparty_name: Option<&'a str>,
    /// The IBAN of the other party.
    #[serde(skip_serializing_if = "Option::is_none")]
    counterparty_iban: Option<&'a str>,
    /// The remittance information.
    #[serde(skip_serializing_if = "Option::is_none")]
    remittance: Option<&'a str>,
    /// The end-to-end identification.
    #[serde(skip_serializing_if = "Option::is_none")]
    end_to_end_id: Option<&'a str>,
    /// The bank transaction code of ISO 20022.
    #[serde(skip_serializing_if = "Option::is_none")]
    bank_transaction_code: Option<&'a str>,
    /// Further information.
    #[serde(skip_serializing_if = "Option::is_none")]
    additional_information: Option<&'a str>,
    /// The merchant category code of a card transaction.
    #[serde(skip_serializing_if = "Option::is_none")]
    merchant_category_code: Option<&'a str>,
}

impl<'a> From<&'a TransactionContent> for TransactionOut<'a> {
    fn from(transaction: &'a TransactionContent) -> Self {
        let (iban, pan) = match &transaction.subject {
            TransactionSubject::Account(iban) => (Some(iban), None),
            TransactionSubject::Card(pan) => (None, Some(pan)),
            TransactionSubject::CardSettlement(iban, pan) => (Some(iban), Some(pan)),
        };
        let texts = &transaction.fields;
        Self {
            iban: iban.map(|iban| iban.as_str()),
            pan: pan.map(|pan| pan.expose()),
            currency: transaction.amount.currency.code(),
            amount: transaction.amount.to_decimal_string(),
            booking_date: transaction.booking_day.map(format_date),
            value_date: transaction.value_day.map(format_date),
            pending: transaction.is_pending,
            counterparty_name: texts.counterparty_name.as_deref(),
            counterparty_iban: texts.counterparty_iban.as_ref().map(|iban| iban.as_str()),
            remittance: texts.remittance.as_deref(),
            end_to_end_id: texts.end_to_end_id.as_deref(),
            bank_transaction_code: texts.bank_transaction_code.as_deref(),
            additional_information: texts.additional_information.as_deref(),
            merchant_category_code: texts.merchant_category_code.as_deref(),
        }
    }
}

/// Transactions of an account, newest first.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "SandboxTransactions")]
pub struct TransactionPage<'a> {
    /// At most 100 that are booked; on the first page after at most 100 that are pending.
    transactions: Vec<TransactionOut<'a>>,
    /// The value of `after` for the next page, if there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    cursor: Option<String>,
}

pub fn transaction_page(list: &TransactionList) -> TransactionPage<'_> {
    TransactionPage {
        transactions: list.transactions.iter().map(TransactionOut::from).collect(),
        cursor: list.cursor.map(|cursor| cursor.to_string()),
    }
}

/// The content of the bank, as `POST /sandbox/bank` takes it.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "SandboxBank")]
pub struct BankOut<'a> {
    /// The bank's time.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("format" = "date-time"))]
    now: Option<String>,
    /// The customers.
    customers: Vec<CustomerOut>,
    /// The accounts.
    accounts: Vec<AccountOut>,
    /// The cards.
    cards: Vec<CardOut>,
    /// The transactions in the order of their booking.
    transactions: Vec<TransactionOut<'a>>,
}

pub fn bank_file(content: &BankContent) -> BankOut<'_> {
    BankOut {
        now: content.now.map(format_timestamp),
        customers: content.customers.iter().map(CustomerOut::from).collect(),
        accounts: content.accounts.iter().map(AccountOut::from).collect(),
        cards: content.cards.iter().map(CardOut::from).collect(),
        transactions: content.transactions.iter().map(TransactionOut::from).collect(),
    }
}

/// The number of objects that replace those of before.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "SandboxBankCount")]
pub struct BankCount {
    /// The number of customers.
    customers: usize,
    /// The number of accounts.
    accounts: usize,
    /// The number of cards.
    cards: usize,
}

pub const fn bank_count(count: ContentCount) -> BankCount {
    BankCount { customers: count.customers, accounts: count.accounts, cards: count.cards }
}

/// Inputs with a fixed outcome.
#[derive(Serialize, JsonSchema)]
pub struct Outcomes {
    /// The table.
    outcomes: Vec<OutcomeOut>,
}

/// An input with a fixed outcome.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Outcome")]
struct OutcomeOut {
    /// The field.
    input: &'static str,
    /// Its value.
    value: &'static str,
    /// What happens then.
    outcome: &'static str,
}

pub fn outcomes() -> Outcomes {
    let row = |one: &trapeza_app::sandbox::magic_value::MagicValue| OutcomeOut {
        input: one.input,
        value: one.value,
        outcome: one.outcome,
    };
    Outcomes { outcomes: MAGIC_VALUES.iter().map(row).collect() }
}
