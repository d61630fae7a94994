//! Reviews that customers asked for.

use super::{ListContext, WorkItem};
use crate::format_timestamp;
use crate::loan::declared_income;
use crate::object_view::AvailableAction;
use trapeza_domain::loan::{Loan, LoanReview, LoanState, ReviewKind};
use trapeza_domain::search::SearchKind;
use trapeza_domain::staff::StaffAction;
use trapeza_store::{Required, StoreError, Tx};

pub(super) fn loan_reviews(tx: &mut Tx<'_>, context: &ListContext) -> Result<Vec<WorkItem>, StoreError> {
    let mut rows = Vec::new();
    for review in tx.loan_review_open_list(context.limit)? {
        let loan = tx.loan_by_id(review.loan)?.required("loan")?;
        let customer = tx.work_borrower(review.psu, review.shopper)?;
        let income = review.income.map(|income| declared_income(income, loan.amount.currency));
        let cells = vec![
            format_timestamp(review.requested_at),
            customer.map(|hit| hit.label).unwrap_or_default(),
            loan.amount.to_string(),
            subject(&review, &loan),
            review.statement.clone(),
            income.unwrap_or_default(),
        ];
        let id = review.id.to_string();
        let action = |action| AvailableAction::new(&context.person, action, [("review", id.clone())]);
        let row = WorkItem::new(Some((SearchKind::Loan, review.loan.to_string())), cells);
        rows.push(row.with(action(StaffAction::LoanReviewGrant)).with(action(StaffAction::LoanReviewReject)));
    }
    Ok(rows)
}

/// What is to be decided.
fn subject(review: &LoanReview, loan: &Loan) -> String {
    match (review.kind, &loan.state) {
        (ReviewKind::Decision, LoanState::Rejected { reason }) => format!("declined: {}", reason.name()),
        (ReviewKind::Decision, _) => "declined".to_owned(),
        (ReviewKind::Extension, _) => "longer plan".to_owned(),
    }
}
