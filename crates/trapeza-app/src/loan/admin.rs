//! What an operator sees of loans and does with one: repay it early or take it back in time for a customer who asks, or give
//! up what a customer will not pay.

use super::servicing::{accrue, conclude, parties, payer, take};
use crate::ledger::{self, Posting, PostingDetail};
use crate::{App, StoreError, UseCaseError, audit};
use trapeza_domain::account::Account;
use trapeza_domain::audit_event::Actor;
use trapeza_domain::id::LoanId;
use trapeza_domain::ledger::posting::{Amounts, LedgerEvent};
use trapeza_domain::loan::{InstallmentState, Loan, PayoffQuote};
use trapeza_domain::money::Money;
use trapeza_domain::refusal::{Refusal, RefusalReason};
use trapeza_domain::time::{Date, Timestamp};
use trapeza_store::{RefundRecord, Tx};

/// One loan with its installments, and what it would cost to end it today.
#[derive(Clone, Debug)]
pub struct LoanDetail {
    pub loan: Loan,
    pub progress: Vec<InstallmentState>,
    /// What its merchant gave back, oldest first.
    pub refunds: Vec<RefundRecord>,
    pub closing: Option<PayoffQuote>,
}

/// How a loan ends before its time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum End {
    Repaid,
    Withdrawn,
}

impl App {
    /// The loans in a state that last changed.
    pub async fn loan_list(&self, status: String, limit: i64) -> Result<Vec<Loan>, UseCaseError> {
        self.store.read(move |tx| Ok(tx.loan_list(&status, limit)?)).await
    }

    pub async fn loan_detail(&self, id: LoanId) -> Result<LoanDetail, UseCaseError> {
        let today = self.clock.today();
        self.store
            .read(move |tx| {
                let loan = tx.loan_by_id(id)?.ok_or_else(not_found)?;
                let progress = tx.loan_installment_list(id)?;
                let closing = loan.payoff_quote(&progress, today);
                let refunds = tx.refund_list(id)?;
                Ok(LoanDetail { loan, progress, refunds, closing })
            })
            .await
    }

    /// Takes everything that is owed from the customer's account, with interest up to today and no longer.
    pub async fn loan_repay(&self, id: LoanId) -> Result<PayoffQuote, UseCaseError> {
        self.loan_end(id, End::Repaid).await
    }

    /// The customer takes the loan back: the principal and the days' interest, in the days they have for that.
    pub async fn loan_withdraw(&self, id: LoanId) -> Result<PayoffQuote, UseCaseError> {
        self.loan_end(id, End::Withdrawn).await
    }

    /// Gives up what is owed on an overdue loan: the principal is the bank's loss, and interest that was booked and not
    /// paid is booked back. Its installments stay unpaid, which is what later decisions read.
    pub async fn loan_write_off(&self, id: LoanId) -> Result<PayoffQuote, UseCaseError> {
        let now = self.now();
        let today = self.clock.zone().day(now);
        self.store
            .write(move |tx| {
                let loan = locked(tx, id)?;
                let progress = tx.loan_installment_list(id)?;
                let closing = loan.payoff_quote(&progress, today);
                let (given_up, event) = loan.clone().write_off(now)?;
                let closing = closing.ok_or_else(|| StoreError::internal("an overdue loan owes nothing"))?;
                let closing = PayoffQuote { days_minor: 0, ..closing };
                lose(tx, &loan, &closing, today)?;
                let event = event
                    .with("principal_minor", closing.principal_minor)
                    .with("interest_minor", closing.accrued_minor);
                audit::record(tx, now, Actor::Operator, &event)?;
                conclude(tx, given_up, &progress, false, now, today)?;
                Ok(closing)
            })
            .await
    }

    async fn loan_end(&self, id: LoanId, how: End) -> Result<PayoffQuote, UseCaseError> {
        let now = self.now();
        let today = self.clock.zone().day(now);
        self.store
            .write(move |tx| {
                let loan = locked(tx, id)?;
                let payer = payer(tx, &loan)?;
                end(tx, loan, how, (Actor::Operator, payer), (now, today))
            })
            .await
    }
}

/// A loan for the operator, who may have any merchant's, and nobody else changes it before this transaction ends.
fn locked(tx: &mut Tx<'_>, id: LoanId) -> Result<Loan, UseCaseError> {
    let merchant = tx.loan_by_id(id)?.ok_or_else(not_found)?.merchant;
    Ok(tx.loan_lock(merchant, id)?.ok_or_else(not_found)?)
}

/// Ends a loan that is locked, on this day, for who asked for it and from the account they pay from.
pub(super) fn end(
    tx: &mut Tx<'_>,
    loan: Loan,
    how: End,
    (actor, payer): (Actor, Option<Account>),
    (now, today): (Timestamp, Date),
) -> Result<PayoffQuote, UseCaseError> {
    let mut progress = tx.loan_installment_list(loan.id)?;
    let no = |text: &str| Refusal::new(RefusalReason::StatusInvalid, text.to_owned());
    let closing = loan.payoff_quote(&progress, today).ok_or_else(|| no("nothing is owed on this loan"))?;
    let (ended, event) = match how {
        End::Repaid => loan.clone().pay(closing.principal_minor, now)?,
        End::Withdrawn => loan.clone().withdraw(today, now)?,
    };
    let payer = payer.ok_or_else(|| no("the customer has linked no account to take it from"))?;
    accrue(tx, &loan, closing.days_minor, today, today)?;
    let (booked, words) = match how {
        End::Repaid => (LedgerEvent::InstallmentCollected, "Pay Later early repayment"),
        End::Withdrawn => (LedgerEvent::LoanWithdrawn, "Pay Later withdrawal"),
    };
    let amounts = (closing.principal_minor, closing.interest_minor());
    if !take(tx, &loan, booked, &payer, amounts, words.to_owned(), (today, today))? {
        return Err(no("the customer's account has not enough on it, or cannot be used").into());
    }
    for one in progress.iter_mut().filter(|one| one.settled.is_none()) {
        one.settled = Some(today);
        tx.loan_installment_update(loan.id, one)?;
    }
    audit::record(tx, now, actor, &event)?;
    conclude(tx, ended, &progress, true, now, today)?;
    Ok(closing)
}

/// What is given up, in the books.
fn lose(tx: &mut Tx<'_>, loan: &Loan, closing: &PayoffQuote, today: Date) -> Result<(), StoreError> {
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
    let mut postings = vec![posting(LedgerEvent::LoanWrittenOff, of(closing.principal_minor))];
    if closing.accrued_minor > 0 {
        postings.push(posting(LedgerEvent::InterestWaived, of(0).interest(closing.accrued_minor)));
    }
    ledger::post(tx, &postings)?.map_err(StoreError::internal)?;
    Ok(())
}

fn not_found() -> Refusal {
    Refusal::new(RefusalReason::ResourceUnknown, "there is no such loan")
}
