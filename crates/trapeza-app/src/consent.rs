//! Creating, reading and terminating consents. Nothing reveals whether the customer or the accounts exist before the
//! customer authorises.
//!
//! A read shows a consent as of now. A write that finds an expired one saves the expiry first.

mod funds;
mod ownership;

pub(crate) use funds::{create_funds, created_funds};
pub(crate) use ownership::CustomerAssets;

use crate::authentication::Tpp;
use crate::authorisation_expiry;
use crate::idempotency::{IdempotentOutcome, IdempotentRequest, recorded_object_id};
use crate::{App, Required, UseCaseError, audit, signing_basket_state};
use trapeza_domain::audit_event::Actor;
use trapeza_domain::authorisation::Target;
use trapeza_domain::consent::{
    Access, AccessConsent, AccessConsentRequest, AccessTerms, Calendar, Consent, ConsentKind, ConsentState,
    NewConsent,
};
use trapeza_domain::field::Field;
use trapeza_domain::id::{ApplicationId, ConsentId};
use trapeza_domain::reference::Pan;
use trapeza_domain::refusal::{Refusal, RefusalReason};
use trapeza_domain::time::{Date, Timestamp};
use trapeza_store::{IdempotencyRecord, StoreError, Tx};

impl App {
    /// Creates a consent that waits for its authorisation. A replay gets the consent of the first request.
    pub async fn consent_create(
        &self,
        request: IdempotentRequest,
        tpp: &Tpp,
        psu: String,
        order: AccessConsentRequest,
    ) -> Result<IdempotentOutcome<AccessConsent>, UseCaseError> {
        let (new, terms) = self.new_access_consent(tpp, psu, &order);
        self.store
            .write(move |tx| {
                if let Some(record) = request.find(tx)? {
                    return Ok(IdempotentOutcome::replayed(created_access(tx, new.application, &record)?));
                }
                let access = create_access(tx, &new, terms.clone()?)?;
                request.record(tx, "created", new.id.as_bytes(), new.now)?;
                Ok(IdempotentOutcome::fresh(access))
            })
            .await
    }

    /// A new consent with its terms. They are validated before the transaction, but refused inside it: a replay counts with the date
    /// of the first request.
    pub(crate) fn new_access_consent(
        &self,
        tpp: &Tpp,
        psu: String,
        order: &AccessConsentRequest,
    ) -> (NewConsent, Result<AccessTerms, Refusal>) {
        let new = self.new_consent(tpp, psu);
        let terms = self.with_calendar(new.now, |calendar, hash| order.terms(calendar, hash));
        (new, terms)
    }

    pub async fn consent_find(&self, tpp: &Tpp, id: &str) -> Result<AccessConsent, UseCaseError> {
        let (application, id, now) = (tpp.application, parse(id)?, self.now());
        self.store
            .read(move |tx| {
                let found = tx.access_consent_find(application, id)?;
                let AccessConsent { consent, mut terms } = found.ok_or_else(not_found)?;
                if !matches!(consent.state, ConsentState::Valid { .. })
                    && let Some(rights) = tx.consent_offer_pending(application, id)?
                {
                    terms.access = Access::Offered(rights);
                }
                Ok(AccessConsent { consent: consent.as_of(now), terms })
            })
            .await
    }

    pub async fn consent_state(&self, tpp: &Tpp, id: &str) -> Result<ConsentState, UseCaseError> {
        self.state_of(tpp, id, ConsentKind::Access).await
    }

    /// Terminates a consent at the third party's request. A final consent stays as it is.
    pub async fn consent_terminate(
        &self,
        request: IdempotentRequest,
        tpp: &Tpp,
        id: &str,
    ) -> Result<IdempotentOutcome<()>, UseCaseError> {
        self.terminate(request, tpp, id, ConsentKind::Access).await
    }

    async fn state_of(&self, tpp: &Tpp, id: &str, kind: ConsentKind) -> Result<ConsentState, UseCaseError> {
        let (application, id, now) = (tpp.application, parse(id)?, self.now());
        let found = self.store.read(move |tx| Ok(tx.consent_find(application, id, kind)?)).await?;
        Ok(found.ok_or_else(not_found)?.as_of(now).state)
    }

