//! Two accounts under concurrent payments in both directions, cancellations and reads of balances: which payments lack funds must
//! follow from one order of all of them.

use super::search::{Recorded, Sequential, order, overlaps, record};
use crate::http::payment::{ELENI, INTERNAL, JONAS, balance, check_ledger, floor, iban, psu, text};
use crate::model::history::Random;
use reqwest::Method;
use rstest::rstest;
use serde_json::json;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};
use trapeza_domain::time::TimeDelta;
use trapeza_testkit::database::{Database, Engine};
use trapeza_testkit::{ApiClient, TestBank, iterations};
use uuid::Uuid;

const PAYMENTS: usize = 5;
/// Numbers the requests.
static KEYS: AtomicU64 = AtomicU64::new(1);

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum State {
    Received = 1,
    Rejected = 3,
    Executed = 4,
    Cancelled = 6,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Order {
    payer: usize,
    minor: i64,
    state: State,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Accounts {
    booked: [i64; 2],
    /// What each may fall to, with what is held.
    floor: [i64; 2],
    orders: [Order; PAYMENTS],
}

#[derive(Clone, Copy, Debug)]
enum AccountCall {
    /// The last step of a payment's authorisation.
    Execute(usize),
    Cancel(usize),
    Status(usize),
    Balance(usize),
}

/// Whether it was done, and the number in the answer.
type AccountAnswer = (bool, i64);

impl Sequential for Accounts {
    type Call = AccountCall;
    type Answer = AccountAnswer;

    fn after(&self, call: &AccountCall, (done, number): &AccountAnswer) -> Option<Self> {
        let mut next = self.clone();
        let agrees = match *call {
            AccountCall::Execute(index) => {
                let order = &mut next.orders[index];
                let (possible, payer) = (order.state == State::Received, order.payer);
                let funded = self.booked[payer] - order.minor >= self.floor[payer];
                if possible && funded {
                    order.state = State::Executed;
                    next.booked[payer] -= order.minor;
                    next.booked[1 - payer] += order.minor;
                } else if possible {
                    order.state = State::Rejected;
                }
                *done == possible
            }
            AccountCall::Cancel(index) => {
                let possible = self.orders[index].state == State::Received;
                if possible {
                    next.orders[index].state = State::Cancelled;
                }
                *done == possible
            }
            AccountCall::Status(index) => self.orders[index].state as i64 == *number,
            AccountCall::Balance(customer) => self.booked[customer] == *number,
        };
        agrees.then_some(next)
    }
}

/// What the callers use.
struct Setup {
    bank: Arc<TestBank>,
    readers: [ApiClient; 2],
    /// Caller, payment and the authorisation that waits for its code.
    payments: Vec<(ApiClient, String, String)>,
}

fn caller(bank: &TestBank, customer: usize) -> ApiClient {
    bank.tpp(customer).with("PSU_ID", text(&psu(bank, customer)["psu_id"])).with("pSUIPAddress", "192.0.2.1")
}

/// A payment up to its code.
async fn prepared(bank: &TestBank, order: &Order) -> (ApiClient, String, String) {
    let (tpp, payee) = (caller(bank, order.payer), 1 - order.payer);
    let body = json!({
        "endToEndIdentification": "linearisable",
        "debtorAccount": { "iban": iban(bank, order.payer, 0) },
        "instructedAmount": { "currency": "EUR", "Amount": format!("{}.{:02}", order.minor / 100, order.minor % 100) },
        "creditorAccount": { "iban": iban(bank, payee, 0) },
        "creditorName": psu(bank, payee)["name"],
    });
    let created = tpp.post(INTERNAL, &body).await;
    let path = format!("{INTERNAL}/{}", created.text("/paymentId"));
    let started = tpp.post(&format!("{path}/authorisations"), &json!({})).await;
    let own = format!("{path}/authorisations/{}", started.text("/authorisationId"));
    let password = json!({ "psuData": { "password": psu(bank, order.payer)["password"] } });
    let mut answer = tpp.put(&own, &password).await;
    if let Some(method) = answer.method_with_code() {
        answer = tpp.put(&own, &method).await;
    }
    assert_eq!(answer.text("/scaStatus"), "scaMethodSelected", "{answer:?}");
    (tpp, path, own)
}

/// A client that may read a customer's balance.
async fn reader(bank: &TestBank, customer: usize) -> ApiClient {
    let (tpp, own) = (caller(bank, customer), json!([{ "iban": iban(bank, customer, 0) }]));
    let body = json!({
        "access": { "accounts": own, "balances": own },
        "recurringIndicator": true, "validUntil": "2099-12-31", "frequencyPerDay": 4,
    });
    let created = tpp.post("/v1/consents", &body).await;
    let id = created.text("/consentId").to_owned();
    bank.authorise(&tpp, &format!("/v1/consents/{id}"), psu(bank, customer)).await;
    tpp.with("consentID", &id)
}

impl Setup {
    async fn answer(&self, call: AccountCall) -> AccountAnswer {
        let key = Uuid::from_u64_pair(7, KEYS.fetch_add(1, Ordering::Relaxed)).to_string();
        loop {
            let answer = match call {
                AccountCall::Execute(index) => {
                    let (tpp, _, own) = &self.payments[index];
                    let body = json!({ "scaAuthenticationData": self.bank.sandbox_file["otp"] }).to_string();
                    tpp.clone()
                        .without("x-Request-ID")
                        .with("x-Request-ID", &key)
                        .send(Method::PUT, own, Some(body.into()))
                        .await
                }
                AccountCall::Cancel(index) => {
                    let (tpp, path, _) = &self.payments[index];
                    tpp.clone().without("x-Request-ID").with("x-Request-ID", &key).delete(path).await
                }
                AccountCall::Status(index) => {
                    let (tpp, path, _) = &self.payments[index];
                    tpp.get(&format!("{path}/status")).await
                }
                AccountCall::Balance(customer) => {
                    self.readers[customer].get("/v1/accounts?withBalance=true").await
                }
            };
            // Too many at once: the same again.
            if answer.status == 503 {
                continue;
            }
            assert!(answer.status < 500, "{call:?}: {answer:?}");
            let number = match call {
                AccountCall::Status(_) => answer.body["transactionStatus"].as_i64(),
                AccountCall::Balance(_) => {
                    let balances = answer.body["accounts"][0]["balances"].as_array().unwrap();
                    let booked = balances.iter().find(|balance| balance["balanceType"] == 5).unwrap();
                    booked["balanceAmount"]["Amount"].as_str().unwrap().replace('.', "").parse().ok()
                }
                _ => None,
            };
            return (answer.status < 300, number.unwrap_or(-1));
        }
    }
}

fn call(random: &mut Random) -> AccountCall {
    let index = random.below(PAYMENTS);
    match random.below(8) {
        0..=3 => AccountCall::Execute(index),
        4 => AccountCall::Cancel(index),
        5 => AccountCall::Status(index),
        _ => AccountCall::Balance(random.below(2)),
    }
}

async fn history(setup: &Arc<Setup>, random: &mut Random) -> Vec<Recorded<Accounts>> {
    let (began, mut callers) = (Instant::now(), tokio::task::JoinSet::new());
    for _ in 0..4 {
        let calls: Vec<(AccountCall, u64)> = (0..4).map(|_| (call(random), random.next() % 1000)).collect();
        let setup = setup.clone();
        callers.spawn(async move {
            let mut done = Vec::new();
            for (call, wait) in calls {
                tokio::time::sleep(Duration::from_micros(wait)).await;
                done.push(record(began, call, setup.answer(call)).await);
            }
            done
        });
    }
    let mut all: Vec<Recorded<Accounts>> = callers.join_all().await.into_iter().flatten().collect();
    let last = (0..PAYMENTS).map(AccountCall::Status).chain([0, 1].map(AccountCall::Balance));
    for call in last {
        all.push(record(began, call, setup.answer(call)).await);
    }
    all
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn concurrent_payments_cancellations_and_balances_have_an_order(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let bank = Arc::new(TestBank::start(Database::new(engine)).await);
    let readers = [reader(&bank, ELENI).await, reader(&bank, JONAS).await];
    let (count, mut calls, mut overlapping, mut rejected) = (iterations(10), 0, 0, 0);
    for number in 0..count {
        let seed = super::seed(number);
        let mut random = Random::new(seed);
        let mut accounts = Accounts {
            booked: [0; 2],
            floor: [0; 2],
            orders: [Order { payer: 0, minor: 100, state: State::Received }; PAYMENTS],
        };
        for customer in [ELENI, JONAS] {
            let iban = iban(&bank, customer, 0);
            let (booked, held) = balance(&bank, &iban).await;
            accounts.booked[customer] = booked;
            accounts.floor[customer] = floor(&bank, &iban).await + held;
        }
        for order in &mut accounts.orders {
            order.payer = random.below(2);
            // One of these lacks funds or not, by the order in which the others are executed.
            let available = accounts.booked[order.payer] - accounts.floor[order.payer];
            order.minor = (available * [6, 4, 10, 11][random.below(4)] / 10).max(1);
        }
        let mut payments = Vec::new();
        for order in &accounts.orders {
            // Codes are sent at intervals.
            bank.pass(TimeDelta::seconds(31)).await;
            payments.push(prepared(&bank, order).await);
        }
        let setup = Arc::new(Setup { bank: bank.clone(), readers: readers.clone(), payments });
        let history = history(&setup, &mut random).await;
        let found = order(&accounts, &history);
        assert!(found.is_some(), "seed {seed} ({engine:?}) has no order: {accounts:#?} {history:#?}");
        calls += history.len();
        overlapping += overlaps(&history);
        rejected += history.iter().filter(|one| one.answer.1 == 3).count();
        check_ledger(&bank).await;
        bank.pass(TimeDelta::minutes(20)).await;
    }
    assert!(overlapping > count && rejected > 0, "{overlapping} calls overlapped, {rejected} lacked funds");
    println!("trust: {engine:?} count={count} calls={calls} overlapping={overlapping}");
}
