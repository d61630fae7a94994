//! `trapeza clearing list`: what somebody has to look at. A payment without an answer keeps its money set aside until
//! clearing answers; no command ends it.

use super::on_the_bank;
use crate::admin::{Answer, Command};
use crate::cli::BankArgs;
use std::fmt::Write;
use trapeza_app::{App, format_timestamp};

pub const NAME: &str = "clearing list";

pub fn run(bank: &BankArgs) -> (String, bool) {
    let command = Command { command: NAME.to_owned(), arguments: Vec::new() };
    on_the_bank(bank, command, report)
}

pub fn report(app: &App) -> Answer {
    let overview = match app.clearing_status() {
        Ok(overview) => overview,
        Err(stop) => return Answer { text: format!("clearing could not be read: {stop}\n"), exit: 1 },
    };
    let mut text = String::new();
    for batch in &overview.batches {
        let (kind, state, since) =
            (batch.kind.name(), batch.state.name(), format_timestamp(batch.created_at));
        let _ = writeln!(text, "batch {} of {kind} since {since}: {state}, not written yet", batch.id);
    }
    for payment in &overview.unanswered {
        let (id, since) = (payment.id.uuid().simple(), format_timestamp(payment.handed_over_at));
        let _ = writeln!(text, "payment {} (TxId {id}) since {since}: no answer", payment.payment);
    }
    let (waiting, unanswered) = (overview.batches.len(), overview.unanswered.len());
    let _ =
        writeln!(text, "{waiting} messages to be written, {unanswered} payments without an answer for a day");
    Answer { text, exit: i32::from(unanswered > 0) }
}
