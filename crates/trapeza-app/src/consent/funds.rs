//! Funds consents: the permission to ask whether an amount is available.

use super::{not_found, parse, recorded_id};
use crate::authentication::Tpp;
use crate::idempotency::{IdempotentRequest, Replayable};
use crate::{App, Required, UseCaseError, audit};
use trapeza_domain::audit_event::Actor;
use trapeza_domain::consent::{ConsentKind, ConsentState, FundsConsent, FundsConsentRequest};

impl App {
    pub async fn funds_consent_create(
        &self,
        request: IdempotentRequest,
        tpp: &Tpp,
        psu: String,
        order: FundsConsentRequest,
    ) -> Result<Replayable<FundsConsent>, UseCaseError> {
        let new = self.new_consent(tpp, psu);
        let terms = self.with_calendar(new.now, |calendar, hash| order.terms(calendar, hash));
        self.store
            .write(move |tx| {
                if let Some(record) = request.find(tx)? {
                    let found = tx.funds_consent_find(new.application, recorded_id(&record)?)?;
                    let FundsConsent { consent, terms } = found.required("consent")?;
                    return Ok(Replayable::replayed(FundsConsent { consent: consent.as_created(), terms }));
                }
                let (funds, event) = FundsConsent::create(new.clone(), terms.clone()?);
                tx.funds_consent_insert(&funds)?;
                audit::record(tx, new.now, Actor::Application(new.application), &event)?;
                request.record(tx, "created", new.id.as_bytes(), new.now)?;
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

    pub async fn funds_consent_state(&self, tpp: &Tpp, id: &str) -> Result<ConsentState, UseCaseError> {
        self.state_of(tpp, id, ConsentKind::Funds).await
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
