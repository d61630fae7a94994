//! The portal's organisations: sign-up and sign-in of members with password and authenticator app or a passkey, their sessions, and who belongs
//! to an organisation.
//!
//! Sessions, codes and invitations use the system time: the clock of a sandbox is moved, and people's clocks are not. Audit events
//! have the bank's time. A member is loaded with every request, so that a removed one cannot do anything more.

mod application;
mod invitation;
mod member;
mod object;
mod passkey;
mod refund;
mod request;
mod session;
mod settlement;
mod sign_in;
mod sign_up;
pub mod totp;
mod usage;
mod webauthn;
mod webhook;

pub use application::{PortalApplication, TestCertificate, TestCertificateIssuer};
pub use invitation::IssuedInvitation;
pub use member::OrganisationView;
pub use object::{ObjectKind, ObjectPage, ObjectView};
pub use refund::BasketAction;
pub use request::RequestPage;
pub use session::PortalMember;
pub use settlement::{SettlementKind, SettlementReport, SettlementRow, SettlementTotals};
pub use sign_up::{Enrolment, RecoveryCodes, SignUpOrder};
pub use trapeza_store::{InvitationRecord, MemberSessionRecord, PasskeyRecord};
pub use usage::{ConsentQuota, UsageView};
pub use webauthn::{Ceremony, PasskeyResponse, RelyingParty};

use crate::keyring::KeyPurpose;
use crate::{App, Entropy, Keyring, UseCaseError, audit};
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use trapeza_domain::audit_event::AuditEvent;
use trapeza_domain::field::Field;
use trapeza_domain::id::{ApplicationId, OrganisationId};
use trapeza_domain::organisation::Organisation;
use trapeza_domain::refusal::{Refusal, RefusalReason};
use trapeza_domain::secret::Secret;

impl App {
    pub async fn organisation_list(&self) -> Result<Vec<Organisation>, UseCaseError> {
        self.store.read(|tx| Ok(tx.organisation_list()?)).await
    }

    /// Sets the organisation whose members manage an application, or removes it. For operators.
    pub async fn application_organisation_set(
        &self,
        id: ApplicationId,
        organisation: Option<OrganisationId>,
    ) -> Result<(), UseCaseError> {
        let (now, operator) = (self.now(), audit::operator());
        self.store
            .write(move |tx| {
                if id == ApplicationId::BANK || tx.application_find(id)?.is_none() {
                    return Err(Refusal::new(RefusalReason::ResourceUnknown, "unknown application").into());
                }
                if let Some(organisation) = organisation {
                    tx.organisation_find(organisation)?.ok_or_else(unknown_organisation)?;
                }
                tx.application_organisation_set(id, organisation)?;
                let event = AuditEvent::new("application.organisation_set", "application", id);
                let name = organisation.map_or("none".to_owned(), |organisation| organisation.to_string());
                Ok(audit::record(tx, now, operator, &event.with("organisation", name))?)
            })
            .await
    }
}

fn unknown_organisation() -> Refusal {
    Refusal::at(RefusalReason::ResourceUnknown, Field::OrganisationName, "unknown organisation")
}

/// A token that is shown once: 32 random bytes in base64url.
fn new_token() -> Secret<String> {
    Secret::new(URL_SAFE_NO_PAD.encode(Entropy::os().bytes::<32>()))
}

/// The keyed hash under which a token of the portal is stored.
fn token_hash(keyring: &Keyring, kind: &str, token: &str) -> [u8; 32] {
    keyring.hash(KeyPurpose::Portal, &[kind.as_bytes(), token.as_bytes()])
}
