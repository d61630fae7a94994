//! Merchants and their installment plans.

use crate::error::StoreError;
use crate::params;
use crate::tx::Tx;
use crate::value::RowReader;
use trapeza_domain::basket::AmountLimits;
use trapeza_domain::id::MerchantId;
use trapeza_domain::installment::{Plan, PlanOffer};
use trapeza_domain::money::{Currency, Money};
use trapeza_domain::time::TimeDelta;

/// A merchant with its terms.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MerchantRecord {
    pub id: MerchantId,
    /// The integer that Pay Later responses show.
    pub number: i64,
    pub code: String,
    pub name: String,
    pub limits: AmountLimits,
    /// How long a basket stays open.
    pub basket_ttl: TimeDelta,
    /// The bank's share of each loan, in hundredths of a percent.
    pub discount_basis_points: u32,
}

macro_rules! select {
    ($rest:literal) => {
        concat!(
            "SELECT id, number, code, name, currency, minimum_minor, maximum_minor, basket_ttl_minutes,
                    discount_basis_points
             FROM merchant ",
            $rest
        )
    };
}

impl Tx<'_> {
    pub fn merchant_find(&mut self, id: MerchantId) -> Result<Option<MerchantRecord>, StoreError> {
        self.query_opt(select!("WHERE id = $1"), params![id], merchant)
    }

    /// The limits of a merchant's baskets and how long they stay open. Every basket needs them, so the other columns are
    /// left out.
    pub fn merchant_basket_terms(
        &mut self,
        id: MerchantId,
    ) -> Result<Option<(AmountLimits, TimeDelta)>, StoreError> {
        self.query_opt(
            "SELECT currency, minimum_minor, maximum_minor, basket_ttl_minutes FROM merchant WHERE id = $1",
            params![id],
            |row| Ok((limits(row)?, TimeDelta::minutes(row.read()?))),
        )
    }

    pub fn merchant_by_code(&mut self, code: &str) -> Result<Option<MerchantRecord>, StoreError> {
        self.query_opt(select!("WHERE code = $1"), params![code], merchant)
    }

    pub fn merchant_by_number(&mut self, number: i64) -> Result<Option<MerchantRecord>, StoreError> {
        self.query_opt(select!("WHERE number = $1"), params![number], merchant)
    }

    pub fn merchant_list(&mut self) -> Result<Vec<MerchantRecord>, StoreError> {
        self.query(select!("ORDER BY number"), &[], merchant)
    }

    pub fn merchant_insert(
        &mut self,
        merchant: &MerchantRecord,
        plans: &[PlanOffer],
    ) -> Result<(), StoreError> {
        self.execute(
            "INSERT INTO merchant (id, number, code, name, currency, minimum_minor, maximum_minor,
                basket_ttl_minutes, discount_basis_points)
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)",
            params![
                merchant.id,
                merchant.number,
                &merchant.code,
                &merchant.name,
                merchant.limits.minimum.currency,
                merchant.limits.minimum.minor,
                merchant.limits.maximum.minor,
                merchant.basket_ttl.0 / TimeDelta::minutes(1).0,
                merchant.discount_basis_points
            ],
        )?;
        self.plan_insert_all(merchant.id, plans)
    }

    /// Updates a merchant's name, limits, discount and plans. Its id, number, code and currency never change.
    pub fn merchant_update(
        &mut self,
        merchant: &MerchantRecord,
        plans: &[PlanOffer],
    ) -> Result<(), StoreError> {
        self.execute(
            "UPDATE merchant SET name = $2, minimum_minor = $3, maximum_minor = $4, discount_basis_points = $5
             WHERE id = $1",
            params![
                merchant.id,
                &merchant.name,
                merchant.limits.minimum.minor,
                merchant.limits.maximum.minor,
                merchant.discount_basis_points
            ],
        )?;
        self.execute("DELETE FROM merchant_plan WHERE merchant = $1", params![merchant.id])?;
        self.plan_insert_all(merchant.id, plans)
    }

    /// A merchant's plans, the shortest first.
    pub fn plan_list(&mut self, merchant: MerchantId) -> Result<Vec<PlanOffer>, StoreError> {
        self.query(
            "SELECT installments, yearly_rate_basis_points, is_default FROM merchant_plan WHERE merchant = $1
             ORDER BY installments",
            params![merchant],
            |row| {
                let plan = Plan { installments: row.read()?, yearly_rate_bp: row.read()? };
                Ok(PlanOffer { plan, is_default: row.read()? })
            },
        )
    }

    fn plan_insert_all(&mut self, merchant: MerchantId, plans: &[PlanOffer]) -> Result<(), StoreError> {
        for offer in plans {
            self.execute(
                "INSERT INTO merchant_plan (merchant, installments, yearly_rate_basis_points, is_default)
                 VALUES ($1, $2, $3, $4)",
                params![merchant, offer.plan.installments, offer.plan.yearly_rate_bp, offer.is_default],
            )?;
        }
        Ok(())
    }
}

fn merchant(row: &mut RowReader<'_>) -> Result<MerchantRecord, StoreError> {
    Ok(MerchantRecord {
        id: row.read()?,
        number: row.read()?,
        code: row.read()?,
        name: row.read()?,
        limits: limits(row)?,
        basket_ttl: TimeDelta::minutes(row.read()?),
        discount_basis_points: row.read()?,
    })
}

fn limits(row: &mut RowReader<'_>) -> Result<AmountLimits, StoreError> {
    let currency: Currency = row.read()?;
    Ok(AmountLimits {
        minimum: Money::new(row.read()?, currency),
        maximum: Money::new(row.read()?, currency),
    })
}
