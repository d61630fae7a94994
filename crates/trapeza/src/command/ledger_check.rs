//! `trapeza ledger check`: recomputes every balance from its entries.

use crate::admin::AdminResponse;
use std::fmt::Write;
use trapeza_app::App;

pub fn execute(app: &App) -> AdminResponse {
    let report = match app.ledger_check() {
        Ok(report) => report,
        Err(error) => return AdminResponse { text: format!("cannot read the ledger: {error}\n"), exit: 1 },
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
    AdminResponse { text, exit: i32::from(!report.findings.is_empty()) }
}
