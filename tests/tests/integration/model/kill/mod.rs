//! Random histories of one customer with payments to other banks, instant payments, standing orders, signing baskets and purchases,
//! in a process that is killed (SIGKILL) in the middle of writes: in the end every object has the status, and every account the
//! balance, that follow from what was answered. A failing history is made smaller; `TRAPEZA_TEST_SEED` runs one seed.

mod bank;
mod customer;
mod step;

use super::history::Random;
use bank::{Dialect, KilledBank, Violation};
use customer::{Customer, Effect, Object};
use rstest::rstest;
use step::History;
use trapeza_testkit::database::Engine;
use trapeza_testkit::iterations;

/// How many smaller histories are tried.
const SHRINKS: usize = 30;

/// Runs a history and compares everything. Returns how often the process was killed.
async fn run(engine: Engine, history: &History, seed: u64) -> Result<usize, Violation> {
    let mut bank = KilledBank::start(engine, seed).await;
    let (before, payments) = (bank.balances(), bank.payments());
    let mut customer = Customer::default();
    for (step, kill) in history {
        bank.plan(*kill);
        customer.step(&mut bank, *step).await.map_err(|why| format!("{step:?}: {why}"))?;
    }
    bank.plan(None);
    ended(&mut bank, &customer).await?;
    let (mut gone, mut moved, mut held, mut executions) = (customer.purchases, 0, 0, 0);
    for object in &customer.objects {
        match object.effect {
            Effect::None => {}
            Effect::Gone => gone += object.minor,
            Effect::GoneIfSettled if status(&bank, object).await == "ACSC" => gone += object.minor,
            Effect::GoneIfSettled => {}
            Effect::ToOtherCustomer => moved += object.minor,
            Effect::Held => held += object.minor,
            Effect::Repeated(times) => {
                gone += object.minor * times;
                executions += times;
            }
        }
    }
    let expected = [(before[0].0 - gone - moved, before[0].1 + held), (before[1].0 + moved, before[1].1)];
    let found = bank.balances();
    if found != expected {
        return Err(format!("the balances are {found:?}; the model has {expected:?}"));
    }
    let expected = (payments.0 + customer.ordered, payments.1 + executions);
    let found = bank.payments();
    if found != expected {
        return Err(format!("there are {found:?} payments and executions; the model has {expected:?}"));
    }
    let kills = bank.kills;
    bank.check()?;
    Ok(kills)
}

async fn status(bank: &KilledBank, object: &Object) -> String {
    let path = match object.dialect {
        Dialect::BerlinGroup => format!("{}/status", object.path),
        _ => object.path.clone(),
    };
    let answer = bank.client(object.dialect).get(&path).await;
    answer.body["transactionStatus"].as_str().unwrap_or_default().to_owned()
}

/// Lets time pass until clearing has answered, and then until standing orders and loans have ended. What has ended stays.
async fn ended(bank: &mut KilledBank, customer: &Customer) -> Result<(), Violation> {
    let mut late = Vec::new();
    // A message that a killed process had claimed is free again after a minute; an instant payment is asked for later.
    for _ in 0..12 {
        bank.advance("PT10M").await?;
        late.clear();
        for object in &customer.objects {
            let found = status(bank, object).await;
            if !object.ends.contains(&found.as_str()) {
                late.push(format!("{} is {found}, expected {:?}", object.path, object.ends));
            }
        }
        if late.is_empty() {
            break;
        }
    }
    if !late.is_empty() {
        return Err(late.join(", "));
    }
    for _ in 0..5 {
        bank.advance("P31D").await?;
    }
    for _ in 0..3 {
        bank.advance("PT10M").await?;
    }
    for object in &customer.objects {
        let found = status(bank, object).await;
        if !object.ends.contains(&found.as_str()) {
            return Err(format!("{} is {found} months later, expected {:?}", object.path, object.ends));
        }
    }
    Ok(())
}

async fn shrink(engine: Engine, mut history: History, seed: u64) -> (History, Violation) {
    let (mut why, mut tries) = ("it passes when it is run again".to_owned(), 0);
    'smaller: loop {
        for smaller in step::smaller(&history) {
            tries += 1;
            if tries > SHRINKS {
                return (history, why);
            }
            if let Err(violation) = run(engine, &smaller, seed).await {
                (history, why) = (smaller, violation);
                continue 'smaller;
            }
        }
        return (history, why);
    }
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn killed_bank_agrees_with_the_model(#[values(Engine::Sqlite, Engine::Postgres)] engine: Engine) {
    let chosen = std::env::var("TRAPEZA_TEST_SEED").ok().and_then(|text| text.parse::<u64>().ok());
    let usual = if engine == Engine::Sqlite { 3 } else { 1 };
    let count = if chosen.is_some() { 1 } else { iterations(usual) };
    let mut seeds = Random::new(0x006b_696c_6c65_6400 + engine as u64);
    let (mut steps, mut kills) = (0, 0);
    for _ in 0..count {
        let seed = chosen.unwrap_or_else(|| seeds.next());
        let history = step::random(seed);
        steps += history.len();
        match run(engine, &history, seed).await {
            Ok(killed) => kills += killed,
            Err(violation) => {
                let (smallest, why) = shrink(engine, history, seed).await;
                panic!("seed {seed} ({engine:?}): {violation}\nsmallest: {smallest:#?}\n{why}");
            }
        }
    }
    assert!(chosen.is_some() || kills > 0, "the process was killed");
    println!("trust: {engine:?} count={count} calls={steps} faults={kills}");
}
