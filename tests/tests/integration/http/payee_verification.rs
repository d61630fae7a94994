//! Names of payees at other banks: asked of a responder over HTTP, once, outside of any transaction, and not for long.

use crate::http::berlin_group::{self, bulk_payment};
use crate::http::payment::{
    ELENI, INTERNAL, JONAS, OTHER_BANK_IBAN, SEPA, changed, iban, initiate, order, tpp,
};
use rstest::rstest;
use serde_json::{Value, json};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use trapeza::demo;
use trapeza_app::idempotency::RequestIdentity;
use trapeza_app::sca::{StartPreferences, TargetRef};
use trapeza_app::trace::{self, TraceContext};
use trapeza_app::{PathPayment, PayeeLimits, Tpp};
use trapeza_courier::{HttpPayeeVerifier, JsonClient, Roots};
use trapeza_domain::account::Account;
use trapeza_domain::authorisation::TargetKind;
use trapeza_domain::field::Field;
use trapeza_domain::money::{Currency, Money};
use trapeza_domain::payee_verification::PayeeVerification;
use trapeza_domain::payment::{PaymentOrder, PaymentOrderFields, PaymentProduct, PaymentTiming};
use trapeza_domain::reference::{AccountReference, Iban};
use trapeza_domain::refusal::FieldErrors;
use trapeza_domain::secret::Secret;
use trapeza_domain::time::TimeDelta;
use trapeza_testkit::database::{Database, Engine};
use trapeza_testkit::test_bank::TestBankOptions;
use trapeza_testkit::{ApiClient, TestBank, ledger_fixture, tpp_fixture};

const TIMEOUT: Duration = Duration::from_millis(400);

/// The trace that the third parties' requests are part of.
const TRACE: &str = "4bf92f3577b34da6a3ce929d0e0e4736";

fn traceparent() -> String {
    format!("00-{TRACE}-00f067aa0ba902b7-01")
}

fn traced(client: ApiClient) -> ApiClient {
    client.with("traceparent", &traceparent())
}

/// Answers by the name it is asked about, and counts.
async fn responder() -> (String, Arc<AtomicUsize>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/vop", listener.local_addr().unwrap());
    let request_count = Arc::new(AtomicUsize::new(0));
    let counted = request_count.clone();
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            counted.fetch_add(1, Ordering::SeqCst);
            tokio::spawn(answer(stream));
        }
    });
    (url, request_count)
}

