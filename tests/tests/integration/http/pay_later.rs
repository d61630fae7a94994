//! Pay Later from end to end in the real program: a basket is made, decided or abandoned, and its merchant is reported at the
//! right address, signed.

use crate::http::callback::verifies;
use rstest::rstest;
use serde_json::{Value, json};
use std::time::{Duration, Instant};
use trapeza_testkit::database::{Database, Engine};
use trapeza_testkit::{Delivery, Reply, ServerProcess, WebhookReceiver};

/// How long news may take. Not a measurement.
const TIMEOUT: Duration = Duration::from_secs(60);

async fn arrived(receiver: &WebhookReceiver, count: usize) -> Vec<Delivery> {
    let began = Instant::now();
    loop {
        let seen = receiver.seen();
        if seen.len() >= count {
            return seen;
        }
        assert!(began.elapsed() < TIMEOUT, "{count} are enqueued, {seen:?} came");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

fn order(number: u32) -> Value {
    json!({
        "basketValue": 90.0,
        "requestId": format!("00000000-0000-4000-8000-00000000000{number}"),
        "orderIdentifier": format!("order-{number}"),
        "basketProducts": [{ "name": "Lamp", "quantity": 2, "Unit Price": 45, "Total Amount": 90 }],
    })
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn merchant_receives_a_callback_for_each_outcome(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let database = Database::new(engine);
    let data = tempfile::tempdir().unwrap();
    let program = ServerProcess::sandbox(data.path(), &database.url(), &[]).await;
    let sandbox_file = program.sandbox_file["merchants"][0].clone();
    let merchant = program.merchant(0);
    let (good, bad) = (
        WebhookReceiver::start(|_, _| Reply::Status(204)).await,
        WebhookReceiver::start(|_, _| Reply::Status(200)).await,
    );
    let own = format!("/sandbox/applications/{}", sandbox_file["application_id"].as_str().unwrap());
    let urls = json!({ "successCallbackUrl": good.url(), "failCallbackUrl": bad.url() });
    assert_eq!(merchant.patch(&own, &urls).await.status, 200);

    let mut baskets = Vec::new();
    for number in 1..=3 {
        let made = merchant.post("/createbasket", &order(number)).await;
        assert_eq!(made.status, 201, "{made:?}");
        baskets.push((made.body["basketId"].clone(), made.text("/publicBasketId").to_owned()));
    }
    for (number, success) in [(0, true), (1, false)] {
        let path =
            format!("/bnplsandbox/createbnpl?basketId={}&isSuccessCallback={success}", baskets[number].0);
        let decided = merchant.post(&path, &json!({})).await;
        assert_eq!(decided.status, 200, "{decided:?}");
    }
    // The third is abandoned, and expires.
    let moved = program.anonymous().post("/sandbox/clock", &json!({ "advance": "PT31M" })).await;
    assert_eq!(moved.status, 200, "{moved:?}");

    let secret = sandbox_file["webhook_secret"].as_str().unwrap();
    let (approved, failed) = (arrived(&good, 1).await, arrived(&bad, 2).await);
    assert_eq!((approved.len(), failed.len()), (1, 2));
    for delivery in approved.iter().chain(&failed) {
        assert!(verifies(secret, delivery), "{delivery:?}");
    }
    let reported = |delivery: &Delivery| serde_json::from_str::<Value>(&delivery.body).unwrap();
    let news = reported(&approved[0]);
    assert_eq!(news["type"], "basket.approved");
    assert_eq!(news["data"]["publicBasketId"], baskets[0].1);
    assert_eq!(news["data"]["orderIdentifier"], "order-1");
    assert_eq!(news["data"]["requestId"], "00000000-0000-4000-8000-000000000001");
    assert_eq!((&news["data"]["status"], &news["data"]["sequence"]), (&json!("approved"), &json!(1)));
    assert_eq!(news["data"]["approvedLoanAmount"].to_string(), "90");
    let loan = merchant.get(&format!("/loans/bnpl?basketId={}", baskets[0].1)).await;
    let loan = &loan.body["data"]["payLaterInformation"];
    assert_eq!(
        (&loan["bnplRequestId"], &loan["status"]),
        (&news["data"]["bnplRequestId"], &json!("approved"))
    );
    let outcome = |delivery: &Delivery| {
        let news = reported(delivery);
        format!("{} {}", news["type"], news["data"]["reason"])
    };
    let mut outcomes: Vec<String> = failed.iter().map(outcome).collect();
    outcomes.sort();
    assert_eq!(outcomes, [r#""basket.declined" "SANDBOX""#, r#""basket.expired" "EXPIRED""#]);
    assert_eq!(news["data"]["reason"], Value::Null, "an approval has no reason");
}
