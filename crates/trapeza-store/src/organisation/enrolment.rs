//! Invitations to the portal, and sign-ups that wait for the first code of the authenticator app.

use crate::error::StoreError;
use crate::params;
use crate::tx::Tx;
use crate::value::RowReader;
use trapeza_domain::contact::Email;
use trapeza_domain::id::{InvitationId, OrganisationId};
use trapeza_domain::organisation::MemberRole;
use trapeza_domain::time::Timestamp;

/// An invitation, without its token.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InvitationRecord {
    pub id: InvitationId,
    /// `None` for the owner of a new organisation.
    pub organisation: Option<OrganisationId>,
    pub email: Email,
    pub role: MemberRole,
    pub created_at: Timestamp,
    pub expires_at: Timestamp,
}

/// A sign-up before its first code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EnrolmentRecord {
    pub token_hash: [u8; 32],
    pub invitation: Option<InvitationId>,
    /// The name of the organisation to create; empty when the invitation names one.
    pub organisation_name: String,
    pub email: Email,
    pub name: String,
    pub password_hash: String,
    /// Encrypted.
    pub totp_secret: Vec<u8>,
    /// Wrong codes so far.
    pub attempts: i64,
    pub expires_at: Timestamp,
}

macro_rules! select_invitation {
    ($rest:literal) => {
        concat!("SELECT id, organisation, email, role, created_at, expires_at FROM member_invitation ", $rest)
    };
}

impl Tx<'_> {
    pub fn invitation_insert(
        &mut self,
        invitation: &InvitationRecord,
        token_hash: &[u8; 32],
    ) -> Result<(), StoreError> {
        self.execute(
            "INSERT INTO member_invitation (id, token_hash, organisation, email, role, created_at, expires_at)
             VALUES ($1, $2, $3, $4, $5, $6, $7)",
            params![
                invitation.id,
                token_hash,
                invitation.organisation,
                invitation.email.as_str(),
                invitation.role.name(),
                invitation.created_at,
                invitation.expires_at
            ],
        )?;
        Ok(())
    }

    /// The invitation of a token that has not expired.
    pub fn invitation_by_token(
        &mut self,
        token_hash: &[u8; 32],
        now: Timestamp,
    ) -> Result<Option<InvitationRecord>, StoreError> {
        self.query_opt(
            select_invitation!("WHERE token_hash = $1 AND expires_at > $2"),
            params![token_hash, now],
            invitation,
        )
    }

    /// An invitation that has not expired, locked until the transaction ends.
    pub fn invitation_lock(
        &mut self,
        id: InvitationId,
        now: Timestamp,
    ) -> Result<Option<InvitationRecord>, StoreError> {
        self.query_opt(
            select_invitation!("WHERE id = $1 AND expires_at > $2 FOR UPDATE"),
            params![id, now],
            invitation,
        )
    }

    /// The open invitations to an organisation, newest first.
    pub fn invitation_list(
        &mut self,
        organisation: OrganisationId,
        now: Timestamp,
    ) -> Result<Vec<InvitationRecord>, StoreError> {
        self.query(
            select_invitation!("WHERE organisation = $1 AND expires_at > $2 ORDER BY created_at DESC, id"),
            params![organisation, now],
            invitation,
        )
    }

    /// Deletes an invitation, because it was accepted or revoked; false when there is none.
    pub fn invitation_delete(
        &mut self,
        organisation: Option<OrganisationId>,
        id: InvitationId,
    ) -> Result<bool, StoreError> {
        let deleted = match organisation {
            Some(organisation) => self.execute(
                "DELETE FROM member_invitation WHERE organisation = $1 AND id = $2",
                params![organisation, id],
            ),
            None => self
                .execute("DELETE FROM member_invitation WHERE organisation IS NULL AND id = $1", params![id]),
        };
        Ok(deleted? == 1)
    }

    /// Inserts a sign-up in place of an earlier one of the same browser, and deletes those that have expired.
    pub fn enrolment_replace(
        &mut self,
        enrolment: &EnrolmentRecord,
        now: Timestamp,
    ) -> Result<(), StoreError> {
        self.execute(
            "DELETE FROM member_enrolment WHERE token_hash = $1 OR expires_at <= $2",
            params![&enrolment.token_hash, now],
        )?;
        self.execute(
            "INSERT INTO member_enrolment (token_hash, invitation, organisation_name, email, name, password_hash,
                totp_secret, attempts, expires_at)
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)",
            params![
                &enrolment.token_hash,
                enrolment.invitation,
                &enrolment.organisation_name,
                enrolment.email.as_str(),
                &enrolment.name,
                &enrolment.password_hash,
                &enrolment.totp_secret,
                enrolment.attempts,
                enrolment.expires_at
            ],
        )?;
        Ok(())
    }

    pub fn enrolment_find(
        &mut self,
        token_hash: &[u8; 32],
        now: Timestamp,
    ) -> Result<Option<EnrolmentRecord>, StoreError> {
        self.query_opt(
            "SELECT token_hash, invitation, organisation_name, email, name, password_hash, totp_secret, attempts,
                    expires_at
             FROM member_enrolment WHERE token_hash = $1 AND expires_at > $2",
            params![token_hash, now],
            enrolment,
        )
    }

    /// Counts a wrong code and returns how many there were.
    pub fn enrolment_attempt_count(&mut self, token_hash: &[u8; 32]) -> Result<i64, StoreError> {
        self.query_one(
            "UPDATE member_enrolment SET attempts = attempts + 1 WHERE token_hash = $1 RETURNING attempts",
            params![token_hash],
            |row| row.read(),
        )
    }

    pub fn enrolment_delete(&mut self, token_hash: &[u8; 32]) -> Result<(), StoreError> {
        self.execute("DELETE FROM member_enrolment WHERE token_hash = $1", params![token_hash])?;
        Ok(())
    }
}

fn invitation(row: &mut RowReader<'_>) -> Result<InvitationRecord, StoreError> {
    Ok(InvitationRecord {
        id: row.read()?,
        organisation: row.read()?,
        email: row.parse(Email::parse)?,
        role: row.parse(MemberRole::parse)?,
        created_at: row.read()?,
        expires_at: row.read()?,
    })
}

fn enrolment(row: &mut RowReader<'_>) -> Result<EnrolmentRecord, StoreError> {
    Ok(EnrolmentRecord {
        token_hash: row.read()?,
        invitation: row.read()?,
        organisation_name: row.read()?,
        email: row.parse(Email::parse)?,
        name: row.read()?,
        password_hash: row.read()?,
        totp_secret: row.read()?,
        attempts: row.read()?,
        expires_at: row.read()?,
    })
}
