//! Expiry of authorisations, and the end of those whose target has ended. Consents and payments call it as well, so it
//! depends on no target.

use crate::audit;
use trapeza_domain::audit_event::Actor;
use trapeza_domain::authorisation::Target;
use trapeza_domain::id::ApplicationId;
use trapeza_domain::time::Timestamp;
use trapeza_store::{AuthorisationRecord, StoreError, Tx};

/// Saves the expiry of an authorisation that is due, and returns it as of now.
pub(crate) fn expire_if_due(
    tx: &mut Tx<'_>,
    record: AuthorisationRecord,
    now: Timestamp,
) -> Result<AuthorisationRecord, StoreError> {
    let (authorisation, event) = record.authorisation.clone().expire_if_due(now);
    let Some(event) = event else { return Ok(record) };
    let expired = AuthorisationRecord { authorisation, challenge: None, ..record };
    tx.authorisation_update(&expired)?;
    audit::record(tx, now, Actor::Bank, &event)?;
    Ok(expired)
}

/// Fails the open authorisations of a target, because the target ended or a newer authorisation replaces them.
pub(crate) fn fail_open(
    tx: &mut Tx<'_>,
    application: ApplicationId,
    target: Target,
    now: Timestamp,
) -> Result<(), StoreError> {
    for record in tx.authorisation_open(application, target)? {
        fail(tx, record, Actor::Application(application), now)?;
    }
    Ok(())
}

/// Fails an authorisation that is locked and open, unless it has expired.
pub(crate) fn fail(
    tx: &mut Tx<'_>,
    record: AuthorisationRecord,
    actor: Actor,
    now: Timestamp,
) -> Result<(), StoreError> {
    let record = expire_if_due(tx, record, now)?;
    if let Ok((authorisation, event)) = record.authorisation.clone().fail(now) {
        tx.authorisation_update(&AuthorisationRecord { authorisation, challenge: None, ..record })?;
        audit::record(tx, now, actor, &event)?;
    }
    Ok(())
}
