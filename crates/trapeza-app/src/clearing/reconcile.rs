//! Reconciliation of one part of a message: the status of a submitted payment, a return, or an incoming transfer.

use crate::ledger::{self, Posting, PostingDetail};
use crate::loan::{LoanTransfer, TransferContext};
use crate::{Required, StoreError, UseCaseError, audit};
use trapeza_domain::account::{Account, AccountStatus};
use trapeza_domain::audit_event::{Actor, AuditEvent};
use trapeza_domain::clearing::{
    IncomingState, InterbankReturn, InterbankTransfer, OriginalTransfer, ReasonCode, ReportedStatus,
};
use trapeza_domain::id::ClearingId;
use trapeza_domain::ledger::LedgerAccountId;
use trapeza_domain::ledger::posting::{Amounts, LedgerEvent, Parties};
use trapeza_domain::money::Money;
use trapeza_domain::payment::{Payment, PaymentState};
use trapeza_domain::purpose_code::PurposeCode;
use trapeza_domain::reference::{AccountReference, Iban};
use trapeza_domain::time::{Date, Timestamp};
use trapeza_domain::transaction::{Party, TransactionDetail, TransactionFields};
use trapeza_store::{ClearingTransaction, IncomingRecord, LoanPayer, ReturnRecord, Tx};
use trapeza_texts::statement::BookingText;

/// The message that a part belongs to.
pub(super) struct MessageRef<'a> {
    pub id: &'a str,
    /// The value date of what is booked.
    pub settlement_day: Date,
}

/// The time at which a message is applied, and the bank's collection account.
#[derive(Clone, Copy)]
pub(super) struct ProcessingContext {
    pub now: Timestamp,
    pub today: Date,
    pub collection: Option<Iban>,
}

