//! The state of signing baskets: loading, expiry and end. Payments and consents call it when a member leaves its basket, so it
//! depends on none of them.

use crate::{UseCaseError, audit, authorisation_expiry};
use trapeza_domain::audit_event::{Actor, AuditEvent};
use trapeza_domain::authorisation::Target;
use trapeza_domain::field::Field;
use trapeza_domain::id::{ApplicationId, SigningBasketId};
use trapeza_domain::refusal::{Refusal, RefusalReason};
use trapeza_domain::signing_basket::SigningBasket;
use trapeza_domain::time::Timestamp;
use trapeza_store::{StoreError, Tx};

/// Loads and locks a basket of the third party as of now. Every write on a basket starts here.
pub(crate) fn lock_current(
    tx: &mut Tx<'_>,
    application: ApplicationId,
    id: SigningBasketId,
    now: Timestamp,
) -> Result<SigningBasket, UseCaseError> {
    let basket = tx.signing_basket_lock(application, id)?.ok_or_else(not_found)?;
    Ok(expire_if_due(tx, basket, now)?)
}

/// Saves the expiry of a basket that is due, and returns it as of now.
pub(crate) fn expire_if_due(
    tx: &mut Tx<'_>,
    basket: SigningBasket,
    now: Timestamp,
) -> Result<SigningBasket, StoreError> {
    let (basket, event) = basket.expire_if_due(now);
    if let Some(event) = event {
        end(tx, &basket, (Actor::Bank, &event), now)?;
    }
    Ok(basket)
}

/// Saves a basket that has ended. Its open authorisations fail.
pub(crate) fn end(
    tx: &mut Tx<'_>,
    basket: &SigningBasket,
    (actor, event): (Actor, &AuditEvent),
    now: Timestamp,
) -> Result<(), StoreError> {
    tx.signing_basket_update(basket)?;
    audit::record(tx, now, actor, event)?;
    authorisation_expiry::fail_open(tx, basket.application, Target::SigningBasket(basket.id), now)
}

/// Rejects the open basket of a member that was authorised, rejected or ended without it: it is no longer what was put together.
pub(crate) fn member_left(
    tx: &mut Tx<'_>,
    application: ApplicationId,
    basket: Option<SigningBasketId>,
    now: Timestamp,
) -> Result<(), StoreError> {
    let Some(id) = basket else { return Ok(()) };
    let Some(basket) = tx.signing_basket_lock(application, id)? else { return Ok(()) };
    let basket = expire_if_due(tx, basket, now)?;
    // A basket that has ended stays as it is.
    let Ok((basket, event)) = basket.reject(now) else { return Ok(()) };
    end(tx, &basket, (Actor::Bank, &event.with("reason", "member changed")), now)
}

/// The same refusal for an unknown basket and for one of another application.
pub(crate) fn not_found() -> Refusal {
    Refusal::at(RefusalReason::ResourceUnknown, Field::SigningBasketId, "unknown signing basket")
}
