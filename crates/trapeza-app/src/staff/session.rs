//! Sign-in of staff to the console, and their sessions.

use crate::login::{
    LoginSession, PasskeyResponse, RelyingParty, SignInRequest, session_cutoffs, session_hash,
    wrong_credentials,
};
use crate::{App, UseCaseError};
use trapeza_domain::login::LoginKind;
use trapeza_domain::refusal::Refusal;
use trapeza_domain::staff::{Staff, StaffAction};
use trapeza_store::LoginSessionRecord;

/// The caller of the console: a member of the staff with a session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StaffCaller {
    pub staff: Staff,
    pub session: LoginSessionRecord,
}

impl StaffCaller {
    pub fn require(&self, action: StaffAction) -> Result<(), Refusal> {
        self.staff.require(action)
    }

    pub fn login(&self) -> LoginSession {
        let (login, session) = (self.staff.id.into(), self.session.clone());
        LoginSession { kind: LoginKind::Staff, login, session }
    }
}

impl App {
    /// Signs in and begins a session with a new token.
    pub async fn staff_sign_in(
        &self,
        order: SignInRequest,
        token: &str,
        browser: &str,
    ) -> Result<StaffCaller, UseCaseError> {
        self.login_sign_in(LoginKind::Staff, order, token, browser).await?;
        // The login may have been disabled at this moment.
        Ok(self.staff_session(token).await?.ok_or_else(wrong_credentials)?)
    }

    /// Signs in with a passkey and begins a session with a new token.
    pub async fn staff_passkey_sign_in(
        &self,
        scope: (&str, &RelyingParty),
        response: &PasskeyResponse,
        token: &str,
        browser: &str,
    ) -> Result<StaffCaller, UseCaseError> {
        self.login_passkey_sign_in(LoginKind::Staff, scope, response, token, browser).await?;
        Ok(self.staff_session(token).await?.ok_or_else(wrong_credentials)?)
    }

    /// The member of the staff whose session has this token. A request extends the session up to its absolute end.
    pub async fn staff_session(&self, token: &str) -> Result<Option<StaffCaller>, UseCaseError> {
        let hash = session_hash(&self.keyring, LoginKind::Staff, token);
        let (started_after, seen_after) = session_cutoffs(LoginKind::Staff, self.clock.system_now());
        let found =
            self.store.read(move |tx| Ok(tx.staff_session_find(&hash, started_after, seen_after)?)).await?;
        let Some((session, staff)) = found else { return Ok(None) };
        let caller = StaffCaller { staff, session };
        self.login_session_touch(&caller.login()).await?;
        Ok(Some(caller))
    }
}
