//! Pages in a real browser: each flow as a customer goes through it, with a screenshot of every page on a phone and a desktop, and
//! an accessibility check. Refused requests are tested in `http::pages`.
//!
//! One engine is enough here: what lies beneath the pages runs on both in the other tests.

use super::browser_test::{BrowserTest, text};
use serde_json::{Value, json};

#[tokio::test(flavor = "multi_thread")]
async fn first_page_and_design_system_are_accessible_in_both_languages() {
    for language in ["en", "el"] {
        let test = BrowserTest::start_in_language(language).await;
        for (path, name) in [("/", "home"), ("/styleguide", "styleguide"), ("/loan", "loan-find")] {
            test.browser.open(&format!("{}{path}", test.bank.base_url)).await;
            test.browser.check_page(&format!("{name}-{language}")).await;
        }
        assert_eq!(test.browser.console_errors().await, Vec::<String>::new());
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn language_is_switched_while_a_method_is_chosen() {
    let test = BrowserTest::start().await;
    let started = test.start_authorisation(&test.create_payment("Nikos Georgiou").await).await;
    let browser = &test.browser;
    test.sign_in(started.text("/_links/scaRedirect/href"), "language").await;
    browser.follow(".languages a").await;
    let shown = browser.run("return document.documentElement.lang", json!([])).await;
    assert_eq!(shown, "el");
    browser.click(&format!("input[value='{}']", test.method("SMSOTP"))).await;
    browser.click("fieldset + button").await;
    browser.find("#code").await;
    browser.check_page("language-code").await;
    browser.fill("#code", "123456").await;
    browser.click("main form button").await;
    browser.expect_heading("Εγκρίθηκε").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn consent_by_redirect_returns_to_the_third_party() {
    let test = BrowserTest::start().await;
    let order = json!({
        "access": { "balances": [{ "iban": test.psu["accounts"][0]["iban"] }] },
        "recurringIndicator": true,
        "validUntil": "2099-12-31",
        "frequencyPerDay": 4,
    });
    let created = test.tpp.post("/v1/consents", &order).await;
    let consent = format!("/v1/consents/{}", created.text("/consentId"));
    let started = test.start_authorisation(&consent).await;
    let browser = &test.browser;
    test.sign_in(started.text("/_links/scaRedirect/href"), "consent").await;
    browser.click(&format!("input[value='{}']", test.method("SMSOTP"))).await;
    browser.click("fieldset + button").await;
    browser.find("#code").await;
    browser.check_page("consent-4-confirm").await;
    browser.fill("#code", "000000").await;
    browser.click("main form button").await;
    browser.expect_text("[role=alert]", "code").await;
    browser.fill("#code", "123456").await;
    browser.click("main form button").await;
    browser.expect_heading("Approved").await;
    browser.check_page("consent-5-agreed").await;
    browser.click("#back").await;
    browser.expect_heading("Welcome back").await;
    assert_eq!(test.site.visits().last().map(String::as_str), Some("/good"));
    let status = test.tpp.get(&format!("{consent}/status")).await;
    assert_eq!(status.body["consentStatus"], 2);
    // The back button shows where it stands, not a form that was answered.
    browser.back().await;
    browser.expect_heading("Approved").await;
    assert_eq!(browser.console_errors().await, Vec::<String>::new());
}

#[tokio::test(flavor = "multi_thread")]
async fn payment_with_close_match_warns_and_can_be_approved() {
    let test = BrowserTest::start().await;
    let name = text(&test.bank.sandbox_file["psus"][1]["name"]).to_owned();
    let misspelt = format!("{name}a");
    let payment = test.create_payment(&misspelt).await;
    let started = test.start_authorisation(&payment).await;
    assert_eq!(started.text("/originalTransactionInformationAndVopStatus"), "CMTC");
    let browser = &test.browser;
    test.sign_in(started.text("/_links/scaRedirect/href"), "payment").await;
    let page = browser.text("main").await;
    assert!(page.contains(&misspelt) && page.contains("12.50") && page.contains("Tickets"), "{page}");
    assert!(page.contains(&format!("the account belongs to {name}.")), "{page}");
    browser.click(&format!("input[value='{}']", test.method("PHOTOOTP"))).await;
    browser.click("fieldset + button").await;
    browser.find("#code").await;
    browser.check_page("payment-4-picture").await;
    assert!(browser.has("img.picture").await);
    browser.fill("#code", "123456").await;
    browser.click("main form button").await;
    browser.expect_heading("Approved").await;
    let paid = test.tpp.get(&format!("{payment}/status")).await;
    assert_eq!(paid.body["transactionStatus"], 4, "{paid:?}");
    assert_eq!(browser.console_errors().await, Vec::<String>::new());
}

#[tokio::test(flavor = "multi_thread")]
async fn refusal_returns_to_the_third_party() {
    let test = BrowserTest::start().await;
    let payment = test.create_payment("Another Name").await;
    let started = test.start_authorisation(&payment).await;
    test.sign_in(started.text("/_links/scaRedirect/href"), "refusal").await;
    test.browser.follow("button.no").await;
    test.browser.check_page("refusal-4-refused").await;
    test.browser.click("#back").await;
    test.browser.expect_heading("Welcome back").await;
    assert_eq!(test.site.visits().last().map(String::as_str), Some("/no"));
    // The link is used up, and says so.
    test.browser.open(started.text("/_links/scaRedirect/href")).await;
    assert!(test.browser.has("#back").await, "there is a way on from a link that is over");
    assert_eq!(test.tpp.get(&payment).await.text("/transactionStatus"), "RJCT");
}

#[tokio::test(flavor = "multi_thread")]
async fn payment_appears_in_the_app_and_is_approved() {
    let test = BrowserTest::start().await;
    let browser = &test.browser;
    test.enrol().await;
    browser.check_page("app-3-nothing").await;
    let payment = test.create_payment(text(&test.bank.sandbox_file["psus"][1]["name"])).await;
    let asked = test.tpp.clone().with("TPP-Decoupled-Preferred", "true");
    let started = asked.post(&format!("{payment}/authorisations"), &json!({})).await;
    let number = started.text("/challengeData/data/0").to_owned();
    // The approval appears without a reload.
    browser.find("form[data-link]").await;
    browser.check_page("app-4-question").await;
    let page = browser.text("main").await;
    assert!(page.contains("12.50") && page.contains("Tickets"), "{page}");
    browser.click(&format!("button[name=number][value='{number}']")).await;
    browser.expect_text(".notice.good", "Approved").await;
    browser.check_page("app-5-approved").await;
    let paid = test.tpp.get(&format!("{payment}/status")).await;
    assert_eq!(paid.body["transactionStatus"], 4, "{paid:?}");
    // It can be installed, and its key cannot be taken out of it.
    let worker = "const done = arguments[0];
        navigator.serviceWorker.ready.then(registration => done(registration.active.scriptURL), error => done(String(error)))";
    assert!(text(&browser.run_later(worker, json!([])).await).ends_with("/app/worker.js"));
    let key = "const done = arguments[0]; const opened = indexedDB.open('trapeza', 1);
        opened.onsuccess = () => { const got = opened.result.transaction('keys').objectStore('keys').get('app');
            got.onsuccess = () => crypto.subtle.exportKey('pkcs8', got.result.privateKey)
                .then(() => done('exported'), error => done(error.name)) }";
    assert_eq!(browser.run_later(key, json!([])).await, "InvalidAccessError");
    assert_eq!(browser.console_errors().await, Vec::<String>::new());
}

#[tokio::test(flavor = "multi_thread")]
async fn app_shows_accounts_and_makes_a_payment() {
    let test = BrowserTest::start().await;
    let browser = &test.browser;
    test.enrol().await;
    browser.click(".tabs a[href='/app/accounts']").await;
    browser.expect_heading("Accounts").await;
    browser.check_page("app-6-accounts").await;
    browser.click("h2 a").await;
    browser.expect_heading(text(&test.psu["accounts"][0]["name"])).await;
    browser.check_page("app-7-account").await;
    browser.click(".tabs a[href='/app/pay']").await;
    browser.expect_heading("Make a payment").await;
    browser.check_page("app-8-pay").await;
    let payee = &test.bank.sandbox_file["psus"][1];
    browser.fill("#iban", text(&payee["accounts"][0]["iban"])).await;
    browser.fill("#name", text(&payee["name"])).await;
    browser.fill("#amount", "7.x").await;
    browser.fill("#remittance", "<script>window.ran = 1</script>").await;
    browser.click("main form button").await;
    browser.expect_text("[role=alert]", "12.50").await;
    browser.check_page("app-9-pay-error").await;
    browser.fill("#amount", "7,25").await;
    browser.click("main form button").await;
    browser.find("form[data-link]").await;
    browser.check_page("app-10-approve").await;
    assert!(browser.text("main").await.contains("€7.25"));
    assert!(!browser.has(".notice.good").await, "nothing is paid yet");
    browser.click("form[data-link] button").await;
    browser.expect_heading("Paid").await;
    browser.check_page("app-16-receipt").await;
    let receipt = browser.text(".receipt").await;
    assert!(receipt.contains("€7.25") && receipt.contains(text(&payee["name"])), "{receipt}");
    // The payee has it, with the reference as it was typed.
    browser.open(&format!("{}/app/accounts", test.bank.base_url)).await;
    browser.click("h2 a").await;
    let line = browser.text(".lines li").await;
    assert!(line.contains("7.25") && line.contains("<script>window.ran = 1</script>"), "{line}");
    assert_eq!(browser.run("return window.ran ?? 'nothing ran'", json!([])).await, "nothing ran");
    assert_eq!(browser.console_errors().await, Vec::<String>::new());
}

#[tokio::test(flavor = "multi_thread")]
async fn revoked_permission_refuses_the_next_request() {
    let test = BrowserTest::start().await;
    let browser = &test.browser;
    let order = json!({
        "access": { "allPsd2": "allAccounts" },
        "recurringIndicator": true,
        "validUntil": "2099-12-31",
        "frequencyPerDay": 4,
    });
    let created = test.tpp.post("/v1/consents", &order).await;
    let id = created.text("/consentId").to_owned();
    test.bank.authorise(&test.tpp, &format!("/v1/consents/{id}"), &test.psu).await;
    let reader = test.tpp.clone().with("consentID", &id);
    assert_eq!(reader.get("/v1/accounts").await.status, 200);
    test.enrol().await;
    browser.click(".tabs a[href='/app/permissions']").await;
    browser.expect_heading("Who may see what").await;
    browser.check_page("app-11-permissions").await;
    let page = browser.text("main").await;
    assert!(page.contains("Kyklos Finance") && page.contains("Last used\n15 March 2035"), "{page}");
    browser.follow("a.button.no").await;
    browser.expect_heading("Withdraw this permission?").await;
    browser.check_page("app-15-permission-confirm").await;
    browser.click("button.no").await;
    browser.expect_text(".notice.good", "Taken back").await;
    let refused = reader.get("/v1/accounts").await;
    assert_eq!(
        (refused.status, refused.text("/tppMessages/0/text").starts_with("CONSENT_INVALID")),
        (401, true)
    );
    assert_eq!(test.tpp.get(&format!("/v1/consents/{id}")).await.body["consentStatus"], 3);
    browser.click("summary").await;
    browser.check_page("app-12-permissions-before").await;
    browser.expect_text("details", "Withdrawn by you").await;
    assert_eq!(browser.console_errors().await, Vec::<String>::new());
}

#[tokio::test(flavor = "multi_thread")]
async fn checkout_approval_returns_to_the_shop() {
    let test = BrowserTest::start().await;
    let lamp = json!([{ "name": "Reading lamp", "quantity": 2, "Unit Price": 45, "Total Amount": 90 }]);
    let checkout = test.create_basket(90.0, &lamp).await;
    let browser = &test.browser;
    test.verify_phone(&checkout, "+306900000042", "checkout").await;
    browser.follow("a.plan").await;
    browser.check_page("checkout-5-agreement").await;
    let facts = browser.text("main").await;
    assert!(facts.contains("14 days") && facts.contains("%") && facts.contains("90.00"), "{facts}");
    browser.click("input[name=agreed]").await;
    browser.click("main form button").await;
    browser.expect_heading("Bought").await;
    browser.check_page("checkout-6-bought").await;
    browser.click("#back").await;
    browser.expect_heading("Welcome back").await;
    let visit = test.site.visits().last().cloned().unwrap_or_default();
    assert!(visit.starts_with("/bought?orderIdentifier=") && visit.ends_with("&outcome=approved"), "{visit}");
    // The back button, and the link in a second tab, show what became of it.
    browser.open(&checkout).await;
    browser.expect_heading("Bought").await;
    assert_eq!(browser.console_errors().await, Vec::<String>::new());
    // The shopper has no account here: the loan's page is behind a code.
    browser.click("a[href^='/loan/']").await;
    browser.expect_heading("Your loan").await;
    browser.check_page("loan-1-locked").await;
    browser.click("main form button").await;
    browser.fill("#code", "123456").await;
    browser.check_page("loan-2-code").await;
    browser.click("main form button").await;
    browser.expect_text("main", "Next: transfer").await;
    browser.check_page("loan-3-shown").await;
    browser.click("input[name=sure]").await;
    browser.click("button.no").await;
    browser.expect_text("main", "You have withdrawn.").await;
    browser.check_page("loan-4-withdrawn").await;
    assert_eq!(browser.console_errors().await, Vec::<String>::new());
}

#[tokio::test(flavor = "multi_thread")]
async fn checkout_decline_shows_the_reason_and_returns() {
    let test = BrowserTest::start().await;
    let sofa = json!([{ "name": "Sofa", "quantity": 1, "Unit Price": 900, "Total Amount": 900 }]);
    let checkout = test.create_basket(900.0, &sofa).await;
    let browser = &test.browser;
    // This number is declined at the agreement.
    test.verify_phone(&checkout, "+306900000104", "declined").await;
    browser.click("a.plan").await;
    browser.click("input[name=agreed]").await;
    browser.click("main form button").await;
    browser.expect_heading("Not bought").await;
    browser.check_page("declined-5-reason").await;
    browser.click("#back").await;
    browser.expect_heading("Welcome back").await;
    let visit = test.site.visits().last().cloned().unwrap_or_default();
    assert!(visit.starts_with("/not-bought?") && visit.ends_with("&outcome=declined"), "{visit}");
    assert_eq!(browser.console_errors().await, Vec::<String>::new());
}

#[tokio::test(flavor = "multi_thread")]
async fn checkout_above_the_limit_shows_the_reason_and_a_sign_in() {
    let test = BrowserTest::start().await;
    let sofa = json!([{ "name": "Sofa", "quantity": 1, "Unit Price": 900, "Total Amount": 900 }]);
    let checkout = test.create_basket(900.0, &sofa).await;
    let browser = &test.browser;
    test.verify_phone(&checkout, "+306900000042", "limit").await;
    browser.expect_text("main", "you would owe more at a time").await;
    assert!(!browser.has("a.plan").await, "no plan can be chosen");
    browser.follow("a[href$='sign-in=1']").await;
    assert!(browser.has("#password").await);
    assert_eq!(browser.console_errors().await, Vec::<String>::new());
}

/// What people try to put into names. Each sets a mark when it runs.
fn markup() -> Vec<String> {
    let run = "window.ran=1";
    let bare = [
        "<script>RUN</script>",
        "<ScRiPt>RUN</sCrIpT>",
        "</title><script>RUN</script>",
        "</style><script>RUN</script>",
        "</textarea><script>RUN</script>",
        "--><script>RUN</script>",
        "]]><script>RUN</script>",
        "'><script>RUN</script>",
        "\"><script>RUN</script>",
        "`><script>RUN</script>",
        "<img src=x onerror=RUN>",
        "<img src=x onerror='RUN'>",
        "<svg onload=RUN>",
        "<svg/onload=RUN>",
        "<body onload=RUN>",
        "<input autofocus onfocus=RUN>",
        "<details open ontoggle=RUN>",
        "<video><source onerror=RUN>",
        "<audio src=x onerror=RUN>",
        "<iframe src=javascript:RUN>",
        "<a href=javascript:RUN>x</a>",
        "<form action=javascript:RUN><button>",
        "<math><mi xlink:href=javascript:RUN>",
        "<marquee onstart=RUN>",
        "<object data=javascript:RUN>",
        "<embed src=javascript:RUN>",
        "<link rel=import href=x onerror=RUN>",
        "<meta http-equiv=refresh content='0;javascript:RUN'>",
        "<base href=javascript:RUN//>",
        "<template><script>RUN</script>",
        "{{RUN}}",
        "{% RUN %}",
        "${RUN}",
        "<%= RUN %>",
        "#{RUN}",
    ];
    let wrapped = ["", "\" ", "' ", "&lt;", "x=\""];
    let all = wrapped
        .iter()
        .flat_map(|front| bare.iter().map(move |text| format!("{front}{}", text.replace("RUN", run))));
    let mut all: Vec<String> = all.collect();
    all.sort();
    all.dedup();
    all
}

#[tokio::test(flavor = "multi_thread")]
async fn markup_in_names_is_escaped() {
    let test = BrowserTest::start().await;
    let names = markup();
    assert!(names.len() >= 100, "{} strings", names.len());
    let products: Vec<Value> = names
        .iter()
        .map(|name| json!({ "name": name, "quantity": 1, "Unit Price": 1, "Total Amount": 1 }))
        .collect();
    let value = f64::from(u32::try_from(names.len()).unwrap());
    let checkout = test.create_basket(value, &json!(products)).await;
    let browser = &test.browser;
    browser.open(&checkout).await;
    let page = browser.text("main").await;
    for name in &names {
        let shown: String = name.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(page.contains(&shown), "{name} is not shown as it is");
    }
    // And as a payee, a reference and on the page that asks for approval.
    for name in names.iter().filter(|name| name.chars().count() <= 70).step_by(12) {
        let payment = test.create_payment(name).await;
        let decoupled = test.tpp.clone().with("TPP-Decoupled-Preferred", "true");
        let started = decoupled.post(&format!("{payment}/authorisations"), &json!({})).await;
        assert_eq!(started.status, 200, "{name}: {started:?}");
    }
    test.enrol().await;
    let page = browser.text("main").await;
    for name in names.iter().filter(|name| name.chars().count() <= 70).step_by(12) {
        assert!(page.contains(name.trim()), "{name} is not shown as it is");
    }
    let ran = browser.run(
        "return [window.ran ?? 0, document.querySelectorAll('main script, main img, main iframe').length]",
        json!([]),
    );
    assert_eq!(ran.await, json!([0, 0]));
}

#[tokio::test(flavor = "multi_thread")]
async fn app_shows_loans_and_repays_or_withdraws() {
    let test = BrowserTest::start().await;
    let browser = &test.browser;
    for order in ["first", "second"] {
        let lamp = json!([{ "name": "Reading lamp", "quantity": 1, "Unit Price": 60, "Total Amount": 60 }]);
        let checkout = test.create_basket_named(order, 60.0, &lamp).await;
        browser.open(&checkout).await;
        browser.click("main form button").await;
        browser.fill("#phone", text(&test.psu["phone"])).await;
        browser.click("main form button").await;
        browser.fill("#code", "123456").await;
        browser.click("main form button").await;
        if order == "first" {
            browser.follow("a[href$='sign-in=1']").await;
            browser.check_page("checkout-7-sign-in").await;
            browser.fill("#user", text(&test.psu["psu_id"])).await;
            browser.fill("#password", text(&test.psu["password"])).await;
            browser.click("main form button").await;
        }
        browser.click("a.plan").await;
        browser.click("input[name=agreed]").await;
        browser.click("main form button").await;
        browser.expect_heading("Bought").await;
    }
    test.enrol().await;
    browser.click(".tabs a[href='/app/loans']").await;
    browser.expect_heading("Purchases that you pay later").await;
    browser.check_page("app-13-loans").await;
    let page = browser.text("main").await;
    assert!(
        page.contains("order-first") && page.contains("order-second") && page.contains("€20.00"),
        "{page}"
    );
    browser.follow("a.button.no").await;
    browser.expect_heading("Withdraw from the loan?").await;
    browser.check_page("app-17-loan-confirm").await;
    browser.click("form[data-link] button").await;
    browser.expect_text(".notice.good", "withdrawn").await;
    browser.follow("a[href$='/repayment']").await;
    browser.expect_heading("Pay the full amount now?").await;
    browser.click("form[data-link] button").await;
    browser.expect_text(".notice.good", "Paid in full").await;
    browser.check_page("app-14-loans-ended").await;
    assert!(
        !browser.has("a.button.no").await && !browser.has("a[href$='/repayment']").await,
        "nothing is left to end"
    );
    assert_eq!(browser.console_errors().await, Vec::<String>::new());
}

#[tokio::test(flavor = "multi_thread")]
async fn statistics_are_accessible_and_scroll_within_their_region() {
    let test = BrowserTest::start().await;
    let browser = &test.browser;
    test.bank.app.serving_report().await.unwrap();
    test.bank.advance("P40D").await;
    browser.open(&format!("{}/statistics/2035Q1", test.bank.base_url)).await;
    browser.expect_heading("Availability and performance").await;
    browser.check_page("statistics").await;
    let page = browser.text("main").await;
    assert!(
        page.contains("31 March 2035") && page.contains("15 March 2035") && page.contains("100.000%"),
        "{page}"
    );
    browser.follow("nav a").await;
    let newest = browser.text("#quarter").await;
    assert!(newest.contains("2035Q2"), "{newest}");
    assert_eq!(browser.console_errors().await, Vec::<String>::new());
}
