//! Sessions of members: a random token in a cookie, stored as a keyed hash, with an idle and an absolute expiry.

use super::token_hash;
use crate::{App, Keyring, UseCaseError, audit};
use trapeza_domain::audit_event::{Actor, AuditEvent};
use trapeza_domain::id::{MemberId, MemberSessionId};
use trapeza_domain::organisation::{Member, MemberRole, Organisation, SESSION_IDLE, SESSION_TTL};
use trapeza_domain::refusal::{Refusal, RefusalReason};
use trapeza_domain::time::{TimeDelta, Timestamp};
use trapeza_store::{MemberSessionRecord, NewMemberSession};

/// How precisely the last use of a session is stored, so that not every request writes.
const SEEN_PRECISION: TimeDelta = TimeDelta::minutes(1);
/// The most characters that are stored of what a browser says of itself.
const BROWSER_CHARACTERS: usize = 120;

/// The caller of the portal: a member with a session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PortalMember {
    pub member: Member,
    pub organisation: Organisation,
    pub session: MemberSessionRecord,
}

impl PortalMember {
    pub fn require(&self, role: MemberRole) -> Result<(), Refusal> {
        self.member.role.require(role)
    }
}

impl App {
    /// The member whose session has this token. A request extends the session up to its absolute end.
    pub async fn portal_session(&self, token: &str) -> Result<Option<PortalMember>, UseCaseError> {
        let (hash, now) = (session_hash(&self.keyring, token), self.clock.system_now());
        let (begun_after, seen_after) = limits(now);
        let found =
            self.store.read(move |tx| Ok(tx.member_session_find(&hash, begun_after, seen_after)?)).await?;
        let Some((session, member, organisation)) = found else { return Ok(None) };
        if now.since(session.last_seen_at) >= SEEN_PRECISION {
            let id = session.id;
            self.store.write(move |tx| Ok(tx.member_session_seen_set(id, now)?)).await?;
        }
        Ok(Some(PortalMember { member, organisation, session }))
    }

    /// The sessions of the caller, newest first.
    pub async fn portal_session_list(
        &self,
        caller: &PortalMember,
    ) -> Result<Vec<MemberSessionRecord>, UseCaseError> {
        let (id, (begun_after, seen_after)) = (caller.member.id, limits(self.clock.system_now()));
        self.store.read(move |tx| Ok(tx.member_session_list(id, begun_after, seen_after)?)).await
    }

    /// Ends a session of the caller: this one or another.
    pub async fn portal_session_end(
        &self,
        caller: &PortalMember,
        session: MemberSessionId,
    ) -> Result<(), UseCaseError> {
        let (member, now) = (caller.member.id, self.now());
        self.store
            .write(move |tx| {
                if !tx.member_session_delete(member, session)? {
                    return Err(Refusal::new(RefusalReason::ResourceUnknown, "unknown session").into());
                }
                let event = AuditEvent::new("member.signed_out", "member", member);
                Ok(audit::record(tx, now, Actor::Member(member), &event)?)
            })
            .await
    }

    pub(super) fn new_session(&self, token: &str, member: MemberId, browser: &str) -> NewMemberSession {
        NewMemberSession {
            id: MemberSessionId::new(self.entropy.uuid()),
            token_hash: session_hash(&self.keyring, token),
            member,
            browser: browser.chars().filter(|letter| !letter.is_control()).take(BROWSER_CHARACTERS).collect(),
            now: self.clock.system_now(),
        }
    }
}

/// The times after which a valid session began and was last used.
pub(super) fn limits(now: Timestamp) -> (Timestamp, Timestamp) {
    (now.minus(SESSION_TTL), now.minus(SESSION_IDLE))
}

pub(super) fn session_hash(keyring: &Keyring, token: &str) -> [u8; 32] {
    token_hash(keyring, "session", token)
}
