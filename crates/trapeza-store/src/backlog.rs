//! Work that waits, for monitoring. Every query reads the beginning or a range of a partial index.

use crate::error::StoreError;
use crate::params;
use crate::tx::Tx;
use trapeza_domain::time::Timestamp;

/// How much work waits, and since when the oldest of each kind does.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Backlog {
    pub sms_waiting: i64,
    pub sms_oldest: Option<Timestamp>,
    pub callbacks_waiting: i64,
    pub callbacks_oldest: Option<Timestamp>,
    pub callbacks_dead: i64,
    /// When the oldest payment was submitted to clearing that has no status report.
    pub clearing_oldest: Option<Timestamp>,
    /// The oldest deadline that has passed and that the sweep has not processed.
    pub sweep_oldest: Option<Timestamp>,
}

impl Tx<'_> {
    pub fn backlog_find(&mut self, now: Timestamp) -> Result<Backlog, StoreError> {
        let (sms_waiting, sms_oldest) = self.query_one(
            "SELECT COUNT(*), MIN(created_at) FROM notification WHERE status = 'waiting' AND channel = 'SMS'",
            &[],
            |row| Ok((row.read()?, row.read()?)),
        )?;
        let (callbacks_waiting, callbacks_oldest) = self.query_one(
            "SELECT COUNT(*), MIN(created_at) FROM callback WHERE status = 'waiting'",
            &[],
            |row| Ok((row.read()?, row.read()?)),
        )?;
        let callbacks_dead =
            self.query_one("SELECT COUNT(*) FROM callback WHERE status = 'dead'", &[], |row| row.read())?;
        Ok(Backlog {
            sms_waiting,
            sms_oldest,
            callbacks_waiting,
            callbacks_oldest,
            callbacks_dead,
            clearing_oldest: self.clearing_oldest_unanswered()?,
            sweep_oldest: self.oldest_deadline(now)?,
        })
    }

    /// An alert is pending or was raised for every payment without a status report; there is an index for either.
    fn clearing_oldest_unanswered(&mut self) -> Result<Option<Timestamp>, StoreError> {
        let alerted: Option<Timestamp> = self.query_one(
            "SELECT MIN(submitted_at) FROM clearing_transaction WHERE alerted AND answered_at IS NULL",
            &[],
            |row| row.read(),
        )?;
        let pending: Option<Timestamp> = self.query_opt(
            "SELECT submitted_at FROM clearing_transaction WHERE alert_at IS NOT NULL ORDER BY alert_at LIMIT 1",
            &[],
            |row| row.read(),
        )?;
        Ok(alerted.into_iter().chain(pending).min())
    }

    fn oldest_deadline(&mut self, now: Timestamp) -> Result<Option<Timestamp>, StoreError> {
        let mut oldest: Option<Timestamp> = None;
        for sql in [
            "SELECT MIN(deadline) FROM consent WHERE deadline <= $1",
            "SELECT MIN(deadline) FROM payment WHERE deadline <= $1",
            "SELECT MIN(deadline) FROM authorisation WHERE deadline <= $1",
            "SELECT MIN(deadline) FROM basket WHERE deadline <= $1",
        ] {
            let found: Option<Timestamp> = self.query_one(sql, params![now], |row| row.read())?;
            oldest = oldest.into_iter().chain(found).min();
        }
        Ok(oldest)
    }
}
