//! What the customer does step by step, and what must have become of it in the end.

use super::bank::{Dialect, KilledBank, Violation};
use super::step::Step;
use crate::http::payment::{ELENI, INTERNAL, JONAS, OTHER_BANK_IBAN, SEPA, text};
use reqwest::Method;
use serde_json::{Value, json};
use std::time::{Duration, Instant};
use trapeza_testkit::{ApiResponse, Browser};
use uuid::Uuid;

const INSTANT: &str = "/berlin-group/v1/payments/instant-sepa-credit-transfers";
const STANDING: &str = "/berlin-group/v1/periodic-payments/sepa-credit-transfers";
const BASKETS: &str = "/berlin-group/v1/signing-baskets";
const INSTANT_PAYEE_IBAN: &str = "DE89370400440532013000";
/// Less than the deadline of an instant payment, which begins a little earlier than the wait for its end.
const IN_TIME: Duration = Duration::from_secs(8);
/// In cents: each is a power of two, so that a wrong sum names the payment.
const FIRST_MINOR: i64 = 1;
const PURCHASE_MINOR: i64 = 9_000;

/// An object, and what must become of it.
pub struct Object {
    pub dialect: Dialect,
    pub path: String,
    /// One of these in the end.
    pub ends: &'static [&'static str],
    pub minor: i64,
    pub effect: Effect,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    None,
    Gone,
    /// Gone if the bank says that it was settled.
    GoneIfSettled,
    ToOtherCustomer,
    Held,
    /// So often, once each month.
    Repeated(i64),
}

#[derive(Default)]
pub struct Customer {
    pub objects: Vec<Object>,
    pub purchases: i64,
    /// Payments that were ordered.
    pub ordered: i64,
    amounts: u32,
}

fn created(answer: &ApiResponse, id: &str) -> Result<String, Violation> {
    let found = answer.body[id].as_str().map(str::to_owned);
    found.filter(|_| answer.status < 300).ok_or_else(|| format!("{id} expected: {answer:?}"))
}

impl Customer {
    pub async fn step(&mut self, bank: &mut KilledBank, step: Step) -> Result<(), Violation> {
        match step {
            Step::Advance(span) => bank.advance(span).await,
            Step::Internal => {
                let (path, minor) = self.native(bank, INTERNAL, ELENI_NAME, None).await?;
                authorise(bank, Dialect::Native, &path).await?;
                self.add(Dialect::Native, path, &["ACCC", "ACSC"], minor, Effect::ToOtherCustomer)
            }
            Step::Poor => {
                let (path, minor) = self.native(bank, SEPA, "Maria Ioannou", Some(9_999_999_999)).await?;
                authorise(bank, Dialect::Native, &path).await?;
                self.add(Dialect::Native, path, &["RJCT"], minor, Effect::None)
            }
            Step::CancelEarly => {
                let (path, minor) = self.native(bank, SEPA, "Maria Ioannou", None).await?;
                let cancelled = bank.write(Dialect::Native, Method::DELETE, &path, None).await?;
                if cancelled.status >= 300 {
                    return Err(format!("{cancelled:?}"));
                }
                self.add(Dialect::Native, path, &["CANC"], minor, Effect::None)
            }
            Step::Sepa(name) => {
                let (path, minor) = self.native(bank, SEPA, name, None).await?;
                authorise(bank, Dialect::Native, &path).await?;
                let (ends, effect): (&[&str], _) = match name {
                    "REJECT AC04" => (&["RJCT"], Effect::None),
                    "RETURN" => (&["ACSC"], Effect::None),
                    "SILENT" => (&["ACSP"], Effect::Held),
                    _ => (&["ACSC"], Effect::Gone),
                };
                self.add(Dialect::Native, path, ends, minor, effect)
            }
            Step::Instant(name) => self.instant(bank, name).await,
            Step::Standing => self.standing(bank).await,
            Step::SigningBasket => self.signing_basket(bank).await,
            Step::Purchase => self.purchase(bank).await,
        }
    }

