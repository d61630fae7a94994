//! Reviews by a person: of a purchase that the credit rules declined, and of a request for a longer plan (Directive (EU) 2023/2225,
//! Art. 18 and 35). A person of the bank's staff decides with the figures of the machine's decision and what the customer states.

use super::{Loan, LoanState};
use crate::audit_event::AuditEvent;
use crate::basket::DeclineReason;
use crate::id::{LoanId, LoanReviewId, PsuId, ShopperId};
use crate::refusal::{Refusal, RefusalReason};
use crate::string_enum::string_enum;
use crate::text::is_control_or_bidi;
use crate::time::{Date, Timestamp};

/// How long an approval after a review can be used for a purchase.
const APPROVAL_DAYS: i32 = 30;
/// Maximum number of characters of a statement or an explanation.
pub const MAX_TEXT_CHARS: usize = 500;

string_enum! {
    pub enum ReviewKind {
        /// A purchase that was declined.
        Decision = "decision",
        /// A longer plan for a loan that the borrower cannot pay as agreed.
        Extension = "extension",
    }

    pub enum ReviewStatus {
        Open = "open",
        Granted = "granted",
        Rejected = "rejected",
        /// A loan was granted by it.
        Used = "used",
    }

    pub enum IncomeSource {
        Employment = "employment",
        SelfEmployment = "self_employment",
        Pension = "pension",
        Benefits = "benefits",
        Other = "other",
    }
}

/// What the customer declares to earn and to spend in a month, in minor units.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DeclaredIncome {
    pub income_minor: i64,
    pub expenses_minor: i64,
    pub source: IncomeSource,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoanReview {
    pub id: LoanReviewId,
    pub loan: LoanId,
    pub kind: ReviewKind,
    pub shopper: ShopperId,
    pub psu: Option<PsuId>,
    /// What the customer states.
    pub statement: String,
    pub income: Option<DeclaredIncome>,
    pub status: ReviewStatus,
    pub requested_at: Timestamp,
    pub decided_at: Option<Timestamp>,
    /// The decision in words, for the customer.
    pub explanation: Option<String>,
    /// The last day on which a purchase can be made with the approval.
    pub valid_until: Option<Date>,
    /// The loan that was granted by it.
    pub used_by: Option<LoanId>,
}

/// The changed review and its audit event.
pub type ReviewTransition = (LoanReview, AuditEvent);

impl DeclineReason {
    /// Whether a person may decide otherwise: the reason is about the shopper, and not about the basket.
    pub const fn is_reviewable(self) -> bool {
        matches!(self, Self::LateHistory | Self::Exposure | Self::Velocity | Self::Affordability)
    }
}

impl Loan {
    /// Refuses a review of a decision that is not about the shopper.
    pub fn check_reviewable(&self) -> Result<(), Refusal> {
        match self.state {
            LoanState::Rejected { reason } if reason.is_reviewable() => Ok(()),
            _ => Err(Refusal::new(RefusalReason::StatusInvalid, "this decision cannot be reviewed")),
        }
    }
}

impl LoanReview {
    pub fn request_event(&self) -> AuditEvent {
        let event =
            self.event("loan_review.requested").with("loan", self.loan).with("kind", self.kind.name());
        match self.income {
            Some(income) => event
                .with("income_minor", income.income_minor)
                .with("expenses_minor", income.expenses_minor)
                .with("source", income.source.name()),
            None => event,
        }
    }

    /// A person decides in favour of the customer.
    pub fn grant(
        self,
        explanation: String,
        today: Date,
        now: Timestamp,
    ) -> Result<ReviewTransition, Refusal> {
        let valid_until = match self.kind {
            ReviewKind::Decision => Some(Date(today.0 + APPROVAL_DAYS)),
            ReviewKind::Extension => None,
        };
        self.decide(ReviewStatus::Granted, valid_until, explanation, now, "loan_review.granted")
    }

    /// A person confirms the decision.
    pub fn reject(self, explanation: String, now: Timestamp) -> Result<ReviewTransition, Refusal> {
        self.decide(ReviewStatus::Rejected, None, explanation, now, "loan_review.rejected")
    }

    /// A loan is granted by the approval.
    pub fn use_for(self, loan: LoanId) -> Result<ReviewTransition, Refusal> {
        if self.status != ReviewStatus::Granted {
            return Err(self.out_of_state());
        }
        let review = Self { status: ReviewStatus::Used, used_by: Some(loan), ..self };
        let event = review.event("loan_review.used").with("loan", loan);
        Ok((review, event))
    }

    fn decide(
        self,
        status: ReviewStatus,
        valid_until: Option<Date>,
        explanation: String,
        now: Timestamp,
        action: &'static str,
    ) -> Result<ReviewTransition, Refusal> {
        if self.status != ReviewStatus::Open {
            return Err(self.out_of_state());
        }
        let (decided_at, explanation) = (Some(now), Some(explanation));
        let review = Self { status, valid_until, decided_at, explanation, ..self };
        let event = review.event(action).with("loan", review.loan).with("kind", review.kind.name());
        Ok((review, event))
    }

