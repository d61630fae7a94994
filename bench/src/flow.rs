//! Whole flows over HTTP by many customers at once: what third party and customer do, from the order to its end. Customers approve in
//! the bank's app with the key of their device.

use crate::usage::Usage;
use clap::ValueEnum;
use serde_json::{Value, json};
use std::path::Path;
use std::time::{Duration, Instant};
use tokio::task::JoinSet;
use trapeza_testkit::api_client::{ApiClient, ApiResponse};
use trapeza_testkit::browser::Browser;
use uuid::Uuid;

const PASSWORD: &str = "correct-horse-1";

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Flow {
    /// Payment created, authorisation started, approved in the app, read again: executed.
    Payment,
    /// Consent created, authorisation started, approved in the app, accounts read.
    Consent,
    /// Basket created, checkout opened, telephone and code entered, terms read and agreed to, loan read by the merchant. Each purchase
    /// has another customer.
    Purchase,
    /// Five requests without effect, to a server that answers at once.
    Bare,
}

pub struct Load {
    pub flow: Flow,
    /// The process of the server.
    pub process: u32,
    pub customers: usize,
    pub time: Duration,
    /// Part of the names of new customers.
    pub series: u64,
}

/// A customer with their device, and a third party that acts for them.
struct Customer {
    tpp: ApiClient,
    app: Browser,
    iban: String,
    creditor: Value,
    flow: Flow,
    merchant: ApiClient,
    otp: String,
    /// The telephone number of the next purchase, without its country.
    phone: u64,
}

pub async fn run(url: &str, sandbox_file: &Path, load: Load) -> Value {
    let text = std::fs::read_to_string(sandbox_file).expect("the sandbox has written its file");
    let sandbox: Value = serde_json::from_str(&text).expect("the file is JSON");
    let mut customers = Vec::new();
    for number in 0..load.customers {
        customers.push(Customer::create(url, &sandbox, &load, number).await);
    }
    let usage = Usage::start_of(&load.process.to_string());
    let end = Instant::now() + load.time;
    let mut tasks = JoinSet::new();
    for mut customer in customers {
        tasks.spawn(async move {
            let mut micros = Vec::new();
            while Instant::now() < end {
                let started = Instant::now();
                customer.run_flow().await;
                micros.push(u64::try_from(started.elapsed().as_micros()).unwrap_or(u64::MAX));
            }
            micros
        });
    }
    let mut micros: Vec<u64> = tasks.join_all().await.into_iter().flatten().collect();
    let (wall, processor) = usage.micros();
    micros.sort_unstable();
    let at = |percent: usize| micros.get(micros.len() * percent / 100).copied().unwrap_or(0);
    json!({
        "flows": micros.len(),
        "wall_micros": wall,
        "processor_micros": processor,
        "p50_micros": at(50),
        "p99_micros": at(99),
    })
}

impl Customer {
    /// Creates a customer with an account, and enrols their device.
    async fn create(url: &str, sandbox: &Value, load: &Load, number: usize) -> Self {
        let anyone = ApiClient::to(url);
        let creditor = sandbox["psus"][0].clone();
        let (mut app, mut iban) = (Browser::new(url), String::new());
        let otp = text(&sandbox["otp"]).to_owned();
        let merchant = anyone.clone().as_merchant(&sandbox["merchants"][0]);
        let login = format!("flow-{}-{number}", load.series);
        if matches!(load.flow, Flow::Payment | Flow::Consent) {
            let customer = json!({
                "psuId": login, "password": PASSWORD, "name": "Maria Test", "phone": "+306900000200",
                "methods": ["SMSOTP", "PUSHOTP"],
            });
            succeeded(&anyone.post("/sandbox/customers", &customer).await);
            let account = json!({ "owners": [login], "openingBalance": "1000000.00" });
            iban = succeeded(&anyone.post("/sandbox/accounts", &account).await)["iban"]
                .as_str()
                .unwrap_or_default()
                .to_owned();
            let sign_in = app.get("/app").await;
            let fields = [("step", "sign-in"), ("user", login.as_str()), ("password", PASSWORD)];
            let code = app.send(&sign_in, &fields).await;
            let home = app.send(&code, &[("step", "code"), ("code", &otp)]).await;
            assert_eq!(home.status, 200, "the device is enrolled: {home:?}");
        }
        let tpp = anyone.as_tpp(&sandbox["tpps"][0]).with("PSU_ID", &login).with("pSUIPAddress", "192.0.2.1");
        // Numbers for 100 series of 10,000 purchases.
        let phone = 6_900_000_000 + number as u64 * 1_000_000 + load.series * 10_000;
        Self { tpp, app, iban, creditor, flow: load.flow, merchant, otp, phone }
    }

