//! Organisations of the portal, their members and the applications that they own.

mod enrolment;

pub use enrolment::{EnrolmentRecord, InvitationRecord};

use crate::error::StoreError;
use crate::login::{LoginSessionRecord, session};
use crate::params;
use crate::tx::Tx;
use crate::value::RowReader;
use trapeza_domain::contact::Email;
use trapeza_domain::id::{ApplicationId, MemberId, OrganisationId};
use trapeza_domain::login::LoginKind;
use trapeza_domain::organisation::{Member, MemberRole, Organisation};
use trapeza_domain::time::Timestamp;

macro_rules! select {
    ($rest:literal) => {
        concat!(
            "SELECT m.id, m.organisation, l.email, m.name, m.role, m.created_at
             FROM member m JOIN login l ON l.id = m.id ",
            $rest
        )
    };
}

impl Tx<'_> {
    pub fn organisation_insert(&mut self, organisation: &Organisation) -> Result<(), StoreError> {
        self.execute(
            "INSERT INTO organisation (id, name, created_at) VALUES ($1, $2, $3)",
            params![organisation.id, &organisation.name, organisation.created_at],
        )?;
        Ok(())
    }

    pub fn organisation_find(&mut self, id: OrganisationId) -> Result<Option<Organisation>, StoreError> {
        self.query_opt("SELECT id, name, created_at FROM organisation WHERE id = $1", params![id], |row| {
            Ok(Organisation { id: row.read()?, name: row.read()?, created_at: row.read()? })
        })
    }

    /// All organisations, oldest first.
    pub fn organisation_list(&mut self) -> Result<Vec<Organisation>, StoreError> {
        self.query("SELECT id, name, created_at FROM organisation ORDER BY created_at, id", &[], |row| {
            Ok(Organisation { id: row.read()?, name: row.read()?, created_at: row.read()? })
        })
    }

    /// The organisation of an application.
    pub fn application_organisation(
        &mut self,
        id: ApplicationId,
    ) -> Result<Option<OrganisationId>, StoreError> {
        let found =
            self.query_opt("SELECT organisation FROM application WHERE id = $1", params![id], |row| {
                row.read()
            })?;
        Ok(found.flatten())
    }

    /// Sets the organisation whose members manage an application, or removes it.
    pub fn application_organisation_set(
        &mut self,
        id: ApplicationId,
        organisation: Option<OrganisationId>,
    ) -> Result<(), StoreError> {
        self.update_one(
            "application",
            "UPDATE application SET organisation = $2 WHERE id = $1",
            params![id, organisation],
        )
    }

    /// Inserts a member, whose login was inserted before.
    pub fn member_insert(&mut self, member: &Member) -> Result<(), StoreError> {
        self.execute(
            "INSERT INTO member (id, organisation, name, role, created_at) VALUES ($1, $2, $3, $4, $5)",
            params![member.id, member.organisation, &member.name, member.role.name(), member.created_at],
        )?;
        Ok(())
    }

    /// The session of a token with its member and organisation, if it started after `started_after` and was used after `seen_after`.
    pub fn member_session_find(
        &mut self,
        token_hash: &[u8; 32],
        started_after: Timestamp,
        seen_after: Timestamp,
    ) -> Result<Option<(LoginSessionRecord, Member, Organisation)>, StoreError> {
        self.query_opt(
            "SELECT s.id, s.browser, s.created_at, s.last_seen_at,
                    m.id, m.organisation, l.email, m.name, m.role, m.created_at, o.id, o.name, o.created_at
             FROM login_session s JOIN login l ON l.id = s.login JOIN member m ON m.id = l.id
                  JOIN organisation o ON o.id = m.organisation
             WHERE s.token_hash = $1 AND s.created_at > $2 AND s.last_seen_at > $3
                   AND l.kind = $4 AND l.disabled_at IS NULL",
            params![token_hash, started_after, seen_after, LoginKind::Member.name()],
            |row| {
                let session = session(row)?;
                let member = member(row)?;
                let organisation =
                    Organisation { id: row.read()?, name: row.read()?, created_at: row.read()? };
                Ok((session, member, organisation))
            },
        )
    }

    /// The members of an organisation, oldest first.
    pub fn member_list(&mut self, organisation: OrganisationId) -> Result<Vec<Member>, StoreError> {
        self.query(
            select!("WHERE m.organisation = $1 ORDER BY m.created_at, m.id"),
            params![organisation],
            member,
        )
    }

    /// The same, locked until the transaction ends, so that two owners cannot remove each other at the same time.
    pub fn member_list_lock(&mut self, organisation: OrganisationId) -> Result<Vec<Member>, StoreError> {
        self.query(
            select!("WHERE m.organisation = $1 ORDER BY m.id FOR UPDATE"),
            params![organisation],
            member,
        )
    }

    pub fn member_role_set(
        &mut self,
        organisation: OrganisationId,
        id: MemberId,
        role: MemberRole,
    ) -> Result<(), StoreError> {
        self.update_one(
            "member",
            "UPDATE member SET role = $3 WHERE organisation = $1 AND id = $2",
            params![organisation, id, role.name()],
        )
    }

    /// Deletes a member with the login.
    pub fn member_delete(&mut self, organisation: OrganisationId, id: MemberId) -> Result<(), StoreError> {
        self.update_one(
            "member",
            "DELETE FROM member WHERE organisation = $1 AND id = $2",
            params![organisation, id],
        )?;
        self.login_delete(LoginKind::Member, id.into())
    }
}

fn member(row: &mut RowReader<'_>) -> Result<Member, StoreError> {
    Ok(Member {
        id: row.read()?,
        organisation: row.read()?,
        email: row.parse(Email::parse)?,
        name: row.read()?,
        role: row.parse(MemberRole::parse)?,
        created_at: row.read()?,
    })
}
