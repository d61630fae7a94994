//! Notifications about a changed status: every change, in order, to an address that is the third party's own.

use super::payment::{OTHER_BANK_IBAN, order, payer};
use super::{authorise, client, consent_order, iban, link, path, refusal};
use crate::http::callback::{Courier, count, until};
use rstest::rstest;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::sync::Arc;
use trapeza_courier::Roots;
use trapeza_domain::callback::{CallbackStatus, MAX_ATTEMPTS};
use trapeza_domain::egress::EgressPolicy;
use trapeza_domain::time::TimeDelta;
use trapeza_testkit::database::{Database, Engine};
use trapeza_testkit::{ApiClient, ApiResponse, Reply, TestBank, WebhookReceiver};

fn notified(client: ApiClient, receiver: &WebhookReceiver, content: &str) -> ApiClient {
    client
        .with("TPP-Notification-URI", &receiver.url())
        .with("TPP-Notification-Content-Preferred", &format!("status={content}"))
}

/// The bodies that were received.
fn bodies(receiver: &WebhookReceiver) -> Vec<Value> {
    receiver.seen().iter().map(|one| serde_json::from_str(&one.body).expect("JSON")).collect()
}

/// The statuses that were received, in this order.
fn statuses(receiver: &WebhookReceiver) -> Vec<String> {
    let name = |body: &Value| {
        let names = ["scaStatus", "transactionStatus", "consentStatus"];
        let found: Vec<&str> = names.iter().filter_map(|name| body[*name].as_str()).collect();
        assert_eq!(found.len(), 1, "{body}");
        found[0].to_owned()
    };
    bodies(receiver).iter().map(name).collect()
}

async fn delivered(bank: &TestBank, number: i64) {
    until("they are delivered", async || count(&bank.app, CallbackStatus::Delivered).await == number).await;
}

