//! Planted secrets through every operation of both dialects, header and field, and through payments, clearing and the pages; then a search
//! of log, metrics and traces. A response to a wrong request is never a 5xx, and never repeats a credential.

use super::{CREDENTIAL, Collector, Operation, PLANTED, Secrets, metrics, operations};
use crate::http::payment::{JONAS, text};
use crate::process::clearing_cluster::authorised;
use serde_json::{Value, json};
use trapeza_testkit::process::ServerProcess;
use trapeza_testkit::{ApiClient, ApiResponse, Browser};

/// Headers in which a caller may send something secret.
const HEADERS: [&str; 7] = [
    "x-Request-ID",
    "TPP-Redirect-URI",
    "TPP-Notification-URI",
    "User-Agent",
    "Referer",
    "traceparent",
    "tracestate",
];
/// The same in one dialect only. The bank's own also has the names of the other one, and refuses a header that is sent by both.
const NATIVE_HEADERS: [&str; 5] = ["ClientId", "X-Application-ID", "PSU_ID", "consentID", "pSUIPAddress"];
const DIALECT_HEADERS: [&str; 3] = ["PSU-ID", "Consent-ID", "PSU-IP-Address"];

/// Headers that are credentials, with what is before the planted one.
const CREDENTIAL_HEADERS: [(&str, &str); 10] = [
    ("Certificate", ""),
    ("Client-Cert", ":"),
    ("TPP-QWAC-Certificate", ""),
    ("TPP-Signature-Certificate", ""),
    ("Signature", "keyId="),
    ("Ocp-Apim-Subscription-Key", ""),
    ("Authorization", "Bearer "),
    ("Proxy-Authorization", "Basic "),
    ("Cookie", "trapeza-app="),
    ("PSU-Authorization", ""),
];

/// The body with every text replaced.
fn planted(value: &Value) -> Value {
    match value {
        Value::String(_) => json!(PLANTED),
        Value::Array(items) => items.iter().map(planted).collect(),
        Value::Object(members) => {
            members.iter().map(|(name, member)| (name.clone(), planted(member))).collect()
        }
        other => other.clone(),
    }
}

/// Bodies with a credential in every member for one, in the right form and in wrong ones, and bodies that are not JSON.
fn credential_bodies() -> Vec<Vec<u8>> {
    let members = |value: Value| {
        let psu = json!({ "password": value, "encryptedPassword": value, "additionalPassword": value });
        json!({
            "psuData": psu, "password": value, "scaAuthenticationData": value, "otp": value, "code": value,
        })
    };
    let values = [json!(CREDENTIAL), json!([CREDENTIAL]), json!({ "value": CREDENTIAL })];
    let mut bodies: Vec<Vec<u8>> =
        values.into_iter().map(|value| members(value).to_string().into()).collect();
    bodies.extend(
        [
            json!({ "psuData": CREDENTIAL }).to_string(),
            format!("{{\"scaAuthenticationData\":\"{CREDENTIAL}"),
            format!("{{\"scaAuthenticationData\":{CREDENTIAL}}}"),
            format!("{{\"password\":\"{CREDENTIAL}\",\"password\":\"{CREDENTIAL}\"}}"),
            format!("password={CREDENTIAL}&code={CREDENTIAL}"),
            json!(CREDENTIAL).to_string(),
        ]
        .map(String::into_bytes),
    );
    bodies.push([CREDENTIAL.as_bytes(), b"\xff"].concat());
    bodies
}

/// The path with something planted in each of its parameters.
fn filled(operation: &Operation) -> String {
    let part = |part| if str::starts_with(part, '{') { PLANTED } else { part };
    operation.path.split('/').map(part).collect::<Vec<_>>().join("/")
}

