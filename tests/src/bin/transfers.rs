//! A process that transfers money between the accounts of a small bank from many tasks at once, and prints the reference of each
//! transfer once it is acknowledged, until it is killed. The tests of crashes and power cuts start it.
//!
//! Arguments: the path of the SQLite database or a PostgreSQL URL, and the length in frames at which SQLite's WAL restarts.

use std::io::Write;
use std::sync::Arc;
use trapeza_app::Store;
use trapeza_domain::id::PsuId;
use trapeza_testkit::database::Database;
use trapeza_testkit::ledger_fixture::{self, transfer_posting};

const TASKS: usize = 32;
const CUSTOMER: PsuId = PsuId::new(uuid::Uuid::from_u128(1));

#[tokio::main]
async fn main() {
    let mut arguments = std::env::args().skip(1);
    let database = arguments.next().expect("a path or a PostgreSQL URL");
    let mut options = Database::options();
    if let Some(frames) = arguments.next() {
        options.wal_restart_frames = frames.parse().expect("a number of frames");
    }
    let store = if database.starts_with("postgres://") {
        Store::open_postgres(&database, &options)
    } else {
        Store::open_sqlite(database.as_ref(), &options)
    };
    let app = Arc::new(ledger_fixture::open_app(store.expect("the store opens")).await);
    let accounts =
        app.store().read(|tx| Ok(tx.account_list(CUSTOMER)?)).await.expect("the accounts are read");
    assert!(accounts.len() > 1, "at least two accounts are required");
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
                let reference = format!("transfer-{}", app.entropy().uuid());
                if app.ledger_post(vec![transfer_posting(payer, payee, 1, &reference)]).await.is_ok() {
                    // In one write, so that a reader sees whole lines.
                    let line = format!("{reference}\n");
                    let _ = std::io::stdout().write_all(line.as_bytes());
                }
            }
        });
    }
    while tasks.join_next().await.is_some() {}
}
