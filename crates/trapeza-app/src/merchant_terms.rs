//! The terms of merchants: amount limits, installment plans and the time to decide a basket.

use crate::{App, Merchant, Required, StoreError, UseCaseError};
use trapeza_domain::basket::AmountLimits;
use trapeza_domain::id::MerchantId;
use trapeza_domain::installment::{Plan, PlanOffer};
use trapeza_domain::time::TimeDelta;
use trapeza_store::{MerchantRecord, Tx};

/// A merchant's limits and plans.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MerchantTerms {
    pub limits: AmountLimits,
    pub plans: Vec<PlanOffer>,
}

impl MerchantTerms {
    /// The plan that is shown before the shopper chooses one.
    pub fn default_plan(&self) -> Option<Plan> {
        let named = self.plans.iter().find(|offer| offer.is_default);
        named.or(self.plans.first()).map(|offer| offer.plan)
    }
}

/// The limits of a merchant's baskets, and how long a basket may be decided.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct BasketTerms {
    pub limits: AmountLimits,
    pub ttl: TimeDelta,
}

impl App {
    pub async fn merchant_terms(&self, caller: &Merchant) -> Result<MerchantTerms, UseCaseError> {
        let id = caller.merchant;
        self.store
            .read(move |tx| {
                let merchant = merchant(tx, id)?;
                Ok(terms(tx, &merchant)?)
            })
            .await
    }
}

pub(crate) fn terms(tx: &mut Tx<'_>, merchant: &MerchantRecord) -> Result<MerchantTerms, StoreError> {
    Ok(MerchantTerms { limits: merchant.limits, plans: tx.plan_list(merchant.id)? })
}

/// A merchant that another row refers to.
pub(crate) fn merchant(tx: &mut Tx<'_>, id: MerchantId) -> Result<MerchantRecord, StoreError> {
    tx.merchant_find(id)?.required("merchant")
}

pub(crate) fn basket_terms(tx: &mut Tx<'_>, id: MerchantId) -> Result<BasketTerms, StoreError> {
    let (limits, ttl) = tx.merchant_basket_terms(id)?.required("merchant")?;
    Ok(BasketTerms { limits, ttl })
}
