//! Strong customer authentication: starting it, showing it, and the steps a third party takes on its own screen.
//!
//! Each step is one transaction; a password is hashed between two. A name that is nobody's, or not the object's, gets
//! answers of the same shape, in the same time, and no password of its is ever right. A refusal that must leave a mark
//! (a wrong code) is an `Ok` inside the transaction and a refusal outside.

mod answer;
mod app_key;
mod app_lock;
mod asked;
mod browser;
mod code;
pub(crate) mod ending;
mod message;
mod method;
mod own_payment;
mod page;
mod phone_app;
mod secret;
mod start;
mod target;
mod throttle;
mod turn;
mod update;

pub use answer::{AuthorisationView, ChallengeView};
pub use app_key::{approval_message, digest_hex};
pub use app_lock::DeviceSession;
pub use asked::{ApprovalAccount, ApprovalPayment, ApprovalRequest};
pub(crate) use asked::{asked_access, asked_funds};
pub use browser::is_session_token;
pub(crate) use browser::session_token_hash;
pub(crate) use code::ChallengeEntropy;
pub use message::{ClaimedMessage, MessageView};
pub(crate) use message::{NewMessage, display_name, put as message_put};
pub use method::MethodView;
pub(crate) use method::{methods, methods_of};
pub use page::{RedirectPreview, RedirectView};
pub use phone_app::{ApprovalDecision, PendingApproval};
pub(crate) use secret::{pause, verify};
pub use start::Preferences;
pub(crate) use throttle::{AttemptDecision, AttemptLimiter};
pub(crate) use turn::LoginQueue;
pub use update::Step;

use crate::authentication::Tpp;
use crate::{App, Entropy, Keyring, PaymentSettings, UseCaseError};
use answer::Answer;
use std::sync::Arc;
use target::LoadedTarget;
use trapeza_domain::audit_event::Actor;
use trapeza_domain::authorisation::{ScaApproach, ScaStatus, Target, TargetKind};
use trapeza_domain::id::{ApplicationId, AuthorisationId, PsuId};
use trapeza_domain::payment::PaymentProduct;
use trapeza_domain::refusal::{Refusal, RefusalReason};
use trapeza_domain::secret::Secret;
use trapeza_domain::time::Timestamp;
use trapeza_store::AuthorisationRecord;

/// How the bank does it. The default is production's.
#[derive(Clone, Debug)]
pub struct ScaSettings {
    /// A code that is always right for text messages, chip devices and photo readers: the sandbox's.
    pub fixed_otp: Option<Secret<String>>,
    /// Whether the first codes of authorisations are limited to 30 an hour a customer.
    pub limit_first_otps: bool,
    /// Whether messages stay readable, for a sandbox that shows them and has no gateway to send them by.
    pub retain_messages: bool,
}

impl Default for ScaSettings {
    fn default() -> Self {
        Self { fixed_otp: None, limit_first_otps: true, retain_messages: false }
    }
}

impl ScaSettings {
    pub fn sandbox(otp: &str) -> Self {
        let fixed_otp = Some(Secret::new(otp.to_owned()));
        Self { fixed_otp, limit_first_otps: false, retain_messages: true }
    }
}

/// What an authorisation is asked for: the id is as it was sent.
#[derive(Clone, Copy, Debug)]
pub struct TargetRef<'a> {
    pub kind: TargetKind,
    pub id: &'a str,
    /// The product that a payment is asked for under; it has to be its own.
    pub product: Option<PaymentProduct>,
}

/// The authorisations of an object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AuthorisationList {
    /// Oldest first.
    pub ids: Vec<AuthorisationId>,
    /// Whether another one may be started.
    pub may_start: bool,
}

impl TargetRef<'_> {
    fn target(&self) -> Result<Target, Refusal> {
        Target::parse(self.kind, self.id).ok_or_else(|| target::unknown(self.kind))
    }
}

