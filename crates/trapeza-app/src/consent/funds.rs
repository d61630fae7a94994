//! Funds consents: the permission to ask whether an amount is available.

use super::{not_found, parse, recorded_id};
use crate::authentication::Tpp;
use crate::idempotency::{IdempotentOutcome, IdempotentRequest};
use crate::{App, Required, StoreError, UseCaseError, audit};
use trapeza_domain::audit_event::Actor;
use trapeza_domain::consent::{
    ConsentKind, ConsentState, FundsConsent, FundsConsentRequest, FundsTerms, NewConsent,
};
use trapeza_domain::id::ApplicationId;
use trapeza_domain::refusal::Refusal;
use trapeza_store::{IdempotencyRecord, Tx};

impl App {
    pub async fn funds_consent_create(
        &self,
        request: IdempotentRequest,
        tpp: &Tpp,
        psu: String,
        order: FundsConsentRequest,
    ) -> Result<IdempotentOutcome<FundsConsent>, UseCaseError> {
        let (new, terms) = self.new_funds_consent(tpp, psu, &order);
        self.store
            .write(move |tx| {
                if let Some(record) = request.find(tx)? {
                    return Ok(IdempotentOutcome::replayed(created_funds(tx, new.application, &record)?));
                }
                let funds = create_funds(tx, &new, terms.clone()?)?;
                request.record(tx, "created", new.id.as_bytes(), new.now)?;
                Ok(IdempotentOutcome::fresh(funds))
            })
            .await
    }

    pub(crate) fn new_funds_consent(
        &self,
        tpp: &Tpp,
        psu: String,
        order: &FundsConsentRequest,
    ) -> (NewConsent, Result<FundsTerms, Refusal>) {
        let new = self.new_consent(tpp, psu);
        let terms = self.with_calendar(new.now, |calendar, hash| order.terms(calendar, hash));
        (new, terms)
    }

    pub async fn funds_consent_find(&self, tpp: &Tpp, id: &str) -> Result<FundsConsent, UseCaseError> {
        let (application, id, now) = (tpp.application, parse(id)?, self.now());
        let found = self.store.read(move |tx| Ok(tx.funds_consent_find(application, id)?)).await?;
        let FundsConsent { consent, terms } = found.ok_or_else(not_found)?;
        Ok(FundsConsent { consent: consent.as_of(now), terms })
    }

    pub async fn funds_consent_state(&self, tpp: &Tpp, id: &str) -> Result<ConsentState, UseCaseError> {
        self.state_of(tpp, id, ConsentKind::Funds).await
    }

    pub async fn funds_consent_terminate(
        &self,
        request: IdempotentRequest,
        tpp: &Tpp,
        id: &str,
    ) -> Result<IdempotentOutcome<()>, UseCaseError> {
        self.terminate(request, tpp, id, ConsentKind::Funds).await
    }
}

/// Creates and stores a funds consent with its audit event.
pub(crate) fn create_funds(
    tx: &mut Tx<'_>,
    new: &NewConsent,
    terms: FundsTerms,
) -> Result<FundsConsent, StoreError> {
    let (funds, event) = FundsConsent::create(new.clone(), terms);
    tx.funds_consent_insert(&funds)?;
    audit::record(tx, new.now, Actor::Application(new.application), &event)?;
    Ok(funds)
}

/// The funds consent whose creation is recorded, as it was then.
pub(crate) fn created_funds(
    tx: &mut Tx<'_>,
    application: ApplicationId,
    record: &IdempotencyRecord,
) -> Result<FundsConsent, StoreError> {
    let found = tx.funds_consent_find(application, recorded_id(record)?)?;
    let FundsConsent { consent, terms } = found.required("consent")?;
    Ok(FundsConsent { consent: consent.as_created(), terms })
}
