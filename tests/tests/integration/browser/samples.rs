//! The samples in a real browser: a consent with its accounts, a payment in three ways, and a purchase up to its loan and refund. Every
//! page is checked for accessibility, and from 320 to 1280 pixels for sideways scrolling.

use super::browser_test::text;
use serde_json::{Value, json};
use trapeza_courier::callback::CallbackSettings;
use trapeza_courier::{CallbackCourier, Roots};
use trapeza_domain::egress::EgressPolicy;
use trapeza_testkit::database::{Database, Engine};
use trapeza_testkit::{Chromium, TestBank};

const WIDTHS: [u32; 5] = [320, 360, 390, 768, 1280];

struct Visit {
    bank: TestBank,
    browser: Chromium,
    /// The customer that the sample offers first.
    psu: Value,
}

impl Visit {
    async fn new() -> Self {
        let bank = TestBank::start(Database::new(Engine::Sqlite)).await;
        let psu = bank.sandbox_file["psus"][0].clone();
        Self { bank, browser: Chromium::start().await, psu }
    }

    /// Checks the page that the browser shows.
    async fn check_page(&self, name: &str) {
        self.browser.check_page(&format!("sample-{name}")).await;
        for width in WIDTHS {
            self.browser.set_width(width).await;
            let wide = "return document.documentElement.scrollWidth";
            let found = self.browser.run(wide, json!([])).await;
            assert!(found.as_u64().unwrap() <= width.into(), "{name} is {found} wide at {width}");
        }
    }

    /// Starts a walkthrough of the sample third party from its first page.
    async fn start(&self, purpose: &str) {
        self.browser.open(&format!("{}/sample/tpp", self.bank.base_url)).await;
        if !self.browser.has("input[name=purpose]").await {
            self.step("new").await;
        }
        self.browser.click(&format!("input[name=purpose][value={purpose}]")).await;
        self.step("start").await;
    }

    /// Submits the form of a step.
    async fn step(&self, step: &str) {
        self.browser.follow(&format!("form:has(input[name=step][value={step}]) button")).await;
    }

