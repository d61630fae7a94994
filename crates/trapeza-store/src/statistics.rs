//! Counts of requests and periods of serving, per process. Each process writes its own rows with absolute values: a write that is
//! repeated changes nothing.

use crate::error::StoreError;
use crate::params;
use crate::tx::Tx;
use crate::value::RowReader;
use trapeza_domain::statistics::{BUCKETS, CallCounts, Interface, MeasuredCall, Service, ServingPeriod};
use trapeza_domain::time::{Date, Timestamp};
use uuid::Uuid;

impl Tx<'_> {
    /// Stores what a process has counted on a day so far.
    pub fn call_count_save(
        &mut self,
        process: Uuid,
        day: Date,
        call: MeasuredCall,
        counts: &CallCounts,
    ) -> Result<(), StoreError> {
        let buckets = counts.buckets.map(|count| count.to_string()).join(",");
        self.execute_deferred(
            "INSERT INTO call_count (day, interface, service, process, requests, errors, micros_total, micros_max, buckets)
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)
             ON CONFLICT (day, interface, service, process) DO UPDATE SET requests = excluded.requests,
                errors = excluded.errors, micros_total = excluded.micros_total, micros_max = excluded.micros_max,
                buckets = excluded.buckets",
            params![
                day,
                call.interface.name(),
                call.service.name(),
                process,
                signed(counts.requests),
                signed(counts.errors),
                signed(counts.micros_total),
                signed(counts.micros_max),
                &buckets
            ],
        )
    }

    /// What all processes have counted from one day to another.
    pub fn call_count_list(
        &mut self,
        first: Date,
        last: Date,
    ) -> Result<Vec<(Date, MeasuredCall, CallCounts)>, StoreError> {
        self.query(
            "SELECT day, interface, service, requests, errors, micros_total, micros_max, buckets FROM call_count
             WHERE day >= $1 AND day <= $2",
            params![first, last],
            |row| {
                let day = row.read()?;
                let call = MeasuredCall {
                    interface: row.parse(Interface::parse)?,
                    service: row.parse(Service::parse)?,
                };
                let counts = CallCounts {
                    requests: unsigned(row)?,
                    errors: unsigned(row)?,
                    micros_total: unsigned(row)?,
                    micros_max: unsigned(row)?,
                    buckets: row.parse(buckets_parse)?,
                };
                Ok((day, call, counts))
            },
        )
    }

    /// Stores that a process has served an interface until the end of the period.
    pub fn serving_period_save(
        &mut self,
        process: Uuid,
        interface: Interface,
        period: &ServingPeriod,
    ) -> Result<(), StoreError> {
        self.execute_deferred(
            "INSERT INTO serving_period (interface, process, started_at, ended_at, is_stopped)
             VALUES ($1, $2, $3, $4, $5)
             ON CONFLICT (interface, process, started_at) DO UPDATE SET ended_at = excluded.ended_at,
                is_stopped = excluded.is_stopped",
            params![interface.name(), process, period.started_at, period.ended_at, period.is_stopped],
        )
    }

    /// The periods of all processes that reach into a time, and the last one before it, by their start.
    pub fn serving_period_list(
        &mut self,
        interface: Interface,
        from: Timestamp,
        to: Timestamp,
    ) -> Result<Vec<ServingPeriod>, StoreError> {
        self.query(
            "SELECT started_at, ended_at, is_stopped FROM serving_period
             WHERE interface = $1 AND started_at < $3 AND ended_at >=
                COALESCE((SELECT MAX(ended_at) FROM serving_period WHERE interface = $1 AND ended_at < $2), $2)
             ORDER BY started_at, ended_at",
            params![interface.name(), from, to],
            |row| {
                Ok(ServingPeriod {
                    started_at: row.read()?,
                    ended_at: row.read()?,
                    is_stopped: row.read()?,
                })
            },
        )
    }

    /// When the bank was first served.
    pub fn serving_period_first(&mut self) -> Result<Option<Timestamp>, StoreError> {
        self.query_one("SELECT MIN(started_at) FROM serving_period", &[], |row| row.read())
    }
}

fn buckets_parse(text: &str) -> Option<[u64; BUCKETS]> {
    let counts: Option<Vec<u64>> = text.split(',').map(|count| count.parse().ok()).collect();
    counts?.try_into().ok()
}

fn signed(count: u64) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}

fn unsigned(row: &mut RowReader<'_>) -> Result<u64, StoreError> {
    let count: i64 = row.read()?;
    u64::try_from(count).map_err(StoreError::internal)
}
