//! Passkeys, and the challenges that were answered.

use crate::error::StoreError;
use crate::params;
use crate::tx::Tx;
use crate::value::RowReader;
use trapeza_domain::id::{LoginId, PasskeyId};
use trapeza_domain::time::Timestamp;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PasskeyRecord {
    pub id: PasskeyId,
    pub login: LoginId,
    /// The id of the credential, which its authenticator chose.
    pub credential: Vec<u8>,
    /// An uncompressed P-256 point.
    pub public_key: Vec<u8>,
    /// The counter of the last use; zero for authenticators without one.
    pub sign_count: i64,
    pub name: String,
    pub created_at: Timestamp,
    pub last_used_at: Option<Timestamp>,
}

macro_rules! select {
    ($rest:literal) => {
        concat!(
            "SELECT id, login, credential, public_key, sign_count, name, created_at, last_used_at
             FROM login_passkey ",
            $rest
        )
    };
}

impl Tx<'_> {
    pub fn passkey_insert(&mut self, passkey: &PasskeyRecord) -> Result<(), StoreError> {
        self.execute(
            "INSERT INTO login_passkey (id, login, credential, public_key, sign_count, name, created_at)
             VALUES ($1, $2, $3, $4, $5, $6, $7)",
            params![
                passkey.id,
                passkey.login,
                passkey.credential.as_slice(),
                passkey.public_key.as_slice(),
                passkey.sign_count,
                &passkey.name,
                passkey.created_at
            ],
        )?;
        Ok(())
    }

    /// The passkeys of a login, oldest first.
    pub fn passkey_list(&mut self, login: LoginId) -> Result<Vec<PasskeyRecord>, StoreError> {
        self.query(select!("WHERE login = $1 ORDER BY created_at, id"), params![login], passkey)
    }

    /// The passkey of a credential, of any login: the credential is what signs in.
    pub fn passkey_by_credential(&mut self, credential: &[u8]) -> Result<Option<PasskeyRecord>, StoreError> {
        self.query_opt(select!("WHERE credential = $1"), params![credential], passkey)
    }

    pub fn passkey_used_set(
        &mut self,
        (login, id): (LoginId, PasskeyId),
        sign_count: i64,
        now: Timestamp,
    ) -> Result<(), StoreError> {
        self.execute(
            "UPDATE login_passkey SET sign_count = $3, last_used_at = $4 WHERE login = $1 AND id = $2",
            params![login, id, sign_count, now],
        )?;
        Ok(())
    }

    /// Returns whether the login had this passkey.
    pub fn passkey_delete(&mut self, login: LoginId, id: PasskeyId) -> Result<bool, StoreError> {
        let deleted =
            self.execute("DELETE FROM login_passkey WHERE login = $1 AND id = $2", params![login, id])?;
        Ok(deleted == 1)
    }

    /// Marks a challenge as answered, and deletes those that cannot be answered any more. Returns whether it was not answered
    /// before.
    pub fn login_challenge_use(
        &mut self,
        challenge: &[u8],
        now: Timestamp,
        expires_at: Timestamp,
    ) -> Result<bool, StoreError> {
        self.execute("DELETE FROM login_challenge WHERE expires_at <= $1", params![now])?;
        let inserted = self.execute(
            "INSERT INTO login_challenge (challenge, expires_at) VALUES ($1, $2) ON CONFLICT DO NOTHING",
            params![challenge, expires_at],
        )?;
        Ok(inserted == 1)
    }
}

fn passkey(row: &mut RowReader<'_>) -> Result<PasskeyRecord, StoreError> {
    Ok(PasskeyRecord {
        id: row.read()?,
        login: row.read()?,
        credential: row.read()?,
        public_key: row.read()?,
        sign_count: row.read()?,
        name: row.read()?,
        created_at: row.read()?,
        last_used_at: row.read()?,
    })
}
