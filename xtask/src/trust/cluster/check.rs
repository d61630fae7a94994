//! Whether what was answered is there, once.

use super::database::Database;
use super::load::{Created, PAYMENTS, Shared};
use super::program::Programs;
use super::request::Request;
use crate::bench::client::text;
use crate::process::Outcome;

pub struct Check;

/// Threads that check what was acknowledged.
const CHECKERS: usize = 6;
/// Reads are not idempotent records, so that they may share an id.
const READ_KEY: &str = "ffffffff-0000-4000-8000-000000000000";

/// How many rows of each kind there are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Counts {
    payments: usize,
    consents: usize,
    transfers: usize,
}

impl Check {
    pub fn counts(database: &Database) -> Outcome<Counts> {
        let count = |table: &str| {
            let text = database.query(&format!("SELECT count(*) FROM {table}"))?;
            text.parse::<usize>().map_err(|_| format!("{table}: {text:?}"))
        };
        let (payments, consents) = (count("payment")?, count("consent")?);
        Ok(Counts { payments, consents, transfers: count("transfer")? })
    }

    /// Reads everything that was created since the last time, and repeats its request: the answer must be the same object.
    pub fn acknowledged(shared: &Shared, checked: &mut usize) -> (usize, Vec<String>) {
        let created: Vec<Created> = shared.seen().created[*checked..].to_vec();
        *checked += created.len();
        shared.pause(true);
        let part = created.len().div_ceil(CHECKERS).max(1);
        let mut problems: Vec<String> = std::thread::scope(|scope| {
            let check_all = |part: &[Created]| -> Vec<String> {
                part.iter().filter_map(|one| check(shared, one).err()).collect()
            };
            let parts: Vec<_> =
                created.chunks(part).map(|part| scope.spawn(move || check_all(part))).collect();
            parts
                .into_iter()
                .flat_map(|part| part.join().unwrap_or_else(|_| vec!["a check panicked".to_owned()]))
                .collect()
        });
        shared.pause(false);
        problems.append(&mut shared.seen().violations);
        (created.len(), problems)
    }

    /// After the load: as many rows as requests were answered, a sound ledger and an intact audit log.
    pub fn last(
        shared: &Shared,
        database: &Database,
        programs: &Programs,
        before: Counts,
    ) -> Outcome<Vec<String>> {
        let after = Self::counts(database)?;
        let mut problems = std::mem::take(&mut shared.seen().violations);
        let created = shared.seen().created.clone();
        let payments = created.iter().filter(|one| one.request.path == PAYMENTS).count();
        let executed = created.iter().filter(|one| one.is_executed).count();
        let expected = Counts {
            payments: before.payments + payments,
            consents: before.consents + created.len() - payments,
            transfers: before.transfers + executed,
        };
        if after != expected {
            problems.push(format!("expected {expected:?}, found {after:?}"));
        }
        for words in [["ledger", "check"], ["audit", "verify"]] {
            match programs.command(&words) {
                Ok(text) => println!("{}: {}", words.join(" "), text.lines().last().unwrap_or_default()),
                Err(problem) => problems.push(problem),
            }
        }
        Ok(problems)
    }
}

fn check(shared: &Shared, created: &Created) -> Result<(), String> {
    let Created { request, headers, path, is_executed } = created;
    let read = Request { method: "GET", path: path.clone(), key: READ_KEY.to_owned(), body: None };
    let response = shared.answered(headers, &read).ok_or(format!("{path} is lost"))?;
    if *is_executed && response.json()?["transactionStatus"] != "ACCC" {
        return Err(format!("{path} was executed and is {}", response.body));
    }
    let again =
        shared.answered(headers, request).ok_or(format!("{path}: the repetition was refused"))?.json()?;
    let id = text(&again["paymentId"]).to_owned() + text(&again["consentId"]);
    if path.ends_with(&format!("/{id}")) {
        Ok(())
    } else {
        Err(format!("{path}: the repetition created {id}"))
    }
}
