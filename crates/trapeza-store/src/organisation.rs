//! Organisations of the portal, their members and the applications that they own.

mod enrolment;
mod passkey;
mod session;

pub use enrolment::{EnrolmentRecord, InvitationRecord};
pub use passkey::PasskeyRecord;
pub use session::{MemberSessionRecord, NewMemberSession};

use crate::error::StoreError;
use crate::params;
use crate::tx::Tx;
use crate::value::RowReader;
use trapeza_domain::contact::Email;
use trapeza_domain::id::{ApplicationId, MemberId, OrganisationId};
use trapeza_domain::organisation::{Member, MemberRole, Organisation};

/// What a sign-in is verified against.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MemberCredentials {
    pub member: Member,
    pub password_hash: String,
    /// Encrypted.
    pub totp_secret: Vec<u8>,
    /// The last time step whose code was accepted.
    pub totp_step: i64,
}

macro_rules! select {
    ($rest:literal) => {
        concat!("SELECT m.id, m.organisation, m.email, m.name, m.role, m.created_at ", $rest)
    };
}

macro_rules! select_credentials {
    ($rest:literal) => {
        concat!(
            "SELECT m.id, m.organisation, m.email, m.name, m.role, m.created_at, m.password_hash, m.totp_secret,
                    m.totp_step FROM member m ",
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

    pub fn member_insert(&mut self, credentials: &MemberCredentials) -> Result<(), StoreError> {
        let MemberCredentials { member, password_hash, totp_secret, totp_step } = credentials;
        self.execute(
            "INSERT INTO member (id, organisation, email, name, role, password_hash, totp_secret, totp_step, created_at)
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)",
            params![
                member.id,
                member.organisation,
                member.email.as_str(),
                &member.name,
                member.role.name(),
                password_hash,
                totp_secret,
                *totp_step,
                member.created_at
            ],
        )?;
        Ok(())
    }

    pub fn member_by_email(&mut self, email: &Email) -> Result<Option<MemberCredentials>, StoreError> {
        self.query_opt(select_credentials!("WHERE m.email = $1"), params![email.as_str()], credentials)
    }

    /// The credentials of a member, locked until the transaction ends.
    pub fn member_lock(&mut self, id: MemberId) -> Result<Option<MemberCredentials>, StoreError> {
        self.query_opt(select_credentials!("WHERE m.id = $1 FOR UPDATE"), params![id], credentials)
    }

    /// The members of an organisation, oldest first.
    pub fn member_list(&mut self, organisation: OrganisationId) -> Result<Vec<Member>, StoreError> {
        self.query(
            select!("FROM member m WHERE m.organisation = $1 ORDER BY m.created_at, m.id"),
            params![organisation],
            member,
        )
    }

    /// The same, locked until the transaction ends, so that two owners cannot remove each other at the same time.
    pub fn member_list_lock(&mut self, organisation: OrganisationId) -> Result<Vec<Member>, StoreError> {
        self.query(
            select!("FROM member m WHERE m.organisation = $1 ORDER BY m.id FOR UPDATE"),
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

    /// Stores the time step of an accepted code.
    pub fn member_totp_step_set(&mut self, id: MemberId, step: i64) -> Result<(), StoreError> {
        self.update_one("member", "UPDATE member SET totp_step = $2 WHERE id = $1", params![id, step])
    }

    /// Deletes a member with sessions and recovery codes.
    pub fn member_delete(&mut self, organisation: OrganisationId, id: MemberId) -> Result<(), StoreError> {
        self.execute("DELETE FROM member_recovery_code WHERE member = $1", params![id])?;
        self.execute("DELETE FROM member_session WHERE member = $1", params![id])?;
        self.execute("DELETE FROM member_passkey WHERE member = $1", params![id])?;
        self.update_one(
            "member",
            "DELETE FROM member WHERE organisation = $1 AND id = $2",
            params![organisation, id],
        )
    }

    pub fn recovery_code_insert(&mut self, member: MemberId, hashes: &[[u8; 32]]) -> Result<(), StoreError> {
        for hash in hashes {
            self.execute(
                "INSERT INTO member_recovery_code (member, hash) VALUES ($1, $2)",
                params![member, hash],
            )?;
        }
        Ok(())
    }

    /// Uses up a recovery code; false when there is no such code.
    pub fn recovery_code_delete(&mut self, member: MemberId, hash: &[u8; 32]) -> Result<bool, StoreError> {
        let deleted = self.execute(
            "DELETE FROM member_recovery_code WHERE member = $1 AND hash = $2",
            params![member, hash],
        )?;
        Ok(deleted == 1)
    }

    /// The number of recovery codes that are not used.
    pub fn recovery_code_count(&mut self, member: MemberId) -> Result<i64, StoreError> {
        self.query_one(
            "SELECT COUNT(*) FROM member_recovery_code WHERE member = $1",
            params![member],
            |row| row.read(),
        )
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

fn credentials(row: &mut RowReader<'_>) -> Result<MemberCredentials, StoreError> {
    Ok(MemberCredentials {
        member: member(row)?,
        password_hash: row.read()?,
        totp_secret: row.read()?,
        totp_step: row.read()?,
    })
}
