//! What people sign in with: e-mail address, password, authenticator app, recovery codes, passkeys, the link to an identity
//! provider, sessions.

mod passkey;
mod session;

pub use passkey::PasskeyRecord;
pub(crate) use session::session;
pub use session::{LoginSessionRecord, NewLoginSession};

use crate::error::StoreError;
use crate::params;
use crate::tx::Tx;
use crate::value::RowReader;
use trapeza_domain::contact::Email;
use trapeza_domain::id::LoginId;
use trapeza_domain::login::LoginKind;
use trapeza_domain::time::Timestamp;

/// What a sign-in is verified against.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoginRecord {
    pub id: LoginId,
    pub kind: LoginKind,
    pub email: Email,
    /// `None` until the person has enrolled.
    pub password_hash: Option<String>,
    /// Encrypted. `None` for a person who only uses passkeys.
    pub totp_secret: Option<Vec<u8>>,
    /// The last time step whose code was accepted.
    pub totp_step: i64,
    pub disabled_at: Option<Timestamp>,
}

macro_rules! select {
    ($rest:literal) => {
        concat!(
            "SELECT id, kind, email, password_hash, totp_secret, totp_step, disabled_at FROM login ",
            $rest
        )
    };
}

impl Tx<'_> {
    pub fn login_insert(&mut self, login: &LoginRecord) -> Result<(), StoreError> {
        self.execute(
            "INSERT INTO login (id, kind, email, password_hash, totp_secret, totp_step, disabled_at)
             VALUES ($1, $2, $3, $4, $5, $6, $7)",
            params![
                login.id,
                login.kind.name(),
                login.email.as_str(),
                login.password_hash.as_deref(),
                login.totp_secret.as_deref(),
                login.totp_step,
                login.disabled_at
            ],
        )?;
        Ok(())
    }

    pub fn login_by_email(
        &mut self,
        kind: LoginKind,
        email: &Email,
    ) -> Result<Option<LoginRecord>, StoreError> {
        self.query_opt(select!("WHERE kind = $1 AND email = $2"), params![kind.name(), email.as_str()], login)
    }

    /// A login, locked until the transaction ends.
    pub fn login_lock(&mut self, kind: LoginKind, id: LoginId) -> Result<Option<LoginRecord>, StoreError> {
        self.query_opt(select!("WHERE kind = $1 AND id = $2 FOR UPDATE"), params![kind.name(), id], login)
    }

    /// The login that is linked to a person at an identity provider.
    pub fn login_by_provider(
        &mut self,
        kind: LoginKind,
        issuer: &str,
        subject: &str,
    ) -> Result<Option<LoginRecord>, StoreError> {
        self.query_opt(
            select!("WHERE kind = $1 AND provider_issuer = $2 AND provider_subject = $3"),
            params![kind.name(), issuer, subject],
            login,
        )
    }

    /// The identity provider whose person a login is linked to.
    pub fn login_provider_find(
        &mut self,
        kind: LoginKind,
        id: LoginId,
    ) -> Result<Option<String>, StoreError> {
        let found = self.query_opt(
            "SELECT provider_issuer FROM login WHERE kind = $1 AND id = $2",
            params![kind.name(), id],
            |row| row.read(),
        )?;
        Ok(found.flatten())
    }

    /// Links a login to a person at an identity provider, who signs in with it from now on.
    pub fn login_provider_set(
        &mut self,
        kind: LoginKind,
        id: LoginId,
        issuer: &str,
        subject: &str,
    ) -> Result<(), StoreError> {
        self.update_one(
            "login",
            "UPDATE login SET provider_issuer = $3, provider_subject = $4 WHERE kind = $1 AND id = $2",
            params![kind.name(), id, issuer, subject],
        )
    }

    /// Stores the time step of an accepted code.
    pub fn login_totp_step_set(&mut self, id: LoginId, step: i64) -> Result<(), StoreError> {
        self.update_one("login", "UPDATE login SET totp_step = $2 WHERE id = $1", params![id, step])
    }

    /// Stores what a person has enrolled with.
    pub fn login_factors_set(
        &mut self,
        id: LoginId,
        password_hash: &str,
        totp_secret: Option<&[u8]>,
        totp_step: i64,
    ) -> Result<(), StoreError> {
        self.update_one(
            "login",
            "UPDATE login SET password_hash = $2, totp_secret = $3, totp_step = $4 WHERE id = $1",
            params![id, password_hash, totp_secret, totp_step],
        )
    }

    /// Deletes everything that a person signs in with, and ends all sessions.
    pub fn login_factors_clear(&mut self, kind: LoginKind, id: LoginId) -> Result<(), StoreError> {
        self.recovery_code_clear(id)?;
        self.login_session_clear(id)?;
        self.execute("DELETE FROM login_passkey WHERE login = $1", params![id])?;
        self.update_one(
            "login",
            "UPDATE login SET password_hash = NULL, totp_secret = NULL, provider_issuer = NULL,
                    provider_subject = NULL
             WHERE kind = $1 AND id = $2",
            params![kind.name(), id],
        )
    }

    /// Sets since when a login is disabled, or enables it.
    pub fn login_disabled_set(
        &mut self,
        kind: LoginKind,
        id: LoginId,
        disabled_at: Option<Timestamp>,
    ) -> Result<(), StoreError> {
        self.update_one(
            "login",
            "UPDATE login SET disabled_at = $3 WHERE kind = $1 AND id = $2",
            params![kind.name(), id, disabled_at],
        )
    }

    /// Deletes a login with sessions, recovery codes and passkeys. Its person is deleted before.
    pub fn login_delete(&mut self, kind: LoginKind, id: LoginId) -> Result<(), StoreError> {
        self.recovery_code_clear(id)?;
        self.login_session_clear(id)?;
        self.execute("DELETE FROM login_passkey WHERE login = $1", params![id])?;
        self.update_one("login", "DELETE FROM login WHERE kind = $1 AND id = $2", params![kind.name(), id])
    }

    pub fn recovery_code_insert(&mut self, login: LoginId, hashes: &[[u8; 32]]) -> Result<(), StoreError> {
        for hash in hashes {
            self.execute(
                "INSERT INTO login_recovery_code (login, hash) VALUES ($1, $2)",
                params![login, hash],
            )?;
        }
        Ok(())
    }

    /// Uses up a recovery code; false when there is no such code.
    pub fn recovery_code_delete(&mut self, login: LoginId, hash: &[u8; 32]) -> Result<bool, StoreError> {
        let deleted = self.execute(
            "DELETE FROM login_recovery_code WHERE login = $1 AND hash = $2",
            params![login, hash],
        )?;
        Ok(deleted == 1)
    }

    /// Deletes all recovery codes of a login.
    pub fn recovery_code_clear(&mut self, login: LoginId) -> Result<(), StoreError> {
        self.execute("DELETE FROM login_recovery_code WHERE login = $1", params![login])?;
        Ok(())
    }

    /// The number of recovery codes that are not used.
    pub fn recovery_code_count(&mut self, login: LoginId) -> Result<i64, StoreError> {
        self.query_one("SELECT COUNT(*) FROM login_recovery_code WHERE login = $1", params![login], |row| {
            row.read()
        })
    }
}

fn login(row: &mut RowReader<'_>) -> Result<LoginRecord, StoreError> {
    Ok(LoginRecord {
        id: row.read()?,
        kind: row.parse(LoginKind::parse)?,
        email: row.parse(Email::parse)?,
        password_hash: row.read()?,
        totp_secret: row.read()?,
        totp_step: row.read()?,
        disabled_at: row.read()?,
    })
}
