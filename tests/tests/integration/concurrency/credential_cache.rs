//! Cached authentication results: after a key, certificate or limit has changed, the very next request uses the new state.

use crate::http::payment as payment_http;
use rstest::rstest;
use serde_json::{Value, json};
use std::sync::atomic::{AtomicU32, Ordering};
use trapeza_app::certificate::{decode_header, parse};
use trapeza_app::merchant::MerchantChange;
use trapeza_domain::application::CertificateStatus;
use trapeza_domain::id::ApplicationId;
use trapeza_domain::money::{Currency, Money};
use trapeza_testkit::database::{Database, Engine};
use trapeza_testkit::{ApiClient, TestBank, iterations, ledger_fixture};
use uuid::Uuid;

const ROUNDS: usize = 25;

fn text(value: &Value) -> &str {
    value.as_str().unwrap()
}

fn application(bank: &TestBank) -> ApplicationId {
    ApplicationId::parse(text(&bank.sandbox_file["tpps"][0]["client_id"])).unwrap()
}

/// Whether a request authenticates: then the consent is unknown, otherwise a certificate error is returned.
async fn is_authenticated(caller: &ApiClient) -> bool {
    let answer = caller.get("/v1/consents/00000000-0000-4000-8000-000000000000/status").await;
    match (answer.status, answer.text("/tppMessages/0/text")) {
        (401, text) if text.starts_with("CERTIFICATE_") => false,
        (403, text) if text.starts_with("CONSENT_UNKNOWN") => true,
        _ => panic!("{answer:?}"),
    }
}

/// Asks for a basket of 120 euros.
async fn buy(merchant: &ApiClient) -> u16 {
    static BOUGHT: AtomicU32 = AtomicU32::new(0);
    let request = Uuid::from_u128(BOUGHT.fetch_add(1, Ordering::Relaxed).into());
    let order = json!({
        "basketValue": 120,
        "requestId": request.to_string(),
        "orderIdentifier": "order-1",
        "phoneNumber": "+306900000001",
        "email": "maria@shop.example",
        "basketProducts": [{ "name": "Chair", "quantity": 1, "Unit Price": 120, "Total Amount": 120 }],
    });
    let answer = merchant.post("/createbasket", &order).await;
    if answer.status != 201 {
        assert_eq!(answer.text("/errors/0/field"), "basketValue", "{answer:?}");
    }
    answer.status
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn replaced_key_is_refused_at_once(#[values(Engine::Sqlite, Engine::Postgres)] engine: Engine) {
    let database = Database::new(engine);
    let bank = TestBank::start(database).await;
    let mut caller = bank.tpp(0);
    for _ in 0..iterations(ROUNDS) {
        assert!(is_authenticated(&caller).await && is_authenticated(&caller).await);
        let (issued, _) = tokio::join!(bank.app.key_replace(application(&bank)), is_authenticated(&caller));
        assert!(!is_authenticated(&caller).await);
        let key = issued.unwrap().subscription_key;
        caller = caller.with("Ocp-Apim-Subscription-Key", key.expose());
    }
    assert!(is_authenticated(&caller).await);
    let expected = format!("application:{} by operator", application(&bank));
    assert_eq!(bank.database.events("application.key_replaced"), vec![expected; iterations(ROUNDS)]);
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn blocked_certificate_is_refused_until_reactivated(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let database = Database::new(engine);
    let bank = TestBank::start(database).await;
    let caller = bank.tpp(0);
    let shown = text(&bank.sandbox_file["tpps"][0]["certificate"]);
    let facts = parse(&decode_header(shown).unwrap()).unwrap();
    let put = |standing| bank.app.certificate_register(application(&bank), facts.clone(), standing);
    for _ in 0..iterations(ROUNDS) {
        assert!(is_authenticated(&caller).await && is_authenticated(&caller).await);
        let (blocked, _) = tokio::join!(put(CertificateStatus::Blocked), is_authenticated(&caller));
        blocked.unwrap();
        assert!(!is_authenticated(&caller).await && !is_authenticated(&caller).await);
        put(CertificateStatus::Active).await.unwrap();
    }
    assert!(is_authenticated(&caller).await);
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn lowered_limit_applies_to_the_next_basket(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let database = Database::new(engine);
    let bank = TestBank::start(database).await;
    let merchant = bank.merchant(0);
    let code = bank.app.merchant_list().await.unwrap()[0].merchant.code.clone();
    let set = |maximum_minor| {
        let maximum = Some(Money::new(maximum_minor, Currency::EUR));
        bank.app.merchant_update_terms(&code, MerchantChange { maximum, ..MerchantChange::default() })
    };
    for _ in 0..iterations(ROUNDS) {
        set(50_000).await.unwrap();
        assert_eq!((buy(&merchant).await, buy(&merchant).await), (201, 201));
        let (lowered, _) = tokio::join!(set(10_000), buy(&merchant));
        lowered.unwrap();
        assert_eq!((buy(&merchant).await, buy(&merchant).await), (400, 400));
    }
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn new_customer_replaces_the_decoy_methods_at_once(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let database = Database::new(engine);
    let bank = TestBank::start(database).await;
    let caller = bank.tpp(0).with("PSU_ID", "eleni").with("pSUIPAddress", "192.0.2.1");
    let reported = async || {
        let answer = caller.post(payment_http::INTERNAL, &payment_http::order(&bank, "1.00")).await;
        assert_eq!(answer.status, 200, "{answer:?}");
        (answer.body["scaMethods"].clone(), answer.body["psuMessage"].clone())
    };
    let (methods, message) = reported().await;
    assert_eq!(reported().await, (methods.clone(), message.clone()), "decoy methods are stable");
    ledger_fixture::customer(&bank.app).await;
    let (own, message) = reported().await;
    assert_ne!(own, methods);
    assert_eq!(own[0]["authenticationMethodId"], Uuid::from_u128(2).to_string(), "{own} {message}");
    assert_eq!(own.as_array().unwrap().len(), 1);
}
