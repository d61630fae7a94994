//! Browsers that stand for the bank's app, as rows. A browser is known by a keyed hash of its mark; when it is let in
//! is decided elsewhere.

use crate::error::StoreError;
use crate::params;
use crate::tx::Tx;
use crate::value::Row;
use trapeza_domain::authorisation::Challenge;
use trapeza_domain::id::PsuId;
use trapeza_domain::time::Timestamp;

/// One browser of one customer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EnrolledDevice {
    pub mark: [u8; 32],
    pub psu: PsuId,
    /// Not yet there while the code is on its way.
    pub enrolled_at: Option<Timestamp>,
    /// The first instant at which the app is locked again.
    pub open_until: Option<Timestamp>,
    /// When the browser is forgotten.
    pub ends_at: Timestamp,
    pub challenge: Option<Challenge>,
    /// The public half of the key that the browser keeps; there when it is enrolled.
    pub public_key: Option<Vec<u8>>,
}

/// The columns of a browser, in the order that `browser` reads them.
macro_rules! select {
    ($rest:literal) => {
        concat!(
            "SELECT mark, psu, enrolled_at, open_until, ends_at, challenge_nonce, challenge_code,
                    challenge_sent_at, challenge_tries, challenge_sends, public_key
             FROM enrolled_device WHERE mark = $1 AND ends_at > $2 ",
            $rest
        )
    };
}

impl Tx<'_> {
    /// Keeps a new browser. Those whose time is over are forgotten on the way.
    pub fn enrolled_device_insert(
        &mut self,
        browser: &EnrolledDevice,
        now: Timestamp,
    ) -> Result<(), StoreError> {
        self.execute("DELETE FROM enrolled_device WHERE ends_at <= $1", params![now.0])?;
        self.execute(
            "INSERT INTO enrolled_device (mark, psu, ends_at) VALUES ($1, $2, $3)",
            params![&browser.mark, browser.psu.as_bytes(), browser.ends_at.0],
        )?;
        self.enrolled_device_update(&browser.mark, browser)
    }

    pub fn enrolled_device_find(
        &mut self,
        mark: &[u8; 32],
        now: Timestamp,
    ) -> Result<Option<EnrolledDevice>, StoreError> {
        self.query_opt(select!(""), params![mark, now.0], browser)
    }

    /// The same, and nobody else changes it before this transaction ends.
    pub fn enrolled_device_lock(
        &mut self,
        mark: &[u8; 32],
        now: Timestamp,
    ) -> Result<Option<EnrolledDevice>, StoreError> {
        self.query_opt(select!("FOR UPDATE"), params![mark, now.0], browser)
    }

    /// Writes a browser that was known by the mark `before` until now. Whose it is never changes.
    pub fn enrolled_device_update(
        &mut self,
        before: &[u8; 32],
        browser: &EnrolledDevice,
    ) -> Result<(), StoreError> {
        let challenge = browser.challenge.as_ref();
        let changed = self.execute(
            "UPDATE enrolled_device SET mark = $2, enrolled_at = $3, open_until = $4, ends_at = $5,
                challenge_nonce = $6, challenge_code = $7, challenge_sent_at = $8, challenge_tries = $9,
                challenge_sends = $10, public_key = $11
             WHERE mark = $1",
            params![
                before,
                &browser.mark,
                browser.enrolled_at.map(|at| at.0),
                browser.open_until.map(|at| at.0),
                browser.ends_at.0,
                challenge.map(|challenge| &challenge.nonce),
                challenge.map(|challenge| &challenge.code_hash),
                challenge.map(|challenge| challenge.sent_at.0),
                challenge.map(|challenge| challenge.attempts),
                challenge.map(|challenge| challenge.sends),
                browser.public_key.as_ref()
            ],
        )?;
        if changed == 1 { Ok(()) } else { Err(StoreError::internal("a browser to be changed is gone")) }
    }

    /// The browser is nobody's app any more.
    pub fn enrolled_device_delete(&mut self, mark: &[u8; 32]) -> Result<(), StoreError> {
        self.execute("DELETE FROM enrolled_device WHERE mark = $1", params![mark])?;
        Ok(())
    }
}

fn browser(row: &Row<'_>) -> Result<EnrolledDevice, StoreError> {
    let challenge = match row.opt_bytes(5)? {
        None => None,
        Some(_) => Some(Challenge {
            nonce: row.array(5)?,
            code_hash: row.array(6)?,
            shown: None,
            sent_at: Timestamp(row.int(7)?),
            attempts: row.int(8)?,
            sends: row.int(9)?,
        }),
    };
    Ok(EnrolledDevice {
        mark: row.array(0)?,
        psu: row.id(1, PsuId::new)?,
        enrolled_at: row.opt_int(2)?.map(Timestamp),
        open_until: row.opt_int(3)?.map(Timestamp),
        ends_at: Timestamp(row.int(4)?),
        challenge,
        public_key: row.opt_bytes(10)?,
    })
}
