//! Consents. Every query of a third party names the application; only the customer's own list and the sweep read those of
//! all third parties.

mod access;
mod delivery;
mod funds;
mod permission;
pub(crate) mod reference;
mod usage;

pub use access::ConsentForRead;
pub use usage::ConsentUsage;

use crate::error::{Required, StoreError};
use crate::params;
use crate::tx::Tx;
use crate::value::RowReader;
use trapeza_domain::consent::{
    Consent, ConsentKind, ConsentRejection, ConsentState, ConsentStatus, Validity,
};
use trapeza_domain::id::{ApplicationId, ConsentId};
use trapeza_domain::time::Timestamp;

/// How many consents one job of the sweep takes.
pub const CONSENT_SWEEP_ROWS: i64 = 100;

/// The columns that [`consent`] reads.
macro_rules! consent_columns {
    () => {
        "c.id, c.application, c.kind, c.psu_login, c.status, c.authorised_at, c.rejection_reason, c.created_at, c.last_action_at,
         c.valid_until, c.recurring, c.notifies, c.signing_basket"
    };
}
pub(crate) use consent_columns;

macro_rules! select {
    ($rest:literal) => {
        concat!("SELECT ", $crate::consent::consent_columns!(), " FROM consent c ", $rest)
    };
}
pub(crate) use select;

impl Tx<'_> {
    pub fn consent_find(
        &mut self,
        application: ApplicationId,
        id: ConsentId,
        kind: ConsentKind,
    ) -> Result<Option<Consent>, StoreError> {
        self.query_opt(
            select!("WHERE c.id = $1 AND c.application = $2 AND c.kind = $3"),
            params![id, application, kind.name()],
            consent,
        )
    }

    /// A consent of either kind.
    pub fn consent_find_any(
        &mut self,
        application: ApplicationId,
        id: ConsentId,
    ) -> Result<Option<Consent>, StoreError> {
        self.query_opt(select!("WHERE c.id = $1 AND c.application = $2"), params![id, application], consent)
    }

    /// The consents of an application before a position, newest first.
    pub fn consent_page_by_application(
        &mut self,
        application: ApplicationId,
        (created_at, id): (Timestamp, ConsentId),
        limit: i64,
    ) -> Result<Vec<Consent>, StoreError> {
        self.query(
            select!(
                "WHERE c.application = $1 AND (c.created_at < $2 OR (c.created_at = $2 AND c.id > $3))
                 ORDER BY c.created_at DESC, c.id LIMIT $4"
            ),
            params![application, created_at, id, limit],
            consent,
        )
    }

    /// The same, locked until the transaction ends.
    pub fn consent_lock(
        &mut self,
        application: ApplicationId,
        id: ConsentId,
        kind: ConsentKind,
    ) -> Result<Option<Consent>, StoreError> {
        self.query_opt(
            select!("WHERE c.id = $1 AND c.application = $2 AND c.kind = $3 FOR UPDATE"),
            params![id, application, kind.name()],
            consent,
        )
    }

    /// Updates the state. The terms of a consent never change.
    pub fn consent_update(&mut self, consent: &Consent) -> Result<(), StoreError> {
        self.update_one(
            "consent",
            "UPDATE consent SET status = $3, last_action_at = $4, deadline = $5,
                authorised_at = COALESCE($6, authorised_at), rejection_reason = $7
             WHERE id = $1 AND application = $2",
            params![
                consent.id,
                consent.application,
                consent.state.status().name(),
                consent.last_action,
                deadline(consent),
                authorised_at(consent),
                rejection(consent)
            ],
        )
    }

    /// The valid recurring access consents of a customer for one third party, locked in the order of their ids.
    pub fn consent_recurring_lock(
        &mut self,
        application: ApplicationId,
        psu_login: &str,
    ) -> Result<Vec<Consent>, StoreError> {
        self.query(
            select!(
                "WHERE c.application = $1 AND c.psu_login = $2 AND c.kind = $3 AND c.status = $4 AND c.recurring
                 ORDER BY c.id FOR UPDATE"
            ),
            params![application, psu_login, ConsentKind::Access.name(), ConsentStatus::Valid.name()],
            consent,
        )
    }

    /// Consents whose deadline has passed, locked, except those that are locked already.
    pub fn consent_expired(&mut self, now: Timestamp) -> Result<Vec<Consent>, StoreError> {
        self.query(
            select!("WHERE c.deadline <= $1 ORDER BY c.deadline LIMIT $2 FOR UPDATE SKIP LOCKED"),
            params![now, CONSENT_SWEEP_ROWS],
            consent,
        )
    }
}

fn deadline(consent: &Consent) -> Option<Timestamp> {
    consent.next_deadline().map(|due| due.at)
}

fn authorised_at(consent: &Consent) -> Option<Timestamp> {
    match consent.state {
        ConsentState::Valid { since } => Some(since),
        _ => None,
    }
}

fn rejection(consent: &Consent) -> Option<&'static str> {
    match consent.state {
        ConsentState::Rejected { reason } => Some(reason.name()),
        _ => None,
    }
}

fn consent(row: &mut RowReader<'_>) -> Result<Consent, StoreError> {
    Ok(Consent {
        id: row.read()?,
        application: row.read()?,
        kind: row.parse(ConsentKind::parse)?,
        psu: row.read()?,
        state: state(row)?,
        created_at: row.read()?,
        last_action: row.read()?,
        validity: Validity {
            end: row.read()?,
            // A funds consent has no end and is never one-off.
            one_off: row.read::<Option<bool>>()? == Some(false),
        },
        notifies: row.read()?,
        signing_basket: row.read()?,
    })
}

fn state(row: &mut RowReader<'_>) -> Result<ConsentState, StoreError> {
    let status = row.parse(ConsentStatus::parse)?;
    let authorised_at: Option<Timestamp> = row.read()?;
    let rejection = row.parse_opt(ConsentRejection::parse)?;
    Ok(match status {
        ConsentStatus::Received => ConsentState::Received,
        ConsentStatus::Rejected => {
            let reason = rejection.required("rejection_reason of a rejected consent")?;
            ConsentState::Rejected { reason }
        }
        ConsentStatus::Valid => {
            ConsentState::Valid { since: authorised_at.required("authorised_at of a valid consent")? }
        }
        ConsentStatus::RevokedByPsu => ConsentState::RevokedByPsu,
        ConsentStatus::Expired => ConsentState::Expired,
        ConsentStatus::TerminatedByTpp => ConsentState::TerminatedByTpp,
    })
}
