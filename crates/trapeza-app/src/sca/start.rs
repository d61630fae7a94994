//! Starting an authorisation. A new one fails the open ones of the same target.

use super::TargetRef;
use super::challenge::start_decoupled;
use super::context::StepContext;
use super::redirect_rule::RedirectRule;
use super::step_result::{AuthorisationView, StepResult, replayed_view};
use super::target::LoadedTarget;
use crate::authentication::Tpp;
use crate::authorisation_expiry::fail_open;
use crate::credential::method::methods;
use crate::idempotency::{IdempotentOutcome, IdempotentRequest};
use crate::payment::PayeeChecks;
use crate::{App, UseCaseError, audit};
use trapeza_domain::audit_event::Actor;
use trapeza_domain::authorisation::{
    ApproachSelection, Authorisation, NewAuthorisation, ScaApproach, SelectedMethod, Target,
};
use trapeza_domain::id::AuthorisationId;
use trapeza_domain::psu::MethodKind;
use trapeza_domain::refusal::{Refusal, RefusalReason};
use trapeza_domain::status_change::NotificationContent;
use trapeza_store::{AuthorisationRecord, RedirectUris, Tx};

/// The third party's preferences for the SCA approach.
#[derive(Clone, Debug, Default)]
pub struct StartPreferences {
    /// `None` without a preference.
    pub redirect_preferred: Option<bool>,
    pub decoupled_preferred: bool,
    /// Whether exactly one approach is offered. Otherwise all are, without a preference.
    pub exclusive: bool,
    pub redirect_uri: Option<String>,
    pub nok_redirect_uri: Option<String>,
    pub redirect_rule: RedirectRule,
    /// Where the third party is notified of the new target's changes of status, and of which.
    pub notification: Option<(String, NotificationContent)>,
    /// The third party's brand that the customer uses, for the audit log.
    pub brand: Option<String>,
}

impl StartPreferences {
    fn selection(&self, has_app: bool, is_identified: bool) -> ApproachSelection {
        // The decoupled approach needs an enrolled app.
        let (decoupled, has_uri) = (self.decoupled_preferred && has_app, self.redirect_uri.is_some());
        if self.exclusive {
            return ApproachSelection::choose_one(self.redirect_preferred, decoupled, has_uri, is_identified);
        }
        // Without a name only our page can ask for it.
        let redirect = self.redirect_preferred == Some(true) || !is_identified;
        ApproachSelection::choose(redirect, decoupled, has_uri)
    }

    pub(super) fn uris(&self) -> RedirectUris {
        RedirectUris { success: self.redirect_uri.clone(), failure: self.nok_redirect_uri.clone() }
    }
}

impl App {
    /// Starts an authorisation for the named customer, or for the target's where none is named.
    pub async fn authorisation_start(
        &self,
        request: IdempotentRequest,
        tpp: &Tpp,
        target: TargetRef<'_>,
        psu: Option<String>,
        preferences: StartPreferences,
    ) -> Result<IdempotentOutcome<AuthorisationView>, UseCaseError> {
        let start = self.prepare_start(tpp, preferences);
        let (target, path) = (target.target(), target.payment);
        let application = tpp.application;
        let check = match target {
            Ok(Target::Payment(id)) => self.payee_check_prepare(application, id).await?.into(),
            Ok(Target::SigningBasket(id)) => {
                let found = self.store.read(move |tx| Ok(tx.signing_basket_find(application, id)?)).await?;
                let members = found.map(|basket| basket.members).unwrap_or_default();
                self.payee_checks_prepare(application, &members).await?
            }
            _ => PayeeChecks::default(),
        };
        let payee = check.clone();
        let started = self
            .store
            .write(move |tx| {
                if let Some(recorded) = request.find(tx)? {
                    let view = replayed_view(tx, &start.context, target.clone()?, &recorded.result)?;
                    return Ok(IdempotentOutcome::replayed(view));
                }
                let target = target.clone()?;
                let loaded = LoadedTarget::load(tx, &start.context, target)?;
                loaded.check_path(path)?;
                let (result, view) = start.run(tx, target, loaded, psu.as_deref(), payee.clone())?;
                request.record(tx, "started", &result, start.context.now())?;
                Ok(IdempotentOutcome::fresh(view))
            })
            .await?;
        if !started.replayed {
            self.payee_mismatches_record(application, &check, started.value.payee_verification);
        }
        Ok(started)
    }

    pub(super) fn prepare_start(&self, tpp: &Tpp, preferences: StartPreferences) -> PreparedStart {
        PreparedStart {
            context: self.tpp_step_context(tpp),
            id: AuthorisationId::new(self.entropy.uuid()),
            tpp_name: tpp.certificate.name.clone(),
            preferences,
        }
    }
}

/// What a start needs and must be created before its transaction.
#[derive(Clone)]
pub(super) struct PreparedStart {
    pub(super) context: StepContext,
    id: AuthorisationId,
    tpp_name: String,
    preferences: StartPreferences,
}