impl App {
    /// One authorisation as it is now.
    pub async fn authorisation_find(
        &self,
        tpp: &Tpp,
        object: TargetRef<'_>,
        id: &str,
    ) -> Result<AuthorisationView, UseCaseError> {
        let (application, target, id, now) =
            (tpp.application, object.target(), AuthorisationId::parse(id), self.now());
        let product = object.product;
        let keyring = self.keyring.clone();
        self.store
            .read(move |tx| {
                let target = target.clone()?;
                LoadedTarget::look(tx, application, target, now)?.check_product(product)?;
                let found = match id {
                    Some(id) => tx.authorisation_find(application, target, id)?,
                    None => None,
                };
                let record = found.ok_or_else(unknown)?;
                Ok(Answer::of(&record, now).view(tx, &keyring, &record)?)
            })
            .await
    }

    /// The authorisations of an object.
    pub async fn authorisation_list(
        &self,
        tpp: &Tpp,
        object: TargetRef<'_>,
    ) -> Result<AuthorisationList, UseCaseError> {
        let (all, may_start) = self.authorisations_of(tpp, object).await?;
        let ids = all.iter().map(|record| record.authorisation.id).collect();
        Ok(AuthorisationList { ids, may_start })
    }

    /// Where the newest authorisation of an object stands, if there is one.
    pub async fn authorisation_latest_status(
        &self,
        tpp: &Tpp,
        object: TargetRef<'_>,
    ) -> Result<Option<ScaStatus>, UseCaseError> {
        let ((all, _), now) = (self.authorisations_of(tpp, object).await?, self.now());
        Ok(all.last().map(|record| record.authorisation.as_of(now).state.status()))
    }

    async fn authorisations_of(
        &self,
        tpp: &Tpp,
        object: TargetRef<'_>,
    ) -> Result<(Vec<AuthorisationRecord>, bool), UseCaseError> {
        let (application, target, product, now) =
            (tpp.application, object.target()?, object.product, self.now());
        self.store
            .read(move |tx| {
                let loaded = LoadedTarget::look(tx, application, target, now)?;
                loaded.check_product(product)?;
                let may_start = loaded.check_waiting(now).is_ok();
                Ok((tx.authorisation_list(application, target)?, may_start))
            })
            .await
    }

    /// The context of a third party, on its own screen.
    fn desk_of(&self, tpp: &Tpp) -> StepContext {
        let organisation = tpp.certificate.organisation.clone();
        self.step_context(tpp.application, organisation, Channel::ThirdParty)
    }

    /// Codes never come from the demo bank's seed.
    fn step_context(&self, application: ApplicationId, organisation: String, side: Channel) -> StepContext {
        StepContext {
            now: self.now(),
            application,
            organisation,
            side,
            keyring: self.keyring.clone(),
            settings: self.sca.clone(),
            payments: self.payments,
            zone: self.clock.zone().clone(),
            fresh: ChallengeEntropy::generate(&Entropy::os()),
        }
    }
}

/// Everything a step needs that is made before its transaction.
#[derive(Clone)]
struct StepContext {
    now: Timestamp,
    application: ApplicationId,
    organisation: String,
    side: Channel,
    keyring: Arc<Keyring>,
    settings: Arc<ScaSettings>,
    payments: PaymentSettings,
    zone: crate::Zone,
    fresh: ChallengeEntropy,
}

/// Where the customer is while they take a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Channel {
    ThirdParty,
    /// Our page, in the browser with this mark.
    Page {
        browser: [u8; 32],
    },
    /// The bank's app, unlocked by this customer.
    App(PsuId),
}

impl StepContext {
    fn approach(&self) -> ScaApproach {
        match self.side {
            Channel::ThirdParty => ScaApproach::Embedded,
            Channel::Page { .. } => ScaApproach::Redirect,
            Channel::App(_) => ScaApproach::Decoupled,
        }
    }

    /// In whose name a step is written down. Who sits at our page is not proven until the end.
    fn actor(&self) -> Actor {
        match self.side {
            Channel::ThirdParty => Actor::Application(self.application),
            Channel::Page { .. } => Actor::Bank,
            Channel::App(psu) => Actor::Psu(psu),
        }
    }
}

/// The same words for one that never was and for another's.
fn unknown() -> Refusal {
    Refusal::at(RefusalReason::ResourceUnknown, "authorisationId", "there is no such authorisation")
}

/// A password or a code was wrong, or nobody looked: never saying which.
pub(crate) fn wrong() -> Refusal {
    Refusal::new(RefusalReason::CredentialsInvalid, "the customer could not be authenticated with this")
}
