//! Callers who send requests as fast as they are answered or at a given rate.

use super::connection::{Answer, Connection};
use crate::bench::client::Client;
use crate::process::Outcome;
use serde_json::{Value, json};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

const PAYMENTS: &str = "/v1/payments/internal-transfers";
pub const CONSENTS: &str = "/v1/consents";
const BASKETS: &str = "/createbasket";

/// To all accounts, as long as the bank allows.
pub const CONSENT: &str = r#"{
    "access": { "allPsd2": "allAccounts" },
    "recurringIndicator": true, "validUntil": "2099-12-31", "frequencyPerDay": 4
}"#;

/// What all callers share.
pub struct Target {
    pub address: String,
    tpp_headers: String,
    merchant_headers: String,
    order: String,
    keys: AtomicU64,
    /// The path of an account's balances with the consent to it, unless no caller reads them.
    balances: Option<(String, String)>,
}

/// What a caller's requests are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mix {
    /// One of four orders a payment, the others read its status.
    Payments,
    /// Of 64, four order a payment, four are the life of a consent that is deleted before its approval, two create a basket, and the
    /// others read balances and the status of the payment. More writes would fill a small disk in two hours.
    All,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Step {
    OrderPayment,
    PaymentStatus,
    Balances,
    CreateConsent,
    StartAuthorisation,
    ConsentStatus,
    DeleteConsent,
    CreateBasket,
}

impl Mix {
    fn step(self, calls: u64) -> Step {
        match (self, calls % 64) {
            (Self::Payments, number) if number % 4 == 0 => Step::OrderPayment,
            (Self::Payments, _) => Step::PaymentStatus,
            (Self::All, number) if number % 16 == 0 => Step::OrderPayment,
            (Self::All, 8) => Step::CreateConsent,
            (Self::All, 9) => Step::StartAuthorisation,
            (Self::All, 10) => Step::ConsentStatus,
            (Self::All, 11) => Step::DeleteConsent,
            (Self::All, 24 | 56) => Step::CreateBasket,
            (Self::All, number) if number % 2 == 1 => Step::Balances,
            (Self::All, _) => Step::PaymentStatus,
        }
    }
}

/// The paths of a caller's latest objects.
#[derive(Default)]
struct Made {
    payment: Option<String>,
    consent: Option<String>,
}

impl Made {
    fn note(&mut self, body: &Value) {
        if let Some(id) = body["paymentId"].as_str() {
            self.payment = Some(format!("{PAYMENTS}/{id}"));
        }
        if let Some(id) = body["consentId"].as_str() {
            self.consent = Some(format!("{CONSENTS}/{id}"));
        }
    }
}

#[derive(Clone, Copy, Debug)]
pub struct Offer {
    pub callers: u64,
    /// Requests per second of all callers; without a rate each sends as soon as it is answered.
    pub per_second: Option<u64>,
    pub mix: Mix,
    pub lasts: Duration,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Seen {
    pub done: u64,
    /// 503 or 429 with Retry-After.
    pub refused: u64,
    pub wrong: Vec<String>,
    /// From when a request was due to its answer, in microseconds.
    done_micros: Vec<u64>,
    /// From when a request was sent to its refusal: a refused caller who is late sends the next one at once.
    refused_micros: Vec<u64>,
    pub lasted: Duration,
}

impl Seen {
    pub fn per_second(&self) -> u64 {
        let millis = u64::try_from(self.lasted.as_millis()).unwrap_or(u64::MAX).max(1);
        self.done.saturating_mul(1000) / millis
    }

    pub fn p99_micros(&mut self) -> u64 {
        percentile(&mut self.done_micros)
    }

