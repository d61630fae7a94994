//! Checkouts as rows: one a basket, in the one browser that began it. What may be done in one is decided elsewhere.

use crate::error::StoreError;
use crate::params;
use crate::tx::Tx;
use crate::value::Row;
use trapeza_domain::authorisation::Challenge;
use trapeza_domain::basket::BasketId;
use trapeza_domain::contact::Phone;
use trapeza_domain::id::{PsuId, ShopperId};
use trapeza_domain::time::Timestamp;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CheckoutRecord {
    pub basket: BasketId,
    /// The keyed hash of the browser's mark.
    pub browser: [u8; 32],
    pub seen_at: Timestamp,
    pub phone: Option<Phone>,
    /// There once the telephone was proven.
    pub customer: Option<ShopperId>,
    pub psu: Option<PsuId>,
    pub challenge: Option<Challenge>,
}

impl Tx<'_> {
    /// Keeps a checkout that just began.
    pub fn checkout_insert(&mut self, record: &CheckoutRecord) -> Result<(), StoreError> {
        self.execute(
            "INSERT INTO checkout (basket, browser, seen_at) VALUES ($1, $2, $3)",
            params![record.basket.number(), &record.browser, record.seen_at.0],
        )?;
        Ok(())
    }

    pub fn checkout_find(&mut self, basket: BasketId) -> Result<Option<CheckoutRecord>, StoreError> {
        self.query_opt(
            "SELECT basket, browser, seen_at, phone, customer, psu, challenge_nonce, challenge_code,
                    challenge_sent_at, challenge_tries, challenge_sends
             FROM checkout WHERE basket = $1",
            params![basket.number()],
            checkout,
        )
    }

    pub fn checkout_update(&mut self, record: &CheckoutRecord) -> Result<(), StoreError> {
        let challenge = record.challenge.as_ref();
        let changed = self.execute(
            "UPDATE checkout SET seen_at = $2, phone = $3, customer = $4, psu = $5, challenge_nonce = $6,
                challenge_code = $7, challenge_sent_at = $8, challenge_tries = $9, challenge_sends = $10
             WHERE basket = $1",
            params![
                record.basket.number(),
                record.seen_at.0,
                record.phone.as_ref().map(Phone::as_str),
                record.customer.as_ref().map(ShopperId::as_bytes),
                record.psu.as_ref().map(PsuId::as_bytes),
                challenge.map(|challenge| &challenge.nonce),
                challenge.map(|challenge| &challenge.code_hash),
                challenge.map(|challenge| challenge.sent_at.0),
                challenge.map(|challenge| challenge.attempts),
                challenge.map(|challenge| challenge.sends)
            ],
        )?;
        if changed == 1 { Ok(()) } else { Err(StoreError::internal("a checkout to be changed is gone")) }
    }
}

fn checkout(row: &Row<'_>) -> Result<CheckoutRecord, StoreError> {
    let challenge = match row.opt_int(8)? {
        None => None,
        Some(sent_at) => Some(Challenge {
            nonce: row.array(6)?,
            code_hash: row.array(7)?,
            shown: None,
            sent_at: Timestamp(sent_at),
            attempts: row.int(9)?,
            sends: row.int(10)?,
        }),
    };
    let phone = row.opt_text(3)?.map(|text| Phone::parse(&text)).transpose();
    Ok(CheckoutRecord {
        basket: BasketId::new(row.int(0)?),
        browser: row.array(1)?,
        seen_at: Timestamp(row.int(2)?),
        phone: phone.map_err(StoreError::internal)?,
        customer: row.opt_id(4, ShopperId::new)?,
        psu: row.opt_id(5, PsuId::new)?,
        challenge,
    })
}
