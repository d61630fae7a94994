//! The content of a sandbox bank: what a developer creates one by one, or all at once from a file.
//!
//! Objects refer to each other by what a developer knows: logins, IBANs and card numbers.

use crate::Language;
use crate::ledger::Posting;
use crate::psu::NewMethod;
use std::sync::Arc;
use trapeza_domain::account::{Account, AccountKind, AccountName, AccountStatus, AccountUsage};
use trapeza_domain::card::Card;
use trapeza_domain::contact::Phone;
use trapeza_domain::id::{AccountId, CardId, PsuId};
use trapeza_domain::money::{Currency, Money};
use trapeza_domain::reference::{Bic, Iban, Pan};
use trapeza_domain::secret::Secret;
use trapeza_domain::time::{Date, Timestamp};

/// The customers, accounts, cards and booked transactions of a bank.
#[derive(Clone, Default)]
pub struct BankContent {
    /// The time at which the content was exported. An import advances the clock to it when the clock is behind.
    pub now: Option<Timestamp>,
    pub customers: Vec<CustomerContent>,
    pub accounts: Vec<AccountContent>,
    pub cards: Vec<CardContent>,
    /// In the order of their booking.
    pub transactions: Vec<TransactionContent>,
    /// The postings of the demo bank's history, which follow the transactions.
    pub history: Option<HistoryBuilder>,
}

/// Computes postings from the accounts and cards of the content, in its order.
pub type HistoryBuilder = Arc<dyn Fn(&[Account], &[Card]) -> Vec<Posting> + Send + Sync>;

/// Builds the demo bank as of a date.
pub type DemoBuilder = Arc<dyn Fn(Date) -> BankContent + Send + Sync>;

#[derive(Clone)]
pub struct CustomerContent {
    pub id: PsuId,
    pub login: String,
    pub name: String,
    pub phone: Phone,
    /// Without a password the customer cannot sign in.
    pub password: Option<Secret<String>>,
    /// The language of the messages to the customer.
    pub language: Option<Language>,
    pub methods: Vec<NewMethod>,
}

#[derive(Clone)]
pub struct AccountContent {
    pub id: AccountId,
    /// The logins of the owners.
    pub owners: Vec<String>,
    pub kind: AccountKind,
    pub usage: AccountUsage,
    pub status: AccountStatus,
    pub iban: Iban,
    /// `None` for the code that the bank has in the country of the IBAN.
    pub bic: Option<Bic>,
    pub currency: Currency,
    pub product: String,
    pub name: AccountName,
    pub credit_limit_minor: i64,
    pub opening_minor: i64,
    /// The booking date of the opening balance; `None` for today.
    pub opened_on: Option<Date>,
}

#[derive(Clone)]
pub struct CardContent {
    pub id: CardId,
    /// The login of the holder.
    pub holder: String,
    /// The account that pays the card.
    pub iban: Iban,
    pub currency: Currency,
    pub pan: Pan,
    pub product: String,
    pub name: String,
    pub credit_limit_minor: i64,
    pub expiry: Date,
    pub status: AccountStatus,
}

/// A booked or pending transaction.
#[derive(Clone)]
pub struct TransactionContent {
    pub subject: TransactionSubject,
    /// Negative for a debit.
    pub amount: Money,
    /// `None` for today.
    pub booking_day: Option<Date>,
    /// `None` for the booking date.
    pub value_day: Option<Date>,
    /// The amount is only held.
    pub is_pending: bool,
    pub fields: TransactionTexts,
}

/// Where a transaction is booked.
#[derive(Clone)]
pub enum TransactionSubject {
    Account(Iban),
    Card(Pan),
    /// The account pays the card.
    CardSettlement(Iban, Pan),
}

/// What the account owner or card holder reads.
#[derive(Clone, Default)]
pub struct TransactionTexts {
    /// The other party; of a card transaction the shop.
    pub counterparty_name: Option<String>,
    pub counterparty_iban: Option<Iban>,
    pub remittance: Option<String>,
    pub end_to_end_id: Option<String>,
    pub bank_transaction_code: Option<String>,
    pub additional_information: Option<String>,
    pub merchant_category_code: Option<String>,
}
