//! What the tests in a browser share: a bank, a third party with a website, a customer and a browser, and the steps to a page.

use serde_json::{Value, json};
use std::sync::{Arc, Mutex};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;
use trapeza_testkit::database::{Database, Engine};
use trapeza_testkit::{ApiClient, ApiResponse, Chromium, TestBank};

/// The site that the customer comes from and is taken back to.
pub struct Site {
    address: String,
    visits: Arc<Mutex<Vec<String>>>,
}

impl Site {
    async fn open() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = format!("http://{}", listener.local_addr().unwrap());
        let visits: Arc<Mutex<Vec<String>>> = Arc::default();
        let seen = visits.clone();
        tokio::spawn(async move {
            while let Ok((mut stream, _)) = listener.accept().await {
                let mut request = vec![0; 8192];
                let length = stream.read(&mut request).await.unwrap_or(0);
                let request = String::from_utf8_lossy(&request[..length]).into_owned();
                let path = request.split(' ').nth(1).unwrap_or_default().to_owned();
                if path != "/favicon.ico" {
                    seen.lock().unwrap().push(path);
                }
                let body = "<!doctype html><html lang=en><title>Shop</title><h1>Welcome back</h1>";
                let head = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nConnection: close\r\n";
                let answer = format!("{head}Content-Length: {}\r\n\r\n{body}", body.len());
                let _ = stream.write_all(answer.as_bytes()).await;
            }
        });
        Self { address, visits }
    }

    pub fn visits(&self) -> Vec<String> {
        self.visits.lock().unwrap().clone()
    }
}

/// A bank, a third party whose site the customer comes from, and the customer.
pub struct BrowserTest {
    pub bank: TestBank,
    pub site: Site,
    pub tpp: ApiClient,
    pub psu: Value,
    pub browser: Chromium,
}

impl BrowserTest {
    pub async fn start() -> Self {
        Self::start_in_language("en").await
    }

    /// The same with a browser that prefers another language.
    pub async fn start_in_language(language: &str) -> Self {
        let bank = TestBank::start(Database::new(Engine::Sqlite)).await;
        let (site, psu) = (Site::open().await, bank.sandbox_file["psus"][0].clone());
        let uris =
            json!({ "redirectURIs": [format!("{}/good", site.address), format!("{}/no", site.address)] });
        let own =
            format!("/sandbox/applications/{}", bank.sandbox_file["tpps"][0]["client_id"].as_str().unwrap());
        let changed = bank.tpp(0).patch(&own, &uris).await;
        assert_eq!(changed.status, 200, "{changed:?}");
        let tpp = bank.tpp(0).with("PSU_ID", text(&psu["psu_id"])).with("pSUIPAddress", "192.0.2.1");
        let tpp = tpp
            .with("TPP-Redirect-URI", &format!("{}/good", site.address))
            .with("TPP-Nok-Redirect-URI", &format!("{}/no", site.address));
        Self { bank, site, tpp, psu, browser: Chromium::with_language(language).await }
    }

    /// A payment to the second customer, whom the order calls `name`.
    pub async fn create_payment(&self, name: &str) -> String {
        let order = json!({
            "debtorAccount": { "iban": self.psu["accounts"][0]["iban"] },
            "instructedAmount": { "currency": "EUR", "Amount": "12.50" },
            "creditorAccount": { "iban": self.bank.sandbox_file["psus"][1]["accounts"][0]["iban"] },
            "creditorName": name,
            "remittanceInformationUnstructured": "Tickets",
        });
        let made = self.tpp.post("/v1/payments/internal-transfers", &order).await;
        assert_eq!(made.status, 200, "{made:?}");
        format!("/v1/payments/internal-transfers/{}", made.text("/paymentId"))
    }

    pub async fn start_authorisation(&self, object: &str) -> ApiResponse {
        let started = self.tpp.post(&format!("{object}/authorisations"), &json!({})).await;
        assert_eq!(started.status, 200, "{started:?}");
        started
    }

    /// Signs the customer in at an authorisation link, up to the choice of an SCA method.
    pub async fn sign_in(&self, link: &str, name: &str) {
        let browser = &self.browser;
        browser.open(link).await;
        browser.check_page(&format!("{name}-1-start")).await;
        browser.click("main form button").await;
        browser.expect_heading("Sign in").await;
        browser.check_page(&format!("{name}-2-sign-in")).await;
        browser.fill("#password", text(&self.psu["password"])).await;
        browser.click("main form button").await;
        browser.find("input[name=method]").await;
        browser.check_page(&format!("{name}-3-check")).await;
    }

    /// Makes the browser the customer's app.
    pub async fn enrol(&self) {
        let browser = &self.browser;
        browser.open(&format!("{}/app", self.bank.base_url)).await;
        browser.check_page("app-1-sign-in").await;
        browser.fill("#user", text(&self.psu["psu_id"])).await;
        browser.fill("#password", text(&self.psu["password"])).await;
        browser.click("main form button").await;
        browser.expect_heading("A code for this device").await;
        browser.check_page("app-2-code").await;
        browser.fill("#code", "123456").await;
        browser.click("main form button").await;
        browser.find("nav.tabs").await;
    }

    /// A basket of the first merchant, whose customers are taken back to our site; the address of its checkout.
    pub async fn create_basket(&self, value: f64, products: &Value) -> String {
        self.create_basket_named("77", value, products).await
    }

    /// A basket with its own order identifier.
    pub async fn create_basket_named(&self, order: &str, value: f64, products: &Value) -> String {
        let merchant = self.bank.merchant(0);
        let id = text(&self.bank.sandbox_file["merchants"][0]["application_id"]);
        let uris = json!({
            "successRedirectURI": format!("{}/bought", self.site.address),
            "failureRedirectURI": format!("{}/not-bought", self.site.address),
        });
        let changed = merchant.patch(&format!("/sandbox/applications/{id}"), &uris).await;
        assert_eq!(changed.status, 200, "{changed:?}");
        let order = json!({
            "basketValue": value,
            "requestId": format!("00000000-0000-4000-8000-{:0>12}", order.len()),
            "orderIdentifier": format!("order-{order}"),
            "basketProducts": products,
        });
        let made = merchant.post("/createbasket", &order).await;
        assert_eq!(made.status, 201, "{made:?}");
        made.text("/redirectUrl").to_owned()
    }

    /// Verifies a telephone number at a checkout, from the basket to the choice of a plan.
    pub async fn verify_phone(&self, checkout: &str, phone: &str, name: &str) {
        let browser = &self.browser;
        browser.open(checkout).await;
        browser.check_page(&format!("{name}-1-basket")).await;
        browser.follow("main form button").await;
        browser.check_page(&format!("{name}-2-phone")).await;
        browser.fill("#phone", phone).await;
        browser.follow("main form button").await;
        browser.check_page(&format!("{name}-3-code")).await;
        browser.fill("#code", "123456").await;
        browser.follow("main form button").await;
        browser.check_page(&format!("{name}-4-plans")).await;
    }

    pub fn method(&self, kind: &str) -> &str {
        let methods = self.psu["methods"].as_array().unwrap();
        text(&methods.iter().find(|method| method["type"] == kind).unwrap()["id"])
    }
}

pub fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_else(|| panic!("expected a text, not {value}"))
}
