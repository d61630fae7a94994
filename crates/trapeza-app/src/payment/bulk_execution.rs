//! Execution of a bulk payment, in one transaction: each line becomes a payment whose money moves or is held, or that is rejected. Funds are
//! judged on the sum of what can be paid: all of it or nothing.

use super::batch_booking::debited_together;
use super::outcome::{accept, postpone_or_reject, reject, repay_loan};
use super::parties::{
    ExecutionSettings, PaymentParties, amounts, detail, loan_transfer, parties_of, payer, route,
};
use crate::ledger::{self, Posting, PostingDetail};
use crate::loan::LoanTransfer;
use crate::{Required, StoreError, UseCaseError, audit};
use std::collections::HashMap;
use trapeza_domain::account::Account;
use trapeza_domain::audit_event::Actor;
use trapeza_domain::id::{LoanId, PaymentId, PsuId};
use trapeza_domain::ledger::LedgerError;
use trapeza_domain::ledger::posting::Parties;
use trapeza_domain::payment::{
    LineCounts, LinesDigest, MAX_BULK_LINES, Payment, PaymentInstruction, PaymentProduct, PaymentTiming,
    RejectionReason,
};
use trapeza_domain::reference::Bic;
use trapeza_domain::time::{Date, Timestamp};
use trapeza_store::Tx;

/// A line that can be paid: its accounts and the payee's bank.
type PayableLine = (PaymentParties, Option<Bic>);

/// Keeps a bulk that the customer has authorised until its day, or until the next sweep: hundreds of payments are not made while the
/// customer waits. The account is checked now, so that the customer learns of it.
pub(super) fn schedule_bulk(
    tx: &mut Tx<'_>,
    bulk: Payment,
    psu: PsuId,
    settings: &ExecutionSettings<'_>,
    (now, today): (Timestamp, Date),
) -> Result<(), UseCaseError> {
    let actor = Actor::Psu(psu);
    approved_lines(tx, &bulk)?;
    if let Err(cause) = payer(tx, &bulk.instruction, psu)? {
        return reject(tx, bulk, cause, actor, now);
    }
    let execute_at =
        bulk.instruction.timing.scheduled_day(today).map_or(now, |day| settings.zone.start_of(day));
    let (bulk, authorised) = bulk.authorise(now)?;
    audit::record(tx, now, actor, &authorised)?;
    let (bulk, scheduled) = bulk.schedule(execute_at, now)?;
    tx.payment_update(&bulk)?;
    Ok(audit::record(tx, now, Actor::Bank, &scheduled)?)
}

/// Executes a bulk that is due. `ids` are those of the payments that its lines become.
pub(super) fn execute_bulk(
    tx: &mut Tx<'_>,
    bulk: Payment,
    ids: &[PaymentId],
    settings: &ExecutionSettings<'_>,
    (now, today): (Timestamp, Date),
) -> Result<(), UseCaseError> {
    let lines = approved_lines(tx, &bulk)?;
    let customer = tx.psu_by_login(&bulk.psu)?.map(|(psu, _)| psu);
    let found = match &customer {
        Some(psu) => payer(tx, &bulk.instruction, psu.id)?,
        None => Err(RejectionReason::Owner),
    };
    let (payer, psu) = match found {
        Ok(payer) => (payer, customer.required("customer")?),
        Err(cause) => return reject(tx, bulk, cause, Actor::Bank, now),
    };
    let line_decisions = decide_lines(tx, &lines, &payer, settings, today)?;
    let mut postings = postings(&lines, &line_decisions, ids, &psu.name, today);
    let is_batch = bulk.instruction.bulk.is_some_and(|terms| terms.batch_booking);
    if is_batch {
        postings = debited_together(&bulk, postings);
    }
    match ledger::post(tx, &postings)? {
        Ok(_) => {}
        Err(LedgerError::InsufficientFunds) if bulk.instruction.timing == PaymentTiming::Immediate => {
            return reject(tx, bulk, RejectionReason::Funds, Actor::Bank, now);
        }
        Err(LedgerError::InsufficientFunds) => {
            return postpone_or_reject(tx, bulk, RejectionReason::Funds, settings, (now, today));
        }
        Err(LedgerError::Overflow) => {
            return reject(tx, bulk, RejectionReason::Unbookable, Actor::Bank, now);
        }
        Err(error) => return Err(StoreError::internal(error).into()),
    }
    let mut counts = LineCounts::default();
    for (((instruction, outcome), id), number) in lines.into_iter().zip(line_decisions).zip(ids).zip(1..) {
        let (line, initiated) = bulk.line(*id, number, instruction, now);
        let (line, event) = match outcome {
            Ok((parties, routed_agent)) => {
                if parties.loan.is_some() {
                    // The outstanding amount may have changed by an earlier line.
                    let loan = loan_transfer(tx, &line.instruction, today)?;
                    let loan =
                        loan.map_err(|_| StoreError::internal("a line repays more than is outstanding"))?;
                    let from = (parties.payer.iban, psu.name.clone());
                    repay_loan(tx, loan, &line, from, psu.id, (now, today))?;
                }
                let batch_account = is_batch.then_some(parties.payer.ledger);
                let line = Payment { routed_agent, batch_account, ..line };
                match line.instruction.product {
                    PaymentProduct::InternalTransfers => line.execute(now)?,
                    PaymentProduct::SepaCreditTransfers | PaymentProduct::InstantSepaCreditTransfers => {
                        accept(line, settings, now)?
                    }
                }
            }
            Err(cause) => line.reject(cause, now)?,
        };
        counts.add(line.state, 1);
        tx.payment_insert(&line)?;
        tx.payment_update(&line)?;
        audit::record(tx, now, Actor::Bank, &initiated)?;
        audit::record(tx, now, Actor::Bank, &event)?;
    }
    let (bulk, event) = bulk.execute_lines(counts, now)?;
    tx.payment_update(&bulk)?;
    Ok(audit::record(tx, now, Actor::Bank, &event)?)
}

