//! The permissions that a customer has given to third parties: list with last use, and revocation. A revoked
//! permission is refused on the next request.
//!
//! The time of the last use is tracked in memory and flushed periodically, so that a read does not wait for a write.
//! A crash loses at most a minute of it; no rule depends on it, because quotas are counted durably.

use crate::authorisation_expiry;
use crate::sca::{ApprovalRequest, access_request, funds_request};
use crate::{App, Required, StoreError, UseCaseError, audit, consent, signing_basket_state};
use foldhash::fast::RandomState;
use std::cmp::Reverse;
use std::collections::HashMap;
use std::hash::Hash;
use std::sync::{Mutex, PoisonError};
use trapeza_domain::account::AccountStatus;
use trapeza_domain::audit_event::Actor;
use trapeza_domain::authorisation::Target;
use trapeza_domain::consent::{Consent, ConsentKind, ConsentRejection, ConsentState};
use trapeza_domain::field::Field;
use trapeza_domain::id::{ApplicationId, ConsentId, PsuId};
use trapeza_domain::refusal::{Refusal, RefusalReason};
use trapeza_domain::time::{TimeDelta, Timestamp};
use trapeza_store::Tx;

/// How far back ended permissions are listed. Valid ones are always listed.
const HISTORY: TimeDelta = TimeDelta::days(2 * 365);
/// How many uses one job flushes.
const FLUSH_BATCH: usize = 100;

/// A consent as the customer sees it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Permission {
    pub id: ConsentId,
    pub tpp_name: String,
    pub organisation: String,
    pub request: ApprovalRequest,
    pub state: ConsentState,
    pub requested_at: Timestamp,
    pub last_used: Option<Timestamp>,
    /// When the state last changed.
    pub changed_at: Timestamp,
}

/// The consents or keys that were used since the last flush.
#[derive(Debug)]
pub(crate) struct LastUsedTracker<K>(Mutex<HashMap<K, Timestamp, RandomState>>);

impl<K> Default for LastUsedTracker<K> {
    fn default() -> Self {
        Self(Mutex::default())
    }
}

impl<K: Eq + Hash> LastUsedTracker<K> {
    pub(crate) fn note(&self, key: K, now: Timestamp) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).insert(key, now);
    }

    fn take(&self) -> Vec<(K, Timestamp)> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).drain().collect()
    }
}

impl App {
    /// All consents on this customer's data, newest first. A third party can name any customer in a consent; the customer sees only
    /// consents that they authorised or were asked to authorise.
    pub async fn permission_list(&self, psu: PsuId) -> Result<Vec<Permission>, UseCaseError> {
        self.last_used_flush().await?;
        let (now, zone) = (self.now(), self.clock.zone().clone());
        self.store
            .read(move |tx| {
                let login = tx.psu_find(psu)?.required("customer")?.login;
                let mut own = tx.account_list(psu)?;
                own.retain(|account| account.status != AccountStatus::Deleted);
                let mut permissions = Vec::new();
                let mut all = tx.permission_valid_list(&login)?;
                all.extend(tx.permission_history_list(&login, now.minus(HISTORY))?);
                all.sort_by_key(|found| Reverse((found.created_at, found.id.uuid())));
                for found in all {
                    let found = found.as_of(now);
                    let target = target(&found);
                    let (application, id) = (found.application, found.id);
                    let request = match found.kind {
                        ConsentKind::Access => tx
                            .access_consent_find(application, id)?
                            .map(|access| access_request(&access.terms, &own, &zone)),
                        ConsentKind::Funds => tx
                            .funds_consent_find(application, id)?
                            .map(|funds| funds_request(&funds.terms, &own)),
                    };
                    let Some(request) = request else { continue };
                    let (tpp_name, organisation) = match tx.authorisation_list(application, target)?.pop() {
                        Some(record) => (record.tpp_name, record.organisation),
                        // The consent was authorised with its signing basket.
                        None => third_party(tx, application)?,
                    };
                    permissions.push(Permission {
                        id,
                        tpp_name,
                        organisation,
                        request,
                        state: found.state,
                        requested_at: found.created_at,
                        last_used: tx.consent_last_used(id)?,
                        changed_at: found.last_action,
                    });
                }
                Ok(permissions)
            })
            .await
    }

    /// Revokes a permission. Revoking an ended one has no effect.
    pub async fn permission_revoke(&self, psu: PsuId, id: &str) -> Result<(), UseCaseError> {
        let not_found =
            || Refusal::at(RefusalReason::ConsentUnknown, Field::PermissionId, "unknown permission");
        let (id, now) = (ConsentId::parse(id).ok_or_else(not_found)?, self.now());
        self.store
            .write(move |tx| {
                let login = tx.psu_find(psu)?.required("customer")?.login;
                let found = tx.permission_lock(&login, id)?.ok_or_else(not_found)?;
                revoke(tx, found, Actor::Psu(psu), now)
            })
            .await
    }

    /// Flushes the last uses of consents and subscription keys.
    pub(crate) async fn last_used_flush(&self) -> Result<(), UseCaseError> {
        self.flush_uses(self.caches.last_used.take(), |tx, consent, at| {
            tx.consent_last_used_set(*consent, at)
        })
        .await?;
        self.flush_uses(self.caches.key_last_used.take(), |tx, hash, at| {
            tx.application_key_last_used_set(hash, at)
        })
        .await
    }

    async fn flush_uses<K: Clone + Send + 'static>(
        &self,
        uses: Vec<(K, Timestamp)>,
        set: fn(&mut Tx<'_>, &K, Timestamp) -> Result<(), StoreError>,
    ) -> Result<(), UseCaseError> {
        for some in uses.chunks(FLUSH_BATCH) {
            let some = some.to_vec();
            let write = self.store.write_background(move |tx: &mut Tx<'_>| {
                for (key, at) in &some {
                    set(tx, key, *at)?;
                }
                Ok(())
            });
            write.await?;
        }
        Ok(())
    }
}

/// Ends a consent for its customer. An ended one stays as it is.
pub(crate) fn revoke(
    tx: &mut Tx<'_>,
    found: Consent,
    actor: Actor,
    now: Timestamp,
) -> Result<(), UseCaseError> {
    let found = consent::expire_if_due(tx, found, now)?;
    if found.state.is_final() {
        return Ok(());
    }
    let (application, target, basket) = (found.application, target(&found), found.signing_basket);
    let waiting = found.state == ConsentState::Received;
    // A pending consent is rejected; a granted one is revoked.
    let (ended, event) =
        if waiting { found.reject(ConsentRejection::Refused, now)? } else { found.revoke_by_psu(now)? };
    tx.consent_update(&ended)?;
    audit::record(tx, now, actor, &event)?;
    signing_basket_state::member_left(tx, application, basket, now)?;
    Ok(authorisation_expiry::fail_open(tx, application, target, now)?)
}

/// The name of an application and the authorisation number in its certificate.
fn third_party(tx: &mut Tx<'_>, application: ApplicationId) -> Result<(String, String), StoreError> {
    let name = tx.application_find(application)?.map(|record| record.application.name);
    let certificate = tx.certificate_list(application)?.into_iter().next();
    let organisation = certificate.map(|certificate| certificate.organisation);
    Ok((name.unwrap_or_default(), organisation.unwrap_or_default()))
}

fn target(consent: &Consent) -> Target {
    match consent.kind {
        ConsentKind::Access => Target::Consent(consent.id),
        ConsentKind::Funds => Target::FundsConsent(consent.id),
    }
}
