//! Signed requests and responses over HTTP: consents, payments, reads and requests without a body, in every mode.

use super::payment::{ELENI, JONAS, iban, order, psu, text};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use reqwest::Method;
use rstest::rstest;
use serde_json::{Value, json};
use std::sync::Arc;
use trapeza::demo::authority::{ApplicationOwner, Authority, Validity};
use trapeza_app::certificate;
use trapeza_domain::application::Role;
use trapeza_domain::time::TimeDelta;
use trapeza_http::Reloadable;
use trapeza_http::server::ExpiredCrl;
use trapeza_http::signature::{Seal, SealAuthorities, SignatureMode};
use trapeza_testkit::database::{Database, Engine};
use trapeza_testkit::test_bank::TestBankOptions;
use trapeza_testkit::{ApiClient, ApiResponse, TestBank, TestSeal};

const CONSENTS: &str = "/v1/consents";
const INTERNAL: &str = "/v1/payments/internal-transfers";
const NAMES: [&str; 3] = ["Digest", "Signature", "TPP-Signature-Certificate"];

async fn bank_with(engine: Engine, signature: SignatureMode) -> TestBank {
    TestBank::with_options(Database::new(engine), TestBankOptions { signature, ..Default::default() }).await
}

fn consent(bank: &TestBank) -> Value {
    let account = json!([{ "iban": iban(bank, ELENI, 0) }]);
    json!({
        "access": { "balances": account, "transactions": account },
        "recurringIndicator": true,
        "validUntil": "2099-12-31",
        "frequencyPerDay": 4,
    })
}

/// Status and name of the code; an empty name when there is none.
fn outcome(answer: &ApiResponse) -> (u16, &str) {
    let text = answer.body["tppMessages"][0]["text"].as_str().unwrap_or_default();
    (answer.status, text.split(':').next().unwrap_or_default())
}

