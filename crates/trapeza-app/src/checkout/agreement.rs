//! The customer agrees, and the bank decides: in one transaction, with everybody else who decides about the same person
//! waiting. What the customer agreed to is what they were shown, to the day.

use super::{ActiveCheckout, CheckoutContext, out_of_order};
use crate::basket::{self, DecisionContext};
use crate::credit::{self, Applicant};
use crate::{App, StoreError, UseCaseError, merchant_terms};
use std::time::Duration;
use trapeza_domain::audit_event::Actor;
use trapeza_domain::credit::{CreditDecision, SandboxOutcome, sandbox_outcome};
use trapeza_domain::installment::{Installment, Plan};
use trapeza_domain::loan::Contract;
use trapeza_domain::time::Date;
use trapeza_store::Tx;

/// How long the sandbox's slow telephone takes to be decided about, by the machine's clock.
const SLOW: Duration = Duration::from_secs(5);

impl App {
    /// Agrees to the plan of so many installments, as it was shown on that day.
    pub async fn checkout_agree(
        &self,
        public: &str,
        browser: &str,
        installments: u32,
        shown: Date,
    ) -> Result<(), UseCaseError> {
        let context = self.checkout_context(public, browser)?;
        let slow = self.with_open_basket(context, |tx, context, basket| {
            let going = context.going(tx, basket)?;
            Ok(forced_by(tx, &going)? == Some(SandboxOutcome::Slow))
        });
        if slow.await? {
            tokio::time::sleep(SLOW).await;
        }
        let context = self.checkout_context(public, browser)?;
        let decided = self.with_open_basket(context, move |tx, context, basket| {
            let going = context.going(tx, basket)?;
            context.decide(tx, going, installments, shown)
        });
        decided.await
    }
}

impl CheckoutContext {
    fn decide(
        &self,
        tx: &mut Tx<'_>,
        going: ActiveCheckout,
        installments: u32,
        shown: Date,
    ) -> Result<(), UseCaseError> {
        let (now, today) = (self.decision.now, self.decision.today);
        let customer = going.record.customer.ok_or_else(out_of_order)?;
        // Past midnight every date is another: the customer has to see them first.
        if shown != today {
            return Err(out_of_order().into());
        }
        let (plan, schedule) = agreed(tx, &going, installments, today)?;
        let psu = going.record.psu;
        let applicant = Applicant { customer, psu };
        let (verdict, borrower) = credit::judge(tx, &going.at, applicant, &schedule, (now, today))?;
        let verdict = forced_by(tx, &going)?.map_or(verdict, as_forced);
        let context = DecisionContext { actor: psu.map_or(Actor::Bank, Actor::Psu), ..self.decision };
        let discount_minor = basket::discount_minor(tx, &going.at.basket)?;
        tx.checkout_update(&going.record)?;
        match verdict.outcome {
            Ok(()) => {
                let borrower = Some(borrower);
                let contract = Contract { plan, signed: today, borrower, discount_minor, schedule };
                basket::approve(tx, going.at, contract, &verdict.inputs, &context)?;
            }
            Err(reason) => {
                basket::decline(tx, going.at, reason, &verdict.inputs, &context)?;
            }
        }
        Ok(())
    }
}

/// The plan that was chosen, if the merchant offers it and it fits the amount.
fn agreed(
    tx: &mut Tx<'_>,
    going: &ActiveCheckout,
    installments: u32,
    today: Date,
) -> Result<(Plan, Vec<Installment>), UseCaseError> {
    let merchant = merchant_terms::merchant(tx, going.at.basket.merchant)?;
    let offers = merchant_terms::terms(tx, &merchant)?.plans;
    let chosen = offers.iter().map(|offer| offer.plan).find(|plan| plan.installments == installments);
    let agreed = chosen.and_then(|plan| Some((plan, plan.schedule(going.at.loan.amount.minor, today)?)));
    Ok(agreed.ok_or_else(out_of_order)?)
}

/// What a telephone of the sandbox forces, at a merchant's test application only.
fn forced_by(tx: &mut Tx<'_>, going: &ActiveCheckout) -> Result<Option<SandboxOutcome>, StoreError> {
    let Some(forced) = going.record.phone.as_ref().and_then(sandbox_outcome) else { return Ok(None) };
    let application = tx.application_find(going.at.basket.application)?;
    Ok(application.filter(|record| record.application.sandbox).map(|_| forced))
}

fn as_forced(forced: SandboxOutcome) -> CreditDecision {
    let outcome = match forced {
        SandboxOutcome::Approved | SandboxOutcome::Slow => Ok(()),
        SandboxOutcome::Declined(reason) => Err(reason),
    };
    CreditDecision { outcome, inputs: "a telephone of the sandbox".to_owned() }
}
