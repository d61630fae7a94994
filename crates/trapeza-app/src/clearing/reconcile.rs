//! Reconciliation of one part of a message about a submitted payment: its status, or a return.

use super::payer::Payer;
use super::status;
use crate::ledger::{self, Posting, PostingDetail};
use crate::payment::follow_bulk;
use crate::{Required, StoreError, UseCaseError, audit};
use trapeza_domain::account::AccountStatus;
use trapeza_domain::audit_event::{Actor, AuditEvent};
use trapeza_domain::clearing::{InstantState, InterbankReturn, ReasonCode, ReportedStatus, UnmatchedPolicy};
use trapeza_domain::id::ClearingId;
use trapeza_domain::ledger::LedgerAccountId;
use trapeza_domain::ledger::posting::{Amounts, LedgerEvent, Parties};
use trapeza_domain::payment::{Payment, PaymentProduct, PaymentState, RejectionReason};
use trapeza_domain::reference::{AccountReference, Iban};
use trapeza_domain::time::{Date, Timestamp};
use trapeza_domain::transaction::{Party, TransactionDetail, TransactionFields};
use trapeza_store::{ClearingTransaction, InstantSubmission, ReturnRecord, Tx};
use trapeza_texts::statement::BookingText;

/// The message that a part belongs to.
pub(super) struct MessageRef<'a> {
    pub id: &'a str,
    /// The value date of what is booked.
    pub settlement_day: Date,
}

/// The time at which a message is applied, the bank's collection account, and what happens to transfers that cannot be booked.
#[derive(Clone, Copy)]
pub(super) struct ProcessingContext {
    pub now: Timestamp,
    pub today: Date,
    pub collection: Option<Iban>,
    pub unmatched: UnmatchedPolicy,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Outcome {
    Settled,
    Rejected,
    Returned,
    Credited,
    Suspended,
    /// Applied before, or nothing to apply.
    Idle,
    /// Unknown, or contradicts the ledger.
    Mismatched,
}

impl Outcome {
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Settled => "settled",
            Self::Rejected => "rejected",
            Self::Returned => "returned",
            Self::Credited => "credited",
            Self::Suspended => "suspended",
            Self::Idle => "idle",
            Self::Mismatched => "mismatched",
        }
    }
}

/// A submitted payment, locked. `original_message_id` is the message that it must have been sent in.
pub(super) fn sent(
    tx: &mut Tx<'_>,
    id: Option<ClearingId>,
    original_message_id: Option<&str>,
) -> Result<Option<(ClearingTransaction, Payment)>, StoreError> {
    let Some(id) = id else { return Ok(None) };
    let Some(sent) = tx.clearing_transaction_lock(id)? else { return Ok(None) };
    if original_message_id.is_some_and(|expected| expected != sent.batch.uuid().simple().to_string()) {
        return Ok(None);
    }
    let payment = tx.payment_lock(sent.application, sent.payment)?;
    let payment = payment.required("payment")?;
    Ok(Some((sent, payment)))
}

/// Applies the reported status of a payment.
pub(super) fn apply_status(
    tx: &mut Tx<'_>,
    id: Option<ClearingId>,
    original_message_id: Option<&str>,
    reported: ReportedStatus,
    context: ProcessingContext,
) -> Result<Outcome, UseCaseError> {
    let Some((sent, payment)) = sent(tx, id, original_message_id)? else { return Ok(Outcome::Mismatched) };
    match (reported, payment.state) {
        (ReportedStatus::Pending, _) | (ReportedStatus::Settled, PaymentState::Settled) => Ok(Outcome::Idle),
        (ReportedStatus::Rejected(_), PaymentState::Rejected { .. }) => {
            if is_settled_late(tx, &sent, &payment)? {
                // The money has left: a rejection contradicts the settlement that was reported before.
                return Ok(record_mismatch(tx, &payment, context)?);
            }
            close_instant(tx, &sent, &payment)?;
            Ok(Outcome::Idle)
        }
        (ReportedStatus::Settled, PaymentState::Rejected { reason: RejectionReason::Unanswered, .. }) => {
            let is_new = settle_late(tx, &sent, &payment, context)?.is_some();
            Ok(if is_new { Outcome::Mismatched } else { Outcome::Idle })
        }
        (ReportedStatus::Settled, PaymentState::Submitted) => {
            settled(tx, sent, payment, context)?;
            Ok(Outcome::Settled)
        }
        (ReportedStatus::Rejected(code), PaymentState::Submitted) => {
            book_rejection(tx, &sent, &payment, code, context)?;
            let (payment, event) = payment.reject_by_clearing(code, context.now)?;
            tx.payment_update(&payment)?;
            answered(tx, sent, &payment, context)?;
            audit::record(tx, context.now, Actor::Bank, &event)?;
            follow_bulk(tx, &payment, context.now)?;
            Ok(Outcome::Rejected)
        }
        _ => Ok(record_mismatch(tx, &payment, context)?),
    }
}

