//! Text messages on their way out: claimed once, sent, recorded and wiped; kept when the gateway fails, and given up when
//! they are too old to be of use.

use rstest::rstest;
use std::sync::Arc;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;
use trapeza_app::keyring::KeyPurpose;
use trapeza_app::psu::NewPsu;
use trapeza_app::sca::ScaSettings;
use trapeza_app::trace::{self, TraceContext};
use trapeza_app::{App, Clock, Entropy, Keyring, Language, Zone};
use trapeza_courier::{JsonClient, Roots, SmsGateway};
use trapeza_domain::contact::Phone;
use trapeza_domain::id::PsuId;
use trapeza_domain::secret::Secret;
use trapeza_domain::time::TimeDelta;
use trapeza_testkit::database::{Database, Engine};

pub const PASSWORD: &str = "olive-tree";

/// A bank as in production, with one customer.
pub async fn bank(database: &Database) -> Arc<App> {
    let mut options = Database::options();
    options.audit_key = Keyring::new([6; 32]).derive(KeyPurpose::Audit);
    let store = database.open_with(&options);
    let clock = Clock::load(&store, Zone::parse("Europe/Athens").unwrap()).await.unwrap();
    let app = App::new(store, clock, Entropy::os(), Keyring::new([6; 32]));
    let app = Arc::new(app.with_sca(ScaSettings::default()));
    let psu = NewPsu {
        id: PsuId::new(app.entropy().uuid()),
        login: "anna".into(),
        name: "Anna".into(),
        phone: Phone::parse("+306912345678").unwrap(),
        password: Some(Secret::new(PASSWORD.to_owned())),
        methods: Vec::new(),
    };
    app.psu_register(psu).await.unwrap();
    app
}

/// Asks for a code: opening the app in a new browser sends one.
pub async fn ask(app: &App) {
    let (browser, next) = (app.session_token_new(), app.session_token_new());
    app.device_sign_in(&browser, &next, Language::English, "anna", Secret::new(PASSWORD.to_owned()))
        .await
        .unwrap();
}

/// A gateway on this machine that takes one request, answers it so, and hands it on.
pub async fn gateway(listener: &TcpListener, status: &str) -> String {
    let (mut stream, _) = listener.accept().await.unwrap();
    let (mut request, mut piece) = (String::new(), [0; 4096]);
    while !request.ends_with('}') {
        let read = stream.read(&mut piece).await.unwrap();
        assert!(read > 0, "the request broke off: {request}");
        request.push_str(std::str::from_utf8(&piece[..read]).unwrap());
    }
    let answer = format!("HTTP/1.1 {status}\r\nContent-Length: 0\r\n\r\n");
    stream.write_all(answer.as_bytes()).await.unwrap();
    request
}

pub fn courier(listener: &TcpListener) -> SmsGateway {
    let url = format!("http://{}/send?from=bank", listener.local_addr().unwrap());
    let poster = JsonClient::parse(&url, Secret::new("t0ken".to_owned()), Roots::default());
    SmsGateway::new(poster.unwrap())
}

