//! The embedded approach: the customer enters credentials on the third party's screen.

use super::step::{Step, StepRequest};
use super::{AuthorisationView, TargetRef};
use crate::authentication::Tpp;
use crate::idempotency::{IdempotentRequest, Replayable};
use crate::{App, UseCaseError};
use trapeza_domain::id::AuthorisationId;

impl App {
    /// Runs one step. A replay gets the recorded outcome, that of a wrong OTP included.
    pub async fn authorisation_update(
        &self,
        idempotency: IdempotentRequest,
        tpp: &Tpp,
        target: TargetRef<'_>,
        id: &str,
        step: Step,
    ) -> Result<Replayable<AuthorisationView>, UseCaseError> {
        let request = StepRequest {
            idempotency: Some(idempotency),
            target: target.target(),
            id: AuthorisationId::parse(id),
            product: target.product,
        };
        self.run_step(|| self.tpp_step_context(tpp), request, step).await?.into_response()
    }
}
