//! Requests of staff for actions that need a second person.

use crate::error::StoreError;
use crate::params;
use crate::tx::Tx;
use crate::value::RowReader;
use trapeza_domain::id::StaffRequestId;
use trapeza_domain::staff::{RequestStatus, StaffAction, StaffRequest};
use trapeza_domain::time::Timestamp;

/// How many requests one job of the sweep takes.
pub const STAFF_REQUEST_SWEEP_ROWS: i64 = 100;

macro_rules! select {
    ($rest:literal) => {
        concat!(
            "SELECT id, action, parameters, reason, requested_by, requested_at, expires_at, status, decided_by,
                    decided_at, outcome, fingerprint
             FROM staff_request ",
            $rest
        )
    };
}

impl Tx<'_> {
    pub fn staff_request_insert(&mut self, request: &StaffRequest) -> Result<(), StoreError> {
        self.execute(
            "INSERT INTO staff_request (id, action, parameters, reason, requested_by, requested_at, expires_at,
                status, fingerprint)
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)",
            params![
                request.id,
                request.action.name(),
                &request.parameters,
                &request.reason,
                request.requested_by,
                request.requested_at,
                request.expires_at,
                request.status.name(),
                &request.fingerprint
            ],
        )?;
        Ok(())
    }

    pub fn staff_request_find(&mut self, id: StaffRequestId) -> Result<Option<StaffRequest>, StoreError> {
        self.query_opt(select!("WHERE id = $1"), params![id], request)
    }

    /// The same, locked until the transaction ends: a request is decided once.
    pub fn staff_request_lock(&mut self, id: StaffRequestId) -> Result<Option<StaffRequest>, StoreError> {
        self.query_opt(select!("WHERE id = $1 FOR UPDATE"), params![id], request)
    }

    /// Whether the same person has requested the same and no decision was made.
    pub fn staff_request_is_pending(
        &mut self,
        request: &StaffRequest,
        now: Timestamp,
    ) -> Result<bool, StoreError> {
        let found = self.query_opt(
            "SELECT 1 FROM staff_request
             WHERE status = 'pending' AND expires_at > $4 AND action = $1 AND parameters = $2 AND requested_by = $3
             LIMIT 1",
            params![request.action.name(), &request.parameters, request.requested_by, now],
            |row| row.read::<i64>(),
        )?;
        Ok(found.is_some())
    }

    /// The newest requests.
    pub fn staff_request_list(&mut self, limit: i64) -> Result<Vec<StaffRequest>, StoreError> {
        self.query(select!("ORDER BY requested_at DESC, id LIMIT $1"), params![limit], request)
    }

    /// Stores the decision on a request.
    pub fn staff_request_update(&mut self, request: &StaffRequest) -> Result<(), StoreError> {
        self.update_one(
            "staff_request",
            "UPDATE staff_request SET status = $2, decided_by = $3, decided_at = $4, outcome = $5 WHERE id = $1",
            params![
                request.id,
                request.status.name(),
                request.decided_by,
                request.decided_at,
                request.outcome.as_deref()
            ],
        )
    }

    /// Pending requests whose time is over, locked.
    pub fn staff_request_expired(&mut self, now: Timestamp) -> Result<Vec<StaffRequest>, StoreError> {
        self.query(
            select!("WHERE status = 'pending' AND expires_at <= $1 ORDER BY expires_at LIMIT $2 FOR UPDATE"),
            params![now, STAFF_REQUEST_SWEEP_ROWS],
            request,
        )
    }
}

fn request(row: &mut RowReader<'_>) -> Result<StaffRequest, StoreError> {
    Ok(StaffRequest {
        id: row.read()?,
        action: row.parse(StaffAction::parse)?,
        parameters: row.read()?,
        reason: row.read()?,
        requested_by: row.read()?,
        requested_at: row.read()?,
        expires_at: row.read()?,
        status: row.parse(RequestStatus::parse)?,
        decided_by: row.read()?,
        decided_at: row.read()?,
        outcome: row.read()?,
        fingerprint: row.read()?,
    })
}
