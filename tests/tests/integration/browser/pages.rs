//! Pages in a real browser: each flow as a customer goes through it, with a screenshot of every page on a phone and a desktop, and
//! an accessibility check. Refused requests are tested in `http::pages`.
//!
//! One engine is enough here: what lies beneath the pages runs on both in the other stories.

use super::scene::{Scene, text};
use serde_json::{Value, json};

#[tokio::test(flavor = "multi_thread")]
async fn first_page_and_design_system_are_accessible_in_both_languages() {
    for language in ["en", "el"] {
        let scene = Scene::in_language(language).await;
        for (path, name) in [("/", "home"), ("/styleguide", "styleguide"), ("/loan", "loan-find")] {
            scene.browser.open(&format!("{}{path}", scene.bank.base_url)).await;
            scene.browser.inspect(&format!("{name}-{language}")).await;
        }
        assert_eq!(scene.browser.complaints().await, Vec::<String>::new());
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn language_is_switched_while_a_method_is_chosen() {
    let scene = Scene::set().await;
    let started = scene.started(&scene.payment("Nikos Georgiou").await).await;
    let browser = &scene.browser;
    scene.sign_in(started.text("/_links/scaRedirect/href"), "language").await;
    browser.follow(".languages a").await;
    let shown = browser.run("return document.documentElement.lang", json!([])).await;
    assert_eq!(shown, "el");
    browser.click(&format!("input[value='{}']", scene.method("SMSOTP"))).await;
    browser.click("fieldset + button").await;
    browser.find("#code").await;
    browser.inspect("language-code").await;
    browser.fill("#code", "123456").await;
    browser.click("main form button").await;
    browser.heading("Εγκρίθηκε").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn consent_by_redirect_returns_to_the_third_party() {
    let scene = Scene::set().await;
    let order = json!({
        "access": { "balances": [{ "iban": scene.psu["accounts"][0]["iban"] }] },
        "recurringIndicator": true,
        "validUntil": "2099-12-31",
        "frequencyPerDay": 4,
    });
    let created = scene.tpp.post("/v1/consents", &order).await;
    let consent = format!("/v1/consents/{}", created.text("/consentId"));
    let started = scene.started(&consent).await;
    let browser = &scene.browser;
    scene.sign_in(started.text("/_links/scaRedirect/href"), "consent").await;
    browser.click(&format!("input[value='{}']", scene.method("SMSOTP"))).await;
    browser.click("fieldset + button").await;
    browser.find("#code").await;
    browser.inspect("consent-4-confirm").await;
    browser.fill("#code", "000000").await;
    browser.click("main form button").await;
    browser.reads("[role=alert]", "code").await;
    browser.fill("#code", "123456").await;
    browser.click("main form button").await;
    browser.heading("Approved").await;
    browser.inspect("consent-5-agreed").await;
    browser.click("#back").await;
    browser.heading("Welcome back").await;
    assert_eq!(scene.site.visits().last().map(String::as_str), Some("/good"));
    let status = scene.tpp.get(&format!("{consent}/status")).await;
    assert_eq!(status.body["consentStatus"], 2);
    // The back button shows where it stands, not a form that was answered.
    browser.back().await;
    browser.heading("Approved").await;
    assert_eq!(browser.complaints().await, Vec::<String>::new());
}

#[tokio::test(flavor = "multi_thread")]
async fn payment_with_close_match_warns_and_can_be_approved() {
    let scene = Scene::set().await;
    let name = text(&scene.bank.sandbox_file["psus"][1]["name"]).to_owned();
    let misspelt = format!("{name}a");
    let payment = scene.payment(&misspelt).await;
    let started = scene.started(&payment).await;
    assert_eq!(started.text("/originalTransactionInformationAndVopStatus"), "CMTC");
    let browser = &scene.browser;
    scene.sign_in(started.text("/_links/scaRedirect/href"), "payment").await;
    let page = browser.text("main").await;
    assert!(page.contains(&misspelt) && page.contains("12.50") && page.contains("Tickets"), "{page}");
    assert!(page.contains(&format!("the account belongs to {name}.")), "{page}");
    browser.click(&format!("input[value='{}']", scene.method("PHOTOOTP"))).await;
    browser.click("fieldset + button").await;
    browser.find("#code").await;
    browser.inspect("payment-4-picture").await;
    assert!(browser.has("img.picture").await);
    browser.fill("#code", "123456").await;
    browser.click("main form button").await;
    browser.heading("Approved").await;
    let paid = scene.tpp.get(&format!("{payment}/status")).await;
    assert_eq!(paid.body["transactionStatus"], 4, "{paid:?}");
    assert_eq!(browser.complaints().await, Vec::<String>::new());
}

#[tokio::test(flavor = "multi_thread")]
async fn refusal_returns_to_the_third_party() {
    let scene = Scene::set().await;
    let payment = scene.payment("Another Name").await;
    let started = scene.started(&payment).await;
    scene.sign_in(started.text("/_links/scaRedirect/href"), "refusal").await;
    scene.browser.follow("button.no").await;
    scene.browser.inspect("refusal-4-refused").await;
    scene.browser.click("#back").await;
    scene.browser.heading("Welcome back").await;
    assert_eq!(scene.site.visits().last().map(String::as_str), Some("/no"));
    // The link is used up, and says so.
    scene.browser.open(started.text("/_links/scaRedirect/href")).await;
    assert!(scene.browser.has("#back").await, "there is a way on from a link that is over");
    assert_eq!(scene.tpp.get(&payment).await.text("/transactionStatus"), "RJCT");
}

#[tokio::test(flavor = "multi_thread")]
async fn payment_appears_in_the_app_and_is_approved() {
    let scene = Scene::set().await;
    let browser = &scene.browser;
    scene.enrol().await;
    browser.inspect("app-3-nothing").await;
    let payment = scene.payment(text(&scene.bank.sandbox_file["psus"][1]["name"])).await;
    let asked = scene.tpp.clone().with("TPP-Decoupled-Preferred", "true");
    let started = asked.post(&format!("{payment}/authorisations"), &json!({})).await;
    let number = started.text("/challengeData/data/0").to_owned();
    // The approval appears without a reload.
    browser.find("form[data-link]").await;
    browser.inspect("app-4-question").await;
    let page = browser.text("main").await;
    assert!(page.contains("12.50") && page.contains("Tickets"), "{page}");
    browser.click(&format!("button[name=number][value='{number}']")).await;
    browser.reads(".notice.good", "Approved").await;
    browser.inspect("app-5-approved").await;
    let paid = scene.tpp.get(&format!("{payment}/status")).await;
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
    assert_eq!(browser.complaints().await, Vec::<String>::new());
}

#[tokio::test(flavor = "multi_thread")]
async fn app_shows_accounts_and_makes_a_payment() {
    let scene = Scene::set().await;
    let browser = &scene.browser;
    scene.enrol().await;
    browser.click(".tabs a[href='/app/accounts']").await;
    browser.heading("Accounts").await;
    browser.inspect("app-6-accounts").await;
    browser.click("h2 a").await;
    browser.heading(text(&scene.psu["accounts"][0]["name"])).await;
    browser.inspect("app-7-account").await;
    browser.click(".tabs a[href='/app/pay']").await;
    browser.heading("Make a payment").await;
    browser.inspect("app-8-pay").await;
    let payee = &scene.bank.sandbox_file["psus"][1];
    browser.fill("#iban", text(&payee["accounts"][0]["iban"])).await;
    browser.fill("#name", text(&payee["name"])).await;
    browser.fill("#amount", "7.x").await;
    browser.fill("#remittance", "<script>window.ran = 1</script>").await;
    browser.click("main form button").await;
    browser.reads("[role=alert]", "12.50").await;
    browser.inspect("app-9-pay-error").await;
    browser.fill("#amount", "7,25").await;
    browser.click("main form button").await;
    browser.find("form[data-link]").await;
    browser.inspect("app-10-approve").await;
    assert!(browser.text("main").await.contains("€7.25"));
    assert!(!browser.has(".notice.good").await, "nothing is paid yet");
    browser.click("form[data-link] button").await;
    browser.heading("Paid").await;
    browser.inspect("app-16-receipt").await;
    let receipt = browser.text(".receipt").await;
    assert!(receipt.contains("€7.25") && receipt.contains(text(&payee["name"])), "{receipt}");
    // The payee has it, with the reference as it was typed.
    browser.open(&format!("{}/app/accounts", scene.bank.base_url)).await;
    browser.click("h2 a").await;
    let line = browser.text(".lines li").await;
    assert!(line.contains("7.25") && line.contains("<script>window.ran = 1</script>"), "{line}");
    assert_eq!(browser.run("return window.ran ?? 'nothing ran'", json!([])).await, "nothing ran");
    assert_eq!(browser.complaints().await, Vec::<String>::new());
}

#[tokio::test(flavor = "multi_thread")]
async fn revoked_permission_refuses_the_next_request() {
    let scene = Scene::set().await;
    let browser = &scene.browser;
    let order = json!({
        "access": { "allPsd2": "allAccounts" },
        "recurringIndicator": true,
        "validUntil": "2099-12-31",
        "frequencyPerDay": 4,
    });
    let created = scene.tpp.post("/v1/consents", &order).await;
    let id = created.text("/consentId").to_owned();
    scene.bank.authorise(&scene.tpp, &format!("/v1/consents/{id}"), &scene.psu).await;
    let reader = scene.tpp.clone().with("consentID", &id);
    assert_eq!(reader.get("/v1/accounts").await.status, 200);
    scene.enrol().await;
    browser.click(".tabs a[href='/app/permissions']").await;
    browser.heading("Who may see what").await;
    browser.inspect("app-11-permissions").await;
    let page = browser.text("main").await;
    assert!(page.contains("Kyklos Finance") && page.contains("Last used\n15 March 2035"), "{page}");
    browser.follow("a.button.no").await;
    browser.heading("Withdraw this permission?").await;
    browser.inspect("app-15-permission-confirm").await;
    browser.click("button.no").await;
    browser.reads(".notice.good", "Taken back").await;
    let refused = reader.get("/v1/accounts").await;
    assert_eq!(
        (refused.status, refused.text("/tppMessages/0/text").starts_with("CONSENT_INVALID")),
        (401, true)
    );
    assert_eq!(scene.tpp.get(&format!("/v1/consents/{id}")).await.body["consentStatus"], 3);
    browser.click("summary").await;
    browser.inspect("app-12-permissions-before").await;
    browser.reads("details", "Withdrawn by you").await;
    assert_eq!(browser.complaints().await, Vec::<String>::new());
}

#[tokio::test(flavor = "multi_thread")]
async fn checkout_approval_returns_to_the_shop() {
    let scene = Scene::set().await;
    let lamp = json!([{ "name": "Reading lamp", "quantity": 2, "Unit Price": 45, "Total Amount": 90 }]);
    let checkout = scene.basket(90.0, &lamp).await;
    let browser = &scene.browser;
    scene.prove_phone(&checkout, "+306900000042", "checkout").await;
    browser.follow("a.plan").await;
    browser.inspect("checkout-5-agreement").await;
    let facts = browser.text("main").await;
    assert!(facts.contains("14 days") && facts.contains("%") && facts.contains("90.00"), "{facts}");
    browser.click("input[name=agreed]").await;
    browser.click("main form button").await;
    browser.heading("Bought").await;
    browser.inspect("checkout-6-bought").await;
    browser.click("#back").await;
    browser.heading("Welcome back").await;
    let visit = scene.site.visits().last().cloned().unwrap_or_default();
    assert!(visit.starts_with("/bought?orderIdentifier=") && visit.ends_with("&outcome=approved"), "{visit}");
    // The back button, and the link in a second tab, show what became of it.
    browser.open(&checkout).await;
    browser.heading("Bought").await;
    assert_eq!(browser.complaints().await, Vec::<String>::new());
    // The shopper has no account here: the loan's page is behind a code.
    browser.click("a[href^='/loan/']").await;
    browser.heading("Your loan").await;
    browser.inspect("loan-1-locked").await;
    browser.click("main form button").await;
    browser.fill("#code", "123456").await;
    browser.inspect("loan-2-code").await;
    browser.click("main form button").await;
    browser.reads("main", "Next: transfer").await;
    browser.inspect("loan-3-shown").await;
    browser.click("input[name=sure]").await;
    browser.click("button.no").await;
    browser.reads("main", "You have withdrawn.").await;
    browser.inspect("loan-4-withdrawn").await;
    assert_eq!(browser.complaints().await, Vec::<String>::new());
}

#[tokio::test(flavor = "multi_thread")]
async fn checkout_decline_shows_the_reason_and_returns() {
    let scene = Scene::set().await;
    let sofa = json!([{ "name": "Sofa", "quantity": 1, "Unit Price": 900, "Total Amount": 900 }]);
    let checkout = scene.basket(900.0, &sofa).await;
    let browser = &scene.browser;
    // This number is declined at the agreement.
    scene.prove_phone(&checkout, "+306900000104", "declined").await;
    browser.click("a.plan").await;
    browser.click("input[name=agreed]").await;
    browser.click("main form button").await;
    browser.heading("Not bought").await;
    browser.inspect("declined-5-reason").await;
    browser.click("#back").await;
    browser.heading("Welcome back").await;
    let visit = scene.site.visits().last().cloned().unwrap_or_default();
    assert!(visit.starts_with("/not-bought?") && visit.ends_with("&outcome=declined"), "{visit}");
    assert_eq!(browser.complaints().await, Vec::<String>::new());
}

#[tokio::test(flavor = "multi_thread")]
async fn checkout_above_the_limit_shows_the_reason_and_a_sign_in() {
    let scene = Scene::set().await;
    let sofa = json!([{ "name": "Sofa", "quantity": 1, "Unit Price": 900, "Total Amount": 900 }]);
    let checkout = scene.basket(900.0, &sofa).await;
    let browser = &scene.browser;
    scene.prove_phone(&checkout, "+306900000042", "limit").await;
    browser.reads("main", "you would owe more at a time").await;
    assert!(!browser.has("a.plan").await, "no plan can be chosen");
    browser.follow("a[href$='sign-in=1']").await;
    assert!(browser.has("#password").await);
    assert_eq!(browser.complaints().await, Vec::<String>::new());
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
    let scene = Scene::set().await;
    let names = markup();
    assert!(names.len() >= 100, "{} strings", names.len());
    let products: Vec<Value> = names
        .iter()
        .map(|name| json!({ "name": name, "quantity": 1, "Unit Price": 1, "Total Amount": 1 }))
        .collect();
    let value = f64::from(u32::try_from(names.len()).unwrap());
    let checkout = scene.basket(value, &json!(products)).await;
    let browser = &scene.browser;
    browser.open(&checkout).await;
    let page = browser.text("main").await;
    for name in &names {
        let shown: String = name.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(page.contains(&shown), "{name} is not shown as it is");
    }
    // And as a payee, a reference and on the page that asks for approval.
    for name in names.iter().filter(|name| name.chars().count() <= 70).step_by(12) {
        let payment = scene.payment(name).await;
        let decoupled = scene.tpp.clone().with("TPP-Decoupled-Preferred", "true");
        let started = decoupled.post(&format!("{payment}/authorisations"), &json!({})).await;
        assert_eq!(started.status, 200, "{name}: {started:?}");
    }
    scene.enrol().await;
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
    let scene = Scene::set().await;
    let browser = &scene.browser;
    for order in ["first", "second"] {
        let lamp = json!([{ "name": "Reading lamp", "quantity": 1, "Unit Price": 60, "Total Amount": 60 }]);
        let checkout = scene.basket_of(order, 60.0, &lamp).await;
        browser.open(&checkout).await;
        browser.click("main form button").await;
        browser.fill("#phone", text(&scene.psu["phone"])).await;
        browser.click("main form button").await;
        browser.fill("#code", "123456").await;
        browser.click("main form button").await;
        if order == "first" {
            browser.follow("a[href$='sign-in=1']").await;
            browser.inspect("checkout-7-sign-in").await;
            browser.fill("#user", text(&scene.psu["psu_id"])).await;
            browser.fill("#password", text(&scene.psu["password"])).await;
            browser.click("main form button").await;
        }
        browser.click("a.plan").await;
        browser.click("input[name=agreed]").await;
        browser.click("main form button").await;
        browser.heading("Bought").await;
    }
    scene.enrol().await;
    browser.click(".tabs a[href='/app/loans']").await;
    browser.heading("Purchases that you pay later").await;
    browser.inspect("app-13-loans").await;
    let page = browser.text("main").await;
    assert!(
        page.contains("order-first") && page.contains("order-second") && page.contains("€20.00"),
        "{page}"
    );
    browser.follow("a.button.no").await;
    browser.heading("Withdraw from the loan?").await;
    browser.inspect("app-17-loan-confirm").await;
    browser.click("form[data-link] button").await;
    browser.reads(".notice.good", "withdrawn").await;
    browser.follow("a[href$='/repayment']").await;
    browser.heading("Pay the full amount now?").await;
    browser.click("form[data-link] button").await;
    browser.reads(".notice.good", "Paid in full").await;
    browser.inspect("app-14-loans-ended").await;
    assert!(
        !browser.has("a.button.no").await && !browser.has("a[href$='/repayment']").await,
        "nothing is left to end"
    );
    assert_eq!(browser.complaints().await, Vec::<String>::new());
}

#[tokio::test(flavor = "multi_thread")]
async fn statistics_are_accessible_and_scroll_within_their_region() {
    let scene = Scene::set().await;
    let browser = &scene.browser;
    scene.bank.app.serving_report().await.unwrap();
    scene.bank.advance("P40D").await;
    browser.open(&format!("{}/statistics/2035Q1", scene.bank.base_url)).await;
    browser.heading("Availability and performance").await;
    browser.inspect("statistics").await;
    let page = browser.text("main").await;
    assert!(
        page.contains("31 March 2035") && page.contains("15 March 2035") && page.contains("100.000%"),
        "{page}"
    );
    browser.follow("nav a").await;
    let newest = browser.text("#quarter").await;
    assert!(newest.contains("2035Q2"), "{newest}");
    assert_eq!(browser.complaints().await, Vec::<String>::new());
}