/// The right caller of an operation.
fn caller(program: &ServerProcess, operation: &Operation, psu_id: &str) -> ApiClient {
    if operation.is_dialect() {
        let client = program.anonymous().with_request_id();
        return client.with("PSU-ID", psu_id).with("PSU-IP-Address", "192.0.2.1");
    }
    let client = if operation.is_for_tpps() { program.tpp(0) } else { program.merchant(0) };
    client.with("PSU_ID", psu_id).with("pSUIPAddress", "192.0.2.1")
}

/// Sends the operation with everything planted in it that it may contain. Returns how many requests that were.
async fn plant(program: &ServerProcess, operation: &Operation, psu_id: &str) -> usize {
    let (caller, path, method) = (caller(program, operation, psu_id), filled(operation), &operation.method);
    let send = async |caller: &ApiClient, path: &str, body: Option<Vec<u8>>| {
        caller.send(method.clone(), path, body).await
    };
    let bytes = |body: &Value| body.to_string().into_bytes();
    let body = operation.body.as_ref().map(bytes);
    let mut answers = vec![
        send(&caller, &format!("{path}?code={CREDENTIAL}&{CREDENTIAL}"), body.clone()).await,
        send(&caller, &path, operation.body.as_ref().map(|body| bytes(&planted(body)))).await,
    ];
    let own = if operation.is_dialect() { &DIALECT_HEADERS[..] } else { &NATIVE_HEADERS };
    for header in HEADERS.iter().chain(own) {
        let changed = caller.clone().without(header).with(header, PLANTED);
        answers.push(send(&changed, &path, body.clone()).await);
    }
    for (header, before) in CREDENTIAL_HEADERS {
        let changed = caller.clone().with(header, &format!("{before}{CREDENTIAL}"));
        answers.push(send(&changed, &path, body.clone()).await);
    }
    if operation.body.is_some() {
        for body in credential_bodies() {
            answers.push(send(&caller, &path, Some(body)).await);
        }
    }
    for answer in &answers {
        check(operation, answer);
    }
    answers.len()
}

fn check(operation: &Operation, answer: &ApiResponse) {
    // The specification has 500 for a basket that is not there.
    let is_documented = operation.name == "getBasket" && answer.status == 500;
    assert!(answer.status < 500 || is_documented, "{}: {answer:?}", operation.name);
    let whole = format!("{answer:?}");
    assert!(!whole.contains(CREDENTIAL), "{}: a credential is repeated: {whole}", operation.name);
}

