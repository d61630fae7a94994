//! What all processes of a bank share: the clock, and the check of the root secret.

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

    /// The digest of the root secret that this database was created with, and whether it is new: `digest` is inserted when
    /// there is none.
    pub fn root_key_check(&mut self, digest: &[u8; 32]) -> Result<([u8; 32], bool), StoreError> {
        let inserted = self.execute(
            "INSERT INTO root_key_check (id, digest) VALUES (1, $1) ON CONFLICT (id) DO NOTHING",
            params![digest],
        )?;
        let digest =
            self.query_one("SELECT digest FROM root_key_check WHERE id = 1", &[], |row| row.read())?;
        Ok((digest, inserted == 1))
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
}
