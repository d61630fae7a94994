//! What belongs to a request: for each write, everything of it is changed alone under the same key, and none of these is taken for
//! the first request.

use crate::http::checkout::{Bought, agree, basket, proven};
use crate::http::payment::{
    ELENI, INTERNAL, JONAS, OTHER_BANK_IBAN, SEPA, changed, check_ledger, code, iban, initiate, order, psu,
    rows, text, tpp,
};
use reqwest::Method;
use rstest::rstest;
use serde_json::{Value, json};
use trapeza_domain::time::TimeDelta;
use trapeza_testkit::database::{Database, Engine};
use trapeza_testkit::{ApiClient, ApiResponse, TestBank};
use uuid::Uuid;

const KEY: &str = "6f9619ff-8b86-4011-b42d-00cf4fc964ff";

/// A write that has succeeded.
struct Write {
    name: &'static str,
    caller: ApiClient,
    method: Method,
    path: String,
    body: Option<Value>,
    /// Headers that belong to the request, each with another value.
    headers: Vec<(&'static str, String)>,
}

impl Write {
    async fn send(&self) -> ApiResponse {
        let body = self.body.as_ref().map(|body| body.to_string().into_bytes());
        self.caller.send(self.method.clone(), &self.path, body).await
    }

    /// The same request with something else in it, and what that is.
    fn variants(&self, bank: &TestBank, other_path: &str) -> Vec<(String, Self)> {
        let with = |caller: ApiClient, path: &str, body: Option<Value>| Self {
            name: self.name,
            caller,
            method: self.method.clone(),
            path: path.to_owned(),
            body,
            headers: Vec::new(),
        };
        let mut all = Vec::new();
        if !other_path.is_empty() {
            all.push(("the path".to_owned(), with(self.caller.clone(), other_path, self.body.clone())));
        }
        for (name, value) in &self.headers {
            let caller = self.caller.clone().without(name).with(name, value);
            all.push(((*name).to_owned(), with(caller, &self.path, self.body.clone())));
        }
        for (pointer, value) in self.body.iter().flat_map(leaves) {
            let Some(other) = another(&pointer, &value, bank) else { continue };
            let body = changed(self.body.clone().unwrap(), &pointer, other);
            all.push((pointer, with(self.caller.clone(), &self.path, Some(body))));
        }
        all
    }
}

/// Every value of a body that is no object or list, by its place.
fn leaves(body: &Value) -> Vec<(String, Value)> {
    let inside = |prefix: String, value: &Value| {
        let found = leaves(value);
        found.into_iter().map(|(rest, leaf)| (format!("{prefix}{rest}"), leaf)).collect::<Vec<_>>()
    };
    match body {
        Value::Object(members) => {
            members.iter().flat_map(|(name, value)| inside(format!("/{name}"), value)).collect()
        }
        Value::Array(items) => {
            items.iter().enumerate().flat_map(|(index, value)| inside(format!("/{index}"), value)).collect()
        }
        leaf => vec![(String::new(), leaf.clone())],
    }
}

/// Another valid value for a field. The key itself makes another request.
fn another(pointer: &str, value: &Value, bank: &TestBank) -> Option<Value> {
    let name = pointer.rsplit('/').next().unwrap();
    Some(match (name, value) {
        ("requestId", _) => return None,
        ("iban", Value::String(old)) => {
            let others = [iban(bank, ELENI, 0), iban(bank, ELENI, 1), iban(bank, JONAS, 0)];
            json!(others.into_iter().find(|other| other != old).unwrap())
        }
        ("currency", _) => json!("USD"),
        ("validUntil", _) => json!("2035-05-05"),
        ("Amount", _) => json!("2.00"),
        (_, Value::String(old)) => json!(format!("{old} x")),
        (_, Value::Bool(old)) => json!(!old),
        (_, Value::Number(old)) => json!(old.as_f64().unwrap() as i64 + 1),
        _ => panic!("{pointer}: {value}"),
    })
}

/// Sends the write, the same again, and every variant of it.
async fn assert_everything_counts(bank: &TestBank, write: &Write, other_path: &str) {
    let first = write.send().await;
    assert!(first.status < 300, "{}: {first:?}", write.name);
    let again = write.send().await;
    assert_eq!(again.headers.get("idempotent-replay").map(String::as_str), Some("true"), "{}", write.name);
    assert_eq!((again.status, &again.body), (first.status, &first.body), "{}", write.name);
    let (before, mut refused) = (rows(bank).await, 0);
    for (what, variant) in write.variants(bank, other_path) {
        let answer = variant.send().await;
        let place = format!("{}: {what} was changed: {answer:?}", write.name);
        assert!(!answer.headers.contains_key("idempotent-replay"), "{place}");
        assert!((400..500).contains(&answer.status), "{place}");
        let text = answer.body.to_string();
        refused += usize::from(text.contains("used for a different request"));
    }
    assert!(refused > 0, "{}: no variant was refused because of the key", write.name);
    assert_eq!(rows(bank).await, before, "{}: a variant had an effect", write.name);
}

fn consent_order(bank: &TestBank) -> Value {
    json!({
        "access": { "balances": [{ "iban": iban(bank, JONAS, 0) }], "transactions": [{ "iban": iban(bank, JONAS, 0) }] },
        "recurringIndicator": true, "validUntil": "2099-12-31", "frequencyPerDay": 4, "combinedServiceIndicator": false,
    })
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn changed_request_of_a_third_party_is_no_replay(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let bank = TestBank::start(Database::new(engine)).await;
    let tpp = tpp(&bank, JONAS);
    let same = tpp.clone().without("x-Request-ID").with("x-Request-ID", KEY);
    let write = |name, method, path: &str, body| Write {
        name,
        caller: same.clone(),
        method,
        path: path.to_owned(),
        body,
        headers: Vec::new(),
    };
    let customer = || vec![("PSU_ID", text(&psu(&bank, ELENI)["psu_id"]).to_owned())];
    let for_customer = |write: Write| Write { headers: customer(), ..write };
    let funds = json!({
        "account": { "iban": iban(&bank, JONAS, 0), "currency": "EUR" },
        "cardInformation": "My card", "registrationInformation": "Registered",
    });
    let away = changed(order(&bank, "1.00"), "/creditorAccount/iban", json!(OTHER_BANK_IBAN));
    let consents = [
        format!("/v1/consents/{}", tpp.post("/v1/consents", &consent_order(&bank)).await.text("/consentId")),
        format!("/v1/consents/{}", tpp.post("/v1/consents", &consent_order(&bank)).await.text("/consentId")),
    ];
    let payments = [initiate(&tpp, SEPA, &away).await, initiate(&tpp, INTERNAL, &order(&bank, "1.00")).await];
    let [start, other_start] = consents.each_ref().map(|path| format!("{path}/authorisations"));
    let [pay, other_pay] = payments.each_ref().map(|path| format!("{path}/authorisations"));
    for (write, other_path) in [
        (for_customer(write("consent", Method::POST, "/v1/consents", Some(consent_order(&bank)))), ""),
        (
            for_customer(write(
                "funds consent",
                Method::POST,
                "/v2/consents/confirmation-of-funds",
                Some(funds),
            )),
            "",
        ),
        (for_customer(write("SEPA transfer", Method::POST, SEPA, Some(away.clone()))), INTERNAL),
        (
            for_customer(write("start for a consent", Method::POST, &start, Some(json!({})))),
            other_start.as_str(),
        ),
        (write("start for a payment", Method::POST, &pay, Some(json!({}))), other_pay.as_str()),
        (write("end of a consent", Method::DELETE, &consents[1], None), consents[0].as_str()),
        (write("cancellation", Method::DELETE, &payments[1], None), payments[0].as_str()),
    ] {
        assert_everything_counts(&bank, &write, other_path).await;
        // The same key is another request for another third party.
        let theirs = Write { caller: bank.tpp(1).without("x-Request-ID"), ..write };
        let theirs = Write { caller: theirs.caller.with("x-Request-ID", KEY), ..theirs };
        let answer = theirs.send().await;
        assert!(!answer.headers.contains_key("idempotent-replay"), "{}: {answer:?}", theirs.name);
    }
    check_ledger(&bank).await;
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn changed_step_of_an_authorisation_is_no_replay(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let bank = TestBank::start(Database::new(engine)).await;
    let tpp = tpp(&bank, JONAS);
    let same = tpp.clone().without("x-Request-ID").with("x-Request-ID", KEY);
    let path = initiate(&tpp, INTERNAL, &order(&bank, "1.00")).await;
    let started = tpp.post(&format!("{path}/authorisations"), &json!({})).await;
    let own = format!("{path}/authorisations/{}", started.text("/authorisationId"));
    let password = json!({ "psuData": { "password": psu(&bank, JONAS)["password"] } });
    assert_eq!(same.put(&own, &password).await.status, 200);
    assert_eq!(same.put(&own, &password).await.headers["idempotent-replay"], "true");
    for other in [
        json!({ "psuData": { "password": "another" } }),
        json!({ "scaAuthenticationData": bank.sandbox_file["otp"] }),
        json!({ "authenticationMethodId": psu(&bank, JONAS)["methods"][0]["id"] }),
    ] {
        let refused = same.put(&own, &other).await;
        assert_eq!(refused.status, 400, "{refused:?}");
        assert!(refused.text("/tppMessages/0/text").contains("different request"), "{refused:?}");
    }
    assert_eq!(code(&bank, &tpp, &own).await.text("/scaStatus"), "finalised");
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn request_under_another_consent_is_no_replay(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let bank = TestBank::start(Database::new(engine)).await;
    let tpp = tpp(&bank, JONAS);
    let account = json!({ "iban": iban(&bank, JONAS, 0), "currency": "EUR" });
    let (mut consents, place) = (Vec::new(), "/v2/consents/confirmation-of-funds");
    for _ in 0..2 {
        let id = tpp.post(place, &json!({ "account": account })).await.text("/consentId").to_owned();
        bank.pass(TimeDelta::seconds(31)).await;
        bank.authorise(&tpp, &format!("{place}/{id}"), psu(&bank, JONAS)).await;
        consents.push(id);
    }
    let write = Write {
        name: "funds confirmation",
        caller: bank.tpp(0).without("x-Request-ID").with("x-Request-ID", KEY).with("consentID", &consents[0]),
        method: Method::POST,
        path: "/v1/funds-confirmations".to_owned(),
        body: Some(
            json!({ "account": account, "instructedAmount": { "currency": "EUR", "Amount": "1.00" } }),
        ),
        headers: vec![("consentID", consents[1].clone())],
    };
    assert_everything_counts(&bank, &write, "").await;
}

async fn bought(bank: &TestBank, number: u128) -> Bought {
    let (bought, mut browser) = (basket(bank, number, "120.3").await, bank.browser());
    proven(bank, &mut browser, &bought, &format!("+3069000000{}", 40 + number)).await;
    assert_eq!(agree(&mut browser, &bought, 3).await.title(), "Bought");
    bought
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn changed_request_of_a_merchant_is_no_replay(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let bank = TestBank::start(Database::new(engine)).await;
    let id = |number: u128| Uuid::from_u128(number).to_string();
    let (first, second) = (bought(&bank, 2).await, bought(&bank, 3).await);
    let write = |name, path: &str, body| Write {
        name,
        caller: bank.merchant(0),
        method: Method::POST,
        path: path.to_owned(),
        body: Some(body),
        headers: Vec::new(),
    };
    let created = json!({
        "basketValue": 90, "requestId": id(101), "orderIdentifier": "order-101",
        "basketProducts": [{ "name": "Lamp", "quantity": 1, "Unit Price": 90, "Total Amount": 90 }],
    });
    let refund = json!({ "basketId": first.public, "requestId": id(102), "amount": 10 });
    let void = json!({ "basketId": basket(&bank, 9, "50").await.public, "requestId": id(103) });
    for write in [
        write("basket", "/createbasket", created),
        write("refund", "/loans/bnpl/refund", refund.clone()),
        write("void", "/basket/void", void.clone()),
    ] {
        assert_everything_counts(&bank, &write, "").await;
    }
    for (path, body) in [("/loans/bnpl/refund", refund), ("/basket/void", void)] {
        let other = changed(body, "/basketId", json!(second.public));
        let answer = bank.merchant(0).post(path, &other).await;
        assert_eq!((answer.status, answer.text("/errors/0/field")), (400, "requestId"), "{path}: {answer:?}");
    }
    check_ledger(&bank).await;
}
