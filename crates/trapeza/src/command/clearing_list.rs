//! `trapeza clearing list|acknowledge`: clearing files not yet written, payments without a status report, and files with problems. The hold
//! of an unanswered payment stays until clearing answers; no command ends it.

use super::describe_error;
use crate::admin::AdminResponse;
use crate::cli::ClearingAcknowledge;
use std::fmt::Write;
use trapeza_app::{App, format_timestamp};
use trapeza_store::OpenClearingProblem;

pub fn execute(app: &App) -> AdminResponse {
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

pub async fn acknowledge(app: &App, arguments: &ClearingAcknowledge) -> Result<String, String> {
    let done = app.clearing_problem_acknowledge(arguments.problem, &arguments.note).await;
    done.map_err(describe_error)?;
    Ok(format!("acknowledged: problem {}\n", arguments.problem))
}
