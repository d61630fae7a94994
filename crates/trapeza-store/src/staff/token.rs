//! Tokens with which staff use the admin API, stored as keyed hashes. Their times are the system's.

use super::{staff, staff_columns};
use crate::error::StoreError;
use crate::params;
use crate::tx::Tx;
use crate::value::RowReader;
use trapeza_domain::id::{StaffId, StaffTokenId};
use trapeza_domain::login::LoginKind;
use trapeza_domain::staff::Staff;
use trapeza_domain::time::Timestamp;

/// A token without the token itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StaffTokenRecord {
    pub id: StaffTokenId,
    pub staff: StaffId,
    /// What the person calls it.
    pub name: String,
    pub created_at: Timestamp,
    pub expires_at: Timestamp,
    pub last_used_at: Option<Timestamp>,
    pub revoked_at: Option<Timestamp>,
}

macro_rules! columns {
    () => {
        "t.id, t.staff, t.name, t.created_at, t.expires_at, t.last_used_at, t.revoked_at"
    };
}

impl Tx<'_> {
    pub fn staff_token_insert(
        &mut self,
        token: &StaffTokenRecord,
        token_hash: &[u8; 32],
    ) -> Result<(), StoreError> {
        self.execute(
            "INSERT INTO staff_token (id, staff, token_hash, name, created_at, expires_at)
             VALUES ($1, $2, $3, $4, $5, $6)",
            params![token.id, token.staff, token_hash, &token.name, token.created_at, token.expires_at],
        )?;
        Ok(())
    }

    /// The tokens of a person that were not revoked and have not expired, oldest first.
    pub fn staff_token_list(
        &mut self,
        staff: StaffId,
        now: Timestamp,
    ) -> Result<Vec<StaffTokenRecord>, StoreError> {
        self.query(
            concat!(
                "SELECT ",
                columns!(),
                " FROM staff_token t WHERE t.staff = $1 AND t.revoked_at IS NULL AND t.expires_at > $2
                 ORDER BY t.created_at, t.id"
            ),
            params![staff, now],
            token,
        )
    }

    /// The token with this hash and its person, unless the token was revoked or has expired, or the login is disabled.
    pub fn staff_token_find(
        &mut self,
        token_hash: &[u8; 32],
        now: Timestamp,
    ) -> Result<Option<(StaffTokenRecord, Staff)>, StoreError> {
        self.query_opt(
            concat!(
                "SELECT ",
                columns!(),
                ", ",
                staff_columns!(),
                " FROM staff_token t JOIN staff s ON s.id = t.staff JOIN login l ON l.id = s.id
                 WHERE t.token_hash = $1 AND t.revoked_at IS NULL AND t.expires_at > $2
                       AND l.kind = $3 AND l.disabled_at IS NULL"
            ),
            params![token_hash, now, LoginKind::Staff.name()],
            |row| Ok((token(row)?, staff(row)?)),
        )
    }

    pub fn staff_token_used_set(
        &mut self,
        staff: StaffId,
        id: StaffTokenId,
        now: Timestamp,
    ) -> Result<(), StoreError> {
        self.execute(
            "UPDATE staff_token SET last_used_at = $3 WHERE id = $1 AND staff = $2",
            params![id, staff, now],
        )?;
        Ok(())
    }

    /// Revokes a token; false when the person has no such token, or it was revoked before.
    pub fn staff_token_revoke(
        &mut self,
        staff: StaffId,
        id: StaffTokenId,
        now: Timestamp,
    ) -> Result<bool, StoreError> {
        let updated = self.execute(
            "UPDATE staff_token SET revoked_at = $3 WHERE id = $1 AND staff = $2 AND revoked_at IS NULL",
            params![id, staff, now],
        )?;
        Ok(updated == 1)
    }

    /// Revokes all tokens of a person. Returns how many there were.
    pub fn staff_token_revoke_all(&mut self, staff: StaffId, now: Timestamp) -> Result<u64, StoreError> {
        self.execute(
            "UPDATE staff_token SET revoked_at = $2 WHERE staff = $1 AND revoked_at IS NULL",
            params![staff, now],
        )
    }
}

fn token(row: &mut RowReader<'_>) -> Result<StaffTokenRecord, StoreError> {
    Ok(StaffTokenRecord {
        id: row.read()?,
        staff: row.read()?,
        name: row.read()?,
        created_at: row.read()?,
        expires_at: row.read()?,
        last_used_at: row.read()?,
        revoked_at: row.read()?,
    })
}
