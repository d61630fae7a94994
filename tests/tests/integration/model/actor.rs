//! An actor: a third party for one customer, with a small model of what the bank must answer.

use super::history::{Call, Delivery};
use crate::http::payment::{INTERNAL, iban, psu, text};
use reqwest::Method;
use serde_json::{Value, json};
use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;
use trapeza_testkit::{ApiClient, ApiResponse, TestBank};
use uuid::Uuid;

const DAY: i64 = 24 * 60;
/// Minor units; the last one is more than there is.
pub const AMOUNTS: [i64; 4] = [1, 1234, 40_000, 99_999_999];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PaymentModel {
    Received,
    Executed,
    Rejected,
    Cancelled,
    Expired,
}

#[derive(Clone, Debug)]
pub struct PaymentObject {
    pub path: String,
    pub amount: i64,
    pub created: i64,
    pub state: PaymentModel,
    authorisation: Option<Authorisation>,
}

#[derive(Clone, Debug)]
struct Authorisation {
    path: String,
    started: i64,
    /// When the code was sent, and how many wrong ones were answered.
    challenge: Option<(i64, u32)>,
    open: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ConsentModel {
    Received,
    Valid(i64),
    Ended,
}

#[derive(Clone, Debug)]
struct ConsentObject {
    path: String,
    created: i64,
    one_off: bool,
    state: ConsentModel,
    /// When it was read.
    uses: Vec<i64>,
}

/// What the bank did against the model.
pub type Violation = String;

pub struct Actor {
    bank: Arc<TestBank>,
    pub customer: usize,
    payee: usize,
    tpp: ApiClient,
    reader: ApiClient,
    pub payments: Vec<PaymentObject>,
    consents: Vec<ConsentObject>,
    pub now: i64,
    /// Whether no other actor moves money meanwhile; what is available is known then.
    pub available: Option<i64>,
    keys: u64,
    seed: u64,
}

impl Actor {
    pub fn new(bank: Arc<TestBank>, tpp: usize, customer: usize, seed: u64) -> Self {
        let login = text(&psu(&bank, customer)["psu_id"]).to_owned();
        Self {
            tpp: bank.tpp(tpp).with("PSU_ID", &login).with("pSUIPAddress", "192.0.2.1"),
            reader: bank.tpp(tpp),
            payee: if customer == 0 { 1 } else { 0 },
            bank,
            customer,
            payments: Vec::new(),
            consents: Vec::new(),
            now: 0,
            available: None,
            keys: 0,
            seed,
        }
    }

    /// The actor, for a task; an idle one stays in its place.
    pub fn take(&mut self) -> Self {
        let idle = Self::new(self.bank.clone(), 0, self.customer, 0);
        std::mem::replace(self, idle)
    }

    /// Sends a write under a new key, as it is delivered.
    async fn write(
        &mut self,
        method: Method,
        path: &str,
        body: Option<Value>,
        delivery: Delivery,
    ) -> Result<ApiResponse, Violation> {
        self.keys += 1;
        let key = Uuid::from_u64_pair(self.seed, self.keys).to_string();
        let caller = self.tpp.clone().without("x-Request-ID").with("x-Request-ID", &key);
        let body = body.map(|body| body.to_string().into_bytes());
        let send = async || loop {
            let answer = caller.send(method.clone(), path, body.clone()).await;
            // Too many at once: the same again.
            if answer.status != 503 {
                return answer;
            }
        };
        if let Delivery::Lost(micros) = delivery {
            let _ = tokio::time::timeout(Duration::from_micros(micros), send()).await;
        }
        let first = send().await;
        if first.status >= 500 {
            return Err(format!("{method} {path}: {first:?}"));
        }
        if delivery == Delivery::Repeated && first.status < 300 {
            let again = send().await;
            if (again.status, &again.body) != (first.status, &first.body) {
                return Err(format!("{method} {path}: first {first:?}, then {again:?}"));
            }
            if again.headers.get("idempotent-replay").map(String::as_str) != Some("true") {
                return Err(format!("{method} {path}: a repetition had an effect: {again:?}"));
            }
        }
        Ok(first)
    }