impl PreparedStart {
    /// Starts the authorisation of a loaded target. Returns the result to record, and its view.
    pub(super) fn run(
        &self,
        tx: &mut Tx<'_>,
        target: Target,
        loaded: LoadedTarget,
        psu: Option<&str>,
        payee: PayeeChecks,
    ) -> Result<(Vec<u8>, AuthorisationView), UseCaseError> {
        let context = &self.context;
        loaded.check_pending(context.now())?;
        loaded.check_basket(tx, context)?;
        let preferences = self.preferences_for(tx, target)?;
        preferences.redirect_rule.check(tx, context.application, &preferences.uris())?;
        fail_open(tx, context.application, target, context.now())?;
        if let LoadedTarget::Basket(basket) = &loaded {
            basket.fail_members(tx, context.now())?;
        }
        let (loaded, warning) = loaded.with_payee_verification(tx, context, &payee)?;
        let loaded = loaded.with_psu(tx, context, target, psu.unwrap_or_default())?;
        let psu_name = psu.unwrap_or_else(|| loaded.psu_name()).to_owned();
        let params = NewAuthorisationParams {
            target,
            id: self.id,
            psu_name: &psu_name,
            preferences: &preferences,
            tpp_name: &self.tpp_name,
        };
        let record = create(tx, context, &loaded, &params)?;
        let result = StepResult::new(&record, context.now()).with_payee_verification(warning);
        let encoded = result.encode();
        Ok((encoded, result.view(tx, context.keyring(), &record)?))
    }

    /// The preferences, with the redirect URIs of the target's creation where the start names none.
    fn preferences_for(&self, tx: &mut Tx<'_>, target: Target) -> Result<StartPreferences, UseCaseError> {
        let preferences = self.preferences.clone();
        if preferences.redirect_uri.is_some() || !preferences.exclusive {
            return Ok(preferences);
        }
        let stored = tx.target_redirect_find(self.context.application, target)?.unwrap_or_default();
        Ok(StartPreferences {
            redirect_uri: stored.success,
            nok_redirect_uri: preferences.nok_redirect_uri.or(stored.failure),
            ..preferences
        })
    }
}

/// The parameters of a new authorisation, besides its loaded target.
pub(super) struct NewAuthorisationParams<'a> {
    pub(super) target: Target,
    pub(super) id: AuthorisationId,
    /// The customer, as they were named.
    pub(super) psu_name: &'a str,
    pub(super) preferences: &'a StartPreferences,
    pub(super) tpp_name: &'a str,
}

pub(super) fn create(
    tx: &mut Tx<'_>,
    context: &StepContext,
    loaded: &LoadedTarget,
    params: &NewAuthorisationParams<'_>,
) -> Result<AuthorisationRecord, UseCaseError> {
    let &NewAuthorisationParams { target, id, psu_name, preferences, tpp_name } = params;
    // A name that is not the target's customer is treated like an unknown one.
    let found = tx.psu_by_login(psu_name)?.filter(|_| psu_name == loaded.psu_name());
    let app =
        methods(tx, context.keyring(), psu_name)?.into_iter().find(|method| method.kind == MethodKind::Push);
    let approach = match preferences.selection(app.is_some(), !psu_name.is_empty()) {
        ApproachSelection::Only(ScaApproach::Embedded) if loaded.needs_choice() => {
            let text = "the customer chooses the accounts on the bank's page; use the redirect approach";
            return Err(Refusal::new(RefusalReason::StepOutOfOrder, text).into());
        }
        _ if loaded.needs_choice() => ApproachSelection::Only(ScaApproach::Redirect),
        selected => selected,
    };
    let (received, event) = Authorisation::receive(NewAuthorisation {
        id,
        application: context.application,
        target,
        psu_name: psu_name.to_owned(),
        psu: found.map(|(psu, _)| psu.id),
        approach,
        now: context.now(),
        target_due: loaded.expires_at(),
        notifies: loaded.notifies(),
    });
    let authorisation = match received.is_identified() {
        true => received.identify(context.now())?.0,
        false => received,
    };
    let mut record = AuthorisationRecord {
        authorisation,
        challenge: None,
        link: loaded.digest(&context.organisation),
        organisation: context.organisation.clone(),
        tpp_name: tpp_name.to_owned(),
        redirect_uri: preferences.redirect_uri.clone(),
        nok_redirect_uri: preferences.nok_redirect_uri.clone(),
        redirect_session: None,
    };
    let actor = Actor::Application(context.application);
    audit::record(tx, context.now(), actor, &event.with("approach", approach.reported().name()))?;
    tx.authorisation_insert(&record)?;
    if let (ApproachSelection::Only(ScaApproach::Decoupled), Some(app)) = (approach, app) {
        let method = SelectedMethod { id: app.id, kind: app.kind };
        record = start_decoupled(tx, context, loaded, record, method)?;
    }
    Ok(record)
}
