//! Actions on clearing: transfers on the suspense account, problems of files.

use super::parameter_reader::{ParameterReader, short_text};
use super::{ActionContext, ActionOutcome};
use crate::UseCaseError;
use crate::clearing::problem_acknowledge;
use crate::clearing::suspense::{self, SuspenseContext, SuspenseTarget};
use trapeza_domain::clearing::ReasonCode;
use trapeza_domain::field::Field;
use trapeza_domain::id::{ClearingId, LoanId};
use trapeza_domain::reference::Iban;
use trapeza_domain::staff::StaffAction;
use trapeza_store::Tx;

#[derive(Clone, Debug)]
pub(super) enum ClearingCommand {
    Return(ClearingId, Option<ReasonCode>),
    Assign(ClearingId, SuspenseTarget),
    Acknowledge { problem: i64, note: String },
}

impl ClearingCommand {
    pub(super) fn parse(action: StaffAction, reader: &mut ParameterReader<'_>) -> Option<Self> {
        if action == StaffAction::ClearingAcknowledge {
            let problem = reader.parsed("problem", Field::ProblemId, |text| {
                text.parse().map_err(|_| "must be the number of a problem")
            });
            let note = reader.parsed("note", Field::Note, short_text);
            return Some(Self::Acknowledge { problem: problem?, note: note? });
        }
        let id = reader.id("transfer", Field::IncomingTransferId, ClearingId::parse);
        match action {
            StaffAction::ClearingReturn => {
                let code = reader.optional("reason_code", Field::ReasonCode, |text| {
                    let wrong = "must be an ISO 20022 return reason of four characters, for example AC01";
                    ReasonCode::parse(text).ok_or(wrong)
                });
                Some(Self::Return(id?, code))
            }
            StaffAction::ClearingMatch => {
                let iban = reader.optional("iban", Field::Iban, Iban::parse);
                let loan =
                    reader.optional("loan", Field::LoanId, |text| LoanId::parse(text).ok_or("must be an id"));
                let target = match (reader.text("iban"), reader.text("loan")) {
                    (None, None) => {
                        reader.wrong(Field::Iban, "is required");
                        None
                    }
                    (Some(_), Some(_)) => {
                        reader.wrong(Field::LoanId, "must not be given together with iban");
                        None
                    }
                    (Some(_), None) => iban.map(SuspenseTarget::Account),
                    (None, Some(_)) => loan.map(SuspenseTarget::Loan),
                };
                Some(Self::Assign(id?, target?))
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
            Self::Return(id, _) => suspense::return_approved_state(tx, *id),
            Self::Assign(id, target) => suspense::assign_approved_state(tx, *id, *target, context.today),
            Self::Acknowledge { problem, .. } => Ok(problem.to_string()),
        }
    }

    pub(super) fn run(
        &self,
        tx: &mut Tx<'_>,
        context: &ActionContext,
    ) -> Result<ActionOutcome, UseCaseError> {
        let &ActionContext { actor, now, today, .. } = context;
        let deciding = SuspenseContext { actor, now, today };
        let text = match self {
            Self::Return(id, code) => {
                let amount = suspense::return_transfer(tx, *id, *code, deciding)?;
                format!("returns {amount} of transfer {id}")
            }
            Self::Assign(id, target) => {
                let amount = suspense::assign(tx, *id, *target, deciding)?;
                let to = match target {
                    SuspenseTarget::Account(iban) => format!("account {}", iban.masked()),
                    SuspenseTarget::Loan(loan) => format!("loan {loan}"),
                };
                format!("assigned {amount} of transfer {id} to {to}")
            }
            Self::Acknowledge { problem, note } => {
                problem_acknowledge(tx, *problem, note, (actor, now))?;
                format!("acknowledged problem {problem}")
            }
        };
        Ok(ActionOutcome::of(text))
    }
}