    fn out_of_state(&self) -> Refusal {
        Refusal::new(RefusalReason::StatusInvalid, format!("the review is already {}", self.status.name()))
    }

    fn event(&self, action: &'static str) -> AuditEvent {
        AuditEvent::new(action, "loan_review", self.id)
    }
}

/// Checks what a customer or a member of the staff wrote. Line breaks become spaces.
pub fn review_text(typed: &str) -> Result<String, String> {
    let text = typed.split_whitespace().collect::<Vec<_>>().join(" ");
    let count = text.chars().count();
    if count == 0 || count > MAX_TEXT_CHARS || text.chars().any(is_control_or_bidi) {
        return Err(format!("must be 1–{MAX_TEXT_CHARS} characters without control characters"));
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::basket::BasketId;
    use crate::id::{ApplicationId, MerchantId};
    use crate::loan::NewLoan;
    use crate::money::{Currency, Money};
    use uuid::Uuid;

    fn review(status: ReviewStatus) -> LoanReview {
        LoanReview {
            id: LoanReviewId::new(Uuid::nil()),
            loan: LoanId::new(Uuid::nil()),
            kind: ReviewKind::Decision,
            shopper: ShopperId::new(Uuid::nil()),
            psu: None,
            statement: "I have a new job.".to_owned(),
            income: None,
            status,
            requested_at: Timestamp(0),
            decided_at: None,
            explanation: None,
            valid_until: None,
            used_by: None,
        }
    }

    #[test]
    fn review_is_decided_once_and_used_once() {
        let (now, loan) = (Timestamp(1), LoanId::new(Uuid::nil()));
        let granted = review(ReviewStatus::Open).grant("Enough income.".to_owned(), Date(10), now).unwrap().0;
        assert_eq!((granted.status, granted.valid_until), (ReviewStatus::Granted, Some(Date(40))));
        assert!(granted.clone().grant(String::new(), Date(10), now).is_err());
        assert!(granted.clone().reject(String::new(), now).is_err());
        let used = granted.use_for(loan).unwrap().0;
        assert_eq!((used.status, used.used_by), (ReviewStatus::Used, Some(loan)));
        assert!(used.use_for(loan).is_err());
        let rejected = review(ReviewStatus::Open).reject("No.".to_owned(), now).unwrap().0;
        assert_eq!((rejected.status, rejected.valid_until), (ReviewStatus::Rejected, None));
        assert!(rejected.use_for(loan).is_err());
    }

    #[test]
    fn review_text_is_one_line_of_limited_length() {
        assert_eq!(review_text("  a\r\n b ").as_deref(), Ok("a b"));
        assert!(review_text(" ").is_err() && review_text("a\u{202e}b").is_err());
        assert!(review_text(&"α".repeat(500)).is_ok() && review_text(&"α".repeat(501)).is_err());
    }

    #[test]
    fn only_decisions_about_the_shopper_are_reviewable() {
        let (loan, _) = Loan::request(NewLoan {
            id: LoanId::new(Uuid::nil()),
            basket: BasketId::new(1),
            application: ApplicationId::new(Uuid::nil()),
            merchant: MerchantId::new(Uuid::nil()),
            amount: Money::new(100, Currency::EUR),
            now: Timestamp(0),
        });
        assert!(loan.check_reviewable().is_err(), "it is not decided");
        for reason in DeclineReason::ALL {
            let (rejected, _) = loan.clone().reject(*reason, Timestamp(5)).unwrap();
            assert_eq!((rejected.decided_at, rejected.last_action), (Some(Timestamp(5)), Timestamp(5)));
            assert_eq!(rejected.check_reviewable().is_ok(), reason.is_reviewable(), "{reason:?}");
        }
        assert!(DeclineReason::Exposure.is_reviewable());
        assert!(DeclineReason::ALL.iter().any(|reason| !reason.is_reviewable()));
    }

    #[test]
    fn decision_has_its_time_and_its_words() {
        let open = review(ReviewStatus::Open);
        let (granted, event) =
            open.clone().grant("Enough income.".to_owned(), Date(10), Timestamp(7)).unwrap();
        let expected = LoanReview {
            status: ReviewStatus::Granted,
            decided_at: Some(Timestamp(7)),
            explanation: Some("Enough income.".to_owned()),
            valid_until: Some(Date(10 + APPROVAL_DAYS)),
            ..open.clone()
        };
        assert_eq!((granted, event.action), (expected, "loan_review.granted"));
        let (rejected, event) = open.clone().reject("Too many loans.".to_owned(), Timestamp(8)).unwrap();
        let expected = LoanReview {
            status: ReviewStatus::Rejected,
            decided_at: Some(Timestamp(8)),
            explanation: Some("Too many loans.".to_owned()),
            ..open
        };
        assert_eq!((rejected, event.action), (expected, "loan_review.rejected"));
    }
}
