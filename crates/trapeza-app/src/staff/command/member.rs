//! Actions on members of the staff.

use super::parameter_reader::ParameterReader;
use super::{ActionContext, ActionOutcome};
use crate::UseCaseError;
use crate::staff::member;
use trapeza_domain::contact::Email;
use trapeza_domain::field::Field;
use trapeza_domain::id::StaffId;
use trapeza_domain::login::{check_name, parse_email};
use trapeza_domain::staff::{StaffAction, StaffRole};
use trapeza_store::Tx;

#[derive(Clone, Debug)]
pub(super) enum MemberCommand {
    Create {
        email: Email,
        name: String,
        role: StaffRole,
    },
    /// With the code that the person was shown.
    Confirm(StaffId, String),
    Disable(StaffId),
    Enable(StaffId),
    Reset(StaffId),
    RoleChange(StaffId, StaffRole),
}

impl MemberCommand {
    pub(super) fn parse(action: StaffAction, reader: &mut ParameterReader<'_>) -> Option<Self> {
        if action == StaffAction::StaffCreate {
            let (name, role) = (reader.required("name", Field::Name), role(reader));
            if let Some(name) = name {
                check_name(reader.errors(), Field::Name, name);
            }
            let email = reader.parsed("email", Field::Email, parse_email);
            return Some(Self::Create { email: email?, name: name?.to_owned(), role: role? });
        }
        let id = reader.id("staff", Field::StaffId, StaffId::parse);
        match action {
            StaffAction::StaffConfirm => {
                let code = reader.required("code", Field::SignInCode);
                Some(Self::Confirm(id?, code?.to_owned()))
            }
            StaffAction::StaffDisable => id.map(Self::Disable),
            StaffAction::StaffEnable => id.map(Self::Enable),
            StaffAction::StaffReset => id.map(Self::Reset),
            StaffAction::StaffRoleChange => {
                let role = role(reader);
                Some(Self::RoleChange(id?, role?))
            }
            _ => None,
        }
    }

    pub(super) fn approved_state(&self, tx: &mut Tx<'_>) -> Result<String, UseCaseError> {
        let found = match self {
            Self::Create { email, .. } => {
                member::require_unused(tx, email)?;
                return Ok(String::new());
            }
            Self::Confirm(id, _) => member::require_unconfirmed(tx, *id)?.0,
            Self::Disable(id) => member::require_disable(tx, *id)?,
            Self::Enable(id) => member::require_enable(tx, *id)?,
            Self::Reset(id) => member::require_reset(tx, *id)?,
            Self::RoleChange(id, role) => member::require_role_change(tx, *id, *role)?,
        };
        Ok(format!("{found:?}"))
    }

    pub(super) fn run(
        &self,
        tx: &mut Tx<'_>,
        context: &ActionContext,
    ) -> Result<ActionOutcome, UseCaseError> {
        match self {
            Self::Create { email, name, role } => member::create(tx, context, (email, name, *role)),
            Self::Confirm(id, code) => member::confirm(tx, context, *id, code),
            Self::Disable(id) => member::disable(tx, context, *id),
            Self::Enable(id) => member::enable(tx, context, *id),
            Self::Reset(id) => member::reset(tx, context, *id),
            Self::RoleChange(id, role) => member::role_change(tx, context, *id, *role),
        }
    }
}

fn role(reader: &mut ParameterReader<'_>) -> Option<StaffRole> {
    reader.parsed("role", Field::StaffRole, |role| {
        StaffRole::parse(role).ok_or("must be support, operations, risk, auditor or administrator")
    })
}
