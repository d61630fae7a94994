//! Execution of an authorised payment, in the transaction of the last SCA step or on its day: the money moves, is held, or the
//! payment is rejected. A rejection does not fail the step; the third party reads it from the payment.

use super::bulk_execution::schedule_bulk;
use super::outcome::{accept, postpone_or_reject, reject, repay_loan};
use super::parties::{ExecutionSettings, PaymentParties, amounts, detail, parties, payer, route};
use crate::clearing_submission::submit_instant;
use crate::ledger::{self, Posting, PostingDetail};
use crate::{Required, StoreError, UseCaseError, audit};
use trapeza_domain::audit_event::Actor;
use trapeza_domain::id::{PaymentId, PsuId};
use trapeza_domain::ledger::LedgerError;
use trapeza_domain::ledger::posting::{LedgerEvent, Parties};
use trapeza_domain::payment::{Payment, PaymentProduct, PaymentState, RejectionReason};
use trapeza_domain::reference::Bic;
use trapeza_domain::time::{Date, Timestamp};
use trapeza_store::Tx;

/// Executes, schedules or rejects the payment that the customer has authorised.
pub(crate) fn authorise(
    tx: &mut Tx<'_>,
    payment: Payment,
    psu: PsuId,
    settings: &ExecutionSettings<'_>,
    (now, today): (Timestamp, Date),
) -> Result<(), UseCaseError> {
    let actor = Actor::Psu(psu);
    if payment.instruction.bulk.is_some() {
        return schedule_bulk(tx, payment, psu, settings, (now, today));
    }
    if let Some(day) = payment.instruction.timing.scheduled_day(today) {
        return schedule(tx, payment, psu, settings, day, (now, today));
    }
    let payment = match routed_and_booked(tx, &payment, psu, settings, (now, today))? {
        Ok(routed_agent) => Payment { routed_agent, ..payment },
        Err(cause) => return reject(tx, payment, cause, actor, now),
    };
    let (payment, checked) = payment.authorise(now)?;
    audit::record(tx, now, actor, &checked)?;
    finish(tx, payment, settings, (now, today))
}

/// Keeps the payment until its day. What can be checked without funds is checked now, so that the customer learns of it.
fn schedule(
    tx: &mut Tx<'_>,
    payment: Payment,
    psu: PsuId,
    settings: &ExecutionSettings<'_>,
    day: Date,
    (now, today): (Timestamp, Date),
) -> Result<(), UseCaseError> {
    let actor = Actor::Psu(psu);
    let checked = match route(&payment.instruction, settings.routing) {
        Ok(_) => parties(tx, &payment.instruction, psu, settings, today)?.map(|_| ()),
        Err(cause) => Err(cause),
    };
    if let Err(cause) = checked {
        return reject(tx, payment, cause, actor, now);
    }
    let (payment, authorised) = payment.authorise(now)?;
    audit::record(tx, now, actor, &authorised)?;
    let (payment, scheduled) = payment.schedule(settings.zone.start_of(day), now)?;
    tx.payment_update(&payment)?;
    Ok(audit::record(tx, now, Actor::Bank, &scheduled)?)
}

/// Creates the payment that executes a due standing order, and lets the order wait for the next execution. The order of an account that
/// was closed, or that is no longer the customer's, ends.
pub(crate) fn repeat_standing_order(
    tx: &mut Tx<'_>,
    order: Payment,
    id: PaymentId,
    settings: &ExecutionSettings<'_>,
    now: Timestamp,
) -> Result<(), UseCaseError> {
    let payer = match tx.psu_by_login(&order.psu)? {
        Some((psu, _)) => payer(tx, &order.instruction, psu.id)?.map(|_| ()),
        None => Err(RejectionReason::Owner),
    };
    if payer == Err(RejectionReason::Owner) || payer == Err(RejectionReason::Closed) {
        return reject(tx, order, RejectionReason::Closed, Actor::Bank, now);
    }
    let day = order.next_execution_day().required("day of execution")?;
    let (execution, initiated) = order.execution(id, day, now);
    tx.payment_insert(&execution)?;
    tx.payment_update(&execution)?;
    audit::record(tx, now, Actor::Bank, &initiated)?;
    let next = Payment { execution_number: order.execution_number + 1, ..order.clone() }.next_execution_day();
    let (order, event) = order.repeat(next.map(|day| settings.zone.start_of(day)), now)?;
    tx.payment_update(&order)?;
    Ok(audit::record(tx, now, Actor::Bank, &event)?)
}