fn login(bank: &TestBank, number: usize) -> &str {
    text(&psu(bank, number)["psu_id"])
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn required_signature_covers_consents_reads_payments_and_requests_without_a_body(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let bank = bank_with(engine, SignatureMode::Required).await;
    let signing = bank.signing_tpp(0).with("PSU_ID", login(&bank, ELENI));
    let plain = bank.tpp(0).with("PSU_ID", login(&bank, ELENI));
    let missing = (401, "SIGNATURE_MISSING");

    let refused = plain.post(CONSENTS, &consent(&bank)).await;
    assert_eq!(outcome(&refused), missing);
    let headers: Vec<&str> =
        (0..3).map(|n| refused.body["tppMessages"][n]["path"].as_str().unwrap()).collect();
    assert_eq!(headers, NAMES, "every missing header is named");
    assert_eq!(refused.body["tppMessages"][0]["code"], 6, "the position in the list of 401");
    let created = signing.post(CONSENTS, &consent(&bank)).await;
    assert_eq!(created.status, 201, "{created:?}");
    let path = format!("{CONSENTS}/{}", created.text("/consentId"));
    bank.authorise(&signing, &path, psu(&bank, ELENI)).await;

    let consent_id = created.text("/consentId");
    for read in ["/v1/accounts", "/v1/accounts?withBalance=true", "/v1/cards"] {
        let (plain, signing) =
            (plain.clone().with("consentID", consent_id), signing.clone().with("consentID", consent_id));
        assert_eq!(outcome(&plain.get(read).await), missing, "{read}");
        let answer = signing.get(read).await;
        assert_eq!(answer.status, 200, "{read}: {answer:?}");
    }

    let payer = |client: &ApiClient| {
        client.clone().with("PSU_ID", login(&bank, JONAS)).with("pSUIPAddress", "192.0.2.17")
    };
    assert_eq!(payer(&plain).post(INTERNAL, &order(&bank, "12.50")).await.status, 401);
    let payment = payer(&signing).post(INTERNAL, &order(&bank, "12.50")).await;
    assert_eq!(payment.status, 200, "{payment:?}");
    let payment_path = format!("{INTERNAL}/{}", payment.text("/paymentId"));
    assert_eq!(payer(&signing).delete(&payment_path).await.status, 200);

    assert_eq!(outcome(&plain.delete(&path).await), missing);
    assert_eq!(signing.delete(&path).await.status, 204);
    let merchant = bank.merchant(0).get("/configuration").await;
    assert_eq!(merchant.status, 200, "merchants do not sign");
    assert_eq!(bank.anonymous().get("/livez").await.status, 200);
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn optional_signature_is_verified_when_a_header_of_it_is_sent_and_ignored_when_off(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
    #[values(SignatureMode::Off, SignatureMode::Optional)] mode: SignatureMode,
) {
    let bank = bank_with(engine, mode).await;
    let login = login(&bank, ELENI);
    let (plain, signing) = (bank.tpp(0).with("PSU_ID", login), bank.signing_tpp(0).with("PSU_ID", login));
    let body = consent(&bank);
    assert_eq!(plain.post(CONSENTS, &body).await.status, 201);
    assert_eq!(signing.post(CONSENTS, &body).await.status, 201);
    let created = (201, "");
    for (name, expected) in [
        ("Digest", (401, "SIGNATURE_MISSING")),
        ("Signature", (401, "SIGNATURE_MISSING")),
        ("TPP-Signature-Certificate", (401, "SIGNATURE_MISSING")),
    ] {
        let answer = plain.clone().with(name, "garbage").post(CONSENTS, &body).await;
        let expected = if mode == SignatureMode::Off { created } else { expected };
        assert_eq!(outcome(&answer), expected, "{name}");
    }
    let garbage = NAMES.into_iter().fold(plain, |client, name| client.with(name, "garbage"));
    let expected = if mode == SignatureMode::Off { created } else { (401, "SIGNATURE_INVALID") };
    assert_eq!(outcome(&garbage.post(CONSENTS, &body).await), expected);
}

/// A request with a fixed id, and its headers when it is signed.
fn signed_once(bank: &TestBank, seal: &TestSeal, id: &str, body: &Value) -> ApiClient {
    let client = bank.tpp(0).with("PSU_ID", login(bank, ELENI)).with("x-Request-ID", id);
    let covered =
        ["x-Request-ID", "PSU_ID"].map(|name| (name.to_owned(), client.header(name).unwrap().to_owned()));
    let headers = seal.sign(&covered, body.to_string().as_bytes());
    headers.into_iter().fold(client, |client, (name, value)| client.with(&name, &value))
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn changed_request_is_refused_without_an_effect_and_the_replay_of_a_signed_one_is_answered(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    const ID: &str = "7d1c6d0e-0c7a-4f0a-9d3b-3a2f0f9b6c11";
    let bank = bank_with(engine, SignatureMode::Required).await;
    let seal = TestSeal::of_tpp(&bank.sandbox_file["tpps"][0]);
    let body = consent(&bank);
    let good = signed_once(&bank, &seal, ID, &body);
    let invalid = (401, "SIGNATURE_INVALID");

    let mut changed = body.clone();
    changed["frequencyPerDay"] = json!(3);
    let refused = good.post(CONSENTS, &changed).await;
    assert_eq!(outcome(&refused), invalid, "another body");
    assert_eq!(refused.body["tppMessages"][0]["path"], "Digest");
    assert_eq!(refused.text("/tppMessages/0/text"), "SIGNATURE_INVALID: Digest does not match the body");
    let other_customer = good.clone().with("PSU_ID", login(&bank, JONAS)).post(CONSENTS, &body).await;
    assert_eq!(outcome(&other_customer), invalid);
    let other_id = good.clone().with("x-Request-ID", "7d1c6d0e-0c7a-4f0a-9d3b-3a2f0f9b6c12");
    assert_eq!(outcome(&other_id.post(CONSENTS, &body).await), invalid);

    let first = good.post(CONSENTS, &body).await;
    assert_eq!(
        (first.status, first.headers.get("idempotent-replay")),
        (201, None),
        "nothing was stored before"
    );
    let again = good.post(CONSENTS, &body).await;
    assert_eq!((again.status, again.body), (201, first.body));
    assert_eq!(again.headers["idempotent-replay"], "true");
    let replayed = good.clone().with("Signature", "garbage").post(CONSENTS, &body).await;
    assert_eq!(outcome(&replayed), invalid, "the signature is verified before the record is looked up");
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn signature_is_checked_after_the_role_and_before_other_headers(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let bank = bank_with(engine, SignatureMode::Required).await;
    let plain = bank.tpp(2);
    assert_eq!(
        outcome(&plain.post(INTERNAL, &json!({})).await),
        (401, "CERTIFICATE_INVALID"),
        "the role first"
    );
    let no_id = bank.tpp(0).without("x-Request-ID").with("Accept", "text/html");
    assert_eq!(outcome(&no_id.get("/v1/accounts").await), (401, "SIGNATURE_MISSING"));
    let signed = bank.signing_tpp(0).with("Accept", "text/html");
    assert_eq!(signed.get("/v1/accounts").await.status, 406, "Accept after the signature");
    let malformed = bank.signing_tpp(0).with("x-Request-ID", "7");
    assert_eq!(outcome(&malformed.get("/v1/accounts").await), (400, "FORMAT_ERROR"));
    let twice = bank.signing_tpp(0).with("Digest", "x");
    assert_eq!(outcome(&twice.get("/v1/accounts").await), (400, "FORMAT_ERROR"), "a repeated header");
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn certificate_of_the_seal_must_be_the_callers_and_from_an_accepted_authority(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    // The test bank's morning, at which its certificates begin.
    let now = trapeza_app::parse_timestamp("2035-03-15T00:00:00Z").unwrap();
    let (authority, other_authority) = (Authority::generate(now).unwrap(), Authority::generate(now).unwrap());
    let loaded = SealAuthorities::load(authority.certificate_pem().as_bytes(), None, ExpiredCrl::Accept);
    let options = TestBankOptions {
        signature: SignatureMode::Required,
        seal_authorities: Some(Reloadable::new(loaded.unwrap().authorities)),
        ..Default::default()
    };
    let bank = TestBank::with_options(Database::new(engine), options).await;
    let holder = |organisation, roles| ApplicationOwner { name: "Kyklos Finance", organisation, roles };
    let own = holder("PSDGR-BOG-000001", &Role::ALL[..]);
    let seal = |authority: &Authority, holder, validity| authority.issue_seal(holder, validity).unwrap();
    use Validity::{Expired, TenYears};
    for (name, issued, expected) in [
        ("good", seal(&authority, own, TenYears), (201, "")),
        ("expired", seal(&authority, own, Expired), (401, "CERTIFICATE_EXPIRED")),
        ("another authority", seal(&other_authority, own, TenYears), (401, "CERTIFICATE_INVALID")),
        (
            "another organisation",
            seal(&authority, holder("PSDGR-BOG-000002", &Role::ALL), TenYears),
            (401, "CERTIFICATE_INVALID"),
        ),
        (
            "another role",
            seal(&authority, holder("PSDGR-BOG-000001", &[Role::PaymentInitiation]), TenYears),
            (401, "CERTIFICATE_INVALID"),
        ),
        ("for TLS", authority.issue(own, TenYears).unwrap(), (401, "CERTIFICATE_INVALID")),
    ] {
        let client = bank.tpp(0).with("PSU_ID", login(&bank, ELENI));
        let answer =
            client.signed_by(Arc::new(TestSeal::of_issued(&issued))).post(CONSENTS, &consent(&bank)).await;
        assert_eq!(outcome(&answer), expected, "{name}: {answer:?}");
        let path = answer.body["tppMessages"][0]["path"].as_str();
        assert!(expected.0 == 201 || path == Some("TPP-Signature-Certificate"), "{name}: {answer:?}");
    }
    let demo = bank.signing_tpp(0).with("PSU_ID", login(&bank, ELENI)).post(CONSENTS, &consent(&bank)).await;
    assert_eq!(outcome(&demo), (401, "CERTIFICATE_INVALID"), "the demo's authority is not accepted here");
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn failed_signatures_count_as_failed_authentications(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let options = TestBankOptions { signature: SignatureMode::Required, ..TestBankOptions::limited() };
    let bank = TestBank::with_options(Database::new(engine), options).await;
    for _ in 0..10 {
        assert_eq!(bank.tpp(0).get("/v1/accounts").await.status, 401);
    }
    assert_eq!(bank.tpp(0).get("/v1/accounts").await.status, 429);
    let signed = bank.signing_tpp(0).with("PSU_ID", login(&bank, ELENI));
    assert_eq!(signed.post(CONSENTS, &consent(&bank)).await.status, 201, "a signed request still passes");
}

/// Verifies a response as a third party does: by openssl's rules, with the certificate that it has.
fn verify_response(headers: &reqwest::header::HeaderMap, body: &[u8]) -> Vec<u8> {
    let text = |name: &str| headers.get(name).unwrap_or_else(|| panic!("no {name}")).to_str().unwrap();
    let hash = STANDARD.encode(ring::digest::digest(&ring::digest::SHA256, body));
    assert_eq!(text("digest"), format!("SHA-256={hash}"));
    let der = STANDARD.decode(text("aspsp-signature-certificate")).unwrap();
    let parameter = |name: &str| {
        let (_, rest) = text("signature").split_once(&format!("{name}=\"")).unwrap();
        rest.split_once('"').unwrap().0.to_owned()
    };
    assert_eq!(
        (parameter("headers").as_str(), parameter("algorithm").as_str()),
        ("digest x-request-id date", "ecdsa-sha256")
    );
    let lines = ["digest", "x-request-id", "date"].map(|name| format!("{name}: {}", text(name)));
    let signature = STANDARD.decode(parameter("signature")).unwrap();
    // An uncompressed point of P-256 is at the end of SubjectPublicKeyInfo, after this head of its BIT STRING.
    let head = [0x03, 0x42, 0x00, 0x04];
    let at = der.windows(4).position(|window| window == head).unwrap() + 3;
    let key =
        ring::signature::UnparsedPublicKey::new(&ring::signature::ECDSA_P256_SHA256_ASN1, &der[at..at + 65]);
    key.verify(lines.join("\n").as_bytes(), &signature).expect("the signature verifies");
    der
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn response_to_a_third_party_is_signed_by_the_banks_seal(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let now = trapeza_app::parse_timestamp("2035-03-15T00:00:00Z").unwrap();
    let authority = Authority::generate(now.minus(TimeDelta::days(1))).unwrap();
    let owner =
        ApplicationOwner { name: "Trapeza", organisation: "PSDGR-BOG-1", roles: &[Role::AccountServicing] };
    let issued = authority.issue_seal(owner, Validity::TenYears).unwrap();
    let own = certificate::decode_header(&issued.certificate_pem).unwrap();
    let seal = Seal::load(issued.certificate_pem.as_bytes(), issued.key_pem.as_bytes()).unwrap().seal;
    let options = TestBankOptions { seal: Some(Reloadable::new(seal)), ..Default::default() };
    let bank = TestBank::with_options(Database::new(engine), options).await;
    let tpp = bank.tpp(0).with("PSU_ID", login(&bank, ELENI));
    let names = ["Ocp-Apim-Subscription-Key", "ClientId", "Certificate", "PSU_ID"];
    let send = async |method: Method, path: &str, body: String| {
        let mut request =
            reqwest::Client::new().request(method, format!("{}{path}", bank.base_url)).body(body);
        for name in names {
            request = request.header(name, tpp.header(name).unwrap());
        }
        let id = trapeza_app::Entropy::os().uuid().to_string();
        request.header("x-Request-ID", id).send().await.unwrap()
    };

    let created = send(Method::POST, CONSENTS, consent(&bank).to_string()).await;
    assert_eq!(created.status(), 201);
    let (headers, body) = (created.headers().clone(), created.bytes().await.unwrap());
    assert_eq!(verify_response(&headers, &body), own);
    assert!(headers["date"].to_str().unwrap().contains("15 Mar 2035"), "the clock of the bank");
    let path = format!(
        "{CONSENTS}/{}",
        serde_json::from_slice::<Value>(&body).unwrap()["consentId"].as_str().unwrap()
    );
    for (method, path, status) in [
        (Method::GET, format!("{path}/status"), 200),
        (Method::GET, "/v1/accounts".to_owned(), 400),
        (Method::GET, "/v1/unknown".to_owned(), 404),
        (Method::DELETE, path, 204),
    ] {
        let answer = send(method, &path, String::new()).await;
        assert_eq!(answer.status(), status, "{path}");
        let (headers, body) = (answer.headers().clone(), answer.bytes().await.unwrap());
        verify_response(&headers, &body);
    }
    let merchant = bank.merchant(0).get("/configuration").await;
    assert!(!merchant.headers.contains_key("signature"), "only third parties get signed responses");
}
