//! Planted secrets through every operation, header and field, and through payments, clearing, the app, the checkout and the portal; then
//! a search of the log at its finest level and of the metrics. A response to a wrong request is never a 5xx.

use super::clearing_cluster::authorised;
use crate::http::payment::{OTHER_BANK_IBAN, text};
use reqwest::Method;
use serde_json::{Value, json};
use trapeza_testkit::process::ServerProcess;
use trapeza_testkit::{ApiClient, ApiResponse};

const PLANTED: &str = "planted-secret";

/// Headers in which a caller may send something secret.
const HEADERS: [&str; 12] = [
    "Certificate",
    "ClientId",
    "Ocp-Apim-Subscription-Key",
    "X-Application-ID",
    "PSU_ID",
    "consentID",
    "x-Request-ID",
    "TPP-Redirect-URI",
    "Authorization",
    "Cookie",
    "User-Agent",
    "Referer",
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

/// Every operation of the document with its method, path and example.
async fn operations(program: &ServerProcess) -> Vec<(Method, String, Option<Value>)> {
    let document = program.anonymous().get("/openapi.json").await.body;
    let mut all = Vec::new();
    for (path, methods) in document["paths"].as_object().unwrap() {
        for (method, operation) in methods.as_object().unwrap() {
            let body = operation.pointer("/requestBody/content/application~1json/example").cloned();
            all.push((method.to_uppercase().parse().unwrap(), path.clone(), body));
        }
    }
    assert!(all.len() > 30);
    all
}

async fn call(caller: &ApiClient, method: &Method, path: &str, body: Option<&Value>) -> ApiResponse {
    caller.send(method.clone(), path, body.map(|body| body.to_string().into_bytes())).await
}

/// Sends a form of a page with planted fields; the page's token comes from the page.
async fn form(program: &ServerProcess, page: &str, fields: &str) -> u16 {
    let client = reqwest::Client::builder().redirect(reqwest::redirect::Policy::none()).build().unwrap();
    let shown = client.get(format!("{}{page}", program.base_url)).send().await.unwrap();
    let cookie = shown.headers()["set-cookie"].to_str().unwrap().split(';').next().unwrap().to_owned();
    let html = shown.text().await.unwrap();
    let csrf = html.split("name=\"csrf\" value=\"").nth(1).unwrap().split('"').next().unwrap();
    let request = client
        .post(format!("{}{page}", program.base_url))
        .header("cookie", cookie)
        .header("content-type", "application/x-www-form-urlencoded")
        .body(format!("csrf={csrf}&{fields}"));
    request.send().await.unwrap().status().as_u16()
}

#[tokio::test(flavor = "multi_thread")]
async fn planted_secret_is_in_no_log_metric_or_error() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("bank.toml");
    std::fs::write(&file, "[log]\nlevel = \"trace\"\n").unwrap();
    let config = ["--config", file.to_str().unwrap()];
    let mut program = ServerProcess::sandbox(&directory.path().join("data"), "", &config).await;
    let psu = program.sandbox_file["psus"][1].clone();
    let mut requests = 0;
    for (method, path, body) in operations(&program).await {
        if path.starts_with("/sandbox/reset") || path.starts_with("/sandbox/bank") {
            continue;
        }
        let filled: String = path.split('/').fold(String::new(), |filled, part| {
            let part = if part.starts_with('{') { PLANTED } else { part };
            if part.is_empty() { filled } else { format!("{filled}/{part}") }
        });
        let caller = if path.starts_with("/v") { program.tpp(0) } else { program.merchant(0) };
        let caller = caller.with("PSU_ID", text(&psu["psu_id"])).with("pSUIPAddress", "192.0.2.1");
        let mut answers = vec![
            call(&caller, &method, &format!("{filled}?code={PLANTED}"), body.as_ref()).await,
            call(&caller, &method, &filled, body.as_ref().map(planted).as_ref()).await,
        ];
        for header in HEADERS {
            let changed = caller.clone().without(header).with(header, PLANTED);
            answers.push(call(&changed, &method, &filled, body.as_ref()).await);
        }
        requests += answers.len();
        for answer in answers {
            assert!(answer.status < 500 || path.contains("/basket/id"), "{method} {path}: {answer:?}");
        }
    }
    // Whole flows with real secrets: password, code, IBAN, names, telephone.
    authorised(&program, "planted-secret payee").await;
    program.anonymous().post("/sandbox/clock", &json!({ "advance": "PT10S" })).await;
    for (page, fields) in [
        ("/app", format!("step=sign-in&user={PLANTED}&password={PLANTED}")),
        ("/app", format!("step=sign-in&user={}&password={PLANTED}", text(&psu["psu_id"]))),
        ("/app", format!("step=sign-in&user={}&password={}", text(&psu["psu_id"]), text(&psu["password"]))),
        ("/portal/sign-in", format!("email={PLANTED}%40example.org&password={PLANTED}&code={PLANTED}")),
        ("/loan", format!("step=find&reference={PLANTED}")),
    ] {
        assert!(form(&program, page, &fields).await < 500, "{page}");
    }
    let messages = program.anonymous().get("/sandbox/messages").await.body;
    let metrics = program.anonymous().get("/metrics").await.body.to_string();
    program.terminate();
    let log = program.log();
    assert!(log.matches("request completed").count() >= requests, "every request is logged");
    let mut secrets: Vec<String> = vec![PLANTED.to_owned(), OTHER_BANK_IBAN.to_owned()];
    let listed = |kind: &str, fields: &[&str]| {
        let all = program.sandbox_file[kind].as_array().unwrap().iter();
        let values = all.flat_map(|one| fields.iter().map(move |field| text(&one[field]).to_owned()));
        values.collect::<Vec<String>>()
    };
    secrets.extend(listed("tpps", &["subscription_key", "certificate"]));
    secrets.extend(listed("merchants", &["subscription_key", "webhook_secret"]));
    secrets.extend(listed("psus", &["password", "phone", "name"]));
    for psu in program.sandbox_file["psus"].as_array().unwrap() {
        let accounts = psu["accounts"].as_array().unwrap().iter();
        secrets.extend(accounts.map(|account| text(&account["iban"]).to_owned()));
    }
    let sent = messages["messages"].as_array().unwrap();
    assert!(!sent.is_empty(), "messages were sent");
    secrets.extend(sent.iter().map(|message| text(&message["text"]).to_owned()));
    for secret in secrets {
        let found = log.lines().find(|line| line.contains(&secret));
        assert!(found.is_none(), "{secret} is in the log: {found:?}");
        assert!(!metrics.contains(&secret), "{secret} is in the metrics");
    }
    println!("trust: secrets count={requests}");
}
