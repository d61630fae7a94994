//! Who calls: the certificate alone, and what a request id means.

use super::{client, consent_order, link, login, path, refusal};
use rstest::rstest;
use serde_json::json;
use trapeza_domain::id::ApplicationId;
use trapeza_testkit::TestBank;
use trapeza_testkit::database::{Database, Engine};

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn certificate_alone_names_the_application(#[values(Engine::Sqlite, Engine::Postgres)] engine: Engine) {
    let bank = TestBank::start(Database::new(engine)).await;
    let certificate =
        |number: usize| bank.sandbox_file["tpps"][number]["certificate"].as_str().expect("PEM").to_owned();
    let order = consent_order(json!({ "allPsd2": "allAccounts" }));
    let created = client(&bank, 0)
        .with("TPP-QWAC-Certificate", &certificate(1))
        .post(&path("/v1/consents"), &order)
        .await;
    assert_eq!(created.status, 201, "{created:?}");
    let own = link(&bank, &created, "self");
    // Without a certificate the caller is the first third party of the demo, whose consent this is not.
    assert_eq!(refusal(&client(&bank, 0).get(&own).await), (403, "CONSENT_UNKNOWN".to_owned()));
    assert_eq!(client(&bank, 0).with("Certificate", &certificate(1)).get(&own).await.status, 200);
    assert_eq!(bank.tpp(1).get(&format!("/v1/consents/{}", created.text("/consentId"))).await.status, 200);

    let unreadable = client(&bank, 0).with("TPP-QWAC-Certificate", "nonsense").get(&own).await;
    assert_eq!(refusal(&unreadable), (401, "CERTIFICATE_INVALID".to_owned()));
    assert_eq!(unreadable.text("/tppMessages/0/path"), "TPP-QWAC-Certificate");
    let body = json!({});
    let reader =
        client(&bank, 0).with("TPP-QWAC-Certificate", &certificate(2)).with("PSU-IP-Address", "192.0.2.7");
    let refused = reader.post(&path("/v1/payments/sepa-credit-transfers"), &body).await;
    assert_eq!(refusal(&refused), (401, "ROLE_INVALID".to_owned()));
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn request_id_replays_the_same_content_and_accepts_other_content(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let bank = TestBank::start(Database::new(engine)).await;
    let tpp = bank
        .anonymous()
        .with("X-Request-ID", "99391c7e-ad88-49ec-a2ad-99ddcb1f7721")
        .with("PSU-ID", login(&bank, 0));
    let order = consent_order(json!({ "allPsd2": "allAccounts" }));
    let first = tpp.post(&path("/v1/consents"), &order).await;
    assert_eq!(first.status, 201, "{first:?}");
    assert_eq!(first.headers["x-request-id"], "99391c7e-ad88-49ec-a2ad-99ddcb1f7721");
    let again = tpp.post(&path("/v1/consents"), &order).await;
    assert_eq!((again.status, &again.body), (201, &first.body));
    let other =
        tpp.post(&path("/v1/consents"), &consent_order(json!({ "availableAccounts": "allAccounts" }))).await;
    assert_eq!(other.status, 201, "{other:?}");
    assert_ne!(other.text("/consentId"), first.text("/consentId"));
    let (uri, hook) = ("http://127.0.0.1:9090/back", "http://127.0.0.1:9091/hook");
    for (name, value) in [
        ("PSU-ID", login(&bank, 1)),
        ("TPP-Redirect-Preferred", "false"),
        ("TPP-Decoupled-Preferred", "false"),
        ("TPP-Explicit-Authorisation-Preferred", "true"),
        ("TPP-Redirect-URI", uri),
        ("TPP-Nok-Redirect-URI", uri),
        ("TPP-Notification-URI", hook),
        ("TPP-Notification-Content-Preferred", "status=LAST"),
    ] {
        bank.advance("PT1M").await;
        let other = tpp.clone().with(name, value).post(&path("/v1/consents"), &order).await;
        assert_eq!(other.status, 201, "{name}: {other:?}");
        assert!(!other.headers.contains_key("idempotent-replay"), "{name} is other content");
    }
    let again = tpp.post(&path("/v1/consents"), &order).await;
    assert_eq!((again.status, &again.body), (201, &first.body));

    for id in ["", "1", "99391c7ead8849eca2ad99ddcb1f7721"] {
        let refused = tpp.clone().with("X-Request-ID", id).get(&path("/v1/consents/x")).await;
        assert_eq!(refusal(&refused), (400, "FORMAT_ERROR".to_owned()), "{id}");
        assert_eq!(refused.text("/tppMessages/0/path"), "X-Request-ID");
    }
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn certificate_of_a_disabled_application_is_refused_by_its_status(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let bank = TestBank::start(Database::new(engine)).await;
    let certificate = bank.sandbox_file["tpps"][1]["certificate"].as_str().expect("PEM");
    let tpp = client(&bank, 0).with("TPP-QWAC-Certificate", certificate);
    let id = bank.sandbox_file["tpps"][1]["client_id"].as_str().expect("an id").to_owned();
    let answer = async || refusal(&tpp.get(&path("/v1/consents/x")).await);
    assert_eq!(answer().await, (403, "CONSENT_UNKNOWN".to_owned()));
    let id = ApplicationId::parse(&id).expect("a UUID");
    let set = async |is_enabled: bool| bank.app.application_enabled_set(id, is_enabled).await.unwrap();
    set(false).await;
    assert_eq!(answer().await, (401, "CERTIFICATE_INVALID".to_owned()));
    bank.database.tamper(&format!(
        "UPDATE application_certificate SET status = 'blocked' WHERE application = {}",
        bank.database.uuid_literal(id.uuid())
    ));
    set(false).await;
    assert_eq!(answer().await, (401, "CERTIFICATE_BLOCKED".to_owned()));
    set(true).await;
    assert_eq!(answer().await, (401, "CERTIFICATE_BLOCKED".to_owned()));
    // Another certificate of the organisation does not replace the blocked one.
    let other = match engine {
        Engine::Sqlite => "zeroblob(32)",
        Engine::Postgres => "decode(repeat('00', 32), 'hex')",
    };
    bank.database.tamper(&format!(
        "UPDATE application_certificate SET fingerprint = {other} WHERE application = {}",
        bank.database.uuid_literal(id.uuid())
    ));
    set(true).await;
    assert_eq!(answer().await, (401, "CERTIFICATE_INVALID".to_owned()));
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn organisation_of_several_applications_is_not_identified_when_one_is_revoked_or_disabled(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let bank = TestBank::start(Database::new(engine)).await;
    let text =
        |number: usize, name: &str| bank.sandbox_file["tpps"][number][name].as_str().unwrap().to_owned();
    let tpp = client(&bank, 0).with("TPP-QWAC-Certificate", &text(1, "certificate"));
    let [one, other] = [1, 2].map(|number| ApplicationId::parse(&text(number, "client_id")).expect("a UUID"));
    let row = |id: ApplicationId| bank.database.uuid_literal(id.uuid());
    // The second application is of the first one's organisation, and the certificate that is presented is registered for neither.
    let unregistered = match engine {
        Engine::Sqlite => "zeroblob(32)",
        Engine::Postgres => "decode(repeat('00', 32), 'hex')",
    };
    bank.database.tamper(&format!(
        "UPDATE application_certificate SET organisation = (SELECT MIN(organisation) FROM application_certificate
         WHERE application = {}) WHERE application = {}",
        row(one),
        row(other)
    ));
    bank.database.tamper(&format!(
        "UPDATE application_certificate SET fingerprint = {unregistered} WHERE application = {}",
        row(one)
    ));
    let answer = async || refusal(&tpp.get(&path("/v1/consents/x")).await);
    let refused = || (401, "CERTIFICATE_INVALID".to_owned());
    assert_eq!(answer().await, refused(), "two applications");
    let set = |status: &str| {
        let sql = "UPDATE application_certificate SET status =";
        bank.database.tamper(&format!("{sql} '{status}' WHERE application = {}", row(one)));
    };
    for status in ["revoked", "blocked"] {
        set(status);
        assert_eq!(answer().await, refused(), "one of two is {status}");
    }
    set("active");
    bank.app.application_enabled_set(one, false).await.unwrap();
    assert_eq!(answer().await, refused(), "one of two is disabled");
    // The only application of an organisation is named by a certificate that no one registered.
    bank.app.application_enabled_set(one, true).await.unwrap();
    bank.database.tamper(&format!("DELETE FROM application_certificate WHERE application = {}", row(other)));
    assert_eq!(answer().await, (403, "CONSENT_UNKNOWN".to_owned()));
    set("revoked");
    assert_eq!(answer().await, refused(), "its only certificate is revoked");
}
