//! Baskets as rows. Every statement of a caller names the merchant, so that none reaches another's; only the checkout,
//! whose visitors know a basket's unguessable name, and the sweep look across all of them.

use crate::error::StoreError;
use crate::params;
use crate::tx::Tx;
use crate::value::Row;
use trapeza_domain::basket::{Basket, BasketId, BasketOrder, BasketState, Decline, Product, PublicBasketId};
use trapeza_domain::contact::{Email, Phone};
use trapeza_domain::id::{ApplicationId, LoanId, MerchantId};
use trapeza_domain::money::{Currency, Money};
use trapeza_domain::time::Instant;

/// The most baskets that one job of the sweep takes.
pub const BASKET_SWEEP_ROWS: i64 = 100;

/// The columns of a basket, in the order that `basket` reads them.
macro_rules! select {
    ($rest:literal) => {
        concat!(
            "SELECT number, public, merchant, application, request, status, loan, reason, created_at, expires_at,
                    last_action, currency, value_minor, order_identifier, merchant_data, phone, email, product_count
             FROM basket ",
            $rest
        )
    };
}

impl Tx<'_> {
    /// Keeps a basket that was just made; false when its number is taken.
    pub fn basket_insert(&mut self, basket: &Basket) -> Result<bool, StoreError> {
        let order = &basket.order;
        let inserted = self.execute(
            "INSERT INTO basket (number, public, merchant, application, request, status, created_at, expires_at,
                last_action, due_at, currency, value_minor, order_identifier, merchant_data, phone, email,
                product_count)
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
                basket.due().map(|due| due.0),
                order.value.currency.code(),
                order.value.minor,
                &order.order_identifier,
                order.merchant_data.as_deref(),
                order.phone.as_ref().map(Phone::as_str),
                order.email.as_ref().map(Email::as_str),
                i64::try_from(order.products.len()).map_err(StoreError::broken)?
            ],
        )?;
        if inserted == 0 {
            return Ok(false);
        }
        for (place, product) in (0_i64..).zip(&order.products) {
            self.basket_product_insert(basket.id, place, product)?;
        }
        Ok(true)
    }

    fn basket_product_insert(
        &mut self,
        basket: BasketId,
        place: i64,
        product: &Product,
    ) -> Result<(), StoreError> {
        self.execute_later(
            "INSERT INTO basket_product (basket, place, number, name, quantity, quantity_units, unit_price_minor,
                tax_rate, total_minor, discount_minor, tax_minor, url, image_url)
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)",
            params![
                basket.number(),
                place,
                product.number.as_deref(),
                &product.name,
                &product.quantity,
                product.quantity_units.as_deref(),
                product.unit_price.minor,
                product.tax_rate.as_deref(),
                product.total.minor,
                product.discount.map(|discount| discount.minor),
                product.tax.map(|tax| tax.minor),
                product.url.as_deref(),
                product.image_url.as_deref()
            ],
        )
    }

    /// A merchant's own basket by its number.
    pub fn basket_find(&mut self, merchant: MerchantId, id: BasketId) -> Result<Option<Basket>, StoreError> {
        let found = self.query_opt(
            select!("WHERE number = $1 AND merchant = $2"),
            params![id.number(), merchant.as_bytes()],
            basket,
        )?;
        self.basket_filled(found)
    }

    /// A merchant's own basket by its public name.
    pub fn basket_find_public(
        &mut self,
        merchant: MerchantId,
        public: PublicBasketId,
    ) -> Result<Option<Basket>, StoreError> {
        let found = self.query_opt(
            select!("WHERE public = $1 AND merchant = $2"),
            params![public.as_bytes(), merchant.as_bytes()],
            basket,
        )?;
        self.basket_filled(found)
    }

    /// The same, and nobody else changes it before this transaction ends.
    pub fn basket_lock_public(
        &mut self,
        merchant: MerchantId,
        public: PublicBasketId,
    ) -> Result<Option<Basket>, StoreError> {
        let found = self.query_opt(
            select!("WHERE public = $1 AND merchant = $2 FOR UPDATE"),
            params![public.as_bytes(), merchant.as_bytes()],
            basket,
        )?;
        self.basket_filled(found)
    }

    /// For the checkout: whoever knows the name may look.
    pub fn basket_by_public(&mut self, public: PublicBasketId) -> Result<Option<Basket>, StoreError> {
        let found = self.query_opt(select!("WHERE public = $1"), params![public.as_bytes()], basket)?;
        self.basket_filled(found)
    }

    /// The same, and nobody else changes it before this transaction ends.
    pub fn basket_by_public_lock(&mut self, public: PublicBasketId) -> Result<Option<Basket>, StoreError> {
        let found =
            self.query_opt(select!("WHERE public = $1 FOR UPDATE"), params![public.as_bytes()], basket)?;
        self.basket_filled(found)
    }

    /// A merchant's own basket, and nobody else changes it before this transaction ends.
    pub fn basket_lock(&mut self, merchant: MerchantId, id: BasketId) -> Result<Option<Basket>, StoreError> {
        let found = self.query_opt(
            select!("WHERE number = $1 AND merchant = $2 FOR UPDATE"),
            params![id.number(), merchant.as_bytes()],
            basket,
        )?;
        self.basket_filled(found)
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
                basket.due().map(|due| due.0)
            ],
        )?;
        if changed == 1 { Ok(()) } else { Err(StoreError::broken("a basket to be changed is gone")) }
    }

    /// Whether time has overtaken any.
    pub fn basket_is_overdue(&mut self, now: Instant) -> Result<bool, StoreError> {
        let found =
            self.query_opt("SELECT 1 FROM basket WHERE due_at <= $1 LIMIT 1", params![now.0], |_| Ok(()))?;
        Ok(found.is_some())
    }

    /// Baskets that time has overtaken, locked; those that somebody works on now are left for the next time.
    pub fn basket_overdue(&mut self, now: Instant) -> Result<Vec<Basket>, StoreError> {
        let overdue = self.query(
            select!("WHERE due_at <= $1 ORDER BY due_at LIMIT $2 FOR UPDATE SKIP LOCKED"),
            params![now.0, BASKET_SWEEP_ROWS],
            basket,
        )?;
        // What they hold does not matter to time, and is not read.
        Ok(overdue.into_iter().map(|(basket, _)| basket).collect())
    }

    /// With its lines, where there are any.
    fn basket_filled(&mut self, found: Option<(Basket, bool)>) -> Result<Option<Basket>, StoreError> {
        let Some((mut basket, has_products)) = found else { return Ok(None) };
        if has_products {
            let currency = basket.order.value.currency;
            basket.order.products = self.query(
                "SELECT number, name, quantity, quantity_units, unit_price_minor, tax_rate, total_minor,
                        discount_minor, tax_minor, url, image_url
                 FROM basket_product WHERE basket = $1 ORDER BY place",
                params![basket.id.number()],
                |row| product(row, currency),
            )?;
        }
        Ok(Some(basket))
    }
}

