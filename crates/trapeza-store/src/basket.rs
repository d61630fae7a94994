//! Baskets. Every query of a merchant names it; only the checkout, whose visitors have the basket's unguessable public id, and
//! the sweep read those of all merchants.

mod products;

use crate::error::{Required, StoreError};
use crate::params;
use crate::tx::Tx;
use crate::value::RowReader;
use trapeza_domain::basket::{Basket, BasketId, BasketOrder, BasketState, DeclineReason, PublicBasketId};
use trapeza_domain::contact::{Email, Phone};
use trapeza_domain::id::{LoanId, MerchantId};
use trapeza_domain::time::Timestamp;

/// How many baskets one job of the sweep takes.
pub const BASKET_SWEEP_ROWS: i64 = 100;

macro_rules! select {
    ($rest:literal) => {
        select!("products", $rest)
    };
    ($products:literal, $rest:literal) => {
        concat!(
            "SELECT number, public_id, merchant, application, request_id, status, loan, decline_reason, created_at,
                    expires_at, last_action_at, currency, value_minor, order_identifier, merchant_data, phone, email,
                    success_callback, fail_callback, success_redirect, failure_redirect, ",
            $products,
            " FROM basket ",
            $rest
        )
    };
}

impl Tx<'_> {
    /// Inserts a basket that was just created; false when its number exists.
    pub fn basket_insert(&mut self, basket: &Basket) -> Result<bool, StoreError> {
        let order = &basket.order;
        let products = products::encode(&order.products);
        let inserted = self.execute(
            "INSERT INTO basket (number, public_id, merchant, application, request_id, status, created_at, expires_at,
                last_action_at, deadline, currency, value_minor, order_identifier, merchant_data, phone, email,
                products, success_callback, fail_callback, success_redirect, failure_redirect)
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21)
             ON CONFLICT DO NOTHING",
            params![
                basket.id.number(),
                basket.public,
                basket.merchant,
                basket.application,
                &basket.request,
                basket.state.name(),
                basket.created_at,
                basket.expires_at,
                basket.last_action,
                basket.next_deadline(),
                order.value.currency,
                order.value.minor,
                &order.order_identifier,
                order.merchant_data.as_deref(),
                order.phone.as_ref().map(Phone::as_str),
                order.email.as_ref().map(Email::as_str),
                products.as_deref(),
                order.success_callback.as_deref(),
                order.fail_callback.as_deref(),
                order.success_redirect.as_deref(),
                order.failure_redirect.as_deref()
            ],
        )?;
        Ok(inserted == 1)
    }

    /// A basket of a merchant by its number.
    pub fn basket_find(&mut self, merchant: MerchantId, id: BasketId) -> Result<Option<Basket>, StoreError> {
        self.query_opt(select!("WHERE number = $1 AND merchant = $2"), params![id.number(), merchant], basket)
    }

    /// The baskets of a merchant before a number, the largest number first, among the 10,000 of the bank before it: an index by merchant
    /// would slow every basket.
    pub fn basket_page_by_merchant(
        &mut self,
        merchant: MerchantId,
        before: i64,
        limit: i64,
    ) -> Result<Vec<Basket>, StoreError> {
        self.query(
            select!(
                "WHERE merchant = $1 AND number < $2 AND number >= COALESCE(
                    (SELECT b.number FROM basket b WHERE b.number < $2 ORDER BY b.number DESC LIMIT 1 OFFSET 10000), 0)
                 ORDER BY number DESC LIMIT $3"
            ),
            params![merchant, before, limit],
            basket,
        )
    }

    /// The same, locked until the transaction ends.
    pub fn basket_lock(&mut self, merchant: MerchantId, id: BasketId) -> Result<Option<Basket>, StoreError> {
        self.query_opt(
            select!("WHERE number = $1 AND merchant = $2 FOR UPDATE"),
            params![id.number(), merchant],
            basket,
        )
    }

    /// A basket of a merchant by its public id.
    pub fn basket_find_by_public_id(
        &mut self,
        merchant: MerchantId,
        public_id: PublicBasketId,
    ) -> Result<Option<Basket>, StoreError> {
        self.query_opt(
            select!("WHERE public_id = $1 AND merchant = $2"),
            params![public_id, merchant],
            basket,
        )
    }

    /// The same, locked until the transaction ends.
    pub fn basket_lock_by_public_id(
        &mut self,
        merchant: MerchantId,
        public_id: PublicBasketId,
    ) -> Result<Option<Basket>, StoreError> {
        self.query_opt(
            select!("WHERE public_id = $1 AND merchant = $2 FOR UPDATE"),
            params![public_id, merchant],
            basket,
        )
    }

    /// A basket of any merchant, for the checkout.
    pub fn basket_by_public_id(&mut self, public_id: PublicBasketId) -> Result<Option<Basket>, StoreError> {
        self.query_opt(select!("WHERE public_id = $1"), params![public_id], basket)
    }

    /// The same, locked until the transaction ends.
    pub fn basket_by_public_id_lock(
        &mut self,
        public_id: PublicBasketId,
    ) -> Result<Option<Basket>, StoreError> {
        self.query_opt(select!("WHERE public_id = $1 FOR UPDATE"), params![public_id], basket)
    }

    /// Updates the state. The order never changes.
    pub fn basket_update(&mut self, basket: &Basket) -> Result<(), StoreError> {
        let reason = match basket.state {
            BasketState::Declined { reason, .. } => Some(reason.name()),
            _ => None,
        };
        self.update_one(
            "basket",
            "UPDATE basket SET status = $3, loan = $4, decline_reason = $5, last_action_at = $6, deadline = $7
             WHERE number = $1 AND merchant = $2",
            params![
                basket.id.number(),
                basket.merchant,
                basket.state.name(),
                basket.state.loan(),
                reason,
                basket.last_action,
                basket.next_deadline()
            ],
        )
    }

    /// Whether the deadline of any basket has passed.
    pub fn basket_is_expired(&mut self, now: Timestamp) -> Result<bool, StoreError> {
        self.exists("SELECT 1 FROM basket WHERE deadline <= $1 LIMIT 1", params![now])
    }

    /// Baskets whose deadline has passed, without their products, locked, except those that are locked already.
    pub fn basket_expired(&mut self, now: Timestamp) -> Result<Vec<Basket>, StoreError> {
        self.query(
            select!("NULL", "WHERE deadline <= $1 ORDER BY deadline LIMIT $2 FOR UPDATE SKIP LOCKED"),
            params![now, BASKET_SWEEP_ROWS],
            basket,
        )
    }
}

