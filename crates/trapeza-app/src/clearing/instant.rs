//! Instant payments: each is sent alone and answered within seconds. It is recorded as sent before it is, and from then on only asked
//! about, so whatever process dies, it is sent at most once. Without an answer it is rejected at its deadline, and clearing is still
//! asked for a day what became of it.

use super::reconcile::{self, Outcome, ProcessingContext};
use super::{outbound, status};
use crate::{App, Required, UseCaseError};
use std::future::Future;
use std::pin::Pin;
use std::time::Duration;
use tokio::time::{Instant, sleep, timeout};
use trapeza_domain::clearing::{CreditTransfers, InstantState, ReportedStatus};
use trapeza_domain::id::ClearingId;
use trapeza_domain::payment::{PaymentState, RejectionReason};
use trapeza_domain::time::{TimeDelta, Timestamp};
use trapeza_store::{InstantSubmission, Tx};

/// The connection to a clearing house for instant payments.
pub trait InstantPort: Send + Sync {
    /// Sends the message with one transfer, whose creation time is that of the order's acceptance. `None` when no answer came.
    fn submit<'a>(
        &'a self,
        message: &'a CreditTransfers,
    ) -> Pin<Box<dyn Future<Output = Option<ReportedStatus>> + Send + 'a>>;

    /// Asks what became of the transfer of a message. `None` when clearing does not say.
    fn query<'a>(
        &'a self,
        message: &'a CreditTransfers,
        asked_at: Timestamp,
    ) -> Pin<Box<dyn Future<Output = Option<ReportedStatus>> + Send + 'a>>;
}

/// How long an answer to a question is awaited.
const QUERY_TIMEOUT: Duration = Duration::from_secs(1);
/// How long a submission is reserved for the process that asks about it.
const QUERY_LEASE: TimeDelta = TimeDelta::seconds(10);
/// How long an answer is stored again when the database cannot be written, as during a fail-over.
const ANSWER_RETRY_TIMEOUT: Duration = Duration::from_secs(60);
const ANSWER_RETRY_INTERVAL: Duration = Duration::from_millis(250);
/// The first question after the deadline; the later ones follow at twice the time since the deadline.
const FIRST_INVESTIGATION: TimeDelta = TimeDelta::minutes(1);
/// After this time clearing is not asked any more.
const INVESTIGATION_END: TimeDelta = TimeDelta::hours(24);

/// What is to be done for an instant payment.
#[derive(Clone, Debug)]
pub struct InstantStep {
    submission: InstantSubmission,
    /// `None` when it was not sent before its deadline, and so never.
    message: Option<CreditTransfers>,
}

impl App {
    /// Whether there is a connection to instant clearing.
    pub fn offers_instant_payments(&self) -> bool {
        self.ports.instant.is_some()
    }

    /// Claims what is due: submissions to send, and submissions to ask about. Each must be given to [`Self::instant_process`].
    pub async fn instant_claim(&self) -> Result<Vec<InstantStep>, UseCaseError> {
        let now = self.now();
        if self.ports.instant.is_none()
            || !self.store.read(move |tx| Ok(tx.instant_submission_is_due(now)?)).await?
        {
            return Ok(Vec::new());
        }
        self.store
            .write_background(move |tx| {
                let due = tx.instant_submission_due(now)?;
                due.into_iter().map(|submission| claim(tx, submission, now)).collect()
            })
            .await
    }

    /// Sends a submission or asks about it, and applies the answer or its absence.
    pub async fn instant_process(&self, step: InstantStep) -> Result<(), UseCaseError> {
        let Some(port) = &self.ports.instant else { return Ok(()) };
        let InstantStep { submission, message } = step;
        let reported = match (&message, submission.state) {
            (None, _) => None,
            (Some(message), InstantState::Ready) => {
                let left = submission.deadline_at.0.saturating_sub(self.now().0);
                let left = Duration::from_micros(u64::try_from(left).unwrap_or(0));
                match left.is_zero() {
                    true => None,
                    false => timeout(left, port.submit(message)).await.ok().flatten(),
                }
            }
            (Some(message), _) => {
                timeout(QUERY_TIMEOUT, port.query(message, self.now())).await.ok().flatten()
            }
        };
        if reported.is_none() && message.is_some() && submission.state == InstantState::Ready {
            // It may have been sent: clearing is asked about it at the deadline, before it is rejected.
            return Ok(());
        }
        let (now, settings) = (self.now(), &self.settings.payments);
        let context = ProcessingContext {
            now,
            today: self.clock.zone().day(now),
            collection: settings.collection,
            unmatched: settings.unmatched,
        };
        let id = submission.clearing_transaction;
        // An answer of clearing is known only here: it is stored as soon as the database can be written again.
        let give_up = Instant::now() + ANSWER_RETRY_TIMEOUT;
        let outcome = loop {
            match self.store.write_background(move |tx| apply(tx, id, reported, context)).await {
                Err(UseCaseError::Failed(error))
                    if reported.is_some() && error.is_retryable() && Instant::now() < give_up =>
                {
                    sleep(ANSWER_RETRY_INTERVAL).await;
                }
                stored => break stored?,
            }
        };
        if outcome == Outcome::Mismatched {
            metrics::counter!("trapeza_clearing_mismatches_total").increment(1);
            tracing::error!(clearing = %id, "instant clearing: the outcome of a payment contradicts the ledger, see `trapeza clearing list`");
        }
        Ok(())
    }

