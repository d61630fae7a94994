//! What operators see of loans, and early repayment, withdrawal and write-off.

use super::refund_payout::payable_minor;
use super::servicing::{Collection, parties, payer, post_interest, update_and_reschedule};
use crate::ledger::{self, Posting, PostingDetail};
use crate::{App, StoreError, UseCaseError, audit};
use trapeza_domain::account::Account;
use trapeza_domain::audit_event::Actor;
use trapeza_domain::id::{ApplicationId, LoanId};
use trapeza_domain::ledger::posting::{Amounts, LedgerEvent};
use trapeza_domain::loan::{InstallmentState, Loan, PayoffQuote};
use trapeza_domain::money::Money;
use trapeza_domain::payment::Payment;
use trapeza_domain::refusal::{Refusal, RefusalReason};
use trapeza_domain::time::{Date, Timestamp};
use trapeza_store::{RefundRecord, Tx};
use trapeza_texts::statement::BookingText;

/// A loan with its installments, and the amount that ends it today.
#[derive(Clone, Debug)]
pub struct LoanDetail {
    pub loan: Loan,
    pub installments: Vec<InstallmentState>,
    /// The merchant's refunds, oldest first.
    pub refunds: Vec<RefundRecord>,
    /// The payments by which refunds go back to a borrower without an account here, oldest first.
    pub refund_payments: Vec<Payment>,
    /// What of the refunds could not be sent back and is owed to the borrower.
    pub payable_minor: i64,
    pub payoff_quote: Option<PayoffQuote>,
}

/// How a loan ends early.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum EarlyEnd {
    Repaid,
    Withdrawn,
}

impl App {
    /// The loans with a status that changed last.
    pub async fn loan_list(&self, status: String, limit: i64) -> Result<Vec<Loan>, UseCaseError> {
        self.store.read(move |tx| Ok(tx.loan_list(&status, limit)?)).await
    }

    pub async fn loan_detail(&self, id: LoanId) -> Result<LoanDetail, UseCaseError> {
        let today = self.clock.today();
        self.store
            .read(move |tx| {
                let loan = tx.loan_by_id(id)?.ok_or_else(not_found)?;
                let installments = tx.loan_installment_list(id)?;
                let payoff_quote = loan.payoff_quote(&installments, today);
                let refunds = tx.refund_list(id)?;
                let (refund_payments, payable_minor) = refund_payments(tx, &loan)?;
                Ok(LoanDetail { loan, installments, refunds, refund_payments, payable_minor, payoff_quote })
            })
            .await
    }

    /// Collects the whole debt from the customer's account, with interest until today.
    pub async fn loan_repay(&self, id: LoanId) -> Result<PayoffQuote, UseCaseError> {
        self.loan_end_early(id, EarlyEnd::Repaid).await
    }

    /// Withdraws from the loan within the legal period: principal and interest until today are collected, or are to be paid by
    /// transfer when no account is linked.
    pub async fn loan_withdraw(&self, id: LoanId) -> Result<PayoffQuote, UseCaseError> {
        self.loan_end_early(id, EarlyEnd::Withdrawn).await
    }

    /// Writes off an overdue loan: the principal becomes a loss of the bank, and accrued unpaid interest is reversed.
    /// The installments stay unpaid, which later credit decisions read.
    pub async fn loan_write_off(&self, id: LoanId) -> Result<PayoffQuote, UseCaseError> {
        let now = self.now();
        let by = (audit::current_actor(), now, self.clock.zone().day(now));
        self.store.write(move |tx| write_off(tx, id, by)).await
    }

    async fn loan_end_early(&self, id: LoanId, end: EarlyEnd) -> Result<PayoffQuote, UseCaseError> {
        let now = self.now();
        let (today, bank_name) = (self.clock.zone().day(now), self.bank_name().clone());
        let actor = audit::current_actor();
        self.store
            .write(move |tx| {
                let loan = lock_loan(tx, id)?;
                let payer = payer(tx, &loan)?;
                end_early(tx, loan, end, (actor, payer), &bank_name, (now, today))
            })
            .await
    }
}

/// The payments by which refunds of a loan go back, and what could not be sent.
pub(super) fn refund_payments(tx: &mut Tx<'_>, loan: &Loan) -> Result<(Vec<Payment>, i64), StoreError> {
    let mut payments = Vec::new();
    for sent in tx.refund_payment_list(loan.id)? {
        payments.extend(tx.payment_find(ApplicationId::BANK, sent.payment)?);
    }
    Ok((payments, payable_minor(tx, loan)?))
}

/// Writes off a loan, for this actor.
pub(crate) fn write_off(
    tx: &mut Tx<'_>,
    id: LoanId,
    (actor, now, today): (Actor, Timestamp, Date),
) -> Result<PayoffQuote, UseCaseError> {
    let loan = lock_loan(tx, id)?;
    let installments = tx.loan_installment_list(id)?;
    let payoff = loan.payoff_quote(&installments, today);
    check_not_under_review(tx, &loan)?;
    let (given_up, event) = loan.clone().write_off(now)?;
    let payoff = payoff.ok_or_else(|| StoreError::internal("an overdue loan owes nothing"))?;
    let payoff = PayoffQuote { days_minor: 0, ..payoff };
    book_write_off(tx, &loan, &payoff, today)?;
    let event =
        event.with("principal_minor", payoff.principal_minor).with("interest_minor", payoff.accrued_minor);
    audit::record(tx, now, actor, &event)?;
    update_and_reschedule(tx, given_up, &installments, now, today)?;
    Ok(payoff)
}

