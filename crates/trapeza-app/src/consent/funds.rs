//! Funds consents: the permission to ask whether an amount is available.

use super::{not_found, parse, recorded_id};
use crate::authentication::Tpp;
use crate::idempotency::{IdempotentRequest, Replayable};
use crate::payment::PayeeCheck;
use crate::sca::{Created, StartOption};
use crate::{App, Required, UseCaseError, audit};
use trapeza_domain::audit_event::Actor;
use trapeza_domain::authorisation::Target;
use trapeza_domain::consent::{ConsentKind, ConsentState, FundsConsent, FundsConsentRequest};

impl App {
    pub async fn funds_consent_create(
        &self,
        request: IdempotentRequest,
        tpp: &Tpp,
        psu: String,
        order: FundsConsentRequest,
    ) -> Result<Replayable<FundsConsent>, UseCaseError> {
        let start = StartOption::default();
        let created = self.funds_consent_create_with_start(request, tpp, psu, order, start).await?;
        Ok(created.map(|created| created.object))
    }

    /// Creates a funds consent and, for an implicit start, its authorisation in the same transaction. `psu` is empty while the
    /// customer is not known.
    pub async fn funds_consent_create_with_start(
        &self,
        request: IdempotentRequest,
        tpp: &Tpp,
        psu: String,
        order: FundsConsentRequest,
        start: StartOption,
    ) -> Result<Replayable<Created<FundsConsent>>, UseCaseError> {
        let new = self.new_consent(tpp, psu);
        let start = self.target_start(tpp, start);
        let terms = self.with_calendar(new.now, |calendar, hash| order.terms(calendar, hash));
        self.store
            .write(move |tx| {
                if let Some(record) = request.find(tx)? {
                    let id = recorded_id(&record)?;
                    let found = tx.funds_consent_find(new.application, id)?;
                    let FundsConsent { consent, terms } = found.required("consent")?;
                    let object = FundsConsent { consent: consent.as_created(), terms };
                    let authorisation = start.replayed(tx, Target::FundsConsent(id), &record)?;
                    return Ok(Replayable::replayed(Created { object, authorisation }));
                }
                let (object, event) = FundsConsent::create(new.clone(), terms.clone()?);
                tx.funds_consent_insert(&object)?;
                audit::record(tx, new.now, Actor::Application(new.application), &event)?;
                let target = Target::FundsConsent(new.id);
                let (result, authorisation) = start.run(tx, target, PayeeCheck::default())?;
                request.record(tx, "created", &result, new.now)?;
                Ok(Replayable::fresh(Created { object, authorisation }))
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
