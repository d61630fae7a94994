//! A process that stalls past its leases while another one goes on: every callback is delivered and has one content, what time ends is
//! ended once, and what the stalled process brings back later has no effect.

use crate::concurrency::revocation::two_processes;
use crate::http::callback::is_signed;
use crate::http::payment::{INTERNAL, JONAS, text};
use serde_json::json;
use std::collections::BTreeMap;
use std::process::Command;
use std::time::{Duration, Instant};
use trapeza_testkit::database::{Database, Engine};
use trapeza_testkit::process::{self, ServerProcess};
use trapeza_testkit::{Reply, WebhookReceiver, iterations};

const PRODUCT: &str = "/berlin-group/v1/payments/sepa-credit-transfers";
/// How often one of two processes is stopped.
const STALLS: usize = 2;
/// Baskets that are decided before each.
const BASKETS: usize = 6;
/// Longer than the lease of a callback with the timeout below.
const STALL: Duration = Duration::from_secs(3);
/// How long the deliveries may take. Not a measurement.
const TIMEOUT: Duration = Duration::from_secs(120);

fn signal(program: &ServerProcess, name: &str) {
    let done = Command::new("kill").args([name, &program.process_id().to_string()]).status();
    assert!(done.expect("kill runs").success());
}

/// Waits until a process has adopted the time that another one has set: a basket that it created at the earlier time would be expired
/// for the other one.
async fn wait_for_time(program: &ServerProcess, time: &str) {
    let started = Instant::now();
    while program.anonymous().get("/sandbox/clock").await.text("/now") < time {
        assert!(started.elapsed() < TIMEOUT, "the process has not adopted {time}");
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

/// A basket that the sandbox decides, so that a callback to its merchant is enqueued. Returns its public id.
async fn decided(program: &ServerProcess, number: usize) -> String {
    let order = json!({
        "basketValue": 90.0, "requestId": format!("00000000-0000-4000-8000-{number:012}"),
        "orderIdentifier": format!("order-{number}"),
        "basketProducts": [{ "name": "Lamp", "quantity": 2, "Unit Price": 45, "Total Amount": 90 }],
    });
    let made = program.merchant(0).post("/createbasket", &order).await;
    let path = format!(
        "/bnplsandbox/createbnpl?basketId={}&isSuccessCallback={}",
        made.body["basketId"],
        number.is_multiple_of(2)
    );
    let decision = program.merchant(0).post(&path, &json!({})).await;
    assert_eq!(decision.status, 200, "{decision:?}");
    made.text("/publicBasketId").to_owned()
}

/// A payment that waits for its authorisation until time ends it. Returns its id.
async fn waiting(program: &ServerProcess) -> String {
    let psus = &program.sandbox_file["psus"];
    let order = json!({
        "debtorAccount": { "iban": psus[JONAS]["accounts"][0]["iban"] },
        "instructedAmount": { "currency": "EUR", "Amount": "1.00" },
        "creditorAccount": { "iban": psus[0]["accounts"][0]["iban"] },
        "creditorName": psus[0]["name"],
    });
    let tpp = program.tpp(0).with("PSU_ID", text(&psus[JONAS]["psu_id"])).with("pSUIPAddress", "192.0.2.1");
    tpp.post(INTERNAL, &order).await.text("/paymentId").to_owned()
}

/// A payment to another bank of whose statuses the third party is notified, authorised. Returns its id.
async fn settled(program: &ServerProcess, address: &str) -> String {
    let psu = &program.sandbox_file["psus"][JONAS];
    let tpp = program.anonymous().with_request_id().with("PSU-ID", text(&psu["psu_id"]));
    let tpp = tpp.with("PSU-IP-Address", "192.0.2.1").with("TPP-Explicit-Authorisation-Preferred", "true");
    let order = json!({
        "debtorAccount": { "iban": psu["accounts"][0]["iban"] },
        "instructedAmount": { "currency": "EUR", "amount": "0.01" },
        "creditorAccount": { "iban": "DE89370400440532013000" },
        "creditorName": "Anna Muster",
    });
    let notified = tpp
        .clone()
        .with("TPP-Notification-URI", address)
        .with("TPP-Notification-Content-Preferred", "status=SCA,PROCESS,LAST");
    let created = notified.post(PRODUCT, &order).await;
    assert_eq!(created.status, 201, "{created:?}");
    let id = created.text("/paymentId").to_owned();
    let place = format!("{PRODUCT}/{id}/authorisations");
    let started = tpp.post(&place, &json!({})).await;
    let own = format!("{place}/{}", started.text("/authorisationId"));
    tpp.put(&own, &json!({ "psuData": { "password": psu["password"] } })).await;
    let last = tpp.put(&own, &json!({ "scaAuthenticationData": program.sandbox_file["otp"] })).await;
    assert_eq!(last.text("/scaStatus"), "finalised", "{last:?}");
    id
}

/// The statuses of such a payment in their order.
const STATUSES: [&str; 5] = ["RCVD", "ACTC", "ACCP", "ACSP", "ACSC"];

/// The place of a notification among those of its payment; one about the authorisation is before its effect.
fn step(body: &str) -> usize {
    let has = |status: &&str| body.contains(&format!("\"transactionStatus\":\"{status}\""));
    STATUSES.iter().position(has).unwrap_or(0)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn callbacks_and_expiries_have_one_effect_when_a_process_stalls_past_its_leases() {
    let (database, directory) = (Database::new(Engine::Postgres), tempfile::tempdir().unwrap());
    let config = directory.path().join("trapeza.toml");
    std::fs::write(&config, "[callback]\ntimeout_ms = 300\n").unwrap();
    let options = ["--config", config.to_str().unwrap()];
    let mut programs = two_processes(&database, directory.path(), &options).await;
    // Some attempts are under way when their process is stopped.
    let receiver = WebhookReceiver::start(|_, before| match before % 3 {
        0 => Reply::Hang,
        _ => Reply::Status(204),
    })
    .await;
    let merchant = programs[0].sandbox_file["merchants"][0].clone();
    let own = format!("/sandbox/applications/{}", text(&merchant["application_id"]));
    let urls = json!({ "successCallbackUrl": receiver.url(), "failCallbackUrl": receiver.url() });
    assert_eq!(programs[0].merchant(0).patch(&own, &urls).await.status, 200);

    let (mut baskets, mut payments, mut notified) = (Vec::new(), Vec::new(), Vec::new());
    for round in 0..iterations(STALLS) {
        for number in 0..BASKETS {
            let (at, number) = (&programs[number % 2], round * BASKETS + number);
            baskets.push(decided(at, number).await);
            payments.push(waiting(at).await);
        }
        notified.push(settled(&programs[round % 2], &receiver.url()).await);
        // A little later each time: before, while and after callbacks are claimed, sent and recorded.
        tokio::time::sleep(Duration::from_millis(round as u64 * 37 % 300)).await;
        let (stalled, other) = (&programs[round % 2], &programs[(round + 1) % 2]);
        signal(stalled, "-STOP");
        let moved = other.anonymous().post("/sandbox/clock", &json!({ "advance": "P1D" })).await;
        assert_eq!(moved.status, 200, "{moved:?}");
        tokio::time::sleep(STALL).await;
        signal(stalled, "-CONT");
        wait_for_time(stalled, moved.text("/now")).await;
    }
    let open = "SELECT COUNT(*) FROM callback WHERE status <> 'delivered'";
    let started = Instant::now();
    while database.number(open) > 0 {
        assert!(started.elapsed() < TIMEOUT, "{:?}", database.rows("SELECT * FROM callback"));
        programs[0].anonymous().post("/sandbox/clock", &json!({ "advance": "PT3H" })).await;
        tokio::time::sleep(Duration::from_millis(500)).await;
    }
    let secret = text(&merchant["webhook_secret"]);
    let mut contents: BTreeMap<String, String> = BTreeMap::new();
    for delivery in receiver.seen() {
        // A notification has an id of its dialect and no signature.
        let notification = delivery.header("x-request-id").to_owned();
        assert!(!notification.is_empty() || is_signed(secret, &delivery), "{delivery:?}");
        let id = format!("{}{notification}", delivery.header("webhook-id"));
        let before = contents.entry(id).or_insert_with(|| delivery.body.clone());
        assert_eq!(*before, delivery.body, "an id has one content");
    }
    let enqueued = usize::try_from(database.number("SELECT COUNT(*) FROM callback")).unwrap();
    assert_eq!(contents.len(), enqueued, "every callback arrived");
    for basket in &baskets {
        let about = contents.values().filter(|body| body.contains(basket.as_str())).count();
        assert_eq!(about, 1, "{basket}");
    }
    let delivered = database.events("callback.delivered");
    assert_eq!(delivered.len(), enqueued, "each was recorded as delivered once: {delivered:?}");
    for payment in &notified {
        let about = receiver.seen().into_iter().filter(|delivery| delivery.body.contains(payment.as_str()));
        let mut steps: Vec<usize> = about.map(|delivery| step(&delivery.body)).collect();
        assert!(steps.is_sorted(), "{payment}: a later status was sent before an earlier one: {steps:?}");
        steps.dedup();
        assert_eq!(steps.last(), Some(&(STATUSES.len() - 1)), "{payment}: {steps:?}");
    }
    let mut expected: Vec<String> = payments.iter().map(|id| format!("payment:{id} by bank")).collect();
    expected.sort();
    assert_eq!(database.events("payment.rejected"), expected, "each payment was ended once");

    let data = programs[0].data.clone();
    programs.iter_mut().for_each(|program| assert!(program.terminate().success()));
    for command in [["ledger", "check"], ["audit", "verify"]] {
        let place = ["--data", data.to_str().unwrap(), "--database", &database.url()];
        let check = process::run(&[&command[..], &place].concat());
        assert!(check.status.success(), "{}", String::from_utf8_lossy(&check.stdout));
    }
}
