//! The portal's organisations: sign-up and sign-in of members, and who belongs to an organisation.
//!
//! Invitations use the system time, as logins do. A member is loaded with every request, so that a removed one cannot do anything
//! more.

mod application;
mod invitation;
mod member;
mod object;
mod refund;
mod request;
mod session;
mod settlement;
mod sign_up;
mod usage;
mod webhook;

pub use application::{PortalApplication, TestCertificate, TestCertificateIssuer};
pub use invitation::IssuedInvitation;
pub use member::OrganisationView;
pub use object::{ObjectKind, ObjectPage, ObjectView};
pub use refund::BasketAction;
pub use request::RequestPage;
pub use session::PortalMember;
pub use settlement::{SettlementKind, SettlementReport, SettlementRow, SettlementTotals};
pub use sign_up::{Enrolment, SignUpRequest};
pub use trapeza_store::InvitationRecord;
pub use usage::{ConsentQuota, UsageView};

use crate::login::token_hash;
use crate::{App, Keyring, UseCaseError, audit};
use trapeza_domain::audit_event::AuditEvent;
use trapeza_domain::field::Field;
use trapeza_domain::id::{ApplicationId, OrganisationId};
use trapeza_domain::login::LoginKind;
use trapeza_domain::organisation::Organisation;
use trapeza_domain::refusal::{Refusal, RefusalReason};

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
        let (now, actor) = (self.now(), audit::current_actor());
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
                Ok(audit::record(tx, now, actor, &event.with("organisation", name))?)
            })
            .await
    }
}

fn unknown_organisation() -> Refusal {
    Refusal::at(RefusalReason::ResourceUnknown, Field::OrganisationName, "unknown organisation")
}

/// The keyed hash under which an invitation is stored.
fn invitation_hash(keyring: &Keyring, token: &str) -> [u8; 32] {
    token_hash(keyring, LoginKind::Member, "invitation", token)
}
