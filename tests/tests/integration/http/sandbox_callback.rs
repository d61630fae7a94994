//! `GET /sandbox/callbacks`: what the bank reports to a merchant, listed to its developers.

use rstest::rstest;
use serde_json::{Value, json};
use std::time::{SystemTime, UNIX_EPOCH};
use trapeza_domain::callback::CallbackKind;
use trapeza_domain::id::{ApplicationId, CallbackId};
use trapeza_domain::time::{TimeDelta, Timestamp};
use trapeza_store::SandboxCallback;
use trapeza_testkit::database::{Database, Engine};
use trapeza_testkit::{ApiResponse, TestBank};
use uuid::Uuid;

const PATH: &str = "/sandbox/callbacks";

/// Creates a basket of a merchant and decides it. Returns its public id.
async fn decide(bank: &TestBank, merchant: usize, request: u128, approve: bool) -> String {
    let request = uuid::Uuid::from_u128(request).to_string();
    let order = json!({ "basketValue": 120, "requestId": request, "orderIdentifier": "order" });
    let basket = bank.merchant(merchant).post("/createbasket", &order).await;
    assert_eq!(basket.status, 201, "{basket:?}");
    let number = &basket.body["basketId"];
    let path = format!("/bnplsandbox/createbnpl?basketId={number}&isSuccessCallback={approve}");
    assert_eq!(bank.merchant(merchant).post(&path, &json!({})).await.status, 200);
    basket.text("/publicBasketId").to_owned()
}

async fn list(bank: &TestBank, merchant: usize, query: &str) -> ApiResponse {
    let listed = bank.merchant(merchant).get(&format!("{PATH}?{query}")).await;
    assert_eq!(listed.status, 200, "{listed:?}");
    listed
}

fn baskets(listed: &ApiResponse) -> Vec<(String, String)> {
    let one = |callback: &Value| {
        let body: Value = serde_json::from_str(callback["body"].as_str().unwrap()).unwrap();
        let text = |value: &Value| value.as_str().unwrap().to_owned();
        (text(&callback["type"]), text(&body["data"]["publicBasketId"]))
    };
    listed.body["callbacks"].as_array().unwrap().iter().map(one).collect()
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn callbacks_after_the_cursor_are_listed_without_a_callback_url(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let bank = TestBank::start(Database::new(engine)).await;
    let before = decide(&bank, 0, 1, true).await;
    let start = list(&bank, 0, "").await;
    assert_eq!(baskets(&start), [], "without a cursor only the cursor is asked for");
    let (approved, declined) = (decide(&bank, 0, 2, true).await, decide(&bank, 0, 3, false).await);
    let others = decide(&bank, 1, 4, true).await;

    let listed = list(&bank, 0, &format!("after={}", start.text("/cursor"))).await;
    let expected =
        [("basket.approved".to_owned(), approved.clone()), ("basket.declined".to_owned(), declined)];
    assert_eq!(baskets(&listed), expected);
    let again = list(&bank, 0, &format!("after={}", listed.text("/cursor"))).await;
    assert_eq!((baskets(&again), again.text("/cursor")), (Vec::new(), listed.text("/cursor")));
    let all = list(&bank, 0, "after=0").await;
    assert_eq!(baskets(&all)[0], ("basket.approved".to_owned(), before));
    assert_eq!(baskets(&all)[1..], expected);
    assert_eq!(baskets(&list(&bank, 1, "after=0").await), [("basket.approved".to_owned(), others)]);
    // A reset of the bank deletes baskets and not what was reported about them: a listener gets it all the same.
    assert_eq!(bank.anonymous().post("/sandbox/reset", &json!({})).await.status, 200);
    assert_eq!(baskets(&list(&bank, 0, "after=0").await).len(), 3);
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn callback_is_purged_after_seven_days_of_the_system_clock(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let bank = TestBank::start(Database::new(engine)).await;
    let application = bank.sandbox_file["merchants"][0]["application_id"].as_str().unwrap();
    let application = ApplicationId::parse(application).unwrap();
    let micros = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_micros();
    let system_now = Timestamp(i64::try_from(micros).unwrap());
    let recorded = |number: u128, age: TimeDelta| SandboxCallback {
        id: CallbackId::new(Uuid::from_u128(number)),
        application,
        kind: CallbackKind::Approved,
        body: json!({ "data": { "publicBasketId": number.to_string() } }).to_string(),
        created_at: bank.app.now(),
        recorded_at: system_now.minus(age),
        traceparent: None,
    };
    let week = TimeDelta::days(7);
    let all = [recorded(1, TimeDelta(week.0 + 1_000_000)), recorded(2, TimeDelta(week.0 - 600_000_000))];
    for callback in all {
        bank.app.store().write(move |tx| Ok(tx.sandbox_callback_insert(&callback)?)).await.unwrap();
    }
    // The bank's clock purges nothing.
    let advance = json!({ "advance": "P30D" });
    assert_eq!(bank.anonymous().post("/sandbox/clock", &advance).await.status, 200);
    bank.app.sweep(bank.app.now()).await.unwrap();
    assert_eq!(baskets(&list(&bank, 0, "after=0").await), [("basket.approved".to_owned(), "2".to_owned())]);
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn waiting_list_is_answered_by_the_next_callback(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let bank = TestBank::start(Database::new(engine)).await;
    let cursor = list(&bank, 0, "wait=20").await.text("/cursor").to_owned();
    let query = format!("after={cursor}&wait=20");
    let (listed, basket) = tokio::join!(list(&bank, 0, &query), decide(&bank, 0, 1, false));
    assert_eq!(baskets(&listed), [("basket.declined".to_owned(), basket)]);
}

#[tokio::test(flavor = "multi_thread")]
async fn wrong_parameters_are_refused() {
    let bank = TestBank::start(Database::new(Engine::Sqlite)).await;
    for (query, field) in
        [("after=x", "after"), ("after=-1", "after"), ("wait=21", "wait"), ("wait=-1", "wait")]
    {
        let refused = bank.merchant(0).get(&format!("{PATH}?{query}")).await;
        assert_eq!((refused.status, refused.text("/errors/0/field")), (400, field), "{query}: {refused:?}");
    }
    let third_party = bank.tpp(0).get(PATH).await;
    assert_eq!(third_party.status, 400, "{third_party:?}");
}
