//! The actions whose use cases exist: their parameters, the state that an approval compares, and their execution. One module per
//! kind of object.

mod application;
mod clearing;
mod customer;
mod ledger;
mod loan;
mod member;
mod merchant;
mod parameter_reader;

use self::application::ApplicationCommand;
use self::clearing::ClearingCommand;
use self::customer::CustomerCommand;
use self::ledger::LedgerCommand;
use self::loan::LoanCommand;
use self::member::MemberCommand;
use self::merchant::MerchantCommand;
use self::parameter_reader::ParameterReader;
use super::context::{ActionContext, ActionOutcome, ActionParameters};
use crate::UseCaseError;
use trapeza_domain::id::StaffId;
use trapeza_domain::refusal::{Refusal, RefusalReason};
use trapeza_domain::staff::{SecondPerson, StaffAction, StaffRole, StaffStatus};
use trapeza_store::{StoreError, Tx};

/// An action with its parameters.
#[derive(Clone, Debug)]
pub(super) struct StaffCommand {
    action: StaffAction,
    parameters: CommandParameters,
}

#[derive(Clone, Debug)]
enum CommandParameters {
    Customer(CustomerCommand),
    Application(ApplicationCommand),
    Clearing(ClearingCommand),
    Ledger(LedgerCommand),
    Loan(LoanCommand),
    Merchant(MerchantCommand),
    Member(MemberCommand),
}

/// The names of an action's parameters. `None` for the view of the console, which runs nothing.
pub const fn parameter_names(action: StaffAction) -> Option<&'static [&'static str]> {
    Some(match action {
        StaffAction::PersonalDataView => &["object", "id"],
        StaffAction::PsuUnblock => &["login"],
        StaffAction::PhoneUnblock => &["phone"],
        StaffAction::ApplicationDisable | StaffAction::ApplicationEnable => &["application"],
        StaffAction::CallbackReplay => &["callback"],
        StaffAction::ClearingReturn => &["transfer", "reason_code"],
        StaffAction::ClearingMatch => &["transfer", "iban", "loan"],
        StaffAction::ClearingAcknowledge => &["problem", "note"],
        StaffAction::LoanWriteOff => &["loan"],
        StaffAction::LoanReviewGrant | StaffAction::LoanReviewReject => &["review", "explanation"],
        StaffAction::RefundPayout => &["loan", "iban", "name", "bic"],
        StaffAction::MerchantSettlementAccount => &["code", "iban", "name", "bic"],
        StaffAction::MerchantPayout => &["code", "amount"],
        StaffAction::MerchantTerms => &["code", "minimum", "maximum", "discount_basis_points", "plans"],
        StaffAction::LedgerPostManual => &["posting", "debit", "credit", "amount", "currency", "text"],
        StaffAction::LedgerReverseManual => &["posting", "text"],
        StaffAction::StaffCreate => &["email", "name", "role"],
        StaffAction::StaffConfirm => &["staff", "code"],
        StaffAction::StaffDisable | StaffAction::StaffEnable | StaffAction::StaffReset => &["staff"],
        StaffAction::StaffRoleChange => &["staff", "role"],
        StaffAction::ConsoleView => return None,
    })
}

impl StaffCommand {
    pub(super) fn parse(action: StaffAction, given: &ActionParameters) -> Result<Self, Refusal> {
        let names = parameter_names(action).ok_or_else(|| {
            let text = format!("{} cannot be run", action.name());
            Refusal::new(RefusalReason::Unsupported, text)
        })?;
        if let Some(unknown) = given.names().find(|name| !names.contains(name)) {
            let text = format!("unknown parameter {unknown}; use {}", names.join(", "));
            return Err(Refusal::new(RefusalReason::Malformed, text));
        }
        let mut reader = ParameterReader::new(given);
        let parameters = command_parameters(action, &mut reader);
        reader.finish()?;
        let parameters =
            parameters.ok_or_else(|| Refusal::new(RefusalReason::Malformed, "a parameter is missing"))?;
        Ok(Self { action, parameters })
    }

    /// Whether the action needs a second person now.
    pub(super) fn needs_second_person(
        &self,
        tx: &mut Tx<'_>,
        context: &ActionContext,
        person: StaffId,
    ) -> Result<bool, StoreError> {
        Ok(match self.action.rule().second_person {
            SecondPerson::Never => false,
            SecondPerson::Always => true,
            SecondPerson::AfterUnblocks => match &self.parameters {
                CommandParameters::Customer(command) => command.is_unblocked_often(tx, context)?,
                _ => true,
            },
            // Also with one who is disabled: an administrator disables others alone, and must not be alone then.
            SecondPerson::WithAdministrators => tx.staff_list()?.iter().any(|other| {
                other.id != person
                    && other.role == StaffRole::Administrator
                    && matches!(other.status, StaffStatus::Active | StaffStatus::Disabled)
            }),
        })
    }

