//! Sessions. A session is found by the keyed hash of its token, together with the person (`member_session_find`).

use crate::error::StoreError;
use crate::params;
use crate::tx::Tx;
use crate::value::RowReader;
use trapeza_domain::id::{LoginId, LoginSessionId};
use trapeza_domain::time::Timestamp;

/// A session that begins.
#[derive(Clone, Debug)]
pub struct NewLoginSession {
    pub id: LoginSessionId,
    pub token_hash: [u8; 32],
    pub login: LoginId,
    pub browser: String,
    pub now: Timestamp,
}

/// A session as its person sees it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoginSessionRecord {
    pub id: LoginSessionId,
    pub browser: String,
    pub created_at: Timestamp,
    pub last_seen_at: Timestamp,
}

impl Tx<'_> {
    pub fn login_session_insert(&mut self, session: &NewLoginSession) -> Result<(), StoreError> {
        self.execute(
            "INSERT INTO login_session (id, token_hash, login, browser, created_at, last_seen_at)
             VALUES ($1, $2, $3, $4, $5, $5)",
            params![session.id, &session.token_hash, session.login, &session.browser, session.now],
        )?;
        Ok(())
    }

    /// The sessions of a login that have not expired, newest first.
    pub fn login_session_list(
        &mut self,
        login: LoginId,
        started_after: Timestamp,
        seen_after: Timestamp,
    ) -> Result<Vec<LoginSessionRecord>, StoreError> {
        self.query(
            "SELECT id, browser, created_at, last_seen_at FROM login_session
             WHERE login = $1 AND created_at > $2 AND last_seen_at > $3 ORDER BY created_at DESC, id",
            params![login, started_after, seen_after],
            session,
        )
    }

    pub fn login_session_last_seen_set(
        &mut self,
        login: LoginId,
        id: LoginSessionId,
        now: Timestamp,
    ) -> Result<(), StoreError> {
        self.execute(
            "UPDATE login_session SET last_seen_at = $3 WHERE login = $1 AND id = $2",
            params![login, id, now],
        )?;
        Ok(())
    }

    /// Deletes one session of a login; false when there is none.
    pub fn login_session_delete(&mut self, login: LoginId, id: LoginSessionId) -> Result<bool, StoreError> {
        let deleted =
            self.execute("DELETE FROM login_session WHERE login = $1 AND id = $2", params![login, id])?;
        Ok(deleted == 1)
    }

    /// Deletes all sessions of a login.
    pub fn login_session_clear(&mut self, login: LoginId) -> Result<(), StoreError> {
        self.execute("DELETE FROM login_session WHERE login = $1", params![login])?;
        Ok(())
    }

    /// Deletes the expired sessions of a login.
    pub fn login_session_purge(
        &mut self,
        login: LoginId,
        begun_until: Timestamp,
        seen_until: Timestamp,
    ) -> Result<(), StoreError> {
        self.execute(
            "DELETE FROM login_session WHERE login = $1 AND (created_at <= $2 OR last_seen_at <= $3)",
            params![login, begun_until, seen_until],
        )?;
        Ok(())
    }
}

pub(crate) fn session(row: &mut RowReader<'_>) -> Result<LoginSessionRecord, StoreError> {
    Ok(LoginSessionRecord {
        id: row.read()?,
        browser: row.read()?,
        created_at: row.read()?,
        last_seen_at: row.read()?,
    })
}