    fn add(
        &mut self,
        dialect: Dialect,
        path: String,
        ends: &'static [&'static str],
        minor: i64,
        effect: Effect,
    ) -> Result<(), Violation> {
        if self.objects.iter().any(|object| object.path == path) {
            return Err(format!("{path} was made twice"));
        }
        self.objects.push(Object { dialect, path, ends, minor, effect });
        Ok(())
    }

    fn amount(&mut self) -> i64 {
        self.amounts += 1;
        FIRST_MINOR << (self.amounts % 20)
    }

    /// Orders a payment in the native dialect. Returns its path and amount.
    async fn native(
        &mut self,
        bank: &mut KilledBank,
        product: &str,
        name: &str,
        minor: Option<i64>,
    ) -> Result<(String, i64), Violation> {
        let minor = minor.unwrap_or_else(|| self.amount());
        let payee = if product == INTERNAL { bank.iban(ELENI) } else { OTHER_BANK_IBAN.to_owned() };
        let order = json!({
            "debtorAccount": { "iban": bank.iban(JONAS) },
            "instructedAmount": { "currency": "EUR", "Amount": decimal(minor) },
            "creditorAccount": { "iban": payee },
            "creditorName": name,
        });
        self.ordered += 1;
        let answer = bank.write(Dialect::Native, Method::POST, product, Some(order)).await?;
        Ok((format!("{product}/{}", created(&answer, "paymentId")?), minor))
    }

    /// Orders a payment in the dialect of the Berlin Group. Returns its id.
    async fn order(
        &mut self,
        bank: &mut KilledBank,
        product: &str,
        name: &str,
        minor: i64,
        more: &[(&str, Value)],
    ) -> Result<String, Violation> {
        let mut order = json!({
            "debtorAccount": { "iban": bank.iban(JONAS) },
            "instructedAmount": { "currency": "EUR", "amount": decimal(minor) },
            "creditorAccount": { "iban": INSTANT_PAYEE_IBAN },
            "creditorName": name,
        });
        more.iter().for_each(|(name, value)| order[*name] = value.clone());
        self.ordered += 1;
        let answer = bank.write(Dialect::BerlinGroup, Method::POST, product, Some(order)).await?;
        created(&answer, "paymentId")
    }

    async fn instant(&mut self, bank: &mut KilledBank, name: &str) -> Result<(), Violation> {
        let minor = self.amount();
        let path = format!("{INSTANT}/{}", self.order(bank, INSTANT, name, minor, &[]).await?);
        authorise(bank, Dialect::BerlinGroup, &path).await?;
        // The next step may move the clock over its deadline.
        let is_timely = bank.kills == 0 && ends_in_time(bank, &path).await;
        // A kill may leave it unanswered until its deadline, which rejects it; the clearing house is asked later.
        let (ends, effect): (&[&str], _) = match name {
            "REJECT AC04" => (&["RJCT"], Effect::None),
            _ if is_timely => (&["ACSC"], Effect::Gone),
            _ => (&["ACSC", "RJCT"], Effect::GoneIfSettled),
        };
        self.add(Dialect::BerlinGroup, path, ends, minor, effect)
    }

    /// Three executions, a month apart.
    async fn standing(&mut self, bank: &mut KilledBank) -> Result<(), Violation> {
        let minor = self.amount();
        let today = bank.today().await;
        let terms = [
            ("startDate", json!(today.saturating_add(jiff::Span::new().days(2)).to_string())),
            ("endDate", json!(today.saturating_add(jiff::Span::new().days(10).months(2)).to_string())),
            ("frequency", json!("Monthly")),
            ("executionRule", json!("following")),
        ];
        let id = self.order(bank, STANDING, "Anna Muster", minor, &terms).await?;
        let path = format!("{STANDING}/{id}");
        authorise(bank, Dialect::BerlinGroup, &path).await?;
        self.add(Dialect::BerlinGroup, path, &["ACTC", "ACSC"], minor, Effect::Repeated(3))
    }

    async fn signing_basket(&mut self, bank: &mut KilledBank) -> Result<(), Violation> {
        let product = "/berlin-group/v1/payments/sepa-credit-transfers";
        let mut members = Vec::new();
        for name in ["Anna Muster", "REJECT AC04"] {
            let minor = self.amount();
            members.push((name, self.order(bank, product, name, minor, &[]).await?, minor));
        }
        let ids: Vec<&String> = members.iter().map(|(_, id, _)| id).collect();
        let body = json!({ "paymentIds": ids });
        let answer = bank.write(Dialect::BerlinGroup, Method::POST, BASKETS, Some(body)).await?;
        let path = format!("{BASKETS}/{}", created(&answer, "basketId")?);
        authorise(bank, Dialect::BerlinGroup, &path).await?;
        self.add(Dialect::BerlinGroup, path, &["ACTC"], 0, Effect::None)?;
        for (name, id, minor) in members {
            let (ends, effect): (&[&str], _) = match name {
                "REJECT AC04" => (&["RJCT"], Effect::None),
                _ => (&["ACSC"], Effect::Gone),
            };
            self.add(Dialect::BerlinGroup, format!("{product}/{id}"), ends, minor, effect)?;
        }
        Ok(())
    }

    /// A purchase in three installments without interest, collected from the account. The pages are filled in between kills.
    async fn purchase(&mut self, bank: &mut KilledBank) -> Result<(), Violation> {
        let order = json!({
            "basketValue": 90, "requestId": Uuid::from_u64_pair(7, 7).to_string(), "orderIdentifier": "order-7",
            "basketProducts": [{ "name": "Lamp", "quantity": 1, "Unit Price": 90, "Total Amount": 90 }],
        });
        let answer = bank.write(Dialect::Merchant, Method::POST, "/createbasket", Some(order)).await?;
        let checkout = format!("/checkout/{}", created(&answer, "publicBasketId")?);
        let (psu, code, mut browser) = (bank.psu(JONAS), bank.code(), Browser::new(bank.base_url()));
        let start = browser.get(&checkout).await;
        let phone_page = browser.send(&start, &[("step", "open")]).await;
        let sent = browser.send(&phone_page, &[("step", "phone"), ("phone", text(&psu["phone"]))]).await;
        browser.send(&sent, &[("step", "code"), ("code", text(&code))]).await;
        let page = browser.get(&format!("{checkout}?sign-in=1")).await;
        let fields =
            [("step", "sign-in"), ("user", text(&psu["psu_id"])), ("password", text(&psu["password"]))];
        browser.send(&page, &fields).await;
        let terms = browser.get(&format!("{checkout}?plan=3")).await;
        let day = terms.attribute("name=\"day\" value=\"");
        let agreed = [("step", "agree"), ("plan", "3"), ("day", &day), ("agreed", "yes")];
        let end = browser.send(&terms, &agreed).await;
        if end.title() != "Bought" {
            return Err(format!("the purchase ended with {:?}", end.title()));
        }
        self.purchases += PURCHASE_MINOR;
        Ok(())
    }
}

