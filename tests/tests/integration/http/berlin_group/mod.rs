//! The Berlin Group's dialect over HTTP: its callers, flows, values and refusals, and objects that both dialects show.

mod access_option;
pub mod account_information;
mod batch_booking;
pub mod bulk_payment;
mod bulk_payment_outcome;
mod bulk_repayment;
mod caller;
mod camt;
mod consent;
mod delta_list;
mod funds;
mod instant_message;
pub mod instant_payment;
mod notification;
pub mod pain;
mod pain_refusal;
mod pain_status;
mod payment;
mod payment_replay;
mod refusal;
mod refusal_state;
mod schema;
pub mod signing_basket;
mod signing_basket_creation;
mod standard;
mod standard_code;
mod tolerance;
mod unnamed_customer;
mod used_consent;

use serde_json::{Value, json};
use trapeza_testkit::{ApiClient, ApiResponse, TestBank};

const BASE: &str = "/berlin-group";

/// A client of the dialect for a customer: it sends no credentials of its own.
pub(crate) fn client(bank: &TestBank, psu: usize) -> ApiClient {
    checked(bank.anonymous()).with_request_id().with("PSU-ID", login(bank, psu))
}

/// A client whose answers are checked against the schemas of the document.
fn checked(client: ApiClient) -> ApiClient {
    client.observed_by(std::sync::Arc::new(schema::check))
}

fn psu(bank: &TestBank, number: usize) -> &Value {
    &bank.sandbox_file["psus"][number]
}

fn login(bank: &TestBank, number: usize) -> &str {
    psu(bank, number)["psu_id"].as_str().expect("a user name")
}

pub fn iban(bank: &TestBank, number: usize) -> &str {
    psu(bank, number)["accounts"][0]["iban"].as_str().expect("an IBAN")
}

pub(crate) fn path(rest: &str) -> String {
    format!("{BASE}{rest}")
}

/// The path of a link.
pub(crate) fn link(bank: &TestBank, answer: &ApiResponse, name: &str) -> String {
    let href = answer.text(&format!("/_links/{name}/href"));
    let path = href.strip_prefix(bank.base_url.as_str());
    path.unwrap_or_else(|| panic!("{href} is not absolute")).to_owned()
}

/// The names of the links of an answer, sorted.
fn links(answer: &ApiResponse) -> Vec<String> {
    let links = answer.body["_links"].as_object().cloned().unwrap_or_default();
    let mut names: Vec<String> = links.keys().cloned().collect();
    names.sort();
    names
}

/// Status and code of a refusal.
fn refusal(answer: &ApiResponse) -> (u16, String) {
    let code = answer.body.pointer("/tppMessages/0/code").and_then(Value::as_str).unwrap_or_default();
    (answer.status, code.to_owned())
}

pub(crate) fn consent_order(access: Value) -> Value {
    json!({ "access": access, "recurringIndicator": true, "validUntil": "9999-12-31", "frequencyPerDay": 4 })
}

/// Follows the links of the embedded approach to the end; `started` is the answer that shows the authorisation.
pub(crate) async fn authorise_embedded(
    bank: &TestBank,
    tpp: &ApiClient,
    started: &ApiResponse,
    number: usize,
) -> ApiResponse {
    let password = json!({ "psuData": { "password": psu(bank, number)["password"] } });
    let own = link(bank, started, "updatePsuAuthentication");
    let mut answer = tpp.put(&own, &password).await;
    assert_eq!(answer.status, 200, "{answer:?}");
    if links(&answer).iter().any(|name| name == "selectAuthenticationMethod") {
        let methods = answer.body["scaMethods"].as_array().expect("methods").clone();
        let typed = methods.iter().find(|method| method["authenticationType"] != "PUSH_OTP");
        let method = &typed.expect("a method with a code")["authenticationMethodId"];
        answer = tpp.put(&own, &json!({ "authenticationMethodId": method })).await;
    }
    assert_eq!(links(&answer), ["authoriseTransaction", "scaStatus"], "{answer:?}");
    let last = link(bank, &answer, "authoriseTransaction");
    let answer = tpp.put(&last, &json!({ "scaAuthenticationData": bank.sandbox_file["otp"] })).await;
    assert_eq!((answer.status, answer.text("/scaStatus")), (200, "finalised"), "{answer:?}");
    answer
}

/// Starts the authorisation of a new object by a request of its own, and follows it to the end.
pub(crate) async fn authorise(
    bank: &TestBank,
    tpp: &ApiClient,
    created: &ApiResponse,
    number: usize,
) -> ApiResponse {
    assert_eq!(created.status, 201, "{created:?}");
    let start = format!("{}/authorisations", link(bank, created, "self"));
    let started = tpp.post(&start, &json!({})).await;
    assert_eq!((started.status, started.text("/scaStatus")), (201, "psuIdentified"), "{started:?}");
    authorise_embedded(bank, tpp, &started, number).await
}

/// A client with a valid consent to everything of a customer.
pub(crate) async fn consented_client(bank: &TestBank, number: usize) -> ApiClient {
    let tpp = client(bank, number);
    let explicit = tpp.clone().with("TPP-Explicit-Authorisation-Preferred", "true");
    let created =
        explicit.post(&path("/v1/consents"), &consent_order(json!({ "allPsd2": "allAccounts" }))).await;
    authorise(bank, &tpp, &created, number).await;
    let consent = created.text("/consentId").to_owned();
    tpp.with("Consent-ID", &consent).with("PSU-IP-Address", "2001:db8::7")
}