    pub fn refusal_p99_micros(&mut self) -> u64 {
        percentile(&mut self.refused_micros)
    }
}

fn micros_since(time: Instant) -> u64 {
    u64::try_from(time.elapsed().as_micros()).unwrap_or(u64::MAX)
}

fn percentile(values: &mut [u64]) -> u64 {
    values.sort_unstable();
    values.get(values.len() * 99 / 100).copied().unwrap_or(0)
}

impl Target {
    /// Payments of a cent of the second customer of `sandbox.json`.
    pub fn new(address: &str, sandbox: &Value) -> Self {
        let (tpp, merchant) = (&sandbox["tpps"][0], &sandbox["merchants"][0]);
        let (payer, payee) = (&sandbox["psus"][1], &sandbox["psus"][0]);
        let tpp_headers = [
            ("Ocp-Apim-Subscription-Key", &tpp["subscription_key"]),
            ("ClientId", &tpp["client_id"]),
            ("Certificate", &tpp["certificate"]),
            ("PSU_ID", &payer["psu_id"]),
            ("pSUIPAddress", &json!("192.0.2.1")),
        ];
        let merchant_headers = [
            ("Ocp-Apim-Subscription-Key", &merchant["subscription_key"]),
            ("X-Application-ID", &merchant["application_id"]),
        ];
        let order = json!({
            "debtorAccount": { "iban": payer["accounts"][0]["iban"] },
            "instructedAmount": { "currency": "EUR", "Amount": "0.01" },
            "creditorAccount": { "iban": payee["accounts"][0]["iban"] },
            "creditorName": payee["name"],
        });
        Self {
            address: address.to_owned(),
            tpp_headers: lines(&tpp_headers),
            merchant_headers: lines(&merchant_headers),
            order: order.to_string(),
            keys: AtomicU64::new(1),
            balances: None,
        }
    }

    /// Approves a consent of that customer, whose balances can be read then.
    pub fn with_balances(mut self, sandbox: &Value) -> Outcome<Self> {
        let psu = &sandbox["psus"][1];
        let mut client = Client::new(&self.address, sandbox, psu);
        let consent = client.consent(psu, &sandbox["otp"])?;
        client.add("consentID", &consent);
        client.add("pSUIPAddress", "192.0.2.1");
        let accounts = client.get("/v1/accounts")?.json()?;
        let id = accounts["accounts"][0]["resourceId"].as_str().ok_or(format!("no account: {accounts}"))?;
        self.balances = Some((format!("/v1/accounts/{id}/balances"), format!("consentID: {consent}\r\n")));
        Ok(self)
    }

    pub fn request(&self, method: &str, path: &str, body: &str) -> String {
        self.request_with(&self.tpp_headers, method, path, body)
    }

    fn request_with(&self, headers: &str, method: &str, path: &str, body: &str) -> String {
        let id = self.id();
        let (address, length) = (&self.address, body.len());
        format!(
            "{method} {path} HTTP/1.1\r\nHost: {address}\r\n{headers}x-Request-ID: {id}\r\n\
             Content-Type: application/json\r\nContent-Length: {length}\r\n\r\n{body}"
        )
    }

    fn id(&self) -> String {
        format!("00000050-0000-4000-8000-{:012x}", self.keys.fetch_add(1, Ordering::Relaxed))
    }

    /// The request of a step, or the order of a payment while what the step is about does not exist.
    fn request_of(&self, step: Step, made: &mut Made) -> String {
        let request = match step {
            Step::OrderPayment => None,
            Step::PaymentStatus => {
                made.payment.as_ref().map(|path| self.request("GET", &format!("{path}/status"), ""))
            }
            Step::Balances => self.balances.as_ref().map(|(path, consent)| {
                self.request_with(&format!("{}{consent}", self.tpp_headers), "GET", path, "")
            }),
            Step::CreateConsent => Some(self.request("POST", CONSENTS, CONSENT)),
            Step::StartAuthorisation => made
                .consent
                .as_ref()
                .map(|path| self.request("POST", &format!("{path}/authorisations"), "{}")),
            Step::ConsentStatus => {
                made.consent.as_ref().map(|path| self.request("GET", &format!("{path}/status"), ""))
            }
            Step::DeleteConsent => made.consent.take().map(|path| self.request("DELETE", &path, "")),
            Step::CreateBasket => Some(self.basket()),
        };
        request.unwrap_or_else(|| self.request("POST", PAYMENTS, &self.order))
    }

