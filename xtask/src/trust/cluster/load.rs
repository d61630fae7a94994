//! Callers who order payments, authorise some, create consents and read what they created, until they are stopped. Each repeats a request
//! with the same idempotency key, at the next program, until it is answered.

use super::request::{Headers, Request, header, send};
use crate::bench::client::{Response, text};
use serde_json::{Value, json};
use std::net::SocketAddr;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

pub const PAYMENTS: &str = "/v1/payments/internal-transfers";
const CONSENTS: &str = "/v1/consents";
const PAUSE: Duration = Duration::from_millis(25);
/// Before a repetition. A real caller waits as Retry-After says; a short pause measures more exactly when the service is back.
const RETRY_DELAY: Duration = Duration::from_millis(200);
/// A request that is not answered for so long is given up as lost.
const REQUEST_TIMEOUT: Duration = Duration::from_secs(120);

/// One try of a request.
#[derive(Clone, Copy, Debug)]
pub struct Attempt {
    pub end: Instant,
    pub took: Duration,
    pub ok: bool,
}

/// Something that was answered with 2xx, and so must stay.
#[derive(Clone, Debug)]
pub struct Created {
    pub request: Request,
    pub headers: Headers,
    /// Where it is read.
    pub path: String,
    pub is_executed: bool,
}

/// What all callers have seen.
#[derive(Default)]
pub struct Seen {
    pub attempts: Vec<Attempt>,
    pub created: Vec<Created>,
    pub violations: Vec<String>,
    pub unavailable: usize,
    pub broken: usize,
}

#[derive(Clone)]
pub struct Shared {
    seen: Arc<Mutex<Seen>>,
    programs: Arc<Vec<SocketAddr>>,
    next: Arc<AtomicUsize>,
    stop: Arc<AtomicBool>,
    paused: Arc<AtomicBool>,
}

pub struct Load {
    pub shared: Shared,
    callers: Vec<JoinHandle<()>>,
}

struct Caller {
    number: usize,
    headers: Headers,
    psu: Value,
    order: Value,
    otp: Value,
    shared: Shared,
    calls: u64,
}

impl Shared {
    pub fn seen(&self) -> MutexGuard<'_, Seen> {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Lets the callers wait, or go on, before their next object.
    pub fn pause(&self, paused: bool) {
        self.paused.store(paused, Ordering::Relaxed);
    }

    fn program(&self) -> SocketAddr {
        self.programs[self.next.fetch_add(1, Ordering::Relaxed) % self.programs.len()]
    }

    /// Sends a request until it is answered; `None` when it was refused, which no request here deserves.
    pub fn answered(&self, headers: &Headers, request: &Request) -> Option<Response> {
        let start = Instant::now();
        loop {
            let begin = Instant::now();
            let outcome = send(self.program(), headers, request);
            let end = Instant::now();
            let (method, path) = (request.method, &request.path);
            let ok = matches!(&outcome, Ok(response) if (200..300).contains(&response.status));
            let mut seen = self.seen();
            seen.attempts.push(Attempt { end, took: end - begin, ok });
            match outcome {
                Ok(response) if ok => return Some(response),
                Ok(response) if response.status == 503 && header(&response, "retry-after").is_some() => {
                    seen.unavailable += 1;
                }
                Ok(response) => {
                    seen.violations.push(format!("{method} {path}: {} {}", response.status, response.body));
                    return None;
                }
                Err(_) => seen.broken += 1,
            }
            if start.elapsed() > REQUEST_TIMEOUT {
                seen.violations.push(format!("{method} {path}: not answered within {REQUEST_TIMEOUT:?}"));
                return None;
            }
            drop(seen);
            std::thread::sleep(RETRY_DELAY);
        }
    }
}

impl Load {
    /// Starts two callers for each customer of `sandbox.json`, of whom one has payments executed.
    pub fn start(programs: Vec<SocketAddr>, sandbox: &Value) -> Self {
        let shared = Shared {
            seen: Arc::default(),
            programs: Arc::new(programs),
            next: Arc::default(),
            stop: Arc::default(),
            paused: Arc::default(),
        };
        let psus = sandbox["psus"].as_array().cloned().unwrap_or_default();
        let callers = (0..2 * psus.len()).map(|number| {
            let (payer, payee) = (&psus[number / 2], &psus[(number / 2 + 1) % psus.len()]);
            let caller = Caller::new(number, sandbox, payer, payee, &shared);
            std::thread::spawn(move || caller.run())
        });
        Self { callers: callers.collect(), shared: shared.clone() }
    }

    /// Lets the callers finish what they have begun.
    pub fn stop(self) {
        self.shared.stop.store(true, Ordering::Relaxed);
        for caller in self.callers {
            if caller.join().is_err() {
                self.shared.seen().violations.push("a caller panicked".to_owned());
            }
        }
    }
}

