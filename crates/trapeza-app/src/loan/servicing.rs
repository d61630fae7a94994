//! Loan servicing by the sweep: interest accrues on due dates, installments are collected, arrears are marked and
//! cleared. The schedule of attempts is the domain's.

use super::notice::{NoticeContext, offer_forbearance, remind};
use crate::credential::CredentialContext;
use crate::ledger::{self, Posting, PostingDetail};
use crate::sweep::sweep_until_done;
use crate::{App, StoreError, UseCaseError, audit};
use std::sync::Arc;
use trapeza_domain::account::{Account, AccountStatus};
use trapeza_domain::audit_event::{Actor, AuditEvent};
use trapeza_domain::ledger::LedgerAccountKind;
use trapeza_domain::ledger::posting::{Amounts, LedgerEvent, Parties};
use trapeza_domain::loan::{InstallmentState, Loan, LoanState, RepaymentStatus};
use trapeza_domain::money::Money;
use trapeza_domain::time::{Date, Timestamp};
use trapeza_domain::transaction::{Party, TransactionDetail, TransactionFields};
use trapeza_store::{LOAN_SWEEP_ROWS, Tx};
use trapeza_texts::statement::BookingText;

impl App {
    /// Services the loans that are due by the bank's day, in small jobs.
    pub(crate) async fn sweep_loans(&self, now: Timestamp) -> Result<usize, UseCaseError> {
        let today = self.clock.zone().day(now);
        sweep_until_done(LOAN_SWEEP_ROWS, async || {
            // Usually no loan is due, and then nothing is written.
            if !self.store.read(move |tx| Ok(tx.loan_is_due(today)?)).await? {
                return Ok(0);
            }
            let profile = Arc::new(self.bank_profile().clone());
            let context = |_| NoticeContext {
                credential: CredentialContext { now, ..self.credential_context() },
                profile: profile.clone(),
                today,
            };
            // A loan may cause a reminder and an offer.
            let contexts: Vec<[NoticeContext; 2]> =
                (0..LOAN_SWEEP_ROWS).map(|row| [row, row].map(context)).collect();
            let job = self.store.write_background(move |tx| {
                let due = tx.loan_due(today)?;
                let found = due.len();
                for (loan, notices) in due.into_iter().zip(&contexts) {
                    process_due(tx, loan, notices)?;
                }
                Ok(found)
            });
            job.await
        })
        .await
    }
}

/// Processes everything that is due of one locked loan. While a review is open nothing is collected, and the loan does not become
/// overdue.
fn process_due(tx: &mut Tx<'_>, mut loan: Loan, notices: &[NoticeContext; 2]) -> Result<(), UseCaseError> {
    let [reminder, offer] = notices;
    let (now, today) = (reminder.credential.now, reminder.today);
    let is_under_review = tx.loan_review_is_open(loan.id)?;
    let payer = payer(tx, &loan)?;
    // After a withdrawal the customer pays back by transfer, or from the account in the app.
    let collected_from = payer.as_ref().filter(|_| !is_under_review && loan.repay_by().is_none());
    let mut installments = tx.loan_installment_list(loan.id)?;
    for one in installments.iter_mut().filter(|one| one.settled.is_none()) {
        let before = *one;
        if !one.accrued && one.installment.due <= today {
            post_interest(
                tx,
                &loan,
                LedgerEvent::InterestDue,
                one.installment.interest_minor,
                one.installment.due,
                today,
            )?;
            one.accrued = true;
        }
        while let (Some(payer), Some(day), None) = (collected_from, one.collected_on(), one.settled)
            && day <= today
        {
            let collection = Collection {
                event: LedgerEvent::InstallmentCollected,
                payer,
                bank_name: &reminder.profile.name,
                principal_minor: one.open_principal_minor(),
                interest_minor: one.open_interest_minor(),
                text: BookingText::Installment { number: one.number },
                value_day: day,
                booking_day: today,
            };
            if collection.book(tx, &loan)? {
                let (paid, event) = loan.pay(one.open_principal_minor(), now)?;
                // A late run of the sweep is not counted against the customer.
                one.settle(day);
                audit::record(tx, now, Actor::Bank, &event.with("installment", one.number))?;
                loan = paid;
            } else {
                one.attempts += 1;
                let event = AuditEvent::new("loan.collection_failed", "loan", loan.id);
                audit::record(tx, now, Actor::Bank, &event.with("installment", one.number))?;
            }
        }
        if *one != before {
            tx.loan_installment_update(loan.id, one)?;
        }
    }
    loan = remind(tx, loan, reminder)?;
    if is_under_review {
        tx.loan_update(&loan)?;
        // The decision of the review ends the wait.
        return Ok(tx.loan_next_date_set(loan.id, Some(Date(today.0 + 1)))?);
    }
    loan = offer_forbearance(tx, loan, &installments, offer)?;
    loan = update_status(tx, loan, &installments, now, today)?;
    let next = next_date(&loan, &installments, payer.is_some(), today);
    Ok(tx.loan_next_date_set(loan.id, next)?)
}

/// Updates the repayment status of a loan that was changed outside the sweep. The next sweep processes the loan once more and sets
/// its next date: what is due today may not have been processed yet.
pub(super) fn update_and_reschedule(
    tx: &mut Tx<'_>,
    loan: Loan,
    installments: &[InstallmentState],
    now: Timestamp,
    today: Date,
) -> Result<(), UseCaseError> {
    let loan = update_status(tx, loan, installments, now, today)?;
    Ok(tx.loan_next_date_set(loan.id, Some(today).filter(|_| is_serviced(&loan)))?)
}

