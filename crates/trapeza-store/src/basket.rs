//! Baskets as rows. Every statement of a caller names the merchant, so that none reaches another's; only the checkout,
//! whose visitors know a basket's unguessable name, and the sweep look across all of them.

mod line;

use crate::error::StoreError;
use crate::params;
use crate::tx::Tx;
use crate::value::Row;
use trapeza_domain::basket::{Basket, BasketId, BasketOrder, BasketState, DeclineReason, PublicBasketId};
use trapeza_domain::contact::{Email, Phone};
use trapeza_domain::id::{ApplicationId, LoanId, MerchantId};
use trapeza_domain::time::Timestamp;

/// The most baskets that one job of the sweep takes.
pub const BASKET_SWEEP_ROWS: i64 = 100;

/// The columns of a basket, in the order that `basket` reads them; the last are its lines, or NULL instead of them.
macro_rules! select {
    ($rest:literal) => {
        select!("lines", $rest)
    };
    ($lines:literal, $rest:literal) => {
        concat!(
            "SELECT number, public, merchant, application, request, status, loan, reason, created_at, expires_at,
                    last_action, currency, value_minor, order_identifier, merchant_data, phone, email, ",
            $lines,
            " FROM basket ",
            $rest
        )
    };
}

impl Tx<'_> {
    /// Keeps a basket that was just made; false when its number is taken.
    pub fn basket_insert(&mut self, basket: &Basket) -> Result<bool, StoreError> {
        let order = &basket.order;
        let lines = line::kept(&order.products);
        let inserted = self.execute(
            "INSERT INTO basket (number, public, merchant, application, request, status, created_at, expires_at,
                last_action, due_at, currency, value_minor, order_identifier, merchant_data, phone, email,
                lines)
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17)
             ON CONFLICT DO NOTHING",
            params![
                basket.id.number(),
                basket.public.as_bytes(),
                basket.merchant.as_bytes(),
                basket.application.as_bytes(),
                &basket.request,
                basket.state.name(),
                basket.created_at.0,
                basket.expires_at.0,
                basket.last_action.0,
                basket.next_deadline().map(|due| due.0),
                order.value.currency.code(),
                order.value.minor,
                &order.order_identifier,
                order.merchant_data.as_deref(),
                order.phone.as_ref().map(Phone::as_str),
                order.email.as_ref().map(Email::as_str),
                lines.as_deref()
            ],
        )?;
        Ok(inserted == 1)
    }

    /// A merchant's own basket by its number.
    pub fn basket_find(&mut self, merchant: MerchantId, id: BasketId) -> Result<Option<Basket>, StoreError> {
        self.query_opt(
            select!("WHERE number = $1 AND merchant = $2"),
            params![id.number(), merchant.as_bytes()],
            basket,
        )
    }

    /// A merchant's own basket by its public name.
    pub fn basket_find_by_public_id(
        &mut self,
        merchant: MerchantId,
        public: PublicBasketId,
    ) -> Result<Option<Basket>, StoreError> {
        self.query_opt(
            select!("WHERE public = $1 AND merchant = $2"),
            params![public.as_bytes(), merchant.as_bytes()],
            basket,
        )
    }

    /// The same, and nobody else changes it before this transaction ends.
    pub fn basket_lock_by_public_id(
        &mut self,
        merchant: MerchantId,
        public: PublicBasketId,
    ) -> Result<Option<Basket>, StoreError> {
        self.query_opt(
            select!("WHERE public = $1 AND merchant = $2 FOR UPDATE"),
            params![public.as_bytes(), merchant.as_bytes()],
            basket,
        )
    }

    /// For the checkout: whoever knows the name may look.
    pub fn basket_by_public_id(&mut self, public: PublicBasketId) -> Result<Option<Basket>, StoreError> {
        self.query_opt(select!("WHERE public = $1"), params![public.as_bytes()], basket)
    }

    /// The same, and nobody else changes it before this transaction ends.
    pub fn basket_by_public_id_lock(&mut self, public: PublicBasketId) -> Result<Option<Basket>, StoreError> {
        self.query_opt(select!("WHERE public = $1 FOR UPDATE"), params![public.as_bytes()], basket)
    }

    /// A merchant's own basket, and nobody else changes it before this transaction ends.
    pub fn basket_lock(&mut self, merchant: MerchantId, id: BasketId) -> Result<Option<Basket>, StoreError> {
        self.query_opt(
            select!("WHERE number = $1 AND merchant = $2 FOR UPDATE"),
            params![id.number(), merchant.as_bytes()],
            basket,
        )
    }

    /// Writes the state. What a basket says never changes.
    pub fn basket_update(&mut self, basket: &Basket) -> Result<(), StoreError> {
        let reason = match basket.state {
            BasketState::Declined { reason, .. } => Some(reason.name()),
            _ => None,
        };
        let loan = basket.state.loan();
        let changed = self.execute(
            "UPDATE basket SET status = $3, loan = $4, reason = $5, last_action = $6, due_at = $7
             WHERE number = $1 AND merchant = $2",
            params![
                basket.id.number(),
                basket.merchant.as_bytes(),
                basket.state.name(),
                loan.as_ref().map(LoanId::as_bytes),
                reason,
                basket.last_action.0,
                basket.next_deadline().map(|due| due.0)
            ],
        )?;
        if changed == 1 { Ok(()) } else { Err(StoreError::internal("a basket to be changed is gone")) }
    }

    /// Whether time has overtaken any.
    pub fn basket_is_expired(&mut self, now: Timestamp) -> Result<bool, StoreError> {
        let found =
            self.query_opt("SELECT 1 FROM basket WHERE due_at <= $1 LIMIT 1", params![now.0], |_| Ok(()))?;
        Ok(found.is_some())
    }

    /// Baskets that time has overtaken, locked; those that somebody works on now are left for the next time. What they
    /// hold does not matter to time, and is not read.
    pub fn basket_expired(&mut self, now: Timestamp) -> Result<Vec<Basket>, StoreError> {
        self.query(
            select!("NULL", "WHERE due_at <= $1 ORDER BY due_at LIMIT $2 FOR UPDATE SKIP LOCKED"),
            params![now.0, BASKET_SWEEP_ROWS],
            basket,
        )
    }
}