async fn answer(mut stream: TcpStream) {
    let (mut request, mut piece) = (String::new(), [0; 4096]);
    while !request.ends_with('}') {
        let read = stream.read(&mut piece).await.unwrap();
        assert!(read > 0, "the request broke off: {request}");
        request.push_str(std::str::from_utf8(&piece[..read]).unwrap());
    }
    assert!(request.to_lowercase().contains("authorization: bearer t0ken\r\n"), "{request}");
    assert!(request.contains(&format!("traceparent: 00-{TRACE}-")), "{request}");
    let (_, body) = request.split_once("\r\n\r\n").unwrap();
    let body: Value = serde_json::from_str(body).unwrap();
    assert_eq!(body["iban"], OTHER_BANK_IBAN);
    let (status, answer) = match body["name"].as_str().unwrap() {
        "Known" => ("200 OK", r#"{"result":"MTCH"}"#),
        "Nearly" => ("200 OK", r#"{"result":"CMTC","name":"Near Lee"}"#),
        "Wrong" => ("200 OK", r#"{"result":"NMTC","name":"Near Lee"}"#),
        "Unknown Owner" => ("200 OK", r#"{"result":"NOAP"}"#),
        "Broken" => ("500 Internal Server Error", r#"{"result":"MTCH"}"#),
        "Babble" => ("200 OK", "MTCH"),
        "Novel" => ("200 OK", r#"{"result":"YES"}"#),
        // Nothing is ever answered.
        _ => return tokio::time::sleep(Duration::from_secs(60)).await,
    };
    let answer = format!("HTTP/1.1 {status}\r\nContent-Length: {}\r\n\r\n{answer}", answer.len());
    stream.write_all(answer.as_bytes()).await.unwrap();
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn external_payee_verification_is_requested_once(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let database = Database::new(engine);
    let (url, request_count) = responder().await;
    let client = JsonClient::parse(&url, Secret::new("t0ken".to_owned()), Roots::default()).unwrap();
    let directory = Arc::new(HttpPayeeVerifier::new(client, TIMEOUT));
    let bank = TestBank::with_options(
        database,
        TestBankOptions { payee_responder: Some(directory), ..TestBankOptions::default() },
    )
    .await;
    let tpp = traced(tpp(&bank, JONAS));
    let reported = "originalTransactionInformationAndVopStatus";
    let away = |name: &str| {
        let order = changed(order(&bank, "1.00"), "/creditorAccount/iban", json!(OTHER_BANK_IBAN));
        changed(order, "/creditorName", json!(name))
    };
    for (name, expected) in [
        ("Known", Value::Null),
        ("Nearly", json!("CMTC")),
        ("Wrong", json!("NMTC")),
        ("Unknown Owner", json!("NOAP")),
        ("Broken", json!("NOAP")),
        ("Babble", json!("NOAP")),
        ("Novel", json!("NOAP")),
    ] {
        let before = request_count.load(Ordering::SeqCst);
        let path = format!("{}/authorisations", initiate(&tpp, SEPA, &away(name)).await);
        let first = tpp.post(&path, &json!({})).await;
        assert_eq!((first.status, &first.body[reported]), (200, &expected), "{name}");
        // The payer sees the owner's name on a close match, through the third party's screen (Regulation (EU) 2024/886).
        let message = first.body["psuMessage"].as_str().unwrap_or_default();
        assert_eq!(message.contains("Near Lee"), name == "Nearly", "{name}: {message}");
        assert_eq!(message.is_empty(), expected.is_null(), "{name}: {message}");
        let mut others = first.body.clone();
        others["psuMessage"] = Value::Null;
        assert!(!others.to_string().contains("Near Lee"), "{others}");
        let second = tpp.post(&path, &json!({})).await;
        assert_eq!((second.status, &second.body[reported]), (200, &Value::Null), "{name}");
        assert_eq!(request_count.load(Ordering::SeqCst), before + 1, "{name}");
    }

    // Accounts of this bank are not sent to the service.
    let before = request_count.load(Ordering::SeqCst);
    let own = changed(order(&bank, "1.00"), "/creditorAccount/iban", json!(iban(&bank, ELENI, 0)));
    let path = format!(
        "{}/authorisations",
        initiate(&tpp, SEPA, &changed(own, "/creditorName", json!("Wrong"))).await
    );
    assert_eq!(tpp.post(&path, &json!({})).await.body[reported], "NMTC");
    let unknown = format!("{SEPA}/00000000-0000-4000-8000-000000000000/authorisations");
    assert_eq!(tpp.post(&unknown, &json!({})).await.status, 404);
    // Nor is the bank's own collection account, which has no owner, nor the payee of a payment that has ended.
    let collection = demo::collection_iban();
    let own = changed(order(&bank, "1.00"), "/creditorAccount/iban", json!(collection.as_str()));
    for (name, expected) in [("Trapeza", Value::Null), ("Wrong", json!("NMTC"))] {
        let path = initiate(&tpp, INTERNAL, &changed(own.clone(), "/creditorName", json!(name))).await;
        let started = tpp.post(&format!("{path}/authorisations"), &json!({})).await;
        assert_eq!((started.status, &started.body[reported]), (200, &expected), "{name}: {started:?}");
    }
    // The payees of a bulk are not verified: it would tell a third party who owns which accounts.
    let dialect = berlin_group::client(&bank, ELENI)
        .with("PSU-IP-Address", "192.0.2.7")
        .with("TPP-Explicit-Authorisation-Preferred", "true");
    for payee in [OTHER_BANK_IBAN, &iban(&bank, JONAS, 0)] {
        let lines = json!([bulk_payment::line(1, payee, "Wrong", "1.00")]);
        let bulk = json!({ "debtorAccount": { "iban": iban(&bank, ELENI, 0) }, "payments": lines });
        let created = dialect.post(&berlin_group::path(bulk_payment::SEPA), &bulk).await;
        let authorisations = format!("{}/authorisations", berlin_group::link(&bank, &created, "self"));
        let started = dialect.post(&authorisations, &json!({})).await;
        assert_eq!((started.status, &started.body[reported]), (201, &Value::Null), "{started:?}");
    }
    let ended = initiate(&tpp, SEPA, &away("Known")).await;
    assert_eq!(tpp.delete(&ended).await.status, 200);
    assert_eq!(tpp.post(&format!("{ended}/authorisations"), &json!({})).await.status, 409);
    // Nor is the service asked by the creation of a payment or a signing basket whose authorisation is started later.
    let explicit = traced(berlin_group::client(&bank, JONAS)).with("PSU-IP-Address", "192.0.2.7");
    let explicit = explicit.with("TPP-Explicit-Authorisation-Preferred", "true");
    let body = json!({
        "debtorAccount": { "iban": iban(&bank, JONAS, 0) }, "creditorAccount": { "iban": OTHER_BANK_IBAN },
        "creditorName": "Known", "instructedAmount": { "currency": "EUR", "amount": "1.00" },
    });
    let created = explicit.post(&berlin_group::path("/v1/payments/sepa-credit-transfers"), &body).await;
    assert_eq!(created.status, 201, "{created:?}");
    let members = json!({ "paymentIds": [created.body["paymentId"]] });
    let created = explicit.post(&berlin_group::path("/v1/signing-baskets"), &members).await;
    assert_eq!(created.status, 201, "{created:?}");
    assert_eq!(request_count.load(Ordering::SeqCst), before);

    // A slow service delays its own request only.
    let path = format!("{}/authorisations", initiate(&tpp, SEPA, &away("Silent")).await);
    let started = Instant::now();
    let (slow, tpp_path) = (tpp.clone(), path.clone());
    let waiting = tokio::spawn(async move { slow.post(&tpp_path, &json!({})).await });
    while request_count.load(Ordering::SeqCst) == before {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    initiate(&tpp, SEPA, &away("Known")).await;
    assert!(!waiting.is_finished(), "another call went through in the meantime");
    let answer = waiting.await.unwrap();
    assert_eq!((answer.status, &answer.body[reported]), (200, &json!("NOAP")));
    assert!(started.elapsed() >= TIMEOUT);
    // And one that cannot be reached at all is not an error either.
    let client =
        JsonClient::parse("http://127.0.0.1:1/", Secret::new(String::new()), Roots::default()).unwrap();
    let verifier = HttpPayeeVerifier::new(client, TIMEOUT);
    let iban = Iban::parse(OTHER_BANK_IBAN).unwrap();
    assert_eq!(trapeza_app::PayeeVerifier::verify(&verifier, &iban, "Known").await, None);
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn mismatches_beyond_the_budget_are_not_reported(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let limit = |n| std::num::NonZeroU32::new(n).unwrap();
    let payee_limits = Some(PayeeLimits { per_application: limit(3), per_iban: limit(2) });
    let options = TestBankOptions { payee_limits, ..TestBankOptions::default() };
    let bank = TestBank::with_options(Database::new(engine), options).await;
    let result = async |tpp: &ApiClient, payee: &str, name: &str| {
        let order = changed(order(&bank, "1.00"), "/creditorAccount/iban", json!(payee));
        let path = initiate(tpp, SEPA, &changed(order, "/creditorName", json!(name))).await;
        tpp.post(&format!("{path}/authorisations"), &json!({})).await.body["originalTransactionInformationAndVopStatus"].clone()
    };
    let (one, other) = (tpp(&bank, JONAS), tpp(&bank, JONAS).as_tpp(&bank.sandbox_file["tpps"][1]));
    let [current, savings, old] = [0, 1, 2].map(|account| iban(&bank, ELENI, account));
    for _ in 0..3 {
        assert_eq!(result(&one, &current, "Eleni Papadaki").await, Value::Null, "a match costs nothing");
    }
    for _ in 0..2 {
        assert_eq!(result(&one, &current, "Maria Example").await, "NMTC");
    }
    for name in ["Maria Example", "Eleni Papadaki"] {
        assert_eq!(result(&one, &current, name).await, "NOAP", "the budget of the account is spent");
        assert_eq!(result(&other, &current, name).await, "NOAP", "for every third party");
    }
    assert_eq!(result(&one, &savings, "Maria Example").await, "NMTC");
    assert_eq!(result(&one, &old, "Eleni Papadaki").await, "NOAP", "the budget of the third party is spent");
    assert_eq!(result(&other, &old, "Maria Example").await, "NMTC");
}

/// Starts the authorisation of a payment in a bank that is no sandbox; returns the reported result.
async fn reported_in_production(
    bank: &TestBank,
    tpp: &Tpp,
    payer: &Account,
    payee: &str,
    name: &str,
) -> Option<PayeeVerification> {
    let account = |iban: Iban| AccountReference::iban(iban, None);
    let fields = PaymentOrderFields {
        debtor: Some(account(payer.iban)),
        amount: Some(Money::new(100, Currency::EUR)),
        creditor: Some(account(Iban::parse(payee).unwrap())),
        creditor_name: Some(name),
        timing: PaymentTiming::Immediate,
        ..PaymentOrderFields::default()
    };
    let product = PaymentProduct::SepaCreditTransfers;
    let order = PaymentOrder::parse(product, fields, &mut FieldErrors::default()).unwrap();
    let request = || {
        bank.app.idempotent_request(&RequestIdentity {
            application: tpp.application,
            operation: "POST /test",
            idempotency_key: bank.app.entropy().uuid(),
            field: Field::RequestId,
            path: "",
            psu: "",
            consent: "",
            body: b"",
        })
    };
    let initiated = bank.app.payment_initiate(request(), tpp, "eleni".to_owned(), None, order).await.unwrap();
    let id = initiated.value.payment.id.to_string();
    let path = Some(PathPayment { product, is_bulk: false });
    let target = TargetRef { kind: TargetKind::Payment, id: &id, payment: path };
    let psu = Some("eleni".to_owned());
    let started = bank.app.authorisation_start(request(), tpp, target, psu, StartPreferences::default());
    let (context, _) = TraceContext::of_request(Some(&traceparent()), bank.app.entropy().uuid());
    trace::scope(context, started).await.unwrap().value.payee_verification
}

/// A sandbox always verifies; a bank in production does so with a service alone, and with budgets alone.
#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn bank_in_production_verifies_with_a_service_or_with_budgets_alone(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let (url, request_count) = responder().await;
    let client = JsonClient::parse(&url, Secret::new("t0ken".to_owned()), Roots::default()).unwrap();
    let one = std::num::NonZeroU32::MIN;
    let service = TestBankOptions {
        payee_responder: Some(Arc::new(HttpPayeeVerifier::new(client, TIMEOUT))),
        production: true,
        ..TestBankOptions::default()
    };
    let budgets = TestBankOptions {
        payee_limits: Some(PayeeLimits { per_application: one, per_iban: one }),
        production: true,
        ..TestBankOptions::default()
    };
    use PayeeVerification::{Close, NoMatch, NotPossible};
    for (options, cases) in [
        (service, [(OTHER_BANK_IBAN, "Nearly", Close), (&*ledger_fixture::iban(1), "Wrong", NoMatch)]),
        (
            budgets,
            [
                (&*ledger_fixture::iban(1), "Wrong", NoMatch),
                (&*ledger_fixture::iban(1), "Wrong", NotPossible),
            ],
        ),
    ] {
        let bank = TestBank::with_options(Database::new(engine), options).await;
        let tpp = tpp_fixture::register(&bank.app, "Best Pay").await;
        let account = ledger_fixture::funded_accounts(&bank.app, 2, 1_000).await.remove(0);
        for (payee, name, expected) in cases {
            let reported = reported_in_production(&bank, &tpp, &account, payee, name).await;
            assert_eq!(reported, Some(expected), "{payee} {name}");
        }
    }
    assert_eq!(request_count.load(Ordering::SeqCst), 1);
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn mismatch_is_reported_in_the_response_to_a_start_with_a_password(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let bank = TestBank::start(Database::new(engine)).await;
    let tpp = tpp(&bank, JONAS);
    let body = json!({ "psuData": { "password": bank.sandbox_file["psus"][JONAS]["password"] } });
    let start = async |order: Value| {
        let path = initiate(&tpp, SEPA, &order).await;
        let answer = tpp.post(&format!("{path}/authorisations"), &body).await;
        assert_eq!((answer.status, answer.text("/scaStatus")), (200, "scaMethodSelected"), "{answer:?}");
        bank.pass(TimeDelta::seconds(31)).await;
        let result = answer.body["originalTransactionInformationAndVopStatus"].clone();
        (result, answer.text("/psuMessage").to_owned())
    };
    let (result, instruction) = start(order(&bank, "1.00")).await;
    assert_eq!(result, Value::Null);
    let away = changed(order(&bank, "1.00"), "/creditorAccount/iban", json!(OTHER_BANK_IBAN));
    let (result, message) = start(changed(away, "/creditorName", json!("NO MATCH"))).await;
    assert_eq!(result, "NMTC");
    // The payer reads the warning, and then what to do.
    assert!(message.len() > instruction.len() && message.ends_with(&instruction), "{message}");
}
