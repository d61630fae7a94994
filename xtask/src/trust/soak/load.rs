//! Callers who order payments and read them, as fast as they are answered or at a given rate.

use super::connection::Connection;
use serde_json::{Value, json};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

pub const PAYMENTS: &str = "/v1/payments/internal-transfers";

/// What all callers share.
pub struct Target {
    pub address: String,
    headers: String,
    order: String,
    keys: AtomicU64,
}

#[derive(Clone, Copy, Debug)]
pub struct Offer {
    pub callers: u64,
    /// Requests per second of all callers; without a rate each sends as soon as it is answered.
    pub per_second: Option<u64>,
    /// Each caller's calls of which one orders a payment; the others read its status.
    pub calls_per_order: u64,
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
        let (tpp, payer, payee) = (&sandbox["tpps"][0], &sandbox["psus"][1], &sandbox["psus"][0]);
        let headers = [
            ("Ocp-Apim-Subscription-Key", &tpp["subscription_key"]),
            ("ClientId", &tpp["client_id"]),
            ("Certificate", &tpp["certificate"]),
            ("PSU_ID", &payer["psu_id"]),
        ];
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let headers: String =
            headers.iter().map(|(name, value)| format!("{name}: {}\r\n", text(value))).collect();
        let order = json!({
            "debtorAccount": { "iban": payer["accounts"][0]["iban"] },
            "instructedAmount": { "currency": "EUR", "Amount": "0.01" },
            "creditorAccount": { "iban": payee["accounts"][0]["iban"] },
            "creditorName": payee["name"],
        });
        let headers = format!("{headers}pSUIPAddress: 192.0.2.1\r\n");
        Self { address: address.to_owned(), headers, order: order.to_string(), keys: AtomicU64::new(1) }
    }

    pub fn request(&self, method: &str, path: &str, body: &str) -> String {
        let (address, headers) = (&self.address, &self.headers);
        let key = self.keys.fetch_add(1, Ordering::Relaxed);
        format!(
            "{method} {path} HTTP/1.1\r\nHost: {address}\r\n{headers}x-Request-ID: 00000050-0000-4000-8000-{key:012x}\r\n\
             Content-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
            body.len()
        )
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
        let (mut path, mut calls) = (None::<String>, number);
        while start.elapsed() < offer.lasts {
            match interval {
                None => due = Instant::now(),
                Some(_) => std::thread::sleep(due.saturating_duration_since(Instant::now())),
            }
            calls += 1;
            let request = match &path {
                Some(path) if calls % offer.calls_per_order != 0 => {
                    self.request("GET", &format!("{path}/status"), "")
                }
                _ => self.request("POST", PAYMENTS, &self.order),
            };
            let sent = Instant::now();
            let answer = connection.send(&request);
            match answer {
                Ok(answer) if answer.status == 200 => {
                    seen.done += 1;
                    seen.done_micros.push(micros_since(due));
                    let body: Value = serde_json::from_str(&answer.body).unwrap_or(Value::Null);
                    path = body["paymentId"].as_str().map(|id| format!("{PAYMENTS}/{id}")).or(path);
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
