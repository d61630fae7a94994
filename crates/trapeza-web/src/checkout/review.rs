//! The review of a declined purchase by a person, on the last page of the checkout.

use crate::page_request::PageRequest;
use trapeza_app::checkout::{CheckoutView, ReviewAccess};
use trapeza_domain::loan::{LoanReview, ReviewStatus};
use trapeza_domain::time::Date;
use trapeza_texts::page::{PageTexts, fill};

/// What the last page says about the decision and its review.
pub(super) fn state(request: &PageRequest, view: &CheckoutView) -> Option<String> {
    let texts = request.texts;
    match &view.review {
        ReviewAccess::NotPossible => None,
        ReviewAccess::Possible => Some(texts.review.automated.to_owned()),
        ReviewAccess::Requested(review) => {
            let requested = request.state.app.clock().zone().day(review.requested_at);
            Some(decided(texts, view, review, requested))
        }
    }
}

fn decided(texts: &PageTexts, view: &CheckoutView, review: &LoanReview, requested: Date) -> String {
    let review_texts = texts.review;
    let explanation = review.explanation.as_deref().unwrap_or_default();
    match review.status {
        ReviewStatus::Open => fill(review_texts.requested, &texts.day(requested)),
        ReviewStatus::Granted | ReviewStatus::Used => {
            let until = review.valid_until.map(|day| texts.day(day)).unwrap_or_default();
            let amount = texts.money(view.basket.order.value);
            format!("{} {explanation}", fill(&fill(review_texts.granted, &amount), &until))
        }
        ReviewStatus::Rejected => format!("{} {explanation}", review_texts.rejected),
    }
}
