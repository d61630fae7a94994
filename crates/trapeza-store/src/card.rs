//! Cards, found by their id, their holder or the keyed hash of their number.

use crate::error::StoreError;
use crate::params;
use crate::tx::Tx;
use crate::value::RowReader;
use trapeza_domain::account::{AccountStatus, AccountUsage};
use trapeza_domain::card::Card;
use trapeza_domain::id::{CardId, PsuId};
use trapeza_domain::reference::MaskedPan;
use trapeza_domain::time::Timestamp;

macro_rules! select {
    ($rest:literal) => {
        concat!(
            "SELECT id, ledger_account, holder, account, masked_pan, status, usage, currency, product, name,
                    credit_limit_minor, expiry_date
             FROM card ",
            $rest
        )
    };
}

impl Tx<'_> {
    /// Inserts a card; false when there is a card of this number.
    pub fn card_insert(
        &mut self,
        card: &Card,
        pan_hash: &[u8; 32],
        now: Timestamp,
    ) -> Result<bool, StoreError> {
        let inserted = self.execute(
            "INSERT INTO card (id, ledger_account, holder, account, pan_hash, masked_pan, status, usage, currency,
                product, name, credit_limit_minor, expiry_date, issued_at)
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14) ON CONFLICT DO NOTHING",
            params![
                card.id,
                card.ledger,
                card.holder,
                card.account,
                pan_hash,
                card.masked_pan.as_str(),
                card.status.name(),
                card.usage.name(),
                card.currency,
                &card.product,
                &card.name,
                card.credit_limit_minor,
                card.expiry,
                now
            ],
        )?;
        Ok(inserted == 1)
    }

    pub fn card_find(&mut self, id: CardId) -> Result<Option<Card>, StoreError> {
        self.query_opt(select!("WHERE id = $1"), params![id], card)
    }

    /// A card of this customer.
    pub fn card_of_holder(&mut self, holder: PsuId, id: CardId) -> Result<Option<Card>, StoreError> {
        self.query_opt(select!("WHERE id = $1 AND holder = $2"), params![id, holder], card)
    }

    pub fn card_by_pan_hash(&mut self, pan_hash: &[u8; 32]) -> Result<Option<Card>, StoreError> {
        self.query_opt(select!("WHERE pan_hash = $1"), params![pan_hash], card)
    }

    /// The keyed hash of a card's number.
    pub fn card_pan_hash(&mut self, id: CardId) -> Result<[u8; 32], StoreError> {
        self.query_one("SELECT pan_hash FROM card WHERE id = $1", params![id], |row| row.read())
    }

    pub fn card_status_update(&mut self, id: CardId, status: AccountStatus) -> Result<(), StoreError> {
        self.update_one("card", "UPDATE card SET status = $2 WHERE id = $1", params![id, status.name()])
    }

    /// Every card of a customer, in the order in which they were issued.
    pub fn card_list(&mut self, holder: PsuId) -> Result<Vec<Card>, StoreError> {
        self.query(select!("WHERE holder = $1 ORDER BY ledger_account"), params![holder], card)
    }
}

fn card(row: &mut RowReader<'_>) -> Result<Card, StoreError> {
    Ok(Card {
        id: row.read()?,
        ledger: row.read()?,
        holder: row.read()?,
        account: row.read()?,
        masked_pan: row.parse(MaskedPan::parse)?,
        status: row.parse(AccountStatus::parse)?,
        usage: row.parse(AccountUsage::parse)?,
        currency: row.read()?,
        product: row.read()?,
        name: row.read()?,
        credit_limit_minor: row.read()?,
        expiry: row.read()?,
    })
}
