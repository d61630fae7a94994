//! `trapeza clearing`: clearing files not yet written, payments without a status report, files with problems, and transfers on the
//! suspense account. The hold of an unanswered payment stays until clearing answers; no command ends it.

use super::{describe_error, staff_action};
use crate::admin::AdminResponse;
use crate::cli::{Clearing, Suspense, SuspenseList};
use std::fmt::Write;
use trapeza_app::{App, format_timestamp};
use trapeza_domain::staff::StaffAction;
use trapeza_store::{IncomingRecord, OpenClearingProblem};

pub fn list(app: &App) -> AdminResponse {
    let status = match app.clearing_status() {
        Ok(status) => status,
        Err(error) => return AdminResponse { text: format!("cannot read clearing: {error}\n"), exit: 1 },
    };
    let mut text = String::new();
    for batch in &status.batches {
        let (kind, state, since) =
            (batch.kind.name(), batch.state.name(), format_timestamp(batch.created_at));
        let _ = writeln!(text, "batch {} of {kind} since {since}: {state}, file not written yet", batch.id);
    }
    for payment in &status.unanswered {
        let (id, since) = (payment.id.uuid().simple(), format_timestamp(payment.submitted_at));
        let _ = writeln!(text, "payment {} (TxId {id}) since {since}: no status report", payment.payment);
    }
    for OpenClearingProblem { id, problem } in &status.problems {
        let since = format_timestamp(problem.recorded_at);
        let _ = writeln!(text, "problem {id}: file {} since {since}: {}", problem.file, problem.problem);
    }
    let (waiting, unanswered) = (status.batches.len(), status.unanswered.len());
    let problems = status.problems.len();
    let _ = writeln!(
        text,
        "{waiting} files to be written, {unanswered} payments without a status report for a day, {problems} files with \
         problems in the last 30 days"
    );
    AdminResponse { text, exit: i32::from(unanswered > 0 || problems > 0) }
}

pub async fn execute(app: &App, command: &Clearing) -> Result<String, String> {
    match command {
        Clearing::List(_) => Ok(list(app).text),
        Clearing::Acknowledge(arguments) => {
            let problem = arguments.problem.to_string();
            let parameters = [("problem", problem.as_str()), ("note", &arguments.note)];
            staff_action::run(app, StaffAction::ClearingAcknowledge, &parameters).await
        }
        Clearing::Suspense(Suspense::List(arguments)) => suspense_list(app, arguments).await,
        Clearing::Suspense(Suspense::Return(arguments)) => {
            let code = arguments.code.as_deref().unwrap_or_default();
            let parameters = [("transfer", arguments.transfer.as_str()), ("reason_code", code)];
            staff_action::run(app, StaffAction::ClearingReturn, &parameters).await
        }
        Clearing::Suspense(Suspense::Assign(arguments)) => {
            let iban = arguments.iban.as_deref().unwrap_or_default();
            let loan = arguments.loan.as_deref().unwrap_or_default();
            let parameters = [("transfer", arguments.transfer.as_str()), ("iban", iban), ("loan", loan)];
            staff_action::run(app, StaffAction::ClearingMatch, &parameters).await
        }
    }
}

async fn suspense_list(app: &App, arguments: &SuspenseList) -> Result<String, String> {
    let found = app.incoming_list(arguments.state.state(), arguments.limit.into()).await;
    let found = found.map_err(describe_error)?;
    let mut text: String = found.iter().map(incoming_line).collect();
    let _ = writeln!(text, "{} transfers {}", found.len(), arguments.state.state().name());
    Ok(text)
}

fn incoming_line(incoming: &IncomingRecord) -> String {
    let (amount, since) = (incoming.suspended_amount(), format_timestamp(incoming.received_at));
    let reason = incoming.reason.map_or_else(|| "-".to_owned(), |reason| reason.to_string());
    let transfer = &incoming.received.transfer;
    let mut line = format!("{}  {since}  {amount}  {reason}  from {}", incoming.id, transfer.debtor_name);
    let _ = write!(line, "  to {}", transfer.creditor);
    for remittance in [&transfer.creditor_reference, &transfer.remittance].into_iter().flatten() {
        let _ = write!(line, "  \"{remittance}\"");
    }
    if let Some(decision) = &incoming.decision {
        let _ = write!(line, "  by {} at {}", decision.by, format_timestamp(decision.at));
        if let Some(target) = &decision.assigned_to {
            let _ = write!(line, "  to {target}");
        }
    }
    line.push('\n');
    line
}
