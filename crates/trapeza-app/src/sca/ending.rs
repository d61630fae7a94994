//! Authorisations whose time is over, or whose target has ended. Consents and payments end theirs here; it knows nothing of
//! what an authorisation is for.

use crate::audit;
use trapeza_domain::audit_event::Actor;
use trapeza_domain::authorisation::Target;
use trapeza_domain::id::ApplicationId;
use trapeza_domain::time::Timestamp;
use trapeza_store::{AuthorisationRecord, StoreError, Tx};

/// Writes down that an authorisation's time is over, if it is, and hands it on as it is now.
pub(crate) fn settle(
    tx: &mut Tx<'_>,
    record: AuthorisationRecord,
    now: Timestamp,
) -> Result<AuthorisationRecord, StoreError> {
    let (authorisation, event) = record.authorisation.clone().expire_if_due(now);
    let Some(event) = event else { return Ok(record) };
    let settled = AuthorisationRecord { authorisation, challenge: None, ..record };
    tx.authorisation_update(&settled)?;
    audit::record(tx, now, Actor::Bank, &event)?;
    Ok(settled)
}

/// Ends what is still open of a target, because the target ended or a newer authorisation takes its place.
pub(crate) fn close(
    tx: &mut Tx<'_>,
    application: ApplicationId,
    target: Target,
    now: Timestamp,
) -> Result<(), StoreError> {
    for record in tx.authorisation_open(application, target)? {
        let record = settle(tx, record, now)?;
        if let Ok((authorisation, event)) = record.authorisation.clone().fail(now) {
            tx.authorisation_update(&AuthorisationRecord { authorisation, challenge: None, ..record })?;
            audit::record(tx, now, Actor::Application(application), &event)?;
        }
    }
    Ok(())
}
