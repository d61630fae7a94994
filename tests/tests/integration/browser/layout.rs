//! The layout of every customer page in both languages on screens from 320 to 1280 pixels: nothing scrolls sideways, no text leaves
//! its card, no word is broken into letters. Screenshots at 360 and 1280 pixels are written to `target/pages/`.

use super::browser_test::{BrowserTest, text};
use rstest::rstest;
use serde_json::{Value, json};
use trapeza_testkit::Screen;

/// An IBAN of another bank.
const OTHER_BANK_IBAN: &str = "FR1420041010050500013M02606";
/// Widths of screens in CSS pixels: small and usual phones, a tablet, a desktop.
const WIDTHS: [u32; 5] = [320, 360, 390, 768, 1280];
/// The widths of which screenshots are taken.
const PICTURED: [u32; 2] = [360, 1280];

/// Returns the faults of the page at the width that is passed. A word is a run of letters and digits: a line may end at a hyphen or
/// a slash. Text inside a field scrolls within it, and hidden text is for screen readers only.
const FAULTS: &str = r"
    const width = arguments[0], problems = [], slack = 1;
    // A region that scrolls by itself, and that the keyboard reaches.
    const scrolls = '[role=region][tabindex]';
    const root = document.documentElement;
    if (root.scrollWidth > width) problems.push('the document is ' + root.scrollWidth + ' wide');
    for (const element of document.querySelectorAll('body *')) {
        if (element.matches('input, select, option, .unseen, script, style, ' + scrolls)) continue;
        const clips = getComputedStyle(element).overflowX !== 'visible';
        if (clips && element.scrollWidth > element.clientWidth + slack) problems.push(element.className + ' cuts off its content');
    }
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    const range = document.createRange();
    while (walker.nextNode()) {
        const node = walker.currentNode, parent = node.parentElement;
        if (parent.closest('script, style, noscript, select, .unseen, ' + scrolls) || node.data.trim() === '') continue;
        const box = parent.closest('button, .button, .plan, .method, .card, .error, .notice, main, body').getBoundingClientRect();
        for (const word of node.data.matchAll(/[\p{L}\p{N}]+/gu)) {
            range.setStart(node, word.index);
            range.setEnd(node, word.index + word[0].length);
            const parts = [...range.getClientRects()];
            if (parts.length === 0) continue;
            if (parts.some(part => Math.abs(part.top - parts[0].top) > slack)) problems.push('broken word: ' + word[0]);
            const outside = parts.some(part => part.right > box.right + slack || part.left < box.left - slack);
            if (outside) problems.push('outside of its box: ' + word[0]);
        }
    }
    return problems;
";

/// A test and the faults that were found so far.
struct Survey {
    test: BrowserTest,
    language: &'static str,
    problems: Vec<String>,
}

impl Survey {
    async fn start(language: &'static str) -> Self {
        Self { test: BrowserTest::start_in_language(language).await, language, problems: Vec::new() }
    }

    /// Measures the page that the browser shows.
    async fn measure(&mut self, name: &str) {
        let browser = &self.test.browser;
        let shown = browser.run("return document.documentElement.lang", json!([])).await;
        assert_eq!(shown, self.language, "{name} is in another language");
        for width in WIDTHS {
            browser.set_width(width).await;
            let found = browser.run(FAULTS, json!([width])).await;
            for error in found.as_array().unwrap() {
                self.problems.push(format!("{name} at {width}: {}", text(error)));
            }
            if PICTURED.contains(&width) {
                browser.take_screenshot(&format!("layout-{name}-{}-{width}", self.language)).await;
            }
        }
    }

    /// Clicks and measures the next page.
    async fn follow(&mut self, selector: &str, name: &str) {
        self.test.browser.follow(selector).await;
        self.measure(name).await;
    }

    async fn open(&mut self, path: &str, name: &str) {
        self.test.browser.open(&format!("{}{path}", self.test.bank.base_url)).await;
        self.measure(name).await;
    }

    fn finish(self) {
        assert!(self.problems.is_empty(), "{:#?}", self.problems);
    }

