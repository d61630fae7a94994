//! Several postings at once: each is computed on what the earlier ones left, also where it ends a hold that one of them has placed.

use rstest::rstest;
use trapeza_app::App;
use trapeza_app::ledger::{Posted, Posting, PostingDetail, post};
use trapeza_domain::ledger::LedgerError;
use trapeza_domain::ledger::posting::LedgerEvent::{SepaOutAccepted, SepaOutRejected, SepaOutSettled};
use trapeza_domain::money::Currency;
use trapeza_domain::time::Date;
use trapeza_domain::transaction::{TransactionDetail, TransactionFields};
use trapeza_store::Cursor;
use trapeza_testkit::database::{Database, Engine};
use trapeza_testkit::ledger_fixture::{self, TODAY, account, customer, debit_posting, opening_posting};

const IBAN: &str = "GR1601101250000000012300695";

/// Posts in a transaction of its own and returns the ledger's refusal instead of failing.
async fn try_post(app: &App, postings: Vec<Posting>) -> Result<Vec<Posted>, LedgerError> {
    app.store().write(move |tx| Ok(post(tx, &postings)?)).await.unwrap()
}

fn findings(app: &App) -> Vec<String> {
    tokio::task::block_in_place(|| app.ledger_check()).unwrap().findings
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn hold_in_another_currency_or_under_a_reference_of_the_same_postings_is_refused(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let database = Database::new(engine);
    let app = ledger_fixture::open_app(database.open()).await;
    let owner = customer(&app).await;
    let euros = account(&app, owner, IBAN, Currency::EUR, 1_000).await;
    let yen = account(&app, owner, IBAN, Currency::JPY, 1_000).await;
    let hold = |account, reference: &str| debit_posting(account, SepaOutAccepted, 100, reference);
    assert_eq!(try_post(&app, vec![hold(&yen, "h1")]).await, Err(LedgerError::CurrenciesMixed));
    let twice = vec![hold(&euros, "h1"), hold(&euros, "h1")];
    assert_eq!(try_post(&app, twice).await, Err(LedgerError::DuplicateReference));
    assert_eq!(database.number("SELECT COUNT(*) FROM hold"), 0);
    assert!(try_post(&app, vec![hold(&euros, "h1"), hold(&euros, "h2")]).await.is_ok());
    assert_eq!(findings(&app), Vec::<String>::new());
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn hold_that_ends_with_the_postings_that_place_it_has_its_details_on_the_statement(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let database = Database::new(engine);
    let app = ledger_fixture::open_app(database.open()).await;
    let owner = customer(&app).await;
    let payer = account(&app, owner, IBAN, Currency::EUR, 0).await;
    let detail = TransactionDetail {
        particulars: TransactionFields {
            remittance_unstructured: Some("Rent of November".to_owned()),
            ..TransactionFields::default()
        },
        ..TransactionDetail::default()
    };
    let posting = |event, reference| debit_posting(&payer, event, 100, reference);
    let described = |reference| Posting {
        detail: PostingDetail::Account(Box::new(detail.clone())),
        ..posting(SepaOutAccepted, reference)
    };
    app.ledger_post(vec![
        opening_posting(&payer, 150),
        described("settled"),
        posting(SepaOutSettled, "settled"),
        // There is money for a second one only after a first one was released.
        posting(SepaOutAccepted, "rejected"),
    ])
    .await
    .unwrap_err();
    app.ledger_post(vec![
        opening_posting(&payer, 150),
        posting(SepaOutAccepted, "rejected"),
        posting(SepaOutRejected, "rejected"),
        described("settled"),
        posting(SepaOutSettled, "settled"),
    ])
    .await
    .unwrap();
    let ledger = payer.ledger;
    let (page, pending) = app
        .store()
        .read(move |tx| {
            let page = tx.transaction_page(ledger, Date(0), Cursor::end_of(TODAY), 10)?;
            Ok((page, tx.pending_transaction_list(ledger, Date(0), TODAY, 10)?))
        })
        .await
        .unwrap();
    let entries: Vec<_> = page.iter().map(|entry| (entry.amount.minor, entry.detail.as_ref())).collect();
    assert_eq!(entries, [(-100, Some(&detail)), (150, None)]);
    assert_eq!(pending, []);
    assert_eq!(findings(&app), Vec::<String>::new());
}
