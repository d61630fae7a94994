//! What all processes of a bank share: the time, and the secret they were started with.

use crate::error::StoreError;
use crate::params;
use crate::tx::Tx;
use trapeza_domain::time::{TimeDelta, Timestamp};

impl Tx<'_> {
    /// How far the bank's clock is ahead of the machine's, and the largest time seen.
    pub fn clock_find(&mut self) -> Result<(TimeDelta, Timestamp), StoreError> {
        self.query_one("SELECT ahead_micros, seen FROM clock WHERE one = 1", &[], |row| {
            Ok((TimeDelta(row.int(0)?), Timestamp(row.int(1)?)))
        })
    }

    /// The mark of the secret that this database was made with, left now if there was none.
    pub fn root_key_check(&mut self, mark: &[u8; 32]) -> Result<[u8; 32], StoreError> {
        self.execute(
            "INSERT INTO secret_mark (one, mark) VALUES (1, $1) ON CONFLICT (one) DO NOTHING",
            params![mark],
        )?;
        self.query_one("SELECT mark FROM secret_mark WHERE one = 1", &[], |row| row.array(0))
    }

    /// Moves the clock forward; answers how far it is ahead now.
    pub fn clock_advance(&mut self, by: TimeDelta) -> Result<TimeDelta, StoreError> {
        self.query_one(
            "UPDATE clock SET ahead_micros = ahead_micros + $1 WHERE one = 1 RETURNING ahead_micros",
            params![by.0],
            |row| Ok(TimeDelta(row.int(0)?)),
        )
    }

    /// Notes a time that was seen. Earlier ones change nothing.
    pub fn clock_raise_watermark(&mut self, now: Timestamp) -> Result<(), StoreError> {
        self.execute("UPDATE clock SET seen = $1 WHERE one = 1 AND seen < $1", params![now.0])?;
        Ok(())
    }
}
