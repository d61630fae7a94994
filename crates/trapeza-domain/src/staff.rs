//! The bank's staff: roles, the actions of the console, and who may request and approve each.
//!
//! [`StaffAction`] is the one list of actions. What moves money or access needs a second person: one requests it, another one
//! approves it, never the same.

mod action;
mod request;

pub use action::{
    ActionRule, SecondPerson, StaffAction, UNBLOCK_PERIOD, UNBLOCKS_WITHOUT_SECOND_PERSON, action_table,
};
pub use request::{REQUEST_TTL, RequestStatus, StaffRequest};

use crate::contact::Email;
use crate::field::Field;
use crate::id::{LoginId, StaffId};
use crate::refusal::{Refusal, RefusalReason};
use crate::string_enum::string_enum;
use crate::time::{TimeDelta, Timestamp};

/// How long an enrolment link works.
pub const ENROLMENT_TTL: TimeDelta = TimeDelta::days(3);

/// Maximum lifetime of a token of the admin API.
pub const MAX_TOKEN_DAYS: i64 = 90;
/// Maximum number of tokens of a person.
pub const MAX_TOKENS: usize = 10;

string_enum! {
    /// What a member of the staff does in the bank. A role does not include another one.
    pub enum StaffRole {
        /// Helps customers and merchants.
        Support = "support",
        /// Runs payments, clearing and merchants.
        Operations = "operations",
        /// Decides on credit, losses and limits.
        Risk = "risk",
        /// Looks at everything and changes nothing.
        Auditor = "auditor",
        /// Manages staff, without access to customers' data and money.
        Administrator = "administrator",
    }
}

string_enum! {
    /// Whether a member of the staff can sign in.
    pub enum StaffStatus {
        /// The enrolment link was not used yet.
        Invited = "invited",
        /// The link was used, and an administrator who has never seen it must confirm that the right person has used it.
        Unconfirmed = "unconfirmed",
        Active = "active",
        Disabled = "disabled",
    }
}

/// A person who signs in to the console.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Staff {
    pub id: StaffId,
    pub email: Email,
    pub name: String,
    pub role: StaffRole,
    pub status: StaffStatus,
    pub created_at: Timestamp,
}

/// A member of the staff has the id of the login.
impl From<StaffId> for LoginId {
    fn from(id: StaffId) -> Self {
        Self::new(id.uuid())
    }
}

impl Staff {
    /// Refuses an action that the role does not permit, and every action of a person who cannot sign in.
    pub fn require(&self, action: StaffAction) -> Result<(), Refusal> {
        self.require_active()?;
        self.require_role(action.rule().request, "request", action)
    }

    /// Refuses the approval of an action: by the person who requested it, or by one whose role may not approve it.
    pub fn require_approver(&self, action: StaffAction, requested_by: StaffId) -> Result<(), Refusal> {
        self.require_active()?;
        self.require_role(action.rule().approve, "approve", action)?;
        if self.id == requested_by {
            let text = "another person must approve this: you requested it";
            return Err(Refusal::new(RefusalReason::RoleMissing, text));
        }
        Ok(())
    }

    /// Refuses everything of a person who cannot sign in.
    pub fn require_active(&self) -> Result<(), Refusal> {
        if self.status == StaffStatus::Active {
            return Ok(());
        }
        let text = format!("this login is {}", self.status.name());
        Err(Refusal::new(RefusalReason::RoleMissing, text))
    }

    /// Whether the person may see requests for an action: whose role requests or approves it, and auditors.
    pub fn sees_requests_for(&self, action: StaffAction) -> bool {
        let rule = action.rule();
        self.role == StaffRole::Auditor
            || rule.request.contains(&self.role)
            || rule.approve.contains(&self.role)
    }

    fn require_role(&self, roles: &[StaffRole], verb: &str, action: StaffAction) -> Result<(), Refusal> {
        if roles.contains(&self.role) {
            return Ok(());
        }
        let text = format!("the role {} may not {verb} {}", self.role.name(), action.name());
        Err(Refusal::at(RefusalReason::RoleMissing, Field::StaffRole, text))
    }
}

/// Refuses a change after which no active administrator would be left.
pub fn require_other_administrator(staff: &[Staff], changed: StaffId) -> Result<(), Refusal> {
    let is_administrator =
        |one: &&Staff| one.role == StaffRole::Administrator && one.status == StaffStatus::Active;
    let mut administrators = staff.iter().filter(is_administrator).map(|one| one.id);
    let mut others = administrators.clone().filter(|id| *id != changed);
    if others.next().is_some() || !administrators.any(|id| id == changed) {
        return Ok(());
    }
    let text = "the bank must have an active administrator; create another one first";
    Err(Refusal::at(RefusalReason::StatusInvalid, Field::StaffId, text))
}

#[cfg(test)]
mod tests {
    use super::*;
    use uuid::Uuid;

    fn staff(number: u128, role: StaffRole, status: StaffStatus) -> Staff {
        Staff {
            id: StaffId::new(Uuid::from_u128(number)),
            email: Email::parse("staff@bank.example").unwrap(),
            name: "Staff".to_owned(),
            role,
            status,
            created_at: Timestamp(0),
        }
    }

    #[test]
    fn person_who_requested_an_action_cannot_approve_it() {
        let (first, second) =
            (staff(1, StaffRole::Risk, StaffStatus::Active), staff(2, StaffRole::Risk, StaffStatus::Active));
        assert!(first.require_approver(StaffAction::LoanWriteOff, first.id).is_err());
        assert!(second.require_approver(StaffAction::LoanWriteOff, first.id).is_ok());
    }

    #[test]
    fn staff_who_are_not_active_may_do_nothing() {
        for status in [StaffStatus::Invited, StaffStatus::Unconfirmed, StaffStatus::Disabled] {
            let one = staff(1, StaffRole::Risk, status);
            assert!(one.require(StaffAction::LoanWriteOff).is_err());
            assert!(one.require_approver(StaffAction::LoanWriteOff, StaffId::new(Uuid::nil())).is_err());
        }
    }

    #[test]
    fn last_active_administrator_cannot_be_changed_and_others_can() {
        use StaffRole::{Administrator, Risk};
        let first = staff(1, Administrator, StaffStatus::Active);
        let invited = staff(2, Administrator, StaffStatus::Invited);
        let risk = staff(3, Risk, StaffStatus::Active);
        let second = staff(4, Administrator, StaffStatus::Active);
        let alone = [first.clone(), invited.clone(), risk.clone()];
        assert!(require_other_administrator(&alone, first.id).is_err());
        assert!(require_other_administrator(&alone, invited.id).is_ok());
        assert!(require_other_administrator(&alone, risk.id).is_ok());
        assert!(require_other_administrator(&[first.clone(), second], first.id).is_ok());
    }
}
