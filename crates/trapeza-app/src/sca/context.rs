//! What every step of an authorisation needs and must be created before its transaction.

use crate::authentication::Tpp;
use crate::credential::{AttemptLimiter, CredentialContext};
use crate::payment::OwnPayee;
use crate::{App, Keyring, SandboxBehaviour, Zone};
use std::sync::Arc;
use trapeza_domain::audit_event::Actor;
use trapeza_domain::authorisation::ScaApproach;
use trapeza_domain::clearing::RoutingTable;
use trapeza_domain::id::{ApplicationId, PsuId};
use trapeza_domain::reference::Iban;
use trapeza_domain::time::Timestamp;
use trapeza_store::AuthorisationRecord;
use trapeza_texts::Language;

#[derive(Clone)]
pub(super) struct StepContext {
    pub credential: CredentialContext,
    /// The application whose target is approved.
    pub application: ApplicationId,
    /// The authorisation number in the third party's certificate.
    pub organisation: String,
    pub channel: Channel,
    pub sandbox: Option<SandboxBehaviour>,
    pub routing: Arc<RoutingTable>,
    /// The bank's account to which borrowers pay.
    pub collection: Option<Iban>,
    pub zone: Zone,
    /// The language of the bank's page on which the step is taken; `None` on the screens of third parties.
    pub language: Option<Language>,
}

/// Where the customer takes a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Channel {
    /// On the third party's screen.
    ThirdParty,
    /// On the bank's page, in the browser with this session token hash.
    Redirect { session: [u8; 32] },
    /// In the bank's app, signed in as this customer.
    App(PsuId),
}

impl StepContext {
    pub(super) fn now(&self) -> Timestamp {
        self.credential.now
    }

    pub(super) fn keyring(&self) -> &Keyring {
        &self.credential.keyring
    }

    pub(super) fn approach(&self) -> ScaApproach {
        match self.channel {
            Channel::ThirdParty => ScaApproach::Embedded,
            Channel::Redirect { .. } => ScaApproach::Redirect,
            Channel::App(_) => ScaApproach::Decoupled,
        }
    }

    /// The bank as the payee of payments to its collection account.
    pub(super) fn own_payee(&self) -> Option<OwnPayee<'_>> {
        let bank_name = &*self.credential.bank_name;
        self.collection.map(|iban| OwnPayee { iban, bank_name })
    }

    /// The actor of audit events. The customer of a redirect is not authenticated until its end.
    pub(super) fn actor(&self) -> Actor {
        match self.channel {
            Channel::ThirdParty => Actor::Application(self.application),
            Channel::Redirect { .. } => Actor::Bank,
            Channel::App(psu) => Actor::Psu(psu),
        }
    }

    /// The limits on the credentials of this authorisation's customer in this channel.
    pub(super) fn limiter(&self, record: &AuthorisationRecord) -> AttemptLimiter {
        let name = &record.authorisation.psu_name;
        match self.channel {
            Channel::ThirdParty => AttemptLimiter::for_third_party(&self.credential, name, self.application),
            Channel::Redirect { .. } => {
                AttemptLimiter::for_redirect(&self.credential, name, self.application)
            }
            Channel::App(_) => AttemptLimiter::for_app(&self.credential, name),
        }
    }
}

impl App {
    pub(super) fn tpp_step_context(&self, tpp: &Tpp) -> StepContext {
        let organisation = tpp.certificate.organisation.clone();
        self.step_context(tpp.application, organisation, Channel::ThirdParty)
    }

    pub(super) fn step_context(
        &self,
        application: ApplicationId,
        organisation: String,
        channel: Channel,
    ) -> StepContext {
        StepContext {
            credential: self.credential_context(),
            application,
            organisation,
            channel,
            sandbox: self.settings.sandbox,
            routing: self.settings.payments.routing.clone(),
            collection: self.settings.payments.collection,
            zone: self.clock.zone().clone(),
            language: None,
        }
    }
}
