//! Who may do what, for every operation of the served document: an operation that these tables do not know fails here,
//! and so cannot be forgotten.

use reqwest::Method;
use rstest::rstest;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use trapeza_testkit::database::{Database, Engine};
use trapeza_testkit::{ApiClient, ApiResponse, TestBank};

const KEY: &str = "Ocp-Apim-Subscription-Key";
const UNKNOWN_ID: &str = "00000000-0000-4000-8000-000000000000";

fn text(value: &Value) -> &str {
    value.as_str().unwrap()
}

/// An operation as the document describes it.
pub(crate) struct Described {
    pub(crate) id: String,
    pub(crate) method: Method,
    path: String,
    parameters: Vec<(String, String)>,
    pub(crate) body: Option<Value>,
}

impl Described {
    fn has(&self, place: &str, name: &str) -> bool {
        self.parameters.iter().any(|(known_place, known)| known_place == place && known == name)
    }

    fn is_for_tpps(&self) -> bool {
        self.has("header", "Certificate")
    }

    pub(crate) fn is_for_merchants(&self) -> bool {
        self.has("header", "X-Application-ID") && !self.has("header", "ClientId")
    }

    /// The path with ids in it, and what a query needs.
    pub(crate) fn at(&self, ids: &BTreeMap<&str, String>) -> String {
        let mut path = self.path.clone();
        for (place, name) in &self.parameters {
            if place == "path" {
                let id = ids.get(name.as_str()).unwrap_or_else(|| panic!("{}: no id for {name}", self.id));
                path = path.replace(&format!("{{{name}}}"), id);
            }
        }
        let wanted = [
            ("dateFrom", "2035-03-01"),
            ("basketId", ids.get("basketId").map_or(UNKNOWN_ID, String::as_str)),
        ];
        let query: Vec<String> = wanted
            .iter()
            .filter(|(name, _)| self.has("query", name))
            .map(|(name, value)| format!("{name}={value}"))
            .collect();
        if query.is_empty() { path } else { format!("{path}?{}", query.join("&")) }
    }

    async fn call(&self, caller: &ApiClient, path: &str) -> ApiResponse {
        let body = self.body.as_ref().map(|body| body.to_string().into_bytes());
        caller.send(self.method.clone(), path, body).await
    }
}

pub(crate) async fn described(bank: &TestBank) -> Vec<Described> {
    let document = bank.anonymous().get("/openapi.json").await.body;
    let mut all = Vec::new();
    for (path, methods) in document["paths"].as_object().unwrap() {
        for (method, operation) in methods.as_object().unwrap() {
            let parameters = operation["parameters"].as_array().unwrap().iter().map(|reference| {
                let pointer = text(&reference["$ref"]).trim_start_matches('#').to_owned();
                let parameter = document.pointer(&pointer).unwrap();
                (text(&parameter["in"]).to_owned(), text(&parameter["name"]).to_owned())
            });
            all.push(Described {
                id: text(&operation["operationId"]).to_owned(),
                method: method.to_uppercase().parse().unwrap(),
                path: path.clone(),
                parameters: parameters.collect(),
                body: operation.pointer("/requestBody/content/application~1json/example").cloned(),
            });
        }
    }
    all
}

/// What the first third party has made: ids by the name of their path parameter.
pub(crate) struct Owned {
    pub(crate) ids: BTreeMap<&'static str, String>,
    pub(crate) valid: String,
    waiting: String,
    given_back: String,
}

