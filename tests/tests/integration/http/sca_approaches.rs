//! The three ways to the end, each from the creation of a consent to its being valid and given back, for both kinds of
//! consent, with the third party's whole answers: on its own screen, on our page, in the bank's app.

use super::clearing::away;
use super::page_forms::enrol;
use super::payment::{JONAS, SEPA, initiate, psu, text, tpp};
use rstest::rstest;
use serde_json::{Value, json};
use trapeza_domain::time::TimeDelta;
use trapeza_testkit::database::{Database, Engine};
use trapeza_testkit::{ApiClient, ApiResponse, Page, TestBank, Transcript};

#[derive(Clone, Copy)]
enum Kind {
    Access,
    Funds,
}

impl Kind {
    fn order(self, iban: &Value) -> (&'static str, Value) {
        match self {
            Self::Access => {
                let access = json!({ "balances": [{ "iban": iban }] });
                let order = json!({
                    "access": access, "recurringIndicator": true,
                    "validUntil": "2035-06-30", "frequencyPerDay": 4,
                });
                ("/v1/consents", order)
            }
            Self::Funds => {
                let order = json!({ "account": { "iban": iban, "currency": "EUR" } });
                ("/v2/consents/confirmation-of-funds", order)
            }
        }
    }
}

/// A consent that waits: its third party and its path.
async fn ask(bank: &TestBank, kind: Kind, transcript: &mut Transcript) -> (ApiClient, String) {
    let psu = &bank.sandbox_file["psus"][0];
    let tpp = bank.tpp(0).with("PSU_ID", psu["psu_id"].as_str().unwrap());
    let (path, order) = kind.order(&psu["accounts"][0]["iban"]);
    let created = tpp.post(path, &order).await;
    transcript.push("create", &created);
    let path = format!("{path}/{}", created.text("/consentId"));
    (tpp, path)
}

/// Ends the scenario: reads the authorisation and the consent, and deletes the consent.
async fn end(tpp: &ApiClient, path: &str, started: &ApiResponse, transcript: &mut Transcript) {
    let own = format!("{path}/authorisations/{}", started.text("/authorisationId"));
    let status = tpp.get(&own).await;
    assert_eq!(status.body["scaStatus"], 5, "{status:?}");
    transcript.push("authorisation", &status);
    let fetched = tpp.get(path).await;
    assert_eq!(fetched.body["consentStatus"], 2, "{fetched:?}");
    transcript.push("consent", &fetched);
    transcript.push("give back", &tpp.delete(path).await);
    transcript.push("consent at the end", &tpp.get(path).await);
}

async fn embedded(bank: &TestBank, kind: Kind) -> String {
    let mut transcript = Transcript::default();
    let psu = &bank.sandbox_file["psus"][0];
    let (tpp, path) = ask(bank, kind, &mut transcript).await;
    let started = tpp.post(&format!("{path}/authorisations"), &json!({})).await;
    transcript.push("start", &started);
    let own = format!("{path}/authorisations/{}", started.text("/authorisationId"));
    // By the card reader: its digits are in the answer.
    let chip = psu["methods"].as_array().unwrap().iter().find(|method| method["type"] == "CHIPOTP").unwrap();
    transcript.push("password", &tpp.put(&own, &json!({ "psuData": { "password": psu["password"] } })).await);
    let chosen = tpp.put(&own, &json!({ "authenticationMethodId": chip["id"] })).await;
    assert_eq!(chosen.text("/challengeData/data/0").len(), 8, "{chosen:?}");
    let last = tpp.put(&own, &json!({ "scaAuthenticationData": bank.sandbox_file["otp"] })).await;
    transcript.push("code", &last);
    end(&tpp, &path, &started, &mut transcript).await;
    transcript.text()
}

async fn redirect(bank: &TestBank, kind: Kind) -> String {
    let mut transcript = Transcript::default();
    let psu = &bank.sandbox_file["psus"][0];
    let back = bank.sandbox_file["tpps"][0]["redirect_uris"][0].as_str().unwrap();
    let (tpp, path) = ask(bank, kind, &mut transcript).await;
    let starter = tpp.clone().with("TPP-Redirect-Preferred", "true").with("TPP-Redirect-URI", back);
    let started = starter.post(&format!("{path}/authorisations"), &json!({})).await;
    transcript.push("start", &started);
    let mut browser = bank.browser();
    let page = browser.get(started.text("/_links/scaRedirect/href")).await;
    let page = browser.send(&page, &[("step", "open")]).await;
    let password = psu["password"].as_str().unwrap();
    let page = browser.send(&page, &[("step", "password"), ("password", password)]).await;
    let sms = psu["methods"][0]["id"].as_str().unwrap();
    let page = browser.send(&page, &[("step", "method"), ("method", sms)]).await;
    let page = browser.send(&page, &[("step", "code"), ("code", "123456")]).await;
    assert_eq!(page.title(), "Approved");
    assert!(page.says(back), "the way back");
    end(&tpp, &path, &started, &mut transcript).await;
    transcript.text()
}

