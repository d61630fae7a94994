//! Consents as rows. Every statement names the application, so that no third party reaches another's; only the sweep
//! looks across all of them. What a change of state means is decided elsewhere.

mod access;
mod funds;
mod permission;
pub(crate) mod reference;
mod usage;

pub use access::ConsentForRead;
pub use usage::ConsentUsage;

use crate::error::StoreError;
use crate::params;
use crate::tx::Tx;
use crate::value::Row;
use trapeza_domain::consent::{Consent, ConsentKind, ConsentState, ConsentStatus, Validity};
use trapeza_domain::id::{ApplicationId, ConsentId};
use trapeza_domain::time::Timestamp;

/// The most consents that one job of the sweep takes.
pub const CONSENT_SWEEP_ROWS: i64 = 100;

impl Tx<'_> {
    pub fn consent_find(
        &mut self,
        application: ApplicationId,
        id: ConsentId,
        kind: ConsentKind,
    ) -> Result<Option<Consent>, StoreError> {
        self.query_opt(
            "SELECT id, application, kind, psu, state, created_at, last_action, authorised_at, valid_until, recurring
             FROM consent WHERE id = $1 AND application = $2 AND kind = $3",
            params![id.as_bytes(), application.as_bytes(), kind.name()],
            consent,
        )
    }

    /// The same, and nobody else changes it before this transaction ends.
    pub fn consent_lock(
        &mut self,
        application: ApplicationId,
        id: ConsentId,
        kind: ConsentKind,
    ) -> Result<Option<Consent>, StoreError> {
        self.query_opt(
            "SELECT id, application, kind, psu, state, created_at, last_action, authorised_at, valid_until, recurring
             FROM consent WHERE id = $1 AND application = $2 AND kind = $3 FOR UPDATE",
            params![id.as_bytes(), application.as_bytes(), kind.name()],
            consent,
        )
    }

    /// Writes the state and what goes with it. The terms of a consent never change.
    pub fn consent_update(&mut self, consent: &Consent) -> Result<(), StoreError> {
        let changed = self.execute(
            "UPDATE consent SET state = $3, last_action = $4, due_at = $5,
                authorised_at = COALESCE($6, authorised_at)
             WHERE id = $1 AND application = $2",
            params![
                consent.id.as_bytes(),
                consent.application.as_bytes(),
                consent.state.status().name(),
                consent.last_action.0,
                due(consent),
                since(consent)
            ],
        )?;
        if changed == 1 { Ok(()) } else { Err(StoreError::internal("a consent to be changed is gone")) }
    }

    /// A customer's valid recurring consents to one third party, locked in the order of their ids.
    pub fn consent_recurring_lock(
        &mut self,
        application: ApplicationId,
        psu: &str,
    ) -> Result<Vec<Consent>, StoreError> {
        self.query(
            "SELECT id, application, kind, psu, state, created_at, last_action, authorised_at, valid_until, recurring
             FROM consent
             WHERE application = $1 AND psu = $2 AND kind = $3 AND state = $4 AND recurring = 1
             ORDER BY id FOR UPDATE",
            params![application.as_bytes(), psu, ConsentKind::Access.name(), ConsentStatus::Valid.name()],
            consent,
        )
    }

    /// Consents that time has overtaken, locked; those that somebody works on now are left for the next time.
    pub fn consent_expired(&mut self, now: Timestamp) -> Result<Vec<Consent>, StoreError> {
        self.query(
            "SELECT id, application, kind, psu, state, created_at, last_action, authorised_at, valid_until, recurring
             FROM consent WHERE due_at <= $1 ORDER BY due_at LIMIT $2 FOR UPDATE SKIP LOCKED",
            params![now.0, CONSENT_SWEEP_ROWS],
            consent,
        )
    }
}

fn due(consent: &Consent) -> Option<i64> {
    consent.next_deadline().map(|due| due.at.0)
}

fn since(consent: &Consent) -> Option<i64> {
    match consent.state {
        ConsentState::Valid { since } => Some(since.0),
        _ => None,
    }
}

/// The first ten columns of every query that answers a consent.
fn consent(row: &Row<'_>) -> Result<Consent, StoreError> {
    let kind =
        ConsentKind::parse(row.str(2)?).ok_or_else(|| StoreError::internal("a consent's kind is unknown"))?;
    // A funds consent has no end and is never one-off.
    let recurring = row.opt_int(9)?.is_none_or(|recurring| recurring != 0);
    Ok(Consent {
        id: row.id(0, ConsentId::new)?,
        application: row.id(1, ApplicationId::new)?,
        kind,
        psu: row.text(3)?,
        created_at: Timestamp(row.int(5)?),
        last_action: Timestamp(row.int(6)?),
        state: state(row)?,
        validity: Validity { end: row.opt_int(8)?.map(Timestamp), one_off: !recurring },
    })
}

fn state(row: &Row<'_>) -> Result<ConsentState, StoreError> {
    let status = ConsentStatus::parse(row.str(4)?);
    Ok(match status.ok_or_else(|| StoreError::internal("a consent's state is unknown"))? {
        ConsentStatus::Received => ConsentState::Received,
        ConsentStatus::Rejected => ConsentState::Rejected,
        ConsentStatus::Valid => ConsentState::Valid { since: Timestamp(row.int(7)?) },
        ConsentStatus::RevokedByPsu => ConsentState::RevokedByPsu,
        ConsentStatus::Expired => ConsentState::Expired,
        ConsentStatus::TerminatedByTpp => ConsentState::TerminatedByTpp,
    })
}
