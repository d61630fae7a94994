//! `trapeza ledger check`: adds up every entry and compares it with every balance.

use super::on_the_bank;
use crate::admin::{Answer, Command};
use crate::cli::BankArgs;
use std::fmt::Write;
use trapeza_app::App;

pub fn run(bank: &BankArgs) -> (String, bool) {
    let command = Command { command: "ledger check".to_owned(), arguments: Vec::new() };
    on_the_bank(bank, command, report)
}

/// What a check of the whole ledger found. Blocks for as long as the ledger is long.
pub fn report(app: &App) -> Answer {
    let report = match app.ledger_check() {
        Ok(report) => report,
        Err(stop) => return Answer { text: format!("the ledger could not be read: {stop}\n"), exit: 1 },
    };
    let mut text = String::new();
    for finding in &report.findings {
        let _ = writeln!(text, "{finding}");
    }
    let _ = write!(
        text,
        "{} accounts, {} transfers, {} entries, {} active holds: ",
        report.accounts, report.transfers, report.entries, report.holds
    );
    text.push_str(if report.findings.is_empty() { "all in balance\n" } else { "NOT in balance\n" });
    Answer { text, exit: i32::from(!report.findings.is_empty()) }
}
