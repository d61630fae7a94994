//! Reviews by a person: what customers ask for. The staff decide in `review_decision`.

use crate::basket::DecisionContext;
use crate::{UseCaseError, audit};
use trapeza_domain::audit_event::Actor;
use trapeza_domain::id::{LoanId, LoanReviewId};
use trapeza_domain::loan::{DeclaredIncome, LoanReview};
use trapeza_domain::money::{Currency, Money};
use trapeza_domain::refusal::{Refusal, RefusalReason};
use trapeza_store::Tx;
use trapeza_texts::Language;

/// What a customer states when asking for a review.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReviewRequest {
    pub statement: String,
    pub income: Option<DeclaredIncome>,
}

/// Stores a request for a review, once for each loan and kind.
pub(crate) fn request(
    tx: &mut Tx<'_>,
    review: &LoanReview,
    language: Language,
    actor: Actor,
) -> Result<(), UseCaseError> {
    if !tx.loan_review_insert(review, language.tag())? {
        let text = "a review was requested already";
        return Err(Refusal::new(RefusalReason::StatusInvalid, text).into());
    }
    Ok(audit::record(tx, review.requested_at, actor, &review.request_event())?)
}

/// Uses an approval for a loan that is granted now.
pub(crate) fn use_approval(
    tx: &mut Tx<'_>,
    id: LoanReviewId,
    loan: LoanId,
    context: &DecisionContext,
) -> Result<(), UseCaseError> {
    let review = tx.loan_review_lock(id)?.ok_or_else(not_found)?;
    let (used, event) = review.use_for(loan)?;
    tx.loan_review_update(&used)?;
    Ok(audit::record(tx, context.now, context.actor, &event)?)
}

/// A declared income in words, for the staff.
pub(crate) fn declared_income(income: DeclaredIncome, currency: Currency) -> String {
    let money = |minor| Money::new(minor, currency);
    format!(
        "{} a month by {}, expenses {}",
        money(income.income_minor),
        income.source.name(),
        money(income.expenses_minor)
    )
}

pub(super) fn not_found() -> Refusal {
    Refusal::new(RefusalReason::ResourceUnknown, "unknown review")
}
