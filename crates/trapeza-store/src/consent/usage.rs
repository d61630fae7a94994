//! How often a consent was used, each use with its moment: the frequency counts the last 24 hours of any moment.

use crate::error::StoreError;
use crate::params;
use crate::tx::Tx;
use trapeza_domain::id::ConsentId;
use trapeza_domain::time::Timestamp;

/// What was read under which consent.
#[derive(Clone, Copy, Debug)]
pub struct ConsentUsage<'a> {
    pub consent: ConsentId,
    pub endpoint: &'static str,
    /// The id of the account or card; empty for a list.
    pub subject: &'a [u8],
}

impl Tx<'_> {
    /// How often since a moment, and when the oldest of those was.
    pub fn consent_usage_count(
        &mut self,
        usage: ConsentUsage<'_>,
        since: Timestamp,
    ) -> Result<(i64, Option<Timestamp>), StoreError> {
        self.query_one(
            "SELECT COUNT(*), MIN(at) FROM consent_use
             WHERE consent = $1 AND endpoint = $2 AND subject = $3 AND at > $4",
            params![usage.consent.as_bytes(), usage.endpoint, usage.subject, since.0],
            |row| Ok((row.int(0)?, row.opt_int(1)?.map(Timestamp))),
        )
    }

    pub fn consent_usage_insert(
        &mut self,
        usage: ConsentUsage<'_>,
        now: Timestamp,
    ) -> Result<(), StoreError> {
        self.execute(
            "INSERT INTO consent_use (consent, endpoint, subject, at) VALUES ($1, $2, $3, $4)",
            params![usage.consent.as_bytes(), usage.endpoint, usage.subject, now.0],
        )?;
        Ok(())
    }
}
