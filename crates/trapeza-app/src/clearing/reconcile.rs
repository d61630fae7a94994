//! Reconciliation of one part of a message about a submitted payment: its status, or a return.

use crate::ledger::{self, Posting, PostingDetail};
use crate::{Required, StoreError, UseCaseError, audit};
use trapeza_domain::audit_event::{Actor, AuditEvent};
use trapeza_domain::clearing::{InterbankReturn, ReasonCode, ReportedStatus, UnmatchedPolicy};
use trapeza_domain::id::ClearingId;
use trapeza_domain::ledger::posting::{Amounts, LedgerEvent, Parties};
use trapeza_domain::ledger::{LedgerAccountId, LedgerAccountKind};
use trapeza_domain::payment::{Payment, PaymentState};
use trapeza_domain::reference::{AccountReference, Iban};
use trapeza_domain::time::{Date, Timestamp};
use trapeza_domain::transaction::{Party, TransactionDetail, TransactionFields};
use trapeza_store::{ClearingTransaction, ReturnRecord, Tx};
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

/// A submitted payment, locked. `about` is the message that it must have been sent in.
fn sent(
    tx: &mut Tx<'_>,
    id: Option<ClearingId>,
    about: Option<&str>,
) -> Result<Option<(ClearingTransaction, Payment)>, StoreError> {
    let Some(id) = id else { return Ok(None) };
    let Some(sent) = tx.clearing_transaction_lock(id)? else { return Ok(None) };
    if about.is_some_and(|about| about != sent.batch.uuid().simple().to_string()) {
        return Ok(None);
    }
    let payment = tx.payment_lock(sent.application, sent.payment)?;
    let payment = payment.required("payment")?;
    Ok(Some((sent, payment)))
}

/// Applies the reported status of a payment.
pub(super) fn settle(
    tx: &mut Tx<'_>,
    id: Option<ClearingId>,
    about: Option<&str>,
    verdict: ReportedStatus,
    context: ProcessingContext,
) -> Result<Outcome, UseCaseError> {
    let Some((sent, payment)) = sent(tx, id, about)? else { return Ok(Outcome::Mismatched) };
    match (verdict, payment.state) {
        (ReportedStatus::Pending, _)
        | (ReportedStatus::Settled, PaymentState::Settled)
        | (ReportedStatus::Rejected(_), PaymentState::Rejected { .. }) => Ok(Outcome::Idle),
        (ReportedStatus::Settled, PaymentState::Submitted) => {
            settled(tx, sent, payment, context)?;
            Ok(Outcome::Settled)
        }
        (ReportedStatus::Rejected(code), PaymentState::Submitted) => {
            let event = LedgerEvent::SepaOutRejected;
            book(tx, event, &payment, Parties::default(), PostingDetail::None, context)?;
            let (payment, event) = payment.reject_by_clearing(code, context.now)?;
            tx.payment_update(&payment)?;
            answered(tx, sent, context)?;
            audit::record(tx, context.now, Actor::Bank, &event)?;
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
        detail: PostingDetail::Account(Box::new(return_detail(&sent, &payment, returned.reason))),
    };
    if ledger::post(tx, &[posting])?.is_err() {
        return Ok(record_mismatch(tx, &payment, context)?);
    }
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
    let sent = answered(tx, sent, context)?;
    audit::record(tx, context.now, Actor::Bank, &event)?;
    Ok((sent, payment))
}

fn answered(
    tx: &mut Tx<'_>,
    sent: ClearingTransaction,
    context: ProcessingContext,
) -> Result<ClearingTransaction, StoreError> {
    let sent = ClearingTransaction { alert_at: None, answered_at: Some(context.now), ..sent };
    tx.clearing_transaction_update(&sent)?;
    Ok(sent)
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

/// The ledger account that a submitted payment is paid from.
enum Payer {
    /// Of a customer, or of a borrower to whom the bank pays back.
    Customer(LedgerAccountId),
    /// Of a merchant whose balance is paid out.
    Merchant(LedgerAccountId),
}

impl Payer {
    fn of(tx: &mut Tx<'_>, payment: &Payment) -> Result<Self, StoreError> {
        let hold = tx.hold_by_reference(&payment.id.to_string())?;
        let id = hold.required("hold")?.hold.account;
        let account = tx.ledger_account_find(id)?.required("ledger account")?;
        Ok(if account.kind == LedgerAccountKind::Merchant { Self::Merchant(id) } else { Self::Customer(id) })
    }

    fn parties(&self) -> Parties {
        match *self {
            Self::Customer(id) => Parties { payer: Some(id), ..Parties::default() },
            Self::Merchant(id) => Parties { merchant: Some(id), ..Parties::default() },
        }
    }

    const fn settled(&self) -> LedgerEvent {
        match self {
            Self::Customer(_) => LedgerEvent::SepaOutSettled,
            Self::Merchant(_) => LedgerEvent::MerchantPayoutSettled,
        }
    }

    const fn returned(&self) -> LedgerEvent {
        match self {
            Self::Customer(_) => LedgerEvent::SepaOutReturned,
            Self::Merchant(_) => LedgerEvent::MerchantPayoutReturned,
        }
    }
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

/// The details of a return: creditor and debtor are swapped.
fn return_detail(sent: &ClearingTransaction, payment: &Payment, reason: ReasonCode) -> TransactionDetail {
    let terms = &payment.instruction;
    let currency = Some(terms.amount.currency);
    let payee = AccountReference::iban(terms.creditor, currency);
    let payer = AccountReference::iban(sent.debtor_iban, currency);
    let returned = BookingText::Returned { reason: reason.to_string() };
    TransactionDetail {
        particulars: TransactionFields {
            end_to_end_id: terms.end_to_end_id.clone(),
            creditor: Party::new(sent.debtor_name.clone(), Some(payer)),
            debtor: Party::new(terms.creditor_name.clone(), Some(payee)),
            remittance_unstructured: terms.remittance.clone(),
            ..TransactionFields::default()
        },
        additional_information: Some(returned.to_stored()),
        bank_transaction_code: Some("PMNT-ICDT-RRTN".to_owned()),
        ..TransactionDetail::default()
    }
}
