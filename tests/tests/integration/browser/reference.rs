//! The reference at `/docs` in a real browser: accessible, light and dark, without sideways scrolling from 320 to 1280 pixels; search, tabs and
//! deep links work without scripts; in the sandbox a script runs the examples.

use serde_json::json;
use trapeza_testkit::database::{Database, Engine};
use trapeza_testkit::portal_user::PASSWORD;
use trapeza_testkit::{Chromium, PortalUser, TestBank};

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
        // What a browser gets for an unknown address.
        ("not-found", "/no-such-page"),
    ] {
        browser.open(&format!("{}{path}", bank.base_url)).await;
        // What is folded up is checked, too.
        let unfold = "document.querySelectorAll('details').forEach(one => { one.open = arguments[0] })";
        for open in [true, false] {
            browser.run(unfold, json!([open])).await;
            for width in WIDTHS {
                browser.set_width(width).await;
                let wide = browser.run("return document.documentElement.scrollWidth", json!([])).await;
                assert!(wide.as_u64().unwrap() <= u64::from(width), "{name} at {width}: {wide} wide");
            }
        }
        browser.check_page(&format!("reference-{name}")).await;
    }
    assert_eq!(browser.console_errors().await, Vec::<String>::new());
}

#[tokio::test(flavor = "multi_thread")]
async fn search_leads_to_a_field_and_tabs_show_one_language() {
    let bank = TestBank::start(Database::new(Engine::Sqlite)).await;
    let browser = Chromium::start().await;
    browser.open(&format!("{}/docs", bank.base_url)).await;
    browser.fill("#q", "frequencyPerDay").await;
    browser.follow(".search button").await;
    browser.expect_heading("Search").await;
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

/// The response that is shown beside an example: its status and its text, or what is missing.
async fn run(browser: &Chromium, operation: &str) -> String {
    let (button, shown) = (format!("#{operation} .run"), format!("#{operation} .result"));
    // The page scrolls smoothly, so a click by position may hit what is still moving.
    browser.run("document.querySelector(arguments[0]).click()", json!([button])).await;
    let finished = "const button = document.querySelector(arguments[0] + ' .run');
        return button.disabled ? null : document.querySelector(arguments[0] + ' .result').innerText";
    for _ in 0..600 {
        let text = browser.run(finished, json!([format!("#{operation}")])).await;
        if let Some(text) = text.as_str().filter(|text| !text.is_empty()) {
            return text.to_owned();
        }
        tokio::time::sleep(std::time::Duration::from_millis(50)).await;
    }
    panic!("{shown} stays empty")
}

#[tokio::test(flavor = "multi_thread")]
async fn examples_run_in_the_sandbox_with_keys_that_stay_in_the_tab() {
    let bank = TestBank::start(Database::new(Engine::Sqlite)).await;
    let browser = Chromium::start().await;
    browser.open(&format!("{}/docs/consents", bank.base_url)).await;
    let missing = run(&browser, "createConsent").await;
    assert!(missing.contains("CERTIFICATE") && missing.contains("SUBSCRIPTION_KEY"), "{missing}");

    let (third, psu) = (&bank.sandbox_file["tpps"][0], &bank.sandbox_file["psus"][0]);
    let text = |value: &serde_json::Value| value.as_str().unwrap().to_owned();
    for (field, value) in [
        ("#CLIENT_ID", text(&third["client_id"])),
        ("#SUBSCRIPTION_KEY", "wrong".to_owned()),
        ("#PSU_ID", text(&psu["psu_id"])),
    ] {
        browser.fill(field, &value).await;
    }
    // Typing thousands of characters would take a minute.
    let paste = "document.querySelector('#CERTIFICATE').value = arguments[0]";
    browser.run(paste, json!([third["certificate"]])).await;
    browser.run("document.querySelector('#keys form button').click()", json!([])).await;
    let refused = run(&browser, "createConsent").await;
    assert!(refused.contains("401") && refused.contains("CERTIFICATE_INVALID"), "{refused}");
    browser.fill("#SUBSCRIPTION_KEY", &text(&third["subscription_key"])).await;
    browser.run("document.querySelector('#keys form button').click()", json!([])).await;
    let command = "return document.querySelector('#createConsent pre.shell').textContent";
    let command = text(&browser.run(command, json!([])).await);
    assert!(command.contains(&format!("ClientId: {}", text(&third["client_id"]))), "{command}");

    let created = run(&browser, "createConsent").await;
    assert!(created.contains("201") && created.contains("consentId"), "{created}");
    browser.check_page("reference-run").await;
    // The id of the consent is used by the next example.
    let read = run(&browser, "getConsent").await;
    assert!(read.contains("200") && read.contains("validUntil"), "{read}");
    run(&browser, "startConsentAuthorisation").await;
    let link = "return document.querySelector('#startConsentAuthorisation .result a').href";
    let link = text(&browser.run(link, json!([])).await);
    assert!(link.starts_with(&format!("{}/sca/", bank.base_url)), "{link}");
    for width in WIDTHS {
        browser.set_width(width).await;
        let wide = browser.run("return document.documentElement.scrollWidth", json!([])).await;
        assert!(wide.as_u64().unwrap() <= u64::from(width), "at {width}: {wide} wide");
    }
    let stored = browser.run("return [localStorage.length, document.cookie]", json!([])).await;
    assert_eq!(stored, json!([0, ""]), "only the tab remembers the keys");
    browser.run("document.querySelector('#keys-clear').click()", json!([])).await;
    let cleared = run(&browser, "getConsent").await;
    assert!(cleared.contains("Without a value"), "{cleared}");
}

#[tokio::test(flavor = "multi_thread")]
async fn examples_have_the_ids_of_the_signed_in_organisation() {
    let bank = TestBank::start(Database::new(Engine::Sqlite)).await;
    let mut owner = PortalUser::sign_up(&bank, "First", "owner@example.org").await;
    let page = owner.post("/portal/applications/merchant", &[("merchant_name", "<b>Shop</b>")]).await;
    assert_eq!(page.status, 200, "{page:?}");
    let listed = owner.browser.get("/portal/examples").await;
    let listed: serde_json::Value = serde_json::from_str(&listed.html).unwrap();
    let id = listed["applications"][0]["id"].as_str().unwrap();

    let browser = Chromium::start().await;
    browser.open(&format!("{}/portal/sign-in", bank.base_url)).await;
    browser.fill("#email", &owner.email).await;
    browser.fill("#password", PASSWORD).await;
    browser.fill("#code", &owner.code()).await;
    browser.follow("main form button").await;
    browser.open(&format!("{}/docs/pay-later", bank.base_url)).await;
    browser.run("document.getElementById('keys').open = true", json!([])).await;
    let filled = "return document.querySelector('#APPLICATION_ID').value";
    for _ in 0..200 {
        if browser.run(filled, json!([])).await == json!(id) {
            break;
        }
        tokio::time::sleep(std::time::Duration::from_millis(50)).await;
    }
    let option = "return document.querySelector('#keys-application option').textContent";
    assert_eq!(browser.run(option, json!([])).await, json!("<b>Shop</b>"));
    let command = "return document.querySelector('#getConfiguration pre.shell').textContent";
    let command = browser.run(command, json!([])).await;
    assert!(command.as_str().unwrap().contains(&format!("X-Application-ID: {id}")), "{command}");
    assert!(command.as_str().unwrap().contains("$MERCHANT_KEY"), "a key is not stored: {command}");
    browser.check_page("reference-signed-in").await;
}
