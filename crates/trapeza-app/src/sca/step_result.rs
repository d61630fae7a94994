//! The result of a step. It is stored in the idempotency record, so that a replay gets the same response whatever has
//! happened to the authorisation since.

use super::context::StepContext;
use crate::credential::method::{MethodView, methods};
use crate::keyring::KeyPurpose;
use crate::{Keyring, Required, StoreError};
use base64::Engine;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use trapeza_domain::authorisation::{NextStep, ScaApproach, ScaStatus, SelectedMethod, Target, next_steps};
use trapeza_domain::id::{AuthorisationId, MethodId};
use trapeza_domain::payee_verification::{PayeeVerification, VerifiedPayee};
use trapeza_domain::psu::MethodKind;
use trapeza_domain::time::Timestamp;
use trapeza_store::{AuthorisationRecord, StoredStepResult, Tx};
use trapeza_texts::{Language, approval, prompt};
use uuid::Uuid;

/// An authorisation as the third party sees it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AuthorisationView {
    pub id: AuthorisationId,
    pub status: ScaStatus,
    /// The value of the `ASPSP-SCA-Approach` header.
    pub approach: ScaApproach,
    pub methods: Vec<MethodView>,
    pub chosen: Option<MethodView>,
    pub challenge: Option<ChallengeView>,
    /// The steps that are possible next, and no others.
    pub next: Vec<NextStep>,
    pub psu_message: Option<String>,
    /// The last path segment of the redirect page. Present when `next` contains the redirect.
    pub redirect_token: Option<String>,
    /// A payee verification to warn of. Reported once, in the response of the first start.
    pub payee_verification: Option<PayeeVerification>,
}

impl AuthorisationView {
    /// Adds what only the response to the start reports: the warning about the payee.
    pub fn add_start(&mut self, started: Self) {
        self.payee_verification = started.payee_verification;
        self.psu_message = match (started.psu_message, self.psu_message.take()) {
            (Some(warning), Some(instruction)) => Some(format!("{warning} {instruction}")),
            (warning, instruction) => warning.or(instruction),
        };
    }
}

/// What the customer sees of a challenge.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChallengeView {
    pub kind: MethodKind,
    /// Digits for a device (also encoded in a picture), or the number to compare in the app. None for SMS.
    pub display: Option<String>,
}

impl ChallengeView {
    /// What the customer does with it.
    pub const fn instruction(&self) -> &'static str {
        prompt::instruction(Language::English, self.kind)
    }
}

/// The stored form: everything that is not derived from the authorisation again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct StepResult {
    id: AuthorisationId,
    status: ScaStatus,
    approach: ScaApproach,
    chosen: Option<SelectedMethod>,
    display: Option<String>,
    next: Vec<NextStep>,
    payee_verification: Option<VerifiedPayee>,
}

impl StepResult {
    pub(super) fn new(record: &AuthorisationRecord, now: Timestamp) -> Self {
        let authorisation = record.authorisation.as_of(now);
        let challenge = record.challenge.as_ref();
        Self {
            id: authorisation.id,
            status: authorisation.state.status(),
            approach: authorisation.approach.reported(),
            chosen: authorisation.state.method(),
            display: authorisation
                .state
                .method()
                .and(challenge)
                .and_then(|challenge| challenge.display.clone()),
            next: next_steps(&authorisation, challenge, now),
            payee_verification: None,
        }
    }

    /// With the payee verification that the third party must be warned of.
    pub(super) fn with_payee_verification(self, payee_verification: Option<VerifiedPayee>) -> Self {
        Self { payee_verification, ..self }
    }

    pub(super) fn view(
        self,
        tx: &mut Tx<'_>,
        keyring: &Keyring,
        record: &AuthorisationRecord,
    ) -> Result<AuthorisationView, StoreError> {
        let methods = methods(tx, keyring, &record.authorisation.psu_name)?;
        let chosen = self.chosen.and_then(|chosen| methods.iter().find(|method| method.id == chosen.id));
        let token = self.next.contains(&NextStep::ScaRedirect).then(|| redirect_token(keyring, self.id));
        Ok(AuthorisationView {
            id: self.id,
            status: self.status,
            approach: self.approach,
            chosen: chosen.cloned(),
            challenge: self
                .chosen
                .map(|chosen| ChallengeView { kind: chosen.kind, display: self.display.clone() }),
            psu_message: self.psu_message(),
            redirect_token: token,
            payee_verification: self.payee_verification.map(|verified| verified.result()),
            next: self.next,
            methods,
        })
    }

