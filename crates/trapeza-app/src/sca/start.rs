//! Starting an authorisation. The newest is the only one that is open.

use super::answer::Answer;
use super::ending::close;
use super::target::LoadedTarget;
use super::throttle::AttemptLimiter;
use super::{AuthorisationView, StepContext, TargetRef, code, message};
use crate::authentication::Tpp;
use crate::idempotency::{IdempotentRequest, Replayable};
use crate::sca::methods;
use crate::{App, StoreError, UseCaseError, audit};
use trapeza_domain::audit_event::Actor;
use trapeza_domain::authorisation::{
    ApproachSelection, Authorisation, NewAuthorisation, ScaApproach, SelectedMethod, Target,
};
use trapeza_domain::id::{ApplicationId, AuthorisationId};
use trapeza_domain::psu::MethodKind;
use trapeza_domain::refusal::{FieldErrors, Refusal};
use trapeza_store::{AuthorisationRecord, Tx};

/// How the third party would like it.
#[derive(Clone, Debug, Default)]
pub struct Preferences {
    pub redirect_preferred: bool,
    pub decoupled_preferred: bool,
    pub redirect_uri: Option<String>,
    pub nok_redirect_uri: Option<String>,
}

impl App {
    /// Starts an authorisation for the customer named, or the object's own where nobody is. A repeated call is answered as the first one was.
    pub async fn authorisation_start(
        &self,
        request: IdempotentRequest,
        tpp: &Tpp,
        object: TargetRef<'_>,
        psu: Option<String>,
        preferences: Preferences,
    ) -> Result<Replayable<AuthorisationView>, UseCaseError> {
        let context = self.desk_of(tpp);
        let (target, product) = (object.target(), object.product);
        let id = AuthorisationId::new(self.entropy.uuid());
        let tpp_name = tpp.certificate.name.clone();
        let remote_check = match target {
            Ok(Target::Payment(id)) => self.payee_verify_remote(context.application, id).await?,
            _ => None,
        };
        self.store
            .write(move |tx| {
                if let Some(before) = request.find(tx)? {
                    return Ok(Replayable::replayed(replayed_view(
                        tx,
                        &context,
                        target.clone()?,
                        &before.object,
                    )?));
                }
                let target = target.clone()?;
                let loaded = LoadedTarget::load(tx, &context, target)?;
                loaded.check_product(product)?;
                let psu = psu.clone().unwrap_or_else(|| loaded.psu_name().to_owned());
                loaded.check_waiting(context.now)?;
                check_uris(tx, context.application, &preferences)?;
                close(tx, context.application, target, context.now)?;
                let (loaded, told) = loaded.with_payee_checked(tx, remote_check)?;
                let starter = NewAuthorisationParams {
                    target,
                    id,
                    psu_name: &psu,
                    preferences: &preferences,
                    tpp_name: &tpp_name,
                };
                let record = begin(tx, &context, &loaded, &starter)?;
                let answer = Answer::of(&record, context.now).telling(told);
                request.record(tx, "started", &answer.encode(), context.now)?;
                Ok(Replayable::fresh(answer.view(tx, &context.keyring, &record)?))
            })
            .await
    }
}

/// The answer that a step was given before.
pub(super) fn replayed_view(
    tx: &mut Tx<'_>,
    context: &StepContext,
    target: Target,
    object: &[u8],
) -> Result<AuthorisationView, StoreError> {
    let answer = Answer::decode(object)?;
    let found = tx.authorisation_find(context.application, target, answer.id())?;
    let record = found.ok_or_else(|| StoreError::internal("an authorisation that was made is gone"))?;
    answer.view(tx, &context.keyring, &record)
}

/// What an authorisation is made of, besides its object.
pub(super) struct NewAuthorisationParams<'a> {
    pub(super) target: Target,
    pub(super) id: AuthorisationId,
    /// The customer, as they were named.
    pub(super) psu_name: &'a str,
    pub(super) preferences: &'a Preferences,
    pub(super) tpp_name: &'a str,
}

pub(super) fn begin(
    tx: &mut Tx<'_>,
    context: &StepContext,
    loaded: &LoadedTarget,
    starter: &NewAuthorisationParams<'_>,
) -> Result<AuthorisationRecord, UseCaseError> {
    let &NewAuthorisationParams { target, id, psu_name, preferences, tpp_name } = starter;
    // A name that is not the object's is nobody's here, whoever bears it.
    let found = tx.psu_by_login(psu_name)?.filter(|_| psu_name == loaded.psu_name());
    let app =
        methods(tx, &context.keyring, psu_name)?.into_iter().find(|method| method.kind == MethodKind::Push);
    let approach = ApproachSelection::choose(
        preferences.redirect_preferred,
        // Who has no app cannot be asked in it.
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
        now: context.now,
        target_due: loaded.due(),
    });
    let (authorisation, _) = received.identify(context.now)?;
    let mut record = AuthorisationRecord {
        authorisation,
        challenge: None,
        link: loaded.link(&context.organisation),
        organisation: context.organisation.clone(),
        tpp_name: tpp_name.to_owned(),
        redirect_uri: preferences.redirect_uri.clone(),
        nok_redirect_uri: preferences.nok_redirect_uri.clone(),
        page: None,
    };
    let actor = Actor::Application(context.application);
    audit::record(tx, context.now, actor, &event.with("approach", approach.reported().name()))?;
    tx.authorisation_insert(&record)?;
    if let (ApproachSelection::Only(ScaApproach::Decoupled), Some(app)) = (approach, app) {
        let chosen = SelectedMethod { id: app.id, kind: app.kind };
        record = ask_app(tx, context, loaded, record, chosen)?;
    }
    Ok(record)
}

/// Asks the customer in the bank's app, where nobody else's screen is needed.
fn ask_app(
    tx: &mut Tx<'_>,
    context: &StepContext,
    loaded: &LoadedTarget,
    record: AuthorisationRecord,
    chosen: SelectedMethod,
) -> Result<AuthorisationRecord, UseCaseError> {
    AttemptLimiter::new(context, &record).send(tx, None, record.authorisation.ends_at)??;
    let Some(made) = code::make(tx, context, &record, chosen)? else { return Ok(record) };
    let (authorisation, event) =
        record.authorisation.clone().start(ScaApproach::Decoupled, Some(chosen), context.now)?;
    message::send(tx, context, &record, chosen, &made, &loaded.words(context))?;
    let record = AuthorisationRecord { authorisation, challenge: Some(made.challenge), ..record };
    tx.authorisation_update(&record)?;
    audit::record(tx, context.now, Actor::Application(context.application), &event)?;
    Ok(record)
}

/// A customer is sent back only to where the third party has registered, letter by letter.
fn check_uris(
    tx: &mut Tx<'_>,
    application: ApplicationId,
    preferences: &Preferences,
) -> Result<(), UseCaseError> {
    let given = [
        ("TPP-Redirect-URI", &preferences.redirect_uri),
        ("TPP-Nok-Redirect-URI", &preferences.nok_redirect_uri),
    ];
    if given.iter().all(|(_, uri)| uri.is_none()) {
        return Ok(());
    }
    let registered = tx.redirect_uri_list(application)?;
    let mut faults = FieldErrors::default();
    for (header, uri) in given {
        if uri.as_ref().is_some_and(|uri| !registered.contains(uri)) {
            faults.add(header, "this address is not registered for the application");
        }
    }
    faults.finish().map_err(|refusal: Refusal| refusal.into())
}
