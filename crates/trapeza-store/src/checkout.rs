//! Checkouts: one per basket, in the one browser that opened it.

use crate::challenge::{challenge, challenge_columns};
use crate::error::StoreError;
use crate::loan::declared_income;
use crate::params;
use crate::tx::Tx;
use crate::value::RowReader;
use trapeza_domain::authorisation::Challenge;
use trapeza_domain::basket::BasketId;
use trapeza_domain::contact::Phone;
use trapeza_domain::id::{PsuId, ShopperId};
use trapeza_domain::loan::DeclaredIncome;
use trapeza_domain::time::Timestamp;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CheckoutRecord {
    pub basket: BasketId,
    /// Keyed hash of the browser's session token.
    pub session_token_hash: [u8; 32],
    pub last_seen_at: Timestamp,
    pub phone: Option<Phone>,
    /// Set once the telephone number is verified.
    pub shopper: Option<ShopperId>,
    pub psu: Option<PsuId>,
    /// What the shopper declared to earn and to spend.
    pub income: Option<DeclaredIncome>,
    pub challenge: Option<Challenge>,
}

impl Tx<'_> {
    /// Inserts a checkout that was just opened.
    pub fn checkout_insert(&mut self, record: &CheckoutRecord) -> Result<(), StoreError> {
        self.execute(
            "INSERT INTO checkout (basket, session_token_hash, last_seen_at) VALUES ($1, $2, $3)",
            params![record.basket.number(), &record.session_token_hash, record.last_seen_at],
        )?;
        Ok(())
    }

    pub fn checkout_find(&mut self, basket: BasketId) -> Result<Option<CheckoutRecord>, StoreError> {
        self.query_opt(
            concat!(
                "SELECT basket, session_token_hash, last_seen_at, phone, shopper, psu, income_minor, expenses_minor,
                    income_source, ",
                challenge_columns!(),
                " FROM checkout WHERE basket = $1"
            ),
            params![basket.number()],
            checkout,
        )
    }

    pub fn checkout_update(&mut self, record: &CheckoutRecord) -> Result<(), StoreError> {
        let challenge = record.challenge.as_ref();
        self.update_one(
            "checkout",
            "UPDATE checkout SET last_seen_at = $2, phone = $3, shopper = $4, psu = $5, challenge_nonce = $6,
                challenge_otp_hash = $7, challenge_sent_at = $8, challenge_attempts = $9, challenge_send_count = $10,
                income_minor = $11, expenses_minor = $12, income_source = $13
             WHERE basket = $1",
            params![
                record.basket.number(),
                record.last_seen_at,
                record.phone.as_ref().map(Phone::as_str),
                record.shopper,
                record.psu,
                challenge.map(|challenge| &challenge.nonce),
                challenge.map(|challenge| &challenge.code_hash),
                challenge.map(|challenge| challenge.sent_at),
                challenge.map(|challenge| challenge.attempts),
                challenge.map(|challenge| challenge.sends),
                record.income.map(|income| income.income_minor),
                record.income.map(|income| income.expenses_minor),
                record.income.map(|income| income.source.name())
            ],
        )
    }

    /// Takes a customer out of the checkouts whose basket is not decided. They begin again with the telephone number.
    pub fn checkout_sign_out_all(&mut self, psu: PsuId) -> Result<(), StoreError> {
        self.execute(
            "UPDATE checkout SET phone = NULL, shopper = NULL, psu = NULL, income_minor = NULL, expenses_minor = NULL,
                income_source = NULL, challenge_nonce = NULL, challenge_otp_hash = NULL, challenge_sent_at = NULL,
                challenge_attempts = NULL, challenge_send_count = NULL
             WHERE psu = $1 AND basket IN (SELECT number FROM basket WHERE deadline IS NOT NULL)",
            params![psu],
        )?;
        Ok(())
    }
}

fn checkout(row: &mut RowReader<'_>) -> Result<CheckoutRecord, StoreError> {
    Ok(CheckoutRecord {
        basket: BasketId::new(row.read()?),
        session_token_hash: row.read()?,
        last_seen_at: row.read()?,
        phone: row.parse_opt(Phone::parse)?,
        shopper: row.read()?,
        psu: row.read()?,
        income: declared_income(row)?,
        challenge: challenge(row)?,
    })
}