/// Where an incoming transfer is booked.
enum Destination {
    Account(Box<Account>),
    /// The loan that a transfer to the collection account names.
    Loan(Box<LoanTransfer>),
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
    let payer = payer(tx, &payment)?;
    let posting = Posting {
        event: LedgerEvent::SepaOutReturned,
        parties: Parties { payer: Some(payer), ..Parties::default() },
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

/// Credits an incoming transfer to its account or loan, or suspends it for a return.
pub(super) fn credit(
    tx: &mut Tx<'_>,
    id: ClearingId,
    message: &MessageRef<'_>,
    transfer: &InterbankTransfer,
    context: ProcessingContext,
) -> Result<Outcome, UseCaseError> {
    let found = destination(tx, message, transfer, context)?;
    let state = if found.is_ok() { IncomingState::Credited } else { IncomingState::Suspended };
    let received = OriginalTransfer { settlement_day: message.settlement_day, transfer: transfer.clone() };
    let incoming = IncomingRecord {
        id,
        message_id: message.id.to_owned(),
        received,
        state,
        reason: found.as_ref().err().copied(),
        excess_minor: None,
        received_at: context.now,
    };
    if !tx.incoming_insert(&incoming)? {
        let before = tx.incoming_find(message.id, &transfer.id)?;
        return match before.filter(|before| before.received == incoming.received) {
            Some(_) => Ok(Outcome::Idle),
            None => {
                let event = AuditEvent::new("clearing.mismatch", "message", message.id);
                audit::record(tx, context.now, Actor::Bank, &event.with("transaction", &transfer.id))?;
                Ok(Outcome::Mismatched)
            }
        };
    }
    let posting = |event, payee, detail| Posting {
        event,
        parties: Parties { payee, ..Parties::default() },
        amounts: Amounts::of(transfer.amount),
        reference: id.to_string(),
        booking_day: context.today,
        value_day: message.settlement_day,
        detail,
    };
    if let Ok(Destination::Account(account)) = &found {
        let detail = PostingDetail::Account(Box::new(credit_detail(transfer, account)));
        let credited = posting(LedgerEvent::SepaIn, Some(account.ledger), detail);
        if ledger::post(tx, &[credited])?.is_ok() {
            return Ok(Outcome::Credited);
        }
        tx.incoming_suspend(id, ReasonCode::AMOUNT, None)?;
    }
    let suspended = posting(LedgerEvent::SepaInUnknown, None, PostingDetail::None);
    ledger::post(tx, &[suspended])?.map_err(StoreError::internal)?;
    let Ok(Destination::Loan(loan)) = found else { return Ok(Outcome::Suspended) };
    if loan.excess_minor() > 0 {
        tx.incoming_suspend(id, ReasonCode::UNSPECIFIED, Some(loan.excess_minor()))?;
    }
    if let Some(payer) = loan_payer(&loan, transfer, context.now) {
        tx.loan_payer_add(&payer)?;
    }
    let reference = id.to_string();
    let ProcessingContext { now, today, .. } = context;
    loan.assign(tx, &TransferContext { actor: Actor::Bank, reference: &reference, now, today })?;
    Ok(Outcome::Credited)
}

/// Where a refund of this payment would go back to; `None` when the payer's IBAN is unknown.
fn loan_payer(loan: &LoanTransfer, transfer: &InterbankTransfer, now: Timestamp) -> Option<LoanPayer> {
    let amount = transfer.amount;
    Some(LoanPayer {
        loan: loan.loan_id(),
        iban: transfer.debtor?,
        name: transfer.debtor_name.clone(),
        agent: transfer.debtor_agent.clone(),
        own_agent: transfer.creditor_agent.clone(),
        paid: Money { minor: amount.minor - loan.excess_minor(), ..amount },
        returned_minor: 0,
        last_paid_at: now,
    })
}

/// The account or the loan of an incoming transfer, or the reason for its return.
fn destination(
    tx: &mut Tx<'_>,
    message: &MessageRef<'_>,
    transfer: &InterbankTransfer,
    context: ProcessingContext,
) -> Result<Result<Destination, ReasonCode>, StoreError> {
    let to_collection = context.collection.is_some_and(|iban| Iban::parse(&transfer.creditor) == Ok(iban));
    if !to_collection {
        return Ok(payee(tx, transfer)?.map(|account| Destination::Account(Box::new(account))));
    }
    let remittance = [transfer.creditor_reference.as_deref(), transfer.remittance.as_deref()];
    // A message that is read late is not counted against the customer.
    let paid_on = message.settlement_day.min(context.today);
    let found = LoanTransfer::find(tx, &remittance, transfer.amount, paid_on)?;
    Ok(found.map(|loan| Destination::Loan(Box::new(loan))).ok_or(ReasonCode::UNSPECIFIED))
}

fn settled(
    tx: &mut Tx<'_>,
    sent: ClearingTransaction,
    payment: Payment,
    context: ProcessingContext,
) -> Result<(ClearingTransaction, Payment), UseCaseError> {
    let parties = Parties { payer: Some(payer(tx, &payment)?), ..Parties::default() };
    book(tx, LedgerEvent::SepaOutSettled, &payment, parties, PostingDetail::None, context)?;
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

fn payer(tx: &mut Tx<'_>, payment: &Payment) -> Result<LedgerAccountId, StoreError> {
    let hold = tx.hold_by_reference(&payment.id.to_string())?;
    Ok(hold.required("hold")?.hold.account)
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

/// The customer's account of an incoming transfer, or the reason for its return.
fn payee(tx: &mut Tx<'_>, transfer: &InterbankTransfer) -> Result<Result<Account, ReasonCode>, StoreError> {
    let Ok(iban) = Iban::parse(&transfer.creditor) else { return Ok(Err(ReasonCode::ACCOUNT_UNKNOWN)) };
    let accounts = tx.account_by_iban(&iban)?;
    if accounts.is_empty() {
        return Ok(Err(ReasonCode::ACCOUNT_UNKNOWN));
    }
    let own = accounts.into_iter().find(|account| account.currency == transfer.amount.currency);
    let Some(account) = own else { return Ok(Err(ReasonCode::CURRENCY)) };
    Ok(match account.status {
        AccountStatus::Enabled => Ok(account),
        AccountStatus::Deleted => Err(ReasonCode::ACCOUNT_CLOSED),
        AccountStatus::Blocked => Err(ReasonCode::ACCOUNT_BLOCKED),
    })
}

fn credit_detail(transfer: &InterbankTransfer, account: &Account) -> TransactionDetail {
    let debtor = transfer.debtor.map(|iban| AccountReference::iban(iban, None));
    TransactionDetail {
        particulars: TransactionFields {
            end_to_end_id: transfer.end_to_end_id.clone(),
            creditor: Party {
                ultimate: transfer.ultimate_creditor.clone(),
                ..Party::new(transfer.creditor_name.clone(), Some(account.reference()))
            },
            debtor: Party {
                ultimate: transfer.ultimate_debtor.clone(),
                ..Party::new(transfer.debtor_name.clone(), debtor)
            },
            remittance_unstructured: transfer.remittance.clone(),
            remittance_structured: transfer.creditor_reference.clone(),
            purpose: transfer.purpose.as_deref().and_then(|code| PurposeCode::parse(code).ok()),
            ..TransactionFields::default()
        },
        bank_transaction_code: Some("PMNT-RCDT-ESCT".to_owned()),
        ..TransactionDetail::default()
    }
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
