//! `trapeza import`: customers with their accounts and opening balances, from CSV or JSON lines.
//!
//! The file is read on the client, because the server may run as another user. All lines are validated before anything is changed,
//! and every problem is reported. A file of up to [`BATCH_CUSTOMERS`] customers is imported in one transaction; a larger one in several, and
//! the position after each is recorded under the file's hash, so that the same command continues after an interruption.

mod file;

use super::{AdminRequest, describe_error, run};
use crate::cli::{BankArgs, Import};
use file::{ImportFile, Problem, Record};
use serde::{Deserialize, Serialize};
use std::fmt::Write;
use trapeza_app::App;
use trapeza_app::import::{ImportBatch, ImportLine, LineProblem};

/// How many customers one transaction creates.
const BATCH_CUSTOMERS: usize = 500;

/// What the client asks the server to do.
#[derive(Debug, Serialize, Deserialize)]
pub enum ImportRequest {
    /// How many customers of the file are imported?
    Position { file: [u8; 32] },
    /// Which problems do these lines have?
    Check { lines: Vec<Record> },
    /// Import these lines.
    Apply { file: [u8; 32], start: i64, total: i64, lines: Vec<Record> },
}

/// The server's answer, as one line of JSON.
#[derive(Debug, Default, Serialize, Deserialize)]
struct ImportReply {
    position: i64,
    accounts: usize,
    problems: Vec<Problem>,
}

pub fn start(arguments: &Import) -> (String, bool) {
    match import(arguments) {
        Ok(text) => (text, true),
        Err(text) => (text, false),
    }
}

fn import(arguments: &Import) -> Result<String, String> {
    let file = ImportFile::read(&arguments.file, arguments.format)?;
    let (hash, total) = (file.hash, file.customers.len());
    let ask = |request| ask(&arguments.bank, request);
    let done = ask(ImportRequest::Position { file: hash })?.position;
    let done = usize::try_from(done).unwrap_or(total).min(total);
    let mut problems = file.problems;
    let open = &file.customers[done..];
    for batch in open.chunks(BATCH_CUSTOMERS) {
        problems.extend(ask(ImportRequest::Check { lines: batch.concat() })?.problems);
    }
    if !problems.is_empty() {
        return Err(describe_problems(problems));
    }
    let accounts = open.iter().flatten().filter(|record| record.iban.is_some()).count();
    let earlier = if done == 0 { String::new() } else { format!(", {done} customers were imported before") };
    if arguments.dry_run {
        let customers = open.len();
        return Ok(format!(
            "valid: {customers} customers with {accounts} accounts{earlier}; nothing was changed\n"
        ));
    }
    if open.is_empty() && total > 0 {
        return Ok(format!("all {total} customers of this file were imported before; nothing was changed\n"));
    }
    let (mut position, mut opened) = (i64::try_from(done).unwrap_or(i64::MAX), 0);
    let all = i64::try_from(total).unwrap_or(i64::MAX);
    for batch in open.chunks(BATCH_CUSTOMERS) {
        let request = ImportRequest::Apply { file: hash, start: position, total: all, lines: batch.concat() };
        let reply = ask(request).map_err(|problem| interrupted(problem, position, all))?;
        if !reply.problems.is_empty() {
            return Err(interrupted(describe_problems(reply.problems), position, all));
        }
        (position, opened) = (reply.position, opened + reply.accounts);
    }
    Ok(format!("imported {} customers with {opened} accounts{earlier}\n", open.len()))
}

/// A problem after the validation: another command or server has changed the bank since, or the server stopped.
fn interrupted(mut problem: String, position: i64, total: i64) -> String {
    let _ = writeln!(
        problem,
        "stopped: {position} of {total} customers are imported; run the same command again to continue"
    );
    problem
}

fn ask(bank: &BankArgs, request: ImportRequest) -> Result<ImportReply, String> {
    let (text, succeeded) = run(bank, AdminRequest::Import(request));
    if !succeeded {
        return Err(text);
    }
    serde_json::from_str(&text).map_err(|error| format!("the server's answer cannot be read: {error}\n"))
}

fn describe_problems(mut problems: Vec<Problem>) -> String {
    problems.sort_by_key(|problem| problem.line);
    let mut text = String::new();
    for Problem { line, field, text: problem } in &problems {
        let field = field.as_ref().map(|field| format!("{field}: ")).unwrap_or_default();
        let _ = writeln!(text, "line {line}: {field}{problem}");
    }
    let _ = writeln!(text, "{} problems; nothing was changed", problems.len());
    text
}

pub async fn execute(app: &App, request: &ImportRequest) -> Result<String, String> {
    let reply = match request {
        ImportRequest::Position { file } => {
            let position = app.import_position(*file).await.map_err(describe_error)?;
            ImportReply { position, ..ImportReply::default() }
        }
        ImportRequest::Check { lines } => {
            let lines: Vec<ImportLine> = lines.iter().cloned().map(ImportLine::from).collect();
            let problems = app.import_check(&lines).await.map_err(describe_error)?;
            ImportReply { problems: named(problems), ..ImportReply::default() }
        }
        ImportRequest::Apply { file, start, total, lines } => {
            let lines = lines.iter().cloned().map(ImportLine::from).collect();
            let batch = ImportBatch { file: *file, start: *start, total: *total, lines };
            match app.import_apply(batch).await.map_err(describe_error)? {
                Ok(imported) => ImportReply {
                    position: imported.position,
                    accounts: imported.accounts,
                    ..ImportReply::default()
                },
                Err(problems) => ImportReply { problems: named(problems), ..ImportReply::default() },
            }
        }
    };
    serde_json::to_string(&reply).map_err(|error| error.to_string())
}

fn named(problems: Vec<LineProblem>) -> Vec<Problem> {
    let name = |LineProblem { line, field, text }| Problem {
        line,
        field: Some(file::column_name(field).to_owned()),
        text,
    };
    problems.into_iter().map(name).collect()
}
