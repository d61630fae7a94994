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

impl Tx<'_> {
    /// Inserts a problem; false when the file has it already, because the file is read again after a crash.
    pub fn clearing_problem_insert(&mut self, problem: &ClearingProblem) -> Result<bool, StoreError> {
        let inserted = self.execute(
            "INSERT INTO clearing_problem (file, problem, recorded_at) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING",
            params![&problem.file, &problem.problem, problem.recorded_at],
        )?;
        Ok(inserted == 1)
    }

    /// The problems recorded since a time, newest first.
    pub fn clearing_problem_list(
        &mut self,
        since: Timestamp,
        limit: i64,
    ) -> Result<Vec<ClearingProblem>, StoreError> {
        self.query(
            "SELECT file, problem, recorded_at FROM clearing_problem WHERE recorded_at >= $1
             ORDER BY recorded_at DESC, file LIMIT $2",
            params![since, limit],
            |row| Ok(ClearingProblem { file: row.read()?, problem: row.read()?, recorded_at: row.read()? }),
        )
    }
}
