//! Problems with clearing files that an operator must look at.

use crate::error::StoreError;
use crate::params;
use crate::tx::Tx;
use trapeza_domain::time::Timestamp;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClearingProblem {
    pub file: String,
    pub problem: String,
    pub recorded_at: Timestamp,
}

/// A problem that no operator has acknowledged, with the number by which it is acknowledged.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OpenClearingProblem {
    pub id: i64,
    pub problem: ClearingProblem,
}

impl Tx<'_> {
    /// Inserts a problem; false when the file has it already, because the file is read again after a crash.
    pub fn clearing_problem_insert(&mut self, problem: &ClearingProblem) -> Result<bool, StoreError> {
        let inserted = self.execute(
            "INSERT INTO clearing_problem (file, problem, recorded_at) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING",
            params![&problem.file, &problem.problem, problem.recorded_at],
        )?;
        Ok(inserted == 1)
    }

    /// The problems recorded since a time that no operator has acknowledged, newest first.
    pub fn clearing_problem_list(
        &mut self,
        since: Timestamp,
        limit: i64,
    ) -> Result<Vec<OpenClearingProblem>, StoreError> {
        self.query(
            "SELECT id, file, problem, recorded_at FROM clearing_problem
             WHERE recorded_at >= $1 AND acknowledged_at IS NULL ORDER BY recorded_at DESC, file LIMIT $2",
            params![since, limit],
            |row| {
                let id = row.read()?;
                let (file, problem, recorded_at) = (row.read()?, row.read()?, row.read()?);
                Ok(OpenClearingProblem { id, problem: ClearingProblem { file, problem, recorded_at } })
            },
        )
    }

    /// Acknowledges a problem; false when there is no such problem, or it was acknowledged before.
    pub fn clearing_problem_acknowledge(
        &mut self,
        id: i64,
        now: Timestamp,
        by: &str,
        note: &str,
    ) -> Result<bool, StoreError> {
        let updated = self.execute(
            "UPDATE clearing_problem SET acknowledged_at = $2, acknowledged_by = $3, note = $4
             WHERE id = $1 AND acknowledged_at IS NULL",
            params![id, now, by, note],
        )?;
        Ok(updated == 1)
    }
}
