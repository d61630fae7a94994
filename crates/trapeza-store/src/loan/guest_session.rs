//! Sessions of borrowers without an account here: a browser that views one loan after its telephone number was verified.

use crate::challenge::{challenge, challenge_columns};
use crate::error::StoreError;
use crate::params;
use crate::tx::Tx;
use crate::value::RowReader;
use trapeza_domain::authorisation::Challenge;
use trapeza_domain::id::LoanId;
use trapeza_domain::time::Timestamp;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GuestSession {
    pub loan: LoanId,
    /// Keyed hash of the browser's session token.
    pub session_token_hash: [u8; 32],
    pub expires_at: Timestamp,
    /// Whether the telephone number was verified in this session.
    pub verified: bool,
    pub challenge: Option<Challenge>,
}

impl Tx<'_> {
    /// The session of a browser, if it has not expired.
    pub fn guest_session_find(
        &mut self,
        loan: LoanId,
        session_token_hash: &[u8; 32],
        now: Timestamp,
    ) -> Result<Option<GuestSession>, StoreError> {
        self.query_opt(
            concat!(
                "SELECT loan, session_token_hash, expires_at, verified, ",
                challenge_columns!(),
                " FROM guest_session WHERE loan = $1 AND session_token_hash = $2 AND expires_at > $3"
            ),
            params![loan, session_token_hash, now],
            session,
        )
    }

    /// Whether any session has expired.
    pub fn guest_session_is_expired(&mut self, now: Timestamp) -> Result<bool, StoreError> {
        self.exists("SELECT 1 FROM guest_session WHERE expires_at <= $1 LIMIT 1", params![now])
    }

    /// Deletes the sessions that have expired, and returns their number.
    pub fn guest_session_purge(&mut self, now: Timestamp) -> Result<u64, StoreError> {
        self.execute("DELETE FROM guest_session WHERE expires_at <= $1", params![now])
    }

    /// Inserts or updates a session.
    pub fn guest_session_save(&mut self, session: &GuestSession) -> Result<(), StoreError> {
        let challenge = session.challenge.as_ref();
        self.execute(
            "INSERT INTO guest_session (loan, session_token_hash, expires_at, verified, challenge_nonce,
                challenge_otp_hash, challenge_sent_at, challenge_attempts, challenge_send_count)
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)
             ON CONFLICT (loan, session_token_hash) DO UPDATE SET expires_at = excluded.expires_at,
                verified = excluded.verified, challenge_nonce = excluded.challenge_nonce,
                challenge_otp_hash = excluded.challenge_otp_hash, challenge_sent_at = excluded.challenge_sent_at,
                challenge_attempts = excluded.challenge_attempts,
                challenge_send_count = excluded.challenge_send_count",
            params![
                session.loan,
                &session.session_token_hash,
                session.expires_at,
                session.verified,
                challenge.map(|challenge| &challenge.nonce),
                challenge.map(|challenge| &challenge.code_hash),
                challenge.map(|challenge| challenge.sent_at),
                challenge.map(|challenge| challenge.attempts),
                challenge.map(|challenge| challenge.sends)
            ],
        )?;
        Ok(())
    }
}

fn session(row: &mut RowReader<'_>) -> Result<GuestSession, StoreError> {
    Ok(GuestSession {
        loan: row.read()?,
        session_token_hash: row.read()?,
        expires_at: row.read()?,
        verified: row.read()?,
        challenge: challenge(row)?,
    })
}
