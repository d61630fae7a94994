//! Durable payments through the real use case: each moves a cent between two customers' accounts and writes its
//! transfer, two statement lines, two balances and an audit row.

use crate::usage::Usage;
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::{Duration, Instant};
use trapeza_app::{App, Store};
use trapeza_domain::account::Account;
use trapeza_domain::id::PsuId;
use trapeza_store::StoreOptions;
use trapeza_testkit::database::Database;
use trapeza_testkit::ledger_fixture::{self, between};

/// What every account begins with: enough cents for any run.
const FUNDS_MINOR: i64 = 1_000_000_000_000;
/// Time at the start that is not counted: statements are prepared and pages are read into caches.
const WARM_UP: Duration = Duration::from_millis(500);

#[derive(Clone, Copy)]
pub struct Load {
    pub callers: usize,
    pub time: Duration,
}

/// What one caller saw.
#[derive(Default)]
struct Seen {
    /// Answered in the measured time, each with how long it took.
    micros: Vec<u64>,
    /// Answered before or after it.
    outside: u64,
    failed: u64,
}

/// Makes the bank that payments are booked in.
pub async fn prepare(place: &str, accounts: u32) -> Value {
    let app = open(place, &Database::options()).await;
    let made = ledger_fixture::funded(&app, accounts, FUNDS_MINOR).await.len();
    app.store().close();
    json!({ "accounts": made })
}

pub async fn run(place: &str, load: Load) -> Value {
    let options = StoreOptions {
        // One connection for each caller, up to what a server is usually set to take.
        postgres_threads: load.callers.min(64),
        ..Database::options()
    };
    let app = Arc::new(open(place, &options).await);
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
    let mut seen: Vec<Seen> = callers.join_all().await;
    let mut micros: Vec<u64> = seen.iter_mut().flat_map(|seen| std::mem::take(&mut seen.micros)).collect();
    micros.sort_unstable();
    let at = |percent: usize| micros.get(micros.len() * percent / 100).copied().unwrap_or(0);
    let sound = books_check(app.clone()).await;
    app.store().close();
    json!({
        "payments": micros.len(),
        "outside": seen.iter().map(|seen| seen.outside).sum::<u64>(),
        "failed": seen.iter().map(|seen| seen.failed).sum::<u64>(),
        "wall_micros": wall,
        "processor_micros": processor,
        "p50_micros": at(50),
        "p99_micros": at(99),
        "sound": sound,
    })
}

pub async fn open(place: &str, options: &StoreOptions) -> App {
    let store = if place.starts_with("postgres://") {
        Store::open_postgres(place, options)
    } else {
        Store::open_sqlite(place.as_ref(), options)
    };
    ledger_fixture::open(store.expect("the store opens")).await
}

async fn call(
    app: Arc<App>,
    accounts: Arc<Vec<Account>>,
    number: usize,
    begin: Instant,
    end: Instant,
) -> Seen {
    let mut seen = Seen::default();
    for turn in 0_usize.. {
        let sent = Instant::now();
        if sent >= end {
            break;
        }
        let (payer, payee) = pair(number, turn, accounts.len());
        let posting = between(&accounts[payer], &accounts[payee], 1, &format!("bench-{number}-{turn}"));
        let posted = app.ledger_post(vec![posting]).await;
        let answered = Instant::now();
        match posted {
            Ok(_) if answered >= begin && answered < end => {
                seen.micros.push(u64::try_from((answered - sent).as_micros()).unwrap_or(u64::MAX));
            }
            Ok(_) => seen.outside += 1,
            Err(_) => seen.failed += 1,
        }
    }
    seen
}

/// Two different accounts, scattered over all of them and the same in every run.
fn pair(caller: usize, turn: usize, accounts: usize) -> (usize, usize) {
    let mut mixed = (caller as u64) << 32 | turn as u64;
    let mut next = |below: usize| {
        // SplitMix64: good enough to scatter, and no dependency.
        mixed = mixed.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut out = mixed;
        out = (out ^ (out >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        out = (out ^ (out >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        usize::try_from((out ^ (out >> 31)) % below as u64).unwrap_or(0)
    };
    let payer = next(accounts);
    let away = 1 + next(accounts - 1);
    (payer, (payer + away) % accounts)
}

/// Speed that broke the ledger_fixture would be worth nothing.
async fn books_check(app: Arc<App>) -> bool {
    let report = tokio::task::spawn_blocking(move || app.ledger_check()).await;
    report.expect("the check runs").expect("the ledger_fixture are read").is_sound()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_account_pays_another() {
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
