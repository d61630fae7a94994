//! What becomes of a payment that was or could not be booked.

use super::parties::ExecutionSettings;
use crate::loan::{LoanTransfer, TransferContext};
use crate::{UseCaseError, audit};
use trapeza_domain::audit_event::Actor;
use trapeza_domain::calendar::next_target_day;
use trapeza_domain::id::PsuId;
use trapeza_domain::payment::{Payment, RejectionReason, Transition, next_attempt};
use trapeza_domain::reference::Iban;
use trapeza_domain::refusal::Refusal;
use trapeza_domain::time::{Date, TimeDelta, Timestamp};
use trapeza_store::{LoanPayer, Tx};

/// Without funds a payment is tried again until the end of its day; any other reason rejects it.
pub(super) fn postpone_or_reject(
    tx: &mut Tx<'_>,
    payment: Payment,
    cause: RejectionReason,
    settings: &ExecutionSettings<'_>,
    (now, today): (Timestamp, Date),
) -> Result<(), UseCaseError> {
    let day = payment.instruction.timing.requested_date().map_or(today, next_target_day);
    match next_attempt(settings.zone.end_of(day), now) {
        Some(again) if cause == RejectionReason::Funds => {
            let (payment, event) = payment.postpone(again, now)?;
            tx.payment_update(&payment)?;
            Ok(audit::record(tx, now, Actor::Bank, &event.with("reason", cause.name()))?)
        }
        _ => reject(tx, payment, cause, Actor::Bank, now),
    }
}

pub(super) fn reject(
    tx: &mut Tx<'_>,
    payment: Payment,
    cause: RejectionReason,
    actor: Actor,
    now: Timestamp,
) -> Result<(), UseCaseError> {
    let (payment, event) = payment.reject(cause, now)?;
    tx.payment_update(&payment)?;
    Ok(audit::record(tx, now, actor, &event)?)
}

/// A SEPA credit transfer whose money is held.
pub(super) fn accept(
    payment: Payment,
    settings: &ExecutionSettings<'_>,
    now: Timestamp,
) -> Result<Transition, Refusal> {
    let delay =
        settings.sandbox.and_then(|sandbox| sandbox.submission_delay(&payment.instruction.creditor_name));
    payment.accept(delay.unwrap_or(TimeDelta(0)), now)
}

/// Assigns money that a customer paid to the collection account to the loan that the payment names.
pub(super) fn repay_loan(
    tx: &mut Tx<'_>,
    loan: LoanTransfer,
    payment: &Payment,
    (iban, name): (Iban, String),
    psu: PsuId,
    (now, today): (Timestamp, Date),
) -> Result<(), UseCaseError> {
    let reference = payment.id.to_string();
    tx.loan_payer_add(&LoanPayer {
        loan: loan.loan_id(),
        iban,
        name,
        agent: None,
        own_agent: None,
        paid: payment.instruction.amount,
        returned_minor: 0,
        last_paid_at: now,
    })?;
    let context = TransferContext { actor: Actor::Psu(psu), reference: &reference, now, today };
    loan.assign(tx, &context)
}