impl Caller {
    fn new(number: usize, sandbox: &Value, payer: &Value, payee: &Value, shared: &Shared) -> Self {
        let tpp = &sandbox["tpps"][0];
        let headers = [
            ("Ocp-Apim-Subscription-Key", &tpp["subscription_key"]),
            ("ClientId", &tpp["client_id"]),
            ("Certificate", &tpp["certificate"]),
            ("PSU_ID", &payer["psu_id"]),
        ];
        let mut headers: Headers =
            headers.map(|(name, value)| (name.to_owned(), text(value).to_owned())).to_vec();
        headers.push(("pSUIPAddress".to_owned(), "192.0.2.1".to_owned()));
        let order = json!({
            "debtorAccount": { "iban": payer["accounts"][0]["iban"] },
            "instructedAmount": { "currency": "EUR", "Amount": "0.01" },
            "creditorAccount": { "iban": payee["accounts"][0]["iban"] },
            "creditorName": payee["name"],
        });
        let (psu, otp) = (payer.clone(), sandbox["otp"].clone());
        Self { number, headers, psu, order, otp, shared: shared.clone(), calls: 0 }
    }

    fn run(mut self) {
        let mut own: Vec<String> = Vec::new();
        while !self.shared.stop.load(Ordering::Relaxed) {
            let turn = self.calls % 4;
            let created = match (self.number % 2, turn) {
                (0, _) => self.executed(),
                (_, 0 | 1) => self.create(PAYMENTS, self.order.clone(), "paymentId", false),
                (_, 2) => self.create(CONSENTS, consent(), "consentId", false),
                _ => None,
            };
            own.extend(created);
            // What was answered is there for every reader from then on.
            if let Some(path) =
                own.get(own.len().saturating_sub(1 + usize::try_from(self.calls % 7).unwrap_or(0)))
            {
                let (path, request) = (path.clone(), self.request("GET", path.clone(), None));
                if self.shared.answered(&self.headers, &request).is_none() {
                    self.shared.seen().violations.push(format!("{path}: cannot be read"));
                }
            }
            std::thread::sleep(PAUSE);
            while self.shared.paused.load(Ordering::Relaxed) {
                std::thread::sleep(PAUSE);
            }
        }
    }

    fn request(&mut self, method: &'static str, path: String, body: Option<Value>) -> Request {
        self.calls += 1;
        let key = format!("{:08x}-0000-4000-8000-{:012x}", self.number + 1, self.calls);
        Request { method, path, key, body }
    }

    fn create(&mut self, path: &str, body: Value, id: &str, is_executed: bool) -> Option<String> {
        let request = self.request("POST", path.to_owned(), Some(body));
        let response = self.shared.answered(&self.headers, &request)?;
        let created = format!("{path}/{}", text(&response.json().ok()?[id]));
        let (path, headers) = (created.clone(), self.headers.clone());
        self.shared.seen().created.push(Created { request, headers, path, is_executed });
        Some(created)
    }

    /// Orders a payment and has it authorised and executed: password, method, code.
    fn executed(&mut self) -> Option<String> {
        let path = self.create(PAYMENTS, self.order.clone(), "paymentId", false)?;
        let begin = self.request("POST", format!("{path}/authorisations"), Some(json!({})));
        let started = self.shared.answered(&self.headers, &begin)?.json().ok()?;
        let own = format!("{path}/authorisations/{}", text(&started["authorisationId"]));
        let mut response = self.step(&own, json!({ "psuData": { "password": self.psu["password"] } }))?;
        if response["scaStatus"] == "psuAuthenticated" {
            let method = response["scaMethods"]
                .as_array()?
                .iter()
                .find(|method| method["authenticationType"] == "SMSOTP")?;
            response =
                self.step(&own, json!({ "authenticationMethodId": method["authenticationMethodId"] }))?;
        }
        if response["scaStatus"] == "scaMethodSelected" {
            response = self.step(&own, json!({ "scaAuthenticationData": self.otp }))?;
        }
        if response["scaStatus"] != "finalised" {
            self.shared.seen().violations.push(format!("{own}: {response}"));
            return None;
        }
        let mut seen = self.shared.seen();
        if let Some(created) = seen.created.iter_mut().rev().find(|created| created.path == path) {
            created.is_executed = true;
        }
        drop(seen);
        Some(path)
    }

    fn step(&mut self, path: &str, body: Value) -> Option<Value> {
        let request = self.request("PUT", path.to_owned(), Some(body));
        self.shared.answered(&self.headers, &request)?.json().ok()
    }
}

fn consent() -> Value {
    json!({
        "access": { "allPsd2": "allAccounts" },
        "recurringIndicator": true, "validUntil": "2099-12-31", "frequencyPerDay": 4,
    })
}
