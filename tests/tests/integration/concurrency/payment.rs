//! What must hold for payments however many come at once: money is spent once, a payment is cancelled or executed and never
//! both, and a call has one effect for ever. Short forms; `cargo xtask trust` repeats them many times.

use crate::http::payment::{
    INTERNAL, JONAS, OTHER_BANK_IBAN, SEPA, balance, challenged, changed, check_ledger, floor, iban,
    initiate, order, standing, text, tpp,
};
use rstest::rstest;
use serde_json::{Value, json};
use std::collections::HashSet;
use std::time::Duration;
use trapeza_testkit::database::{Database, Engine};
use trapeza_testkit::process::{self, ServerProcess};
use trapeza_testkit::{ApiClient, ApiResponse, TestBank, Transcript, iterations};

/// Payments over half of what is there, all at once.
const AT_ONCE: usize = 100;
/// A cancellation against the turn of its payment.
const PAIRS: usize = 50;
/// Calls under different ids, each sent so often at once.
const KEYS: usize = 40;
const TIMES: usize = 8;

async fn paid_by(bank: &TestBank, payer: &str) -> i64 {
    let (booked, held) = balance(bank, payer).await;
    booked - held - floor(bank, payer).await
}

/// The last step of each, at once.
async fn finalised(bank: &TestBank, tpp: &ApiClient, steps: &[String]) -> Vec<ApiResponse> {
    let mut calls = tokio::task::JoinSet::new();
    for own in steps {
        let (tpp, own, body) =
            (tpp.clone(), own.clone(), json!({ "scaAuthenticationData": bank.sandbox_file["otp"] }));
        calls.spawn(async move { tpp.put(&own, &body).await });
    }
    calls.join_all().await
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn hundred_concurrent_payments_over_half_the_balance_execute_once(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let database = Database::new(engine);
    let bank = TestBank::start(database).await;
    let (tpp, payer) = (tpp(&bank, JONAS), iban(&bank, JONAS, 0));
    for round in 0..iterations(1) {
        let before = balance(&bank, &payer).await;
        let half = paid_by(&bank, &payer).await / 2 + 1;
        assert!(half > 50, "the payer has money");
        let body = order(&bank, &format!("{}.{:02}", half / 100, half % 100));
        let (mut paths, mut steps) = (Vec::new(), Vec::new());
        for _ in 0..AT_ONCE {
            let path = initiate(&tpp, INTERNAL, &body).await;
            steps.push(
                challenged(&bank, &tpp, &format!("{path}/authorisations"), &mut Transcript::default()).await,
            );
            paths.push(path);
        }
        // No request is refused as busy: a hundred on one account are not too many.
        for answer in finalised(&bank, &tpp, &steps).await {
            assert_eq!((answer.status, answer.text("/scaStatus")), (200, "finalised"), "{answer:?}");
        }
        let mut executed = 0;
        for path in &paths {
            match standing(&tpp, path).await {
                (status, funds) if status == 4 && funds == true => executed += 1,
                other => assert_eq!(other, (json!(3), json!(false))),
            }
        }
        assert_eq!(executed, 1, "round {round}");
        assert_eq!(balance(&bank, &payer).await, (before.0 - half, before.1));
        bank.book_opening(&payer, half).await;
    }
    check_ledger(&bank).await;
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn concurrent_cancel_and_authorise_have_one_outcome(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let database = Database::new(engine);
    let bank = TestBank::start(database).await;
    let (tpp, payer) = (tpp(&bank, JONAS), iban(&bank, JONAS, 0));
    bank.book_opening(&payer, 100 * i64::try_from(iterations(PAIRS)).unwrap()).await;
    let away = changed(order(&bank, "1.00"), "/creditorAccount/iban", json!(OTHER_BANK_IBAN));
    let (mut cancelled, mut executed, mut start) = (0, 0, 0);
    for _ in 0..iterations(PAIRS) {
        let before = balance(&bank, &payer).await;
        let path = initiate(&tpp, SEPA, &away).await;
        let own =
            challenged(&bank, &tpp, &format!("{path}/authorisations"), &mut Transcript::default()).await;
        assert_eq!(finalised(&bank, &tpp, &[own]).await[0].text("/scaStatus"), "finalised");
        assert_eq!(tpp.delete(&path).await.text("/transactionStatus"), "RECEIVED");
        let own = challenged(
            &bank,
            &tpp,
            &format!("{path}/cancellation-authorisations"),
            &mut Transcript::default(),
        )
        .await;
        // The minutes of the wish are over at the same moment as its customer agrees to it. Who won is given less of
        // a start the next time, so that the two come ever closer.
        let steps = [own];
        let late = async {
            tokio::time::sleep(Duration::from_micros(start)).await;
            finalised(&bank, &tpp, &steps).await
        };
        let (agreed, _) = tokio::join!(late, bank.advance("PT15M"));
        bank.advance("PT5S").await;
        let after = balance(&bank, &payer).await;
        match (standing(&tpp, &path).await.0.as_i64().unwrap(), agreed[0].status) {
            (6, 200) => {
                cancelled += 1;
                start += 500;
                assert_eq!(after, before, "cancelled, so nothing moved");
            }
            (4, refused) => {
                executed += 1;
                start = start.saturating_sub(500);
                assert!((400..500).contains(&refused), "{:?}", agreed[0]);
                assert_eq!(after, (before.0 - 100, before.1), "executed, so it moved once");
            }
            other => panic!("{other:?}: {:?}", agreed[0]),
        }
    }
    println!("cancelled: {cancelled}, executed: {executed}");
    assert!(cancelled > 0 && executed > 0, "no race was run: {cancelled}, {executed}");
    check_ledger(&bank).await;
}

/// A third party that asks a program of its own.
fn caller(program: &ServerProcess, psu: &Value) -> ApiClient {
    program.tpp(0).with("PSU_ID", text(&psu["psu_id"])).with("pSUIPAddress", "192.0.2.1")
}

/// Every key, each several times at once: the ids of the payments that came of them, by key.
async fn send_concurrently(caller: &ApiClient, orders: &[(String, Value)]) -> Vec<String> {
    let mut made = Vec::new();
    // As many at once as a machine has connections for.
    for some in orders.chunks(KEYS) {
        made.extend(send_batch(caller, some).await);
    }
    made
}

async fn send_batch(caller: &ApiClient, orders: &[(String, Value)]) -> Vec<String> {
    let mut calls = tokio::task::JoinSet::new();
    for (number, (key, body)) in orders.iter().enumerate() {
        for _ in 0..TIMES {
            let (caller, body) = (caller.clone().with("x-Request-ID", key), body.clone());
            calls.spawn(async move {
                loop {
                    let answer = caller.post(SEPA, &body).await;
                    // Too many at once for the queue: the same again.
                    if answer.status != 503 {
                        assert_eq!(answer.status, 200, "{answer:?}");
                        return (number, answer.text("/paymentId").to_owned());
                    }
                }
            });
        }
    }
    let mut made: Vec<HashSet<String>> = vec![HashSet::new(); orders.len()];
    for (number, id) in calls.join_all().await {
        made[number].insert(id);
    }
    made.into_iter()
        .map(|ids| {
            assert_eq!(ids.len(), 1, "one key, one payment: {ids:?}");
            ids.into_iter().next().unwrap()
        })
        .collect()
}

async fn replay_storm(engine: Engine) {
    let directory = tempfile::tempdir().unwrap();
    let (data, database) = (directory.path().join("data"), Database::new(engine));
    let mut program = ServerProcess::sandbox(&data, &database.url(), &[]).await;
    let psu = program.sandbox_file["psus"][JONAS].clone();
    let orders: Vec<(String, Value)> = (0..iterations(KEYS))
        .map(|number| {
            let order = json!({
                "endToEndIdentification": format!("storm-{number}"),
                "debtorAccount": { "iban": psu["accounts"][0]["iban"] },
                "instructedAmount": { "currency": "EUR", "Amount": "1.00" },
                "creditorAccount": { "iban": OTHER_BANK_IBAN },
                "creditorName": "Maria Ioannou",
            });
            (format!("00000000-0000-4000-8000-{number:012}"), order)
        })
        .collect();
    let made = send_concurrently(&caller(&program, &psu), &orders).await;
    assert_eq!(made.iter().collect::<HashSet<_>>().len(), orders.len(), "as many effects as keys");
    program.kill();
    let mut program = ServerProcess::sandbox(&data, &database.url(), &[]).await;
    assert_eq!(send_concurrently(&caller(&program, &psu), &orders).await, made, "and after a crash the same");
    let moved = program.anonymous().post("/sandbox/clock", &json!({ "advance": "PT25H" })).await;
    assert_eq!(moved.status, 200, "{moved:?}");
    let later = caller(&program, &psu);
    assert_eq!(send_concurrently(&later, &orders).await, made, "and after a day the same");
    for id in &made {
        let status = later.get(&format!("{SEPA}/{id}/status")).await;
        assert_eq!(status.body["transactionStatus"], 7, "the first one, whose time is over: {status:?}");
    }
    assert!(program.terminate().success());
    let (data, url) = (data.to_str().unwrap(), database.url());
    let mut words = vec!["ledger", "check", "--data", data];
    words.extend(if url.is_empty() { vec![] } else { vec!["--database", &url] });
    let check = process::run(&words);
    assert!(check.status.success(), "{}", String::from_utf8_lossy(&check.stdout));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn repeated_requests_under_load_have_one_effect_sqlite() {
    replay_storm(Engine::Sqlite).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn repeated_requests_under_load_have_one_effect_postgres() {
    replay_storm(Engine::Postgres).await;
}
