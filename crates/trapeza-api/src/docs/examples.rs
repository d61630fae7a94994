//! An account, a card and their transactions for the examples, built from the types of app and domain.

use super::parameter::{ACCOUNT_PATH, CARD_PATH, TRANSACTION_PATH};
use trapeza_app::account_information::{
    AccountView, Balance, BalanceKind, CardStatementView, CardView, Page,
};
use trapeza_app::parse_date;
use trapeza_domain::account::{Account, AccountKind, AccountName, AccountStatus, AccountUsage};
use trapeza_domain::card::{AcceptorAddress, Card, CardTransactionDetail};
use trapeza_domain::consent::Grant;
use trapeza_domain::id::{AccountId, CardId, PsuId};
use trapeza_domain::ledger::posting::LedgerEvent;
use trapeza_domain::ledger::{LedgerAccountId, TransferId};
use trapeza_domain::money::{Currency, Money};
use trapeza_domain::reference::{AccountReference, Bic, Iban, MaskedPan};
use trapeza_domain::statement::{CardTransaction, Transaction};
use trapeza_domain::time::Date;
use trapeza_domain::transaction::{Party, TransactionDetail, TransactionFields};
use uuid::Uuid;

/// The first account and the first card of the demo bank's first customer, so that the commands run in a fresh sandbox.
pub const IBAN: &str = "GR9799900010000000000100101";
pub const PAN: &str = "4999000000010103";
/// The account of another customer of the demo bank, Nikos Georgiou.
pub const PAYEE_IBAN: &str = "GR4899900010000000000100401";

const ALL: Grant = Grant {
    listed: true,
    details: true,
    list_balances: true,
    balances: true,
    transactions: true,
    owner_name: true,
};

fn day() -> Date {
    parse_date("2026-11-13").expect("the example's day is one")
}

fn euro(minor: i64) -> Money {
    Money::new(minor, Currency::EUR)
}

pub fn account() -> Account {
    Account {
        id: AccountId::parse(ACCOUNT_PATH.example).expect("the example is an id"),
        ledger: LedgerAccountId(1),
        kind: AccountKind::Current,
        status: AccountStatus::Enabled,
        usage: AccountUsage::Private,
        iban: Iban::parse(IBAN).expect("the example is an IBAN"),
        bic: Bic::parse("TRPZGRAA").expect("the example is a BIC"),
        currency: Currency::EUR,
        product: "Everyday".to_owned(),
        name: AccountName::own("Household"),
        credit_limit_minor: 50_000,
        owners: Vec::new(),
    }
}

fn balance(kind: BalanceKind, minor: i64) -> Balance {
    Balance {
        kind,
        amount: euro(minor),
        savings: false,
        credit_limit_included: kind == BalanceKind::Available,
        reference_day: (kind == BalanceKind::LastMidnight).then(day),
        last_entry: (kind == BalanceKind::Booked).then(line_id),
    }
}

fn line_id() -> Uuid {
    Uuid::try_parse(TRANSACTION_PATH.example).expect("the example is an id")
}

/// With balances, or without, as under a consent that does not cover them.
pub fn account_view(with_balances: bool) -> AccountView {
    let balances = with_balances
        .then(|| vec![balance(BalanceKind::Booked, 123_456), balance(BalanceKind::Available, 170_000)]);
    AccountView { account: account(), owner_names: vec!["Eleni Papadaki".to_owned()], grant: ALL, balances }
}

pub fn line() -> (Uuid, Transaction) {
    let iban = Iban::parse("DE89370400440532013000").expect("the example is an IBAN");
    let detail = TransactionDetail {
        particulars: TransactionFields {
            end_to_end_id: Some("RENT-2026-11".to_owned()),
            creditor: Party::new("Anna Landlady", Some(AccountReference::iban(iban, None))),
            remittance_unstructured: Some("Rent for November".to_owned()),
            ..TransactionFields::default()
        },
        bank_transaction_code: Some("PMNT-ICDT-ESCT".to_owned()),
        ..TransactionDetail::default()
    };
    let line = Transaction {
        transfer: TransferId(1),
        seq: 1,
        amount: euro(-65_000),
        balance_minor: 123_456,
        booking_day: day(),
        value_day: day(),
        event: LedgerEvent::InternalTransfer,
        reference: "example".to_owned(),
        detail: Some(detail),
    };
    (line_id(), line)
}

fn card() -> Card {
    Card {
        id: CardId::parse(CARD_PATH.example).expect("the example is an id"),
        ledger: LedgerAccountId(2),
        holder: PsuId::new(Uuid::nil()),
        account: account().id,
        masked_pan: MaskedPan::parse("499900******0103").expect("the example is a masked number"),
        status: AccountStatus::Enabled,
        usage: AccountUsage::Private,
        currency: Currency::EUR,
        product: "Debit".to_owned(),
        name: "My card".to_owned(),
        credit_limit_minor: 100_000,
        expiry: day(),
    }
}

pub fn card_view() -> CardView {
    let balances = vec![balance(BalanceKind::Booked, -4_210), balance(BalanceKind::Reserved, -1_500)];
    CardView { card: card(), grant: ALL, holder_name: None, balances: Some(balances) }
}

pub fn card_statement() -> CardStatementView {
    let detail = CardTransactionDetail {
        transaction_day: day(),
        terminal_id: Some("T0001".to_owned()),
        acceptor_id: Some("SHOP-17".to_owned()),
        acceptor_address: Some(AcceptorAddress {
            city: Some("Athens".to_owned()),
            country: "GR".to_owned(),
            ..AcceptorAddress::default()
        }),
        merchant_category_code: Some("5411".to_owned()),
        text: Some("Corner shop, Athens".to_owned()),
        original_amount: None,
        markup_fee: None,
        markup_basis_points: None,
        invoiced: false,
        proprietary_code: None,
        exchanges: Vec::new(),
    };
    let line = CardTransaction {
        transfer: TransferId(2),
        seq: 1,
        amount: euro(-2_350),
        balance_minor: -2_350,
        booking_day: day(),
        value_day: day(),
        event: LedgerEvent::CardCleared,
        reference: "example".to_owned(),
        detail: Some(detail),
    };
    let booked = Some(Page { lines: vec![(line_id(), line)], next: None });
    CardStatementView { card: card(), grant: ALL, booked, pending: None, balances: None, delta: None }
}
