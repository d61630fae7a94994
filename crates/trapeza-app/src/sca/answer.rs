//! What a step is answered with. It is written down with the step, so that a repeated call gets the very same answer,
//! whatever has become of the authorisation since.

use crate::keyring::KeyPurpose;
use crate::sca::{MethodView, methods};
use crate::{Keyring, StoreError};
use base64::Engine;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use trapeza_domain::authorisation::{NextStep, ScaApproach, ScaStatus, SelectedMethod, next_steps};
use trapeza_domain::id::{AuthorisationId, MethodId};
use trapeza_domain::payee_verification::PayeeVerification;
use trapeza_domain::psu::MethodKind;
use trapeza_domain::time::Timestamp;
use trapeza_store::{AuthorisationRecord, Tx};

/// An authorisation as its third party sees it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AuthorisationView {
    pub id: AuthorisationId,
    pub status: ScaStatus,
    /// What `ASPSP-SCA-ScaApproach` tells.
    pub approach: ScaApproach,
    pub methods: Vec<MethodView>,
    pub chosen: Option<MethodView>,
    pub challenge: Option<ChallengeView>,
    /// Exactly the steps that are possible next.
    pub next: Vec<NextStep>,
    pub psu_message: Option<String>,
    /// The last part of the address of our page; there when `next` has the redirect.
    pub redirect_token: Option<String>,
    /// How the payee's name fits, where that is to be told: once, with the first start.
    pub payee_verification: Option<PayeeVerification>,
}

/// What the customer is shown to answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChallengeView {
    pub kind: MethodKind,
    /// Digits to type into a device (also in a picture), or the number to match in the app. None with text messages.
    pub shown: Option<String>,
}

/// The facts of an answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Answer {
    id: AuthorisationId,
    status: ScaStatus,
    approach: ScaApproach,
    chosen: Option<SelectedMethod>,
    shown: Option<String>,
    next: Vec<NextStep>,
    payee_verification: Option<PayeeVerification>,
}

impl Answer {
    pub(super) fn of(record: &AuthorisationRecord, now: Timestamp) -> Self {
        let it = record.authorisation.as_of(now);
        let challenge = record.challenge.as_ref();
        Self {
            id: it.id,
            status: it.state.status(),
            approach: it.approach.reported(),
            chosen: it.state.method(),
            shown: it.state.method().and(challenge).and_then(|challenge| challenge.shown.clone()),
            next: next_steps(&it, challenge, now),
            payee_verification: None,
        }
    }

    /// With what is to be told about the payee's name.
    pub(super) fn telling(self, payee_verification: Option<PayeeVerification>) -> Self {
        Self { payee_verification, ..self }
    }

    pub(super) fn id(&self) -> AuthorisationId {
        self.id
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
                .map(|chosen| ChallengeView { kind: chosen.kind, shown: self.shown.clone() }),
            psu_message: psu_message(self.chosen.map(|chosen| chosen.kind), self.shown.as_deref()),
            redirect_token: token,
            payee_verification: self.payee_verification,
            next: self.next,
            methods,
        })
    }

    /// One line. None of its parts can hold a bar: names of ours, ids and digits.
    pub(super) fn encode(&self) -> Vec<u8> {
        let next: Vec<&str> = self.next.iter().map(|step| step.name()).collect();
        let parts = [
            self.id.to_string(),
            self.status.name().to_owned(),
            self.approach.name().to_owned(),
            self.chosen.map(|chosen| chosen.id.to_string()).unwrap_or_default(),
            self.chosen.map(|chosen| chosen.kind.name().to_owned()).unwrap_or_default(),
            self.shown.clone().unwrap_or_default(),
            next.join(","),
            self.payee_verification.map(|check| check.name().to_owned()).unwrap_or_default(),
        ];
        parts.join("|").into_bytes()
    }

    pub(super) fn decode(bytes: &[u8]) -> Result<Self, StoreError> {
        Self::read(bytes).ok_or_else(|| StoreError::internal("a replay record holds no authorisation"))
    }

    fn read(bytes: &[u8]) -> Option<Self> {
        let text = std::str::from_utf8(bytes).ok()?;
        let parts: Vec<&str> = text.split('|').collect();
        let [id, status, approach, method, kind, shown, next, check] = parts.as_slice() else { return None };
        let chosen = match (MethodId::parse(method), MethodKind::parse(kind)) {
            (Some(id), Some(kind)) => Some(SelectedMethod { id, kind }),
            _ => None,
        };
        let next: Option<Vec<NextStep>> =
            next.split(',').filter(|name| !name.is_empty()).map(NextStep::parse).collect();
        Some(Self {
            id: AuthorisationId::parse(id)?,
            status: ScaStatus::parse(status)?,
            approach: ScaApproach::parse(approach)?,
            chosen,
            shown: (!shown.is_empty()).then(|| (*shown).to_owned()),
            next: next?,
            payee_verification: PayeeVerification::parse(check),
        })
    }
}

/// What opens our page for one authorisation. It is kept nowhere: whoever has the id alone cannot make it.
pub(super) fn redirect_token(keyring: &Keyring, id: AuthorisationId) -> String {
    let mac = keyring.hash(KeyPurpose::Redirect, &[id.as_bytes()]);
    format!("{id}.{}", BASE64_URL_SAFE_NO_PAD.encode(mac))
}

fn psu_message(kind: Option<MethodKind>, shown: Option<&str>) -> Option<String> {
    let shown = shown.unwrap_or_default();
    Some(match kind? {
        MethodKind::Sms => "We have sent you a text message with a code. Please enter the code.".to_owned(),
        MethodKind::Chip => format!("Please type {shown} into your card reader and enter what it answers."),
        MethodKind::Photo => {
            "Please scan the picture with your photo reader and enter what it answers.".to_owned()
        }
        MethodKind::Push => format!("Please open your banking app and confirm there. The number is {shown}."),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use uuid::Uuid;

    #[test]
    fn an_answer_is_read_as_it_was_written() {
        let bare = Answer {
            id: AuthorisationId::new(Uuid::from_u128(1)),
            status: ScaStatus::PsuIdentified,
            approach: ScaApproach::Embedded,
            chosen: None,
            shown: None,
            next: vec![NextStep::UpdatePsuAuthentication, NextStep::ScaRedirect],
            payee_verification: None,
        };
        let chosen = SelectedMethod { id: MethodId::new(Uuid::from_u128(2)), kind: MethodKind::Chip };
        let full = Answer {
            status: ScaStatus::ScaMethodSelected,
            chosen: Some(chosen),
            shown: Some("12345678".to_owned()),
            next: Vec::new(),
            payee_verification: Some(PayeeVerification::Close),
            ..bare.clone()
        };
        for answer in [bare, full] {
            assert_eq!(Answer::decode(&answer.encode()), Ok(answer));
        }
        assert!(Answer::decode(b"nonsense").is_err());
    }
}