    /// From the sample to the bank's page, through it, and back.
    async fn confirm_at_the_bank(&self) {
        let browser = &self.browser;
        browser.follow(".page-blocks a.button").await;
        browser.click("main form button").await;
        browser.expect_heading("Sign in").await;
        browser.fill("#password", text(&self.psu["password"])).await;
        browser.click("main form button").await;
        browser.find("input[name=method]").await;
        let methods = self.psu["methods"].as_array().unwrap();
        let sms = methods.iter().find(|method| method["type"] == "SMSOTP").unwrap();
        browser.click(&format!("input[value='{}']", text(&sms["id"]))).await;
        browser.click("fieldset + button").await;
        browser.find("#code").await;
        browser.fill("#code", "123456").await;
        browser.click("main form button").await;
        browser.expect_heading("Approved").await;
        browser.click("#back").await;
        browser.expect_heading("Sample third party").await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn consent_is_given_at_the_bank_and_accounts_are_read() {
    let visit = Visit::new().await;
    let browser = &visit.browser;
    browser.open(&visit.bank.base_url).await;
    browser.follow("a[href='/sample/tpp']").await;
    visit.check_page("tpp-1-start").await;
    visit.step("start").await;
    visit.check_page("tpp-2-bank").await;
    visit.confirm_at_the_bank().await;
    browser.expect_text(".notice.good", "The consent is valid").await;
    visit.check_page("tpp-3-valid").await;
    visit.step("read").await;
    let accounts = browser.text("[aria-label=Accounts]").await;
    assert!(accounts.contains(text(&visit.psu["accounts"][0]["iban"])), "{accounts}");
    assert!(browser.text("[aria-label=Transactions]").await.lines().count() > 3);
    // The raw calls have the key of the sample, the status and the correlation id.
    let calls = browser.run("return document.querySelector('.calls').textContent", json!([])).await;
    let samples = visit.bank.sandbox_file["tpps"].as_array().unwrap();
    let key =
        text(&samples.iter().find(|tpp| tpp["name"] == "Sample Third Party").unwrap()["subscription_key"]);
    for part in [key, "/v1/consents", "x-correlation-id", "balanceAmount", "TPP-Redirect-URI"] {
        assert!(text(&calls).contains(part), "{part}");
    }
    visit.check_page("tpp-4-accounts").await;
    visit.step("delete").await;
    browser.expect_text(".notice.good", "The consent is deleted").await;
    assert_eq!(browser.console_errors().await, Vec::<String>::new());
}

#[tokio::test(flavor = "multi_thread")]
async fn payment_is_authorised_in_three_ways() {
    let visit = Visit::new().await;
    let browser = &visit.browser;
    visit.start("redirect").await;
    visit.confirm_at_the_bank().await;
    browser.expect_text(".notice.good", "The payment is done").await;
    visit.check_page("tpp-5-paid").await;

    visit.start("embedded").await;
    visit.check_page("tpp-6-password").await;
    browser.fill("#password-password", "wrong").await;
    visit.step("password").await;
    browser.expect_text("[role=alert]", "PSU_CREDENTIALS_INVALID").await;
    browser.fill("#password-password", text(&visit.psu["password"])).await;
    visit.step("password").await;
    visit.check_page("tpp-7-method").await;
    visit.step("method").await;
    visit.check_page("tpp-8-code").await;
    browser.fill("#code-code", "123456").await;
    visit.step("code").await;
    browser.expect_text(".notice.good", "The payment is done").await;

    visit.start("decoupled").await;
    visit.check_page("tpp-9-app").await;
    let shown = browser.text(".page-blocks").await;
    let number =
        shown.split("The number is ").nth(1).and_then(|rest| rest.split('.').next()).unwrap().to_owned();
    visit.step("check").await;
    browser.expect_text(".page-blocks", "RCVD").await;
    browser.follow(".links a").await;
    browser.fill("#user", text(&visit.psu["psu_id"])).await;
    browser.fill("#password", text(&visit.psu["password"])).await;
    browser.click("main form button").await;
    browser.expect_heading("A code for this device").await;
    browser.fill("#code", "123456").await;
    browser.click("main form button").await;
    browser.expect_heading("Waiting for you").await;
    browser.click(&format!("button[name=number][value='{number}']")).await;
    browser.expect_text(".notice.good", "Approved").await;
    browser.open(&format!("{}/sample/tpp", visit.bank.base_url)).await;
    visit.step("check").await;
    browser.expect_text(".notice.good", "The payment is done").await;
    assert_eq!(browser.console_errors().await, Vec::<String>::new());
}

#[tokio::test(flavor = "multi_thread")]
async fn purchase_leads_to_a_loan_and_its_refund() {
    let visit = Visit::new().await;
    let browser = &visit.browser;
    let settings = CallbackSettings::new(EgressPolicy::PublicOrLoopback, Roots::default());
    let (courier, app) = (CallbackCourier::parse(settings).unwrap(), visit.bank.app.clone());
    let running = tokio::spawn(async move { courier.run(app, std::future::pending()).await });
    let shop = format!("{}/sample/shop", visit.bank.base_url);
    browser.open(&shop).await;
    visit.check_page("shop-1-cart").await;
    visit.step("start").await;
    visit.check_page("shop-2-checkout").await;
    browser.follow(".page-blocks a.button").await;
    browser.follow("main form button").await;
    browser.fill("#phone", "+306900000100").await;
    browser.follow("main form button").await;
    browser.fill("#code", "123456").await;
    browser.follow("main form button").await;
    browser.follow("a.plan").await;
    browser.click("input[name=agreed]").await;
    browser.click("main form button").await;
    browser.expect_heading("Bought").await;
    browser.click("#back").await;
    browser.expect_heading("Sample shop").await;
    browser.expect_text(".notice.good", "approved the loan of 82.25 EUR").await;
    while !browser.has(".callback").await {
        browser.open(&shop).await;
    }
    assert!(browser.text(".callback").await.contains("basket.approved"));
    visit.check_page("shop-3-loan").await;
    assert!(browser.text("[aria-label=Installments]").await.contains("27.4"));
    browser.fill("#refund-amount", "twenty").await;
    visit.step("refund").await;
    browser.expect_text("#refund-amount-error", "must be an amount").await;
    browser.fill("#refund-amount", "20.00").await;
    visit.step("refund").await;
    browser.expect_text("dl", "20 EUR").await;
    visit.check_page("shop-4-refunded").await;
    visit.step("void").await;
    browser.expect_text(".page-blocks", "The whole order is refunded").await;
    assert_eq!(browser.console_errors().await, Vec::<String>::new());
    running.abort();
}

#[tokio::test(flavor = "multi_thread")]
async fn sandbox_page_creates_a_customer_and_imports_an_export() {
    let visit = Visit::new().await;
    let browser = &visit.browser;
    browser.open(&visit.bank.base_url).await;
    browser.follow("a[href='/sandbox']").await;
    visit.check_page("sandbox-1-page").await;
    browser.fill("#customer-phone", "12").await;
    visit.step("customer").await;
    visit.check_page("sandbox-2-errors").await;
    browser.expect_text("#customer-psuId-error", "required").await;
    for (field, value) in [("psuId", "maria"), ("name", "Maria Test"), ("phone", "+306900000200")] {
        browser.fill(&format!("#customer-{field}"), value).await;
    }
    visit.step("customer").await;
    browser.expect_text(".notice.good", "The customer was created").await;
    let export = visit.bank.anonymous().get("/sandbox/bank").await.body.to_string();
    visit.bank.anonymous().post("/sandbox/reset", &json!({})).await;
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("bank.json");
    std::fs::write(&file, export).unwrap();
    browser.find("#import-file").await.send_keys(file.to_str().unwrap()).await.unwrap();
    visit.step("import").await;
    browser.expect_text(".notice.good", "The bank is that of the file").await;
    assert!(browser.text("[aria-label=Customers]").await.contains("Maria Test"));
    visit.step("reset").await;
    browser.expect_text("#reset-sure-error", "must be ticked").await;
    assert_eq!(browser.console_errors().await, Vec::<String>::new());
}