    async fn terminate(
        &self,
        request: IdempotentRequest,
        tpp: &Tpp,
        id: &str,
        kind: ConsentKind,
    ) -> Result<IdempotentOutcome<()>, UseCaseError> {
        let (application, now) = (tpp.application, self.now());
        // An id that cannot be parsed still goes through the idempotency check: the key may belong to another
        // request.
        let id = parse(id);
        self.store
            .write(move |tx| {
                if request.find(tx)?.is_some() {
                    return Ok(IdempotentOutcome::replayed(()));
                }
                let id = id.clone()?;
                let consent = lock_current(tx, application, id, kind, now)?;
                let outcome = match consent.terminate(now) {
                    Some((consent, event)) => {
                        tx.consent_update(&consent)?;
                        audit::record(tx, now, Actor::Application(application), &event)?;
                        authorisation_expiry::fail_open(tx, application, target(&consent), now)?;
                        signing_basket_state::member_left(tx, application, consent.signing_basket, now)?;
                        "terminated"
                    }
                    None => "final",
                };
                request.record(tx, outcome, id.as_bytes(), now)?;
                Ok(IdempotentOutcome::fresh(()))
            })
            .await
    }

    fn new_consent(&self, tpp: &Tpp, psu: String) -> NewConsent {
        let id = ConsentId::new(self.entropy.uuid());
        NewConsent { id, application: tpp.application, psu, now: self.now() }
    }

    /// Passes the bank's calendar at `now` and the card number hash to the domain.
    fn with_calendar<T>(
        &self,
        now: Timestamp,
        judge: impl FnOnce(&Calendar<'_>, &dyn Fn(&Pan) -> [u8; 32]) -> T,
    ) -> T {
        let zone = self.clock.zone();
        let day_end = |day: Date| zone.end_of(day);
        let calendar = Calendar { now, today: zone.day(now), day_end: &day_end };
        judge(&calendar, &|pan| self.keyring.pan_hash(pan))
    }
}

/// Saves the expiry of a consent that is due, and returns it as of now.
pub(crate) fn expire_if_due(
    tx: &mut Tx<'_>,
    consent: Consent,
    now: Timestamp,
) -> Result<Consent, StoreError> {
    let (consent, event) = consent.expire_if_due(now);
    if let Some(event) = event {
        tx.consent_update(&consent)?;
        audit::record(tx, now, Actor::Bank, &event)?;
        authorisation_expiry::fail_open(tx, consent.application, target(&consent), now)?;
        signing_basket_state::member_left(tx, consent.application, consent.signing_basket, now)?;
    }
    Ok(consent)
}

/// Loads and locks a consent of the third party as of now. Every write on a consent starts here.
pub(crate) fn lock_current(
    tx: &mut Tx<'_>,
    application: ApplicationId,
    id: ConsentId,
    kind: ConsentKind,
    now: Timestamp,
) -> Result<Consent, UseCaseError> {
    let consent = tx.consent_lock(application, id, kind)?.ok_or_else(not_found)?;
    Ok(expire_if_due(tx, consent, now)?)
}

/// The target of this consent's authorisations.
fn target(consent: &Consent) -> Target {
    match consent.kind {
        ConsentKind::Access => Target::Consent(consent.id),
        ConsentKind::Funds => Target::FundsConsent(consent.id),
    }
}

/// Creates and stores a consent with its audit event.
pub(crate) fn create_access(
    tx: &mut Tx<'_>,
    new: &NewConsent,
    terms: AccessTerms,
) -> Result<AccessConsent, StoreError> {
    let (access, event) = AccessConsent::create(new.clone(), terms);
    tx.access_consent_insert(&access)?;
    audit::record(tx, new.now, Actor::Application(new.application), &event)?;
    Ok(access)
}

/// The consent whose creation is recorded, as it was then.
pub(crate) fn created_access(
    tx: &mut Tx<'_>,
    application: ApplicationId,
    record: &IdempotencyRecord,
) -> Result<AccessConsent, StoreError> {
    let found = tx.access_consent_find(application, recorded_id(record)?)?;
    let AccessConsent { consent, terms } = found.required("consent")?;
    Ok(AccessConsent { consent: consent.as_created(), terms })
}

/// The consent that an idempotency record names.
fn recorded_id(record: &IdempotencyRecord) -> Result<ConsentId, StoreError> {
    ConsentId::from_bytes(recorded_object_id(record))
        .ok_or_else(|| StoreError::internal("an idempotency record names no consent"))
}

/// An id that cannot be parsed is treated like an unknown one.
fn parse(id: &str) -> Result<ConsentId, Refusal> {
    ConsentId::parse(id).ok_or_else(not_found)
}

/// The same refusal for an unknown consent and for one of another application.
pub(crate) fn not_found() -> Refusal {
    Refusal::at(RefusalReason::ConsentUnknown, Field::ConsentId, "unknown consent")
}
