//! The clock that all processes of a bank share, and its time zone for the views of reporting.

use crate::error::StoreError;
use crate::params;
use crate::tx::Tx;
use trapeza_domain::time::{TimeDelta, Timestamp};

impl Tx<'_> {
    /// How far the bank's clock is ahead of the system clock, and the latest time that any process has seen.
    pub fn clock_find(&mut self) -> Result<(TimeDelta, Timestamp), StoreError> {
        self.query_one("SELECT offset_micros, watermark FROM clock WHERE id = 1", &[], |row| {
            Ok((TimeDelta(row.read()?), row.read()?))
        })
    }

    /// Moves the bank's clock forward and returns how far it is ahead then.
    pub fn clock_advance(&mut self, by: TimeDelta) -> Result<TimeDelta, StoreError> {
        self.query_one(
            "UPDATE clock SET offset_micros = offset_micros + $1 WHERE id = 1 RETURNING offset_micros",
            params![by.0],
            |row| Ok(TimeDelta(row.read()?)),
        )
    }

    /// Stores a time as the latest seen, unless a later one is stored.
    pub fn clock_raise_watermark(&mut self, now: Timestamp) -> Result<(), StoreError> {
        self.execute("UPDATE clock SET watermark = $1 WHERE id = 1 AND watermark < $1", params![now])?;
        Ok(())
    }

    /// The offsets of the bank's time zone in seconds, each from an instant on, for the views of reporting.
    pub fn zone_offset_list(&mut self) -> Result<Vec<(Timestamp, i64)>, StoreError> {
        self.query("SELECT starts_at, offset_seconds FROM zone_offset ORDER BY starts_at", &[], |row| {
            Ok((row.read()?, row.read()?))
        })
    }

    pub fn zone_offset_replace(&mut self, offsets: &[(Timestamp, i64)]) -> Result<(), StoreError> {
        self.execute_deferred("DELETE FROM zone_offset", &[])?;
        for (starts_at, seconds) in offsets {
            self.execute_deferred(
                "INSERT INTO zone_offset (starts_at, offset_seconds) VALUES ($1, $2)",
                params![*starts_at, *seconds],
            )?;
        }
        Ok(())
    }
}
