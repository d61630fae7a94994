//! Ends of one hold at the same time. A transaction that read the hold before another one ended it fails at the lock of the account, which
//! every end of a hold changes, and runs again.

use rstest::rstest;
use std::sync::Arc;
use tokio::task::JoinSet;
use trapeza_app::ledger::post;
use trapeza_domain::ledger::LedgerError;
use trapeza_domain::ledger::posting::LedgerEvent::{SepaOutAccepted, SepaOutRejected, SepaOutSettled};
use trapeza_testkit::database::{Database, Engine};
use trapeza_testkit::iterations;
use trapeza_testkit::ledger_fixture::{self, debit_posting};

const ROUNDS: usize = 10;
const ENDS: usize = 8;

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn concurrent_ends_of_a_hold_have_one_effect(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let database = Database::new(engine);
    let app = Arc::new(ledger_fixture::open_app(database.open()).await);
    let account = ledger_fixture::funded_accounts(&app, 1, 100_000).await.remove(0);
    let mut booked = 100_000;
    for round in 0..iterations(ROUNDS) {
        let reference = format!("hold-{round}");
        app.ledger_post(vec![debit_posting(&account, SepaOutAccepted, 100, &reference)]).await.unwrap();
        let mut ends = JoinSet::new();
        for number in 0..ENDS {
            let event = if number % 2 == 0 { SepaOutSettled } else { SepaOutRejected };
            let (app, postings) = (app.clone(), vec![debit_posting(&account, event, 100, &reference)]);
            ends.spawn(async move {
                let posted = app.store().write(move |tx| Ok(post(tx, &postings)?)).await;
                posted.expect("no transaction is given up").map(|_| event)
            });
        }
        let (done, refused): (Vec<_>, Vec<_>) = ends.join_all().await.into_iter().partition(Result::is_ok);
        assert_eq!((done.len(), refused.len()), (1, ENDS - 1));
        assert!(refused.iter().all(|refusal| *refusal == Err(LedgerError::HoldClosed)), "{refused:?}");
        booked -= if done[0] == Ok(SepaOutSettled) { 100 } else { 0 };
        let id = account.ledger;
        let found = app.store().read(move |tx| Ok(tx.ledger_account_find(id)?)).await.unwrap();
        let balance = found.and_then(|account| account.statement).unwrap();
        assert_eq!((balance.booked, balance.held), (booked, 0), "round {round}");
    }
    let report = tokio::task::block_in_place(|| app.ledger_check()).unwrap();
    assert_eq!(report.findings, Vec::<String>::new());
}