    async fn run_flow(&mut self) {
        match self.flow {
            Flow::Payment => self.pay().await,
            Flow::Consent => self.consent().await,
            Flow::Purchase => self.purchase().await,
            Flow::Bare => {
                for _ in 0..5 {
                    succeeded(&self.tpp.get("/").await);
                }
            }
        }
    }

    async fn pay(&mut self) {
        let order = json!({
            "debtorAccount": { "iban": self.iban },
            "instructedAmount": { "currency": "EUR", "Amount": "0.01" },
            "creditorAccount": { "iban": self.creditor["accounts"][0]["iban"] },
            "creditorName": self.creditor["name"],
        });
        let created = succeeded(&self.tpp.post("/v1/payments/internal-transfers", &order).await);
        let path = format!("/v1/payments/internal-transfers/{}", text(&created["paymentId"]));
        self.approve(&path).await;
        let payment = succeeded(&self.tpp.get(&path).await);
        assert_eq!(payment["transactionStatus"], "ACCC", "{payment}");
    }

    async fn consent(&mut self) {
        let consent = json!({
            "access": { "allPsd2": "allAccounts" },
            "recurringIndicator": true,
            "validUntil": "2099-12-31",
            "frequencyPerDay": 4,
        });
        let created = succeeded(&self.tpp.post("/v1/consents", &consent).await);
        let id = text(&created["consentId"]);
        self.approve(&format!("/v1/consents/{id}")).await;
        let accounts = succeeded(&self.tpp.clone().with("consentID", id).get("/v1/accounts").await);
        assert_eq!(accounts["accounts"][0]["iban"], self.iban, "{accounts}");
    }

    async fn purchase(&mut self) {
        let request = Uuid::from_u128(self.phone.into());
        let order = json!({
            "basketValue": 120.3, "requestId": request.to_string(), "orderIdentifier": "order-1138",
            "basketProducts": [{ "name": "Lamp", "quantity": 1, "Unit Price": 120.3, "Total Amount": 120.3 }],
        });
        let created = succeeded(&self.merchant.post("/createbasket", &order).await);
        let basket = text(&created["publicBasketId"]);
        let phone = format!("+30{}", self.phone);
        self.phone += 1;
        let browser = &mut self.app;
        browser.delete_cookies();
        let checkout = format!("/checkout/{basket}");
        let start = browser.get(&checkout).await;
        let opened = browser.send(&start, &[("step", "open")]).await;
        let asked = browser.send(&opened, &[("step", "phone"), ("phone", &phone)]).await;
        browser.send(&asked, &[("step", "code"), ("code", &self.otp)]).await;
        let terms = browser.get(&format!("{checkout}?plan=3")).await;
        let day = terms.attribute("name=\"day\" value=\"");
        let fields = [("step", "agree"), ("plan", "3"), ("day", day.as_str()), ("agreed", "yes")];
        browser.send(&terms, &fields).await;
        let loan = succeeded(&self.merchant.get(&format!("/loans/bnpl?basketId={basket}")).await);
        assert_eq!(loan["data"]["payLaterInformation"]["status"], "approved", "{loan}");
    }

    /// Starts the authorisation, and approves it in the app with the number that the third party shows.
    async fn approve(&mut self, path: &str) {
        let starter = self.tpp.clone().with("TPP-Decoupled-Preferred", "true");
        let started = succeeded(&starter.post(&format!("{path}/authorisations"), &json!({})).await);
        let number = text(&started["challengeData"]["data"][0]);
        let page = self.app.get("/app").await;
        let question = page.attribute("name=\"question\" value=\"");
        let fields = [("step", "approve"), ("question", question.as_str()), ("number", number)];
        let approved = self.app.send_only(&page, &fields).await;
        assert!(matches!(approved.status, 200 | 303), "{approved:?}");
    }
}

fn succeeded(response: &ApiResponse) -> Value {
    assert!((200..300).contains(&response.status), "{response:?}");
    response.body.clone()
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}
