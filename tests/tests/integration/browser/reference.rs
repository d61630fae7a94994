//! The reference at `/docs` in a real browser: accessible, light and dark, without sideways scrolling from 320 to 1280 pixels; search, tabs and
//! deep links work without scripts.

use serde_json::json;
use trapeza_testkit::database::{Database, Engine};
use trapeza_testkit::{Chromium, TestBank};

const WIDTHS: [u32; 5] = [320, 360, 390, 768, 1280];

#[tokio::test(flavor = "multi_thread")]
async fn reference_pages_are_accessible_on_every_screen() {
    let bank = TestBank::start(Database::new(Engine::Sqlite)).await;
    let browser = Chromium::start().await;
    for (name, path) in [
        ("search", "/docs?q=balance"),
        // All resources have one template; this one has few operations, of every kind.
        ("sandbox", "/docs/sandbox"),
        ("guides", "/docs/guides"),
        ("states", "/docs/states"),
        ("errors", "/docs/errors"),
    ] {
        browser.open(&format!("{}{path}", bank.base_url)).await;
        // What is folded up is checked, too.
        let unfold = "document.querySelectorAll('details').forEach(one => { one.open = arguments[0] })";
        for open in [true, false] {
            browser.run(unfold, json!([open])).await;
            for width in WIDTHS {
                browser.width(width).await;
                let wide = browser.run("return document.documentElement.scrollWidth", json!([])).await;
                assert!(wide.as_u64().unwrap() <= u64::from(width), "{name} at {width}: {wide} wide");
            }
        }
        browser.inspect(&format!("reference-{name}")).await;
    }
    assert_eq!(browser.complaints().await, Vec::<String>::new());
}

#[tokio::test(flavor = "multi_thread")]
async fn search_leads_to_a_field_and_tabs_show_one_language() {
    let bank = TestBank::start(Database::new(Engine::Sqlite)).await;
    let browser = Chromium::start().await;
    browser.open(&format!("{}/docs", bank.base_url)).await;
    browser.fill("#q", "frequencyPerDay").await;
    browser.follow(".search button").await;
    browser.heading("Search").await;
    browser.follow("a[href='/docs/consents#createConsent.request.frequencyPerDay']").await;
    let visible = "return document.getElementById(arguments[0]).checkVisibility()";
    let field = json!(["createConsent.request.frequencyPerDay"]);
    assert_eq!(browser.run(visible, field).await, true, "the link unfolds its field");
    let shown = "return [...document.querySelectorAll('#createConsent .panel pre')]
        .filter(one => one.checkVisibility()).map(one => one.className)";
    assert_eq!(browser.run(shown, json!([])).await, json!(["shell"]));
    browser.click("label[for=createConsent-python]").await;
    assert_eq!(browser.run(shown, json!([])).await, json!(["python"]));
    browser.click("label[for=createConsent-typescript]").await;
    assert_eq!(browser.run(shown, json!([])).await, json!(["typescript"]));
}