async fn decoupled(bank: &TestBank, kind: Kind) -> String {
    let mut transcript = Transcript::default();
    let (tpp, path) = ask(bank, kind, &mut transcript).await;
    let starter = tpp.clone().with("TPP-Decoupled-Preferred", "true");
    let started = starter.post(&format!("{path}/authorisations"), &json!({})).await;
    assert_eq!(started.text("/scaStatus"), "started", "{started:?}");
    let number = started.text("/challengeData/data/0").to_owned();
    let mut browser = bank.browser();
    let questions = enrol(bank, &mut browser, 0).await;
    let question = questions.attribute("name=\"question\" value=\"");
    let fields = [("step", "approve"), ("question", question.as_str()), ("number", &number)];
    let done = browser.send(&questions, &fields).await;
    assert!(done.says("Approved."), "{}", done.title());
    end(&tpp, &path, &started, &mut transcript).await;
    transcript.text()
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn embedded_approach_authorises(#[values(Engine::Sqlite, Engine::Postgres)] engine: Engine) {
    let database = Database::new(engine);
    let bank = TestBank::start(database).await;
    insta::assert_snapshot!("embedded_access", embedded(&bank, Kind::Access).await);
    insta::assert_snapshot!("embedded_funds", embedded(&bank, Kind::Funds).await);
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn redirect_approach_authorises(#[values(Engine::Sqlite, Engine::Postgres)] engine: Engine) {
    let database = Database::new(engine);
    let bank = TestBank::start(database).await;
    insta::assert_snapshot!("redirect_access", redirect(&bank, Kind::Access).await);
    insta::assert_snapshot!("redirect_funds", redirect(&bank, Kind::Funds).await);
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn decoupled_approach_authorises(#[values(Engine::Sqlite, Engine::Postgres)] engine: Engine) {
    let database = Database::new(engine);
    let bank = TestBank::start(database).await;
    insta::assert_snapshot!("decoupled_access", decoupled(&bank, Kind::Access).await);
    insta::assert_snapshot!("decoupled_funds", decoupled(&bank, Kind::Funds).await);
}

/// Opens the page of a new authorisation of Jonas and approves there.
async fn approve_on_page(bank: &TestBank, tpp: &ApiClient, authorisations: &str) -> Page {
    let back = text(&bank.sandbox_file["tpps"][0]["redirect_uris"][0]);
    let starter = tpp.clone().with("TPP-Redirect-Preferred", "true").with("TPP-Redirect-URI", back);
    let started = starter.post(authorisations, &json!({})).await;
    let mut browser = bank.browser();
    let page = browser.get(started.text("/_links/scaRedirect/href")).await;
    let page = browser.send(&page, &[("step", "open")]).await;
    let password = text(&psu(bank, JONAS)["password"]);
    let page = browser.send(&page, &[("step", "password"), ("password", password)]).await;
    browser.send(&page, &[("step", "code"), ("code", text(&bank.sandbox_file["otp"]))]).await
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn page_of_a_payment_ends_with_what_has_become_of_it(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let bank = TestBank::start(Database::new(engine)).await;
    let tpp = tpp(&bank, JONAS);
    let paid = initiate(&tpp, SEPA, &away(&bank, "Maria Ioannou")).await;
    let end = approve_on_page(&bank, &tpp, &format!("{paid}/authorisations")).await;
    assert!(end.title() == "Approved" && end.says("payment"), "{end:?}");
    assert_eq!(tpp.get(&paid).await.text("/transactionStatus"), "ACCP");

    assert_eq!(tpp.delete(&paid).await.text("/transactionStatus"), "RECEIVED");
    bank.pass(TimeDelta::seconds(31)).await;
    let end = approve_on_page(&bank, &tpp, &format!("{paid}/cancellation-authorisations")).await;
    assert!(end.title() == "Approved" && end.says("cancelled"), "{end:?}");
    assert_eq!(tpp.get(&paid).await.text("/transactionStatus"), "CANC");

    bank.pass(TimeDelta::seconds(31)).await;
    let mut order = away(&bank, "Maria Ioannou");
    order["instructedAmount"]["Amount"] = json!("99999999.00");
    let unpaid = initiate(&tpp, SEPA, &order).await;
    let end = approve_on_page(&bank, &tpp, &format!("{unpaid}/authorisations")).await;
    assert!(end.status == 200 && end.title() != "Approved", "{end:?}");
    assert_eq!(tpp.get(&unpaid).await.text("/transactionStatus"), "RJCT");
}
