//! Runs the tests: once each to see which mutants it reaches, then for each mutant until one fails.

use crate::mutation::{Mutant, hash_of};
use crate::report::{Results, Status};
use crate::test_binary::{End, Test};
use crate::tree::{Tree, folder};
use crate::{Arguments, Outcome};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// Longer than any test without a mutant.
const LIMIT: Duration = Duration::from_secs(120);
/// What a mutant may add to the time of a test.
const SLACK: Duration = Duration::from_secs(20);

/// What a test does without a mutant.
pub struct Observation {
    test: Test,
    lasted: Duration,
    /// How many mutants it reaches.
    reached: usize,
}

/// The tests that reach each mutant.
pub struct Reach {
    observations: Vec<Observation>,
    by_mutant: BTreeMap<u32, Vec<usize>>,
}

/// Runs `work` for each item, on all processors, and returns the first error.
fn in_parallel<T: Sync>(items: &[T], work: impl Fn(usize, &T) -> Outcome + Sync) -> Outcome {
    let (next, failed) = (AtomicUsize::new(0), Mutex::new(Ok(())));
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                loop {
                    let number = next.fetch_add(1, Ordering::Relaxed);
                    let Some(item) = items.get(number) else { return };
                    if let Err(problem) = work(number, item) {
                        next.store(items.len(), Ordering::Relaxed);
                        *failed.lock().expect("no thread panics with the lock") = Err(problem);
                    }
                }
            });
        }
    });
    failed.into_inner().map_err(|e| e.to_string())?
}

/// Runs every test without a mutant. One that fails is not used.
pub fn reach(tree: &Tree, tests: &[Test]) -> Outcome<Reach> {
    let records = folder().join("reached");
    let _absent = fs::remove_dir_all(&records);
    fs::create_dir_all(&records).map_err(|e| format!("{}: {e}", records.display()))?;
    let found = Mutex::new(Vec::new());
    in_parallel(tests, |number, test| {
        let record = records.join(number.to_string());
        let start = Instant::now();
        let end = test.run(("TRAPEZA_MUTANTS_REACHED", &record.display().to_string()), LIMIT)?;
        let reached: Vec<u32> = fs::read_to_string(&record)
            .unwrap_or_default()
            .lines()
            .filter_map(|line| line.parse().ok())
            .collect();
        match end {
            End::Passed if reached.is_empty() => {}
            End::Passed => {
                let observation =
                    Observation { test: test.clone(), lasted: start.elapsed(), reached: reached.len() };
                found.lock().map_err(|e| e.to_string())?.push((observation, reached));
            }
            _ => println!("── not used, because it fails without a mutant: {}", test.name),
        }
        Ok(())
    })?;
    let found = found.into_inner().map_err(|e| e.to_string())?;
    let mut by_mutant: BTreeMap<u32, Vec<usize>> = BTreeMap::new();
    for (index, (_, reached)) in found.iter().enumerate() {
        reached.iter().for_each(|number| by_mutant.entry(*number).or_default().push(index));
    }
    println!("── {} tests reach {} of {} mutants", found.len(), by_mutant.len(), tree.viable().count());
    let observations: Vec<Observation> = found.into_iter().map(|(observation, _)| observation).collect();
    for mutant in tree.viable() {
        if let Some(tests) = by_mutant.get_mut(&mutant.number) {
            tests.sort_by_cached_key(|index| {
                let Observation { test, lasted, reached } = &observations[*index];
                (Reverse(shared_words(&mutant.file, &test.name)), *reached, *lasted)
            });
        }
    }
    Ok(Reach { observations, by_mutant })
}

/// How many words of a file's path are in the name of a test.
fn shared_words(file: &str, test: &str) -> usize {
    let path = file.split_once("/src/").map_or(file, |(_, path)| path);
    let words: BTreeSet<&str> = path.trim_end_matches(".rs").split(['/', '_']).collect();
    words.into_iter().filter(|word| test.contains(word)).count()
}

/// Tries each mutant that has no result yet.
pub fn run(tree: &Tree, reach: &Reach, arguments: &Arguments, results: &mut Results) -> Outcome {
    let mut waiting: Vec<&Mutant> = tree
        .viable()
        .filter(|mutant| results.of(mutant).is_none_or(|status| arguments.again && !status.is_caught()))
        .collect();
    waiting.sort_by_cached_key(|mutant| hash_of(mutant.key()));
    println!("── {} mutants are tried", waiting.len());
    let start = Instant::now();
    let is_over =
        || arguments.minutes.is_some_and(|minutes| start.elapsed() > Duration::from_secs(minutes * 60));
    let results = Mutex::new(results);
    in_parallel(&waiting, |number, mutant| {
        if is_over() {
            return Ok(());
        }
        let status = status(mutant, reach, arguments.tests)?;
        println!("{:5} {status:12} {}", number + 1, mutant.name());
        results.lock().map_err(|e| e.to_string())?.add(mutant, status)
    })
}

fn status(mutant: &Mutant, reach: &Reach, tests: usize) -> Outcome<Status> {
    let Some(reaching) = reach.by_mutant.get(&mutant.number) else { return Ok(Status::NotReached) };
    for index in reaching.iter().take(tests) {
        let Observation { test, lasted, .. } = &reach.observations[*index];
        match test.run(("TRAPEZA_MUTANT", &mutant.number.to_string()), *lasted * 3 + SLACK)? {
            End::Passed => {}
            End::Failed => return Ok(Status::Caught),
            End::TimedOut => return Ok(Status::TimedOut),
        }
    }
    Ok(if reaching.len() > tests { Status::SurvivedSome } else { Status::Survived })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tests_with_words_of_the_path_come_first() {
        let file = "crates/trapeza-app/src/ledger/check.rs";
        assert_eq!(
            shared_words(file, "http::ledger_check::payment_that_contradicts_its_transfers_is_reported"),
            2
        );
        assert_eq!(shared_words(file, "ledger::opening_is_booked"), 1);
        assert_eq!(shared_words(file, "http::consent::consent_is_created"), 0);
    }
}
