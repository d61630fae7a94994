//! Two processes of one bank whose sweeps execute the same scheduled payments and standing orders, while one of them is killed: each payment
//! is executed once. The native interface has no fields for dates, so the test stores them before the customer authorises the payment.

use crate::concurrency::revocation::two_processes;
use crate::http::payment::{ELENI, INTERNAL, JONAS, text};
use reqwest::Method;
use serde_json::{Value, json};
use std::time::{Duration, Instant};
use trapeza_domain::calendar::next_target_day;
use trapeza_domain::id::PaymentId;
use trapeza_domain::time::{Date, Timestamp};
use trapeza_store::{Store, Tx, params};
use trapeza_testkit::database::{Database, Engine};
use trapeza_testkit::process::{self, ServerProcess};
use trapeza_testkit::{ApiClient, iterations};

const PAYMENTS: usize = 60;
const ORDERS: usize = 6;
const KILLS: usize = 4;

fn caller(program: &ServerProcess) -> ApiClient {
    program
        .tpp(0)
        .with("PSU_ID", text(&program.sandbox_file["psus"][JONAS]["psu_id"]))
        .with("pSUIPAddress", "192.0.2.1")
}

/// What is booked on the account in euro.
pub(super) fn booked_at(database: &Database, iban: &Value) -> i64 {
    database.number(&format!(
        "SELECT l.booked_minor FROM account a JOIN ledger_account l ON l.id = a.ledger_account
         WHERE a.iban = '{}' AND a.currency = 'EUR'",
        text(iban)
    ))
}

/// A payment of one cent that the customer has authorised for a day, or for every day from then on.
async fn scheduled(program: &ServerProcess, store: &Store, day: Date, is_daily: bool) -> String {
    let (tpp, psus) = (caller(program), &program.sandbox_file["psus"]);
    let order = json!({
        "debtorAccount": { "iban": psus[JONAS]["accounts"][0]["iban"] },
        "instructedAmount": { "currency": "EUR", "Amount": "0.01" },
        "creditorAccount": { "iban": psus[ELENI]["accounts"][0]["iban"] },
        "creditorName": "Papadaki Eleni",
    });
    let created = tpp.post(INTERNAL, &order).await;
    let id = PaymentId::parse(created.text("/paymentId")).unwrap();
    let dated = store.write(move |tx| {
        let sql = match is_daily {
            true => {
                "UPDATE payment SET frequency = 'Daily', start_date = $1, execution_rule = 'following',
                    months_of_execution = 0 WHERE id = $2"
            }
            false => "UPDATE payment SET execution_date = $1 WHERE id = $2",
        };
        Ok(tx.execute(sql, params![day, id])?)
    });
    assert_eq!(dated.await.unwrap(), 1);
    let path = format!("{INTERNAL}/{id}");
    let started = tpp.post(&format!("{path}/authorisations"), &json!({})).await;
    let own = format!("{path}/authorisations/{}", started.text("/authorisationId"));
    tpp.put(&own, &json!({ "psuData": { "password": psus[JONAS]["password"] } })).await;
    let last = tpp.put(&own, &json!({ "scaAuthenticationData": program.sandbox_file["otp"] })).await;
    assert_eq!(last.text("/scaStatus"), "finalised", "{last:?}");
    assert_eq!(tpp.get(&path).await.text("/transactionStatus"), "ACTC");
    path
}

/// Waits until every payment is executed: a sweep skips what another one has locked, so the last ones may be in a sweep that runs by itself,
/// without a request. Payments that are not executed within a minute are left to the assertions.
async fn wait_for_sweeps(store: &Store) {
    let deadline = Instant::now() + Duration::from_secs(60);
    let count = |tx: &mut Tx<'_>| {
        let sql = "SELECT COUNT(*) FROM payment WHERE frequency IS NULL AND status <> 'ACCC'";
        Ok(tx.query_one(sql, &[], |row| row.read::<i64>())?)
    };
    while store.read(count).await.unwrap() > 0 && Instant::now() < deadline {
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
}

