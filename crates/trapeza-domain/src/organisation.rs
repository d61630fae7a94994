//! Organisations of developers and their members, who use the portal.
//!
//! An organisation owns applications. What a member may do follows from the role alone. An organisation always has an owner.

use crate::contact::Email;
use crate::field::Field;
use crate::id::{MemberId, OrganisationId};
use crate::refusal::{Refusal, RefusalReason};
use crate::string_enum::string_enum;
use crate::time::{TimeDelta, Timestamp};

/// How long an invitation can be accepted.
pub const INVITATION_TTL: TimeDelta = TimeDelta::days(7);
/// How long a sign-up waits for the first code of the authenticator app.
pub const ENROLMENT_TTL: TimeDelta = TimeDelta::hours(1);
string_enum! {
    /// What a member may do.
    pub enum MemberRole {
        /// Everything, including members and invitations.
        Owner = "owner",
        /// Changes to applications.
        Developer = "developer",
        /// Nothing but reading.
        Viewer = "viewer",
    }
}

impl MemberRole {
    /// Whether a member with this role may do what `required` may do.
    pub fn includes(self, required: Self) -> bool {
        self <= required
    }

    /// Refuses what the role does not permit.
    pub fn require(self, required: Self) -> Result<(), Refusal> {
        if self.includes(required) {
            return Ok(());
        }
        let text = format!("this requires the role {}", required.name());
        Err(Refusal::at(RefusalReason::RoleMissing, Field::MemberRole, text))
    }
}

/// A group of developers that owns applications.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Organisation {
    pub id: OrganisationId,
    pub name: String,
    pub created_at: Timestamp,
}

/// A person who signs in to the portal, in exactly one organisation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Member {
    pub id: MemberId,
    pub organisation: OrganisationId,
    pub email: Email,
    pub name: String,
    pub role: MemberRole,
    pub created_at: Timestamp,
}

/// Refuses a change after which the organisation would have no owner.
pub fn require_other_owner(members: &[Member], changed: MemberId) -> Result<(), Refusal> {
    let is_other_owner = |member: &Member| member.role == MemberRole::Owner && member.id != changed;
    let is_owner = members.iter().any(|member| member.id == changed && member.role == MemberRole::Owner);
    if !is_owner || members.iter().any(is_other_owner) {
        return Ok(());
    }
    let text = "the organisation must have an owner; make another member an owner first";
    Err(Refusal::at(RefusalReason::StatusInvalid, Field::MemberId, text))
}

#[cfg(test)]
mod tests {
    use super::*;
    use uuid::Uuid;

    fn member(number: u128, role: MemberRole) -> Member {
        Member {
            id: MemberId::new(Uuid::from_u128(number)),
            organisation: OrganisationId::new(Uuid::nil()),
            email: Email::parse(&format!("member{number}@example.org")).unwrap(),
            name: "Member".to_owned(),
            role,
            created_at: Timestamp(0),
        }
    }

    #[test]
    fn role_includes_the_weaker_ones_only() {
        use MemberRole::{Developer, Owner, Viewer};
        for (role, owner, developer) in
            [(Owner, true, true), (Developer, false, true), (Viewer, false, false)]
        {
            assert_eq!((role.includes(Owner), role.includes(Developer)), (owner, developer));
            assert!(role.includes(Viewer));
        }
    }

    #[test]
    fn last_owner_cannot_be_changed_and_others_can() {
        let (first, second) = (member(1, MemberRole::Owner), member(2, MemberRole::Developer));
        let alone = [first.clone(), second.clone()];
        assert!(require_other_owner(&alone, first.id).is_err());
        assert!(require_other_owner(&alone, second.id).is_ok());
        assert!(require_other_owner(&[first.clone(), member(3, MemberRole::Owner)], first.id).is_ok());
    }
}