    /// Makes a call and compares the answer with the model.
    pub async fn call(&mut self, call: Call, delivery: Delivery) -> Result<(), Violation> {
        self.expire();
        match call {
            Call::Pay(amount) => self.pay(AMOUNTS[amount], delivery).await,
            Call::Start(which) => self.start(which, delivery).await,
            Call::Password(which) => self.password(which, delivery).await,
            Call::Code(which) => self.code(which, true, delivery).await,
            Call::WrongCode(which) => self.code(which, false, delivery).await,
            Call::Cancel(which) => self.cancel(which, delivery).await,
            Call::Status(which) => self.status(which).await,
            Call::Consent { one_off } => self.consent(one_off, delivery).await,
            Call::Authorise(which) => self.authorise(which).await,
            Call::Read(which) => self.read(which).await,
            Call::Terminate(which) => self.terminate(which, delivery).await,
        }
    }

    /// What time has changed.
    fn expire(&mut self) {
        let now = self.now;
        for payment in &mut self.payments {
            if payment.state == PaymentModel::Received && now - payment.created >= DAY {
                payment.state = PaymentModel::Expired;
            }
            let is_open = payment.state == PaymentModel::Received;
            if let Some(authorisation) = &mut payment.authorisation {
                authorisation.open &= is_open && now - authorisation.started < 15;
            }
        }
        for consent in &mut self.consents {
            match consent.state {
                ConsentModel::Received if now - consent.created >= DAY => consent.state = ConsentModel::Ended,
                ConsentModel::Valid(since) if consent.one_off && now - since >= 20 => {
                    consent.state = ConsentModel::Ended;
                }
                _ => {}
            }
        }
    }

    async fn pay(&mut self, amount: i64, delivery: Delivery) -> Result<(), Violation> {
        let order = json!({
            "endToEndIdentification": format!("model-{}", self.keys),
            "debtorAccount": { "iban": iban(&self.bank, self.customer, 0) },
            "instructedAmount": { "currency": "EUR", "Amount": format!("{}.{:02}", amount / 100, amount % 100) },
            "creditorAccount": { "iban": iban(&self.bank, self.payee, 0) },
            "creditorName": psu(&self.bank, self.payee)["name"],
        });
        let answer = self.write(Method::POST, INTERNAL, Some(order), delivery).await?;
        expect("payment", &answer, true)?;
        let path = format!("{INTERNAL}/{}", answer.text("/paymentId"));
        if self.payments.iter().any(|payment| payment.path == path) {
            return Err(format!("{path} was made twice"));
        }
        let state = PaymentModel::Received;
        self.payments.push(PaymentObject { path, amount, created: self.now, state, authorisation: None });
        Ok(())
    }

    fn chosen(&self, which: usize) -> Option<usize> {
        (!self.payments.is_empty()).then(|| self.payments.len() - 1 - which.min(self.payments.len() - 1))
    }

    async fn start(&mut self, which: usize, delivery: Delivery) -> Result<(), Violation> {
        let Some(index) = self.chosen(which) else { return Ok(()) };
        let payment = self.payments[index].clone();
        let place = format!("{}/authorisations", payment.path);
        let answer = self.write(Method::POST, &place, Some(json!({})), delivery).await?;
        let possible = payment.state == PaymentModel::Received;
        expect("start", &answer, possible)?;
        if possible {
            let path = format!("{place}/{}", answer.text("/authorisationId"));
            let new = Authorisation { path, started: self.now, challenge: None, open: true };
            self.payments[index].authorisation = Some(new);
        }
        Ok(())
    }

    async fn password(&mut self, which: usize, delivery: Delivery) -> Result<(), Violation> {
        let Some(index) = self.chosen(which) else { return Ok(()) };
        let Some(authorisation) = self.payments[index].authorisation.clone() else { return Ok(()) };
        let body = json!({ "psuData": { "password": psu(&self.bank, self.customer)["password"] } });
        let answer = self.write(Method::PUT, &authorisation.path, Some(body), delivery).await?;
        let possible = authorisation.open && authorisation.challenge.is_none();
        expect("password", &answer, possible)?;
        if !possible {
            return Ok(());
        }
        if let Some(method) = answer.method_with_code() {
            let chosen = self.write(Method::PUT, &authorisation.path, Some(method), Delivery::Once).await?;
            expect("method", &chosen, true)?;
        }
        let now = self.now;
        self.payments[index].authorisation.as_mut().unwrap().challenge = Some((now, 0));
        Ok(())
    }