    /// What the third party must show: how to answer the challenge and, on its own screens, the warning about the payee. Pages
    /// and app show the warning themselves.
    fn psu_message(&self) -> Option<String> {
        let language = Language::default();
        let warning = self.payee_verification.as_ref().filter(|_| self.approach == ScaApproach::Embedded);
        let warning = warning.map(|verified| approval::payee_warning(language, verified));
        let challenge = self.chosen.map(|chosen| {
            let display = self.display.as_deref().unwrap_or_default();
            prompt::challenge(language, chosen.kind, display)
        });
        match (warning, challenge) {
            (Some(warning), Some(challenge)) => Some(format!("{warning} {challenge}")),
            (warning, challenge) => warning.or(challenge),
        }
    }

    pub(super) fn encode(&self) -> Vec<u8> {
        let stored = StoredStepResult {
            authorisation: *self.id.as_bytes(),
            status: self.status.name(),
            approach: self.approach.name(),
            method: self.chosen.map(|chosen| (*chosen.id.as_bytes(), chosen.kind.name())),
            display: self.display.as_deref(),
            next_steps: self.next.iter().map(|step| step.name()).collect(),
            payee_verification: self.payee_verification.as_ref().map(|verified| verified.result().name()),
            payee_owner_name: self.payee_verification.as_ref().and_then(VerifiedPayee::owner_name),
        };
        stored.encode()
    }

    pub(super) fn decode(bytes: &[u8]) -> Result<Self, StoreError> {
        let stored = StoredStepResult::decode(bytes)?;
        Self::from_stored(&stored)
            .ok_or_else(|| StoreError::internal("a stored step result contains an unknown name"))
    }

    fn from_stored(stored: &StoredStepResult<'_>) -> Option<Self> {
        Some(Self {
            id: AuthorisationId::new(Uuid::from_bytes(stored.authorisation)),
            status: ScaStatus::parse(stored.status)?,
            approach: ScaApproach::parse(stored.approach)?,
            chosen: match stored.method {
                Some((id, kind)) => {
                    let id = MethodId::new(Uuid::from_bytes(id));
                    Some(SelectedMethod { id, kind: MethodKind::parse(kind)? })
                }
                None => None,
            },
            display: stored.display.map(str::to_owned),
            next: stored.next_steps.iter().map(|name| NextStep::parse(name)).collect::<Option<_>>()?,
            payee_verification: match stored.payee_verification {
                Some(name) => Some(VerifiedPayee::new(
                    PayeeVerification::parse(name)?,
                    stored.payee_owner_name.map(str::to_owned),
                )),
                None => None,
            },
        })
    }
}

/// The token of the redirect page. It is derived with a secret key and not stored: the id alone does not open the page.
pub(super) fn redirect_token(keyring: &Keyring, id: AuthorisationId) -> String {
    let mac = keyring.hash(KeyPurpose::Redirect, &[id.as_bytes()]);
    format!("{id}.{}", BASE64_URL_SAFE_NO_PAD.encode(mac))
}

/// The result that was recorded for an earlier request, as a view.
pub(super) fn replayed_view(
    tx: &mut Tx<'_>,
    context: &StepContext,
    target: Target,
    recorded: &[u8],
) -> Result<AuthorisationView, StoreError> {
    let result = StepResult::decode(recorded)?;
    let found = tx.authorisation_find(context.application, target, result.id)?;
    let record = found.required("authorisation")?;
    result.view(tx, context.keyring(), &record)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn encoded_result_decodes_to_the_same_value() {
        let bare = StepResult {
            id: AuthorisationId::new(Uuid::from_u128(1)),
            status: ScaStatus::PsuIdentified,
            approach: ScaApproach::Embedded,
            chosen: None,
            display: None,
            next: vec![NextStep::UpdatePsuAuthentication, NextStep::ScaRedirect],
            payee_verification: None,
        };
        let chosen = SelectedMethod { id: MethodId::new(Uuid::from_u128(2)), kind: MethodKind::Chip };
        let full = StepResult {
            status: ScaStatus::ScaMethodSelected,
            chosen: Some(chosen),
            display: Some("12345678".to_owned()),
            next: Vec::new(),
            payee_verification: Some(VerifiedPayee::new(
                PayeeVerification::Close,
                Some("Jean Dupont".to_owned()),
            )),
            ..bare.clone()
        };
        for result in [bare, full] {
            assert_eq!(StepResult::decode(&result.encode()), Ok(result));
        }
        assert!(StepResult::decode(b"nonsense").is_err());
    }
}