pub(crate) async fn own(bank: &TestBank) -> Owned {
    let psu = bank.sandbox_file["psus"][0].clone();
    let tpp = bank.tpp(0).with("PSU_ID", text(&psu["psu_id"]));
    let order = json!({
        "access": { "allPsd2": "allAccounts" }, "recurringIndicator": true,
        "validUntil": "2099-12-31", "frequencyPerDay": 4,
    });
    let mut consents = Vec::new();
    for _ in 0..3 {
        consents.push(tpp.post("/v1/consents", &order).await.text("/consentId").to_owned());
    }
    let [given_back, valid, waiting] = consents.try_into().unwrap();
    assert_eq!(tpp.delete(&format!("/v1/consents/{given_back}")).await.status, 204);
    bank.authorise(&tpp, &format!("/v1/consents/{valid}"), &psu).await;
    let started = tpp.post(&format!("/v1/consents/{waiting}/authorisations"), &json!({})).await;
    let reader = bank.tpp(0).with("consentID", &valid).with("pSUIPAddress", "192.0.2.1");
    let account = reader.get("/v1/accounts").await.text("/accounts/0/resourceId").to_owned();
    let page = reader.get(&format!("/v1/accounts/{account}/transactions?dateFrom=2035-01-01")).await;
    let card = reader.get("/v1/cards").await.text("/cards/0/resourceId").to_owned();
    let payment = json!({
        "debtorAccount": { "iban": psu["accounts"][0]["iban"] },
        "instructedAmount": { "currency": "EUR", "Amount": "1.00" },
        "creditorAccount": { "iban": bank.sandbox_file["psus"][1]["accounts"][0]["iban"] },
        "creditorName": bank.sandbox_file["psus"][1]["name"],
    });
    let payment =
        tpp.clone().with("pSUIPAddress", "192.0.2.1").post("/v1/payments/internal-transfers", &payment).await;
    let payment = payment.text("/paymentId").to_owned();
    let ids = BTreeMap::from([
        ("consentId", waiting.clone()),
        ("authorisationId", started.text("/authorisationId").to_owned()),
        ("account-id", account),
        ("transactionId", page.text("/transactions/booked/0/transactionId").to_owned()),
        ("card-id", card),
        ("payment-service", "payments".to_owned()),
        ("payment-product", "internal-transfers".to_owned()),
        ("paymentId", payment),
        ("applicationId", text(&bank.sandbox_file["merchants"][0]["application_id"]).to_owned()),
        ("page", "consents".to_owned()),
    ]);
    Owned { ids, valid, waiting, given_back }
}

