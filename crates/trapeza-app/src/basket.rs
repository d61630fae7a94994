//! Baskets: making and showing them, and what becomes of them (`outcome`). What a basket is judged by is the domain's,
//! how its customer decides `checkout`'s.
//!
//! A read shows a basket as of now. A write that finds one overtaken by time writes that down first.

mod outcome;

pub(crate) use outcome::{
    DecisionContext, OpenedBasket, approve, decline, discount_minor, ensure_open, expire_if_due, void,
};

use crate::authentication::Merchant;
use crate::idempotency::{IdempotentRequest, Replayable};
use crate::merchant_terms::{merchant, terms};
use crate::{App, UseCaseError, audit};
use std::sync::Arc;
use trapeza_domain::audit_event::Actor;
use trapeza_domain::basket::{Basket, BasketId, BasketOrder, BasketState, NewBasket, PublicBasketId};
use trapeza_domain::id::MerchantId;
use trapeza_domain::installment::Installment;
use trapeza_domain::money::Money;
use trapeza_domain::refusal::{Refusal, RefusalReason};
use trapeza_domain::time::{Date, TimeDelta, Timestamp};
pub use trapeza_store::{ApplicationRecord, MerchantRecord};
use trapeza_store::{IdempotencyRecord, StoreError, Tx};

/// How many more numbers are drawn for a basket whose own is taken. Five thousand a second, of which some come in the
/// same millisecond, meet that once in some hundreds.
const MORE_DRAWS: usize = 4;

/// A basket with what belongs to it.
#[derive(Clone, Debug)]
pub struct BasketView {
    pub basket: Basket,
    pub merchant: MerchantRecord,
    pub application: ApplicationRecord,
    /// What is lent, or would be: what was refunded is not.
    pub financed: Money,
    /// What is paid when: by the contract less what was refunded, or before there is one by the merchant's usual plan
    /// from today.
    pub installments: Vec<Installment>,
}

impl App {
    /// Keeps a basket, which then waits for its customer. A repeated call is answered as the first one was.
    pub async fn basket_create(
        &self,
        request: IdempotentRequest,
        caller: &Merchant,
        life: TimeDelta,
        request_text: String,
        order: BasketOrder,
    ) -> Result<Replayable<Arc<Basket>>, UseCaseError> {
        let (&Merchant { merchant, application, .. }, now) = (caller, self.now());
        let public = PublicBasketId::new(self.entropy.bytes());
        let [first, more @ ..] = self.basket_draws(now);
        let expires_at = now.plus(life);
        let birth =
            NewBasket { id: first, public, application, merchant, request: request_text, now, expires_at };
        let (basket, event) = Basket::create(birth, order);
        let note = audit::PreparedEvent::new(now, Actor::Application(application), &event);
        let basket = Arc::new(basket);
        self.store
            .write(move |tx| {
                let claim = request.reserve(tx, "created", public.as_bytes(), now)?;
                if !claim.is_new(tx)? {
                    let record = request.find(tx)?.ok_or_else(gone)?;
                    return Ok(Replayable::replayed(Arc::new(made(tx, merchant, &record)?)));
                }
                if tx.basket_insert(&basket)? {
                    note.append(tx)?;
                    return Ok(Replayable::fresh(basket.clone()));
                }
                for id in more {
                    let (basket, event) = Basket::clone(&basket).with_id(id);
                    if tx.basket_insert(&basket)? {
                        audit::record(tx, now, Actor::Application(application), &event)?;
                        return Ok(Replayable::fresh(Arc::new(basket)));
                    }
                }
                Err(StoreError::Conflict("no number was free for a basket".into()).into())
            })
            .await
    }

    /// The numbers that a basket may have. They keep nobody out, so the machine need not be asked for them.
    fn basket_draws(&self, now: Timestamp) -> [BasketId; 1 + MORE_DRAWS] {
        let random = self.entropy.fast_uuid().into_bytes();
        // Bytes 6 and 8 of a UUID say of which kind it is.
        let pairs = [[0, 1], [2, 3], [4, 5], [9, 10], [11, 12]];
        pairs.map(|[high, low]| BasketId::generate(now, u16::from_be_bytes([random[high], random[low]])))
    }

    /// A merchant's own basket as it is now.
    pub async fn basket_find(&self, caller: &Merchant, public: &str) -> Result<BasketView, UseCaseError> {
        let (id, public, now) = (caller.merchant, parse_public_id(public)?, self.now());
        let today = self.clock.today();
        self.store
            .read(move |tx| {
                let basket = tx.basket_find_by_public_id(id, public)?.ok_or_else(not_found)?.as_of(now);
                view(tx, basket, today)
            })
            .await
    }

    /// Whether there is such a basket at all.
    pub async fn basket_exists(&self, public: PublicBasketId) -> Result<(), UseCaseError> {
        let found = self.store.read(move |tx| Ok(tx.basket_by_public_id(public)?)).await?;
        Ok(found.map(|_| ()).ok_or_else(not_found)?)
    }
}

/// A basket with what belongs to it, as it is at that time.
fn view(tx: &mut Tx<'_>, basket: Basket, today: Date) -> Result<BasketView, UseCaseError> {
    let merchant = merchant(tx, basket.merchant)?;
    let application = tx.application_find(basket.application)?;
    let application = application.ok_or_else(|| StoreError::internal("an application is gone"))?;
    let financed = basket.order.value;
    if let BasketState::Approved { loan } = basket.state {
        let refunded = tx.loan_find(basket.merchant, loan)?.map_or(0, |loan| loan.state.refunded_minor());
        let financed = Money { minor: financed.minor - refunded, ..financed };
        let progress = tx.loan_installment_list(loan)?.into_iter().map(|one| one.installment);
        let installments = progress.filter(|one| one.amount_minor() > 0).collect();
        return Ok(BasketView { basket, merchant, application, financed, installments });
    }
    let usual = terms(tx, &merchant)?.default_plan();
    // An amount too small for so many installments has no plan to show.
    let installments =
        usual.and_then(|plan| plan.schedule(basket.order.value.minor, today)).unwrap_or_default();
    Ok(BasketView { basket, merchant, application, financed, installments })
}

/// The basket that a repeated call made.
fn made(tx: &mut Tx<'_>, merchant: MerchantId, record: &IdempotencyRecord) -> Result<Basket, StoreError> {
    let public_id = record.result.as_slice().try_into().map(PublicBasketId::new);
    let public_id = public_id.map_err(|_| StoreError::internal("an idempotency record names no basket"))?;
    let found = tx.basket_find_by_public_id(merchant, public_id)?;
    found.ok_or_else(gone)
}

fn gone() -> StoreError {
    StoreError::internal("a basket that was made is gone")
}

/// An id that cannot be read is one that does not exist.
pub fn parse_public_id(public: &str) -> Result<PublicBasketId, Refusal> {
    PublicBasketId::parse(public).ok_or_else(not_found)
}

/// The same words for one that never was and for another's.
pub(crate) fn not_found() -> Refusal {
    Refusal::at(RefusalReason::ResourceUnknown, "basketId", "there is no such basket")
}