/// The bulk follows a line that has ended.
pub(crate) fn follow_bulk(tx: &mut Tx<'_>, line: &Payment, now: Timestamp) -> Result<(), StoreError> {
    let Some(id) = line.bulk else { return Ok(()) };
    let bulk = tx.payment_lock(line.application, id)?.required("bulk payment")?;
    let lines = tx.bulk_line_count(line.application, id)?;
    match bulk.follow_lines(lines, now) {
        Some((bulk, event)) => {
            tx.payment_update(&bulk)?;
            audit::record(tx, now, Actor::Bank, &event)
        }
        None => Ok(()),
    }
}

/// The lines of a bulk, which must be those that the customer has approved.
fn approved_lines(tx: &mut Tx<'_>, bulk: &Payment) -> Result<Vec<PaymentInstruction>, StoreError> {
    let terms = bulk.instruction.bulk.required("terms of a bulk payment")?;
    let lines = tx.bulk_line_list(bulk, MAX_BULK_LINES)?;
    if LinesDigest::of(lines.iter()) != terms.digest {
        return Err(StoreError::internal(
            "the lines of a bulk payment are not those that it was ordered with",
        ));
    }
    Ok(lines)
}

/// Decides which lines can be paid, without funds.
fn decide_lines(
    tx: &mut Tx<'_>,
    lines: &[PaymentInstruction],
    payer: &Account,
    settings: &ExecutionSettings<'_>,
    today: Date,
) -> Result<Vec<Result<PayableLine, RejectionReason>>, StoreError> {
    let (mut line_decisions, mut repaid) = (Vec::with_capacity(lines.len()), HashMap::new());
    for line in lines {
        let agent = match route(line, settings.routing) {
            Ok(agent) => agent,
            Err(cause) => {
                line_decisions.push(Err(cause));
                continue;
            }
        };
        line_decisions.push(match parties_of(tx, line, payer.clone(), settings, today)? {
            Ok(parties) if parties.payee == Some(payer.ledger) => Err(RejectionReason::Unbookable),
            Ok(parties) => check_outstanding(line, &parties, &mut repaid).map(|()| (parties, agent)),
            Err(cause) => Err(cause),
        });
    }
    Ok(line_decisions)
}

/// Checks that all lines that repay the same loan together are not more than is outstanding, and that none follows a line that ends
/// the loan. `repaid` has the last such line of each loan.
fn check_outstanding(
    line: &PaymentInstruction,
    parties: &PaymentParties,
    repaid: &mut HashMap<LoanId, LoanTransfer>,
) -> Result<(), RejectionReason> {
    let Some(loan) = &parties.loan else { return Ok(()) };
    let transfer = match repaid.get(&loan.loan_id()) {
        Some(before) => before.followed_by(line.amount.minor).ok_or(RejectionReason::ReferenceUnknown)?,
        None => loan.clone(),
    };
    if transfer.excess_minor() > 0 {
        return Err(RejectionReason::AmountTooHigh);
    }
    repaid.insert(loan.loan_id(), transfer);
    Ok(())
}

/// The postings of the lines that can be paid.
fn postings(
    lines: &[PaymentInstruction],
    line_decisions: &[Result<PayableLine, RejectionReason>],
    ids: &[PaymentId],
    payer_name: &str,
    today: Date,
) -> Vec<Posting> {
    let payable = lines.iter().zip(line_decisions).zip(ids).filter_map(|((line, outcome), id)| {
        let (parties, _) = outcome.as_ref().ok()?;
        Some(Posting {
            event: parties.event,
            parties: Parties {
                payer: Some(parties.payer.ledger),
                payee: parties.payee,
                ..Parties::default()
            },
            amounts: amounts(line),
            reference: id.to_string(),
            booking_day: today,
            value_day: today,
            detail: PostingDetail::Account(Box::new(detail(line, &parties.payer, payer_name.to_owned()))),
        })
    });
    payable.collect()
}
