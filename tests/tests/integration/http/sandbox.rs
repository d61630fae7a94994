//! Operations of the sandbox.

use rstest::rstest;
use serde_json::json;
use trapeza_app::parse_timestamp;
use trapeza_testkit::TestBank;
use trapeza_testkit::database::{Database, Engine};

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn application_change_with_unknown_fields_is_refused(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let bank = TestBank::start(Database::new(engine)).await;
    let own = |owner: &str, id: &str| {
        let id = bank.sandbox_file[owner][0][id].as_str().unwrap();
        format!("/sandbox/applications/{id}")
    };
    let path = own("merchants", "application_id");
    let body =
        json!({ "successCallbackURL": "http://127.0.0.1:9/a", "failCallbackUrl": "http://127.0.0.1:9/b" });
    let refused = bank.merchant(0).patch(&path, &body).await;
    assert_eq!((refused.status, refused.text("/errors/0/field")), (400, "successCallbackURL"), "{refused:?}");
    let unchanged = bank.merchant(0).patch(&path, &json!({})).await;
    assert_eq!(unchanged.status, 200);
    assert!(unchanged.body.get("failCallbackUrl").is_none_or(|url| url.is_null()), "{unchanged:?}");

    let path = own("tpps", "client_id");
    let foreign = bank.tpp(0).patch(&path, &json!({ "successCallbackUrl": "http://127.0.0.1:9/a" })).await;
    assert_eq!((foreign.status, foreign.text("/errors/0/field")), (400, "successCallbackUrl"), "{foreign:?}");
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn clock_is_not_advanced_beyond_the_year_9998(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let bank = TestBank::start(Database::new(engine)).await;
    let last = parse_timestamp("9998-12-31T00:00:00Z").unwrap();
    let by = last.since(bank.app.now());
    bank.app.store().write(move |tx| Ok(tx.clock_advance(by)?)).await.unwrap();
    bank.app.clock().synchronise(bank.app.store()).await.unwrap();
    let refused = bank.anonymous().post("/sandbox/clock", &json!({ "advance": "P2D" })).await;
    assert_eq!((refused.status, refused.text("/errors/0/field")), (400, "advance"), "{refused:?}");
    let unchanged = bank.anonymous().get("/sandbox/clock").await;
    assert!(unchanged.text("/now").starts_with("9998-12-31T00:"), "{unchanged:?}");
}
