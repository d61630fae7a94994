//! The bank's staff and their enrolment links.

mod action_run;
mod request;
mod token;

pub use action_run::StaffActionReplay;
pub use request::STAFF_REQUEST_SWEEP_ROWS;
pub use token::StaffTokenRecord;

use crate::error::StoreError;
use crate::login::{LoginSessionRecord, session};
use crate::params;
use crate::tx::Tx;
use crate::value::RowReader;
use trapeza_domain::contact::Email;
use trapeza_domain::id::StaffId;
use trapeza_domain::login::LoginKind;
use trapeza_domain::staff::{Staff, StaffRole, StaffStatus};
use trapeza_domain::time::Timestamp;

macro_rules! staff_columns {
    () => {
        "s.id, l.email, s.name, s.role,
         CASE WHEN l.disabled_at IS NOT NULL THEN 'disabled'
              WHEN l.password_hash IS NULL AND l.provider_subject IS NULL THEN 'invited'
              WHEN s.link_holder IS NOT NULL THEN 'unconfirmed' ELSE 'active' END,
         s.created_at"
    };
}

pub(crate) use staff_columns;

macro_rules! select {
    ($rest:literal) => {
        concat!("SELECT ", staff_columns!(), " FROM staff s JOIN login l ON l.id = s.id ", $rest)
    };
}

/// What the confirmation of an enrolment depends on.
pub struct StaffConfirmation {
    /// The person who has seen the enrolment link, if the enrolment must be confirmed.
    pub link_holder: Option<StaffId>,
    pub password_hash: Option<String>,
}

impl Tx<'_> {
    /// Inserts a member of the staff, whose login was inserted before.
    pub fn staff_insert(&mut self, staff: &Staff) -> Result<(), StoreError> {
        self.execute(
            "INSERT INTO staff (id, name, role, created_at) VALUES ($1, $2, $3, $4)",
            params![staff.id, &staff.name, staff.role.name(), staff.created_at],
        )?;
        Ok(())
    }

    pub fn staff_find(&mut self, id: StaffId) -> Result<Option<Staff>, StoreError> {
        self.query_opt(select!("WHERE s.id = $1"), params![id], staff)
    }

    /// All staff, oldest first.
    pub fn staff_list(&mut self) -> Result<Vec<Staff>, StoreError> {
        self.query(select!("ORDER BY s.created_at, s.id"), &[], staff)
    }

    /// The same, locked until the transaction ends, so that two administrators cannot disable each other at the same time.
    pub fn staff_list_lock(&mut self) -> Result<Vec<Staff>, StoreError> {
        self.query(select!("ORDER BY s.id FOR UPDATE"), &[], staff)
    }

    /// What the confirmation of an enrolment depends on.
    pub fn staff_confirmation_find(&mut self, id: StaffId) -> Result<Option<StaffConfirmation>, StoreError> {
        self.query_opt(
            "SELECT s.link_holder, l.password_hash FROM staff s JOIN login l ON l.id = s.id WHERE s.id = $1",
            params![id],
            |row| Ok(StaffConfirmation { link_holder: row.read()?, password_hash: row.read()? }),
        )
    }

    /// Stores who has seen the enrolment link; `None` when the enrolment needs no confirmation, or is confirmed.
    pub fn staff_link_holder_set(&mut self, id: StaffId, holder: Option<StaffId>) -> Result<(), StoreError> {
        self.update_one("staff", "UPDATE staff SET link_holder = $2 WHERE id = $1", params![id, holder])
    }

    pub fn staff_role_set(&mut self, id: StaffId, role: StaffRole) -> Result<(), StoreError> {
        self.update_one("staff", "UPDATE staff SET role = $2 WHERE id = $1", params![id, role.name()])
    }

    /// The session of a token with its person, if it started after `started_after` and was used after `seen_after`.
    pub fn staff_session_find(
        &mut self,
        token_hash: &[u8; 32],
        started_after: Timestamp,
        seen_after: Timestamp,
    ) -> Result<Option<(LoginSessionRecord, Staff)>, StoreError> {
        self.query_opt(
            concat!(
                "SELECT t.id, t.browser, t.created_at, t.last_seen_at, ",
                staff_columns!(),
                " FROM login_session t JOIN login l ON l.id = t.login JOIN staff s ON s.id = l.id
                 WHERE t.token_hash = $1 AND t.created_at > $2 AND t.last_seen_at > $3
                       AND l.kind = $4 AND l.disabled_at IS NULL AND s.link_holder IS NULL"
            ),
            params![token_hash, started_after, seen_after, LoginKind::Staff.name()],
            |row| Ok((session(row)?, staff(row)?)),
        )
    }

    /// Stores the link with which a person enrols, in place of an earlier one.
    pub fn staff_enrolment_replace(
        &mut self,
        id: StaffId,
        token_hash: &[u8; 32],
        expires_at: Timestamp,
    ) -> Result<(), StoreError> {
        self.staff_enrolment_delete(id)?;
        self.execute(
            "INSERT INTO staff_enrolment (staff, token_hash, expires_at) VALUES ($1, $2, $3)",
            params![id, token_hash, expires_at],
        )?;
        Ok(())
    }

    /// The person of an enrolment link that has not expired.
    pub fn staff_enrolment_find(
        &mut self,
        token_hash: &[u8; 32],
        now: Timestamp,
    ) -> Result<Option<Staff>, StoreError> {
        self.query_opt(
            select!("JOIN staff_enrolment e ON e.staff = s.id WHERE e.token_hash = $1 AND e.expires_at > $2"),
            params![token_hash, now],
            staff,
        )
    }

    pub fn staff_enrolment_delete(&mut self, id: StaffId) -> Result<(), StoreError> {
        self.execute("DELETE FROM staff_enrolment WHERE staff = $1", params![id])?;
        Ok(())
    }
}

fn staff(row: &mut RowReader<'_>) -> Result<Staff, StoreError> {
    Ok(Staff {
        id: row.read()?,
        email: row.parse(Email::parse)?,
        name: row.read()?,
        role: row.parse(StaffRole::parse)?,
        status: row.parse(StaffStatus::parse)?,
        created_at: row.read()?,
    })
}
