//! Changes of an application by the operator: name, redirect URIs, single keys, and whether it may call at all.

use super::require_application;
use crate::{App, UseCaseError, audit, external_url};
use trapeza_domain::application::ApplicationOwner;
use trapeza_domain::audit_event::{Actor, AuditEvent};
use trapeza_domain::egress::EgressPolicy;
use trapeza_domain::field::Field;
use trapeza_domain::id::ApplicationId;
use trapeza_domain::refusal::{FieldErrors, Refusal, RefusalReason};
use trapeza_domain::time::Timestamp;
use trapeza_store::{KeyRecord, Tx};

/// Maximum number of redirect URIs of an application.
const MAX_REDIRECT_URIS: usize = 20;

impl App {
    /// Changes the name of an application, or the redirect URIs of a third party's; `None` leaves them unchanged.
    pub async fn application_update(
        &self,
        id: ApplicationId,
        name: Option<String>,
        redirect_uris: Option<Vec<String>>,
    ) -> Result<(), UseCaseError> {
        check_redirect_uris(redirect_uris.as_deref().unwrap_or_default(), self.url_policy())?;
        let now = self.now();
        let actor = audit::current_actor();
        self.store
            .write(move |tx| {
                let found = tx.application_find(id)?;
                let owner = found.ok_or_else(super::unknown)?.application.owner;
                if let Some(name) = &name {
                    tx.application_name_set(id, name)?;
                }
                if let Some(uris) = &redirect_uris {
                    if owner != ApplicationOwner::ThirdParty {
                        let text = "only a third party has redirect URIs; use merchant set";
                        return Err(Refusal::at(RefusalReason::Malformed, Field::RedirectUris, text).into());
                    }
                    tx.redirect_uri_replace(id, uris)?;
                }
                let event = AuditEvent::new("application.changed", "application", id);
                Ok(audit::record(tx, now, actor, &event)?)
            })
            .await
    }

    /// Disables an application: its keys are refused from the next request on, like unknown ones. Or enables it again.
    pub async fn application_enabled_set(
        &self,
        id: ApplicationId,
        enabled: bool,
    ) -> Result<(), UseCaseError> {
        let by = (audit::current_actor(), self.now());
        self.store.write(move |tx| enabled_set(tx, id, enabled, by)).await
    }

    /// Retires one key, which is refused from the next request on. `key` is its id, see [`key_id`].
    pub async fn key_retire(
        &self,
        id: ApplicationId,
        key: &str,
        is_confirmed: bool,
    ) -> Result<(), UseCaseError> {
        let (key, now, actor) = (key.to_owned(), self.now(), audit::current_actor());
        self.store
            .write(move |tx| {
                require_application(tx, id)?;
                let keys = tx.application_key_list(id)?;
                let mut named =
                    keys.iter().filter(|record| key_id(record) == key && record.retired_at.is_none());
                let (Some(record), None) = (named.next(), named.next()) else {
                    let text = "must be the id of one active key; `application show` lists them";
                    return Err(
                        Refusal::at(RefusalReason::ResourceUnknown, Field::SubscriptionKey, text).into()
                    );
                };
                if !is_confirmed && active_keys(&keys) == 1 {
                    let text = "it is the last active key: the box that confirms it must be ticked";
                    return Err(Refusal::new(RefusalReason::Malformed, text).into());
                }
                tx.application_key_retire(id, &record.hash, now)?;
                let event = AuditEvent::new("application.key_removed", "application", id).with("key", &key);
                Ok(audit::record(tx, now, actor, &event)?)
            })
            .await
    }

    /// The redirect URIs of a third party's application.
    pub async fn redirect_uri_list(&self, id: ApplicationId) -> Result<Vec<String>, UseCaseError> {
        self.store.read(move |tx| Ok(tx.redirect_uri_list(id)?)).await
    }
}

/// Disables or enables an application, for this actor.
pub(crate) fn enabled_set(
    tx: &mut Tx<'_>,
    id: ApplicationId,
    enabled: bool,
    (actor, now): (Actor, Timestamp),
) -> Result<(), UseCaseError> {
    require_application(tx, id)?;
    tx.application_disabled_set(id, (!enabled).then_some(now))?;
    let action = if enabled { "application.enabled" } else { "application.disabled" };
    Ok(audit::record(tx, now, actor, &AuditEvent::new(action, "application", id))?)
}

/// The id by which operators name a key: the beginning of its hash, which reveals nothing of the key.
pub fn key_id(key: &KeyRecord) -> String {
    key.hash[..4].iter().map(|byte| format!("{byte:02x}")).collect()
}

/// How many of the keys are not retired.
pub fn active_keys(keys: &[KeyRecord]) -> usize {
    keys.iter().filter(|key| key.retired_at.is_none()).count()
}

pub(super) fn check_redirect_uris(uris: &[String], url_policy: EgressPolicy) -> Result<(), Refusal> {
    let mut errors = FieldErrors::default();
    if uris.len() > MAX_REDIRECT_URIS {
        errors.add(Field::RedirectUris, format!("must have at most {MAX_REDIRECT_URIS} entries"));
    }
    for (index, uri) in uris.iter().enumerate() {
        errors.collect(Field::RedirectUris.element(index), external_url::parse(uri, url_policy));
    }
    errors.finish()
}
