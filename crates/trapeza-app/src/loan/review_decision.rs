//! What the staff decide about reviews. The customer reads the decision in a message.

use super::forbearance;
use super::review::not_found;
use crate::credential::CredentialContext;
use crate::notification::{self, MessageContent, NewMessage};
use crate::{Required, StoreError, UseCaseError, audit};
use trapeza_domain::audit_event::Actor;
use trapeza_domain::id::LoanReviewId;
use trapeza_domain::loan::{LoanReview, ReviewKind, ReviewStatus};
use trapeza_domain::refusal::{Refusal, RefusalReason};
use trapeza_domain::time::Date;
use trapeza_store::Tx;
use trapeza_texts::{Language, message};

/// How a person decides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ReviewDecision {
    Grant,
    Reject,
}

/// Decides an open review, for this actor, and informs the customer.
pub(crate) fn decide(
    tx: &mut Tx<'_>,
    id: LoanReviewId,
    (decision, explanation): (ReviewDecision, &str),
    actor: Actor,
    (context, today): (&CredentialContext, Date),
) -> Result<LoanReview, UseCaseError> {
    let open = tx.loan_review_lock(id)?.ok_or_else(not_found)?;
    let (review, event) = match decision {
        ReviewDecision::Grant => open.grant(explanation.to_owned(), today, context.now)?,
        ReviewDecision::Reject => open.reject(explanation.to_owned(), context.now)?,
    };
    tx.loan_review_update(&review)?;
    audit::record(tx, context.now, actor, &event)?;
    if review.kind == ReviewKind::Extension {
        match decision {
            ReviewDecision::Grant => forbearance::extend(tx, review.loan, actor, (context.now, today))?,
            // Collection goes on with the next sweep.
            ReviewDecision::Reject => tx.loan_next_date_set(review.loan, Some(today))?,
        }
    }
    inform(tx, &review, context)?;
    Ok(review)
}

/// The state of a review that can be decided, for an approval by a second person.
pub(crate) fn decision_approved_state(tx: &mut Tx<'_>, id: LoanReviewId) -> Result<String, UseCaseError> {
    let review = tx.loan_review_lock(id)?.ok_or_else(not_found)?;
    if review.status != ReviewStatus::Open {
        let text = format!("the review is already {}", review.status.name());
        return Err(Refusal::new(RefusalReason::StatusInvalid, text).into());
    }
    Ok(format!("{review:?}"))
}

fn inform(tx: &mut Tx<'_>, review: &LoanReview, context: &CredentialContext) -> Result<(), StoreError> {
    let language = Language::from_tag(&tx.loan_review_language(review.id)?).unwrap_or_default();
    let phone = tx.shopper_find(review.shopper)?.required("shopper")?.phone;
    let amount = tx.loan_by_id(review.loan)?.required("loan")?.amount;
    let outcome = message::ReviewOutcome {
        kind: review.kind,
        amount,
        valid_until: review.valid_until,
        is_granted: review.status == ReviewStatus::Granted,
        explanation: review.explanation.as_deref().unwrap_or_default(),
    };
    let text = message::loan_review(language, &context.bank_name, &outcome);
    let new = NewMessage { recipient: phone.as_str(), content: MessageContent::Information, text: &text };
    notification::enqueue(tx, context, &new)
}
