//! A review of a declined purchase by a person. The browser of the checkout asks for it; the basket stays declined, and an approval
//! is for the shopper's next purchase.

use super::{CheckoutContext, other_browser};
use crate::loan::{self, ReviewRequest};
use crate::{App, Required, StoreError, UseCaseError, basket};
use trapeza_domain::audit_event::Actor;
use trapeza_domain::basket::Basket;
use trapeza_domain::id::LoanReviewId;
use trapeza_domain::loan::{LoanReview, ReviewKind, ReviewStatus};
use trapeza_store::{CheckoutRecord, Tx};
use trapeza_texts::Language;

/// Whether the shopper can ask for a review.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ReviewAccess {
    NotPossible,
    Possible,
    Requested(Box<LoanReview>),
}

impl App {
    /// Asks for a review of a declined purchase, in the browser of its checkout.
    pub async fn checkout_review(
        &self,
        public: &str,
        session: &str,
        language: Language,
        stated: ReviewRequest,
    ) -> Result<(), UseCaseError> {
        let context = self.checkout_context(public, session)?;
        let id = LoanReviewId::new(self.entropy.uuid());
        self.store
            .write(move |tx| {
                let basket = tx.basket_by_public_id_lock(context.public)?.ok_or_else(basket::not_found)?;
                let record = tx.checkout_find(basket.id)?.filter(|record| context.is_own(record));
                let record = record.ok_or_else(other_browser)?;
                let (Some(shopper), Some(rejected)) = (record.shopper, basket.state.loan()) else {
                    return Err(other_browser().into());
                };
                tx.loan_find(basket.merchant, rejected)?.required("loan")?.check_reviewable()?;
                let review = LoanReview {
                    id,
                    loan: rejected,
                    kind: ReviewKind::Decision,
                    shopper,
                    psu: record.psu,
                    statement: stated.statement.clone(),
                    income: stated.income,
                    status: ReviewStatus::Open,
                    requested_at: context.decision.now,
                    decided_at: None,
                    explanation: None,
                    valid_until: None,
                    used_by: None,
                };
                let actor = record.psu.map_or(Actor::Bank, Actor::Psu);
                loan::request_review(tx, &review, language, actor)
            })
            .await
    }
}

impl CheckoutContext {
    pub(super) fn review_access(
        &self,
        tx: &mut Tx<'_>,
        basket: &Basket,
        record: Option<&CheckoutRecord>,
    ) -> Result<ReviewAccess, StoreError> {
        let is_verified = record.is_some_and(|record| record.shopper.is_some());
        let Some(rejected) = basket.state.loan().filter(|_| is_verified && basket.state.is_final()) else {
            return Ok(ReviewAccess::NotPossible);
        };
        let loan = tx.loan_find(basket.merchant, rejected)?.required("loan")?;
        if loan.check_reviewable().is_err() {
            return Ok(ReviewAccess::NotPossible);
        }
        let requested = tx.loan_review_list(rejected)?.into_iter().next();
        Ok(requested.map_or(ReviewAccess::Possible, |review| ReviewAccess::Requested(Box::new(review))))
    }
}
