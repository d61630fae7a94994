//! The implicit start: a target and its authorisation are created in one transaction, so that no crash lies between them.

use super::AuthorisationView;
use super::start::{Preferences, PreparedStart};
use super::step_result::replayed_view;
use super::target::LoadedTarget;
use crate::authentication::Tpp;
use crate::idempotency::recorded_rest;
use crate::payment::PayeeChecks;
use crate::{App, UseCaseError, audit};
use trapeza_domain::audit_event::{Actor, AuditEvent};
use trapeza_domain::authorisation::{Target, TargetKind};
use trapeza_domain::status_change::NotifiedObject;
use trapeza_store::{IdempotencyRecord, Tx};

/// How the authorisation of a new target starts.
#[derive(Clone, Debug)]
pub enum StartOption {
    /// By a call of its own; the redirect URIs are stored for it.
    Explicit(Preferences),
    /// With the creation of the target, in the same transaction.
    Implicit(Preferences),
}

impl StartOption {
    pub(crate) const fn is_implicit(&self) -> bool {
        matches!(self, Self::Implicit(_))
    }
}

impl Default for StartOption {
    fn default() -> Self {
        Self::Explicit(Preferences::default())
    }
}

/// A new target, with its authorisation where that was started with it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Created<T> {
    pub object: T,
    pub authorisation: Option<AuthorisationView>,
}

/// A start that was prepared before the transaction that creates its target.
#[derive(Clone)]
pub(crate) struct TargetStart {
    start: PreparedStart,
    is_implicit: bool,
    brand: Option<String>,
}

impl App {
    pub(crate) fn target_start(&self, tpp: &Tpp, option: StartOption) -> TargetStart {
        let (preferences, is_implicit) = match option {
            StartOption::Explicit(preferences) => (preferences, false),
            StartOption::Implicit(preferences) => (preferences, true),
        };
        let brand = preferences.brand.clone();
        TargetStart { start: self.prepare_start(tpp, preferences), is_implicit, brand }
    }
}

impl TargetStart {
    pub(crate) fn is_implicit(&self) -> bool {
        self.is_implicit
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
            self.start.subscribe(tx, target)?;
        }
        self.record_brand(tx, target)?;
        if !self.is_implicit {
            self.start.store_uris(tx, target)?;
            return Ok((result, None));
        }
        let loaded = LoadedTarget::load(tx, &self.start.context, target)?;
        let (started, view) = self.start.run(tx, target, loaded, None, payee)?;
        result.extend(started);
        Ok((result, Some(view)))
    }

    /// Records which brand of the third party the customer uses.
    fn record_brand(&self, tx: &mut Tx<'_>, target: Target) -> Result<(), UseCaseError> {
        let Some(brand) = &self.brand else { return Ok(()) };
        let context = &self.start.context;
        let object = target.notified_object();
        let kind = match object {
            NotifiedObject::Payment(_) => "payment",
            NotifiedObject::Consent(_) => "consent",
            NotifiedObject::SigningBasket(_) => "signing_basket",
        };
        let event = AuditEvent::new("third_party.brand_named", kind, object.uuid());
        let actor = Actor::Application(context.application);
        Ok(audit::record(tx, context.now(), actor, &event.with("brand", brand))?)
    }

    /// The authorisation that was started with the recorded creation of a target.
    pub(crate) fn replayed(
        &self,
        tx: &mut Tx<'_>,
        target: Target,
        record: &IdempotencyRecord,
    ) -> Result<Option<AuthorisationView>, UseCaseError> {
        match recorded_rest(record) {
            [] => Ok(None),
            started => Ok(Some(replayed_view(tx, &self.start.context, target, started)?)),
        }
    }
}
