//! A process that moves money between the accounts of a small bank from many tasks at once and says so, line by line, until it is
//! killed. The tests of bad luck start it; it is given the place of the ledger_fixture.

use std::io::Write;
use std::sync::Arc;
use trapeza_app::Store;
use trapeza_domain::id::PsuId;
use trapeza_testkit::database::Database;
use trapeza_testkit::ledger_fixture::{self, between};

const TASKS: usize = 32;
const CUSTOMER: PsuId = PsuId::new(uuid::Uuid::from_u128(1));

#[tokio::main]
async fn main() {
    let place = std::env::args().nth(1).expect("a path or a PostgreSQL URL");
    let options = Database::options();
    let store = if place.starts_with("postgres://") {
        Store::open_postgres(&place, &options)
    } else {
        Store::open_sqlite(place.as_ref(), &options)
    };
    let app = Arc::new(ledger_fixture::open(store.expect("the store opens")).await);
    let accounts =
        app.store().read(|tx| Ok(tx.account_list(CUSTOMER)?)).await.expect("the accounts are read");
    assert!(accounts.len() > 1, "the customers have accounts to move money between");
    let accounts = Arc::new(accounts);
    let mut tasks = tokio::task::JoinSet::new();
    for task in 0..TASKS {
        let (app, accounts) = (app.clone(), accounts.clone());
        tasks.spawn(async move {
            for number in 0_usize.. {
                let payer = &accounts[(task + number) % accounts.len()];
                let payee = &accounts[(task + number * 3 + 1) % accounts.len()];
                if payer.ledger == payee.ledger {
                    continue;
                }
                let reference = format!("storm-{}", app.entropy().uuid());
                if app.ledger_post(vec![between(payer, payee, 1, &reference)]).await.is_ok() {
                    // Only what was answered is promised, so only that is said, and in one write.
                    let line = format!("{reference}\n");
                    let _ = std::io::stdout().write_all(line.as_bytes());
                }
            }
        });
    }
    while tasks.join_next().await.is_some() {}
}
