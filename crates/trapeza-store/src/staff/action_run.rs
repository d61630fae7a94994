//! What staff ran or requested, by the key of the form or call, so that each has one effect.

use crate::error::StoreError;
use crate::params;
use crate::tx::Tx;
use trapeza_domain::id::{StaffId, StaffRequestId};
use trapeza_domain::staff::StaffAction;
use trapeza_domain::time::Timestamp;
use uuid::Uuid;

/// An action that was run or requested once for a key, with what is returned when it is sent again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StaffActionReplay {
    pub key: Uuid,
    pub staff: StaffId,
    pub action: StaffAction,
    /// The parameters of the action as a JSON object.
    pub parameters: String,
    pub reason: String,
    pub run_at: Timestamp,
    /// What the action did, unless it was requested.
    pub outcome: Option<String>,
    pub request: Option<StaffRequestId>,
}

impl Tx<'_> {
    /// Inserts it unless the key exists; returns whether it was inserted.
    pub fn staff_action_run_insert(&mut self, run: &StaffActionReplay) -> Result<bool, StoreError> {
        let inserted = self.execute(
            "INSERT INTO staff_action_run (key, staff, action, parameters, reason, run_at)
             VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT (key) DO NOTHING",
            params![run.key, run.staff, run.action.name(), &run.parameters, &run.reason, run.run_at],
        )?;
        Ok(inserted == 1)
    }

    /// Stores what came of it.
    pub fn staff_action_run_finish(
        &mut self,
        key: Uuid,
        outcome: Option<&str>,
        request: Option<StaffRequestId>,
    ) -> Result<(), StoreError> {
        self.update_one(
            "staff_action_run",
            "UPDATE staff_action_run SET outcome = $2, request = $3 WHERE key = $1",
            params![key, outcome, request],
        )
    }

    pub fn staff_action_run_find(&mut self, key: Uuid) -> Result<Option<StaffActionReplay>, StoreError> {
        self.query_opt(
            "SELECT key, staff, action, parameters, reason, run_at, outcome, request
             FROM staff_action_run WHERE key = $1",
            params![key],
            |row| {
                Ok(StaffActionReplay {
                    key: row.read()?,
                    staff: row.read()?,
                    action: row.parse(StaffAction::parse)?,
                    parameters: row.read()?,
                    reason: row.read()?,
                    run_at: row.read()?,
                    outcome: row.read()?,
                    request: row.read()?,
                })
            },
        )
    }
}
