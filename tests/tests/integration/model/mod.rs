//! A model of the bank: random histories of concurrent third parties with repeated and lost calls, moves of the clock with and without
//! the sweep, compared with a small reference model. A failing history is made smaller and printed with its seed;
//! `TRAPEZA_TEST_SEED` runs one seed.

mod actor;
pub mod history;
mod kill;
mod linearisability;

use crate::http::payment::{balance, check_ledger, floor, iban};
use crate::staff::verify_audit;
use actor::{Actor, PaymentModel, Violation};
use history::{History, Random, Round};
use rstest::rstest;
use std::sync::Arc;
use trapeza_domain::time::TimeDelta;
use trapeza_testkit::database::{Database, Engine};
use trapeza_testkit::{TestBank, iterations};

/// Third party and customer of each actor. Two of them share an account.
const ACTORS: [(usize, usize); 4] = [(0, 0), (0, 1), (1, 0), (1, 1)];
/// Histories on one bank, before its certificates expire.
const BATCH: usize = 20;
/// How many smaller histories are tried.
const SHRINKS: usize = 80;

/// What a customer's account holds and may spend.
async fn money(bank: &TestBank, customer: usize) -> (i64, i64) {
    let iban = iban(bank, customer, 0);
    let (booked, held) = balance(bank, &iban).await;
    (booked, booked - held - floor(bank, &iban).await)
}

/// Runs a history and compares everything.
async fn run(bank: &Arc<TestBank>, history: &History, seed: u64) -> Result<(), Violation> {
    let mut actors: Vec<Actor> = ACTORS
        .iter()
        .enumerate()
        .map(|(number, (tpp, customer))| {
            Actor::new(bank.clone(), *tpp, *customer, seed.wrapping_mul(31) + number as u64)
        })
        .collect();
    let before = [money(bank, 0).await, money(bank, 1).await];
    for round in &history.rounds {
        round_run(bank, &mut actors, round).await?;
    }
    let mut expected = before.map(|(booked, _)| booked);
    for actor in &mut actors {
        actor.compare_all().await?;
        let executed = actor.payments.iter().filter(|payment| payment.state == PaymentModel::Executed);
        let moved: i64 = executed.map(|payment| payment.amount).sum();
        expected[actor.customer] -= moved;
        expected[1 - actor.customer] += moved;
    }
    let after = [money(bank, 0).await.0, money(bank, 1).await.0];
    if after != expected {
        return Err(format!("the balances are {after:?}; the model has {expected:?}"));
    }
    Ok(())
}

async fn round_run(bank: &Arc<TestBank>, actors: &mut [Actor], round: &Round) -> Result<(), Violation> {
    let busy = round.calls.iter().filter(|calls| !calls.is_empty()).count();
    let mut tasks = tokio::task::JoinSet::new();
    let taken: Vec<Actor> = actors.iter_mut().map(Actor::take).collect();
    for (number, (mut actor, calls)) in taken.into_iter().zip(round.calls.clone()).enumerate() {
        actor.available = match busy {
            1 => Some(money(bank, actor.customer).await.1),
            _ => None,
        };
        tasks.spawn(async move {
            for (call, delivery) in calls {
                if let Err(violation) = actor.call(call, delivery).await {
                    return (
                        number,
                        actor,
                        Err(format!("actor {number}, {call:?}, {delivery:?}: {violation}")),
                    );
                }
            }
            (number, actor, Ok(()))
        });
    }
    let mut result = Ok(());
    for (number, actor, outcome) in tasks.join_all().await {
        actors[number] = actor;
        result = result.and(outcome);
    }
    if round.pause.minutes > 0 {
        bank.pass(TimeDelta::minutes(round.pause.minutes)).await;
    }
    if round.pause.sweep {
        bank.app.sweep(bank.app.now()).await.unwrap();
    }
    for actor in actors {
        actor.now += round.pause.minutes;
    }
    result
}

/// The smallest history found that still fails, and why.
async fn shrink(engine: Engine, mut history: History, seed: u64) -> (History, Violation) {
    let mut why = "it passes on a new bank".to_owned();
    let mut tries = 0;
    'smaller: loop {
        for smaller in history.smaller() {
            tries += 1;
            if tries > SHRINKS {
                return (history, why);
            }
            let bank = Arc::new(TestBank::start(Database::new(engine)).await);
            if let Err(violation) = run(&bank, &smaller, seed).await {
                (history, why) = (smaller, violation);
                continue 'smaller;
            }
        }
        return (history, why);
    }
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn random_histories_agree_with_the_model(#[values(Engine::Sqlite, Engine::Postgres)] engine: Engine) {
    let usual = if engine == Engine::Sqlite { 160 } else { 40 };
    let chosen = std::env::var("TRAPEZA_TEST_SEED").ok().and_then(|text| text.parse::<u64>().ok());
    let count = if chosen.is_some() { 1 } else { iterations(usual) };
    let mut seeds = Random::new(0x7261_7065_7a61);
    let (mut calls, mut faults, mut bank) = (0, 0, None);
    for number in 0..count {
        let seed = chosen.unwrap_or_else(|| seeds.next());
        if number % BATCH == 0 {
            bank = Some(Arc::new(TestBank::start(Database::new(engine)).await));
        }
        let bank = bank.as_ref().unwrap();
        let history = History::random(seed, ACTORS.len());
        calls += history.len();
        faults += history.faults();
        if let Err(violation) = run(bank, &history, seed).await {
            let (smallest, why) = shrink(engine, history, seed).await;
            panic!("seed {seed} ({engine:?}): {violation}\nsmallest: {smallest:#?}\n{why}");
        }
        check_ledger(bank).await;
        if number % BATCH == BATCH - 1 {
            verify_audit(bank).await;
        }
        // Neither wrong codes nor uses of one history count in the next.
        bank.pass(TimeDelta::hours(25)).await;
    }
    println!("trust: {engine:?} count={count} calls={calls} faults={faults}");
}
