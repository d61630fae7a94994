//! Callbacks on their way over real sockets: signed, tried again by the bank's clock, never redirected, never behind a
//! slow merchant, and ended in order.

use rstest::rstest;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::sync::oneshot;
use tokio::task::JoinHandle;
use trapeza_app::App;
use trapeza_courier::callback::CallbackSettings;
use trapeza_courier::{CallbackCourier, Roots};
use trapeza_domain::callback::{CallbackState, CallbackStatus};
use trapeza_domain::egress::EgressPolicy;
use trapeza_domain::id::CallbackId;
use trapeza_domain::time::TimeDelta;
use trapeza_testkit::database::{Database, Engine};
use trapeza_testkit::{Delivery, Reply, WebhookReceiver, ledger_fixture, merchant_fixture};

/// How long anything may take before the test gives up. Not a measurement.
const TIMEOUT: Duration = Duration::from_secs(60);

async fn bank(database: &Database) -> Arc<App> {
    Arc::new(ledger_fixture::open_app(database.open()).await)
}

/// A courier at work, as the program runs it.
pub struct Courier {
    stop: Option<oneshot::Sender<()>>,
    running: JoinHandle<()>,
}

impl Courier {
    pub fn start(app: &Arc<App>, egress_policy: EgressPolicy, limit: Duration) -> Self {
        Self::with_roots(app, egress_policy, limit, Roots::default())
    }

    /// With the CA certificates of receivers that speak TLS.
    pub fn with_roots(app: &Arc<App>, egress_policy: EgressPolicy, limit: Duration, roots: Roots) -> Self {
        let settings = CallbackSettings { limit, ..CallbackSettings::new(egress_policy, roots) };
        let courier = CallbackCourier::parse(settings).unwrap();
        let (stop, stopped) = oneshot::channel::<()>();
        let app = app.clone();
        let running = tokio::spawn(async move {
            courier
                .run(app, async {
                    let _ = stopped.await;
                })
                .await;
        });
        Self { stop: Some(stop), running }
    }

    pub fn sandbox(app: &Arc<App>) -> Self {
        Self::start(app, EgressPolicy::PublicOrLoopback, Duration::from_secs(15))
    }

    /// Tells it to stop and waits until it has.
    pub async fn stop(mut self) {
        drop(self.stop.take());
        self.running.await.unwrap();
    }
}