/// Applies a return of settled money: the whole amount, or parts of it as long as they are not more than was sent. A return also
/// settles a payment whose settlement was not reported.
pub(super) fn apply_return(
    tx: &mut Tx<'_>,
    message: &MessageRef<'_>,
    returned: &InterbankReturn,
    context: ProcessingContext,
) -> Result<Outcome, UseCaseError> {
    let id = super::parse_name(&returned.transfer);
    let Some((sent, payment)) = sent(tx, id, returned.message.as_deref())? else {
        return Ok(Outcome::Mismatched);
    };
    let before = tx.clearing_return_list(sent.id)?;
    if let Some(same) = before.iter().find(|before| is_same_return(before, message.id, &returned.id)) {
        let is_equal = same.amount_minor == returned.amount.minor;
        return if is_equal { Ok(Outcome::Idle) } else { Ok(record_mismatch(tx, &payment, context)?) };
    }
    let amount = payment.instruction.amount;
    let open = amount.minor - before.iter().map(|before| before.amount_minor).sum::<i64>();
    let fits = returned.amount.currency == amount.currency
        && (1..=open).contains(&returned.amount.minor)
        && returned.original_amount.is_none_or(|original| original == amount);
    let (sent, payment) = match payment.state {
        PaymentState::Submitted if fits => settled(tx, sent, payment, context)?,
        PaymentState::Settled if fits => (sent, payment),
        PaymentState::Rejected { reason: RejectionReason::Unanswered, .. } if fits => {
            let sent = settle_late(tx, &sent, &payment, context)?.unwrap_or(sent);
            (sent, payment)
        }
        _ => return Ok(record_mismatch(tx, &payment, context)?),
    };
    let payer = Payer::of(tx, &payment)?;
    let posting = Posting {
        event: payer.returned(),
        parties: payer.parties(),
        amounts: Amounts::of(returned.amount),
        reference: payment.id.to_string(),
        booking_day: context.today,
        value_day: message.settlement_day,
        detail: match payer {
            Payer::Bank => PostingDetail::None,
            _ => {
                let text = BookingText::Returned { reason: returned.reason.to_string() };
                PostingDetail::Account(Box::new(return_detail(&sent, &payment, &text)))
            }
        },
    };
    if ledger::post(tx, &[posting])?.is_err() {
        return Ok(record_mismatch(tx, &payment, context)?);
    }
    let name = match returned.id.as_str() {
        "" => format!("return in the message {}", message.id),
        id => format!("return {id}"),
    };
    report_closed_account(tx, &payment, payer.account(), &name, context)?;
    tx.clearing_return_insert(&ReturnRecord {
        clearing_transaction: sent.id,
        message_id: message.id.to_owned(),
        return_id: returned.id.clone(),
        amount_minor: returned.amount.minor,
        received_at: context.now,
    })?;
    tx.clearing_transaction_update(&ClearingTransaction { returned_at: Some(context.now), ..sent })?;
    let event = AuditEvent::new("payment.returned", "payment", payment.id).with("code", returned.reason);
    audit::record(tx, context.now, Actor::Bank, &event)?;
    Ok(Outcome::Returned)
}

