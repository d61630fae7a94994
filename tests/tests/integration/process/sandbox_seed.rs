//! The demo bank is a sound bank with everything in it that its documentation promises.

use rstest::rstest;
use std::collections::HashSet;
use trapeza::demo::bank::{self, DemoPsu};
use trapeza::demo::large_account;
use trapeza_app::ledger::LedgerReport;
use trapeza_app::{App, Clock, Entropy, Keyring, SandboxBehaviour, Zone};
use trapeza_domain::account::{Account, AccountKind, AccountStatus, AccountUsage};
use trapeza_domain::card::Card;
use trapeza_domain::money::Currency;
use trapeza_domain::statement::{CardTransaction, PendingCardTransaction, PendingTransaction, Transaction};
use trapeza_domain::time::Date;
use trapeza_store::Cursor;
use trapeza_testkit::database::{Database, Engine};

async fn empty(database: &Database) -> App {
    let store = database.open();
    let clock = Clock::load(&store, Zone::parse("Europe/Athens").unwrap()).await.unwrap();
    App::new(store, clock, Entropy::os(), Keyring::new([3; 32])).with_sandbox(SandboxBehaviour::default())
}

fn proven(app: &App) -> LedgerReport {
    tokio::task::block_in_place(|| app.ledger_check()).unwrap()
}

async fn accounts(app: &App, login: &str) -> (Vec<Account>, Vec<Card>) {
    let login = login.to_owned();
    let found = app.store().read(move |tx| {
        let (psu, _) = tx.psu_by_login(&login)?.expect("the customer is there");
        Ok((tx.account_list(psu.id)?, tx.card_list(psu.id)?))
    });
    found.await.unwrap()
}

async fn statement(app: &App, account: &Account) -> (Vec<Transaction>, Vec<PendingTransaction>) {
    let (ledger, today) = (account.ledger, app.clock().today());
    let read = app.store().read(move |tx| {
        let booked = tx.transaction_page(ledger, Date(0), Cursor::end_of(today), 100_000)?;
        Ok((booked, tx.pending_transaction_list(ledger, Date(0), today, 1_000)?))
    });
    read.await.unwrap()
}

async fn card_statement(app: &App, card: &Card) -> (Vec<CardTransaction>, Vec<PendingCardTransaction>) {
    let (ledger, today) = (card.ledger, app.clock().today());
    let read = app.store().read(move |tx| {
        let booked = tx.card_transaction_page(ledger, Date(0), Cursor::end_of(today), 100_000)?;
        Ok((booked, tx.pending_card_transaction_list(ledger, Date(0), today, 1_000)?))
    });
    read.await.unwrap()
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn demo_bank_is_consistent_and_complete(#[values(Engine::Sqlite, Engine::Postgres)] engine: Engine) {
    let database = Database::new(engine);
    let app = empty(&database).await;
    let built = bank::build(&app, 1, 730).await.unwrap();
    assert_eq!(built, bank::describe(&app).await.unwrap());
    let report = proven(&app);
    assert_eq!(report.findings, Vec::<String>::new());
    assert!((3_000..20_000).contains(&report.entries), "{report:?}");
    assert!(report.holds >= 7, "{report:?}");
    everything_promised_is_there(&app, &built).await;
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn large_account_is_consistent(#[values(Engine::Sqlite, Engine::Postgres)] engine: Engine) {
    let database = Database::new(engine);
    let app = empty(&database).await;
    let scaled = large_account::grow(&app, 1, 12_000).await.unwrap();
    let report = proven(&app);
    assert_eq!(report.findings, Vec::<String>::new());
    assert_eq!(report.entries, 12_000 + 10_000);
    let (booked, _) = statement(&app, &scaled.large).await;
    assert_eq!(booked.len(), 12_000);
    assert!(booked.iter().all(|line| line.detail.is_some()));
}

async fn everything_promised_is_there(app: &App, psus: &[DemoPsu]) {
    let [first, second, third, fourth, fifth] = psus else { panic!("five customers") };
    assert!(first.accounts.len() >= 4 && first.cards.len() >= 2 && first.methods.len() >= 2);
    assert_eq!((second.accounts.len(), second.methods.len()), (1, 1));
    let shared = |account| third.accounts.contains(account) && fourth.accounts.contains(account);
    assert!(third.accounts.iter().any(shared), "a joint account");

    let (own, cards) = accounts(app, &first.psu_id).await;
    assert!(own.iter().any(|account| account.kind == AccountKind::Savings));
    assert!(own.iter().any(|account| account.status == AccountStatus::Blocked));
    let yen = own.iter().find(|account| account.currency == Currency::JPY).unwrap();
    assert!(own.iter().any(|account| account.iban == yen.iban && account.currency != yen.currency));
    for card in &cards {
        let (booked, pending) = card_statement(app, card).await;
        assert!(booked.len() > 100 && !pending.is_empty(), "{:?}", card.masked_pan);
        let details: Vec<_> = booked.iter().filter_map(|line| line.detail.as_ref()).collect();
        assert!(details.iter().any(|detail| detail.markup_fee.is_some() && !detail.exchanges.is_empty()));
        assert!(details.iter().any(|detail| detail.invoiced));
        assert!(pending.iter().all(|line| line.detail.as_ref().is_some_and(|detail| {
            detail.merchant_category_code.is_some() && detail.acceptor_address.is_some()
        })));
    }
    let (booked, pending) = statement(app, &own[0]).await;
    assert!(!pending.is_empty() && booked.len() > 200, "{} booked", booked.len());
    assert!(
        booked.iter().flat_map(|line| &line.detail).any(|detail| !detail.particulars.exchanges.is_empty())
    );
    assert!(booked.windows(2).all(|pair| pair[0].booking_day >= pair[1].booking_day));
    assert!(booked[0].booking_day.0 - booked[booked.len() - 1].booking_day.0 > 700);

    let (company, _) = accounts(app, &fifth.psu_id).await;
    assert_eq!(company[0].usage, AccountUsage::Organisation);
    let (booked, _) = statement(app, &company[0]).await;
    let batch =
        booked.iter().flat_map(|line| line.detail.as_ref().map(|detail| (line.amount, &detail.batch)));
    let (amount, parts) = batch.into_iter().find(|(_, parts)| parts.len() == 4).expect("a batch");
    assert_eq!(parts.iter().map(|part| part.amount.minor).sum::<i64>(), -amount.minor);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn other_seeds_are_consistent_and_differ() {
    let mut histories = HashSet::new();
    for seed in [2, 3, 4] {
        let database = Database::new(Engine::Sqlite);
        let app = empty(&database).await;
        let built = bank::build(&app, seed, 200).await.unwrap();
        assert_eq!(proven(&app).findings, Vec::<String>::new(), "seed {seed}");
        let (own, _) = accounts(&app, &built[0].psu_id).await;
        let (booked, _) = statement(&app, &own[0]).await;
        histories
            .insert(booked.iter().map(|entry| (entry.booking_day.0, entry.amount.minor)).collect::<Vec<_>>());
    }
    assert_eq!(histories.len(), 3, "the seed changes the history");
}
