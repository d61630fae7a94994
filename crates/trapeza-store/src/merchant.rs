//! Merchants and their plans as rows. Only an operator lists them.

use crate::application::MerchantRecord;
use crate::error::StoreError;
use crate::params;
use crate::tx::Tx;
use crate::value::Row;
use trapeza_domain::basket::AmountLimits;
use trapeza_domain::id::MerchantId;
use trapeza_domain::installment::{Plan, PlanOffer};
use trapeza_domain::time::TimeDelta;

/// The columns of a merchant, in the order that `merchant` reads them.
macro_rules! select {
    ($rest:literal) => {
        concat!(
            "SELECT id, number, code, name, currency, minimum_minor, maximum_minor, basket_minutes, discount_basis_points
             FROM merchant ",
            $rest
        )
    };
}

impl Tx<'_> {
    pub fn merchant_find(&mut self, id: MerchantId) -> Result<Option<MerchantRecord>, StoreError> {
        self.query_opt(select!("WHERE id = $1"), params![id.as_bytes()], merchant)
    }

    /// What a basket of a merchant is judged by, and how long it may be decided. Every basket asks, so that the rest is
    /// left out.
    pub fn merchant_basket_terms(
        &mut self,
        id: MerchantId,
    ) -> Result<Option<(AmountLimits, TimeDelta)>, StoreError> {
        self.query_opt(
            "SELECT currency, minimum_minor, maximum_minor, basket_minutes FROM merchant WHERE id = $1",
            params![id.as_bytes()],
            |row| {
                let limits = AmountLimits { minimum: row.money(0, 1)?, maximum: row.money(0, 2)? };
                Ok((limits, TimeDelta::minutes(row.int(3)?)))
            },
        )
    }

    pub fn merchant_by_code(&mut self, code: &str) -> Result<Option<MerchantRecord>, StoreError> {
        self.query_opt(select!("WHERE code = $1"), params![code], merchant)
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
            "INSERT INTO merchant (id, number, code, name, currency, minimum_minor, maximum_minor, basket_minutes,
                discount_basis_points)
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)",
            params![
                merchant.id.as_bytes(),
                merchant.number,
                &merchant.code,
                &merchant.name,
                merchant.limits.minimum.currency.code(),
                merchant.limits.minimum.minor,
                merchant.limits.maximum.minor,
                merchant.basket_ttl.0 / TimeDelta::minutes(1).0,
                i64::from(merchant.discount_basis_points)
            ],
        )?;
        self.plan_insert_all(merchant.id, plans)
    }

    /// Writes a merchant's terms. Its id, number, code and currency never change.
    pub fn merchant_update(
        &mut self,
        merchant: &MerchantRecord,
        plans: &[PlanOffer],
    ) -> Result<(), StoreError> {
        self.execute(
            "UPDATE merchant SET name = $2, minimum_minor = $3, maximum_minor = $4, discount_basis_points = $5 WHERE id = $1",
            params![
                merchant.id.as_bytes(),
                &merchant.name,
                merchant.limits.minimum.minor,
                merchant.limits.maximum.minor,
                i64::from(merchant.discount_basis_points)
            ],
        )?;
        self.execute("DELETE FROM merchant_plan WHERE merchant = $1", params![merchant.id.as_bytes()])?;
        self.plan_insert_all(merchant.id, plans)
    }

    fn plan_insert_all(&mut self, merchant: MerchantId, plans: &[PlanOffer]) -> Result<(), StoreError> {
        for PlanOffer { plan, is_default } in plans {
            self.execute(
                "INSERT INTO merchant_plan (merchant, installments, yearly_rate_bp, is_default)
                 VALUES ($1, $2, $3, $4)",
                params![
                    merchant.as_bytes(),
                    i64::from(plan.installments),
                    i64::from(plan.yearly_rate_bp),
                    *is_default
                ],
            )?;
        }
        Ok(())
    }

    pub fn plan_list(&mut self, merchant: MerchantId) -> Result<Vec<PlanOffer>, StoreError> {
        self.query(
            "SELECT installments, yearly_rate_bp, is_default FROM merchant_plan
             WHERE merchant = $1 ORDER BY installments",
            params![merchant.as_bytes()],
            |row| {
                let plan = Plan { installments: row.count(0)?, yearly_rate_bp: row.count(1)? };
                Ok(PlanOffer { plan, is_default: row.bool(2)? })
            },
        )
    }
}

fn merchant(row: &Row<'_>) -> Result<MerchantRecord, StoreError> {
    Ok(MerchantRecord {
        id: row.id(0, MerchantId::new)?,
        number: row.int(1)?,
        code: row.text(2)?,
        name: row.text(3)?,
        limits: AmountLimits { minimum: row.money(4, 5)?, maximum: row.money(4, 6)? },
        basket_ttl: TimeDelta::minutes(row.int(7)?),
        discount_basis_points: row.count(8)?,
    })
}
