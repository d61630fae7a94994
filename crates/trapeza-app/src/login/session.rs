//! Sessions: a random token in a cookie, stored as a keyed hash, with an idle and an absolute expiry.

use super::token_hash;
use crate::{App, Keyring, StoreError, UseCaseError, audit};
use trapeza_domain::id::{LoginId, LoginSessionId};
use trapeza_domain::login::{LoginEvent, LoginKind};
use trapeza_domain::refusal::{Refusal, RefusalReason};
use trapeza_domain::time::{TimeDelta, Timestamp};
use trapeza_store::{LoginSessionRecord, NewLoginSession, Tx};

/// How precisely the last use of a session is stored, so that not every request writes.
const LAST_SEEN_PRECISION: TimeDelta = TimeDelta::minutes(1);
/// Longer `User-Agent` headers are cut off.
const MAX_BROWSER_CHARS: usize = 120;

/// The login of a signed-in person, and the session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoginSession {
    pub kind: LoginKind,
    pub login: LoginId,
    pub session: LoginSessionRecord,
}

impl App {
    /// The sessions of the caller, newest first.
    pub async fn login_session_list(
        &self,
        caller: &LoginSession,
    ) -> Result<Vec<LoginSessionRecord>, UseCaseError> {
        let (id, (started_after, seen_after)) =
            (caller.login, session_cutoffs(caller.kind, self.clock.system_now()));
        self.store.read(move |tx| Ok(tx.login_session_list(id, started_after, seen_after)?)).await
    }

    /// Revokes a session of the caller: this one or another.
    pub async fn login_session_revoke(
        &self,
        caller: &LoginSession,
        session: LoginSessionId,
    ) -> Result<(), UseCaseError> {
        let (kind, login, now) = (caller.kind, caller.login, self.now());
        self.store
            .write(move |tx| {
                if !tx.login_session_delete(login, session)? {
                    return Err(Refusal::new(RefusalReason::ResourceUnknown, "unknown session").into());
                }
                let event = kind.event(LoginEvent::SignedOut, login);
                Ok(audit::record(tx, now, kind.actor(login), &event)?)
            })
            .await
    }

    /// Stores the use of a session, which extends it up to its absolute end.
    pub(crate) async fn login_session_touch(&self, caller: &LoginSession) -> Result<(), UseCaseError> {
        let (login, id, now) = (caller.login, caller.session.id, self.clock.system_now());
        if now.since(caller.session.last_seen_at) < LAST_SEEN_PRECISION {
            return Ok(());
        }
        self.store.write(move |tx| Ok(tx.login_session_last_seen_set(login, id, now)?)).await
    }

    pub(crate) fn new_session(
        &self,
        kind: LoginKind,
        login: LoginId,
        token: &str,
        browser: &str,
    ) -> NewLoginSession {
        NewLoginSession {
            id: LoginSessionId::new(self.entropy.uuid()),
            token_hash: session_hash(&self.keyring, kind, token),
            login,
            browser: browser.chars().filter(|letter| !letter.is_control()).take(MAX_BROWSER_CHARS).collect(),
            now: self.clock.system_now(),
        }
    }
}

/// Creates the session of a person who has signed in with `factor`.
pub(crate) fn create_session(
    tx: &mut Tx<'_>,
    kind: LoginKind,
    session: &NewLoginSession,
    factor: &'static str,
    now: Timestamp,
) -> Result<(), StoreError> {
    let id = session.login;
    let (started_after, seen_after) = session_cutoffs(kind, session.now);
    tx.login_session_purge(id, started_after, seen_after)?;
    tx.login_session_insert(session)?;
    let event = kind.event(LoginEvent::SignedIn, id).with("factor", factor);
    audit::record(tx, now, kind.actor(id), &event)
}

/// The times after which a valid session began and was last used.
pub(crate) fn session_cutoffs(kind: LoginKind, now: Timestamp) -> (Timestamp, Timestamp) {
    (now.minus(kind.session_ttl()), now.minus(kind.session_idle()))
}

pub(crate) fn session_hash(keyring: &Keyring, kind: LoginKind, token: &str) -> [u8; 32] {
    token_hash(keyring, kind, "session", token)
}
