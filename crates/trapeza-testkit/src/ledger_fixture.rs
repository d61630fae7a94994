//! A small bank without demo data: one customer and funded accounts, for tests of the ledger.

use trapeza_app::account::NewAccount;
use trapeza_app::ledger::{Posting, PostingDetail};
use trapeza_app::psu::{NewMethod, NewPsu};
use trapeza_app::{App, Clock, Entropy, Keyring, Store, Zone};
use trapeza_domain::account::{Account, AccountKind, AccountName, AccountUsage};
use trapeza_domain::contact::Phone;
use trapeza_domain::id::{AccountId, MethodId, PsuId};
use trapeza_domain::ledger::posting::{Amounts, LedgerEvent, Parties};
use trapeza_domain::money::{Currency, Money};
use trapeza_domain::psu::MethodKind;
use trapeza_domain::reference::{Bic, Iban};
use trapeza_domain::secret::Secret;
use trapeza_domain::time::Date;
use uuid::Uuid;

pub const TODAY: Date = Date(20_000);

/// The app on a store, with its own root secret.
pub async fn open_app(store: Store) -> App {
    let zone = Zone::parse("Europe/Athens").expect("Athens has a time zone");
    let clock = Clock::load(&store, zone).await.expect("the clock is in the store");
    App::new(store, clock, Entropy::os(), Keyring::new([3; 32]))
}

pub async fn customer(app: &App) -> PsuId {
    let method = NewMethod { id: MethodId::new(Uuid::from_u128(2)), kind: MethodKind::Sms };
    let new_psu = NewPsu {
        id: PsuId::new(Uuid::from_u128(1)),
        login: "eleni".into(),
        name: "Eleni Papadaki".into(),
        phone: Phone::parse("+306912345678").expect("a phone number"),
        password: Some(Secret::new("olive-tree".to_owned())),
        methods: vec![method],
    };
    app.psu_register(new_psu).await.expect("the customer is registered").id
}

pub async fn account(app: &App, owner: PsuId, iban: &str, currency: Currency, limit: i64) -> Account {
    let new_account = NewAccount {
        id: AccountId::new(app.entropy().uuid()),
        owners: vec![owner],
        kind: AccountKind::Current,
        usage: AccountUsage::Private,
        iban: Iban::parse(iban).expect("a valid IBAN"),
        bic: Bic::parse("TRPZGRAA").expect("a valid BIC"),
        currency,
        product: "Everyday".into(),
        name: AccountName::of_bank("Current"),
        credit_limit_minor: limit,
    };
    app.account_open(new_account).await.expect("the account is opened")
}

/// `count` accounts of one customer with `minor` each.
pub async fn funded_accounts(app: &App, count: u32, minor: i64) -> Vec<Account> {
    let owner = customer(app).await;
    let mut accounts = Vec::new();
    for number in 0..count {
        let account = account(app, owner, &iban(number), Currency::EUR, 0).await;
        app.ledger_post(vec![opening_posting(&account, minor)]).await.expect("the opening is booked");
        accounts.push(account);
    }
    accounts
}

pub fn opening_posting(account: &Account, minor: i64) -> Posting {
    let parties = Parties { payee: Some(account.ledger), ..Parties::default() };
    Posting { parties, ..posting(LedgerEvent::OpeningBalance, minor, "opening") }
}

pub fn posting(event: LedgerEvent, minor: i64, reference: &str) -> Posting {
    Posting {
        event,
        parties: Parties::default(),
        amounts: Amounts::of(Money::new(minor, Currency::EUR)),
        reference: reference.to_owned(),
        booking_day: TODAY,
        value_day: TODAY,
        detail: PostingDetail::None,
    }
}

pub fn transfer_posting(payer: &Account, payee: &Account, minor: i64, reference: &str) -> Posting {
    let parties = Parties { payer: Some(payer.ledger), payee: Some(payee.ledger), ..Parties::default() };
    Posting { parties, ..posting(LedgerEvent::InternalTransfer, minor, reference) }
}

pub fn debit_posting(payer: &Account, event: LedgerEvent, minor: i64, reference: &str) -> Posting {
    let parties = Parties { payer: Some(payer.ledger), ..Parties::default() };
    Posting { parties, ..posting(event, minor, reference) }
}

/// A valid Greek IBAN for each number.
pub fn iban(number: u32) -> String {
    let bban = format!("0110125{number:016}");
    // ISO 7064: the country code and two zeros are appended, letters become numbers (G = 16, R = 27), and the check digits are 98
    // minus the remainder of the division by 97.
    let remainder = format!("{bban}162700")
        .bytes()
        .fold(0_u32, |remainder, digit| (remainder * 10 + u32::from(digit - b'0')) % 97);
    format!("GR{:02}{bban}", 98 - remainder)
}
