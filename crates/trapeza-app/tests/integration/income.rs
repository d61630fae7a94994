//! The income of an account, from which a credit decision computes what a customer can afford.

use crate::search::register;
use rstest::rstest;
use trapeza_app::ledger::Posting;
use trapeza_app::{App, UseCaseError};
use trapeza_domain::account::Account;
use trapeza_domain::id::PsuId;
use trapeza_domain::ledger::LedgerAccountKind;
use trapeza_domain::ledger::posting::{LedgerEvent, Parties};
use trapeza_domain::money::Currency;
use trapeza_domain::time::Date;
use trapeza_store::IncomeQuery;
use trapeza_testkit::database::{Database, Engine};
use trapeza_testkit::ledger_fixture::{self, TODAY, opening_posting, posting, transfer_posting};
use uuid::Uuid;

async fn income(app: &App, account: &Account, owner: PsuId, since: Date) -> i64 {
    let query = IncomeQuery { account: account.ledger, owner, since };
    app.store().read(move |tx| Ok(tx.income_sum(query)?)).await.unwrap()
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn income_is_what_others_sent_since_a_day(#[values(Engine::Sqlite, Engine::Postgres)] engine: Engine) {
    let database = Database::new(engine);
    let app = ledger_fixture::open_app(database.open()).await;
    let owner = ledger_fixture::customer(&app).await;
    let other = register(&app, "nikos", "Nikos Georgiou", "+306900000777").await;
    let mut accounts = Vec::new();
    for (number, psu) in [(1, owner), (2, owner), (3, other)] {
        let iban = ledger_fixture::iban(number);
        let account = ledger_fixture::account(&app, psu, &iban, Currency::EUR, 0).await;
        app.ledger_post(vec![opening_posting(&account, 10_000)]).await.unwrap();
        accounts.push(account);
    }
    let (own, savings, theirs) = (&accounts[0], &accounts[1], &accounts[2]);
    assert_eq!(income(&app, own, owner, TODAY).await, 0, "an opening balance is no income");
    app.ledger_post(vec![transfer_posting(savings, own, 2_000, "own")]).await.unwrap();
    assert_eq!(income(&app, own, owner, TODAY).await, 0, "nor is a transfer between own accounts");
    app.ledger_post(vec![transfer_posting(theirs, own, 300, "salary")]).await.unwrap();
    app.ledger_post(vec![transfer_posting(own, theirs, 100, "rent")]).await.unwrap();
    assert_eq!(income(&app, own, owner, TODAY).await, 300);
    assert_eq!(income(&app, own, owner, Date(TODAY.0 + 1)).await, 0, "it was received before");
    assert_eq!(income(&app, savings, owner, TODAY).await, 0, "each account has its own");
    assert_eq!(income(&app, own, other, TODAY).await, 2_000, "for another owner the other transfer counts");
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn refunds_that_the_bank_pays_and_corrections_by_staff_are_no_income(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let database = Database::new(engine);
    let app = ledger_fixture::open_app(database.open()).await;
    let owner = ledger_fixture::customer(&app).await;
    let own = ledger_fixture::account(&app, owner, &ledger_fixture::iban(1), Currency::EUR, 0).await;
    // What the bank owes to a borrower without an account here.
    let loan = Some(Uuid::from_u128(7));
    let credit = app.store().write(move |tx| {
        Ok::<_, UseCaseError>(tx.ledger_account_find_or_insert(
            LedgerAccountKind::Customer,
            loan,
            Currency::EUR,
            0,
        )?)
    });
    let credit = credit.await.unwrap();
    let to = |payee| Parties { payee: Some(payee), ..Parties::default() };
    let refund = Parties { payer: Some(credit), ..to(own.ledger) };
    let by_hand =
        Parties { manual_debit: Some(credit), manual_credit: Some(own.ledger), ..Parties::default() };
    app.ledger_post(vec![
        Posting { parties: to(credit), ..posting(LedgerEvent::SepaIn, 900, "paid") },
        Posting { parties: refund, ..posting(LedgerEvent::InternalTransfer, 500, "refund") },
        Posting { parties: by_hand, ..posting(LedgerEvent::ManualPosting, 300, "correction") },
    ])
    .await
    .unwrap();
    assert_eq!(income(&app, &own, owner, TODAY).await, 0);
    app.ledger_post(vec![Posting { parties: to(own.ledger), ..posting(LedgerEvent::SepaIn, 250, "salary") }])
        .await
        .unwrap();
    assert_eq!(income(&app, &own, owner, TODAY).await, 250);
}
