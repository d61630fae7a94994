//! A consent under concurrent reads and its revocation: reads are counted once each, and none sees data after the end.

use super::search::{Recorded, Sequential, order, overlaps, record};
use crate::http::payment::{JONAS, iban, psu, tpp};
use crate::model::history::Random;
use rstest::rstest;
use serde_json::json;
use std::time::{Duration, Instant};
use trapeza_domain::time::TimeDelta;
use trapeza_testkit::database::{Database, Engine};
use trapeza_testkit::{ApiClient, TestBank, iterations};

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Consent {
    left: i64,
    ended: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ConsentCall {
    Read,
    Revoke,
    Status,
}

/// The HTTP status, and the number in the answer: reads that are left, or the status of the consent.
type ConsentAnswer = (u16, i64);

impl Sequential for Consent {
    type Call = ConsentCall;
    type Answer = ConsentAnswer;

    fn after(&self, call: &ConsentCall, answer: &ConsentAnswer) -> Option<Self> {
        let (next, agrees) = match call {
            ConsentCall::Read if self.ended => (self.clone(), answer.0 == 401),
            ConsentCall::Read if self.left == 0 => (self.clone(), answer.0 == 429),
            ConsentCall::Read => {
                let left = self.left - 1;
                (Self { left, ..self.clone() }, *answer == (200, left))
            }
            ConsentCall::Revoke => (Self { ended: true, ..self.clone() }, answer.0 == 204),
            ConsentCall::Status => (self.clone(), answer.0 == 200 && (answer.1 == 2) != self.ended),
        };
        agrees.then_some(next)
    }
}

async fn answer(tpp: ApiClient, reader: ApiClient, path: String, call: ConsentCall) -> ConsentAnswer {
    loop {
        let answer = match call {
            ConsentCall::Read => reader.get("/v1/accounts").await,
            ConsentCall::Revoke => tpp.delete(&path).await,
            ConsentCall::Status => tpp.get(&format!("{path}/status")).await,
        };
        let left = answer.headers.get("x-frequency-remaining").and_then(|text| text.parse().ok());
        let number = match call {
            ConsentCall::Read => left.unwrap_or(-1),
            _ => answer.body["consentStatus"].as_i64().unwrap_or(-1),
        };
        // Too many at once: the same again.
        if answer.status != 503 {
            return (answer.status, number);
        }
    }
}

/// Callers of one consent, each with a few calls.
async fn history(bank: &TestBank, random: &mut Random) -> Vec<Recorded<Consent>> {
    let tpp = tpp(bank, JONAS);
    let body = json!({
        "access": { "accounts": [{ "iban": iban(bank, JONAS, 0) }] },
        "recurringIndicator": true, "validUntil": "2099-12-31", "frequencyPerDay": 4,
    });
    let created = tpp.post("/v1/consents", &body).await;
    let path = format!("/v1/consents/{}", created.text("/consentId"));
    bank.authorise(&tpp, &path, psu(bank, JONAS)).await;
    let reader = bank.tpp(0).with("consentID", created.text("/consentId"));
    let (began, mut callers) = (Instant::now(), tokio::task::JoinSet::new());
    for caller in 0..4 {
        let calls: Vec<(ConsentCall, u64)> = (0..3)
            .map(|_| match random.below(8) {
                0 if caller < 2 => (ConsentCall::Revoke, random.next() % 3000),
                1 => (ConsentCall::Status, random.next() % 500),
                _ => (ConsentCall::Read, random.next() % 500),
            })
            .collect();
        let (tpp, reader, path) = (tpp.clone(), reader.clone(), path.clone());
        callers.spawn(async move {
            let mut done = Vec::new();
            for (call, wait) in calls {
                tokio::time::sleep(Duration::from_micros(wait)).await;
                done.push(record(began, call, answer(tpp.clone(), reader.clone(), path.clone(), call)).await);
            }
            done
        });
    }
    let mut all: Vec<Recorded<Consent>> = callers.join_all().await.into_iter().flatten().collect();
    for call in [ConsentCall::Status, ConsentCall::Read] {
        all.push(record(began, call, answer(tpp.clone(), reader.clone(), path.clone(), call)).await);
    }
    all
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn concurrent_reads_and_revocations_have_an_order(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let bank = TestBank::start(Database::new(engine)).await;
    let (count, mut calls, mut overlapping, mut revoked) = (iterations(12), 0, 0, 0);
    for number in 0..count {
        let seed = super::seed(number);
        let history = history(&bank, &mut Random::new(seed)).await;
        let initial = Consent { left: 4, ended: false };
        assert!(order(&initial, &history).is_some(), "seed {seed} ({engine:?}) has no order: {history:#?}");
        calls += history.len();
        overlapping += overlaps(&history);
        revoked += usize::from(history.iter().any(|one| one.call == ConsentCall::Revoke));
        // Codes are sent at intervals.
        bank.pass(TimeDelta::minutes(2)).await;
    }
    assert!(overlapping > count && revoked > 0, "{overlapping} calls overlapped, {revoked} consents ended");
    println!("trust: {engine:?} count={count} calls={calls} overlapping={overlapping}");
}
