//! Incoming transfers on the suspense account. With `clearing.unmatched = "suspend"` they wait there until staff return them, or
//! assign them to an account or a loan. Each is decided once, under the lock of its row.

use super::incoming::{credit_detail, loan_payer};
use crate::ledger::{self, Posting, PostingDetail};
use crate::loan::{LoanTransfer, TransferContext};
use crate::{App, UseCaseError, audit};
use trapeza_domain::account::{Account, AccountStatus};
use trapeza_domain::audit_event::{Actor, AuditEvent};
use trapeza_domain::clearing::{IncomingState, ReasonCode};
use trapeza_domain::field::Field;
use trapeza_domain::id::{ClearingId, LoanId};
use trapeza_domain::ledger::posting::{Amounts, LedgerEvent, Parties};
use trapeza_domain::money::Money;
use trapeza_domain::reference::Iban;
use trapeza_domain::refusal::{Refusal, RefusalReason};
use trapeza_domain::time::{Date, Timestamp};
use trapeza_store::{IncomingDecision, IncomingRecord, Tx};

/// Maximum number of transfers of a list.
const MAX_LISTED: i64 = 1000;

/// What a suspended transfer is assigned to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SuspenseTarget {
    /// A customer's account.
    Account(Iban),
    /// A loan with an outstanding amount.
    Loan(LoanId),
}

/// Who decides, and when.
#[derive(Clone, Copy)]
pub(crate) struct SuspenseContext {
    pub actor: Actor,
    pub now: Timestamp,
    pub today: Date,
}

impl App {
    /// Incoming transfers in a state, newest first.
    pub async fn incoming_list(
        &self,
        state: IncomingState,
        limit: i64,
    ) -> Result<Vec<IncomingRecord>, UseCaseError> {
        self.store.read(move |tx| Ok(tx.incoming_list_by_state(state, limit.clamp(1, MAX_LISTED))?)).await
    }
}

/// The state of a suspended transfer that can be returned.
pub(crate) fn return_approved_state(tx: &mut Tx<'_>, id: ClearingId) -> Result<String, UseCaseError> {
    let incoming = suspended(tx, id)?;
    Ok(format!("{:?}", incoming.suspended_amount()))
}

/// Returns a suspended transfer to its sender with the next batch, for this reason or for the one for which it was suspended.
pub(crate) fn return_transfer(
    tx: &mut Tx<'_>,
    id: ClearingId,
    reason: Option<ReasonCode>,
    context: SuspenseContext,
) -> Result<Money, UseCaseError> {
    let incoming = suspended(tx, id)?;
    let amount = incoming.suspended_amount();
    let reason = reason.or(incoming.reason);
    let event = AuditEvent::new("suspense.returned", "transfer", id);
    let event = event.with("code", reason.unwrap_or(ReasonCode::NARRATIVE));
    let returning = IncomingRecord { state: IncomingState::Returning, reason, ..incoming };
    context.decide(tx, returning, None, event.with("amount_minor", amount.minor))?;
    Ok(amount)
}

/// The state of a suspended transfer and of what it can be assigned to, for an approval.
pub(crate) fn assign_approved_state(
    tx: &mut Tx<'_>,
    id: ClearingId,
    target: SuspenseTarget,
    today: Date,
) -> Result<String, UseCaseError> {
    let incoming = suspended(tx, id)?;
    let target = match target {
        SuspenseTarget::Account(iban) => format!("{:?}", payee(tx, &incoming, iban)?.id),
        SuspenseTarget::Loan(loan) => loan_transfer(tx, &incoming, loan, today)?.approved_state(),
    };
    Ok(format!("{:?} {target}", incoming.suspended_amount()))
}

/// Books a suspended transfer to an account or a loan. What is more than a loan's debt stays suspended.
pub(crate) fn assign(
    tx: &mut Tx<'_>,
    id: ClearingId,
    target: SuspenseTarget,
    context: SuspenseContext,
) -> Result<Money, UseCaseError> {
    let incoming = suspended(tx, id)?;
    match target {
        SuspenseTarget::Account(iban) => assign_to_account(tx, incoming, iban, context),
        SuspenseTarget::Loan(loan) => assign_to_loan(tx, incoming, loan, context),
    }
}