    async fn code(&mut self, which: usize, right: bool, delivery: Delivery) -> Result<(), Violation> {
        let Some(index) = self.chosen(which) else { return Ok(()) };
        let Some(authorisation) = self.payments[index].authorisation.clone() else { return Ok(()) };
        let code = if right { self.bank.sandbox_file["otp"].clone() } else { json!("999999") };
        let body = json!({ "scaAuthenticationData": code });
        let answer = self.write(Method::PUT, &authorisation.path, Some(body), delivery).await?;
        let good = |(sent, wrong): (i64, u32)| self.now - sent < 5 && wrong < 3;
        let can_confirm = authorisation.open && authorisation.challenge.is_some_and(good);
        expect("code", &answer, can_confirm && right)?;
        if can_confirm && !right {
            let (_, wrong) = self.payments[index].authorisation.as_mut().unwrap().challenge.as_mut().unwrap();
            *wrong += 1;
        }
        if can_confirm && right {
            self.payments[index].authorisation.as_mut().unwrap().open = false;
            self.executed(index).await?;
        }
        Ok(())
    }

    /// After its authorisation a payment is executed, or rejected for want of money.
    async fn executed(&mut self, index: usize) -> Result<(), Violation> {
        let (path, amount) = (self.payments[index].path.clone(), self.payments[index].amount);
        let state = match self.number(&path).await? {
            4 => PaymentModel::Executed,
            3 => PaymentModel::Rejected,
            other => return Err(format!("{path} is {other} after its authorisation")),
        };
        if let Some(available) = &mut self.available {
            let expected = if amount <= *available { PaymentModel::Executed } else { PaymentModel::Rejected };
            if state != expected {
                return Err(format!("{path} of {amount} is {state:?} with {available} available"));
            }
            if state == PaymentModel::Executed {
                *available -= amount;
            }
        }
        self.payments[index].state = state;
        Ok(())
    }

    async fn number(&self, path: &str) -> Result<i64, Violation> {
        let answer = self.tpp.get(&format!("{path}/status")).await;
        answer.body["transactionStatus"].as_i64().ok_or_else(|| format!("{path}: {answer:?}"))
    }

    async fn cancel(&mut self, which: usize, delivery: Delivery) -> Result<(), Violation> {
        let Some(index) = self.chosen(which) else { return Ok(()) };
        let payment = self.payments[index].clone();
        let answer = self.write(Method::DELETE, &payment.path, None, delivery).await?;
        let possible = payment.state == PaymentModel::Received;
        expect("cancellation", &answer, possible)?;
        if possible {
            self.payments[index].state = PaymentModel::Cancelled;
        }
        Ok(())
    }

    async fn status(&mut self, which: usize) -> Result<(), Violation> {
        let Some(index) = self.chosen(which) else { return Ok(()) };
        self.compare(index).await
    }

    async fn compare(&self, index: usize) -> Result<(), Violation> {
        let payment = &self.payments[index];
        let expected = match payment.state {
            PaymentModel::Received => 1,
            PaymentModel::Rejected => 3,
            PaymentModel::Executed => 4,
            PaymentModel::Cancelled => 6,
            PaymentModel::Expired => 7,
        };
        let found = self.number(&payment.path).await?;
        if found == expected {
            return Ok(());
        }
        Err(format!("{} is {found}; the model has {:?}", payment.path, payment.state))
    }

    async fn consent(&mut self, one_off: bool, delivery: Delivery) -> Result<(), Violation> {
        let order = json!({
            "access": { "accounts": [{ "iban": iban(&self.bank, self.customer, 0) }] },
            "recurringIndicator": !one_off, "validUntil": "2099-12-31", "frequencyPerDay": if one_off { 1 } else { 4 },
        });
        let answer = self.write(Method::POST, "/v1/consents", Some(order), delivery).await?;
        expect("consent", &answer, true)?;
        let path = format!("/v1/consents/{}", answer.text("/consentId"));
        let state = ConsentModel::Received;
        self.consents.push(ConsentObject { path, created: self.now, one_off, state, uses: Vec::new() });
        Ok(())
    }

