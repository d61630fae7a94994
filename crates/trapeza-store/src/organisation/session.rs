//! Sessions of members in the portal. A session is found by the keyed hash of its token.

use super::member;
use crate::error::StoreError;
use crate::params;
use crate::tx::Tx;
use trapeza_domain::id::{MemberId, MemberSessionId};
use trapeza_domain::organisation::{Member, Organisation};
use trapeza_domain::time::Timestamp;

/// A session that begins.
#[derive(Clone, Debug)]
pub struct NewMemberSession {
    pub id: MemberSessionId,
    pub token_hash: [u8; 32],
    pub member: MemberId,
    pub browser: String,
    pub now: Timestamp,
}

/// A session as its member sees it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MemberSessionRecord {
    pub id: MemberSessionId,
    pub browser: String,
    pub created_at: Timestamp,
    pub last_seen_at: Timestamp,
}

impl Tx<'_> {
    pub fn member_session_insert(&mut self, session: &NewMemberSession) -> Result<(), StoreError> {
        self.execute(
            "INSERT INTO member_session (id, token_hash, member, browser, created_at, last_seen_at)
             VALUES ($1, $2, $3, $4, $5, $5)",
            params![session.id, &session.token_hash, session.member, &session.browser, session.now],
        )?;
        Ok(())
    }

    /// The session of a token with its member and organisation, if it began after `begun_after` and was used after `seen_after`.
    pub fn member_session_find(
        &mut self,
        token_hash: &[u8; 32],
        begun_after: Timestamp,
        seen_after: Timestamp,
    ) -> Result<Option<(MemberSessionRecord, Member, Organisation)>, StoreError> {
        self.query_opt(
            "SELECT s.id, s.browser, s.created_at, s.last_seen_at,
                    m.id, m.organisation, m.email, m.name, m.role, m.created_at, o.id, o.name, o.created_at
             FROM member_session s JOIN member m ON m.id = s.member JOIN organisation o ON o.id = m.organisation
             WHERE s.token_hash = $1 AND s.created_at > $2 AND s.last_seen_at > $3",
            params![token_hash, begun_after, seen_after],
            |row| {
                let session = session(row)?;
                let member = member(row)?;
                let organisation =
                    Organisation { id: row.read()?, name: row.read()?, created_at: row.read()? };
                Ok((session, member, organisation))
            },
        )
    }

    /// The sessions of a member that have not expired, newest first.
    pub fn member_session_list(
        &mut self,
        member: MemberId,
        begun_after: Timestamp,
        seen_after: Timestamp,
    ) -> Result<Vec<MemberSessionRecord>, StoreError> {
        self.query(
            "SELECT id, browser, created_at, last_seen_at FROM member_session
             WHERE member = $1 AND created_at > $2 AND last_seen_at > $3 ORDER BY created_at DESC, id",
            params![member, begun_after, seen_after],
            session,
        )
    }

    pub fn member_session_seen_set(&mut self, id: MemberSessionId, now: Timestamp) -> Result<(), StoreError> {
        self.execute("UPDATE member_session SET last_seen_at = $2 WHERE id = $1", params![id, now])?;
        Ok(())
    }

    /// Deletes one session of a member; false when there is none.
    pub fn member_session_delete(
        &mut self,
        member: MemberId,
        id: MemberSessionId,
    ) -> Result<bool, StoreError> {
        let deleted =
            self.execute("DELETE FROM member_session WHERE member = $1 AND id = $2", params![member, id])?;
        Ok(deleted == 1)
    }

    /// Deletes the expired sessions of a member.
    pub fn member_session_purge(
        &mut self,
        member: MemberId,
        begun_until: Timestamp,
        seen_until: Timestamp,
    ) -> Result<(), StoreError> {
        self.execute(
            "DELETE FROM member_session WHERE member = $1 AND (created_at <= $2 OR last_seen_at <= $3)",
            params![member, begun_until, seen_until],
        )?;
        Ok(())
    }
}

fn session(row: &mut crate::value::RowReader<'_>) -> Result<MemberSessionRecord, StoreError> {
    Ok(MemberSessionRecord {
        id: row.read()?,
        browser: row.read()?,
        created_at: row.read()?,
        last_seen_at: row.read()?,
    })
}
