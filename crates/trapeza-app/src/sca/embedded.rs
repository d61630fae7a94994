//! The embedded approach: the customer enters credentials on the third party's screen.

use super::credential_step::identify;
use super::step::{Step, StepOutcome, StepRequest, StepStart, finish_step, load_step, save_transition};
use super::{AuthorisationView, TargetRef};
use crate::authentication::Tpp;
use crate::idempotency::{IdempotentOutcome, IdempotentRequest};
use crate::{App, UseCaseError};
use trapeza_domain::id::AuthorisationId;
use trapeza_store::AuthorisationRecord;

impl App {
    /// Runs one step. A replay gets the recorded outcome, that of a wrong OTP included.
    pub async fn authorisation_update(
        &self,
        idempotency: IdempotentRequest,
        tpp: &Tpp,
        target: TargetRef<'_>,
        id: &str,
        step: Step,
    ) -> Result<IdempotentOutcome<AuthorisationView>, UseCaseError> {
        let request = step_request(idempotency, target, id);
        self.run_step(|| self.tpp_step_context(tpp), request, step).await?.into_response()
    }

    /// Names the customer of an authorisation that was started without one. The target becomes theirs; an unknown name gets the same
    /// response.
    pub async fn authorisation_identify(
        &self,
        idempotency: IdempotentRequest,
        tpp: &Tpp,
        target: TargetRef<'_>,
        id: &str,
        psu_name: String,
    ) -> Result<IdempotentOutcome<AuthorisationView>, UseCaseError> {
        let (request, context) = (step_request(idempotency, target, id), self.tpp_step_context(tpp));
        let outcome = self.store.write(move |tx| {
            let (loaded, record) = match load_step(tx, &context, &request)? {
                StepStart::Loaded(loaded) => *loaded,
                StepStart::Recorded(outcome) => return Ok::<StepOutcome, UseCaseError>(outcome),
            };
            let identified = record.authorisation.clone().identify(context.now())?;
            let psu = tx.psu_by_login(&psu_name)?.map(|(psu, _)| psu.id);
            let authorisation = record.authorisation.clone().with_psu(&psu_name, psu);
            let record = AuthorisationRecord { authorisation: authorisation.clone(), ..record };
            identify(tx, &context, loaded, &record)?;
            let record = save_transition(tx, &context, record, (authorisation, identified.1))?;
            finish_step(tx, &context, &request, &record)
        });
        outcome.await?.into_response()
    }
}

fn step_request(idempotency: IdempotentRequest, target: TargetRef<'_>, id: &str) -> StepRequest {
    StepRequest {
        idempotency: Some(idempotency),
        target: target.target(),
        id: AuthorisationId::parse(id),
        payment: target.payment,
    }
}