const ELENI_NAME: &str = "Papadaki Eleni";

fn decimal(minor: i64) -> String {
    format!("{}.{:02}", minor / 100, minor % 100)
}

/// The steps of the embedded approach of a customer with one method.
async fn authorise(bank: &mut KilledBank, dialect: Dialect, path: &str) -> Result<(), Violation> {
    let place = format!("{path}/authorisations");
    let started = bank.write(dialect, Method::POST, &place, Some(json!({}))).await?;
    let own = format!("{place}/{}", created(&started, "authorisationId")?);
    let password = json!({ "psuData": { "password": bank.psu(JONAS)["password"] } });
    bank.write(dialect, Method::PUT, &own, Some(password)).await?;
    let code = json!({ "scaAuthenticationData": bank.code() });
    let last = bank.write(dialect, Method::PUT, &own, Some(code)).await?;
    let status = last.body["scaStatus"].as_str();
    if status == Some("finalised") { Ok(()) } else { Err(format!("{path} is not authorised: {last:?}")) }
}

/// Waits until an instant payment has ended, or may be over its deadline.
async fn ends_in_time(bank: &KilledBank, path: &str) -> bool {
    let (start, client) = (Instant::now(), bank.client(Dialect::BerlinGroup));
    loop {
        let status = client.get(&format!("{path}/status")).await;
        let is_final = matches!(status.body["transactionStatus"].as_str(), Some("ACSC" | "RJCT"));
        if is_final || start.elapsed() >= IN_TIME {
            return start.elapsed() < IN_TIME;
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}
