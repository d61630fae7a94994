//! The checkout: a customer looks at a basket, proves a telephone, may sign in, chooses a plan and agrees, or leaves.
//!
//! The first browser to begin is the only one. Looking binds nothing. Every step locks the basket, so that a second
//! click finds what the first one did; a step that finds the basket overtaken by time writes that down and refuses.

mod agreement;
mod phone;
mod sign_in;
mod view;

pub use view::{CheckoutAccess, CheckoutView, OfferView, Purchase, Stage};

use crate::basket::{self, DecisionContext, Opened};
use crate::sca::{ChallengeEntropy, ScaSettings, session_token_hash};
use crate::{App, Entropy, Keyring, StoreError, UseCaseError};
use std::sync::Arc;
use subtle::ConstantTimeEq;
use trapeza_domain::audit_event::Actor;
use trapeza_domain::basket::{Basket, DeclineReason, PublicBasketId};
use trapeza_domain::id::{LoanId, ShopperId};
use trapeza_domain::refusal::{Refusal, RefusalReason};
use trapeza_store::{CheckoutRecord, Tx};

/// Everything a step needs that is made before its transaction.
#[derive(Clone)]
struct CheckoutContext {
    decision: DecisionContext,
    public: PublicBasketId,
    browser: [u8; 32],
    keyring: Arc<Keyring>,
    settings: Arc<ScaSettings>,
    fresh: ChallengeEntropy,
    loan: LoanId,
    customer: ShopperId,
}

/// A checkout under way, its basket locked.
struct ActiveCheckout {
    at: Opened,
    record: CheckoutRecord,
}

impl App {
    /// Begins, in the browser that has this mark: the loan is asked for. Again in the same one changes nothing.
    pub async fn checkout_open(&self, public: &str, browser: &str) -> Result<(), UseCaseError> {
        let context = self.checkout_context(public, browser)?;
        self.with_open_basket(context, |tx, context, basket| context.begin(tx, basket).map(|_| ())).await
    }

    /// The customer wants none of it, before or after they began.
    pub async fn checkout_leave(&self, public: &str, browser: &str) -> Result<(), UseCaseError> {
        let context = self.checkout_context(public, browser)?;
        let left = self.with_open_basket(context, |tx, context, basket| {
            let going = context.begin(tx, basket)?;
            basket::decline(tx, going.at, DeclineReason::CustomerLeft, "", &context.decision)?;
            Ok(())
        });
        left.await
    }

    /// Runs a step on a basket that can still be decided. What time did is kept even where the step is refused.
    async fn with_open_basket<T: Send + 'static>(
        &self,
        context: CheckoutContext,
        step: impl Fn(&mut Tx<'_>, &CheckoutContext, Basket) -> Result<T, UseCaseError> + Send + 'static,
    ) -> Result<T, UseCaseError> {
        let taken = self.store.write(move |tx| {
            let basket = tx.basket_by_public_id_lock(context.public)?.ok_or_else(basket::unknown)?;
            let basket = basket::settle(tx, basket, &context.decision)?;
            if basket.state.is_final() {
                return Ok(Err(over()));
            }
            step(tx, &context, basket).map(Ok)
        });
        Ok(taken.await??)
    }

    fn checkout_context(&self, public: &str, browser: &str) -> Result<CheckoutContext, Refusal> {
        Ok(CheckoutContext {
            decision: self.decision_context(Actor::Bank),
            public: basket::parse_public_id(public)?,
            browser: session_token_hash(&self.keyring, browser),
            keyring: self.keyring.clone(),
            settings: self.sca.clone(),
            // Codes never come from the demo bank's seed.
            fresh: ChallengeEntropy::generate(&Entropy::os()),
            loan: LoanId::new(self.entropy.uuid()),
            customer: ShopperId::new(self.entropy.uuid()),
        })
    }
}

impl CheckoutContext {
    /// The checkout of this browser, begun now if nobody has.
    fn begin(&self, tx: &mut Tx<'_>, basket: Basket) -> Result<ActiveCheckout, UseCaseError> {
        if tx.checkout_find(basket.id)?.is_some() {
            return self.going(tx, basket);
        }
        let record = CheckoutRecord {
            basket: basket.id,
            browser: self.browser,
            seen_at: self.decision.now,
            phone: None,
            customer: None,
            psu: None,
            challenge: None,
        };
        tx.checkout_insert(&record)?;
        let at = basket::opened(tx, basket, self.loan, &self.decision)?;
        Ok(ActiveCheckout { at, record })
    }

    /// The checkout that this browser began.
    fn going(&self, tx: &mut Tx<'_>, basket: Basket) -> Result<ActiveCheckout, UseCaseError> {
        let record =
            tx.checkout_find(basket.id)?.filter(|record| self.is_own(record)).ok_or_else(other_browser)?;
        let at = basket::opened(tx, basket, self.loan, &self.decision)?;
        Ok(ActiveCheckout { at, record: CheckoutRecord { seen_at: self.decision.now, ..record } })
    }

    fn is_own(&self, record: &CheckoutRecord) -> bool {
        record.browser.ct_eq(&self.browser).into()
    }
}

/// Decided, or too late.
fn over() -> Refusal {
    Refusal::new(RefusalReason::StatusInvalid, "the basket is decided already")
}

/// Another browser began, or none did.
fn other_browser() -> Refusal {
    Refusal::new(RefusalReason::ResourceUnknown, "the checkout is not this browser's")
}

/// A step that does not follow from where the checkout stands: an old page, or a second click.
fn out_of_order() -> Refusal {
    Refusal::new(RefusalReason::StepOutOfOrder, "this step cannot be taken now")
}

fn gone() -> StoreError {
    StoreError::internal("what a checkout names is gone")
}
