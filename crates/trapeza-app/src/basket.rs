//! Baskets: making and showing them, and what becomes of them (`outcome`). What a basket is judged by is the domain's,
//! how its customer decides `checkout`'s.
//!
//! A read shows a basket as of now. A write that finds one overtaken by time writes that down first.

mod outcome;

pub(crate) use outcome::{Occasion, Opened, approve, decline, discount_minor, opened, settle, void};

use crate::caller::Merchant;
use crate::pay_later::{merchant, terms};
use crate::repeat::{Answered, Call};
use crate::{App, Stop, audit};
use trapeza_domain::basket::{Basket, BasketBirth, BasketId, BasketOrder, BasketState, PublicBasketId};
use trapeza_domain::event::Actor;
use trapeza_domain::installment::Installment;
use trapeza_domain::money::Money;
use trapeza_domain::refusal::{Reason, Refusal};
use trapeza_domain::time::Day;
pub use trapeza_store::{ApplicationRecord, MerchantRecord};
use trapeza_store::{ReplayRecord, StoreError, Tx};

/// How many numbers are drawn for a basket. One is taken once in millions of baskets.
const DRAWS: usize = 3;

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
        call: Call,
        caller: &Merchant,
        request: String,
        order: BasketOrder,
    ) -> Result<Answered<Basket>, Stop> {
        let (who, now) = (caller.clone(), self.now());
        let public = PublicBasketId::new(self.entropy.bytes());
        let draws: [BasketId; DRAWS] =
            std::array::from_fn(|_| BasketId::draw(u64::from_be_bytes(self.entropy.bytes())));
        self.store
            .write(move |tx| {
                if let Some(record) = call.find(tx)? {
                    let found = tx.basket_find(who.merchant, made(&record)?)?;
                    return Ok(Answered::again(found.ok_or_else(gone)?));
                }
                let life = merchant(tx, who.merchant)?.basket_life;
                for id in draws {
                    let birth = BasketBirth {
                        id,
                        public,
                        application: who.application,
                        merchant: who.merchant,
                        request: request.clone(),
                        now,
                        expires_at: now.plus(life),
                    };
                    let (basket, event) = Basket::create(birth, order.clone());
                    if tx.basket_insert(&basket)? {
                        audit::note(tx, now, Actor::Application(who.application), &event)?;
                        call.save(tx, "created", &id.number().to_be_bytes(), now)?;
                        return Ok(Answered::first(basket));
                    }
                }
                Err(StoreError::Conflict("no number was free for a basket".into()).into())
            })
            .await
    }

    /// A merchant's own basket as it is now.
    pub async fn basket_find(&self, caller: &Merchant, public: &str) -> Result<BasketView, Stop> {
        let (id, public, now) = (caller.merchant, parse(public)?, self.now());
        let today = self.clock.today();
        self.store
            .read(move |tx| {
                let basket = tx.basket_find_public(id, public)?.ok_or_else(unknown)?.as_of(now);
                view(tx, basket, today)
            })
            .await
    }

    /// Whether there is such a basket at all.
    pub async fn basket_is_there(&self, public: PublicBasketId) -> Result<(), Stop> {
        let found = self.store.read(move |tx| Ok(tx.basket_by_public(public)?)).await?;
        Ok(found.map(|_| ()).ok_or_else(unknown)?)
    }
}

/// A basket with what belongs to it, as it is at that time.
fn view(tx: &mut Tx<'_>, basket: Basket, today: Day) -> Result<BasketView, Stop> {
    let merchant = merchant(tx, basket.merchant)?;
    let application = tx.application_find(basket.application)?;
    let application = application.ok_or_else(|| StoreError::broken("an application is gone"))?;
    let financed = basket.order.value;
    if let BasketState::Approved { loan } = basket.state {
        let refunded = tx.loan_find(basket.merchant, loan)?.map_or(0, |loan| loan.state.refunded_minor());
        let financed = Money { minor: financed.minor - refunded, ..financed };
        let progress = tx.loan_progress(loan)?.into_iter().map(|one| one.installment);
        let installments = progress.filter(|one| one.amount_minor() > 0).collect();
        return Ok(BasketView { basket, merchant, application, financed, installments });
    }
    let usual = terms(tx, &merchant)?.usual();
    // An amount too small for so many installments has no plan to show.
    let installments =
        usual.and_then(|plan| plan.schedule(basket.order.value.minor, today)).unwrap_or_default();
    Ok(BasketView { basket, merchant, application, financed, installments })
}

/// The basket that a repeated call made.
fn made(record: &ReplayRecord) -> Result<BasketId, StoreError> {
    let bytes = record.object.as_slice().try_into();
    let number =
        bytes.map(i64::from_be_bytes).map_err(|_| StoreError::broken("a replay record names no basket"))?;
    Ok(BasketId::new(number))
}

fn gone() -> StoreError {
    StoreError::broken("a basket that was made is gone")
}

/// An id that cannot be read is one that does not exist.
pub fn parse(public: &str) -> Result<PublicBasketId, Refusal> {
    PublicBasketId::parse(public).ok_or_else(unknown)
}

/// The same words for one that never was and for another's.
pub(crate) fn unknown() -> Refusal {
    Refusal::at(Reason::ResourceUnknown, "basketId", "there is no such basket")
}
