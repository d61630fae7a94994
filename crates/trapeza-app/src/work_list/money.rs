//! Payments and loans that need attention.

use super::{ListContext, REJECTED_SINCE, STUCK_AFTER, WorkItem};
use crate::object_view::AvailableAction;
use crate::{format_date, format_timestamp};
use trapeza_domain::clearing::IncomingState;
use trapeza_domain::loan::{Contract, LoanState, RepaymentStatus};
use trapeza_domain::money::Money;
use trapeza_domain::payment::{Payment, PaymentState};
use trapeza_domain::search::SearchKind;
use trapeza_domain::staff::StaffAction;
use trapeza_domain::time::Timestamp;
use trapeza_store::{StoreError, Tx};

pub(super) fn rejected_payments(tx: &mut Tx<'_>, context: &ListContext) -> Result<Vec<WorkItem>, StoreError> {
    let mut rows = Vec::new();
    for (id, application) in tx.work_rejected_payments(context.now.minus(REJECTED_SINCE), context.limit)? {
        let Some(payment) = tx.payment_find(application, id)? else { continue };
        let reason = match payment.state {
            PaymentState::Rejected { reason, code: Some(code), .. } => {
                format!("{} ({})", reason.description(), code.as_str())
            }
            PaymentState::Rejected { reason, code: None, .. } => reason.description().to_owned(),
            _ => String::new(),
        };
        rows.push(payment_row(&payment, payment.last_action, reason));
    }
    Ok(rows)
}

/// Accepted payments that were not submitted for a day, then submitted ones that clearing has not answered.
pub(super) fn stuck_payments(tx: &mut Tx<'_>, context: &ListContext) -> Result<Vec<WorkItem>, StoreError> {
    let mut rows = Vec::new();
    for (id, application) in tx.work_unsubmitted_payments(context.now.minus(STUCK_AFTER), context.limit)? {
        let Some(payment) = tx.payment_find(application, id)? else { continue };
        let PaymentState::Accepted { submit_at, .. } = payment.state else { continue };
        rows.push(payment_row(&payment, submit_at, "not submitted to clearing".to_owned()));
    }
    for sent in tx.clearing_transaction_unanswered(context.limit)? {
        let Some(payment) = tx.payment_find(sent.application, sent.payment)? else { continue };
        rows.push(payment_row(&payment, sent.submitted_at, "not answered by clearing".to_owned()));
    }
    rows.truncate(usize::try_from(context.limit).unwrap_or(usize::MAX));
    Ok(rows)
}

fn payment_row(payment: &Payment, at: Timestamp, text: String) -> WorkItem {
    let order = &payment.instruction;
    let cells = vec![
        format_timestamp(at),
        payment.psu.clone(),
        order.creditor_name.clone(),
        order.amount.to_string(),
        text,
    ];
    WorkItem::new(Some((SearchKind::Payment, payment.id.to_string())), cells)
}

pub(super) fn suspended_transfers(
    tx: &mut Tx<'_>,
    context: &ListContext,
) -> Result<Vec<WorkItem>, StoreError> {
    let suspended = tx.incoming_list_by_state(IncomingState::Suspended, context.limit)?;
    let row = suspended.into_iter().map(|incoming| {
        let (id, transfer) = (incoming.id.to_string(), &incoming.received.transfer);
        let cells = vec![
            format_timestamp(incoming.received_at),
            transfer.debtor_name.clone(),
            transfer.creditor.clone(),
            incoming.suspended_amount().to_string(),
            incoming.reason.map(|reason| reason.as_str().to_owned()).unwrap_or_default(),
        ];
        let action = |action| AvailableAction::new(&context.person, action, [("transfer", id.clone())]);
        WorkItem::new(Some((SearchKind::IncomingTransfer, id.clone())), cells)
            .with(action(StaffAction::ClearingReturn))
            .with(action(StaffAction::ClearingMatch))
    });
    Ok(row.collect())
}

pub(super) fn overdue_loans(tx: &mut Tx<'_>, context: &ListContext) -> Result<Vec<WorkItem>, StoreError> {
    let mut rows = Vec::new();
    for loan in tx.loan_list("overdue", context.limit)? {
        let LoanState::Granted { contract, repayment, open_minor, .. } = &loan.state else { continue };
        let RepaymentStatus::Overdue { since } = repayment else { continue };
        let borrower = match contract {
            Contract { borrower: Some(borrower), .. } => tx.work_borrower(borrower.psu, borrower.shopper)?,
            _ => None,
        };
        let cells = vec![
            format_date(*since),
            borrower.map(|hit| hit.label).unwrap_or_default(),
            loan.amount.to_string(),
            Money::new(*open_minor, loan.amount.currency).to_string(),
        ];
        let id = loan.id.to_string();
        let row = WorkItem::new(Some((SearchKind::Loan, id.clone())), cells);
        let can_write_off = loan.write_off(context.now).is_ok();
        let action = AvailableAction::new(&context.person, StaffAction::LoanWriteOff, [("loan", id)]);
        rows.push(row.with(action.filter(|_| can_write_off)));
    }
    Ok(rows)
}
