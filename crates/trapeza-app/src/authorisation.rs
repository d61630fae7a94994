//! Strong customer authentication: starting it, showing it, and the steps a third party takes on its own screen.
//!
//! Each step is one transaction; a password is hashed between two. A name that is nobody's, or not the object's, gets
//! answers of the same shape, in the same time, and no password of its is ever right. A refusal that must leave a mark
//! (a wrong code) is an `Ok` inside the transaction and a refusal outside.

mod aim;
mod answer;
mod app_key;
mod app_lock;
mod asked;
mod browser;
mod code;
pub(crate) mod ending;
mod guard;
mod message;
mod own_payment;
mod page;
mod phone_app;
mod secret;
mod start;
mod turn;
mod update;

pub use answer::{AuthorisationView, ChallengeView};
pub use app_key::{approval_text, link_text};
pub use app_lock::AppLock;
pub use asked::{Asked, AskedAccount, AskedPayment};
pub(crate) use asked::{asked_access, asked_funds};
pub use browser::is_mark;
pub(crate) use browser::mark_hash;
pub(crate) use code::Fresh;
pub(crate) use guard::{Gate, Guard};
pub(crate) use message::{Mail, put as message_put, shown_name};
pub use message::{MessageView, Outgoing};
pub use page::{PageGlance, PageView};
pub use phone_app::{AppQuestion, Decision};
pub(crate) use secret::{pause, verify};
pub use start::Preferences;
pub(crate) use turn::Turns;
pub use update::Step;

use crate::caller::Tpp;
use crate::{App, Entropy, Keyring, PaymentSettings, UseCaseError};
use aim::Aim;
use answer::Answer;
use std::sync::Arc;
use trapeza_domain::authorisation::{Approach, ScaStatus, Target, TargetKind};
use trapeza_domain::event::Actor;
use trapeza_domain::id::{ApplicationId, AuthorisationId, PsuId};
use trapeza_domain::payment::PaymentProduct;
use trapeza_domain::refusal::{Reason, Refusal};
use trapeza_domain::secret::Secret;
use trapeza_domain::time::Instant;
use trapeza_store::AuthorisationRecord;

/// How the bank does it. The default is production's.
#[derive(Clone, Debug)]
pub struct ScaSettings {
    /// A code that is always right for text messages, chip devices and photo readers: the sandbox's.
    pub fixed_otp: Option<Secret<String>>,
    /// Whether the first codes of authorisations are limited to 30 an hour a customer.
    pub first_codes_limited: bool,
    /// Whether messages stay readable, for a sandbox that shows them and has no gateway to send them by.
    pub messages_kept: bool,
}

impl Default for ScaSettings {
    fn default() -> Self {
        Self { fixed_otp: None, first_codes_limited: true, messages_kept: false }
    }
}

impl ScaSettings {
    pub fn sandbox(otp: &str) -> Self {
        let fixed_otp = Some(Secret::new(otp.to_owned()));
        Self { fixed_otp, first_codes_limited: false, messages_kept: true }
    }
}

/// What an authorisation is asked for: the id is as it was sent.
#[derive(Clone, Copy, Debug)]
pub struct Object<'a> {
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

impl Object<'_> {
    fn target(&self) -> Result<Target, Refusal> {
        Target::parse(self.kind, self.id).ok_or_else(|| aim::unknown(self.kind))
    }
}

impl App {
    /// One authorisation as it is now.
    pub async fn authorisation_find(
        &self,
        tpp: &Tpp,
        object: Object<'_>,
        id: &str,
    ) -> Result<AuthorisationView, UseCaseError> {
        let (application, target, id, now) =
            (tpp.application, object.target(), AuthorisationId::parse(id), self.now());
        let product = object.product;
        let keyring = self.keyring.clone();
        self.store
            .read(move |tx| {
                let target = target.clone()?;
                Aim::look(tx, application, target, now)?.check_product(product)?;
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
        object: Object<'_>,
    ) -> Result<AuthorisationList, UseCaseError> {
        let (all, may_start) = self.authorisations_of(tpp, object).await?;
        let ids = all.iter().map(|record| record.authorisation.id).collect();
        Ok(AuthorisationList { ids, may_start })
    }

    /// Where the newest authorisation of an object stands, if there is one.
    pub async fn authorisation_newest(
        &self,
        tpp: &Tpp,
        object: Object<'_>,
    ) -> Result<Option<ScaStatus>, UseCaseError> {
        let ((all, _), now) = (self.authorisations_of(tpp, object).await?, self.now());
        Ok(all.last().map(|record| record.authorisation.as_of(now).state.status()))
    }

    async fn authorisations_of(
        &self,
        tpp: &Tpp,
        object: Object<'_>,
    ) -> Result<(Vec<AuthorisationRecord>, bool), UseCaseError> {
        let (application, target, product, now) =
            (tpp.application, object.target()?, object.product, self.now());
        self.store
            .read(move |tx| {
                let aim = Aim::look(tx, application, target, now)?;
                aim.check_product(product)?;
                let may_start = aim.check_waiting(now).is_ok();
                Ok((tx.authorisation_list(application, target)?, may_start))
            })
            .await
    }

    /// The desk of a third party, on its own screen.
    fn desk_of(&self, tpp: &Tpp) -> Desk {
        let organisation = tpp.certificate.organisation.clone();
        self.desk(tpp.application, organisation, Side::ThirdParty)
    }

    /// Codes never come from the demo bank's seed.
    fn desk(&self, application: ApplicationId, organisation: String, side: Side) -> Desk {
        Desk {
            now: self.now(),
            application,
            organisation,
            side,
            keyring: self.keyring.clone(),
            settings: self.sca.clone(),
            payments: self.payments,
            zone: self.clock.zone().clone(),
            fresh: Fresh::draw(&Entropy::machine()),
        }
    }
}

/// Everything a step needs that is made before its transaction.
#[derive(Clone)]
struct Desk {
    now: Instant,
    application: ApplicationId,
    organisation: String,
    side: Side,
    keyring: Arc<Keyring>,
    settings: Arc<ScaSettings>,
    payments: PaymentSettings,
    zone: crate::Zone,
    fresh: Fresh,
}

/// Where the customer is while they take a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Side {
    ThirdParty,
    /// Our page, in the browser with this mark.
    Page {
        browser: [u8; 32],
    },
    /// The bank's app, unlocked by this customer.
    App(PsuId),
}

impl Desk {
    fn approach(&self) -> Approach {
        match self.side {
            Side::ThirdParty => Approach::Embedded,
            Side::Page { .. } => Approach::Redirect,
            Side::App(_) => Approach::Decoupled,
        }
    }

    /// In whose name a step is written down. Who sits at our page is not proven until the end.
    fn actor(&self) -> Actor {
        match self.side {
            Side::ThirdParty => Actor::Application(self.application),
            Side::Page { .. } => Actor::Bank,
            Side::App(psu) => Actor::Psu(psu),
        }
    }
}

/// The same words for one that never was and for another's.
fn unknown() -> Refusal {
    Refusal::at(Reason::ResourceUnknown, "authorisationId", "there is no such authorisation")
}

/// A password or a code was wrong, or nobody looked: never saying which.
pub(crate) fn wrong() -> Refusal {
    Refusal::new(Reason::CredentialsInvalid, "the customer could not be authenticated with this")
}
