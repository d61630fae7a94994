//! What a merchant may ask about its own terms.

use crate::{App, Merchant, Stop, StoreError};
use trapeza_domain::money::{Currency, Money};
use trapeza_store::PlanRecord;

/// A merchant's limits and plans.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Terms {
    pub minimum: Money,
    pub maximum: Money,
    pub plans: Vec<PlanRecord>,
}

impl App {
    pub async fn merchant_terms(&self, caller: &Merchant) -> Result<Terms, Stop> {
        let id = caller.merchant;
        self.store
            .read(move |tx| {
                let merchant =
                    tx.merchant_find(id)?.ok_or_else(|| StoreError::broken("a merchant is gone"))?;
                let currency = Currency::parse(&merchant.currency).map_err(StoreError::broken)?;
                let money = |minor| Money { minor, currency };
                Ok(Terms {
                    minimum: money(merchant.minimum_minor),
                    maximum: money(merchant.maximum_minor),
                    plans: tx.plan_list(id)?,
                })
            })
            .await
    }
}
