//! An implicit start creates a target and its authorisation in one transaction, so that no crash leaves the one without the other.

use super::AuthorisationView;
use super::start::{PreparedStart, StartPreferences};
use super::step_result::replayed_view;
use super::target::LoadedTarget;
use crate::authentication::Tpp;
use crate::idempotency::recorded_authorisation_start;
use crate::payment::PayeeChecks;
use crate::{App, UseCaseError, audit};
use trapeza_domain::audit_event::{Actor, AuditEvent};
use trapeza_domain::authorisation::{Target, TargetKind};
use trapeza_domain::egress::EgressPolicy;
use trapeza_domain::id::ApplicationId;
use trapeza_domain::status_change::NotifiedObject;
use trapeza_domain::time::Timestamp;
use trapeza_store::{IdempotencyRecord, RedirectUris, Tx};

/// How the authorisation of a new target starts.
#[derive(Clone, Debug)]
pub enum StartOption {
    /// The third party starts it by a call of its own, for which the redirect URIs are stored.
    Explicit(StartPreferences),
    /// The bank starts it with the creation of the target, in the same transaction.
    Implicit(StartPreferences),
}

impl StartOption {
    pub(crate) const fn is_implicit(&self) -> bool {
        matches!(self, Self::Implicit(_))
    }
}

impl Default for StartOption {
    fn default() -> Self {
        Self::Explicit(StartPreferences::default())
    }
}

/// A new target, with its authorisation where that was started with it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CreatedTarget<T> {
    pub object: T,
    pub authorisation: Option<AuthorisationView>,
}

/// The start of a target's authorisation, prepared before the transaction that creates the target.
#[derive(Clone)]
pub(crate) struct TargetStart {
    application: ApplicationId,
    now: Timestamp,
    egress: EgressPolicy,
    preferences: StartPreferences,
    /// The authorisation that starts with the creation.
    implicit: Option<PreparedStart>,
}

impl App {
    pub(crate) fn target_start(&self, tpp: &Tpp, option: StartOption) -> TargetStart {
        let (preferences, implicit) = match option {
            StartOption::Explicit(preferences) => (preferences, None),
            StartOption::Implicit(preferences) => {
                let prepared = self.prepare_start(tpp, preferences.clone());
                (preferences, Some(prepared))
            }
        };
        let (application, now, egress) = (tpp.application, self.now(), self.url_policy());
        TargetStart { application, now, egress, preferences, implicit }
    }
}

impl TargetStart {
    pub(crate) fn is_implicit(&self) -> bool {
        self.implicit.is_some()
    }

    /// Whether the creation of the target neither starts an authorisation nor stores anything for a later start.
    pub(crate) fn has_no_effect(&self) -> bool {
        let StartPreferences { notification, brand, .. } = &self.preferences;
        let has_uris = self.preferences.uris() != RedirectUris::default();
        !self.is_implicit() && notification.is_none() && brand.is_none() && !has_uris
    }

    /// Starts the authorisation of a target that this transaction has created, or stores what a later start needs. Returns the result
    /// to record with the creation, and the view of the authorisation.
    pub(crate) fn run(
        &self,
        tx: &mut Tx<'_>,
        target: Target,
        payee: PayeeChecks,
    ) -> Result<(Vec<u8>, Option<AuthorisationView>), UseCaseError> {
        let mut result = target.id_bytes().to_vec();
        if target.kind() != TargetKind::Cancellation {
            self.subscribe(tx, target)?;
        }
        self.record_brand(tx, target)?;
        let Some(start) = &self.implicit else {
            self.store_uris(tx, target)?;
            return Ok((result, None));
        };
        let loaded = LoadedTarget::load(tx, &start.context, target)?;
        let (started, view) = start.run(tx, target, loaded, None, payee)?;
        result.extend(started);
        Ok((result, Some(view)))
    }

    /// Stores where the third party is notified of the target.
    fn subscribe(&self, tx: &mut Tx<'_>, target: Target) -> Result<(), UseCaseError> {
        let Some((uri, content)) = &self.preferences.notification else { return Ok(()) };
        self.preferences.redirect_rule.check_notification(tx, self.application, uri, self.egress)?;
        Ok(tx.status_subscription_insert(self.application, target, uri, *content)?)
    }

    /// Stores the redirect URIs of a target whose authorisation is started later.
    fn store_uris(&self, tx: &mut Tx<'_>, target: Target) -> Result<(), UseCaseError> {
        let uris = self.preferences.uris();
        self.preferences.redirect_rule.check(tx, self.application, &uris)?;
        if uris != RedirectUris::default() {
            tx.target_redirect_insert(self.application, target, &uris)?;
        }
        Ok(())
    }

    /// Records which brand of the third party the customer uses.
    fn record_brand(&self, tx: &mut Tx<'_>, target: Target) -> Result<(), UseCaseError> {
        let Some(brand) = &self.preferences.brand else { return Ok(()) };
        let object = target.notified_object();
        let kind = match object {
            NotifiedObject::Payment(_) => "payment",
            NotifiedObject::Consent(_) => "consent",
            NotifiedObject::SigningBasket(_) => "signing_basket",
        };
        let event = AuditEvent::new("third_party.brand_named", kind, object.uuid());
        let actor = Actor::Application(self.application);
        Ok(audit::record(tx, self.now, actor, &event.with("brand", brand))?)
    }

    /// The authorisation that was started with the recorded creation of a target. The same request has the same kind of start.
    pub(crate) fn replayed(
        &self,
        tx: &mut Tx<'_>,
        target: Target,
        record: &IdempotencyRecord,
    ) -> Result<Option<AuthorisationView>, UseCaseError> {
        match (&self.implicit, recorded_authorisation_start(record)) {
            (None, _) | (_, []) => Ok(None),
            (Some(start), started) => Ok(Some(replayed_view(tx, &start.context, target, started)?)),
        }
    }
}
