//! A basket's own callback endpoints: they are checked like those of the application, and called instead of them.

use super::callback::{Courier, count, until};
use rstest::rstest;
use serde_json::json;
use trapeza_domain::callback::CallbackStatus;
use trapeza_testkit::database::{Database, Engine};
use trapeza_testkit::{ApiResponse, Reply, TestBank, WebhookReceiver};
use uuid::Uuid;

async fn create(bank: &TestBank, number: u128, success: &str, fail: &str) -> ApiResponse {
    let order = json!({
        "basketValue": 120, "requestId": Uuid::from_u128(number).to_string(), "orderIdentifier": "A-1",
        "successCallbackUrl": success, "failCallbackUrl": fail,
    });
    bank.merchant(0).post("/createbasket", &order).await
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn callbacks_of_a_basket_go_to_its_own_endpoints(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let bank = TestBank::start(Database::new(engine)).await;
    let application = bank.sandbox_file["merchants"][0]["application_id"].as_str().unwrap();
    // Nothing listens there.
    let urls = json!({
        "successCallbackUrl": "http://127.0.0.1:1025/paid", "failCallbackUrl": "http://127.0.0.1:1025/failed",
    });
    let set = bank.merchant(0).patch(&format!("/sandbox/applications/{application}"), &urls).await;
    assert_eq!(set.status, 200, "{set:?}");

    let refused = create(&bank, 1, "https://shop.example/paid", "ftp://127.0.0.1/failed").await;
    let fields: Vec<_> = refused.body["errors"].as_array().unwrap().iter().map(|one| &one["field"]).collect();
    assert_eq!(
        (refused.status, fields),
        (400, vec![&json!("successCallbackUrl"), &json!("failCallbackUrl")])
    );

    let success = WebhookReceiver::start(|_, _| Reply::Status(204)).await;
    let fail = WebhookReceiver::start(|_, _| Reply::Status(204)).await;
    for (number, is_approved) in [(2, true), (3, false)] {
        let created = create(&bank, number, &success.url(), &fail.url()).await;
        assert_eq!(created.status, 201, "{created:?}");
        let basket = &created.body["basketId"];
        let path = format!("/bnplsandbox/createbnpl?basketId={basket}&isSuccessCallback={is_approved}");
        assert_eq!(bank.merchant(0).post(&path, &json!({})).await.status, 200);
    }
    let courier = Courier::sandbox(&bank.app);
    until("both are delivered", async || count(&bank.app, CallbackStatus::Delivered).await == 2).await;
    courier.stop().await;
    let (approved, declined) = (success.seen(), fail.seen());
    assert_eq!((approved.len(), declined.len()), (1, 1));
    assert!(approved[0].body.contains("basket.approved"), "{approved:?}");
    assert!(declined[0].body.contains("basket.declined"), "{declined:?}");
}
