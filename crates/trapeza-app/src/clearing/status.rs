//! What operators must watch: unfinished batches and unanswered payments.

use crate::{App, UseCaseError, audit};
use trapeza_domain::audit_event::{Actor, AuditEvent};
use trapeza_domain::field::Field;
use trapeza_domain::id::{ClearingId, PaymentId};
use trapeza_domain::refusal::{Refusal, RefusalReason};
use trapeza_domain::time::{TimeDelta, Timestamp};
use trapeza_store::{BatchRecord, ClearingProblem, ClearingTransaction, OpenClearingProblem, StoreError, Tx};

/// How many of each are listed.
const SHOWN: i64 = 1000;

/// Older problems are not listed.
const PROBLEMS_SHOWN: TimeDelta = TimeDelta::days(30);

/// A submitted payment without a status report in time. Its hold stays.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unanswered {
    pub id: ClearingId,
    pub payment: PaymentId,
    pub submitted_at: Timestamp,
}

#[derive(Clone, Debug)]
pub struct ClearingStatus {
    pub batches: Vec<BatchRecord>,
    pub unanswered: Vec<Unanswered>,
    /// Files that were set aside or have parts that contradict the ledger and are not acknowledged, newest first.
    pub problems: Vec<OpenClearingProblem>,
}

impl App {
    /// Marks payments whose status report is overdue, and returns each once.
    pub async fn clearing_mark_unanswered(&self) -> Result<Vec<Unanswered>, UseCaseError> {
        let now = self.now();
        if !self.store.read(move |tx| Ok(tx.clearing_transaction_is_overdue(now)?)).await? {
            return Ok(Vec::new());
        }
        self.store
            .write_background(move |tx| {
                let overdue = tx.clearing_transaction_overdue(now)?;
                for sent in &overdue {
                    tx.clearing_transaction_update(&ClearingTransaction {
                        alert_at: None,
                        alerted: true,
                        ..sent.clone()
                    })?;
                    let event = AuditEvent::new("payment.unanswered", "payment", sent.payment);
                    audit::record(tx, now, Actor::Bank, &event.with("clearing", sent.id))?;
                }
                Ok(overdue.iter().map(unanswered).collect())
            })
            .await
    }

    /// Records a problem with a file for the operator, once per file.
    pub async fn clearing_problem_record(&self, file: &str, problem: &str) -> Result<(), UseCaseError> {
        let (file, problem, now) = (file.to_owned(), problem.to_owned(), self.now());
        self.store.write_background(move |tx| Ok(file_problem_record(tx, &file, &problem, now)?)).await
    }

    /// Blocks; for commands.
    pub fn clearing_status(&self) -> Result<ClearingStatus, UseCaseError> {
        let since = self.now().minus(PROBLEMS_SHOWN);
        self.store.read_blocking(move |tx| {
            let unanswered = tx.clearing_transaction_unanswered(SHOWN)?.iter().map(unanswered).collect();
            let problems = tx.clearing_problem_list(since, SHOWN)?;
            Ok(ClearingStatus { batches: tx.batch_list_unsent(SHOWN)?, unanswered, problems })
        })
    }
}

/// Records a problem with a file for the operator, once.
pub(super) fn file_problem_record(
    tx: &mut Tx<'_>,
    file: &str,
    problem: &str,
    now: Timestamp,
) -> Result<(), StoreError> {
    let event = AuditEvent::new("clearing.problem", "file", file);
    let problem = ClearingProblem { file: file.to_owned(), problem: problem.to_owned(), recorded_at: now };
    problem_record(tx, &problem, event)
}

/// Records a problem with a payment for the operator, once.
pub(super) fn payment_problem_record(
    tx: &mut Tx<'_>,
    payment: PaymentId,
    problem: &str,
    now: Timestamp,
) -> Result<(), StoreError> {
    let event = AuditEvent::new("clearing.problem", "payment", payment);
    let file = format!("payment {payment}");
    problem_record(tx, &ClearingProblem { file, problem: problem.to_owned(), recorded_at: now }, event)
}

fn problem_record(tx: &mut Tx<'_>, problem: &ClearingProblem, event: AuditEvent) -> Result<(), StoreError> {
    if tx.clearing_problem_insert(problem)? {
        audit::record(tx, problem.recorded_at, Actor::Bank, &event.with("problem", &problem.problem))?;
    }
    Ok(())
}

/// Records that this actor has looked at a problem, which is not listed any more.
pub(crate) fn problem_acknowledge(
    tx: &mut Tx<'_>,
    id: i64,
    note: &str,
    (actor, now): (Actor, Timestamp),
) -> Result<(), UseCaseError> {
    if !tx.clearing_problem_acknowledge(id, now, &actor.to_string(), note)? {
        let text = "no problem has this number, or it is acknowledged already";
        return Err(Refusal::at(RefusalReason::ResourceUnknown, Field::ProblemId, text).into());
    }
    let event = AuditEvent::new("clearing.problem_acknowledged", "problem", id);
    Ok(audit::record(tx, now, actor, &event)?)
}

fn unanswered(sent: &ClearingTransaction) -> Unanswered {
    Unanswered { id: sent.id, payment: sent.payment, submitted_at: sent.submitted_at }
}