    /// Does what is due, one after the other. Returns how many there were.
    pub async fn instant_round(&self) -> Result<usize, UseCaseError> {
        let steps = self.instant_claim().await?;
        let count = steps.len();
        for step in steps {
            self.instant_process(step).await?;
        }
        Ok(count)
    }
}

/// Reserves a submission for this process. One that is sent now is recorded as sent and found again at its deadline.
fn claim(
    tx: &mut Tx<'_>,
    submission: InstantSubmission,
    now: Timestamp,
) -> Result<InstantStep, UseCaseError> {
    let InstantSubmission { state, deadline_at, .. } = submission;
    let is_overdue = deadline_at <= now;
    let (next_state, next_at) = match state {
        InstantState::Ready if !is_overdue => (InstantState::Sent, deadline_at),
        state => (state, now.plus(QUERY_LEASE)),
    };
    let claimed = InstantSubmission { state: next_state, next_at: Some(next_at), ..submission };
    tx.instant_submission_update(&claimed)?;
    let message = match (state, is_overdue) {
        (InstantState::Ready, true) => None,
        _ => {
            let sent = tx.clearing_transaction_lock(submission.clearing_transaction)?;
            let batch = tx.batch_find(sent.required("clearing transaction")?.batch)?;
            Some(outbound::transfers(tx, &batch.required("batch")?)?)
        }
    };
    Ok(InstantStep { submission, message })
}

/// Applies an answer; without one the payment is rejected at its deadline, or asked about later.
fn apply(
    tx: &mut Tx<'_>,
    id: ClearingId,
    reported: Option<ReportedStatus>,
    context: ProcessingContext,
) -> Result<Outcome, UseCaseError> {
    if let Some(reported @ (ReportedStatus::Settled | ReportedStatus::Rejected(_))) = reported {
        return reconcile::apply_status(tx, Some(id), None, reported, context);
    }
    let now = context.now;
    let (_, payment) = reconcile::sent(tx, Some(id), None)?.required("clearing transaction")?;
    let submission = tx.instant_submission_lock(id)?.required("instant submission")?;
    let is_overdue = submission.deadline_at <= now;
    let (state, next_at) = match submission.state {
        // Never sent, so there is nothing to ask about.
        InstantState::Ready if is_overdue => (InstantState::Answered, None),
        InstantState::Sent if is_overdue => (InstantState::TimedOut, Some(now.plus(FIRST_INVESTIGATION))),
        InstantState::TimedOut => {
            let age = now.0.saturating_sub(submission.deadline_at.0);
            match age < INVESTIGATION_END.0 {
                true => (InstantState::TimedOut, Some(now.plus(TimeDelta(age)))),
                false => {
                    let problem = "clearing does not say what became of the instant payment";
                    status::payment_problem_record(tx, payment.id, problem, now)?;
                    (InstantState::Unresolved, None)
                }
            }
        }
        _ => return Ok(Outcome::Idle),
    };
    if submission.state != InstantState::TimedOut && payment.state == PaymentState::Submitted {
        let reason = match submission.state {
            InstantState::Ready => RejectionReason::NotSent,
            _ => RejectionReason::Unanswered,
        };
        reconcile::reject_overdue(tx, payment, reason, context)?;
    }
    tx.instant_submission_update(&InstantSubmission { state, next_at, ..submission })?;
    Ok(match state {
        InstantState::Unresolved => Outcome::Mismatched,
        _ => Outcome::Rejected,
    })
}
