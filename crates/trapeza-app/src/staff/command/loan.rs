//! Actions on loans: write-off, payout of a refund, reviews.

use super::parameter_reader::ParameterReader;
use super::{ActionContext, ActionOutcome};
use crate::loan::ReviewDecision;
use crate::{UseCaseError, loan};
use trapeza_domain::field::Field;
use trapeza_domain::id::{LoanId, LoanReviewId};
use trapeza_domain::loan::review_text;
use trapeza_domain::payment::PayeeAccount;
use trapeza_domain::reference::{Bic, Iban};
use trapeza_domain::staff::StaffAction;
use trapeza_store::Tx;

#[derive(Clone, Debug)]
pub(super) enum LoanCommand {
    WriteOff(LoanId),
    RefundPayout(LoanId, PayeeAccount),
    Review(LoanReviewId, ReviewDecision, String),
}

impl LoanCommand {
    pub(super) fn parse(action: StaffAction, reader: &mut ParameterReader<'_>) -> Option<Self> {
        match action {
            StaffAction::LoanWriteOff => reader.id("loan", Field::LoanId, LoanId::parse).map(Self::WriteOff),
            StaffAction::RefundPayout => {
                let loan = reader.id("loan", Field::LoanId, LoanId::parse);
                let name = reader.required("name", Field::Name);
                let iban = reader.parsed("iban", Field::Iban, Iban::parse);
                let agent = reader.optional("bic", Field::CreditorAgent, Bic::parse);
                Some(Self::RefundPayout(loan?, PayeeAccount { iban: iban?, name: name?.to_owned(), agent }))
            }
            StaffAction::LoanReviewGrant | StaffAction::LoanReviewReject => {
                let decision = match action {
                    StaffAction::LoanReviewGrant => ReviewDecision::Grant,
                    _ => ReviewDecision::Reject,
                };
                let review = reader.id("review", Field::ReviewId, LoanReviewId::parse);
                let explanation = reader.parsed("explanation", Field::Explanation, review_text);
                Some(Self::Review(review?, decision, explanation?))
            }
            _ => None,
        }
    }

    pub(super) fn approved_state(
        &self,
        tx: &mut Tx<'_>,
        context: &ActionContext,
    ) -> Result<String, UseCaseError> {
        match self {
            Self::WriteOff(id) => loan::write_off_approved_state(tx, *id, context.now),
            Self::RefundPayout(id, payee) => {
                loan::refund_payout_check(payee, context.collection)?;
                loan::refund_payout_approved_state(tx, *id)
            }
            Self::Review(id, ..) => loan::review_approved_state(tx, *id),
        }
    }

    pub(super) fn run(
        &self,
        tx: &mut Tx<'_>,
        context: &ActionContext,
    ) -> Result<ActionOutcome, UseCaseError> {
        let text = match self {
            Self::WriteOff(id) => {
                let closing = loan::write_off(tx, *id, (context.actor, context.now, context.today))?;
                format!("wrote off loan {id}, principal {} minor units", closing.principal_minor)
            }
            Self::RefundPayout(id, payee) => {
                let payment = loan::refund_payout(tx, *id, payee, &context.payout())?;
                format!("payment {} to the borrower of loan {id}", payment.id)
            }
            Self::Review(id, decision, explanation) => {
                let at = (&context.credential, context.today);
                let review = loan::decide_review(tx, *id, (*decision, explanation), context.actor, at)?;
                format!("review {id} is {}", review.status.name())
            }
        };
        Ok(ActionOutcome::of(text))
    }
}