    /// The state of the object, which must be the same at the approval. Refused when the action is not possible.
    pub(super) fn approved_state(
        &self,
        tx: &mut Tx<'_>,
        context: &ActionContext,
    ) -> Result<String, UseCaseError> {
        match &self.parameters {
            CommandParameters::Customer(command) => command.approved_state(tx),
            CommandParameters::Application(command) => command.approved_state(tx),
            CommandParameters::Clearing(command) => command.approved_state(tx, context),
            CommandParameters::Ledger(command) => command.approved_state(tx),
            CommandParameters::Loan(command) => command.approved_state(tx, context),
            CommandParameters::Merchant(command) => command.approved_state(tx, context),
            CommandParameters::Member(command) => command.approved_state(tx),
        }
    }

    /// Executes the action and records it for the actor.
    pub(super) fn run(
        &self,
        tx: &mut Tx<'_>,
        context: &ActionContext,
    ) -> Result<ActionOutcome, UseCaseError> {
        match &self.parameters {
            CommandParameters::Customer(command) => command.run(tx, context),
            CommandParameters::Application(command) => command.run(tx, context),
            CommandParameters::Clearing(command) => command.run(tx, context),
            CommandParameters::Ledger(command) => command.run(tx, context),
            CommandParameters::Loan(command) => command.run(tx, context),
            CommandParameters::Merchant(command) => command.run(tx, context),
            CommandParameters::Member(command) => command.run(tx, context),
        }
    }
}

fn command_parameters(action: StaffAction, reader: &mut ParameterReader<'_>) -> Option<CommandParameters> {
    match action {
        StaffAction::PersonalDataView | StaffAction::PsuUnblock | StaffAction::PhoneUnblock => {
            CustomerCommand::parse(action, reader).map(CommandParameters::Customer)
        }
        StaffAction::ApplicationDisable | StaffAction::ApplicationEnable | StaffAction::CallbackReplay => {
            ApplicationCommand::parse(action, reader).map(CommandParameters::Application)
        }
        StaffAction::ClearingReturn | StaffAction::ClearingMatch | StaffAction::ClearingAcknowledge => {
            ClearingCommand::parse(action, reader).map(CommandParameters::Clearing)
        }
        StaffAction::LoanWriteOff
        | StaffAction::RefundPayout
        | StaffAction::LoanReviewGrant
        | StaffAction::LoanReviewReject => LoanCommand::parse(action, reader).map(CommandParameters::Loan),
        StaffAction::LedgerPostManual | StaffAction::LedgerReverseManual => {
            LedgerCommand::parse(action, reader).map(CommandParameters::Ledger)
        }
        StaffAction::MerchantTerms | StaffAction::MerchantSettlementAccount | StaffAction::MerchantPayout => {
            MerchantCommand::parse(action, reader).map(CommandParameters::Merchant)
        }
        StaffAction::StaffCreate
        | StaffAction::StaffConfirm
        | StaffAction::StaffDisable
        | StaffAction::StaffEnable
        | StaffAction::StaffReset
        | StaffAction::StaffRoleChange => MemberCommand::parse(action, reader).map(CommandParameters::Member),
        StaffAction::ConsoleView => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(action: StaffAction, values: &[(&str, &str)]) -> Result<StaffCommand, Refusal> {
        StaffCommand::parse(action, &ActionParameters::new(values.iter().copied()))
    }

    #[test]
    fn command_without_parameters_names_the_required_ones() {
        for action in StaffAction::ALL {
            let refusal = parse(*action, &[]).unwrap_err();
            match parameter_names(*action) {
                Some(_) => {
                    assert_eq!(refusal.reason, RefusalReason::Malformed, "{action:?}");
                    assert!(refusal.errors.iter().all(|error| error.text == "is required"), "{refusal:?}");
                }
                None => assert_eq!(refusal.reason, RefusalReason::Unsupported, "{action:?}"),
            }
        }
    }

    #[test]
    fn command_with_an_unknown_or_invalid_parameter_is_refused() {
        let id = "6f9619ff-8b86-d011-b42d-00cf4fc964ff";
        assert!(parse(StaffAction::LoanWriteOff, &[("loan", id)]).is_ok());
        assert!(parse(StaffAction::LoanWriteOff, &[("loan", id), ("force", "1")]).is_err());
        assert!(parse(StaffAction::LoanWriteOff, &[("loan", "1")]).is_err());
        assert!(parse(StaffAction::StaffRoleChange, &[("staff", id), ("role", "owner")]).is_err());
        assert!(parse(StaffAction::PersonalDataView, &[("object", "ledger"), ("id", id)]).is_err());
        assert!(parse(StaffAction::PersonalDataView, &[("object", "psu"), ("id", "a=b c")]).is_err());
        assert!(parse(StaffAction::MerchantTerms, &[("code", "SHOP"), ("plans", "3")]).is_err());
    }
}
