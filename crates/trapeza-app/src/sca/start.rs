//! Starting an authorisation. A new one fails the open ones of the same target.

use super::TargetRef;
use super::challenge::start_decoupled;
use super::context::StepContext;
use super::step_result::{AuthorisationView, StepResult, replayed_view};
use super::target::LoadedTarget;
use crate::authentication::Tpp;
use crate::authorisation_expiry::fail_open;
use crate::credential::method::methods;
use crate::idempotency::{IdempotentRequest, Replayable};
use crate::payment::PayeeCheck;
use crate::{App, UseCaseError, audit};
use trapeza_domain::audit_event::Actor;
use trapeza_domain::authorisation::{
    ApproachSelection, Authorisation, NewAuthorisation, ScaApproach, SelectedMethod, Target,
};
use trapeza_domain::field::Field;
use trapeza_domain::id::{ApplicationId, AuthorisationId};
use trapeza_domain::psu::MethodKind;
use trapeza_domain::refusal::{FieldErrors, Refusal};
use trapeza_store::{AuthorisationRecord, Tx};

/// The third party's preferences for the SCA approach.
#[derive(Clone, Debug, Default)]
pub struct Preferences {
    pub redirect_preferred: bool,
    pub decoupled_preferred: bool,
    pub redirect_uri: Option<String>,
    pub nok_redirect_uri: Option<String>,
}

impl App {
    /// Starts an authorisation for the named customer, or for the target's where none is named.
    pub async fn authorisation_start(
        &self,
        request: IdempotentRequest,
        tpp: &Tpp,
        target: TargetRef<'_>,
        psu: Option<String>,
        preferences: Preferences,
    ) -> Result<Replayable<AuthorisationView>, UseCaseError> {
        let context = self.tpp_step_context(tpp);
        let (target, product) = (target.target(), target.product);
        let id = AuthorisationId::new(self.entropy.uuid());
        let tpp_name = tpp.certificate.name.clone();
        let application = context.application;
        let check = match target {
            Ok(Target::Payment(id)) => self.payee_check_prepare(application, id).await?,
            _ => PayeeCheck::default(),
        };
        let payee = check.clone();
        let started = self
            .store
            .write(move |tx| {
                if let Some(recorded) = request.find(tx)? {
                    let view = replayed_view(tx, &context, target.clone()?, &recorded.result)?;
                    return Ok(Replayable::replayed(view));
                }
                let target = target.clone()?;
                let loaded = LoadedTarget::load(tx, &context, target)?;
                loaded.check_product(product)?;
                let psu = psu.clone().unwrap_or_else(|| loaded.psu_name().to_owned());
                loaded.check_pending(context.now())?;
                check_redirect_uris(tx, context.application, &preferences)?;
                fail_open(tx, context.application, target, context.now())?;
                let (loaded, warning) = loaded.with_payee_verification(tx, &context, payee.clone())?;
                let params = NewAuthorisationParams {
                    target,
                    id,
                    psu_name: &psu,
                    preferences: &preferences,
                    tpp_name: &tpp_name,
                };
                let record = create(tx, &context, &loaded, &params)?;
                let result = StepResult::new(&record, context.now()).with_payee_verification(warning);
                request.record(tx, "started", &result.encode(), context.now())?;
                Ok(Replayable::fresh(result.view(tx, context.keyring(), &record)?))
            })
            .await?;
        if !started.replayed {
            self.payee_mismatch_record(application, &check, started.value.payee_verification);
        }
        Ok(started)
    }
}

/// The parameters of a new authorisation, besides its loaded target.
pub(super) struct NewAuthorisationParams<'a> {
    pub(super) target: Target,
    pub(super) id: AuthorisationId,
    /// The customer, as they were named.
    pub(super) psu_name: &'a str,
    pub(super) preferences: &'a Preferences,
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
    let approach = ApproachSelection::choose(
        preferences.redirect_preferred,
        // The decoupled approach needs an enrolled app.
        preferences.decoupled_preferred && app.is_some(),
        preferences.redirect_uri.is_some(),
    );
    let (received, event) = Authorisation::receive(NewAuthorisation {
        id,
        application: context.application,
        target,
        psu_name: psu_name.to_owned(),
        psu: found.map(|(psu, _)| psu.id),
        approach,
        now: context.now(),
        target_due: loaded.expires_at(),
    });
    let (authorisation, _) = received.identify(context.now())?;
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

/// A customer is only redirected to URIs that the third party registered, compared as strings.
fn check_redirect_uris(
    tx: &mut Tx<'_>,
    application: ApplicationId,
    preferences: &Preferences,
) -> Result<(), UseCaseError> {
    let given = [
        (Field::RedirectUri, &preferences.redirect_uri),
        (Field::NokRedirectUri, &preferences.nok_redirect_uri),
    ];
    if given.iter().all(|(_, uri)| uri.is_none()) {
        return Ok(());
    }
    let registered = tx.redirect_uri_list(application)?;
    let mut errors = FieldErrors::default();
    for (field, uri) in given {
        if uri.as_ref().is_some_and(|uri| !registered.contains(uri)) {
            errors.add(field, "is not registered for the application");
        }
    }
    errors.finish().map_err(|refusal: Refusal| refusal.into())
}