pub async fn until(what: &str, mut done: impl AsyncFnMut() -> bool) {
    let began = Instant::now();
    while !done().await {
        assert!(began.elapsed() < TIMEOUT, "{what}");
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}

pub async fn count(app: &App, enqueued: CallbackStatus) -> i64 {
    let all = app.callback_count().await.unwrap();
    all.iter().find(|(state, _)| *state == enqueued).map_or(0, |(_, count)| *count)
}

async fn attempts(app: &App, id: CallbackId) -> i64 {
    app.callback_detail(id).await.unwrap().record.callback.attempts
}

/// Whether the specification's own library takes a delivery for one of this secret's owner.
pub fn verifies(secret: &str, delivery: &Delivery) -> bool {
    let mut headers = http::HeaderMap::new();
    for name in ["webhook-id", "webhook-timestamp", "webhook-signature"] {
        headers.insert(name, delivery.header(name).parse().unwrap());
    }
    let webhook = standardwebhooks::Webhook::new(secret).unwrap();
    webhook.verify(delivery.body.as_bytes(), &headers).is_ok()
}

/// Whether the signature is right, also of a delivery that a receiver would by now refuse as too old.
pub fn is_signed(secret: &str, delivery: &Delivery) -> bool {
    let webhook = standardwebhooks::Webhook::new(secret).unwrap();
    let sent_at = delivery.header("webhook-timestamp").parse().unwrap();
    let signature = webhook.sign(delivery.header("webhook-id"), sent_at, delivery.body.as_bytes()).unwrap();
    delivery.header("webhook-signature").split(' ').any(|one| one == signature)
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn callback_is_delivered_signed_and_recorded(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let database = Database::new(engine);
    let app = bank(&database).await;
    let receiver = WebhookReceiver::start(|_, _| Reply::Status(204)).await;
    let (application, secret) = merchant_fixture::merchant(&app, 1, Some(&receiver.url())).await;
    let id = merchant_fixture::enqueue(&app, application, 7..8).await[0];
    let courier = Courier::sandbox(&app);
    until("it is delivered", async || count(&app, CallbackStatus::Delivered).await == 1).await;
    courier.stop().await;
    let seen = receiver.seen();
    assert_eq!(seen.len(), 1);
    assert!(verifies(&secret, &seen[0]), "{seen:?}");
    assert_eq!(seen[0].header("webhook-id"), id.to_string());
    assert_eq!(seen[0].header("content-type"), "application/json");
    assert!(seen[0].body.starts_with(r#"{"type":"basket.approved","timestamp":""#), "{seen:?}");
    let detail = app.callback_detail(id).await.unwrap();
    assert_eq!(detail.record.body, seen[0].body);
    assert_eq!(detail.attempts.iter().map(|one| one.http_status).collect::<Vec<_>>(), [Some(204)]);
    assert_eq!(database.events("callback.delivered"), [format!("callback:{id} by bank")]);
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn retries_follow_the_clock_with_identical_id_and_body(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let database = Database::new(engine);
    let app = bank(&database).await;
    let receiver =
        WebhookReceiver::start(|_, before| Reply::Status(if before < 3 { 503 } else { 200 })).await;
    let (application, first) = merchant_fixture::merchant(&app, 1, Some(&receiver.url())).await;
    let id = merchant_fixture::enqueue(&app, application, 7..8).await[0];
    let courier = Courier::sandbox(&app);
    until("the first try", async || attempts(&app, id).await == 1).await;
    let second = app.webhook_secret_rotate(application).await.unwrap();
    for (number, wait) in
        [(2, TimeDelta::seconds(6)), (3, TimeDelta::seconds(36)), (4, TimeDelta::minutes(3))]
    {
        app.clock_advance(wait).await.unwrap();
        until("the next try", async || attempts(&app, id).await == number).await;
    }
    courier.stop().await;
    let seen = receiver.seen();
    assert_eq!(seen.len(), 4);
    assert!(seen.iter().all(|one| one.header("webhook-id") == id.to_string() && one.body == seen[0].body));
    assert!(seen.iter().all(|one| verifies(&first, one)), "the old secret signs until it is retired");
    let new: Vec<bool> = seen.iter().map(|one| verifies(second.expose(), one)).collect();
    assert_eq!(new, [false, true, true, true]);
    assert!(matches!(
        app.callback_detail(id).await.unwrap().record.callback.state,
        CallbackState::Delivered { .. }
    ));
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn failures_are_retried_and_410_is_not(#[values(Engine::Sqlite, Engine::Postgres)] engine: Engine) {
    let database = Database::new(engine);
    let app = bank(&database).await;
    let receiver = WebhookReceiver::start(|path, before| match (path, before) {
        ("/hook", 0) => Reply::Redirect,
        ("/hook", 1) => Reply::Reset,
        ("/hook", 2) => Reply::Hang,
        ("/hook", 3) => Reply::Status(410),
        _ => Reply::Status(200),
    })
    .await;
    let (application, _) = merchant_fixture::merchant(&app, 1, Some(&receiver.url())).await;
    let id = merchant_fixture::enqueue(&app, application, 7..8).await[0];
    let courier = Courier::start(&app, EgressPolicy::PublicOrLoopback, Duration::from_millis(300));
    for number in 1..=4 {
        until("the next try", async || attempts(&app, id).await == number).await;
        app.clock_advance(TimeDelta::minutes(3)).await.unwrap();
    }
    courier.stop().await;
    assert_eq!(receiver.seen().len(), 4, "the redirect was not followed");
    assert_eq!(count(&app, CallbackStatus::Disabled).await, 1);
    let attempts = app.callback_detail(id).await.unwrap().attempts;
    let reported: Vec<(Option<i64>, bool)> =
        attempts.iter().map(|one| (one.http_status, one.error.is_some())).collect();
    assert_eq!(reported, [(Some(307), true), (None, true), (None, true), (Some(410), false)]);
    assert_eq!(database.events("callback.disabled"), [format!("callback:{id} by bank")]);
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn endless_response_counts_by_its_status(#[values(Engine::Sqlite, Engine::Postgres)] engine: Engine) {
    let database = Database::new(engine);
    let app = bank(&database).await;
    let receiver = WebhookReceiver::start(|_, _| Reply::Endless).await;
    let (application, _) = merchant_fixture::merchant(&app, 1, Some(&receiver.url())).await;
    merchant_fixture::enqueue(&app, application, 7..8).await;
    let courier = Courier::sandbox(&app);
    until("it is delivered", async || count(&app, CallbackStatus::Delivered).await == 1).await;
    courier.stop().await;
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn hanging_receiver_does_not_delay_others(#[values(Engine::Sqlite, Engine::Postgres)] engine: Engine) {
    let database = Database::new(engine);
    let app = bank(&database).await;
    let slow = WebhookReceiver::start(|_, _| Reply::Hang).await;
    let quick = WebhookReceiver::start(|_, _| Reply::Status(200)).await;
    let (hanging, _) = merchant_fixture::merchant(&app, 1, Some(&slow.url())).await;
    let (answering, _) = merchant_fixture::merchant(&app, 2, Some(&quick.url())).await;
    merchant_fixture::enqueue(&app, hanging, 0..100).await;
    // An hour: none of the hanging ones comes back during the test.
    let courier = Courier::start(&app, EgressPolicy::PublicOrLoopback, Duration::from_secs(3_600));
    until("the slow one is called", async || !slow.seen().is_empty()).await;
    merchant_fixture::enqueue(&app, answering, 100..160).await;
    until("the quick one has all", async || count(&app, CallbackStatus::Delivered).await == 60).await;
    assert!(slow.seen().len() < 100, "and the slow one has only so many at a time");
    assert!(quick.connections() < 60, "connections are used again");
    drop(courier);
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn two_couriers_send_each_callback_once(#[values(Engine::Sqlite, Engine::Postgres)] engine: Engine) {
    let database = Database::new(engine);
    let app = bank(&database).await;
    let receiver = WebhookReceiver::start(|_, _| Reply::Status(200)).await;
    let (application, secret) = merchant_fixture::merchant(&app, 1, Some(&receiver.url())).await;
    let couriers = [Courier::sandbox(&app), Courier::sandbox(&app)];
    let mut ids = merchant_fixture::enqueue(&app, application, 0..100).await;
    ids.extend(merchant_fixture::enqueue(&app, application, 100..200).await);
    until("all are delivered", async || count(&app, CallbackStatus::Delivered).await == 200).await;
    for courier in couriers {
        courier.stop().await;
    }
    let mut seen: Vec<String> =
        receiver.seen().iter().map(|one| one.header("webhook-id").to_owned()).collect();
    let mut enqueued: Vec<String> = ids.iter().map(ToString::to_string).collect();
    seen.sort();
    enqueued.sort();
    assert_eq!(seen, enqueued);
    assert!(receiver.seen().iter().all(|one| verifies(&secret, one)));
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn stopping_courier_finishes_attempts_in_progress(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let database = Database::new(engine);
    let app = bank(&database).await;
    let receiver = WebhookReceiver::start(|_, _| Reply::Hang).await;
    let (application, _) = merchant_fixture::merchant(&app, 1, Some(&receiver.url())).await;
    let id = merchant_fixture::enqueue(&app, application, 0..1).await[0];
    let courier = Courier::start(&app, EgressPolicy::PublicOrLoopback, Duration::from_millis(500));
    until("it is called", async || receiver.seen().len() == 1).await;
    courier.stop().await;
    assert_eq!(attempts(&app, id).await, 1, "the try under way was waited for and recorded");
    merchant_fixture::enqueue(&app, application, 1..2).await;
    tokio::time::sleep(Duration::from_millis(400)).await;
    assert_eq!(receiver.seen().len(), 1, "and nothing is begun any more");
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn production_refuses_loopback_and_plain_http(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let database = Database::new(engine);
    let app = bank(&database).await;
    let receiver = WebhookReceiver::start(|_, _| Reply::Status(200)).await;
    let port = receiver.address.port();
    let mut ids = Vec::new();
    for (number, url) in (1..).zip([
        receiver.url(),
        format!("https://127.0.0.1:{port}/"),
        format!("https://localhost:{port}/"),
        format!("http://localhost:{port}/"),
    ]) {
        let (application, _) = merchant_fixture::merchant(&app, number, Some(&url)).await;
        ids.extend(merchant_fixture::enqueue(&app, application, 0..1).await);
    }
    let courier = Courier::start(&app, EgressPolicy::Public, Duration::from_secs(2));
    for id in &ids {
        until("it is tried", async || attempts(&app, *id).await == 1).await;
    }
    courier.stop().await;
    assert_eq!(receiver.connections(), 0);
    let mut errors = Vec::new();
    for id in ids {
        errors.push(app.callback_detail(id).await.unwrap().attempts[0].error.clone().unwrap());
    }
    assert_eq!(errors[1], "private addresses are never called");
    assert!(errors[2].ends_with("the host has no allowed address"), "{errors:?}");
    assert_eq!(errors[3], "callbacks go to https addresses only");
}
