//! Status notifications of the Berlin Group's dialect while the process is killed with notifications that wait: none is lost, those of one
//! object arrive in the order of its changes, and a repeated one has the same id and body.

use super::callback_crash_recovery::{advance, cli, configuration};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::time::{Duration, Instant};
use trapeza_testkit::database::{Database, Engine};
use trapeza_testkit::process::ServerProcess;
use trapeza_testkit::{Reply, WebhookReceiver};

const PRODUCT: &str = "/berlin-group/v1/payments/sepa-credit-transfers";
const KILLS: usize = 3;
const PAYMENTS_PER_KILL: usize = 2;
/// What is reported of each payment, in this order.
const STATUSES: [&str; 7] =
    ["psuAuthenticated", "scaMethodSelected", "finalised", "ACTC", "ACCP", "ACSP", "ACSC"];
/// How long all may take before the test gives up. Not a measurement.
const TIMEOUT: Duration = Duration::from_secs(300);

/// Thirty in a hundred fail, in an order of their own; so few that none is given up.
fn faulty_reply(_: &str, before: usize) -> Reply {
    match before.wrapping_mul(0x9E37_79B9).rotate_left(11) % 100 {
        0..20 => Reply::Status(503),
        20..25 => Reply::Hang,
        25..30 => Reply::Reset,
        _ => Reply::Status(204),
    }
}

/// A payment of which the receiver is notified, authorised by the customer. Returns its id.
async fn authorised(program: &ServerProcess, receiver: &WebhookReceiver) -> String {
    let psu = &program.sandbox_file["psus"][0];
    let tpp = program
        .anonymous()
        .with_request_id()
        .with("PSU-ID", psu["psu_id"].as_str().unwrap())
        .with("PSU-IP-Address", "192.0.2.1")
        .with("TPP-Explicit-Authorisation-Preferred", "true")
        .with("TPP-Notification-URI", &receiver.url());
    let order = json!({
        "debtorAccount": { "iban": psu["accounts"][0]["iban"] },
        "instructedAmount": { "currency": "EUR", "amount": "0.01" },
        "creditorAccount": { "iban": "DE89370400440532013000" },
        "creditorName": "Anna Muster",
    });
    let created = tpp.post(PRODUCT, &order).await;
    assert_eq!(created.status, 201, "{created:?}");
    let id = created.text("/paymentId").to_owned();
    let path = format!("{PRODUCT}/{id}");
    let started = tpp.post(&format!("{path}/authorisations"), &json!({})).await;
    let own = format!("{path}/authorisations/{}", started.text("/authorisationId"));
    let answer = tpp.put(&own, &json!({ "psuData": { "password": psu["password"] } })).await;
    let methods = answer.body["scaMethods"].as_array().expect("methods").clone();
    let typed = methods.iter().find(|method| method["authenticationType"] != "PUSH_OTP").unwrap();
    tpp.put(&own, &json!({ "authenticationMethodId": typed["authenticationMethodId"] })).await;
    let last = tpp.put(&own, &json!({ "scaAuthenticationData": program.sandbox_file["otp"] })).await;
    assert_eq!(last.text("/scaStatus"), "finalised", "{last:?}");
    id
}

fn status(body: &Value) -> &str {
    let names = ["scaStatus", "transactionStatus"];
    names.iter().find_map(|name| body[*name].as_str()).expect("a status")
}

async fn nothing_is_lost(database: Database) {
    let directory = tempfile::tempdir().unwrap();
    let data = directory.path().join("data");
    let config = configuration(directory.path());
    let options = ["--config", config.as_str()];
    let receiver = WebhookReceiver::start(faulty_reply).await;
    let mut program = ServerProcess::sandbox(&data, &database.url(), &options).await;
    let (mut payments, mut pending_at_kills) = (Vec::new(), 0);
    for kill in 0..KILLS {
        for _ in 0..PAYMENTS_PER_KILL {
            payments.push(authorised(&program, &receiver).await);
        }
        // Some are delivered, others wait for their next attempt or for those before them.
        tokio::time::sleep(Duration::from_millis(200 + 150 * kill as u64)).await;
        let waiting = cli(&program, &["callbacks", "list", "--state", "waiting", "--limit", "100"]);
        pending_at_kills += usize::from(waiting.contains("waiting"));
        program.kill();
        program = ServerProcess::sandbox(&data, &database.url(), &options).await;
    }
    assert!(pending_at_kills > 0, "no process was killed with notifications that wait");
    let expected = payments.len() * STATUSES.len();
    let began = Instant::now();
    loop {
        let left = cli(&program, &["callbacks", "list", "--state", "waiting", "--limit", "1"]);
        if left.lines().last() == Some(&format!("all callbacks: {expected} delivered")) {
            break;
        }
        assert!(began.elapsed() < TIMEOUT, "{left}");
        advance(&program, "PT10M").await;
        tokio::time::sleep(Duration::from_millis(300)).await;
    }
    program.kill();

    let seen = receiver.seen();
    let mut by_payment: BTreeMap<String, Vec<(usize, String, Value)>> = BTreeMap::new();
    for (place, delivery) in seen.iter().enumerate() {
        let body: Value = serde_json::from_str(&delivery.body).unwrap();
        let (payment, id) = (body["paymentId"].as_str().unwrap(), delivery.header("x-request-id"));
        by_payment.entry(payment.to_owned()).or_default().push((place, id.to_owned(), body));
    }
    assert_eq!(by_payment.len(), payments.len());
    for payment in &payments {
        let deliveries = &by_payment[payment];
        // Each id in the order of its first delivery.
        let mut ids: Vec<&str> = Vec::new();
        for (_, id, _) in deliveries {
            if !ids.contains(&id.as_str()) {
                ids.push(id);
            }
        }
        let mut ended = None;
        let mut statuses = Vec::new();
        for id in ids {
            let own: Vec<_> = deliveries.iter().filter(|(_, other, _)| other == id).collect();
            let (first, last) = (own[0].0, own[own.len() - 1].0);
            assert!(own.iter().all(|(_, _, body)| *body == own[0].2), "the same body in every attempt");
            assert_eq!(seen[last].reply, Reply::Status(204), "the last attempt was taken");
            assert!(ended.is_none_or(|ended| ended < first), "a later change overtook an earlier one");
            ended = Some(last);
            statuses.push(status(&own[0].2));
        }
        assert_eq!(statuses, STATUSES, "{payment}");
    }
    println!("{expected} notifications, {KILLS} kills: {} attempts, 0 lost", seen.len());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn killed_process_loses_no_notification_and_keeps_their_order_sqlite() {
    nothing_is_lost(Database::new(Engine::Sqlite)).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn killed_process_loses_no_notification_and_keeps_their_order_postgres() {
    nothing_is_lost(Database::new(Engine::Postgres)).await;
}
