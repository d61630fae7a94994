//! What a merchant may ask about its own terms.

use crate::cache::GenerationCache;
use crate::{App, Merchant, StoreError, UseCaseError};
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
    /// The plan that is shown before a customer chooses.
    pub fn default_plan(&self) -> Option<Plan> {
        let named = self.plans.iter().find(|offer| offer.is_default);
        named.or(self.plans.first()).map(|offer| offer.plan)
    }
}

/// What a merchant's baskets are judged by, and how long each may be decided.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BasketTerms {
    pub limits: AmountLimits,
    pub life: TimeDelta,
}

/// The terms of merchants that made baskets lately.
pub(crate) type KnownTerms = GenerationCache<MerchantId, BasketTerms>;

impl App {
    pub async fn merchant_basket_terms(&self, caller: &Merchant) -> Result<BasketTerms, UseCaseError> {
        let (edition, id) = (self.store.auth_generation(), caller.merchant);
        if let Some(terms) = self.known_terms.find(edition, &id) {
            return Ok(terms);
        }
        let found = self.store.read(move |tx| Ok(tx.merchant_basket_terms(id)?)).await?;
        let (limits, life) = found.ok_or_else(gone)?;
        let terms = BasketTerms { limits, life };
        self.known_terms.keep(edition, id, &terms);
        Ok(terms)
    }

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

/// A merchant that is named by a row of ours, and so is there.
pub(crate) fn merchant(tx: &mut Tx<'_>, id: MerchantId) -> Result<MerchantRecord, StoreError> {
    tx.merchant_find(id)?.ok_or_else(gone)
}

fn gone() -> StoreError {
    StoreError::internal("a merchant is gone")
}