    fn chosen_consent(&self, which: usize) -> Option<usize> {
        (!self.consents.is_empty()).then(|| self.consents.len() - 1 - which.min(self.consents.len() - 1))
    }

    async fn authorise(&mut self, which: usize) -> Result<(), Violation> {
        let Some(index) = self.chosen_consent(which) else { return Ok(()) };
        let consent = self.consents[index].clone();
        if consent.state != ConsentModel::Received {
            let place = format!("{}/authorisations", consent.path);
            let refused = self.write(Method::POST, &place, Some(json!({})), Delivery::Once).await?;
            return expect("start for a consent", &refused, false);
        }
        self.bank.authorise(&self.tpp, &consent.path, psu(&self.bank, self.customer)).await;
        if !consent.one_off {
            // A new recurring consent ends the older one of the same customer and third party.
            for other in &mut self.consents {
                if !other.one_off && matches!(other.state, ConsentModel::Valid(_)) {
                    other.state = ConsentModel::Ended;
                }
            }
        }
        self.consents[index].state = ConsentModel::Valid(self.now);
        Ok(())
    }

    async fn read(&mut self, which: usize) -> Result<(), Violation> {
        let Some(index) = self.chosen_consent(which) else { return Ok(()) };
        let now = self.now;
        let consent = &mut self.consents[index];
        let id = consent.path.rsplit('/').next().unwrap().to_owned();
        let limit = if consent.one_off { 1 } else { 4 };
        let used = consent.uses.iter().filter(|at| now - **at < DAY).count();
        // Twice at once: what is left must be counted once each.
        let caller = self.reader.clone().with("consentID", &id);
        let (one, two) = tokio::join!(caller.get("/v1/accounts"), caller.get("/v1/accounts"));
        let mut left = HashSet::new();
        for answer in [&one, &two] {
            match (consent.state, answer.status) {
                (ConsentModel::Valid(_), 200) => {
                    consent.uses.push(now);
                    if !left.insert(answer.headers["x-frequency-remaining"].clone()) {
                        return Err(format!("{}: two reads have the same count: {answer:?}", consent.path));
                    }
                }
                (ConsentModel::Valid(_), 429) | (ConsentModel::Received | ConsentModel::Ended, 401) => {}
                (state, _) => return Err(format!("{} is {state:?} and reads {answer:?}", consent.path)),
            }
        }
        if matches!(consent.state, ConsentModel::Valid(_)) && left.len() != (limit - used.min(limit)).min(2) {
            return Err(format!("{}: {used} of {limit} used, and {} more read", consent.path, left.len()));
        }
        Ok(())
    }

    async fn terminate(&mut self, which: usize, delivery: Delivery) -> Result<(), Violation> {
        let Some(index) = self.chosen_consent(which) else { return Ok(()) };
        let path = self.consents[index].path.clone();
        let answer = self.write(Method::DELETE, &path, None, delivery).await?;
        expect("end of a consent", &answer, true)?;
        self.consents[index].state = ConsentModel::Ended;
        Ok(())
    }

    /// Compares every object with the model.
    pub async fn compare_all(&mut self) -> Result<(), Violation> {
        self.expire();
        for index in 0..self.payments.len() {
            self.compare(index).await?;
        }
        for consent in &self.consents {
            let answer = self.tpp.get(&format!("{}/status", consent.path)).await;
            let found = answer.body["consentStatus"].as_i64();
            let agrees = match consent.state {
                ConsentModel::Received => found == Some(0),
                ConsentModel::Valid(_) => found == Some(2),
                ConsentModel::Ended => !matches!(found, None | Some(0 | 2)),
            };
            if !agrees {
                return Err(format!("{} is {found:?}; the model has {:?}", consent.path, consent.state));
            }
        }
        Ok(())
    }
}

/// Whether a call was answered as the model expects: with success, or with a refusal.
fn expect(call: &str, answer: &ApiResponse, success: bool) -> Result<(), Violation> {
    let agrees = if success { answer.status < 300 } else { (400..500).contains(&answer.status) };
    if agrees { Ok(()) } else { Err(format!("{call}, success expected: {success}: {answer:?}")) }
}