/// Refuses to give up a loan while a person decides about a longer plan.
fn check_not_under_review(tx: &mut Tx<'_>, loan: &Loan) -> Result<(), UseCaseError> {
    if tx.loan_review_is_open(loan.id)? {
        let text = "the borrower has asked for a longer plan, which must be decided first";
        return Err(Refusal::new(RefusalReason::StatusInvalid, text).into());
    }
    Ok(())
}

/// The state of a loan that can be written off, for an approval.
pub(crate) fn write_off_approved_state(
    tx: &mut Tx<'_>,
    id: LoanId,
    now: Timestamp,
) -> Result<String, UseCaseError> {
    let loan = lock_loan(tx, id)?;
    check_not_under_review(tx, &loan)?;
    loan.clone().write_off(now)?;
    Ok(format!("{loan:?}"))
}

/// Loads and locks a loan of any merchant, for the operator.
pub(super) fn lock_loan(tx: &mut Tx<'_>, id: LoanId) -> Result<Loan, UseCaseError> {
    let merchant = tx.loan_by_id(id)?.ok_or_else(not_found)?.merchant;
    Ok(tx.loan_lock(merchant, id)?.ok_or_else(not_found)?)
}

/// Ends a locked loan today, for this actor and from this account.
pub(super) fn end_early(
    tx: &mut Tx<'_>,
    loan: Loan,
    end: EarlyEnd,
    (actor, payer): (Actor, Option<Account>),
    bank_name: &str,
    (now, today): (Timestamp, Date),
) -> Result<PayoffQuote, UseCaseError> {
    let mut installments = tx.loan_installment_list(loan.id)?;
    let invalid_status = |text: &str| Refusal::new(RefusalReason::StatusInvalid, text.to_owned());
    let payoff = loan
        .payoff_quote(&installments, today)
        .ok_or_else(|| invalid_status("nothing is owed on this loan"))?;
    let (ended, event) = match end {
        EarlyEnd::Repaid => loan.clone().pay(payoff.principal_minor, now)?,
        EarlyEnd::Withdrawn => loan.clone().withdraw(today, now)?,
    };
    let Some(payer) = payer else {
        if end == EarlyEnd::Withdrawn {
            post_interest(tx, &loan, LedgerEvent::InterestDue, payoff.days_minor, today, today)?;
            declare_withdrawal(tx, loan, installments, actor, (now, today))?;
            return Ok(payoff);
        }
        let reference = loan.creditor_reference().printed();
        let text =
            format!("no account is linked; the customer pays by transfer with the reference {reference}");
        return Err(invalid_status(&text).into());
    };
    post_interest(tx, &loan, LedgerEvent::InterestDue, payoff.days_minor, today, today)?;
    let (event_booked, text) = match end {
        EarlyEnd::Repaid => (LedgerEvent::InstallmentCollected, BookingText::EarlyRepayment),
        EarlyEnd::Withdrawn => (LedgerEvent::LoanWithdrawn, BookingText::Withdrawal),
    };
    let collection = Collection {
        event: event_booked,
        payer: &payer,
        bank_name,
        principal_minor: payoff.principal_minor,
        interest_minor: payoff.interest_minor(),
        text,
        value_day: today,
        booking_day: today,
    };
    if !collection.book(tx, &loan)? {
        // A withdrawal needs no funds: the customer has 30 days to pay back.
        if end == EarlyEnd::Withdrawn {
            declare_withdrawal(tx, loan, installments, actor, (now, today))?;
            return Ok(payoff);
        }
        return Err(invalid_status("the customer's account has not enough on it, or cannot be used").into());
    }
    payoff.settle_installments(&mut installments, today);
    for one in &installments {
        tx.loan_installment_update(loan.id, one)?;
    }
    audit::record(tx, now, actor, &event)?;
    update_and_reschedule(tx, ended, &installments, now, today)?;
    Ok(payoff)
}

/// Withdraws from a locked loan whose interest until today is booked. The open amount is paid back by transfer.
fn declare_withdrawal(
    tx: &mut Tx<'_>,
    loan: Loan,
    mut installments: Vec<InstallmentState>,
    actor: Actor,
    (now, today): (Timestamp, Date),
) -> Result<(), UseCaseError> {
    let (withdrawn, event) = loan.clone().withdraw_by_transfer(&mut installments, today, now)?;
    for one in &installments {
        tx.loan_installment_update(loan.id, one)?;
    }
    audit::record(tx, now, actor, &event)?;
    update_and_reschedule(tx, withdrawn, &installments, now, today)
}

/// Books a write-off.
fn book_write_off(tx: &mut Tx<'_>, loan: &Loan, payoff: &PayoffQuote, today: Date) -> Result<(), StoreError> {
    let parties = parties(tx, loan, None)?;
    let posting = |event, amounts| Posting {
        event,
        parties,
        amounts,
        reference: loan.id.to_string(),
        booking_day: today,
        value_day: today,
        detail: PostingDetail::None,
    };
    let of = |minor| Amounts::of(Money::new(minor, loan.amount.currency));
    let mut postings = vec![posting(LedgerEvent::LoanWrittenOff, of(payoff.principal_minor))];
    if payoff.accrued_minor > 0 {
        postings.push(posting(LedgerEvent::InterestWaived, of(0).interest(payoff.accrued_minor)));
    }
    ledger::post(tx, &postings)?.map_err(StoreError::internal)?;
    Ok(())
}

fn not_found() -> Refusal {
    Refusal::new(RefusalReason::ResourceUnknown, "unknown loan")
}