/// A payment to another bank, authorised and settled.
async fn settled_payment(bank: &TestBank, tpp: &ApiClient) -> ApiResponse {
    let initiated =
        tpp.post(&path("/v1/payments/sepa-credit-transfers"), &order(bank, OTHER_BANK_IBAN)).await;
    authorise(bank, tpp, &initiated, 0).await;
    bank.advance("PT5S").await;
    let status = tpp.get(&link(bank, &initiated, "status")).await;
    assert_eq!(status.text("/transactionStatus"), "ACSC", "{status:?}");
    initiated
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn every_change_of_a_payment_is_reported_in_order(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let bank = TestBank::start(Database::new(engine)).await;
    let receiver = WebhookReceiver::start(|_, _| Reply::Status(202)).await;
    let tpp = notified(payer(&bank), &receiver, "SCA,PROCESS,LAST");
    let initiated = settled_payment(&bank, &tpp).await;
    assert_eq!(initiated.headers["aspsp-notification-support"], "true");
    assert_eq!(initiated.headers["aspsp-notification-content"], "status=SCA,PROCESS,LAST");
    let courier = Courier::sandbox(&bank.app);
    delivered(&bank, 7).await;
    courier.stop().await;
    let expected = ["psuAuthenticated", "scaMethodSelected", "finalised", "ACTC", "ACCP", "ACSP", "ACSC"];
    assert_eq!(statuses(&receiver), expected);
    for body in bodies(&receiver) {
        assert_eq!(body["paymentId"], initiated.body["paymentId"]);
        assert_eq!(body.get("authorisationId").is_some(), body.get("scaStatus").is_some(), "{body}");
        assert_eq!(
            body.as_object().map(|fields| fields.len()),
            Some(2 + usize::from(body.get("scaStatus").is_some()))
        );
    }
    let seen = receiver.seen();
    let ids: BTreeSet<&str> = seen.iter().map(|one| one.header("x-request-id")).collect();
    assert_eq!(ids.len(), seen.len(), "each has an id of its own");
    assert!(ids.iter().all(|id| uuid::Uuid::try_parse(id).is_ok()), "{ids:?}");
    assert!(seen.iter().all(|one| one.header("content-type") == "application/json"));
    assert!(seen.iter().all(|one| one.header("webhook-signature").is_empty()), "{seen:?}");
}

#[rstest]
#[case("SCA", "status=SCA", &["psuAuthenticated", "scaMethodSelected", "finalised"])]
#[case("PROCESS", "status=PROCESS", &["ACTC", "ACCP", "ACSP", "ACSC"])]
#[case("LAST, SOMETHING", "status=LAST", &["ACSC"])]
#[tokio::test(flavor = "multi_thread")]
async fn only_what_was_asked_for_is_reported(
    #[case] content: &str,
    #[case] answered: &str,
    #[case] expected: &[&str],
) {
    let bank = TestBank::start(Database::new(Engine::Sqlite)).await;
    let receiver = WebhookReceiver::start(|_, _| Reply::Status(200)).await;
    let initiated = settled_payment(&bank, &notified(payer(&bank), &receiver, content)).await;
    assert_eq!(initiated.headers["aspsp-notification-content"], answered);
    let courier = Courier::sandbox(&bank.app);
    delivered(&bank, i64::try_from(expected.len()).unwrap()).await;
    courier.stop().await;
    assert_eq!(statuses(&receiver), expected);
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn consents_report_the_customer_the_third_party_and_time(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let bank = TestBank::start(Database::new(engine)).await;
    let receiver = WebhookReceiver::start(|_, _| Reply::Status(204)).await;
    let plain = client(&bank, 0).with("TPP-Explicit-Authorisation-Preferred", "true");
    let tpp = notified(plain.clone(), &receiver, "PROCESS");
    let all = consent_order(json!({ "allPsd2": "allAccounts" }));
    let consent = tpp.post(&path("/v1/consents"), &all).await;
    authorise(&bank, &tpp, &consent, 0).await;
    // A newer one ends the older one, without a request that names it.
    let newer = plain.post(&path("/v1/consents"), &all).await;
    authorise(&bank, &plain, &newer, 0).await;
    let funds = json!({ "account": { "iban": iban(&bank, 0) } });
    let funds = tpp.post(&path("/v2/consents/confirmation-of-funds"), &funds).await;
    assert_eq!((funds.status, &funds.headers["aspsp-notification-support"]), (201, &"true".to_owned()));
    assert_eq!(tpp.delete(&link(&bank, &funds, "self")).await.status, 204);
    let abandoned = tpp.post(&path("/v1/consents"), &all).await;
    bank.advance("P2D").await;
    let courier = Courier::sandbox(&bank.app);
    delivered(&bank, 4).await;
    courier.stop().await;
    let of = |created: &ApiResponse| -> Vec<Value> {
        let own = |body: &Value| body["consentId"] == created.body["consentId"];
        bodies(&receiver).into_iter().filter(own).map(|body| body["consentStatus"].clone()).collect()
    };
    assert_eq!(of(&consent), ["valid", "terminatedByTpp"]);
    assert_eq!(of(&funds), ["terminatedByTpp"]);
    assert_eq!(of(&abandoned), ["rejected"], "the sweep reports what time has ended");
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn cancellation_is_reported_with_its_authorisation() {
    let bank = TestBank::start(Database::new(Engine::Sqlite)).await;
    let receiver = WebhookReceiver::start(|_, _| Reply::Status(200)).await;
    let tpp = notified(payer(&bank), &receiver, "SCA,LAST");
    let initiated =
        tpp.post(&path("/v1/payments/sepa-credit-transfers"), &order(&bank, OTHER_BANK_IBAN)).await;
    authorise(&bank, &tpp, &initiated, 0).await;
    let called = tpp.delete(&link(&bank, &initiated, "self")).await;
    let started = tpp.post(&link(&bank, &called, "startAuthorisation"), &json!({})).await;
    super::authorise_embedded(&bank, &tpp, &started, 0).await;
    let courier = Courier::sandbox(&bank.app);
    delivered(&bank, 7).await;
    courier.stop().await;
    let cancelled: Vec<Value> =
        bodies(&receiver).into_iter().filter(|body| body.get("cancellationId").is_some()).collect();
    assert_eq!(cancelled.len(), 3, "{cancelled:?}");
    assert!(cancelled.iter().all(|body| body["cancellationId"] == started.body["authorisationId"]));
    assert!(statuses(&receiver).contains(&"CANC".to_owned()));
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn failing_receiver_gets_the_same_again_before_anything_later(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let bank = TestBank::start(Database::new(engine)).await;
    let receiver = WebhookReceiver::start(|_, before| match before {
        0 => Reply::Status(503),
        1 => Reply::Redirect,
        _ => Reply::Status(200),
    })
    .await;
    settled_payment(&bank, &notified(payer(&bank), &receiver, "PROCESS")).await;
    let courier = Courier::sandbox(&bank.app);
    for attempts in 1..=2 {
        until("the first is tried", async || receiver.seen().len() == attempts).await;
        // Others are due, and wait for the first.
        tokio::time::sleep(std::time::Duration::from_millis(600)).await;
        assert_eq!(receiver.seen().len(), attempts);
        bank.pass(TimeDelta::minutes(1)).await;
    }
    delivered(&bank, 4).await;
    courier.stop().await;
    let seen = receiver.seen();
    assert_eq!(statuses(&receiver), ["ACTC", "ACTC", "ACTC", "ACCP", "ACSP", "ACSC"]);
    assert!(seen[..3].iter().all(|one| one.header("x-request-id") == seen[0].header("x-request-id")));
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn given_up_notification_is_dead_and_lets_the_next_one_go() {
    let bank = TestBank::start(Database::new(Engine::Sqlite)).await;
    let receiver =
        WebhookReceiver::start(|_, before| Reply::Status(if before < MAX_ATTEMPTS { 500 } else { 200 }))
            .await;
    settled_payment(&bank, &notified(payer(&bank), &receiver, "PROCESS")).await;
    let courier = Courier::sandbox(&bank.app);
    for attempts in 1..MAX_ATTEMPTS {
        until("it is tried", async || receiver.seen().len() >= attempts).await;
        until("it is recorded", async || {
            let waiting = bank.app.callback_list(CallbackStatus::Waiting, 10).await.unwrap();
            waiting.iter().any(|record| record.callback.attempts as usize == attempts)
        })
        .await;
        bank.app.clock_advance(TimeDelta::hours(30)).await.unwrap();
    }
    delivered(&bank, 3).await;
    courier.stop().await;
    let dead = bank.app.callback_list(CallbackStatus::Dead, 10).await.unwrap();
    assert_eq!(dead.len(), 1);
    assert!(dead[0].body.contains("ACTC"), "{dead:?}");
    assert_eq!(dead[0].callback.attempts as usize, MAX_ATTEMPTS);
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn address_of_another_is_refused_and_nothing_is_created() {
    let bank = TestBank::start(Database::new(Engine::Sqlite)).await;
    let certificate = bank.sandbox_file["tpps"][0]["certificate"].as_str().expect("PEM").to_owned();
    let identified = payer(&bank).with("TPP-QWAC-Certificate", &certificate);
    let body = order(&bank, OTHER_BANK_IBAN);
    let product = path("/v1/payments/sepa-credit-transfers");
    for (tpp, uri) in [
        (payer(&bank), "http://10.0.0.1/hook"),
        (payer(&bank), "https://169.254.169.254/latest"),
        (payer(&bank), "https://[fd00::1]/hook"),
        (payer(&bank), "ftp://127.0.0.1/hook"),
        (payer(&bank), "https://tpp.example:25/hook"),
        (payer(&bank), "https://user:secret@tpp.example/hook"),
        (identified.clone(), "https://another.example/hook"),
    ] {
        let refused = tpp.with("TPP-Notification-URI", uri).post(&product, &body).await;
        assert_eq!(refusal(&refused), (400, "FORMAT_ERROR".to_owned()), "{uri} {refused:?}");
        assert_eq!(refused.text("/tppMessages/0/path"), "TPP-Notification-URI");
    }
    let refused = payer(&bank)
        .with("TPP-Notification-URI", "http://127.0.0.1:9090/hook")
        .with("TPP-Notification-Content-Preferred", "everything")
        .post(&product, &body)
        .await;
    assert_eq!(refused.text("/tppMessages/0/path"), "TPP-Notification-Content-Preferred", "{refused:?}");
    let counted = "SELECT (SELECT COUNT(*) FROM payment) + (SELECT COUNT(*) FROM status_subscription)";
    let count = bank.app.store().read(move |tx| Ok(tx.query_one(counted, &[], |row| row.read::<i64>())?));
    assert_eq!(count.await.unwrap(), 0);
    // The host of the redirect URI that the demo's third parties have registered.
    let accepted =
        identified.with("TPP-Notification-URI", "http://127.0.0.1:9091/hook").post(&product, &body).await;
    assert_eq!(accepted.status, 201, "{accepted:?}");
    assert_eq!(accepted.headers["aspsp-notification-content"], "status=SCA,PROCESS,LAST");
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn unknown_and_missing_preferences_report_nothing() {
    let bank = TestBank::start(Database::new(Engine::Sqlite)).await;
    let receiver = WebhookReceiver::start(|_, _| Reply::Status(200)).await;
    let unknown = settled_payment(&bank, &notified(payer(&bank), &receiver, "NOTHING")).await;
    assert_eq!(unknown.headers["aspsp-notification-support"], "false");
    assert!(!unknown.headers.contains_key("aspsp-notification-content"));
    let silent = settled_payment(&bank, &payer(&bank)).await;
    assert!(!silent.headers.contains_key("aspsp-notification-support"));
    assert_eq!(bank.app.callback_count().await.unwrap(), []);
    let replayed = notified(payer(&bank), &receiver, "LAST")
        .with("X-Request-ID", "99391c7e-ad88-49ec-a2ad-99ddcb1f7722");
    let product = path("/v1/payments/sepa-credit-transfers");
    let first = replayed.post(&product, &order(&bank, OTHER_BANK_IBAN)).await;
    let again = replayed.post(&product, &order(&bank, OTHER_BANK_IBAN)).await;
    assert_eq!((&first.body, again.headers["aspsp-notification-support"].as_str()), (&again.body, "true"));
}

/// A TLS server with a certificate of its own in front of a receiver. Returns its address and the certificate.
async fn tls_in_front_of(receiver: &WebhookReceiver) -> (String, String) {
    let made = rcgen::generate_simple_self_signed(["127.0.0.1".to_owned()]).unwrap();
    let key = rustls_pki_types::PrivateKeyDer::try_from(made.signing_key.serialize_der()).unwrap();
    let config =
        rustls::ServerConfig::builder_with_provider(Arc::new(rustls::crypto::ring::default_provider()));
    let config = config.with_safe_default_protocol_versions().unwrap().with_no_client_auth();
    let config = config.with_single_cert(vec![made.cert.der().clone()], key).unwrap();
    let acceptor = tokio_rustls::TlsAcceptor::from(Arc::new(config));
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = format!("https://{}/hook", listener.local_addr().unwrap());
    let behind = receiver.address;
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            let acceptor = acceptor.clone();
            tokio::spawn(async move {
                let Ok(mut outside) = acceptor.accept(stream).await else { return };
                let mut inside = tokio::net::TcpStream::connect(behind).await.unwrap();
                let _ = tokio::io::copy_bidirectional(&mut outside, &mut inside).await;
            });
        }
    });
    (address, made.cert.pem())
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn receiver_with_tls_is_notified_if_its_certificate_is_trusted(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let bank = TestBank::start(Database::new(engine)).await;
    let receiver = WebhookReceiver::start(|_, _| Reply::Status(200)).await;
    let (address, certificate) = tls_in_front_of(&receiver).await;
    let tpp = payer(&bank)
        .with("TPP-Notification-URI", &address)
        .with("TPP-Notification-Content-Preferred", "status=PROCESS");
    settled_payment(&bank, &tpp).await;
    let sandbox_courier = Courier::sandbox(&bank.app);
    until("the attempt is recorded", async || {
        let waiting = bank.app.callback_list(CallbackStatus::Waiting, 10).await.unwrap();
        waiting.iter().any(|record| record.callback.attempts == 1)
    })
    .await;
    sandbox_courier.stop().await;
    assert!(receiver.seen().is_empty(), "nothing is sent to a server whose certificate is not trusted");
    bank.pass(TimeDelta::minutes(1)).await;
    let roots = Roots::parse(certificate.as_bytes()).unwrap();
    let egress_policy = EgressPolicy::PublicOrLoopback;
    let courier = Courier::with_roots(&bank.app, egress_policy, std::time::Duration::from_secs(15), roots);
    delivered(&bank, 4).await;
    courier.stop().await;
    assert_eq!(statuses(&receiver), ["ACTC", "ACCP", "ACSP", "ACSC"]);
}