/// The same part of the same message again after a crash, or the same return in another message.
fn is_same_return(before: &ReturnRecord, message: &str, id: &str) -> bool {
    before.return_id == id && (!id.is_empty() || before.message_id == message)
}

/// A payment was rejected: its hold is released, or the line that was debited with others is credited on its own.
fn book_rejection(
    tx: &mut Tx<'_>,
    sent: &ClearingTransaction,
    payment: &Payment,
    code: ReasonCode,
    context: ProcessingContext,
) -> Result<(), StoreError> {
    let Some(account) = payment.batch_account else {
        let event = LedgerEvent::SepaOutRejected;
        return book(tx, event, payment, Parties::default(), PostingDetail::None, context);
    };
    let text = BookingText::Rejected { reason: code.to_string() };
    let detail = PostingDetail::Account(Box::new(return_detail(sent, payment, &text)));
    let parties = Parties { payer: Some(account), ..Parties::default() };
    book(tx, LedgerEvent::BatchLineRejected, payment, parties, detail, context)?;
    report_closed_account(tx, payment, Some(account), "rejection", context)
}

/// Money that comes back belongs to the customer, also when the account was closed since; then the bank must pay it out. `by` names what
/// brought it, so that each part of a payment is a problem of its own: one text is recorded once, also after it was acknowledged.
fn report_closed_account(
    tx: &mut Tx<'_>,
    payment: &Payment,
    account: Option<LedgerAccountId>,
    by: &str,
    context: ProcessingContext,
) -> Result<(), StoreError> {
    let account = match account {
        Some(ledger) => tx.account_by_ledger(ledger)?,
        None => None,
    };
    if account.is_none_or(|account| account.status != AccountStatus::Deleted) {
        return Ok(());
    }
    let problem = format!(
        "the payment came back to an account that is closed, by the {by}; the amount is on it until a manual posting moves it"
    );
    status::payment_problem_record(tx, payment.id, &problem, context.now)
}

fn settled(
    tx: &mut Tx<'_>,
    sent: ClearingTransaction,
    payment: Payment,
    context: ProcessingContext,
) -> Result<(ClearingTransaction, Payment), UseCaseError> {
    let payer = Payer::of(tx, &payment)?;
    book(tx, payer.settled(), &payment, payer.parties(), PostingDetail::None, context)?;
    let (payment, event) = payment.settle(context.now)?;
    tx.payment_update(&payment)?;
    let sent = answered(tx, sent, &payment, context)?;
    audit::record(tx, context.now, Actor::Bank, &event)?;
    follow_bulk(tx, &payment, context.now)?;
    Ok((sent, payment))
}

fn answered(
    tx: &mut Tx<'_>,
    sent: ClearingTransaction,
    payment: &Payment,
    context: ProcessingContext,
) -> Result<ClearingTransaction, StoreError> {
    let sent = ClearingTransaction { alert_at: None, answered_at: Some(context.now), ..sent };
    tx.clearing_transaction_update(&sent)?;
    close_instant(tx, &sent, payment)?;
    Ok(sent)
}

/// Whether clearing has settled an instant payment after it had been rejected.
fn is_settled_late(
    tx: &mut Tx<'_>,
    sent: &ClearingTransaction,
    payment: &Payment,
) -> Result<bool, StoreError> {
    if payment.instruction.product != PaymentProduct::InstantSepaCreditTransfers {
        return Ok(false);
    }
    let submission = tx.instant_submission_lock(sent.id)?.required("instant submission")?;
    Ok(submission.state == InstantState::Late)
}

/// The outcome of an instant payment is known, and clearing is not asked about it any more.
fn close_instant(tx: &mut Tx<'_>, sent: &ClearingTransaction, payment: &Payment) -> Result<(), StoreError> {
    if payment.instruction.product != PaymentProduct::InstantSepaCreditTransfers {
        return Ok(());
    }
    let submission = tx.instant_submission_lock(sent.id)?.required("instant submission")?;
    let (state, next_at) = (InstantState::Answered, None);
    tx.instant_submission_update(&InstantSubmission { state, next_at, ..submission })
}

