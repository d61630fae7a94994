//! Sign-in of members to the portal, and their sessions.

use crate::login::{
    LoginSession, PasskeyResponse, RelyingParty, SignInRequest, session_cutoffs, session_hash,
    wrong_credentials,
};
use crate::{App, UseCaseError};
use trapeza_domain::login::LoginKind;
use trapeza_domain::organisation::{Member, MemberRole, Organisation};
use trapeza_domain::refusal::Refusal;
use trapeza_store::LoginSessionRecord;

/// The caller of the portal: a member with a session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PortalMember {
    pub member: Member,
    pub organisation: Organisation,
    pub session: LoginSessionRecord,
}

impl PortalMember {
    pub fn require(&self, role: MemberRole) -> Result<(), Refusal> {
        self.member.role.require(role)
    }

    pub fn login(&self) -> LoginSession {
        let (login, session) = (self.member.id.into(), self.session.clone());
        LoginSession { kind: LoginKind::Member, login, session }
    }
}

impl App {
    /// Signs in and begins a session with a new token.
    pub async fn portal_sign_in(
        &self,
        order: SignInRequest,
        token: &str,
        browser: &str,
    ) -> Result<PortalMember, UseCaseError> {
        self.login_sign_in(LoginKind::Member, order, token, browser).await?;
        // A member who was removed at this moment has no session.
        Ok(self.portal_session(token).await?.ok_or_else(wrong_credentials)?)
    }

    /// Signs in with a passkey and begins a session with a new token.
    pub async fn portal_passkey_sign_in(
        &self,
        scope: (&str, &RelyingParty),
        response: &PasskeyResponse,
        token: &str,
        browser: &str,
    ) -> Result<PortalMember, UseCaseError> {
        self.login_passkey_sign_in(LoginKind::Member, scope, response, token, browser).await?;
        Ok(self.portal_session(token).await?.ok_or_else(wrong_credentials)?)
    }

    /// The member whose session has this token. A request extends the session up to its absolute end.
    pub async fn portal_session(&self, token: &str) -> Result<Option<PortalMember>, UseCaseError> {
        let hash = session_hash(&self.keyring, LoginKind::Member, token);
        let (started_after, seen_after) = session_cutoffs(LoginKind::Member, self.clock.system_now());
        let found =
            self.store.read(move |tx| Ok(tx.member_session_find(&hash, started_after, seen_after)?)).await?;
        let Some((session, member, organisation)) = found else { return Ok(None) };
        let caller = PortalMember { member, organisation, session };
        self.login_session_touch(&caller.login()).await?;
        Ok(Some(caller))
    }
}