/// Marks or clears arrears. While a review is open the loan does not become overdue.
fn update_status(
    tx: &mut Tx<'_>,
    mut loan: Loan,
    installments: &[InstallmentState],
    now: Timestamp,
    today: Date,
) -> Result<Loan, UseCaseError> {
    let late = loan.overdue_since(installments, today);
    let is_under_review = late.is_some() && tx.loan_review_is_open(loan.id)?;
    if let LoanState::Granted { repayment, .. } = loan.state {
        let changed = match (repayment, late) {
            (RepaymentStatus::Active, Some(since)) if !is_under_review => {
                Some(loan.clone().mark_overdue(since, now)?)
            }
            (RepaymentStatus::Overdue { since: known }, Some(since)) if known != since => {
                Some(loan.clone().mark_overdue(since, now)?)
            }
            (RepaymentStatus::Overdue { .. }, None) => Some(loan.clone().clear_overdue(now)?),
            _ => None,
        };
        if let Some((changed, event)) = changed {
            audit::record(tx, now, Actor::Bank, &event)?;
            loan = changed;
        }
    }
    tx.loan_update(&loan)?;
    Ok(loan)
}

/// Whether the sweep has something to do for a loan. A simulated loan is never repaid.
fn is_serviced(loan: &Loan) -> bool {
    matches!(&loan.state, LoanState::Granted { repayment, contract, .. }
        if repayment.is_open() && contract.borrower.is_some())
}

/// The next date after today on which the sweep has something to do for a loan.
fn next_date(loan: &Loan, installments: &[InstallmentState], collectable: bool, today: Date) -> Option<Date> {
    let next = match loan.repay_by() {
        Some(last) => Some(Date(last.0 + 1)).filter(|day| *day > today),
        None => {
            let days = installments.iter().filter_map(|one| one.next_day(collectable, today));
            days.chain(loan.reminder_due().filter(|day| *day > today)).min()
        }
    };
    next.filter(|_| is_serviced(loan))
}

/// The linked account that installments are collected from, if there is one.
pub(super) fn payer(tx: &mut Tx<'_>, loan: &Loan) -> Result<Option<Account>, StoreError> {
    let LoanState::Granted { contract, .. } = &loan.state else { return Ok(None) };
    let Some(id) = contract.borrower.and_then(|borrower| borrower.account) else { return Ok(None) };
    tx.account_find(id)
}

/// Posts accrued interest ([`LedgerEvent::InterestDue`]) or waives it ([`LedgerEvent::InterestWaived`]), unless it is zero.
pub(super) fn post_interest(
    tx: &mut Tx<'_>,
    loan: &Loan,
    event: LedgerEvent,
    interest_minor: i64,
    value_day: Date,
    today: Date,
) -> Result<(), StoreError> {
    if interest_minor == 0 {
        return Ok(());
    }
    let posting = Posting {
        event,
        parties: parties(tx, loan, None)?,
        amounts: Amounts::of(Money::new(0, loan.amount.currency)).interest(interest_minor),
        reference: loan.id.to_string(),
        booking_day: today,
        value_day,
        detail: PostingDetail::None,
    };
    ledger::post(tx, &[posting])?.map_err(StoreError::internal)?;
    Ok(())
}

/// An amount to be collected from an account.
pub(super) struct Collection<'a> {
    pub event: LedgerEvent,
    pub payer: &'a Account,
    /// The counterparty on the payer's statement.
    pub bank_name: &'a str,
    pub principal_minor: i64,
    pub interest_minor: i64,
    pub text: BookingText,
    pub value_day: Date,
    pub booking_day: Date,
}

impl Collection<'_> {
    /// Collects principal and interest of a loan. False when that is not possible.
    pub(super) fn book(&self, tx: &mut Tx<'_>, loan: &Loan) -> Result<bool, StoreError> {
        if self.payer.status != AccountStatus::Enabled {
            return Ok(false);
        }
        let debtor = tx.account_owner_names(self.payer.id)?.into_iter().next().unwrap_or_default();
        let detail = TransactionDetail {
            particulars: TransactionFields {
                creditor: Party::new(self.bank_name, None),
                debtor: Party::new(debtor, Some(self.payer.reference())),
                remittance_unstructured: Some(self.text.to_stored()),
                ..TransactionFields::default()
            },
            bank_transaction_code: Some("LDAS-CSLN-PPAY".to_owned()),
            ..TransactionDetail::default()
        };
        let amount = Amounts::of(Money::new(self.principal_minor, loan.amount.currency));
        let posting = Posting {
            event: self.event,
            parties: parties(tx, loan, Some(self.payer))?,
            amounts: amount.interest(self.interest_minor),
            reference: loan.id.to_string(),
            booking_day: self.booking_day,
            value_day: self.value_day,
            detail: PostingDetail::Account(Box::new(detail)),
        };
        // Whatever the reason of the refusal, the debt remains.
        Ok(ledger::post(tx, &[posting])?.is_ok())
    }
}

pub(super) fn parties(tx: &mut Tx<'_>, loan: &Loan, payer: Option<&Account>) -> Result<Parties, StoreError> {
    let currency = loan.amount.currency;
    let open =
        |tx: &mut Tx<'_>, kind| tx.ledger_account_find_or_insert(kind, Some(loan.id.uuid()), currency, 0);
    Ok(Parties {
        payer: payer.map(|payer| payer.ledger),
        loan_principal: Some(open(tx, LedgerAccountKind::LoanPrincipal)?),
        loan_interest: Some(open(tx, LedgerAccountKind::LoanInterest)?),
        ..Parties::default()
    })
}