fn name(answer: &ApiResponse) -> String {
    let text = answer.body.pointer("/tppMessages/0/text").and_then(Value::as_str).unwrap_or_default();
    text.split(':').next().unwrap_or_default().to_owned()
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn every_operation_refuses_wrong_callers(#[values(Engine::Sqlite, Engine::Postgres)] engine: Engine) {
    let database = Database::new(engine);
    let bank = TestBank::start(database).await;
    let owned = own(&bank).await;
    let faulty = &bank.sandbox_file["tpps"][0]["faulty"];
    for operation in described(&bank).await {
        let path = operation.at(&owned.ids);
        if operation.is_for_tpps() {
            let good = || bank.tpp(0).with("PSU_ID", "customer").with("consentID", &owned.valid);
            let other = bank.sandbox_file["tpps"][1].clone();
            let cells = [
                ("no key", good().without(KEY), "CERTIFICATE_INVALID"),
                ("wrong key", good().with(KEY, "wrong"), "CERTIFICATE_INVALID"),
                ("another's key", good().with(KEY, text(&other["subscription_key"])), "CERTIFICATE_INVALID"),
                ("no client", good().without("ClientId"), "CERTIFICATE_INVALID"),
                ("no certificate", good().without("Certificate"), "CERTIFICATE_MISSING"),
                (
                    "another's certificate",
                    good().with("Certificate", text(&other["certificate"])),
                    "CERTIFICATE_INVALID",
                ),
                ("no role", good().with("Certificate", text(&faulty["no_role"])), "CERTIFICATE_INVALID"),
                ("expired", good().with("Certificate", text(&faulty["expired"])), "CERTIFICATE_EXPIRED"),
                ("blocked", good().with("Certificate", text(&faulty["blocked"])), "CERTIFICATE_BLOCKED"),
                ("revoked", good().with("Certificate", text(&faulty["revoked"])), "CERTIFICATE_REVOKE"),
            ];
            for (cell, caller, expected) in cells {
                let answer = operation.call(&caller, &path).await;
                assert_eq!(
                    (answer.status, name(&answer)),
                    (401, expected.to_owned()),
                    "{}: {cell}",
                    operation.id
                );
            }
        } else if operation.is_for_merchants() {
            // §7: an application that is not known is a wrong parameter, and only for this operation not found.
            let unknown = if operation.id == "getBasket" { 404 } else { 400 };
            for (cell, caller, expected) in [
                ("no key", bank.merchant(0).without(KEY), 401),
                ("wrong key", bank.merchant(0).with(KEY, "wrong"), 401),
                ("no application", bank.merchant(0).without("X-Application-ID"), unknown),
                (
                    "another's application",
                    bank.merchant(0)
                        .with("X-Application-ID", text(&bank.sandbox_file["merchants"][1]["application_id"])),
                    unknown,
                ),
            ] {
                let answer = operation.call(&caller, &path).await;
                assert_eq!(answer.status, expected, "{}: {cell}: {answer:?}", operation.id);
            }
        } else {
            let open = [
                "livez",
                "readyz",
                "metrics",
                "openapi",
                "docs",
                "docsPage",
                "getClock",
                "advanceClock",
                "listMessages",
                "changeApplication",
                "listOutcomes",
                "listCustomers",
                "createCustomer",
                "createAccount",
                "createCard",
                "createTransaction",
                "listSandboxTransactions",
                "exportBank",
                "importBank",
                "resetBank",
            ];
            assert!(open.contains(&operation.id.as_str()), "{}: who may call it?", operation.id);
        }
    }
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn objects_of_others_answer_as_unknown(#[values(Engine::Sqlite, Engine::Postgres)] engine: Engine) {
    let database = Database::new(engine);
    let bank = TestBank::start(database).await;
    let owned = own(&bank).await;
    let nothing: BTreeMap<&str, String> = owned
        .ids
        .iter()
        .map(|(name, own)| {
            // A service and a product have no owner.
            let shared = name.starts_with("payment-");
            (*name, if shared { own.clone() } else { UNKNOWN_ID.to_owned() })
        })
        .collect();
    // The other third party has a valid consent of another customer, so that only the object is not its own.
    let psu = bank.sandbox_file["psus"][1].clone();
    let other = bank.tpp(1).with("PSU_ID", text(&psu["psu_id"]));
    let order = json!({ "access": { "allPsd2": "allAccounts" }, "recurringIndicator": true, "validUntil": "2099-12-31", "frequencyPerDay": 4 });
    let theirs = other.post("/v1/consents", &order).await.text("/consentId").to_owned();
    bank.authorise(&other, &format!("/v1/consents/{theirs}"), &psu).await;
    let other = other.with("consentID", &theirs).with("pSUIPAddress", "192.0.2.2");
    for operation in described(&bank).await.iter().filter(|one| one.is_for_tpps()) {
        let object = |(place, name): &(String, String)| place == "path" && !name.starts_with("payment-");
        if !operation.parameters.iter().any(object) {
            continue;
        }
        let foreign = operation.call(&other, &operation.at(&owned.ids)).await;
        let missing = operation.call(&other, &operation.at(&nothing)).await;
        assert!(matches!(foreign.status, 403 | 404), "{}: {foreign:?}", operation.id);
        assert_eq!((foreign.status, foreign.body), (missing.status, missing.body), "{}", operation.id);
    }
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn read_requires_a_valid_consent(#[values(Engine::Sqlite, Engine::Postgres)] engine: Engine) {
    let database = Database::new(engine);
    let bank = TestBank::start(database).await;
    let owned = own(&bank).await;
    let reads: Vec<Described> = described(&bank)
        .await
        .into_iter()
        .filter(|one| one.is_for_tpps() && one.method == Method::GET && one.has("header", "consentID"))
        .collect();
    assert!(reads.len() >= 9, "the reads of accounts and cards");
    for operation in reads {
        let path = operation.at(&owned.ids);
        let cells = [
            ("none", bank.tpp(0), 400, "FORMAT_ERROR"),
            ("unknown", bank.tpp(0).with("consentID", UNKNOWN_ID), 403, "CONSENT_UNKNOWN"),
            ("another party's", bank.tpp(1).with("consentID", &owned.valid), 403, "CONSENT_UNKNOWN"),
            ("waiting", bank.tpp(0).with("consentID", &owned.waiting), 401, "CONSENT_INVALID"),
            ("given back", bank.tpp(0).with("consentID", &owned.given_back), 401, "CONSENT_INVALID"),
        ];
        for (cell, caller, status, expected) in cells {
            let answer = operation.call(&caller.with("pSUIPAddress", "192.0.2.1"), &path).await;
            assert_eq!(
                (answer.status, name(&answer)),
                (status, expected.to_owned()),
                "{}: {cell}",
                operation.id
            );
        }
        let good = bank.tpp(0).with("consentID", &owned.valid).with("pSUIPAddress", "192.0.2.1");
        assert_eq!(operation.call(&good, &path).await.status, 200, "{}", operation.id);
    }
    bank.advance("P181D").await;
    let late = bank.tpp(0).with("consentID", &owned.valid).get("/v1/accounts").await;
    assert_eq!((late.status, name(&late)), (401, "CONSENT_EXPIRED".to_owned()));
}