async fn waiting(app: &App) -> usize {
    app.store().read(|tx| Ok(tx.notification_unsent(10)?)).await.unwrap().len()
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn sms_is_sent_once_and_wiped(#[values(Engine::Sqlite, Engine::Postgres)] engine: Engine) {
    let database = Database::new(engine);
    let app = bank(&database).await;
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let courier = courier(&listener);
    assert_eq!(courier.round(&app).await.unwrap(), 0, "nothing waits");
    let (trace, _) = TraceContext::of_request(None, app.entropy().fast_uuid());
    trace::scope(trace, ask(&app)).await;
    let (sent, request) = tokio::join!(courier.round(&app), gateway(&listener, "202 Accepted"));
    assert_eq!(sent.unwrap(), 1);
    assert!(request.starts_with("POST /send?from=bank HTTP/1.1\r\n"), "{request}");
    assert!(request.to_lowercase().contains("authorization: bearer t0ken\r\n"), "{request}");
    assert!(request.contains(&format!("traceparent: 00-{}-", trace.trace_id())), "{request}");
    assert!(!request.contains(&trace.to_string()), "a span of its own: {request}");
    assert!(
        request.contains(r#"{"to":"+306912345678","text":"Trapeza: your code to use the bank's app"#),
        "{request}"
    );
    assert_eq!(waiting(&app).await, 0);
    assert_eq!(courier.round(&app).await.unwrap(), 0, "and not again");
    let kept = app.store().read(|tx| Ok(tx.notification_latest(10)?)).await.unwrap();
    assert_eq!((kept.len(), kept[0].ciphertext.clone(), kept[0].sent_at.is_some()), (1, None, true));
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn refused_sms_is_retried_after_its_claim(#[values(Engine::Sqlite, Engine::Postgres)] engine: Engine) {
    let database = Database::new(engine);
    let app = bank(&database).await;
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let courier = courier(&listener);
    ask(&app).await;
    let (sent, _) = tokio::join!(courier.round(&app), gateway(&listener, "503 Service Unavailable"));
    assert_eq!((sent.unwrap(), waiting(&app).await), (0, 1));
    assert!(app.notification_claim().await.unwrap().is_empty(), "it is still claimed");
    app.clock_advance(TimeDelta::seconds(30)).await.unwrap();
    let (sent, _) = tokio::join!(courier.round(&app), gateway(&listener, "200 OK"));
    assert_eq!((sent.unwrap(), waiting(&app).await), (1, 0));
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn two_couriers_send_an_sms_once_and_expired_ones_never(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let database = Database::new(engine);
    let app = bank(&database).await;
    ask(&app).await;
    let (one, other) = tokio::join!(app.notification_claim(), app.notification_claim());
    assert_eq!(one.unwrap().len() + other.unwrap().len(), 1);
    app.clock_advance(TimeDelta::minutes(5)).await.unwrap();
    assert!(app.notification_claim().await.unwrap().is_empty());
    assert_eq!(waiting(&app).await, 0);
    let kept = app.store().read(|tx| Ok(tx.notification_latest(10)?)).await.unwrap();
    assert_eq!((kept[0].ciphertext.clone(), kept[0].sent_at), (None, None), "given up, and wiped");
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn information_outlives_an_otp_and_does_not_delay_one(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let database = Database::new(engine);
    let app = bank(&database).await;
    app.psu_password_reset("anna", &Secret::new(PASSWORD.to_owned())).await.unwrap();
    app.clock_advance(TimeDelta::hours(2)).await.unwrap();
    ask(&app).await;
    let claimed = app.notification_claim().await.unwrap();
    let texts: Vec<bool> =
        claimed.iter().map(|message| message.text.expose().contains("new password")).collect();
    assert_eq!(texts, [false, true], "the code first, then the notice of two hours ago");
    app.clock_advance(TimeDelta::minutes(5)).await.unwrap();
    let claimed = app.notification_claim().await.unwrap();
    assert_eq!(claimed.len(), 1, "the code has expired, the notice has not");
    assert!(claimed[0].text.expose().contains("new password"));
    app.clock_advance(TimeDelta::days(7)).await.unwrap();
    assert!(app.notification_claim().await.unwrap().is_empty());
    assert_eq!(waiting(&app).await, 0, "it is given up after a week");
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn message_is_deleted_ninety_days_after_it_was_created(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let database = Database::new(engine);
    let app = bank(&database).await;
    ask(&app).await;
    let count = || database.number("SELECT COUNT(*) FROM notification");
    // More than one job of the sweep deletes.
    for _ in 0..250 {
        let message = trapeza_store::NotificationRecord {
            id: app.entropy().uuid(),
            recipient: "+306912345678".to_owned(),
            channel: "SMS".to_owned(),
            ciphertext: None,
            created_at: app.now(),
            expires_at: app.now(),
            sent_at: Some(app.now()),
            traceparent: None,
        };
        app.store().write(move |tx| Ok(tx.notification_insert(&message)?)).await.unwrap();
    }
    app.sweep(app.now().plus(TimeDelta::days(90)).minus(TimeDelta::minutes(5))).await.unwrap();
    assert_eq!(count(), 251);
    app.sweep(app.now().plus(TimeDelta::days(90)).plus(TimeDelta::minutes(5))).await.unwrap();
    assert_eq!(count(), 0);
    app.store().close();
}