/// A basket without its lines, and whether it has any.
fn basket(row: &Row<'_>) -> Result<(Basket, bool), StoreError> {
    let contact = |at: usize| row.opt_text(at);
    let phone = contact(15)?.map(|text| Phone::parse(&text)).transpose().map_err(StoreError::broken)?;
    let email = contact(16)?.map(|text| Email::parse(&text)).transpose().map_err(StoreError::broken)?;
    let basket = Basket {
        id: BasketId::new(row.int(0)?),
        public: PublicBasketId::new(row.array(1)?),
        merchant: row.id(2, MerchantId::new)?,
        application: row.id(3, ApplicationId::new)?,
        request: row.text(4)?,
        order: BasketOrder {
            value: row.money(11, 12)?,
            order_identifier: row.text(13)?,
            products: Vec::new(),
            merchant_data: row.opt_text(14)?,
            phone,
            email,
        },
        state: state(row)?,
        created_at: Instant(row.int(8)?),
        expires_at: Instant(row.int(9)?),
        last_action: Instant(row.int(10)?),
    };
    Ok((basket, row.int(17)? > 0))
}

fn state(row: &Row<'_>) -> Result<BasketState, StoreError> {
    let loan = || row.id(6, LoanId::new);
    Ok(match row.str(5)? {
        "created" => BasketState::Created,
        "opened" => BasketState::Opened { loan: loan()? },
        "approved" => BasketState::Approved { loan: loan()? },
        "declined" => {
            BasketState::Declined { loan: row.opt_id(6, LoanId::new)?, reason: row.named(7, Decline::parse)? }
        }
        "expired" => BasketState::Expired { loan: row.opt_id(6, LoanId::new)? },
        _ => return Err(StoreError::broken("a basket's status is unknown")),
    })
}

fn product(row: &Row<'_>, currency: Currency) -> Result<Product, StoreError> {
    let money = |minor| Money::new(minor, currency);
    Ok(Product {
        number: row.opt_text(0)?,
        name: row.text(1)?,
        quantity: row.text(2)?,
        quantity_units: row.opt_text(3)?,
        unit_price: money(row.int(4)?),
        tax_rate: row.opt_text(5)?,
        total: money(row.int(6)?),
        discount: row.opt_int(7)?.map(money),
        tax: row.opt_int(8)?.map(money),
        url: row.opt_text(9)?,
        image_url: row.opt_text(10)?,
    })
}
