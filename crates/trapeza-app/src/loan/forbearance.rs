//! Forbearance for a borrower who cannot pay as agreed: a pause at the borrower's request, and a longer plan that a person decides.

use super::admin::lock_loan;
use super::customer::is_of;
use super::review::{self, ReviewRequest};
use super::servicing::update_and_reschedule;
use crate::{App, UseCaseError, audit};
use trapeza_domain::audit_event::Actor;
use trapeza_domain::field::Field;
use trapeza_domain::id::{LoanId, LoanReviewId, PsuId};
use trapeza_domain::loan::{Loan, LoanReview, ReviewKind, ReviewStatus};
use trapeza_domain::refusal::{Refusal, RefusalReason};
use trapeza_domain::time::{Date, Timestamp};
use trapeza_store::Tx;
use trapeza_texts::Language;

impl App {
    /// Pauses a customer's loan.
    pub async fn customer_loan_pause(&self, psu: PsuId, id: &str) -> Result<(), UseCaseError> {
        let id = LoanId::parse(id).ok_or_else(not_found)?;
        let now = self.now();
        let today = self.clock.zone().day(now);
        self.store
            .write(move |tx| {
                let loan = own(tx, id, psu)?;
                pause(tx, loan, Actor::Psu(psu), (now, today))
            })
            .await
    }

    /// Asks for a longer plan of a customer's loan.
    pub async fn customer_loan_extension(
        &self,
        psu: PsuId,
        id: &str,
        language: Language,
        stated: ReviewRequest,
    ) -> Result<(), UseCaseError> {
        let id = LoanId::parse(id).ok_or_else(not_found)?;
        let (now, review) = (self.now(), LoanReviewId::new(self.entropy.uuid()));
        self.store
            .write(move |tx| {
                let loan = own(tx, id, psu)?;
                ask_for_extension(tx, &loan, review, &stated, (language, Actor::Psu(psu), now))
            })
            .await
    }
}

/// A customer's loan, locked.
fn own(tx: &mut Tx<'_>, id: LoanId, psu: PsuId) -> Result<Loan, UseCaseError> {
    let found = tx.loan_by_id(id)?.ok_or_else(not_found)?;
    if !is_of(tx, &found, psu)? {
        return Err(not_found().into());
    }
    lock_loan(tx, id)
}

/// Pauses a locked loan.
pub(super) fn pause(
    tx: &mut Tx<'_>,
    loan: Loan,
    actor: Actor,
    (now, today): (Timestamp, Date),
) -> Result<(), UseCaseError> {
    let mut installments = tx.loan_installment_list(loan.id)?;
    let (paused, event) = loan.pause(&mut installments, today, now)?;
    for one in &installments {
        tx.loan_installment_update(paused.id, one)?;
    }
    audit::record(tx, now, actor, &event)?;
    update_and_reschedule(tx, paused, &installments, now, today)
}

/// Asks a person for a longer plan of a locked loan. Until the decision nothing is collected.
pub(super) fn ask_for_extension(
    tx: &mut Tx<'_>,
    loan: &Loan,
    id: LoanReviewId,
    stated: &ReviewRequest,
    (language, actor, now): (Language, Actor, Timestamp),
) -> Result<(), UseCaseError> {
    let installments = tx.loan_installment_list(loan.id)?;
    let borrower = loan
        .borrower()
        .filter(|_| loan.is_extensible(&installments))
        .ok_or_else(|| Refusal::new(RefusalReason::StatusInvalid, "this loan cannot have a longer plan"))?;
    let review = LoanReview {
        id,
        loan: loan.id,
        kind: ReviewKind::Extension,
        shopper: borrower.shopper,
        psu: borrower.psu,
        statement: stated.statement.clone(),
        income: stated.income,
        status: ReviewStatus::Open,
        requested_at: now,
        decided_at: None,
        explanation: None,
        valid_until: None,
        used_by: None,
    };
    review::request(tx, &review, language, actor)
}

/// Gives a loan the longer plan that a person granted.
pub(super) fn extend(
    tx: &mut Tx<'_>,
    id: LoanId,
    actor: Actor,
    (now, today): (Timestamp, Date),
) -> Result<(), UseCaseError> {
    let loan = lock_loan(tx, id)?;
    let mut installments = tx.loan_installment_list(id)?;
    let known = installments.len();
    let (extended, event) = loan.extend(&mut installments, today, now)?;
    for (index, one) in installments.iter().enumerate() {
        match index < known {
            true => tx.loan_installment_update(id, one)?,
            false => tx.loan_installment_insert(id, one)?,
        }
    }
    audit::record(tx, now, actor, &event)?;
    update_and_reschedule(tx, extended, &installments, now, today)
}

fn not_found() -> Refusal {
    Refusal::at(RefusalReason::ResourceUnknown, Field::LoanId, "unknown loan")
}
