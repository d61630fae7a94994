//! The checkout: a customer looks at a basket, proves a telephone, may sign in, chooses a plan and agrees, or leaves.
//!
//! The first browser to begin is the only one. Looking binds nothing. Every step locks the basket, so that a second
//! click finds what the first one did; a step that finds the basket overtaken by time writes that down and refuses.

mod agreement;
mod phone;
mod sign_in;
mod view;

pub use view::{CheckoutView, Look, OfferView, Purchase, Stage};

use crate::authorisation::{Fresh, ScaSettings, mark_hash};
use crate::basket::{self, Occasion, Opened};
use crate::{App, Entropy, Keyring, StoreError, UseCaseError};
use std::sync::Arc;
use subtle::ConstantTimeEq;
use trapeza_domain::basket::{Basket, Decline, PublicBasketId};
use trapeza_domain::event::Actor;
use trapeza_domain::id::{LoanId, ShopperId};
use trapeza_domain::refusal::{Reason, Refusal};
use trapeza_store::{CheckoutRecord, Tx};

/// Everything a step needs that is made before its transaction.
#[derive(Clone)]
struct Till {
    occasion: Occasion,
    public: PublicBasketId,
    browser: [u8; 32],
    keyring: Arc<Keyring>,
    settings: Arc<ScaSettings>,
    fresh: Fresh,
    loan: LoanId,
    customer: ShopperId,
}

/// A checkout under way, its basket locked.
struct Going {
    at: Opened,
    record: CheckoutRecord,
}

impl App {
    /// Begins, in the browser that has this mark: the loan is asked for. Again in the same one changes nothing.
    pub async fn checkout_open(&self, public: &str, browser: &str) -> Result<(), UseCaseError> {
        let till = self.till(public, browser)?;
        self.at_the_till(till, |tx, till, basket| till.begin(tx, basket).map(|_| ())).await
    }

    /// The customer wants none of it, before or after they began.
    pub async fn checkout_leave(&self, public: &str, browser: &str) -> Result<(), UseCaseError> {
        let till = self.till(public, browser)?;
        let left = self.at_the_till(till, |tx, till, basket| {
            let going = till.begin(tx, basket)?;
            basket::decline(tx, going.at, Decline::CustomerLeft, "", &till.occasion)?;
            Ok(())
        });
        left.await
    }

    /// Runs a step on a basket that can still be decided. What time did is kept even where the step is refused.
    async fn at_the_till<T: Send + 'static>(
        &self,
        till: Till,
        step: impl Fn(&mut Tx<'_>, &Till, Basket) -> Result<T, UseCaseError> + Send + 'static,
    ) -> Result<T, UseCaseError> {
        let taken = self.store.write(move |tx| {
            let basket = tx.basket_by_public_id_lock(till.public)?.ok_or_else(basket::unknown)?;
            let basket = basket::settle(tx, basket, &till.occasion)?;
            if basket.state.is_final() {
                return Ok(Err(over()));
            }
            step(tx, &till, basket).map(Ok)
        });
        Ok(taken.await??)
    }

    fn till(&self, public: &str, browser: &str) -> Result<Till, Refusal> {
        Ok(Till {
            occasion: self.occasion(Actor::Bank),
            public: basket::parse(public)?,
            browser: mark_hash(&self.keyring, browser),
            keyring: self.keyring.clone(),
            settings: self.sca.clone(),
            // Codes never come from the demo bank's seed.
            fresh: Fresh::draw(&Entropy::machine()),
            loan: LoanId::new(self.entropy.uuid()),
            customer: ShopperId::new(self.entropy.uuid()),
        })
    }
}

impl Till {
    /// The checkout of this browser, begun now if nobody has.
    fn begin(&self, tx: &mut Tx<'_>, basket: Basket) -> Result<Going, UseCaseError> {
        if tx.checkout_find(basket.id)?.is_some() {
            return self.going(tx, basket);
        }
        let record = CheckoutRecord {
            basket: basket.id,
            browser: self.browser,
            seen_at: self.occasion.now,
            phone: None,
            customer: None,
            psu: None,
            challenge: None,
        };
        tx.checkout_insert(&record)?;
        let at = basket::opened(tx, basket, self.loan, &self.occasion)?;
        Ok(Going { at, record })
    }

    /// The checkout that this browser began.
    fn going(&self, tx: &mut Tx<'_>, basket: Basket) -> Result<Going, UseCaseError> {
        let record =
            tx.checkout_find(basket.id)?.filter(|record| self.is_own(record)).ok_or_else(elsewhere)?;
        let at = basket::opened(tx, basket, self.loan, &self.occasion)?;
        Ok(Going { at, record: CheckoutRecord { seen_at: self.occasion.now, ..record } })
    }

    fn is_own(&self, record: &CheckoutRecord) -> bool {
        record.browser.ct_eq(&self.browser).into()
    }
}

/// Decided, or too late.
fn over() -> Refusal {
    Refusal::new(Reason::StatusInvalid, "the basket is decided already")
}

/// Another browser began, or none did.
fn elsewhere() -> Refusal {
    Refusal::new(Reason::ResourceUnknown, "the checkout is not this browser's")
}

/// A step that does not follow from where the checkout stands: an old page, or a second click.
fn out_of_order() -> Refusal {
    Refusal::new(Reason::StepOutOfOrder, "this step cannot be taken now")
}

fn gone() -> StoreError {
    StoreError::internal("what a checkout names is gone")
}
