//! The usage of consents. Each use has its time, since a quota counts the 24 hours before a read.

use crate::error::StoreError;
use crate::params;
use crate::tx::Tx;
use trapeza_domain::id::ConsentId;
use trapeza_domain::time::{TimeDelta, Timestamp};
use uuid::Uuid;

/// No quota counts the uses of a longer time.
const LONGEST_QUOTA: TimeDelta = TimeDelta::hours(24);

/// A read under a consent.
#[derive(Clone, Copy, Debug)]
pub struct ConsentUsage {
    pub consent: ConsentId,
    pub endpoint: &'static str,
    /// The id of the account or card; `None` for a list.
    pub subject: Option<Uuid>,
}

impl ConsentUsage {
    pub(super) fn subject_or_nil(self) -> Uuid {
        self.subject.unwrap_or_default()
    }
}

impl Tx<'_> {
    /// How often a consent was used after `since`, and the oldest of these uses.
    pub fn consent_usage_count(
        &mut self,
        usage: ConsentUsage,
        since: Timestamp,
    ) -> Result<(i64, Option<Timestamp>), StoreError> {
        self.query_one(
            "SELECT COUNT(*), MIN(used_at) FROM consent_usage
             WHERE consent = $1 AND endpoint = $2 AND subject = $3 AND used_at > $4",
            params![usage.consent, usage.endpoint, usage.subject_or_nil(), since],
            |row| Ok((row.read()?, row.read()?)),
        )
    }

    /// Records a use. Uses that no quota counts any more are deleted.
    pub fn consent_usage_insert(&mut self, usage: ConsentUsage, now: Timestamp) -> Result<(), StoreError> {
        self.execute_deferred(
            "DELETE FROM consent_usage WHERE consent = $1 AND endpoint = $2 AND subject = $3 AND used_at <= $4",
            params![usage.consent, usage.endpoint, usage.subject_or_nil(), now.minus(LONGEST_QUOTA)],
        )?;
        self.execute(
            "INSERT INTO consent_usage (consent, endpoint, subject, used_at) VALUES ($1, $2, $3, $4)",
            params![usage.consent, usage.endpoint, usage.subject_or_nil(), now],
        )?;
        Ok(())
    }

    /// What of a consent was used after `since`: endpoint, account or card (nil for a list), and how often.
    pub fn consent_usage_list(
        &mut self,
        consent: ConsentId,
        since: Timestamp,
    ) -> Result<Vec<(String, Uuid, i64)>, StoreError> {
        self.query(
            "SELECT endpoint, subject, COUNT(*) FROM consent_usage WHERE consent = $1 AND used_at > $2
             GROUP BY endpoint, subject ORDER BY endpoint, subject",
            params![consent, since],
            |row| Ok((row.read()?, row.read()?, row.read()?)),
        )
    }

    /// How often each endpoint may be read in 24 hours; `None` for a consent without such a limit.
    pub fn consent_frequency(&mut self, consent: ConsentId) -> Result<Option<i64>, StoreError> {
        let found =
            self.query_opt("SELECT frequency_per_day FROM consent WHERE id = $1", params![consent], |row| {
                row.read::<Option<i64>>()
            })?;
        Ok(found.flatten())
    }
}