/// Executes a scheduled payment that is due. Without funds it is tried again until the end of its day; everything else is checked as
/// if it were authorised now.
pub(crate) fn execute_scheduled(
    tx: &mut Tx<'_>,
    payment: Payment,
    settings: &ExecutionSettings<'_>,
    (now, today): (Timestamp, Date),
) -> Result<(), UseCaseError> {
    let booked = match tx.psu_by_login(&payment.psu)? {
        Some((psu, _)) => routed_and_booked(tx, &payment, psu.id, settings, (now, today))?,
        None => Err(RejectionReason::Owner),
    };
    match booked {
        Ok(routed_agent) => finish(tx, Payment { routed_agent, ..payment }, settings, (now, today)),
        Err(cause) => postpone_or_reject(tx, payment, cause, settings, (now, today)),
    }
}

/// Stores a payment whose money was moved or held.
fn finish(
    tx: &mut Tx<'_>,
    payment: Payment,
    settings: &ExecutionSettings<'_>,
    (now, today): (Timestamp, Date),
) -> Result<(), UseCaseError> {
    let (payment, event) = match payment.instruction.product {
        PaymentProduct::InternalTransfers => payment.execute(now)?,
        PaymentProduct::SepaCreditTransfers => accept(payment, settings, now)?,
        PaymentProduct::InstantSepaCreditTransfers => return submit_instant(tx, payment, (now, today)),
    };
    tx.payment_update(&payment)?;
    Ok(audit::record(tx, now, Actor::Bank, &event)?)
}

/// Books or holds the money and returns the payee's bank. The inner error is the rejection reason; nothing was written then.
fn routed_and_booked(
    tx: &mut Tx<'_>,
    payment: &Payment,
    psu: PsuId,
    settings: &ExecutionSettings<'_>,
    times: (Timestamp, Date),
) -> Result<Result<Option<Bic>, RejectionReason>, UseCaseError> {
    match route(&payment.instruction, settings.routing) {
        Ok(routed_agent) => Ok(book(tx, payment, psu, settings, times)?.map(|()| routed_agent)),
        Err(cause) => Ok(Err(cause)),
    }
}

/// Cancels a payment after the customer's authorisation, and releases its hold. A scheduled payment has none.
pub(crate) fn cancel(
    tx: &mut Tx<'_>,
    payment: Payment,
    psu: PsuId,
    now: Timestamp,
    today: Date,
) -> Result<(), UseCaseError> {
    let is_scheduled = matches!(payment.state, PaymentState::Scheduled { .. });
    let (payment, event) = payment.cancel(now)?;
    if is_scheduled {
        tx.payment_update(&payment)?;
        return Ok(audit::record(tx, now, Actor::Psu(psu), &event)?);
    }
    let posting = Posting {
        event: LedgerEvent::SepaOutCancelled,
        parties: Parties::default(),
        amounts: amounts(&payment.instruction),
        reference: payment.id.to_string(),
        booking_day: today,
        value_day: today,
        detail: PostingDetail::None,
    };
    ledger::post(tx, &[posting])?.map_err(StoreError::internal)?;
    tx.payment_update(&payment)?;
    Ok(audit::record(tx, now, Actor::Psu(psu), &event)?)
}

/// Books or holds the money. The inner error is the rejection reason; nothing was written then.
fn book(
    tx: &mut Tx<'_>,
    payment: &Payment,
    psu: PsuId,
    settings: &ExecutionSettings<'_>,
    (now, today): (Timestamp, Date),
) -> Result<Result<(), RejectionReason>, UseCaseError> {
    let terms = &payment.instruction;
    let PaymentParties { payer, event, payee, loan } = match parties(tx, terms, psu, settings, today)? {
        Ok(parties) => parties,
        Err(cause) => return Ok(Err(cause)),
    };
    let payer_name = tx.psu_find(psu)?.required("customer")?.name;
    let posting = Posting {
        event,
        parties: Parties { payer: Some(payer.ledger), payee, ..Parties::default() },
        amounts: amounts(terms),
        reference: payment.id.to_string(),
        booking_day: today,
        value_day: today,
        detail: PostingDetail::Account(Box::new(detail(terms, &payer, payer_name.clone()))),
    };
    match ledger::post(tx, &[posting])? {
        Ok(_) => {
            if let Some(loan) = loan {
                repay_loan(tx, loan, payment, (payer.iban, payer_name), psu, (now, today))?;
            }
            Ok(Ok(()))
        }
        Err(LedgerError::InsufficientFunds) => Ok(Err(RejectionReason::Funds)),
        Err(LedgerError::CurrenciesMixed) => Ok(Err(RejectionReason::Currency)),
        Err(LedgerError::SameAccount | LedgerError::Overflow) => Ok(Err(RejectionReason::Unbookable)),
        Err(error) => Err(StoreError::internal(error).into()),
    }
}
