//! The customer agrees, and the bank decides: in one transaction, with everybody else who decides about the same person
//! waiting. What the customer agreed to is what they were shown, to the day.

use super::{Going, Till, out_of_order};
use crate::basket::{self, Occasion};
use crate::credit::{self, Applicant};
use crate::{App, StoreError, UseCaseError, pay_later};
use std::time::Duration;
use trapeza_domain::credit::{Forced, Verdict, forced};
use trapeza_domain::event::Actor;
use trapeza_domain::installment::{Installment, Plan};
use trapeza_domain::loan::Contract;
use trapeza_domain::time::Day;
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
        shown: Day,
    ) -> Result<(), UseCaseError> {
        let till = self.till(public, browser)?;
        let slow = self.at_the_till(till, |tx, till, basket| {
            let going = till.going(tx, basket)?;
            Ok(forced_by(tx, &going)? == Some(Forced::Slow))
        });
        if slow.await? {
            tokio::time::sleep(SLOW).await;
        }
        let till = self.till(public, browser)?;
        let decided = self.at_the_till(till, move |tx, till, basket| {
            let going = till.going(tx, basket)?;
            till.decide(tx, going, installments, shown)
        });
        decided.await
    }
}

impl Till {
    fn decide(
        &self,
        tx: &mut Tx<'_>,
        going: Going,
        installments: u32,
        shown: Day,
    ) -> Result<(), UseCaseError> {
        let (now, today) = (self.occasion.now, self.occasion.today);
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
        let occasion = Occasion { actor: psu.map_or(Actor::Bank, Actor::Psu), ..self.occasion };
        let discount_minor = basket::discount_minor(tx, &going.at.basket)?;
        tx.checkout_update(&going.record)?;
        match verdict.outcome {
            Ok(()) => {
                let borrower = Some(borrower);
                let contract = Contract { plan, signed: today, borrower, discount_minor, schedule };
                basket::approve(tx, going.at, contract, &verdict.inputs, &occasion)?;
            }
            Err(reason) => {
                basket::decline(tx, going.at, reason, &verdict.inputs, &occasion)?;
            }
        }
        Ok(())
    }
}

/// The plan that was chosen, if the merchant offers it and it fits the amount.
fn agreed(
    tx: &mut Tx<'_>,
    going: &Going,
    installments: u32,
    today: Day,
) -> Result<(Plan, Vec<Installment>), UseCaseError> {
    let merchant = pay_later::merchant(tx, going.at.basket.merchant)?;
    let offers = pay_later::terms(tx, &merchant)?.plans;
    let chosen = offers.iter().map(|offer| offer.plan).find(|plan| plan.installments == installments);
    let agreed = chosen.and_then(|plan| Some((plan, plan.schedule(going.at.loan.amount.minor, today)?)));
    Ok(agreed.ok_or_else(out_of_order)?)
}

/// What a telephone of the sandbox forces, at a merchant's test application only.
fn forced_by(tx: &mut Tx<'_>, going: &Going) -> Result<Option<Forced>, StoreError> {
    let Some(forced) = going.record.phone.as_ref().and_then(forced) else { return Ok(None) };
    let application = tx.application_find(going.at.basket.application)?;
    Ok(application.filter(|record| record.application.sandbox).map(|_| forced))
}

fn as_forced(forced: Forced) -> Verdict {
    let outcome = match forced {
        Forced::Approved | Forced::Slow => Ok(()),
        Forced::Declined(reason) => Err(reason),
    };
    Verdict { outcome, inputs: "a telephone of the sandbox".to_owned() }
}
