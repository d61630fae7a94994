//! Invitations to the portal: created by an operator or an owner, accepted once, valid for a week.

use super::{PortalMember, invitation_hash, unknown_organisation};
use crate::login::new_token;
use crate::{App, UseCaseError, audit};
use trapeza_domain::audit_event::{Actor, AuditEvent};
use trapeza_domain::contact::Email;
use trapeza_domain::field::Field;
use trapeza_domain::id::{InvitationId, OrganisationId};
use trapeza_domain::login::{LoginKind, parse_email};
use trapeza_domain::organisation::{INVITATION_TTL, MemberRole};
use trapeza_domain::refusal::{Refusal, RefusalReason};
use trapeza_domain::secret::Secret;
use trapeza_domain::time::Timestamp;
use trapeza_store::{InvitationRecord, Tx};

/// An invitation with its token, which is shown once.
pub struct IssuedInvitation {
    pub token: Secret<String>,
    pub email: Email,
    pub role: MemberRole,
    pub expires_at: Timestamp,
}

impl App {
    /// Invites a person by command: to an organisation, or as the owner of a new one.
    pub async fn invitation_create(
        &self,
        organisation: Option<OrganisationId>,
        email: &str,
        role: MemberRole,
    ) -> Result<IssuedInvitation, UseCaseError> {
        self.invitation_issue(organisation, email, role, audit::current_actor()).await
    }

    /// Invites a person to the caller's organisation.
    pub async fn member_invite(
        &self,
        caller: &PortalMember,
        email: &str,
        role: MemberRole,
    ) -> Result<IssuedInvitation, UseCaseError> {
        caller.require(MemberRole::Owner)?;
        let actor = Actor::Member(caller.member.id);
        self.invitation_issue(Some(caller.organisation.id), email, role, actor).await
    }

    async fn invitation_issue(
        &self,
        organisation: Option<OrganisationId>,
        email: &str,
        role: MemberRole,
        actor: Actor,
    ) -> Result<IssuedInvitation, UseCaseError> {
        let email = parse_email(email).map_err(|text| Refusal::malformed(Field::Email, text))?;
        if organisation.is_none() && role != MemberRole::Owner {
            let text = "the first member of an organisation must be an owner";
            return Err(Refusal::malformed(Field::MemberRole, text).into());
        }
        let (token, now, created_at) = (new_token(), self.now(), self.clock.system_now());
        let hash = invitation_hash(&self.keyring, token.expose());
        let record = InvitationRecord {
            id: InvitationId::new(self.entropy.uuid()),
            organisation,
            email: email.clone(),
            role,
            created_at,
            expires_at: created_at.plus(INVITATION_TTL),
        };
        let expires_at = record.expires_at;
        self.store
            .write(move |tx| {
                insert(tx, &record, &hash)?;
                let event = AuditEvent::new("invitation.created", "invitation", record.id)
                    .with("role", role.name())
                    .with(
                        "organisation",
                        organisation.map_or("new".to_owned(), |organisation| organisation.to_string()),
                    );
                Ok(audit::record(tx, now, actor, &event)?)
            })
            .await?;
        Ok(IssuedInvitation { token, email, role, expires_at })
    }

    /// Revokes an invitation to the caller's organisation.
    pub async fn invitation_revoke(
        &self,
        caller: &PortalMember,
        id: InvitationId,
    ) -> Result<(), UseCaseError> {
        caller.require(MemberRole::Owner)?;
        let (organisation, actor, now) =
            (caller.organisation.id, Actor::Member(caller.member.id), self.now());
        self.store
            .write(move |tx| {
                if !tx.invitation_delete(Some(organisation), id)? {
                    return Err(Refusal::new(RefusalReason::ResourceUnknown, "unknown invitation").into());
                }
                let event = AuditEvent::new("invitation.revoked", "invitation", id);
                Ok(audit::record(tx, now, actor, &event)?)
            })
            .await
    }
}

fn insert(tx: &mut Tx<'_>, record: &InvitationRecord, hash: &[u8; 32]) -> Result<(), UseCaseError> {
    if let Some(id) = record.organisation {
        tx.organisation_find(id)?.ok_or_else(unknown_organisation)?;
    }
    if tx.login_by_email(LoginKind::Member, &record.email)?.is_some() {
        return Err(Refusal::malformed(Field::Email, "is used by a member already").into());
    }
    Ok(tx.invitation_insert(record, hash)?)
}
