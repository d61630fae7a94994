//! Metrics and health: on a listener of their own, complete, described and documented.

use super::production::{now, open};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::time::Duration;
use trapeza::demo::authority::Authority;
use trapeza_domain::time::TimeDelta;
use trapeza_testkit::database::{Database, Engine};
use trapeza_testkit::process::ServerProcess;

/// The endings of names: the unit, or what is counted.
const UNITS: [&str; 12] = [
    "_total",
    "_seconds",
    "_bytes",
    "_days",
    "_info",
    "_jobs",
    "_messages",
    "_connections",
    "_connections_max",
    "_open_fds",
    "_max_fds",
    "_threads",
];

/// The page, once the background tasks have run for the first time.
async fn complete_page(base_url: &str) -> String {
    loop {
        let page = reqwest::get(format!("{base_url}/metrics")).await.unwrap().text().await.unwrap();
        let sampled = ["trapeza_sweep_last_success_timestamp_seconds", "trapeza_certificate_left_days"];
        if sampled.iter().all(|name| page.contains(name)) {
            return page;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

/// The metrics of a page with their types. Each must have a help text and a value.
fn families(page: &str) -> BTreeMap<String, String> {
    let types = page.lines().filter_map(|line| line.strip_prefix("# TYPE ")?.split_once(' '));
    let types: BTreeMap<String, String> =
        types.map(|(name, kind)| (name.to_owned(), kind.to_owned())).collect();
    for (name, kind) in &types {
        assert!(page.contains(&format!("# HELP {name} ")), "{name} has no help");
        let value = |line: &str| line.strip_prefix(name.as_str()).is_some_and(|rest| !rest.is_empty());
        assert!(page.lines().any(value), "{name} has no value");
        assert!(UNITS.iter().any(|unit| name.ends_with(unit)), "{name} has no unit");
        assert_eq!(name.ends_with("_total"), kind == "counter", "{name} is a {kind}");
        assert_ne!(kind, "summary", "{name}");
    }
    types
}

/// The names in the table of docs/operations.md.
fn documented() -> BTreeSet<String> {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().join("docs/operations.md");
    let text = std::fs::read_to_string(file).unwrap();
    let cells =
        text.lines().filter_map(|line| line.strip_prefix("| `")?.split_once(" | ")).map(|(cell, _)| cell);
    let words = cells.flat_map(|cell| cell.split('`'));
    let names = words.filter(|word| word.starts_with("trapeza_") || word.starts_with("process_"));
    names.map(str::to_owned).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn documented_metrics_are_those_that_are_served() {
    let mut served = BTreeSet::new();
    for engine in [Engine::Sqlite, Engine::Postgres] {
        let (directory, database) = (tempfile::tempdir().unwrap(), Database::new(engine));
        let program = ServerProcess::sandbox(&directory.path().join("data"), &database.url(), &[]).await;
        served.extend(families(&complete_page(&program.base_url).await).into_keys());
    }
    assert_eq!(served, documented());
}

/// The metrics that a file in deploy/ uses.
fn used(file: &str) -> BTreeSet<String> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().join("deploy").join(file);
    let text = std::fs::read_to_string(path).unwrap();
    let words = text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
    let names = words.filter(|word| word.starts_with("trapeza_") || word.starts_with("process_"));
    names.map(|name| name.strip_suffix("_bucket").unwrap_or(name).to_owned()).collect()
}

#[test]
fn dashboard_shows_every_metric_and_alerts_use_no_other() {
    let documented = documented();
    assert_eq!(used("grafana/trapeza.json"), documented);
    for file in ["prometheus/trapeza.rules.yml", "prometheus/trapeza.test.yml"] {
        let unknown: Vec<_> = used(file).difference(&documented).cloned().collect();
        assert_eq!(unknown, Vec::<String>::new(), "{file}");
    }
}

#[test]
fn every_alert_has_a_test_and_a_runbook_that_names_it() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let read = |file: &str| std::fs::read_to_string(root.join(file)).unwrap();
    let (rules, tests) =
        (read("deploy/prometheus/trapeza.rules.yml"), read("deploy/prometheus/trapeza.test.yml"));
    let index = read("docs/runbooks/README.md");
    let alerts: Vec<&str> = rules.split("- alert: ").skip(1).collect();
    assert!(!alerts.is_empty());
    for rule in alerts {
        let alert = rule.lines().next().unwrap();
        assert!(tests.contains(&format!("- alertname: {alert}\n")), "{alert} has no test in which it fires");
        let runbook = rule.lines().find_map(|line| line.trim().strip_prefix("runbook: "));
        let runbook = runbook.unwrap_or_else(|| panic!("{alert} has no runbook"));
        for page in [&read(runbook), &index] {
            assert!(
                page.contains(&format!("`{alert}`")),
                "{alert} is not in {runbook} or in the list of runbooks"
            );
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn monitoring_listener_serves_metrics_and_health_and_the_main_port_no_metrics() {
    let directory = tempfile::tempdir().unwrap();
    let authority = Authority::generate(now().minus(TimeDelta::days(1))).unwrap();
    let bank = open(directory.path(), &authority).await;
    let monitoring = format!("http://127.0.0.1:{}", bank.monitoring_port);
    for path in ["/livez", "/readyz", "/metrics"] {
        let response = reqwest::get(format!("{monitoring}{path}")).await.unwrap();
        assert_eq!(response.status(), 200, "{path}");
        let main = bank.call(&format!("GET {path} HTTP/1.1\r\n"), "", None).await.unwrap();
        assert_eq!(main.0, if path == "/metrics" { 404 } else { 200 }, "{path} on the main port");
    }
    let other = reqwest::get(format!("{monitoring}/docs")).await.unwrap();
    assert_eq!(other.status(), 404, "the API is not on the listener of monitoring");
    let page = loop {
        let page = reqwest::get(format!("{monitoring}/metrics")).await.unwrap().text().await.unwrap();
        if page.contains("trapeza_certificate_left_days") {
            break page;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    };
    let days = |certificate: &str| {
        let series = format!("trapeza_certificate_left_days{{certificate=\"{certificate}\"}} ");
        let value =
            page.lines().find_map(|line| line.strip_prefix(&series)).unwrap_or_else(|| panic!("{page}"));
        value.parse::<i64>().unwrap()
    };
    assert!(days("server") > 10_000, "rcgen's certificates end in 4096");
    assert_eq!(days("client_ca"), 3650, "3,652 days after yesterday, in whole days from now");
}

#[tokio::test(flavor = "multi_thread")]
async fn console_is_on_its_own_listener_and_nothing_else_is() {
    let directory = tempfile::tempdir().unwrap();
    let authority = Authority::generate(now().minus(TimeDelta::days(1))).unwrap();
    let bank = open(directory.path(), &authority).await;
    let client = reqwest::Client::builder().redirect(reqwest::redirect::Policy::none()).build().unwrap();
    let get = async |path: &str| {
        let address = format!("http://127.0.0.1:{}{path}", bank.console_port);
        client.get(address).header("accept", "text/html").send().await.unwrap()
    };
    for (path, to) in [("/", "/console"), ("/console", "/console/sign-in")] {
        let redirected = get(path).await;
        assert_eq!(
            (redirected.status().as_u16(), redirected.headers()["location"].as_bytes()),
            (303, to.as_bytes())
        );
    }
    let sign_in = get("/console/sign-in").await;
    assert_eq!(sign_in.status(), 200);
    let cookie = sign_in.headers()["set-cookie"].to_str().unwrap().to_owned();
    assert!(cookie.starts_with("trapeza-console=") && cookie.contains("HttpOnly"), "{cookie}");
    for path in ["/docs", "/portal", "/app", "/openapi.json", "/metrics", "/v1/accounts", "/sandbox"] {
        assert_eq!(get(path).await.status(), 404, "{path}");
    }
    let public = bank.call("GET /console/sign-in HTTP/1.1\r\n", "", None).await.unwrap();
    assert_eq!(public.0, 404, "the console is not on the main port");
    let added = trapeza_testkit::process::run(&[
        "staff",
        "add",
        "--config",
        directory.path().join("bank.toml").to_str().unwrap(),
        "--role",
        "administrator",
        "--name",
        "Anna",
        "--email",
        "anna@bank.example",
    ]);
    let text = String::from_utf8_lossy(&added.stdout).into_owned();
    let path = text
        .split_whitespace()
        .find(|word| word.starts_with("/console/enrol?"))
        .unwrap_or_else(|| panic!("{text}"));
    let page = get(path).await.text().await.unwrap();
    assert!(page.contains("anna@bank.example with the role administrator"), "{page}");
}
