//! Actions on applications and their callbacks.

use super::parameter_reader::ParameterReader;
use super::{ActionContext, ActionOutcome};
use crate::{UseCaseError, application, callback};
use trapeza_domain::field::Field;
use trapeza_domain::id::{ApplicationId, CallbackId};
use trapeza_domain::refusal::{Refusal, RefusalReason};
use trapeza_domain::staff::StaffAction;
use trapeza_store::{ApplicationRecord, Tx};

#[derive(Clone, Debug)]
pub(super) enum ApplicationCommand {
    Enabled { id: ApplicationId, enabled: bool },
    CallbackReplay(CallbackId),
}

impl ApplicationCommand {
    pub(super) fn parse(action: StaffAction, reader: &mut ParameterReader<'_>) -> Option<Self> {
        match action {
            StaffAction::ApplicationDisable | StaffAction::ApplicationEnable => {
                let id = reader.id("application", Field::ApplicationId, ApplicationId::parse)?;
                Some(Self::Enabled { id, enabled: action == StaffAction::ApplicationEnable })
            }
            StaffAction::CallbackReplay => {
                reader.id("callback", Field::CallbackId, CallbackId::parse).map(Self::CallbackReplay)
            }
            _ => None,
        }
    }

    pub(super) fn approved_state(&self, tx: &mut Tx<'_>) -> Result<String, UseCaseError> {
        Ok(match self {
            Self::Enabled { id, enabled } => format!("{:?}", changeable(tx, *id, *enabled)?),
            Self::CallbackReplay(id) => id.to_string(),
        })
    }

    pub(super) fn run(
        &self,
        tx: &mut Tx<'_>,
        context: &ActionContext,
    ) -> Result<ActionOutcome, UseCaseError> {
        let by = (context.actor, context.now);
        let text = match self {
            Self::Enabled { id, enabled } => {
                application::enabled_set(tx, *id, *enabled, by)?;
                format!("{} application {id}", if *enabled { "enabled" } else { "disabled" })
            }
            Self::CallbackReplay(id) => {
                callback::replay_one(tx, *id, by)?;
                format!("replays callback {id}")
            }
        };
        Ok(ActionOutcome::of(text))
    }
}

/// An application that is not yet as the action would leave it.
fn changeable(tx: &mut Tx<'_>, id: ApplicationId, enabled: bool) -> Result<ApplicationRecord, UseCaseError> {
    let unknown = || Refusal::at(RefusalReason::ResourceUnknown, Field::ApplicationId, "unknown application");
    let found = tx.application_find(id)?.filter(|_| id != ApplicationId::BANK).ok_or_else(unknown)?;
    if found.disabled_at.is_none() == enabled {
        let state = if enabled { "enabled" } else { "disabled" };
        let text = format!("the application is {state} already");
        return Err(Refusal::at(RefusalReason::StatusInvalid, Field::ApplicationId, text).into());
    }
    Ok(found)
}
