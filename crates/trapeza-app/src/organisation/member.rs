//! The members of an organisation: list, change of role, removal. The organisation always has an owner.

use super::PortalMember;
use crate::{App, UseCaseError, audit};
use trapeza_domain::audit_event::{Actor, AuditEvent};
use trapeza_domain::field::Field;
use trapeza_domain::id::MemberId;
use trapeza_domain::organisation::{Member, MemberRole, require_other_owner};
use trapeza_domain::refusal::{Refusal, RefusalReason};
use trapeza_store::{InvitationRecord, Tx};

/// An organisation as its members see it.
#[derive(Clone, Debug)]
pub struct OrganisationView {
    pub members: Vec<Member>,
    /// Open invitations.
    pub invitations: Vec<InvitationRecord>,
    /// How many recovery codes the caller has left.
    pub recovery_codes: i64,
}

impl App {
    pub async fn organisation_view(&self, caller: &PortalMember) -> Result<OrganisationView, UseCaseError> {
        let (organisation, member, now) = (caller.organisation.id, caller.member.id, self.clock.system_now());
        self.store
            .read(move |tx| {
                Ok(OrganisationView {
                    members: tx.member_list(organisation)?,
                    invitations: tx.invitation_list(organisation, now)?,
                    recovery_codes: tx.recovery_code_count(member.into())?,
                })
            })
            .await
    }

    /// Changes the role of a member of the caller's organisation.
    pub async fn member_role_change(
        &self,
        caller: &PortalMember,
        id: MemberId,
        role: MemberRole,
    ) -> Result<(), UseCaseError> {
        let (caller, now) = (caller.clone(), self.now());
        self.store
            .write(move |tx| {
                let members = managed(tx, &caller, id)?;
                if role != MemberRole::Owner {
                    require_other_owner(&members, id)?;
                }
                tx.member_role_set(caller.organisation.id, id, role)?;
                let event = AuditEvent::new("member.role_changed", "member", id).with("role", role.name());
                Ok(audit::record(tx, now, Actor::Member(caller.member.id), &event)?)
            })
            .await
    }

    /// Removes a member of the caller's organisation, and ends all sessions of the member.
    pub async fn member_remove(&self, caller: &PortalMember, id: MemberId) -> Result<(), UseCaseError> {
        let (caller, now) = (caller.clone(), self.now());
        self.store
            .write(move |tx| {
                let members = managed(tx, &caller, id)?;
                require_other_owner(&members, id)?;
                tx.member_delete(caller.organisation.id, id)?;
                let event = AuditEvent::new("member.removed", "member", id);
                Ok(audit::record(tx, now, Actor::Member(caller.member.id), &event)?)
            })
            .await
    }
}

/// The members of the caller's organisation, locked, if the caller is still an owner and `id` is one of them.
fn managed(tx: &mut Tx<'_>, caller: &PortalMember, id: MemberId) -> Result<Vec<Member>, UseCaseError> {
    let members = tx.member_list_lock(caller.organisation.id)?;
    let own = members.iter().find(|member| member.id == caller.member.id);
    own.map_or(Err(unknown()), |own| own.role.require(MemberRole::Owner))?;
    if !members.iter().any(|member| member.id == id) {
        return Err(unknown().into());
    }
    Ok(members)
}

fn unknown() -> Refusal {
    Refusal::at(RefusalReason::ResourceUnknown, Field::MemberId, "unknown member")
}
