//! The terms of merchants: amount limits, installment plans and the time to decide a basket.

use crate::{App, Merchant, Required, StoreError, UseCaseError};
use trapeza_domain::basket::AmountLimits;
use trapeza_domain::field::Field;
use trapeza_domain::id::MerchantId;
use trapeza_domain::installment::{Installment, Plan, PlanOffer, apr_tenths_of_percent};
use trapeza_domain::money::Money;
use trapeza_domain::refusal::{Refusal, RefusalReason};
use trapeza_domain::time::{Date, TimeDelta};
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

    /// What a purchase of an amount costs with each plan. The amount must be within the limits.
    pub fn quote(&self, amount: &str, today: Date) -> Result<PriceQuote, Refusal> {
        let refused = |text: String| Refusal::malformed(Field::Amount, text);
        let amount =
            Money::parse(amount, self.limits.minimum.currency).map_err(|text| refused(text.into()))?;
        if !self.limits.allow(amount) {
            return Err(refused(self.limits.describe()));
        }
        let quoted = self.plans.iter().map(|offer| {
            let schedule = offer.plan.schedule(amount.minor, today)?;
            Some(PlanQuote {
                offer: *offer,
                payments: schedule
                    .iter()
                    .map(|one| Money::new(one.amount_minor(), amount.currency))
                    .collect(),
                interest: Money::new(schedule.iter().map(|one| one.interest_minor).sum(), amount.currency),
                total: Money::new(schedule.iter().map(Installment::amount_minor).sum(), amount.currency),
                apr_tenths_of_percent: apr_tenths_of_percent(amount.minor, &schedule),
            })
        });
        // An amount that is too small for a plan is not quoted with it.
        Ok(PriceQuote { amount, plans: quoted.flatten().collect() })
    }
}

/// What a purchase costs, by plan.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PriceQuote {
    pub amount: Money,
    pub plans: Vec<PlanQuote>,
}

/// What a purchase costs with one plan.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlanQuote {
    pub offer: PlanOffer,
    /// One amount per month.
    pub payments: Vec<Money>,
    pub interest: Money,
    pub total: Money,
    pub apr_tenths_of_percent: i64,
}

impl PriceQuote {
    /// The plan that is shown before the shopper chooses one.
    pub fn default_plan(&self) -> Option<&PlanQuote> {
        self.plans.iter().find(|plan| plan.offer.is_default).or(self.plans.first())
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

impl App {
    /// The terms of the merchant with a public number, without authentication: they are shown to every shopper.
    pub async fn merchant_terms_by_number(&self, number: i64) -> Result<MerchantTerms, UseCaseError> {
        self.store
            .read(move |tx| {
                let unknown = || Refusal::new(RefusalReason::ResourceUnknown, "unknown merchant");
                let merchant = tx.merchant_by_number(number)?.ok_or_else(unknown)?;
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
