//! The developers' portal in a real browser: from the sign-up to the first call with a test certificate, and a webhook that fails and is
//! sent again. Every page is checked for accessibility, and from 320 to 1280 pixels for sideways scrolling.

use serde_json::json;
use trapeza_app::login::totp;
use trapeza_courier::callback::CallbackSettings;
use trapeza_courier::{CallbackCourier, Roots};
use trapeza_domain::egress::EgressPolicy;
use trapeza_testkit::database::{Database, Engine};
use trapeza_testkit::portal_user::{PASSWORD, base32_decode};
use trapeza_testkit::{Chromium, Reply, TestBank, WebhookReceiver};

const WIDTHS: [u32; 5] = [320, 360, 390, 768, 1280];

struct Portal {
    bank: TestBank,
    browser: Chromium,
}

impl Portal {
    /// Checks the page that the browser shows.
    async fn check_page(&self, name: &str) {
        self.browser.check_page(&format!("portal-{name}")).await;
        for width in WIDTHS {
            self.browser.set_width(width).await;
            let wide = "return document.documentElement.scrollWidth";
            let found = self.browser.run(wide, json!([])).await;
            assert!(found.as_u64().unwrap() <= width.into(), "{name} is {found} wide at {width}");
        }
    }

    /// Signs up with an authenticator app.
    async fn sign_up() -> Self {
        let portal = Self {
            bank: TestBank::start(Database::new(Engine::Sqlite)).await,
            browser: Chromium::start().await,
        };
        let browser = &portal.browser;
        // Browsers have passkeys for host names only.
        let address = portal.bank.base_url.replace("127.0.0.1", "localhost");
        browser.open(&format!("{address}/portal")).await;
        portal.check_page("1-welcome").await;
        browser.follow("a[href='/portal/sign-up']").await;
        portal.check_page("2-sign-up").await;
        browser.follow("main form button").await;
        portal.check_page("3-sign-up-errors").await;
        for (field, value) in [
            ("#organisation", "Kyklos Finance"),
            ("#name", "Eleni"),
            ("#email", "eleni@example.org"),
            ("#password", PASSWORD),
        ] {
            browser.fill(field, value).await;
        }
        browser.follow("main form button").await;
        browser.expect_heading("Set up your authenticator app").await;
        portal.check_page("4-authenticator").await;
        let secret = base32_decode(&browser.text(".secrets code").await);
        let step = totp::step(portal.bank.app.clock().system_now());
        browser.fill("#code", &totp::code(&secret, step)).await;
        browser.follow("main form button").await;
        browser.expect_heading("Keep your recovery codes").await;
        portal.check_page("5-recovery-codes").await;
        browser.follow("main .links a").await;
        browser.expect_heading("Overview").await;
        portal.check_page("6-overview").await;
        portal
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn newcomer_signs_up_and_makes_the_first_call() {
    let portal = Portal::sign_up().await;
    let browser = &portal.browser;
    browser.follow("nav a[href='/portal/applications']").await;
    portal.check_page("7-applications").await;
    browser.fill("#name", "Kyklos").await;
    browser.fill("#redirect_uris", "http://127.0.0.1:9090/back").await;
    browser.follow("form[action='/portal/applications/third-party'] button").await;
    browser.expect_heading("Third party created").await;
    portal.check_page("8-created").await;
    let id = browser.text(".secrets dd:nth-of-type(1)").await;
    let key = browser.text(".secrets dd:nth-of-type(2)").await;
    browser.follow("main .links a").await;
    portal.check_page("9-application").await;
    browser.follow("form[action$='/certificates/issue'] button").await;
    browser.expect_heading("Test certificate").await;
    portal.check_page("10-certificate").await;
    let certificate = browser.text("pre[aria-label=Header]").await;
    let caller = json!({ "subscription_key": key, "client_id": id, "certificate": certificate.trim() });
    let psu = portal.bank.sandbox_file["psus"][0]["psu_id"].as_str().unwrap();
    let tpp = portal.bank.anonymous().as_tpp(&caller).with("PSU_ID", psu);
    let order = json!({ "access": { "allPsd2": "allAccounts" }, "recurringIndicator": true,
        "validUntil": "2099-12-31", "frequencyPerDay": 4 });
    let consent = tpp.post("/v1/consents", &order).await;
    assert_eq!(consent.status, 201, "{consent:?}");
    trapeza_http::request_log::flush(&portal.bank.state).await.unwrap();
    browser.follow("main .links a").await;
    browser.follow("main a[href$='/requests']").await;
    browser.expect_text("main table", "createConsent").await;
    portal.check_page("20-request-log").await;
    browser.fill("#status", "4xx").await;
    browser.follow("form.search button").await;
    browser.expect_text("main", "No request matches.").await;
    browser.fill("#status", "many").await;
    browser.follow("form.search button").await;
    portal.check_page("21-request-log-error").await;
    browser.fill("#status", "201").await;
    browser.follow("form.search button").await;
    browser.follow("main table a").await;
    browser.expect_text("main", consent.text("/consentId")).await;
    portal.check_page("22-request").await;
    browser.follow("main .links a").await;
    browser.follow("main .links a").await;
    browser.follow("main a[href$='/consents']").await;
    portal.check_page("11-consents").await;
    browser.follow("main table a").await;
    browser.expect_text("main dl", consent.text("/consentId")).await;
    portal.check_page("12-consent").await;
    browser.follow("nav a[href='/portal/members']").await;
    portal.check_page("13-members").await;
    browser.follow("nav a[href='/portal/account']").await;
    portal.check_page("14-account").await;
    browser.follow("header form button").await;
    browser.expect_heading("Sign in").await;
    portal.check_page("15-sign-in").await;
    assert_eq!(browser.console_errors().await, Vec::<String>::new());
}

#[tokio::test(flavor = "multi_thread")]
async fn failed_webhook_is_seen_and_sent_again() {
    let portal = Portal::sign_up().await;
    let browser = &portal.browser;
    let settings = CallbackSettings::new(EgressPolicy::PublicOrLoopback, Roots::default());
    let (courier, app) = (CallbackCourier::parse(settings).unwrap(), portal.bank.app.clone());
    let running = tokio::spawn(async move { courier.run(app, std::future::pending()).await });
    // Gone: it is disabled after the first attempt, so that no second one comes by itself.
    let receiver =
        WebhookReceiver::start(|_, count| if count == 0 { Reply::Status(410) } else { Reply::Status(200) })
            .await;
    browser.follow("nav a[href='/portal/applications']").await;
    browser.fill("#merchant_name", "Papyrus Books").await;
    browser.follow("form[action='/portal/applications/merchant'] button").await;
    browser.follow("main .links a").await;
    browser.fill("#success_callback", &receiver.url()).await;
    browser.follow("form[action$='/addresses'] button").await;
    portal.check_page("16-merchant").await;
    browser.follow("main a[href$='/price']").await;
    browser.fill("#amount", "120.30").await;
    browser.follow("form.search button").await;
    browser.expect_text("main table", "40.10").await;
    portal.check_page("23-price").await;
    let (merchant, widget) = (browser.address().await, browser.text("pre[aria-label=Frame]").await);
    let widget = widget.split('"').nth(1).unwrap().replace("&amp;", "&");
    browser.open(&widget).await;
    browser.expect_text("h1", "40.10").await;
    portal.check_page("24-price-widget").await;
    browser.open(&widget.replace("lang=en", "lang=el")).await;
    portal.check_page("25-price-widget-greek").await;
    browser.open(&widget.replace("?", "/image.svg?")).await;
    browser.open(&merchant.replace("price", "settlement")).await;
    portal.check_page("26-settlement").await;
    browser.open(&merchant.replace("price", "usage")).await;
    portal.check_page("27-usage").await;
    browser.follow("main .links a").await;
    browser.follow("main a[href$='/webhooks']").await;
    portal.check_page("17-webhooks").await;
    browser.follow("form[action$='/webhooks/test'] button").await;
    let page = browser.address().await;
    while browser.text("main").await.contains("waiting for its next attempt") {
        browser.open(&page).await;
    }
    browser.expect_text("main", "disabled by the receiver").await;
    browser.expect_text("main table", "410").await;
    portal.check_page("18-webhook-failed").await;
    browser.follow("form[action$='/resend'] button").await;
    while !browser.text("main").await.contains("delivered") {
        browser.open(&page).await;
    }
    portal.check_page("19-webhook-delivered").await;
    assert_eq!(receiver.seen().len(), 2);
    running.abort();
}

#[tokio::test(flavor = "multi_thread")]
async fn passkey_of_the_browser_signs_in() {
    let portal = Portal::sign_up().await;
    let browser = &portal.browser;
    browser.add_authenticator().await;
    browser.follow("nav a[href='/portal/account']").await;
    browser.follow("form[data-passkey=create] button").await;
    assert!(browser.has("#name[aria-invalid=true]").await, "a passkey has a name");
    portal.check_page("28-passkey-error").await;
    browser.fill("#name", "Laptop").await;
    browser.follow("form[data-passkey=create] button").await;
    browser.expect_text("main", "Laptop").await;
    portal.check_page("29-passkey").await;
    browser.follow("header form button").await;
    browser.expect_heading("Sign in").await;
    browser.follow("form[data-passkey=get] button").await;
    browser.expect_heading("Overview").await;
    browser.follow("nav a[href='/portal/account']").await;
    browser.follow("form[action$='/remove'] button").await;
    browser.expect_text("main", "You have no passkeys.").await;
    browser.follow("header form button").await;
    browser.click("form[data-passkey=get] button").await;
    browser.expect_text("main", "passkey was not accepted").await;
}
