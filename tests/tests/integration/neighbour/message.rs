//! Callbacks of two merchants and messages to one customer, of which some arrive and others do not.

use super::Steps;
use crate::http::callback::{Courier, count, until};
use crate::http::sms_gateway::{PASSWORD, ask, bank, courier, gateway};
use std::sync::Arc;
use tokio::net::TcpListener;
use trapeza_domain::callback::CallbackStatus;
use trapeza_domain::secret::Secret;
use trapeza_domain::time::TimeDelta;
use trapeza_testkit::database::{Database, Engine};
use trapeza_testkit::{Reply, WebhookReceiver, ledger_fixture, merchant_fixture};

#[tokio::test(flavor = "multi_thread")]
async fn callbacks_of_two_merchants_are_apart() {
    let database = Database::new(Engine::Sqlite);
    let app = Arc::new(ledger_fixture::open_app(database.open()).await);
    let accepting = WebhookReceiver::start(|_, _| Reply::Status(204)).await;
    let failing = WebhookReceiver::start(|_, _| Reply::Status(500)).await;
    let (first, _) = merchant_fixture::merchant(&app, 1, Some(&accepting.url())).await;
    let (second, _) = merchant_fixture::merchant(&app, 2, Some(&failing.url())).await;
    let gone = WebhookReceiver::start(|_, _| Reply::Status(410)).await;
    let (third, _) = merchant_fixture::merchant(&app, 3, Some(&gone.url())).await;
    let mut steps = Steps::begin(&database);
    merchant_fixture::enqueue(&app, first, 1..3).await;
    steps.record("two of the first merchant");
    merchant_fixture::enqueue(&app, second, 3..5).await;
    steps.record("two of the second merchant");
    let dead = merchant_fixture::enqueue(&app, third, 6..8).await;
    steps.record("two of the third merchant");
    let run = async |what: &str, attempted: i64| {
        let courier = Courier::sandbox(&app);
        let sql = "SELECT COALESCE(SUM(attempts), 0) FROM callback WHERE claim_token IS NULL";
        until(what, async || database.number(sql) == attempted).await;
        courier.stop().await;
    };
    run("each is sent once", 6).await;
    assert_eq!(count(&app, CallbackStatus::Delivered).await, 2);
    assert_eq!((accepting.seen().len(), failing.seen().len()), (2, 2));
    steps.record("first attempts: one merchant accepts, one fails, one is gone");
    app.clock_advance(TimeDelta::minutes(10)).await.unwrap();
    run("those that failed are sent again", 8).await;
    steps.record("second attempts of what failed");
    app.callback_replay(dead[0]).await.unwrap();
    steps.record("one is sent again by an operator");
    merchant_fixture::enqueue(&app, first, 5..6).await;
    app.clock_advance(TimeDelta::days(91)).await.unwrap();
    steps.record("delivered ones are deleted after 90 days");
    insta::assert_snapshot!("callback", steps.lines.join("\n"));
}

#[tokio::test(flavor = "multi_thread")]
async fn messages_that_arrive_and_that_do_not_are_apart() {
    let database = Database::new(Engine::Sqlite);
    let app = bank(&database).await;
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let courier = courier(&listener);
    let mut steps = Steps::begin(&database);
    ask(&app).await;
    steps.record("code");
    let (sent, _) = tokio::join!(courier.round(&app), gateway(&listener, "202 Accepted"));
    assert_eq!(sent.unwrap(), 1);
    steps.record("the gateway accepts it");
    app.psu_password_reset("anna", &Secret::new(PASSWORD.to_owned())).await.unwrap();
    steps.record("notice of a new password");
    let (sent, _) = tokio::join!(courier.round(&app), gateway(&listener, "503 Service Unavailable"));
    assert_eq!(sent.unwrap(), 0);
    steps.record("the gateway refuses it");
    app.clock_advance(TimeDelta::minutes(2)).await.unwrap();
    ask(&app).await;
    steps.record("another code");
    app.clock_advance(TimeDelta::minutes(6)).await.unwrap();
    let claimed = app.notification_claim().await.unwrap();
    assert_eq!(claimed.len(), 1, "the notice");
    steps.record("the code has expired, the notice is claimed");
    app.clock_advance(TimeDelta::days(89)).await.unwrap();
    ask(&app).await;
    app.clock_advance(TimeDelta::days(2)).await.unwrap();
    steps.record("older ones are deleted");
    insta::assert_snapshot!("notification", steps.lines.join("\n"));
}
