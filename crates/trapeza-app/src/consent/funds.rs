//! Funds consents: the permission to ask whether an amount is available.

use super::{created, gone, not_found, parse};
use crate::authentication::Tpp;
use crate::idempotency::{IdempotentRequest, Replayable};
use crate::{App, UseCaseError, audit};
use trapeza_domain::audit_event::Actor;
use trapeza_domain::consent::{ConsentKind, ConsentStatus, FundsConsent, FundsConsentRequest};

impl App {
    pub async fn funds_consent_create(
        &self,
        request: IdempotentRequest,
        tpp: &Tpp,
        psu: String,
        order: FundsConsentRequest,
    ) -> Result<Replayable<FundsConsent>, UseCaseError> {
        let birth = self.consent_birth(tpp, psu);
        let terms = self.with_calendar(birth.now, |calendar, hash| order.terms(calendar, hash));
        self.store
            .write(move |tx| {
                if let Some(record) = request.find(tx)? {
                    let found = tx.funds_consent_find(birth.application, created(&record)?)?;
                    let FundsConsent { consent, terms } = found.ok_or_else(gone)?;
                    return Ok(Replayable::replayed(FundsConsent { consent: consent.as_created(), terms }));
                }
                let (funds, event) = FundsConsent::create(birth.clone(), terms.clone()?);
                tx.funds_consent_insert(&funds)?;
                audit::record(tx, birth.now, Actor::Application(birth.application), &event)?;
                request.record(tx, "created", birth.id.as_bytes(), birth.now)?;
                Ok(Replayable::fresh(funds))
            })
            .await
    }

    pub async fn funds_consent_find(&self, tpp: &Tpp, id: &str) -> Result<FundsConsent, UseCaseError> {
        let (application, id, now) = (tpp.application, parse(id)?, self.now());
        let found = self.store.read(move |tx| Ok(tx.funds_consent_find(application, id)?)).await?;
        let FundsConsent { consent, terms } = found.ok_or_else(not_found)?;
        Ok(FundsConsent { consent: consent.as_of(now), terms })
    }

    pub async fn funds_consent_status(&self, tpp: &Tpp, id: &str) -> Result<ConsentStatus, UseCaseError> {
        self.status_of(tpp, id, ConsentKind::Funds).await
    }

    pub async fn funds_consent_terminate(
        &self,
        request: IdempotentRequest,
        tpp: &Tpp,
        id: &str,
    ) -> Result<Replayable<()>, UseCaseError> {
        self.terminate(request, tpp, id, ConsentKind::Funds).await
    }
}
