//! Incoming transfers: credited to an account or a loan, returned, or suspended.

use super::reconcile::{MessageRef, Outcome, ProcessingContext};
use crate::ledger::{self, Posting, PostingDetail};
use crate::loan::{LoanTransfer, TransferContext};
use crate::{StoreError, UseCaseError, audit};
use trapeza_domain::account::{Account, AccountStatus};
use trapeza_domain::audit_event::{Actor, AuditEvent};
use trapeza_domain::clearing::{IncomingState, InterbankTransfer, OriginalTransfer, ReasonCode};
use trapeza_domain::id::{ClearingId, LoanId};
use trapeza_domain::ledger::posting::{Amounts, LedgerEvent, Parties};
use trapeza_domain::money::Money;
use trapeza_domain::purpose_code::PurposeCode;
use trapeza_domain::reference::{AccountReference, Iban};
use trapeza_domain::time::Timestamp;
use trapeza_domain::transaction::{Party, TransactionDetail, TransactionFields};
use trapeza_store::{IncomingRecord, LoanPayer, Tx};

/// Where an incoming transfer is booked.
enum Destination {
    Account(Box<Account>),
    /// The loan that a transfer to the collection account names.
    Loan(Box<LoanTransfer>),
}

/// Credits an incoming transfer to its account or loan, or books it on the suspense account.
pub(super) fn credit(
    tx: &mut Tx<'_>,
    id: ClearingId,
    message: &MessageRef<'_>,
    transfer: &InterbankTransfer,
    context: ProcessingContext,
) -> Result<Outcome, UseCaseError> {
    let found = destination(tx, message, transfer, context)?;
    let unmatched = context.unmatched.state();
    let state = if found.is_ok() { IncomingState::Credited } else { unmatched };
    let received = OriginalTransfer { settlement_day: message.settlement_day, transfer: transfer.clone() };
    let incoming = IncomingRecord {
        id,
        message_id: message.id.to_owned(),
        received,
        state,
        reason: found.as_ref().err().copied(),
        excess_minor: None,
        received_at: context.now,
        decision: None,
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
        let reason = Some(ReasonCode::AMOUNT);
        tx.incoming_update(&IncomingRecord { state: unmatched, reason, ..incoming.clone() })?;
    }
    let suspended = posting(LedgerEvent::SepaInUnknown, None, PostingDetail::None);
    ledger::post(tx, &[suspended])?.map_err(StoreError::internal)?;
    let Ok(Destination::Loan(loan)) = found else { return Ok(Outcome::Suspended) };
    if loan.excess_minor() > 0 {
        let (reason, excess_minor) = (Some(ReasonCode::UNSPECIFIED), Some(loan.excess_minor()));
        tx.incoming_update(&IncomingRecord { state: unmatched, reason, excess_minor, ..incoming })?;
    }
    let paid = Money { minor: transfer.amount.minor - loan.excess_minor(), ..transfer.amount };
    if let Some(payer) = loan_payer(loan.loan_id(), paid, transfer, context.now) {
        tx.loan_payer_add(&payer)?;
    }
    let reference = id.to_string();
    let ProcessingContext { now, today, .. } = context;
    loan.assign(tx, &TransferContext { actor: Actor::Bank, reference: &reference, now, today })?;
    Ok(Outcome::Credited)
}

/// Where a refund of this payment would go back to; `None` when the payer's IBAN is unknown.
pub(super) fn loan_payer(
    loan: LoanId,
    paid: Money,
    transfer: &InterbankTransfer,
    now: Timestamp,
) -> Option<LoanPayer> {
    Some(LoanPayer {
        loan,
        iban: transfer.debtor?,
        name: transfer.debtor_name.clone(),
        agent: transfer.debtor_agent.clone(),
        own_agent: transfer.creditor_agent.clone(),
        paid,
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

pub(super) fn credit_detail(transfer: &InterbankTransfer, account: &Account) -> TransactionDetail {
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