    fn basket(&self) -> String {
        let order = json!({
            "basketValue": 44.7,
            "requestId": self.id(),
            "orderIdentifier": "order-1138",
            "basketProducts": [
                { "name": "A history of banking", "quantity": 1, "Unit Price": 44.7, "Total Amount": 44.7 },
            ],
            "phoneNumber": "+306900000001",
            "email": "maria@shop.example",
        });
        self.request_with(&self.merchant_headers, "POST", BASKETS, &order.to_string())
    }

    /// Lets callers send for a while.
    pub fn run(self: &Arc<Self>, offer: Offer) -> Seen {
        let start = Instant::now();
        let callers: Vec<_> = (0..offer.callers)
            .map(|number| {
                let target = self.clone();
                std::thread::spawn(move || target.caller(number, offer, start))
            })
            .collect();
        let mut all = Seen::default();
        for caller in callers {
            match caller.join() {
                Ok(seen) => {
                    all.done += seen.done;
                    all.refused += seen.refused;
                    all.wrong.extend(seen.wrong);
                    all.done_micros.extend(seen.done_micros);
                    all.refused_micros.extend(seen.refused_micros);
                }
                Err(_) => all.wrong.push("a caller panicked".to_owned()),
            }
        }
        all.lasted = start.elapsed();
        all
    }

    fn caller(&self, number: u64, offer: Offer, start: Instant) -> Seen {
        let (mut connection, mut seen) = (Connection::new(&self.address), Seen::default());
        let interval = offer
            .per_second
            .map(|rate| Duration::from_micros(1_000_000_u64.saturating_mul(offer.callers) / rate.max(1)));
        // Callers with a rate begin one after another.
        let mut due = start;
        if let Some(interval) = interval {
            due += interval * u32::try_from(number).unwrap_or(0) / u32::try_from(offer.callers).unwrap_or(1);
        }
        let (mut made, mut calls) = (Made::default(), number);
        while start.elapsed() < offer.lasts {
            match interval {
                None => due = Instant::now(),
                Some(_) => std::thread::sleep(due.saturating_duration_since(Instant::now())),
            }
            calls += 1;
            let request = self.request_of(offer.mix.step(calls), &mut made);
            let sent = Instant::now();
            let answer = connection.send(&request);
            match answer {
                Ok(Answer { status: 200..=299, body, .. }) => {
                    seen.done += 1;
                    seen.done_micros.push(micros_since(due));
                    made.note(&serde_json::from_str(&body).unwrap_or(Value::Null));
                }
                Ok(answer) if matches!(answer.status, 429 | 503) && answer.retry_after => {
                    seen.refused += 1;
                    seen.refused_micros.push(micros_since(sent));
                }
                Ok(answer) => seen.wrong.push(format!("{} {}", answer.status, answer.body)),
                // A server that has too much to do may close connections.
                Err(_) => seen.refused += 1,
            }
            if let Some(interval) = interval {
                due += interval;
            }
        }
        seen
    }
}

/// Headers as they are sent.
fn lines(headers: &[(&str, &Value)]) -> String {
    headers
        .iter()
        .map(|(name, value)| format!("{name}: {}\r\n", value.as_str().unwrap_or_default()))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mix_of_all_has_every_step_and_few_writes() {
        let steps: Vec<Step> = (0..64).map(|calls| Mix::All.step(calls)).collect();
        let count = |step: Step| steps.iter().filter(|other| **other == step).count();
        let life = [Step::CreateConsent, Step::StartAuthorisation, Step::ConsentStatus, Step::DeleteConsent];
        assert_eq!(life.map(count), [1; 4]);
        assert_eq!([Step::OrderPayment, Step::CreateBasket, Step::Balances].map(count), [4, 2, 30]);
    }

    #[test]
    fn request_without_its_object_orders_a_payment() {
        let target = Target::new("127.0.0.1:1", &json!({}));
        let mut made = Made::default();
        assert!(target.request_of(Step::DeleteConsent, &mut made).starts_with("POST /v1/payments/"));
        made.note(&json!({ "consentId": "c1" }));
        assert!(target.request_of(Step::DeleteConsent, &mut made).starts_with("DELETE /v1/consents/c1 "));
        assert_eq!(made.consent, None);
    }
}
