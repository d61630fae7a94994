//! Durable payments through the use case: each moves a cent between the accounts of two customers and writes a transfer, two
//! entries, two balances and an audit event.

use crate::usage::Usage;
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::{Duration, Instant};
use trapeza_app::{App, Store};
use trapeza_domain::account::Account;
use trapeza_domain::id::PsuId;
use trapeza_store::StoreOptions;
use trapeza_testkit::database::Database;
use trapeza_testkit::ledger_fixture::{self, transfer_posting};

/// The opening balance of every account, enough for any run.
const FUNDS_MINOR: i64 = 1_000_000_000_000;
/// The time at the start that is not measured: statements are prepared and pages are read into caches.
const WARM_UP: Duration = Duration::from_millis(500);

#[derive(Clone, Copy)]
pub struct Load {
    pub callers: usize,
    pub time: Duration,
}

/// The results of one caller.
#[derive(Default)]
struct CallerResult {
    /// The durations of the payments that were completed in the measured time.
    micros: Vec<u64>,
    /// Payments that were completed before or after it.
    unmeasured: u64,
    failed: u64,
}

/// Creates the bank of the payments.
pub async fn prepare(database: &str, accounts: u32) -> Value {
    let app = open(database, &Database::options()).await;
    let count = ledger_fixture::funded_accounts(&app, accounts, FUNDS_MINOR).await.len();
    app.store().close();
    json!({ "accounts": count })
}

pub async fn run(database: &str, load: Load) -> Value {
    let options = StoreOptions {
        // One connection per caller, up to what servers usually accept.
        postgres_threads: load.callers.min(64),
        ..Database::options()
    };
    let app = Arc::new(open(database, &options).await);
    let owner = PsuId::new(uuid::Uuid::from_u128(1));
    let accounts = app.store().read(move |tx| Ok(tx.account_list(owner)?)).await.expect("accounts are read");
    assert!(accounts.len() > 1, "the bank is prepared first");
    let accounts = Arc::new(accounts);
    let begin = Instant::now() + WARM_UP;
    let mut callers = tokio::task::JoinSet::new();
    for number in 0..load.callers {
        callers.spawn(call(app.clone(), accounts.clone(), number, begin, begin + load.time));
    }
    tokio::time::sleep_until(begin.into()).await;
    let usage = Usage::start();
    tokio::time::sleep_until((begin + load.time).into()).await;
    let (wall, processor) = usage.micros();
    let mut results: Vec<CallerResult> = callers.join_all().await;
    let mut micros: Vec<u64> =
        results.iter_mut().flat_map(|result| std::mem::take(&mut result.micros)).collect();
    micros.sort_unstable();
    let at = |percent: usize| micros.get(micros.len() * percent / 100).copied().unwrap_or(0);
    let is_consistent = ledger_check(app.clone()).await;
    app.store().close();
    json!({
        "payments": micros.len(),
        "unmeasured": results.iter().map(|result| result.unmeasured).sum::<u64>(),
        "failed": results.iter().map(|result| result.failed).sum::<u64>(),
        "wall_micros": wall,
        "processor_micros": processor,
        "p50_micros": at(50),
        "p99_micros": at(99),
        "is_consistent": is_consistent,
    })
}

pub async fn open(database: &str, options: &StoreOptions) -> App {
    let store = if database.starts_with("postgres://") {
        Store::open_postgres(database, options)
    } else {
        Store::open_sqlite(database.as_ref(), options)
    };
    ledger_fixture::open_app(store.expect("the store opens")).await
}

async fn call(
    app: Arc<App>,
    accounts: Arc<Vec<Account>>,
    number: usize,
    begin: Instant,
    end: Instant,
) -> CallerResult {
    let mut result = CallerResult::default();
    for turn in 0_usize.. {
        let sent = Instant::now();
        if sent >= end {
            break;
        }
        let (payer, payee) = pair(number, turn, accounts.len());
        let posting =
            transfer_posting(&accounts[payer], &accounts[payee], 1, &format!("bench-{number}-{turn}"));
        let posted = app.ledger_post(vec![posting]).await;
        let completed = Instant::now();
        match posted {
            Ok(_) if completed >= begin && completed < end => {
                result.micros.push(u64::try_from((completed - sent).as_micros()).unwrap_or(u64::MAX));
            }
            Ok(_) => result.unmeasured += 1,
            Err(_) => result.failed += 1,
        }
    }
    result
}

/// Two different accounts, distributed over all of them and the same in every run.
fn pair(caller: usize, turn: usize, accounts: usize) -> (usize, usize) {
    let mut mixed = (caller as u64) << 32 | turn as u64;
    let mut next = |below: usize| {
        // SplitMix64 distributes well enough and needs no dependency.
        mixed = mixed.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut out = mixed;
        out = (out ^ (out >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        out = (out ^ (out >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        usize::try_from((out ^ (out >> 31)) % below as u64).unwrap_or(0)
    };
    let payer = next(accounts);
    let distance = 1 + next(accounts - 1);
    (payer, (payer + distance) % accounts)
}

/// Whether the ledger is consistent after the run.
async fn ledger_check(app: Arc<App>) -> bool {
    let report = tokio::task::spawn_blocking(move || app.ledger_check()).await;
    report.expect("the check runs").expect("the ledger is read").is_sound()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pair_covers_all_accounts_and_never_repeats_one() {
        let mut payers = std::collections::HashSet::new();
        for turn in 0..1000 {
            let (payer, payee) = pair(3, turn, 64);
            assert_ne!(payer, payee);
            assert!(payer < 64 && payee < 64);
            payers.insert(payer);
        }
        assert_eq!(payers.len(), 64);
    }
}