    async fn fill(&self, selector: &str, value: &str) {
        self.test.browser.fill(selector, value).await;
    }

    async fn password(&self) {
        self.fill("#password", text(&self.test.psu["password"])).await;
    }

    /// The pages of an authorisation, up to the choice of a method.
    async fn sign_in(&mut self, link: &str, name: &str) {
        self.test.browser.open(link).await;
        self.measure(&format!("{name}-start")).await;
        self.follow("main form button", &format!("{name}-sign-in")).await;
        self.fill("#password", "wrong").await;
        self.follow("main form button", &format!("{name}-sign-in-error")).await;
        self.password().await;
        self.follow("main form button", &format!("{name}-check")).await;
    }

    /// Makes the browser the customer's app.
    async fn enrol(&mut self) {
        self.open("/app", "app-sign-in").await;
        self.fill("#user", text(&self.test.psu["psu_id"])).await;
        self.fill("#password", "wrong").await;
        self.follow("main form button", "app-sign-in-error").await;
        self.password().await;
        self.follow("main form button", "app-code").await;
        self.fill("#code", "000000").await;
        self.follow("main form button", "app-code-error").await;
        self.fill("#code", "123456").await;
        self.follow("main form button", "app-waiting").await;
    }
}

fn consent(psu: &Value) -> Value {
    json!({
        "access": { "transactions": [{ "iban": psu["accounts"][0]["iban"] }, { "iban": psu["accounts"][1]["iban"] }] },
        "recurringIndicator": true,
        "validUntil": "2099-12-31",
        "frequencyPerDay": 4,
    })
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn sca_pages_fit_every_screen(#[values("en", "el")] language: &'static str) {
    let mut survey = Survey::start(language).await;
    let psu = survey.test.psu.clone();
    let created = survey.test.tpp.post("/v1/consents", &consent(&psu)).await;
    let started =
        survey.test.start_authorisation(&format!("/v1/consents/{}", created.text("/consentId"))).await;
    survey.sign_in(started.text("/_links/scaRedirect/href"), "consent").await;
    for (kind, name) in [("CHIPOTP", "chip"), ("PHOTOOTP", "photo"), ("PUSHOTP", "push"), ("SMSOTP", "sms")] {
        let method = format!("input[value='{}']", survey.test.method(kind));
        survey.test.browser.click(&method).await;
        survey.follow("fieldset + button", &format!("consent-{name}")).await;
        if kind != "SMSOTP" {
            survey.follow("a[href$='choose=1']", &format!("consent-choose-after-{name}")).await;
        }
    }
    survey.fill("#code", "000000").await;
    survey.follow("main form button", "consent-code-error").await;
    survey.fill("#code", "123456").await;
    survey.follow("main form button", "consent-end").await;
    // A payee whose name is not the account owner's, and a refusal.
    let owner = text(&survey.test.bank.sandbox_file["psus"][1]["name"]).to_owned();
    for (payee, name) in [("Another Name", "no-match"), (&format!("{owner}a"), "close-match")] {
        let payment = survey.test.create_payment(payee).await;
        let started = survey.test.start_authorisation(&payment).await;
        survey.sign_in(started.text("/_links/scaRedirect/href"), &format!("payment-{name}")).await;
        survey.follow("button.no", &format!("payment-{name}-refused")).await;
    }
    survey.open("/sca/unknown", "link-unknown").await;
    survey.finish();
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn checkout_pages_fit_every_screen(#[values("en", "el")] language: &'static str) {
    let mut survey = Survey::start(language).await;
    let products = json!([
        { "name": "A history of banking in the Aegean, from the temple treasuries of Delos to the present day",
          "quantity": 3, "Unit Price": 50.1, "Total Amount": 150.3 },
        { "name": "Delivery", "quantity": 1, "Unit Price": 4.9, "Total Amount": 4.9 },
    ]);
    let checkout = survey.test.create_basket(155.2, &products).await;
    survey.test.browser.open(&checkout).await;
    survey.measure("checkout-basket").await;
    survey.follow("main form button", "checkout-phone").await;
    survey.fill("#phone", "12").await;
    survey.follow("main form button", "checkout-phone-error").await;
    survey.fill("#phone", text(&survey.test.psu["phone"])).await;
    survey.follow("main form button", "checkout-code").await;
    survey.fill("#code", "000000").await;
    survey.follow("main form button", "checkout-code-error").await;
    survey.fill("#code", "123456").await;
    survey.follow("main form button", "checkout-plans").await;
    survey.follow("a[href$='sign-in=1']", "checkout-sign-in").await;
    survey.fill("#user", text(&survey.test.psu["psu_id"])).await;
    survey.fill("#password", "wrong").await;
    survey.follow("main form button", "checkout-sign-in-error").await;
    survey.password().await;
    survey.follow("main form button", "checkout-plans-signed-in").await;
    survey.follow("a.plan[href$='plan=12']", "checkout-agreement").await;
    survey.test.browser.run("document.querySelector('input[name=agreed]').required = false", json!([])).await;
    survey.follow("main form button", "checkout-agreement-error").await;
    survey.test.browser.click("input[name=agreed]").await;
    survey.follow("main form button", "checkout-end").await;
    // The loan in the app.
    survey.enrol().await;
    survey.open("/app/loans", "app-loans").await;
    survey.follow("h3 a", "app-loan").await;
    survey.follow("a[href$='/repayment']", "app-loan-repayment").await;
    survey.open("/app/loans", "app-loans-again").await;
    survey.follow("a[href$='/withdrawal']", "app-loan-withdrawal").await;
    survey.finish();
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn app_pages_fit_every_screen(#[values("en", "el")] language: &'static str) {
    let mut survey = Survey::start(language).await;
    let psu = survey.test.psu.clone();
    let created = survey.test.tpp.post("/v1/consents", &consent(&psu)).await;
    let permission = format!("/v1/consents/{}", created.text("/consentId"));
    survey.test.bank.authorise(&survey.test.tpp, &permission, &psu).await;
    survey.enrol().await;
    survey.open("/app/loans", "app-loans-none").await;
    survey.open("/app/accounts", "app-accounts").await;
    survey.follow("h2 a", "app-account").await;
    survey.follow(".lines li a", "app-transaction").await;
    survey.open("/app/accounts", "app-accounts-again").await;
    survey.follow("h2 a[href^='/app/cards/']", "app-card").await;
    survey.follow(".lines li a", "app-card-transaction").await;
    survey.open("/app/payments", "app-payments-none").await;
    survey.open("/app/devices", "app-devices").await;
    survey.open("/app/help", "app-help").await;
    survey.open("/app/permissions", "app-permissions").await;
    survey.follow("a.button.no", "app-permission-confirm").await;
    survey.open("/app/device", "app-device-confirm").await;
    survey.open("/app/unknown", "app-unknown").await;
    survey.open("/", "home").await;
    survey.open("/styleguide", "styleguide").await;
    survey.open("/loan", "loan-find").await;
    survey.fill("#reference", "RF00").await;
    survey.follow("main form button", "loan-find-error").await;
    survey.open("/sandbox/messages", "messages").await;
    survey.open("/app/pay", "app-pay").await;
    let payee = survey.test.bank.sandbox_file["psus"][1].clone();
    for (field, value) in [("#iban", "GR00"), ("#name", text(&payee["name"])), ("#amount", "7.x")] {
        survey.fill(field, value).await;
    }
    survey.follow("main form button", "app-pay-error").await;
    survey.fill("#iban", text(&payee["accounts"][0]["iban"])).await;
    survey.fill("#amount", "1234.50").await;
    survey.fill("#remittance", "Rent of November").await;
    survey.follow("main form button", "app-approve").await;
    survey.follow("form[data-link] button", "app-receipt").await;
    survey.open("/app/payments", "app-payments").await;
    survey.open("/app/pay", "app-pay-again").await;
    for (field, value) in [("#iban", OTHER_BANK_IBAN), ("#name", "CLOSE MATCH"), ("#amount", "12.50")] {
        survey.fill(field, value).await;
    }
    survey.follow("main form button", "app-approve-other-bank").await;
    survey.follow("form[data-link] button", "app-receipt-other-bank").await;
    survey.follow("a[href$='/cancellation']", "app-cancellation").await;
    let payment = survey.test.create_payment(text(&payee["name"])).await;
    let decoupled = survey.test.tpp.clone().with("TPP-Decoupled-Preferred", "true");
    decoupled.post(&format!("{payment}/authorisations"), &json!({})).await;
    survey.open("/app", "app-numbers").await;
    survey.open("/app/help", "app-help-again").await;
    survey.follow("input[value=lock] + button", "app-locked").await;
    survey.open("/statistics", "statistics-none").await;
    survey.test.bank.app.serving_report().await.unwrap();
    survey.test.bank.advance("P2D").await;
    survey.open("/statistics", "statistics").await;
    assert!(survey.test.browser.has(".figures table").await, "the figures are shown");
    survey.open("/statistics/unknown", "statistics-unknown").await;
    survey.finish();
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn guest_loan_pages_fit_every_screen(#[values("en", "el")] language: &'static str) {
    let mut survey = Survey::start(language).await;
    let products = json!([{ "name": "Atlas", "quantity": 1, "Unit Price": 120.0, "Total Amount": 120.0 }]);
    let checkout = survey.test.create_basket(120.0, &products).await;
    survey.test.browser.open(&checkout).await;
    survey.test.browser.follow("main form button").await;
    survey.fill("#phone", "+306900000042").await;
    survey.test.browser.follow("main form button").await;
    survey.fill("#code", "123456").await;
    survey.test.browser.follow("main form button").await;
    survey.follow("a.plan[href$='plan=12']", "guest-agreement").await;
    survey.test.browser.click("input[name=agreed]").await;
    survey.test.browser.follow("main form button").await;
    // The page goes back to the shop by itself, so the link is followed by its address.
    let link = "return document.querySelector(\"a[href^='/loan/']\").getAttribute('href')";
    let link = survey.test.browser.run(link, json!([])).await;
    survey.open(text(&link), "guest-loan-locked").await;
    survey.follow("main form button", "guest-loan-code").await;
    survey.fill("#code", "000000").await;
    survey.follow("main form button", "guest-loan-code-error").await;
    survey.fill("#code", "123456").await;
    survey.follow("main form button", "guest-loan").await;
    assert!(survey.test.browser.has("input[name=sure]").await, "the loan is shown");
    survey.follow("a[href$='extension=1']", "guest-extension").await;
    survey.fill("#statement", "I earn less since May.").await;
    survey.fill("#income", "x").await;
    survey.follow("main form button", "guest-extension-error").await;
    survey.test.bank.advance("P40D").await;
    survey.open(text(&link), "guest-loan-locked-again").await;
    survey.follow("main form button", "guest-loan-code-again").await;
    survey.fill("#code", "123456").await;
    survey.follow("main form button", "guest-loan-overdue").await;
    survey.follow("a[href$='pause=1']", "guest-pause").await;
    survey.finish();
}

#[tokio::test(flavor = "multi_thread")]
async fn element_that_is_too_wide_is_detected_on_every_screen() {
    let test = BrowserTest::start().await;
    let browser = &test.browser;
    browser.open(&format!("{}/", test.bank.base_url)).await;
    for screen in [Screen::Phone, Screen::Desktop] {
        browser.set_screen(screen).await;
        assert!(!browser.scrolls_sideways(screen).await, "{screen:?}");
        let plant = "const wide = document.createElement('div');
            wide.id = 'wide'; wide.style.width = '3000px'; wide.textContent = 'wide'; document.body.append(wide)";
        browser.run(plant, json!([])).await;
        assert!(browser.scrolls_sideways(screen).await, "{screen:?}");
        browser.run("document.getElementById('wide').remove()", json!([])).await;
    }
}
