//! Strong customer authentication (SCA): starting an authorisation, its steps in all three approaches, and its views.
//!
//! Each step is one transaction; a password is verified between two transactions. A caller who gives an unknown login name, or
//! another one than that of the target's customer, gets responses of the same shape in the same time, and no password is right
//! for that name. A refusal that has an effect, such as the count of a wrong OTP, is an `Ok` inside the transaction and becomes a
//! refusal outside of it.

mod account_choice;
mod account_offer;
mod approval_request;
mod challenge;
mod context;
mod credential_step;
mod customer_payment;
mod decoupled;
mod description;
mod embedded;
mod implicit;
mod redirect;
mod redirect_rule;
mod start;
mod step;
mod step_result;
mod target;

pub use crate::credential::ScaSettings;
pub use crate::credential::method::MethodView;
pub use crate::device::{approval_message, digest_hex};
pub use account_choice::AccountChoice;
pub use account_offer::{AccountOffer, OfferedAccount};
pub use approval_request::{ApprovalAccount, ApprovalBulk, ApprovalPayment, ApprovalRequest};
pub(crate) use approval_request::{access_request, funds_request};
pub use customer_payment::CustomerPayment;
pub use decoupled::{ApprovalDecision, DecidedApproval, PendingApproval};
pub use implicit::{CreatedTarget, StartOption};
pub use redirect::{RedirectPreview, RedirectView};
pub use redirect_rule::RedirectRule;
pub use start::StartPreferences;
pub use step::Step;
pub use step_result::{AuthorisationView, ChallengeView};

use crate::authentication::Tpp;
use crate::payment::PathPayment;
use crate::{App, UseCaseError};
use step_result::StepResult;
use target::LoadedTarget;
use trapeza_domain::authorisation::{ScaStatus, Target, TargetKind};
use trapeza_domain::field::Field;
use trapeza_domain::id::AuthorisationId;
use trapeza_domain::refusal::{Refusal, RefusalReason};
use trapeza_store::AuthorisationRecord;

/// The target of an authorisation as the caller names it; the id is not parsed yet.
#[derive(Clone, Copy, Debug)]
pub struct TargetRef<'a> {
    pub kind: TargetKind,
    pub id: &'a str,
    /// What the request path says about the payment.
    pub payment: Option<PathPayment>,
}

/// The authorisations of a target.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AuthorisationList {
    /// Oldest first.
    pub ids: Vec<AuthorisationId>,
    /// Whether another authorisation may be started.
    pub may_start: bool,
}

impl TargetRef<'_> {
    fn target(&self) -> Result<Target, Refusal> {
        Target::parse(self.kind, self.id).ok_or_else(|| target::not_found(self.kind))
    }
}

impl App {
    /// One authorisation as of now.
    pub async fn authorisation_find(
        &self,
        tpp: &Tpp,
        target: TargetRef<'_>,
        id: &str,
    ) -> Result<AuthorisationView, UseCaseError> {
        let (application, id, now) = (tpp.application, AuthorisationId::parse(id), self.now());
        let (target, path, keyring) = (target.target(), target.payment, self.keyring.clone());
        self.store
            .read(move |tx| {
                let target = target.clone()?;
                LoadedTarget::load_for_read(tx, application, target, now)?.check_path(path)?;
                let found = match id {
                    Some(id) => tx.authorisation_find(application, target, id)?,
                    None => None,
                };
                let record = found.ok_or_else(not_found)?;
                Ok(StepResult::new(&record, now).view(tx, &keyring, &record)?)
            })
            .await
    }

    pub async fn authorisation_list(
        &self,
        tpp: &Tpp,
        target: TargetRef<'_>,
    ) -> Result<AuthorisationList, UseCaseError> {
        let (all, may_start) = self.authorisations_of(tpp, target).await?;
        let ids = all.iter().map(|record| record.authorisation.id).collect();
        Ok(AuthorisationList { ids, may_start })
    }

    /// The status of the latest authorisation of a target, if there is one.
    pub async fn authorisation_latest_status(
        &self,
        tpp: &Tpp,
        target: TargetRef<'_>,
    ) -> Result<Option<ScaStatus>, UseCaseError> {
        let ((all, _), now) = (self.authorisations_of(tpp, target).await?, self.now());
        Ok(all.last().map(|record| record.authorisation.as_of(now).state.status()))
    }

    async fn authorisations_of(
        &self,
        tpp: &Tpp,
        target: TargetRef<'_>,
    ) -> Result<(Vec<AuthorisationRecord>, bool), UseCaseError> {
        let (application, now) = (tpp.application, self.now());
        let (target, path) = (target.target()?, target.payment);
        self.store
            .read(move |tx| {
                let loaded = LoadedTarget::load_for_read(tx, application, target, now)?;
                loaded.check_path(path)?;
                let may_start = loaded.check_pending(now).is_ok();
                Ok((tx.authorisation_list(application, target)?, may_start))
            })
            .await
    }
}

/// The same refusal for an unknown authorisation and for one of another application.
fn not_found() -> Refusal {
    Refusal::at(RefusalReason::ResourceUnknown, Field::AuthorisationId, "unknown authorisation")
}
