//! Random requests to the running server: bodies, headers, paths and queries of every operation of the document, and forms of pages.

use super::{mutated, mutated_text, seed};
use crate::http::access_matrix::{described, own};
use crate::http::page_forms::enrol;
use crate::http::payment::check_ledger;
use crate::model::history::Random;
use reqwest::header::HeaderValue;
use trapeza_testkit::database::{Database, Engine};
use trapeza_testkit::{ApiClient, TestBank, iterations};

/// Requests of each kind.
const REQUESTS: usize = 400;

/// Headers that a mutation replaces.
const HEADERS: [&str; 10] = [
    "Certificate",
    "ClientId",
    "Ocp-Apim-Subscription-Key",
    "PSU_ID",
    "pSUIPAddress",
    "consentID",
    "x-Request-ID",
    "TPP-Redirect-URI",
    "Accept-Language",
    "traceparent",
];

/// Whether an HTTP client can send this as a header.
fn is_header(value: &str) -> bool {
    HeaderValue::from_str(value).is_ok()
}

fn is_path(path: &str) -> bool {
    path.starts_with('/') && path.bytes().all(|byte| byte.is_ascii_graphic()) && !path.contains('#')
}

#[tokio::test(flavor = "multi_thread")]
async fn no_request_is_an_error_of_the_server() {
    let bank = TestBank::start(Database::new(Engine::Sqlite)).await;
    let owned = own(&bank).await;
    // Operations that replace or stop the bank have tests of their own.
    let apart = ["resetSandbox", "importBank", "advanceClock"];
    let operations = described(&bank).await;
    let operations: Vec<_> = operations.iter().filter(|one| !apart.contains(&one.id.as_str())).collect();
    let psu = bank.sandbox_file["psus"][0]["psu_id"].as_str().unwrap().to_owned();
    let seed = seed("requests");
    let mut random = Random::new(seed);
    let (count, mut accepted) = (iterations(REQUESTS), 0);
    for _ in 0..count {
        let operation = operations[random.below(operations.len())];
        let mut caller: ApiClient = match operation.is_for_merchants() {
            true => bank.merchant(0),
            false => bank
                .tpp(0)
                .with("PSU_ID", &psu)
                .with("consentID", &owned.valid)
                .with("pSUIPAddress", "192.0.2.1"),
        };
        let mut path = operation.at(&owned.ids);
        let mut body = operation.body.as_ref().map(|body| body.to_string().into_bytes());
        match random.below(4) {
            0 => {
                let changed = mutated_text(&mut random, &path);
                path = if is_path(&changed) { changed } else { path };
            }
            1 => {
                let name = HEADERS[random.below(HEADERS.len())];
                let value = mutated_text(&mut random, caller.header(name).unwrap_or("en"));
                if is_header(&value) {
                    caller = caller.without(name).with(name, &value);
                }
            }
            _ => body = body.map(|body| mutated(&mut random, &body)),
        }
        let shown = body.as_ref().map(|body| String::from_utf8_lossy(body).into_owned());
        let answer = caller.send(operation.method.clone(), &path, body).await;
        accepted += usize::from(answer.status < 300);
        // The documented exception: GET /basket/id of an unknown basket.
        let documented = operation.id == "getBasket" && answer.status == 500;
        assert!(
            answer.status < 500 || documented,
            "seed {seed}: {} {path} {shown:?}: {answer:?}",
            operation.method
        );
    }
    println!("trust: requests count={count} accepted={accepted}");
    assert!(accepted > 0);
    check_ledger(&bank).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn no_form_is_an_error_of_the_server() {
    let bank = TestBank::start(Database::new(Engine::Sqlite)).await;
    let mut browser = bank.browser();
    enrol(&bank, &mut browser, 0).await;
    let cookie = browser.cookies.keys().next().unwrap().clone();
    let fields = [
        ("step", "pay"),
        ("idempotency_key", "00000000-0000-4000-8000-000000000001"),
        ("from", "00000000-0000-4000-8000-000000000001"),
        ("iban", "FR1420041010050500013M02606"),
        ("name", "Jonas"),
        ("amount", "7.50"),
        ("remittance", "Rent"),
        ("user", "eleni"),
        ("password", "wrong"),
        ("code", "123456"),
        ("number", "12"),
        ("question", "00000000-0000-4000-8000-000000000001"),
        ("signature", "AAAA"),
        ("next", "/app/pay"),
    ];
    let pages = ["/app/pay", "/app/loans/x/withdrawal", "/app/permissions/x", "/app/payments/x/cancellation"];
    let queries = [
        "/app/accounts?before=1",
        "/app/payments?before=x",
        "/statistics/2035-Q1",
        "/loan/RF18",
        "/checkout/0",
    ];
    let seed = seed("forms");
    let mut random = Random::new(seed);
    let count = iterations(REQUESTS);
    for _ in 0..count {
        let page = pages[random.below(pages.len())];
        let csrf = bank.app.csrf_token(&browser.cookies[&cookie], page);
        let mut sent: Vec<(&str, String)> =
            fields.iter().map(|(name, value)| (*name, (*value).to_owned())).collect();
        let changed = random.below(sent.len());
        sent[changed].1 = mutated_text(&mut random, &sent[changed].1);
        let mut all = vec![("csrf", csrf.as_str())];
        all.extend(sent.iter().map(|(name, value)| (*name, value.as_str())));
        let answer = browser.post(page, &all).await;
        assert!(answer.status < 500, "seed {seed}: {page} {sent:?}: {answer:?}");
        let query = queries[random.below(queries.len())];
        let query = mutated_text(&mut random, query);
        if is_path(&query) {
            let answer = browser.get(&query).await;
            assert!(answer.status < 500, "seed {seed}: {query}: {answer:?}");
        }
    }
    println!("trust: forms count={}", 2 * count);
    check_ledger(&bank).await;
}
