//! Traces through the whole program: from the caller's header to the log, the callback and the collector.

use serde_json::{Value, json};
use std::time::Duration;
use trapeza_testkit::process::{self, ServerProcess};
use trapeza_testkit::{Reply, WebhookReceiver};

const TRACE: &str = "4bf92f3577b34da6a3ce929d0e0e4736";
const CALLER_SPAN: &str = "00f067aa0ba902b7";

/// A merchant with a callback URL; a client with its keys, which is part of a trace.
fn merchant(program: &ServerProcess, callback_url: &str) -> trapeza_testkit::ApiClient {
    let data = program.data.to_str().unwrap();
    let added = process::run(&[
        "merchant",
        "add",
        "--data",
        data,
        "--name",
        "Traced",
        "--code",
        "TRACED",
        "--number",
        "2042",
        "--minimum",
        "10",
        "--maximum",
        "500",
        "--plan",
        "3",
        "--success-callback",
        callback_url,
    ]);
    let lines = String::from_utf8(added.stdout).unwrap();
    let word = |name: &str| {
        let line =
            lines.lines().find_map(|line| line.strip_prefix(name)).unwrap_or_else(|| panic!("{lines}"));
        line.split_whitespace().next().unwrap().to_owned()
    };
    let keys = json!({ "application_id": word("X-Application-ID"), "subscription_key": word("key") });
    program.anonymous().as_merchant(&keys).with("traceparent", &format!("00-{TRACE}-{CALLER_SPAN}-01"))
}

/// All spans that a collector has received.
fn spans(collector: &WebhookReceiver) -> Vec<Value> {
    let bodies =
        collector.seen().into_iter().map(|request| serde_json::from_str::<Value>(&request.body).unwrap());
    let exported = bodies.flat_map(|body| {
        let resource = &body["resourceSpans"][0];
        assert_eq!(resource["resource"]["attributes"][0]["value"]["stringValue"], "trapeza");
        resource["scopeSpans"][0]["spans"].as_array().unwrap().clone()
    });
    exported.collect()
}

fn span<'a>(spans: &'a [Value], name: &str) -> &'a Value {
    let named = spans.iter().find(|span| span["name"] == name && span["traceId"] == TRACE);
    named.unwrap_or_else(|| panic!("no span {name}: {spans:#?}"))
}

fn attribute<'a>(span: &'a Value, name: &str) -> &'a Value {
    let attributes = span["attributes"].as_array().unwrap();
    let found = attributes.iter().find(|attribute| attribute["key"] == name);
    &found.unwrap_or_else(|| panic!("no {name}: {span}"))["value"]
}

#[tokio::test(flavor = "multi_thread")]
async fn trace_of_a_request_is_logged_exported_and_passed_on() {
    let directory = tempfile::tempdir().unwrap();
    let collector = WebhookReceiver::start(|_, _| Reply::Status(200)).await;
    let hooks = WebhookReceiver::start(|_, _| Reply::Status(204)).await;
    let config = directory.path().join("bank.toml");
    let endpoint = format!("http://{}", collector.address);
    let settings = format!("[telemetry]\notlp_endpoint = {endpoint:?}\nsampling_ratio = \"1\"\n");
    std::fs::write(&config, settings).unwrap();
    let more = ["--config", config.to_str().unwrap()];
    let mut program = ServerProcess::sandbox(&directory.path().join("data"), "", &more).await;
    let merchant = merchant(&program, &hooks.url());
    let order = json!({
        "basketValue": 50, "requestId": "00000000-0000-4000-8000-000000000001", "orderIdentifier": "order-1",
    });
    let basket = merchant.post("/createbasket", &order).await;
    let path = format!("/bnplsandbox/createbnpl?basketId={}&isSuccessCallback=true", basket.body["basketId"]);
    assert_eq!(merchant.post(&path, &json!({})).await.status, 200);
    while hooks.seen().is_empty() {
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    program.terminate();

    let exported = spans(&collector);
    let request = span(&exported, "POST /bnplsandbox/createbnpl");
    assert_eq!((&request["kind"], &request["parentSpanId"]), (&json!(2), &json!(CALLER_SPAN)));
    assert_eq!(attribute(request, "http.response.status_code")["intValue"], "200");
    let application = &attribute(request, "trapeza.application")["stringValue"];
    assert_eq!(application.as_str(), merchant.header("X-Application-ID"));
    let delivery = span(&exported, "POST callback");
    assert_eq!((&delivery["kind"], &delivery["parentSpanId"]), (&json!(3), &request["spanId"]));
    let passed_on = format!("00-{TRACE}-{}-01", delivery["spanId"].as_str().unwrap());
    assert_eq!(hooks.seen()[0].header("traceparent"), passed_on);

    let log = program.log();
    let line = log.lines().find(|line| line.contains("/bnplsandbox/createbnpl")).unwrap();
    let line: Value = serde_json::from_str(line).unwrap();
    assert_eq!((&line["trace"], &line["application"]), (&json!(TRACE), application));
}

#[tokio::test(flavor = "multi_thread")]
async fn collector_that_fails_does_not_disturb_requests() {
    let directory = tempfile::tempdir().unwrap();
    let collector = WebhookReceiver::start(|_, _| Reply::Status(503)).await;
    let config = directory.path().join("bank.toml");
    let endpoint = format!("http://{}", collector.address);
    std::fs::write(&config, format!("[telemetry]\notlp_endpoint = {endpoint:?}\nsampling_ratio = \"1\"\n"))
        .unwrap();
    let more = ["--config", config.to_str().unwrap()];
    let program = ServerProcess::sandbox(&directory.path().join("data"), "", &more).await;
    assert_eq!(program.anonymous().get("/livez").await.status, 200);
    let dropped = async || {
        let page = reqwest::get(format!("{}/metrics", program.base_url)).await.unwrap().text().await.unwrap();
        let value = page.lines().find_map(|line| line.strip_prefix("trapeza_telemetry_spans_dropped_total "));
        value.unwrap_or_else(|| panic!("{page}")).parse::<u64>().unwrap()
    };
    while dropped().await == 0 {
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    assert!(program.log().contains("the collector did not accept spans"));
}
