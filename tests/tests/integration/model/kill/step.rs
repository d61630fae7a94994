//! Random steps of one customer's business with the bank. A seed gives the same steps again.

use crate::model::history::Random;

/// What the customer does. The clearing house decides by the payee's name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    Internal,
    /// More than there is.
    Poor,
    CancelEarly,
    Sepa(&'static str),
    Instant(&'static str),
    Standing,
    /// Two payments to other banks and an internal one under one authorisation.
    SigningBasket,
    Purchase,
    Advance(&'static str),
}

/// When the process is killed: in which write of the step, and how many microseconds after it was sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Kill {
    pub write: usize,
    pub micros: u64,
}

pub type History = Vec<(Step, Option<Kill>)>;

const SEPA: [&str; 5] = ["Maria Ioannou", "Maria Ioannou", "REJECT AC04", "RETURN", "SILENT"];
const INSTANT: [&str; 3] = ["Anna Muster", "Anna Muster", "REJECT AC04"];
const SPANS: [&str; 4] = ["PT5S", "PT5S", "PT20M", "P1D"];

pub fn random(seed: u64) -> History {
    let mut random = Random::new(seed);
    let mut purchases = 0;
    let count = 6 + random.below(6);
    let steps = (0..count).map(|_| {
        let step = match random.below(14) {
            0 => Step::Internal,
            1 => Step::Poor,
            2 => Step::CancelEarly,
            3..=5 => Step::Sepa(SEPA[random.below(SEPA.len())]),
            6 | 7 => Step::Instant(INSTANT[random.below(INSTANT.len())]),
            8 => Step::Standing,
            9 => Step::SigningBasket,
            // The credit decision depends on earlier loans.
            10 if purchases == 0 => {
                purchases += 1;
                Step::Purchase
            }
            _ => Step::Advance(SPANS[random.below(SPANS.len())]),
        };
        let writes = if matches!(step, Step::Advance(_)) { 1 } else { 4 };
        let kill = Kill { write: random.below(writes), micros: random.next() % 30_000 };
        (step, (random.below(2) == 0).then_some(kill))
    });
    steps.collect()
}

/// Smaller histories: without a step, without a kill.
pub fn smaller(history: &History) -> Vec<History> {
    let mut all = Vec::new();
    for index in 0..history.len() {
        let mut without = history.clone();
        without.remove(index);
        all.push(without);
    }
    for index in 0..history.len() {
        let mut alive = history.clone();
        if alive[index].1.take().is_some() {
            all.push(alive);
        }
    }
    all
}