/// A transfer that waits for a decision, locked.
fn suspended(tx: &mut Tx<'_>, id: ClearingId) -> Result<IncomingRecord, UseCaseError> {
    let field = Field::IncomingTransferId;
    let unknown = || Refusal::at(RefusalReason::ResourceUnknown, field, "unknown incoming transfer");
    let incoming = tx.incoming_lock(id)?.ok_or_else(unknown)?;
    if incoming.state != IncomingState::Suspended {
        let text = format!("must be suspended, is {}", incoming.state.name());
        return Err(Refusal::at(RefusalReason::StatusInvalid, field, text).into());
    }
    Ok(incoming)
}

/// An enabled account of a customer in the currency of the transfer.
fn payee(tx: &mut Tx<'_>, incoming: &IncomingRecord, iban: Iban) -> Result<Account, UseCaseError> {
    let currency = incoming.suspended_amount().currency;
    let mut accounts = tx.account_by_iban(&iban)?.into_iter();
    let found =
        accounts.find(|account| account.status == AccountStatus::Enabled && account.currency == currency);
    let text = || format!("must be an enabled account of this bank in {currency}");
    Ok(found.ok_or_else(|| Refusal::malformed(Field::Iban, text()))?)
}

/// The loan as of the day on which the money arrived: a late decision is not counted against the customer.
fn loan_transfer(
    tx: &mut Tx<'_>,
    incoming: &IncomingRecord,
    loan: LoanId,
    today: Date,
) -> Result<LoanTransfer, UseCaseError> {
    let amount = incoming.suspended_amount();
    let found = LoanTransfer::find_by_id(tx, loan, amount, value_day(incoming, today))?;
    let text = || format!("must be a loan with an outstanding amount in {}", amount.currency);
    Ok(found.ok_or_else(|| Refusal::malformed(Field::LoanId, text()))?)
}

fn value_day(incoming: &IncomingRecord, today: Date) -> Date {
    incoming.received.settlement_day.min(today)
}

fn assign_to_account(
    tx: &mut Tx<'_>,
    incoming: IncomingRecord,
    iban: Iban,
    context: SuspenseContext,
) -> Result<Money, UseCaseError> {
    let (amount, account) = (incoming.suspended_amount(), payee(tx, &incoming, iban)?);
    let posting = Posting {
        event: LedgerEvent::SuspenseAssigned,
        parties: Parties { payee: Some(account.ledger), ..Parties::default() },
        amounts: Amounts::of(amount),
        reference: incoming.id.to_string(),
        booking_day: context.today,
        value_day: value_day(&incoming, context.today),
        detail: PostingDetail::Account(Box::new(credit_detail(&incoming.received.transfer, &account))),
    };
    ledger::post(tx, &[posting])?.map_err(Refusal::from)?;
    let event = AuditEvent::new("suspense.assigned", "transfer", incoming.id).with("account", account.id);
    let assigned = IncomingRecord { state: IncomingState::Assigned, ..incoming };
    let target = Some(iban.as_str().to_owned());
    context.decide(tx, assigned, target, event.with("amount_minor", amount.minor))?;
    Ok(amount)
}

fn assign_to_loan(
    tx: &mut Tx<'_>,
    incoming: IncomingRecord,
    loan: LoanId,
    context: SuspenseContext,
) -> Result<Money, UseCaseError> {
    let amount = incoming.suspended_amount();
    let found = loan_transfer(tx, &incoming, loan, context.today)?;
    let excess = found.excess_minor();
    let paid = Money { minor: amount.minor - excess, ..amount };
    if let Some(payer) = loan_payer(loan, paid, &incoming.received.transfer, context.now) {
        tx.loan_payer_add(&payer)?;
    }
    let reference = incoming.id.to_string();
    let SuspenseContext { actor, now, today } = context;
    found.assign(tx, &TransferContext { actor, reference: &reference, now, today })?;
    let event = AuditEvent::new("suspense.assigned", "transfer", incoming.id).with("loan", loan);
    let event = event.with("amount_minor", paid.minor);
    let assigned = if excess > 0 {
        IncomingRecord { excess_minor: Some(excess), ..incoming }
    } else {
        IncomingRecord { state: IncomingState::Assigned, ..incoming }
    };
    context.decide(tx, assigned, Some(loan.to_string()), event.with("excess_minor", excess))?;
    Ok(paid)
}

impl SuspenseContext {
    fn decide(
        &self,
        tx: &mut Tx<'_>,
        decided: IncomingRecord,
        assigned_to: Option<String>,
        event: AuditEvent,
    ) -> Result<(), UseCaseError> {
        let decision = IncomingDecision { at: self.now, by: self.actor.to_string(), assigned_to };
        tx.incoming_update(&IncomingRecord { decision: Some(decision), ..decided })?;
        Ok(audit::record(tx, self.now, self.actor, &event)?)
    }
}