/// Sends forms with planted fields; the page's token comes from the page. Returns how many requests that were.
async fn plant_in_pages(program: &ServerProcess, psu: &Value) -> usize {
    let (psu_id, password) = (text(&psu["psu_id"]), text(&psu["password"]));
    let order = json!({
        "basketValue": 90, "requestId": "00000000-0000-4000-8000-000000000001", "orderIdentifier": PLANTED,
    });
    let basket = program.merchant(0).post("/createbasket", &order).await;
    let checkout = format!("/checkout/{}", basket.text("/publicBasketId"));
    let sign_in = |user, password| vec![("step", "sign-in"), ("user", user), ("password", password)];
    let forms = [
        ("/app", sign_in(PLANTED, CREDENTIAL)),
        ("/app", sign_in(psu_id, CREDENTIAL)),
        ("/app", sign_in(psu_id, password)),
        // With the key of the browser, and with one that is none.
        ("/app", vec![("step", "code"), ("code", CREDENTIAL)]),
        ("/app", vec![("step", "code"), ("code", CREDENTIAL), ("key", CREDENTIAL)]),
        ("/portal/sign-up", vec![("name", PLANTED), ("email", PLANTED), ("password", CREDENTIAL)]),
        ("/portal/sign-in", vec![("email", PLANTED), ("password", CREDENTIAL), ("code", CREDENTIAL)]),
        ("/console/sign-in", vec![("email", PLANTED), ("password", CREDENTIAL), ("code", CREDENTIAL)]),
        ("/loan", vec![("step", "find"), ("reference", PLANTED)]),
        (&checkout, vec![("step", "open")]),
        (&checkout, vec![("step", "phone"), ("phone", PLANTED)]),
        (&checkout, vec![("step", "phone"), ("phone", "+306900000042")]),
        (&checkout, vec![("step", "code"), ("code", CREDENTIAL)]),
    ];
    let (mut browser, mut requests) = (Browser::new(&program.base_url), 0);
    for (page, fields) in &forms {
        let shown = browser.get(page).await;
        let answer = browser.send_only(&shown, fields).await;
        assert!(answer.status < 500, "{page}: {answer:?}");
        let whole = format!("{:?} {}", answer.headers, answer.html);
        assert!(!whole.contains(CREDENTIAL), "{page}: a credential is repeated: {whole}");
        requests += 2;
    }
    // Cookies and tokens that no page has set.
    let mut browser = Browser::new(&program.base_url);
    browser.headers = vec![("authorization", format!("Bearer {CREDENTIAL}"))];
    for name in ["app", "checkout", "loan", "sca", "portal", "console"] {
        // As long as a session token.
        browser.cookies.insert(format!("trapeza-{name}"), format!("{CREDENTIAL:A<43}"));
    }
    for page in [
        "/",
        "/app",
        "/app/pay",
        "/app/accounts/planted-secret",
        "/sca/planted-secret",
        "/portal",
        "/portal/account",
        "/portal/enrol?invitation=planted-secret",
        "/console",
        "/console/enrol?token=planted-secret",
        "/console/search?q=planted-secret",
        "/admin/v1/search?q=planted-secret",
        "/loan/planted-secret",
        "/checkout/planted-secret",
        "/statistics/planted-secret",
        "/planted-secret",
        &checkout,
    ] {
        let shown = browser.get(page).await;
        assert!(shown.status < 500, "{page}: {shown:?}");
        let whole = format!("{:?} {}", shown.headers, shown.html);
        assert!(!whole.contains(CREDENTIAL), "{page}: a credential is repeated: {whole}");
        requests += 1;
    }
    requests
}

#[tokio::test(flavor = "multi_thread")]
async fn planted_secret_is_in_no_log_metric_trace_or_error() {
    let (directory, collector) = (tempfile::tempdir().unwrap(), Collector::start().await);
    let file = directory.path().join("bank.toml");
    std::fs::write(&file, collector.settings()).unwrap();
    let config = ["--config", file.to_str().unwrap()];
    let mut program = ServerProcess::sandbox(&directory.path().join("data"), "", &config).await;
    let psu = program.sandbox_file["psus"][JONAS].clone();
    let (all, mut requests) = (operations(&program).await, 0);
    for operation in &all {
        if !(operation.path.starts_with("/sandbox/reset") || operation.path.starts_with("/sandbox/bank")) {
            requests += plant(&program, operation, text(&psu["psu_id"])).await;
        }
    }
    requests += plant_in_pages(&program, &psu).await;
    // Whole flows with real secrets: password, code, IBAN, names, telephone.
    authorised(&program, "planted-secret payee").await;
    program.anonymous().post("/sandbox/clock", &json!({ "advance": "PT10S" })).await;

    let mut secrets = Secrets::of_sandbox(&program.sandbox_file);
    secrets.add("+306900000042");
    secrets.add_examples(&all);
    let messages = program.anonymous().get("/sandbox/messages").await.body;
    let messages = messages["messages"].as_array().unwrap();
    assert!(!messages.is_empty(), "messages were sent");
    messages.iter().for_each(|message| secrets.add_message(text(&message["text"])));
    secrets.check_metrics(&metrics(&program.base_url).await);
    program.terminate();
    let log = program.log();
    assert!(log.matches("request completed").count() >= requests, "every request is logged");
    secrets.check("log", &log);
    let spans = collector.spans();
    assert!(spans.len() >= requests, "every request has its span: {} of {requests}", spans.len());
    secrets.check("traces", &spans.join("\n"));
    println!("trust: secrets count={requests}");
}
