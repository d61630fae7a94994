//! Every form of every site against requests from elsewhere: without its token, with the token of another page or session, without the
//! session, and from another origin. The routes come from the program; a route that this file has no page for fails.

use crate::http::checkout::basket;
use crate::http::page_forms::enrol;
use crate::http::portal::access;
use rstest::rstest;
use serde_json::{Value, json};
use trapeza_domain::staff::StaffRole;
use trapeza_testkit::database::{Database, Engine};
use trapeza_testkit::{Browser, ConsoleUser, PortalUser, TestBank};

const OTHER_SITE: [(&str, &str); 4] = [
    ("origin", "https://attacker.example"),
    ("origin", "http://127.0.0.1:1"),
    ("sec-fetch-site", "cross-site"),
    ("sec-fetch-site", "same-site"),
];

/// Fields that would have an effect in some form.
const FIELDS: [(&str, &str); 5] =
    [("step", "leave"), ("sure", "yes"), ("agreed", "yes"), ("role", "viewer"), ("event", "approved")];

async fn status(browser: &mut Browser, path: &str, csrf: Option<&str>) -> u16 {
    let mut fields = FIELDS.to_vec();
    fields.extend(csrf.map(|token| ("csrf", token)));
    browser.post(path, &fields).await.status
}

/// Sends every forgery of a form to its path; each must be refused as such.
async fn assert_forgeries_are_refused(bank: &TestBank, browser: &mut Browser, cookie: &str, path: &str) {
    let session = browser.cookies[cookie].clone();
    let right = bank.app.csrf_token(&session, path);
    let another_page = bank.app.csrf_token(&session, &format!("{path}/x"));
    let another_session = bank.app.csrf_token(&bank.app.session_token_new(), path);
    for token in [None, Some(""), Some("x"), Some(another_page.as_str()), Some(another_session.as_str())] {
        assert_eq!(status(browser, path, token).await, 403, "{path} with the token {token:?}");
    }
    for (name, value) in OTHER_SITE {
        browser.headers = vec![(name, value.to_owned())];
        assert_eq!(status(browser, path, Some(&right)).await, 403, "{path} with {name}: {value}");
    }
    browser.headers.clear();
}

/// The templates of the pages that accept a form, from the router's source.
fn templates() -> Vec<&'static str> {
    let source = include_str!("../../../../crates/trapeza-web/src/lib.rs");
    let lines = source.lines().filter(|line| line.contains(".route(\"") && line.contains("post("));
    lines.map(|line| line.split('"').nth(1).unwrap()).collect()
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn forged_form_is_refused_by_every_page_of_customers(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let bank = TestBank::start(Database::new(engine)).await;
    let psu = bank.sandbox_file["psus"][0].clone();
    let tpp = bank.tpp(0).with("PSU_ID", psu["psu_id"].as_str().unwrap());
    let order = json!({
        "access": { "allPsd2": "allAccounts" }, "recurringIndicator": true,
        "validUntil": "2099-12-31", "frequencyPerDay": 4,
    });
    let consent = format!("/v1/consents/{}", tpp.post("/v1/consents", &order).await.text("/consentId"));
    let started = tpp.post(&format!("{consent}/authorisations"), &json!({})).await;
    let link = started.text("/_links/scaRedirect/href").replace(&bank.base_url, "");
    let bought = basket(&bank, 1, "120.3").await;
    let id = "00000000-0000-4000-8000-000000000000";
    let mut pages = Vec::new();
    for template in templates() {
        let path = template
            .replace("/sca/{token}", &link)
            .replace("/checkout/{basket}", &bought.checkout)
            .replace("{reference}", "RF18539007547034")
            .replace("{ending}", "withdrawal");
        let path = ["payment", "loan", "permission", "device"]
            .iter()
            .fold(path, |path, name| path.replace(&format!("{{{name}}}"), id));
        assert!(!path.contains('{'), "{template} needs an object here");
        pages.push(path);
    }
    assert!(pages.len() > 10, "{pages:?}");
    for path in &pages {
        let mut browser = bank.browser();
        let first = if path.starts_with("/app") { "/app" } else { path };
        let page = browser.get(first).await;
        assert!(page.status == 200 || page.status == 404, "{path}: {page:?}");
        let cookie = browser.cookies.keys().next().unwrap_or_else(|| panic!("{path} sets no cookie")).clone();
        if path.starts_with("/app/") {
            enrol(&bank, &mut browser, 0).await;
        }
        assert_forgeries_are_refused(&bank, &mut browser, &cookie, path).await;
        let session = browser.cookies[&cookie].clone();
        let right = bank.app.csrf_token(&session, path);
        assert_ne!(status(&mut browser, path, Some(&right)).await, 403, "{path} with its token");
        browser.cookies.clear();
        let refused = status(&mut browser, path, Some(&right)).await;
        // Without a session the pages of signed-in customers lead to the sign-in.
        assert!(refused == 403 || (refused == 303 && path.starts_with("/app/")), "{path}: {refused}");
    }
    assert_eq!(tpp.get(&format!("{consent}/status")).await.body["consentStatus"], 0, "nothing was done");
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn forged_form_is_refused_by_every_page_of_members(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    use trapeza_portal::route::{Method, ROUTES};
    let bank = TestBank::start(Database::new(engine)).await;
    let mut owner = PortalUser::sign_up(&bank, "First", "owner@example.org").await;
    let objects = access::objects(&bank, &mut owner).await;
    for route in ROUTES.iter().filter(|route| route.method == Method::Post) {
        let path = access::path(route.path, &objects);
        assert_forgeries_are_refused(&bank, &mut owner.browser, "trapeza-portal", &path).await;
    }
    assert_eq!(owner.browser.get("/portal/account").await.status, 200, "still signed in");
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn forged_form_is_refused_by_every_page_of_staff(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    use trapeza_console::route::{Method, ROUTES};
    let bank = TestBank::start(Database::new(engine)).await;
    let mut person = ConsoleUser::enrol(&bank, StaffRole::Operations, "operations@bank.example").await;
    let id = "00000000-0000-4000-8000-000000000000";
    for route in ROUTES.iter().filter(|route| route.method == Method::Post) {
        let path = route.path.replace("{action}", "application.disable");
        let path = ["session", "passkey", "token", "request"]
            .iter()
            .fold(path, |path, name| path.replace(&format!("{{{name}}}"), id));
        assert!(!path.contains('{'), "{path} needs an object here");
        assert_forgeries_are_refused(&bank, &mut person.browser, "trapeza-console", &path).await;
    }
    assert_eq!(person.browser.get("/console").await.status, 200, "still signed in");
}

#[tokio::test(flavor = "multi_thread")]
async fn forged_form_is_refused_by_every_page_of_the_sandbox() {
    let bank = TestBank::start(Database::new(Engine::Sqlite)).await;
    let customers = || async { bank.anonymous().get("/sandbox/customers").await.body };
    let before: Value = customers().await;
    for (path, cookie) in [
        ("/sandbox", "trapeza-sandbox"),
        ("/sample/tpp", "trapeza-sample"),
        ("/sample/shop", "trapeza-sample"),
    ] {
        let mut browser = bank.browser();
        assert_eq!(browser.get(path).await.status, 200, "{path}");
        assert_forgeries_are_refused(&bank, &mut browser, cookie, path).await;
    }
    let mut browser = bank.browser();
    browser.get("/sandbox").await;
    assert_forgeries_are_refused(&bank, &mut browser, "trapeza-sandbox", "/sandbox/import").await;
    assert_eq!(customers().await, before, "the bank is the same");
}
