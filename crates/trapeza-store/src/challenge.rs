//! The columns of an open challenge, which three tables have.

use crate::error::StoreError;
use crate::value::RowReader;
use trapeza_domain::authorisation::Challenge;

/// The columns that [`challenge`] reads.
macro_rules! challenge_columns {
    () => {
        "challenge_nonce, challenge_otp_hash, challenge_sent_at, challenge_attempts, challenge_send_count"
    };
}
pub(crate) use challenge_columns;

const COLUMNS: usize = 5;

/// The open challenge, without its display text.
pub(crate) fn challenge(row: &mut RowReader<'_>) -> Result<Option<Challenge>, StoreError> {
    if row.next_is_null()? {
        row.skip(COLUMNS);
        return Ok(None);
    }
    Ok(Some(Challenge {
        nonce: row.read()?,
        code_hash: row.read()?,
        sent_at: row.read()?,
        attempts: row.read()?,
        sends: row.read()?,
        display: None,
    }))
}
