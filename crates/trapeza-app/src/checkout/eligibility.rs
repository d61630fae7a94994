//! Eligibility: which plans the bank would grant to the shopper, judged before the plans are shown. A basket is declined only when
//! nothing can help; otherwise the shopper may choose another plan or sign in until the basket expires.

use super::{ActiveCheckout, CheckoutContext};
use crate::basket::{self, DecisionContext};
use crate::credit::{Applicant, Assessment};
use crate::merchant_terms;
use crate::{StoreError, UseCaseError};
use trapeza_domain::audit_event::Actor;
use trapeza_domain::basket::{Basket, DeclineReason};
use trapeza_domain::credit::CreditDecision;
use trapeza_domain::installment::{Installment, PlanOffer};
use trapeza_domain::time::Date;
use trapeza_store::{CheckoutRecord, Tx};

/// The merchant's plans that fit the amount of a basket, with their schedules.
pub(super) fn offers(
    tx: &mut Tx<'_>,
    basket: &Basket,
    today: Date,
) -> Result<Vec<(PlanOffer, Vec<Installment>)>, StoreError> {
    let merchant = merchant_terms::merchant(tx, basket.merchant)?;
    let plans = merchant_terms::terms(tx, &merchant)?.plans;
    let schedule = |offer: PlanOffer| Some((offer, offer.plan.schedule(basket.order.value.minor, today)?));
    Ok(plans.into_iter().filter_map(schedule).collect())
}

impl CheckoutContext {
    /// The person at this checkout, once the telephone number is verified.
    pub(super) fn applicant(&self, record: &CheckoutRecord) -> Option<Applicant> {
        let (psu, pays_by_transfer) = (record.psu, self.collection.is_some());
        record.shopper.filter(|_| !self.awaits_income(record)).map(|shopper| Applicant {
            shopper,
            psu,
            pays_by_transfer,
            declared: record.income,
        })
    }

    /// The decision about each plan, without a lock. `None` before the telephone number is verified, and where the sandbox decides.
    pub(super) fn plan_decisions(
        &self,
        tx: &mut Tx<'_>,
        basket: &Basket,
        record: &CheckoutRecord,
        offers: &[(PlanOffer, Vec<Installment>)],
    ) -> Result<Option<Vec<CreditDecision>>, UseCaseError> {
        let Some(applicant) = self.applicant(record) else { return Ok(None) };
        if self.sandbox_outcome(tx, basket, record)?.is_some() {
            return Ok(None);
        }
        let time = (self.decision.now, self.decision.today);
        let assessment = Assessment::load(tx, basket, applicant, time)?;
        Ok(Some(offers.iter().map(|(_, schedule)| assessment.decide(schedule)).collect()))
    }

    /// Why no plan can be granted, unless the shopper can change that at this checkout.
    pub(super) fn final_decline(
        &self,
        tx: &mut Tx<'_>,
        active: &ActiveCheckout,
    ) -> Result<Option<(DeclineReason, String)>, UseCaseError> {
        let (basket, record) = (&active.opened.basket, &active.record);
        let offers = offers(tx, basket, self.decision.today)?;
        let decisions = self.plan_decisions(tx, basket, record, &offers)?.unwrap_or_default();
        if decisions.iter().any(|decision| decision.outcome.is_ok()) {
            return Ok(None);
        }
        let first = decisions.into_iter().next();
        let declined = first.and_then(|first| Some((first.outcome.err()?, first.inputs)));
        // A customer with an account has a higher limit.
        let may_sign_in = |reason| reason == DeclineReason::Exposure && record.psu.is_none();
        Ok(declined.filter(|(reason, _)| !may_sign_in(*reason)))
    }

    /// Declines the basket after a verification or a sign-in when no plan can be granted.
    pub(super) fn decline_if_ineligible(
        &self,
        tx: &mut Tx<'_>,
        active: ActiveCheckout,
    ) -> Result<(), UseCaseError> {
        if let Some((reason, inputs)) = self.final_decline(tx, &active)? {
            let actor = active.record.psu.map_or(Actor::Bank, Actor::Psu);
            let context = DecisionContext { actor, ..self.decision };
            basket::decline(tx, active.opened, reason, &inputs, &context)?;
        }
        Ok(())
    }
}
