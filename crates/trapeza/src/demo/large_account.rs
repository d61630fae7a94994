//! A large account for benchmarks, and one of ten thousand entries for comparison. Booked by the normal use case in large
//! batches.

use super::bank::{DemoAccount, DemoMethod, DemoPsu};
use super::rng::Rng;
use trapeza_app::account::NewAccount;
use trapeza_app::ledger::{DetailId, Posted, Posting, PostingDetail};
use trapeza_app::psu::{NewMethod, NewPsu};
use trapeza_app::sandbox::number_generator::Country;
use trapeza_app::{App, UseCaseError};
use trapeza_domain::account::{Account, AccountKind, AccountName, AccountUsage};
use trapeza_domain::contact::Phone;
use trapeza_domain::id::{AccountId, MethodId, PsuId};
use trapeza_domain::ledger::LedgerAccountId;
use trapeza_domain::ledger::posting::{Amounts, LedgerEvent, Parties};
use trapeza_domain::money::{Currency, Money};
use trapeza_domain::psu::MethodKind;
use trapeza_domain::purpose_code::PurposeCode;
use trapeza_domain::reference::AccountReference;
use trapeza_domain::secret::Secret;
use trapeza_domain::time::Date;
use trapeza_domain::transaction::{Party, TransactionDetail, TransactionFields};

/// Entries of the small account.
const SMALL: u64 = 10_000;
/// Time span of the entries in days.
const DAYS: i32 = 730;
/// Postings per commit.
const BATCH: u64 = 5_000;
/// Number of payers; their details are written once and reused.
const PAYERS: u64 = 200;

/// The created accounts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Scaled {
    pub psu: DemoPsu,
    pub large: Account,
    pub small: Account,
}

/// Adds a customer with a large account of `entries` entries and a small one.
pub async fn grow(app: &App, seed: u64, entries: u64) -> Result<Scaled, UseCaseError> {
    let rng = Rng::new(seed ^ 0x5CA1E);
    let owner = PsuId::new(rng.uuid());
    let method = NewMethod { id: MethodId::new(rng.uuid()), kind: MethodKind::Sms };
    let mut psu = DemoPsu {
        psu_id: "pontos.payments".to_owned(),
        password: "heavy-ledger-50".to_owned(),
        name: "Pontos Payments AE".to_owned(),
        phone: "+302100000099".to_owned(),
        accounts: Vec::new(),
        cards: Vec::new(),
        methods: vec![DemoMethod { id: method.id.to_string(), kind: method.kind.name().to_owned() }],
    };
    app.psu_register(NewPsu {
        id: owner,
        login: psu.psu_id.clone(),
        name: psu.name.clone(),
        phone: Phone::parse(&psu.phone).expect("the number is E.164"),
        password: Some(Secret::new(psu.password.clone())),
        methods: vec![method],
    })
    .await?;
    let large = app.account_open(order(&rng, owner, 900_001, "Collections")).await?;
    let small = app.account_open(order(&rng, owner, 900_002, "Collections, small")).await?;
    let opening = Posting {
        reference: "scale-opening".to_owned(),
        ..posting(LedgerEvent::OpeningClearing, Parties::default(), i64::MAX / 4, app.clock().today())
    };
    app.ledger_post(vec![opening]).await?;
    let kept = payers(app, &rng, &large).await?;
    collect(app, &rng, &large, entries.saturating_sub(PAYERS), &kept).await?;
    collect(app, &rng, &small, SMALL.min(entries), &kept).await?;
    psu.accounts = [&large, &small].map(DemoAccount::of).to_vec();
    Ok(Scaled { psu, large, small })
}

fn order(rng: &Rng, owner: PsuId, number: u64, name: &str) -> NewAccount {
    NewAccount {
        id: AccountId::new(rng.uuid()),
        owners: vec![owner],
        kind: AccountKind::Current,
        usage: AccountUsage::Organisation,
        iban: Country::Greece.iban(number),
        bic: Country::Greece.bic(),
        currency: Currency::EUR,
        product: "Business".to_owned(),
        name: AccountName::of_bank(name),
        credit_limit_minor: 0,
    }
}

/// The first payment of every payer, which stores their details.
async fn payers(app: &App, rng: &Rng, account: &Account) -> Result<Vec<DetailId>, UseCaseError> {
    let day = Date(app.clock().today().0 - DAYS);
    let first = (0..PAYERS).map(|number| {
        let payer = Party::new(
            format!("Kiosk No. {number}"),
            Some(AccountReference::iban(Country::Greece.foreign_iban(500_000 + number), None)),
        );
        let particulars = TransactionFields {
            debtor: payer,
            creditor: Party::new("Pontos Payments AE", Some(AccountReference::iban(account.iban, None))),
            remittance_unstructured: Some(format!("Takings of kiosk {number}")),
            purpose: PurposeCode::parse("GDDS").ok(),
            ..TransactionFields::default()
        };
        let detail = TransactionDetail {
            particulars,
            bank_transaction_code: Some("PMNT-RCDT-ESCT".to_owned()),
            ..TransactionDetail::default()
        };
        let detail = PostingDetail::Account(Box::new(detail));
        Posting { reference: format!("scale-payer-{number}"), detail, ..received(rng, account.ledger, day) }
    });
    let posted = app.ledger_post(first.collect()).await?;
    Ok(posted.into_iter().filter_map(|Posted { detail, .. }| detail).collect())
}

/// Books `entries` payments spread evenly over two years.
async fn collect(
    app: &App,
    rng: &Rng,
    account: &Account,
    entries: u64,
    kept: &[DetailId],
) -> Result<(), UseCaseError> {
    let today = app.clock().today();
    let days = u64::from(DAYS.unsigned_abs());
    let mut number = 0;
    while number < entries {
        let last = (number + BATCH).min(entries);
        let batch = (number..last).map(|number| {
            let ahead = i32::try_from(number * days / entries).unwrap_or(0);
            let day = Date(today.0 - DAYS + ahead);
            let detail = PostingDetail::Stored(*rng.one_of(kept));
            let reference = format!("scale-{}-{number}", account.ledger.0);
            Posting { reference, detail, ..received(rng, account.ledger, day) }
        });
        app.ledger_post(batch.collect()).await?;
        number = last;
    }
    Ok(())
}

fn received(rng: &Rng, payee: LedgerAccountId, day: Date) -> Posting {
    let parties = Parties { payee: Some(payee), ..Parties::default() };
    posting(LedgerEvent::SepaIn, parties, rng.between(150, 48_000), day)
}

fn posting(event: LedgerEvent, parties: Parties, minor: i64, day: Date) -> Posting {
    Posting {
        event,
        parties,
        amounts: Amounts::of(Money::new(minor, Currency::EUR)),
        reference: String::new(),
        booking_day: day,
        value_day: day,
        detail: PostingDetail::None,
    }
}
