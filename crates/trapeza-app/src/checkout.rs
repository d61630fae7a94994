//! The checkout: a shopper views a basket, verifies a telephone number, may sign in, chooses a plan and agrees, or leaves.
//!
//! The first browser to start owns the checkout; viewing has no effect. Every step locks the basket, so a second click
//! sees the effect of the first. A step that finds the basket expired saves the expiry and is refused.

mod agreement;
mod document;
mod eligibility;
mod income;
mod phone;
mod review;
mod sign_in;
mod view;

pub use agreement::AgreementRequest;
pub use review::ReviewAccess;
pub use view::{CheckoutAccess, CheckoutView, OfferView, Purchase, Stage};

use crate::basket::{self, DecisionContext, OpenedBasket};
use crate::credential::CredentialContext;
use crate::device::session_token_hash;
use crate::sandbox::SandboxBehaviour;
use crate::{App, UseCaseError};
use subtle::ConstantTimeEq;
use trapeza_domain::audit_event::Actor;
use trapeza_domain::basket::{Basket, DeclineReason, PublicBasketId};
use trapeza_domain::id::{LoanId, ShopperId};
use trapeza_domain::reference::Iban;
use trapeza_domain::refusal::{Refusal, RefusalReason};
use trapeza_store::{CheckoutRecord, Tx};
use trapeza_texts::Language;

/// What a checkout step needs and must be created before its transaction.
#[derive(Clone)]
struct CheckoutContext {
    decision: DecisionContext,
    credential: CredentialContext,
    public: PublicBasketId,
    session: [u8; 32],
    /// Ids for a loan and a shopper, should the step create them.
    loan: LoanId,
    shopper: ShopperId,
    sandbox: Option<SandboxBehaviour>,
    /// The bank's account to which shoppers without an account here pay.
    collection: Option<Iban>,
    /// The language of messages.
    language: Language,
    /// Whether shoppers without an account here declare their income.
    declared_income: bool,
}

/// A started checkout with its locked basket.
struct ActiveCheckout {
    opened: OpenedBasket,
    record: CheckoutRecord,
}

impl App {
    /// Starts the checkout in the browser with this session token, which requests the loan. Again in the same browser it
    /// has no effect.
    pub async fn checkout_open(&self, public: &str, session: &str) -> Result<(), UseCaseError> {
        let context = self.checkout_context(public, session)?;
        self.with_open_basket(context, |tx, context, basket| context.start(tx, basket).map(|_| ())).await
    }

    /// The shopper leaves, before or after the start.
    pub async fn checkout_leave(&self, public: &str, session: &str) -> Result<(), UseCaseError> {
        let context = self.checkout_context(public, session)?;
        let left = self.with_open_basket(context, |tx, context, basket| {
            let active = context.start(tx, basket)?;
            basket::decline(tx, active.opened, DeclineReason::CustomerLeft, "", &context.decision)?;
            Ok(())
        });
        left.await
    }

    /// Runs a step on an undecided basket. An expiry is saved even where the step is refused.
    async fn with_open_basket<T: Send + 'static>(
        &self,
        context: CheckoutContext,
        step: impl Fn(&mut Tx<'_>, &CheckoutContext, Basket) -> Result<T, UseCaseError> + Send + 'static,
    ) -> Result<T, UseCaseError> {
        let outcome = self.store.write(move |tx| {
            let basket = tx.basket_by_public_id_lock(context.public)?.ok_or_else(basket::not_found)?;
            let basket = basket::expire_if_due(tx, basket, &context.decision)?;
            if basket.state.is_final() {
                return Ok(Err(already_decided()));
            }
            step(tx, &context, basket).map(Ok)
        });
        Ok(outcome.await??)
    }

    fn checkout_context(&self, public: &str, session: &str) -> Result<CheckoutContext, Refusal> {
        Ok(CheckoutContext {
            decision: self.decision_context(Actor::Bank),
            credential: self.credential_context(),
            public: basket::parse_public_id(public)?,
            session: session_token_hash(&self.keyring, session),
            loan: LoanId::new(self.entropy.uuid()),
            shopper: ShopperId::new(self.entropy.uuid()),
            sandbox: self.settings.sandbox,
            collection: self.settings.payments.collection,
            language: Language::default(),
            declared_income: self.settings.declared_income,
        })
    }
}

impl CheckoutContext {
    /// The checkout of this browser, started now if there is none.
    fn start(&self, tx: &mut Tx<'_>, basket: Basket) -> Result<ActiveCheckout, UseCaseError> {
        if tx.checkout_find(basket.id)?.is_some() {
            return self.active(tx, basket);
        }
        let record = CheckoutRecord {
            basket: basket.id,
            session_token_hash: self.session,
            last_seen_at: self.decision.now,
            phone: None,
            shopper: None,
            psu: None,
            income: None,
            challenge: None,
        };
        tx.checkout_insert(&record)?;
        let opened = basket::ensure_open(tx, basket, self.loan, &self.decision)?;
        Ok(ActiveCheckout { opened, record })
    }

    /// The checkout that this browser started.
    fn active(&self, tx: &mut Tx<'_>, basket: Basket) -> Result<ActiveCheckout, UseCaseError> {
        let found = tx.checkout_find(basket.id)?.filter(|record| self.is_own(record));
        let record = found.ok_or_else(other_browser)?;
        let opened = basket::ensure_open(tx, basket, self.loan, &self.decision)?;
        Ok(ActiveCheckout { opened, record: CheckoutRecord { last_seen_at: self.decision.now, ..record } })
    }

    fn is_own(&self, record: &CheckoutRecord) -> bool {
        record.session_token_hash.ct_eq(&self.session).into()
    }
}

fn already_decided() -> Refusal {
    Refusal::new(RefusalReason::StatusInvalid, "the basket is already decided or expired")
}

/// Another browser started the checkout, or none did.
fn other_browser() -> Refusal {
    Refusal::new(RefusalReason::ResourceUnknown, "this browser has no checkout for the basket")
}

/// The step does not follow from the state of the checkout: an outdated page, or a second click.
fn out_of_order() -> Refusal {
    Refusal::new(RefusalReason::StepOutOfOrder, "this step is not possible now")
}