fn basket(row: &mut RowReader<'_>) -> Result<Basket, StoreError> {
    Ok(Basket {
        id: BasketId::new(row.read()?),
        public: row.read()?,
        merchant: row.read()?,
        application: row.read()?,
        request: row.read()?,
        state: state(row)?,
        created_at: row.read()?,
        expires_at: row.read()?,
        last_action: row.read()?,
        order: order(row)?,
    })
}

fn state(row: &mut RowReader<'_>) -> Result<BasketState, StoreError> {
    let status: &str = row.read()?;
    let loan: Option<LoanId> = row.read()?;
    let reason = row.parse_opt(DeclineReason::parse)?;
    let granted = || loan.required("loan of a basket");
    Ok(match status {
        "created" => BasketState::Created,
        "opened" => BasketState::Opened { loan: granted()? },
        "approved" => BasketState::Approved { loan: granted()? },
        "declined" => BasketState::Declined { loan, reason: reason.required("reason of a declined basket")? },
        "expired" => BasketState::Expired { loan },
        _ => return Err(StoreError::internal("unknown status of a basket")),
    })
}

fn order(row: &mut RowReader<'_>) -> Result<BasketOrder, StoreError> {
    let value = row.money()?;
    Ok(BasketOrder {
        value,
        order_identifier: row.read()?,
        merchant_data: row.read()?,
        phone: row.parse_opt(Phone::parse)?,
        email: row.parse_opt(Email::parse)?,
        success_callback: row.read()?,
        fail_callback: row.read()?,
        success_redirect: row.read()?,
        failure_redirect: row.read()?,
        products: match row.next_is_null()? {
            true => Vec::new(),
            false => products::decode(row.read()?, value.currency)?,
        },
    })
}
