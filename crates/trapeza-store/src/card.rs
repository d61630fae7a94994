//! Cards, found by their id, their holder or the keyed hash of their number.

use crate::error::StoreError;
use crate::params;
use crate::tx::Tx;
use crate::value::Row;
use trapeza_domain::account::{AccountStatus, AccountUsage};
use trapeza_domain::card::Card;
use trapeza_domain::id::{AccountId, CardId, PsuId};
use trapeza_domain::ledger::LedgerAccountId;
use trapeza_domain::reference::MaskedPan;
use trapeza_domain::time::Timestamp;

impl Tx<'_> {
    /// Keeps a new card; false when its number is taken.
    pub fn card_insert(
        &mut self,
        card: &Card,
        pan_hash: &[u8; 32],
        now: Timestamp,
    ) -> Result<bool, StoreError> {
        let inserted = self.execute(
            "INSERT INTO card (id, ledger, holder, account, pan_hash, masked_pan, status, usage, currency, product,
                name, credit_limit_minor, expiry_day, issued_at)
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14) ON CONFLICT DO NOTHING",
            params![
                card.id.as_bytes(),
                card.ledger.0,
                card.holder.as_bytes(),
                card.account.as_bytes(),
                pan_hash,
                card.masked_pan.as_str(),
                card.status.name(),
                card.usage.name(),
                card.currency.code(),
                &card.product,
                &card.name,
                card.credit_limit_minor,
                card.expiry.0,
                now.0
            ],
        )?;
        Ok(inserted == 1)
    }

    pub fn card_find(&mut self, id: CardId) -> Result<Option<Card>, StoreError> {
        self.query_opt(
            "SELECT id, ledger, holder, account, masked_pan, status, usage, currency, product, name,
                    credit_limit_minor, expiry_day
             FROM card WHERE id = $1",
            params![id.as_bytes()],
            card,
        )
    }

    pub fn card_by_pan_hash(&mut self, pan_hash: &[u8; 32]) -> Result<Option<Card>, StoreError> {
        self.query_opt(
            "SELECT id, ledger, holder, account, masked_pan, status, usage, currency, product, name,
                    credit_limit_minor, expiry_day
             FROM card WHERE pan_hash = $1",
            params![pan_hash],
            card,
        )
    }

    /// The keyed hash that a card's number is kept under.
    pub fn card_pan_hash(&mut self, id: CardId) -> Result<[u8; 32], StoreError> {
        self.query_one("SELECT pan_hash FROM card WHERE id = $1", params![id.as_bytes()], |row| row.array(0))
    }

    /// Every card of a customer in the order they were issued.
    pub fn card_list(&mut self, holder: PsuId) -> Result<Vec<Card>, StoreError> {
        self.query(
            "SELECT id, ledger, holder, account, masked_pan, status, usage, currency, product, name,
                    credit_limit_minor, expiry_day
             FROM card WHERE holder = $1 ORDER BY ledger",
            params![holder.as_bytes()],
            card,
        )
    }
}

fn card(row: &Row<'_>) -> Result<Card, StoreError> {
    Ok(Card {
        id: row.id(0, CardId::new)?,
        ledger: LedgerAccountId(row.int(1)?),
        holder: row.id(2, PsuId::new)?,
        account: row.id(3, AccountId::new)?,
        masked_pan: row.named(4, |text| MaskedPan::parse(text).ok())?,
        status: row.named(5, AccountStatus::parse)?,
        usage: row.named(6, AccountUsage::parse)?,
        currency: row.currency(7)?,
        product: row.text(8)?,
        name: row.text(9)?,
        credit_limit_minor: row.int(10)?,
        expiry: row.day(11)?,
    })
}