/// Moves the clock, which also sweeps. The process may die under it.
pub(super) async fn advance(client: ApiClient, span: &'static str) {
    let body = json!({ "advance": span }).to_string().into_bytes();
    let _ = client.try_send(Method::POST, "/sandbox/clock", Some(body)).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn scheduled_payments_are_executed_once_by_two_processes_despite_a_crash() {
    let (database, directory) = (Database::new(Engine::Postgres), tempfile::tempdir().unwrap());
    let mut programs = two_processes(&database, directory.path(), &[]).await;
    let store = database.open();
    let psus = programs[0].sandbox_file["psus"].clone();
    let ibans = [&psus[JONAS]["accounts"][0]["iban"], &psus[ELENI]["accounts"][0]["iban"]];
    let before = ibans.map(|iban| booked_at(&database, iban));
    let now = store.read(|tx| Ok(tx.clock_find()?)).await.unwrap();
    let system = i64::try_from(std::time::UNIX_EPOCH.elapsed().unwrap().as_micros()).unwrap();
    let today = Timestamp(system + now.0.0).0 / 86_400_000_000;
    let day = next_target_day(Date(i32::try_from(today).unwrap() + 2));
    let mut paths = Vec::new();
    for number in 0..PAYMENTS {
        paths.push(scheduled(&programs[number % 2], &store, day, false).await);
    }
    let mut orders = Vec::new();
    for number in 0..ORDERS {
        orders.push(scheduled(&programs[number % 2], &store, day, true).await);
    }
    for round in 0..iterations(KILLS) {
        // To the day and past it, in several steps, one process being killed in each.
        let moves = programs.each_ref().map(|program| tokio::spawn(advance(program.anonymous(), "P2D")));
        tokio::time::sleep(Duration::from_millis(5 + round as u64 * 17 % 90)).await;
        let killed = round % 2;
        programs[killed].kill();
        for moved in moves {
            moved.await.unwrap();
        }
        let data = programs[killed].data.clone();
        programs[killed] = ServerProcess::sandbox(&data, &database.url(), &[]).await;
    }
    let [one, two] = programs.each_ref().map(|program| advance(program.anonymous(), "PT2M"));
    tokio::join!(one, two);
    wait_for_sweeps(&store).await;
    let tpp = caller(&programs[1]);
    for path in &paths {
        assert_eq!(tpp.get(path).await.text("/transactionStatus"), "ACCC", "{path}");
    }
    for path in &orders {
        assert_eq!(tpp.get(path).await.text("/transactionStatus"), "ACTC", "{path}");
    }
    let executions = store.read(|tx| {
        let sql = "SELECT (SELECT COUNT(*) FROM payment WHERE standing_order IS NOT NULL AND status = 'ACCC'),
                          (SELECT CAST(SUM(execution_number) AS BIGINT) FROM payment WHERE frequency IS NOT NULL)";
        Ok(tx.query_one(sql, &[], |row| Ok((row.read::<i64>()?, row.read::<i64>()?)))?)
    });
    let (executed, counted) = executions.await.unwrap();
    assert_eq!(executed, counted, "each execution that was counted was made once");
    assert!(executed >= i64::try_from(ORDERS).unwrap(), "{executed}");
    let moved = i64::try_from(PAYMENTS).unwrap() + executed;
    assert_eq!(booked_at(&database, ibans[0]), before[0] - moved, "each left once");
    assert_eq!(booked_at(&database, ibans[1]), before[1] + moved, "each arrived once");

    let data = programs[0].data.clone();
    programs.iter_mut().for_each(|program| assert!(program.terminate().success()));
    let words = ["ledger", "check", "--data", data.to_str().unwrap(), "--database", &database.url()];
    let check = process::run(&words);
    assert!(check.status.success(), "{}", String::from_utf8_lossy(&check.stdout));
}