/// Rejects an instant payment that was not sent or not answered before its deadline, and releases its hold.
pub(super) fn reject_overdue(
    tx: &mut Tx<'_>,
    payment: Payment,
    reason: RejectionReason,
    context: ProcessingContext,
) -> Result<(), UseCaseError> {
    book(tx, LedgerEvent::SepaOutRejected, &payment, Parties::default(), PostingDetail::None, context)?;
    let (payment, event) = payment.reject(reason, context.now)?;
    tx.payment_update(&payment)?;
    Ok(audit::record(tx, context.now, Actor::Bank, &event)?)
}

/// Clearing has settled an instant payment that was rejected at its deadline. The payment stays rejected, and the amount is what the
/// bank claims back, on the suspense account. The transaction as it is stored then, or nothing when it was booked before.
fn settle_late(
    tx: &mut Tx<'_>,
    sent: &ClearingTransaction,
    payment: &Payment,
    context: ProcessingContext,
) -> Result<Option<ClearingTransaction>, StoreError> {
    let submission = tx.instant_submission_lock(sent.id)?.required("instant submission")?;
    if submission.state == InstantState::Late {
        return Ok(None);
    }
    book(tx, LedgerEvent::InstantOutLate, payment, Parties::default(), PostingDetail::None, context)?;
    let (state, next_at) = (InstantState::Late, None);
    tx.instant_submission_update(&InstantSubmission { state, next_at, ..submission })?;
    let answered = ClearingTransaction { answered_at: Some(context.now), ..sent.clone() };
    tx.clearing_transaction_update(&answered)?;
    let problem = "the instant payment was settled after its deadline; the amount is on the suspense account";
    status::payment_problem_record(tx, payment.id, problem, context.now)?;
    let event = AuditEvent::new("payment.settled_late", "payment", payment.id);
    audit::record(tx, context.now, Actor::Bank, &event.with("clearing", sent.id))?;
    Ok(Some(answered))
}

/// Records a mismatch for the operator.
fn record_mismatch(
    tx: &mut Tx<'_>,
    payment: &Payment,
    context: ProcessingContext,
) -> Result<Outcome, StoreError> {
    let event = AuditEvent::new("clearing.mismatch", "payment", payment.id);
    audit::record(tx, context.now, Actor::Bank, &event.with("status", payment.state.status().name()))?;
    Ok(Outcome::Mismatched)
}

fn book(
    tx: &mut Tx<'_>,
    event: LedgerEvent,
    payment: &Payment,
    parties: Parties,
    detail: PostingDetail,
    context: ProcessingContext,
) -> Result<(), StoreError> {
    let posting = Posting {
        event,
        parties,
        amounts: Amounts::of(payment.instruction.amount).fee(payment.instruction.fee.minor),
        reference: payment.id.to_string(),
        booking_day: context.today,
        value_day: context.today,
        detail,
    };
    ledger::post(tx, &[posting])?.map_err(StoreError::internal)?;
    Ok(())
}

/// The details of money that comes back: creditor and debtor are swapped.
fn return_detail(sent: &ClearingTransaction, payment: &Payment, text: &BookingText) -> TransactionDetail {
    let terms = &payment.instruction;
    let currency = Some(terms.amount.currency);
    let payee = AccountReference::iban(terms.creditor, currency);
    let payer = AccountReference::iban(sent.debtor_iban, currency);
    TransactionDetail {
        particulars: TransactionFields {
            end_to_end_id: terms.end_to_end_id.clone(),
            creditor: Party::new(sent.debtor_name.clone(), Some(payer)),
            debtor: Party::new(terms.creditor_name.clone(), Some(payee)),
            remittance_unstructured: terms.remittance.clone(),
            ..TransactionFields::default()
        },
        additional_information: Some(text.to_stored()),
        bank_transaction_code: Some("PMNT-ICDT-RRTN".to_owned()),
        ..TransactionDetail::default()
    }
}