fn basket(row: &Row<'_>) -> Result<Basket, StoreError> {
    let contact = |at: usize| row.opt_text(at);
    let phone = contact(15)?.map(|text| Phone::parse(&text)).transpose().map_err(StoreError::internal)?;
    let email = contact(16)?.map(|text| Email::parse(&text)).transpose().map_err(StoreError::internal)?;
    let value = row.money(11, 12)?;
    let lines = row.opt_str(17)?;
    Ok(Basket {
        id: BasketId::new(row.int(0)?),
        public: PublicBasketId::new(row.array(1)?),
        merchant: row.id(2, MerchantId::new)?,
        application: row.id(3, ApplicationId::new)?,
        request: row.text(4)?,
        order: BasketOrder {
            value,
            order_identifier: row.text(13)?,
            products: lines.map(|lines| line::read(lines, value.currency)).transpose()?.unwrap_or_default(),
            merchant_data: row.opt_text(14)?,
            phone,
            email,
        },
        state: state(row)?,
        created_at: Timestamp(row.int(8)?),
        expires_at: Timestamp(row.int(9)?),
        last_action: Timestamp(row.int(10)?),
    })
}

fn state(row: &Row<'_>) -> Result<BasketState, StoreError> {
    let loan = || row.id(6, LoanId::new);
    Ok(match row.str(5)? {
        "created" => BasketState::Created,
        "opened" => BasketState::Opened { loan: loan()? },
        "approved" => BasketState::Approved { loan: loan()? },
        "declined" => BasketState::Declined {
            loan: row.opt_id(6, LoanId::new)?,
            reason: row.named(7, DeclineReason::parse)?,
        },
        "expired" => BasketState::Expired { loan: row.opt_id(6, LoanId::new)? },
        _ => return Err(StoreError::internal("a basket's status is unknown")),
    })
}
