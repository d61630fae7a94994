//! Browsers and phones that are enrolled as the bank's app. A device is found by the keyed hash of its session token.

use crate::challenge::{challenge, challenge_columns};
use crate::error::StoreError;
use crate::params;
use crate::tx::Tx;
use crate::value::RowReader;
use trapeza_domain::authorisation::Challenge;
use trapeza_domain::id::PsuId;
use trapeza_domain::time::Timestamp;

/// A device of a customer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EnrolledDevice {
    pub session_token_hash: [u8; 32],
    pub psu: PsuId,
    /// `None` until the OTP of the enrolment was entered.
    pub enrolled_at: Option<Timestamp>,
    /// The app is signed in until then.
    pub signed_in_until: Option<Timestamp>,
    /// When the enrolment ends.
    pub expires_at: Timestamp,
    pub challenge: Option<Challenge>,
    /// Verifies the approvals that the device signs; set when it is enrolled.
    pub public_key: Option<Vec<u8>>,
}

macro_rules! select {
    ($rest:literal) => {
        concat!(
            "SELECT session_token_hash, psu, enrolled_at, signed_in_until, expires_at, ",
            challenge_columns!(),
            ", public_key FROM enrolled_device WHERE session_token_hash = $1 AND expires_at > $2 ",
            $rest
        )
    };
}

impl Tx<'_> {
    /// Inserts a device, and deletes expired ones.
    pub fn enrolled_device_insert(
        &mut self,
        device: &EnrolledDevice,
        now: Timestamp,
    ) -> Result<(), StoreError> {
        self.execute("DELETE FROM enrolled_device WHERE expires_at <= $1", params![now])?;
        self.execute(
            "INSERT INTO enrolled_device (session_token_hash, psu, expires_at) VALUES ($1, $2, $3)",
            params![&device.session_token_hash, device.psu, device.expires_at],
        )?;
        self.enrolled_device_update(&device.session_token_hash, device)
    }

    pub fn enrolled_device_find(
        &mut self,
        session_token_hash: &[u8; 32],
        now: Timestamp,
    ) -> Result<Option<EnrolledDevice>, StoreError> {
        self.query_opt(select!(""), params![session_token_hash, now], device)
    }

    /// The devices of a customer, the last enrolled first, at most a hundred.
    pub fn enrolled_device_list(
        &mut self,
        psu: PsuId,
        now: Timestamp,
    ) -> Result<Vec<EnrolledDevice>, StoreError> {
        self.query(
            concat!(
                "SELECT session_token_hash, psu, enrolled_at, signed_in_until, expires_at, ",
                challenge_columns!(),
                ", public_key FROM enrolled_device
                 WHERE psu = $1 AND expires_at > $2 AND enrolled_at IS NOT NULL
                 ORDER BY enrolled_at DESC LIMIT 100"
            ),
            params![psu, now],
            device,
        )
    }

    /// The same, locked until the transaction ends.
    pub fn enrolled_device_lock(
        &mut self,
        session_token_hash: &[u8; 32],
        now: Timestamp,
    ) -> Result<Option<EnrolledDevice>, StoreError> {
        self.query_opt(select!("FOR UPDATE"), params![session_token_hash, now], device)
    }

    /// Updates the device whose session token hash was `before`. Its customer never changes.
    pub fn enrolled_device_update(
        &mut self,
        before: &[u8; 32],
        device: &EnrolledDevice,
    ) -> Result<(), StoreError> {
        let challenge = device.challenge.as_ref();
        self.update_one(
            "enrolled device",
            "UPDATE enrolled_device SET session_token_hash = $2, enrolled_at = $3, signed_in_until = $4,
                expires_at = $5, challenge_nonce = $6, challenge_otp_hash = $7, challenge_sent_at = $8,
                challenge_attempts = $9, challenge_send_count = $10, public_key = $11
             WHERE session_token_hash = $1",
            params![
                before,
                &device.session_token_hash,
                device.enrolled_at,
                device.signed_in_until,
                device.expires_at,
                challenge.map(|challenge| &challenge.nonce),
                challenge.map(|challenge| &challenge.code_hash),
                challenge.map(|challenge| challenge.sent_at),
                challenge.map(|challenge| challenge.attempts),
                challenge.map(|challenge| challenge.sends),
                device.public_key.as_ref()
            ],
        )
    }

    /// Signs out all devices of a customer.
    pub fn enrolled_device_sign_out_all(&mut self, psu: PsuId) -> Result<u64, StoreError> {
        self.execute("UPDATE enrolled_device SET signed_in_until = NULL WHERE psu = $1", params![psu])
    }

    /// Deletes the devices of a customer that wait for the OTP of their enrolment.
    pub fn enrolled_device_delete_pending(&mut self, psu: PsuId) -> Result<u64, StoreError> {
        self.execute("DELETE FROM enrolled_device WHERE psu = $1 AND enrolled_at IS NULL", params![psu])
    }

    /// Deletes all devices of a customer.
    pub fn enrolled_device_delete_all(&mut self, psu: PsuId) -> Result<u64, StoreError> {
        self.execute("DELETE FROM enrolled_device WHERE psu = $1", params![psu])
    }

    pub fn enrolled_device_delete(&mut self, session_token_hash: &[u8; 32]) -> Result<(), StoreError> {
        self.execute(
            "DELETE FROM enrolled_device WHERE session_token_hash = $1",
            params![session_token_hash],
        )?;
        Ok(())
    }
}

fn device(row: &mut RowReader<'_>) -> Result<EnrolledDevice, StoreError> {
    Ok(EnrolledDevice {
        session_token_hash: row.read()?,
        psu: row.read()?,
        enrolled_at: row.read()?,
        signed_in_until: row.read()?,
        expires_at: row.read()?,
        challenge: challenge(row)?,
        public_key: row.read()?,
    })
}
