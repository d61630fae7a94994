//! Starting an authorisation. The newest is the only one that is open.

use super::aim::Aim;
use super::answer::Answer;
use super::ending::close;
use super::guard::Guard;
use super::{AuthorisationView, Desk, Object, code, message};
use crate::caller::Tpp;
use crate::method::methods;
use crate::repeat::{Answered, Call};
use crate::{App, StoreError, UseCaseError, audit};
use trapeza_domain::authorisation::{Approach, Authorisation, Chosen, Created, Target, Way};
use trapeza_domain::event::Actor;
use trapeza_domain::id::{ApplicationId, AuthorisationId};
use trapeza_domain::psu::MethodKind;
use trapeza_domain::refusal::{Faults, Refusal};
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
        call: Call,
        tpp: &Tpp,
        object: Object<'_>,
        psu: Option<String>,
        preferences: Preferences,
    ) -> Result<Answered<AuthorisationView>, UseCaseError> {
        let desk = self.desk_of(tpp);
        let (target, product) = (object.target(), object.product);
        let id = AuthorisationId::new(self.entropy.uuid());
        let tpp_name = tpp.certificate.name.clone();
        let heard = match target {
            Ok(Target::Payment(id)) => self.payee_heard(desk.application, id).await?,
            _ => None,
        };
        self.store
            .write(move |tx| {
                if let Some(before) = call.find(tx)? {
                    return Ok(Answered::again(shown_again(tx, &desk, target.clone()?, &before.object)?));
                }
                let target = target.clone()?;
                let aim = Aim::load(tx, &desk, target)?;
                aim.check_product(product)?;
                let psu = psu.clone().unwrap_or_else(|| aim.psu_name().to_owned());
                aim.check_waiting(desk.now)?;
                check_uris(tx, desk.application, &preferences)?;
                close(tx, desk.application, target, desk.now)?;
                let (aim, told) = aim.with_payee_checked(tx, heard)?;
                let starter =
                    Starter { target, id, psu_name: &psu, preferences: &preferences, tpp_name: &tpp_name };
                let record = begin(tx, &desk, &aim, &starter)?;
                let answer = Answer::of(&record, desk.now).telling(told);
                call.save(tx, "started", &answer.encode(), desk.now)?;
                Ok(Answered::first(answer.view(tx, &desk.keyring, &record)?))
            })
            .await
    }
}

/// The answer that a step was given before.
pub(super) fn shown_again(
    tx: &mut Tx<'_>,
    desk: &Desk,
    target: Target,
    object: &[u8],
) -> Result<AuthorisationView, StoreError> {
    let answer = Answer::decode(object)?;
    let found = tx.authorisation_find(desk.application, target, answer.id())?;
    let record = found.ok_or_else(|| StoreError::internal("an authorisation that was made is gone"))?;
    answer.view(tx, &desk.keyring, &record)
}

/// What an authorisation is made of, besides its object.
pub(super) struct Starter<'a> {
    pub(super) target: Target,
    pub(super) id: AuthorisationId,
    /// The customer, as they were named.
    pub(super) psu_name: &'a str,
    pub(super) preferences: &'a Preferences,
    pub(super) tpp_name: &'a str,
}

pub(super) fn begin(
    tx: &mut Tx<'_>,
    desk: &Desk,
    aim: &Aim,
    starter: &Starter<'_>,
) -> Result<AuthorisationRecord, UseCaseError> {
    let &Starter { target, id, psu_name, preferences, tpp_name } = starter;
    // A name that is not the object's is nobody's here, whoever bears it.
    let found = tx.psu_by_login(psu_name)?.filter(|_| psu_name == aim.psu_name());
    let app =
        methods(tx, &desk.keyring, psu_name)?.into_iter().find(|method| method.kind == MethodKind::Push);
    let way = Way::choose(
        preferences.redirect_preferred,
        // Who has no app cannot be asked in it.
        preferences.decoupled_preferred && app.is_some(),
        preferences.redirect_uri.is_some(),
    );
    let (received, event) = Authorisation::receive(Created {
        id,
        application: desk.application,
        target,
        psu_name: psu_name.to_owned(),
        psu: found.map(|(psu, _)| psu.id),
        way,
        now: desk.now,
        target_due: aim.due(),
    });
    let (authorisation, _) = received.identify(desk.now)?;
    let mut record = AuthorisationRecord {
        authorisation,
        challenge: None,
        link: aim.link(&desk.organisation),
        organisation: desk.organisation.clone(),
        tpp_name: tpp_name.to_owned(),
        redirect_uri: preferences.redirect_uri.clone(),
        nok_redirect_uri: preferences.nok_redirect_uri.clone(),
        page: None,
    };
    let actor = Actor::Application(desk.application);
    audit::note(tx, desk.now, actor, &event.with("approach", way.told().name()))?;
    tx.authorisation_insert(&record)?;
    if let (Way::Only(Approach::Decoupled), Some(app)) = (way, app) {
        let chosen = Chosen { id: app.id, kind: app.kind };
        record = ask_app(tx, desk, aim, record, chosen)?;
    }
    Ok(record)
}

/// Asks the customer in the bank's app, where nobody else's screen is needed.
fn ask_app(
    tx: &mut Tx<'_>,
    desk: &Desk,
    aim: &Aim,
    record: AuthorisationRecord,
    chosen: Chosen,
) -> Result<AuthorisationRecord, UseCaseError> {
    Guard::new(desk, &record).send(tx, None, record.authorisation.ends_at)??;
    let Some(made) = code::make(tx, desk, &record, chosen)? else { return Ok(record) };
    let (authorisation, event) =
        record.authorisation.clone().start(Approach::Decoupled, Some(chosen), desk.now)?;
    message::send(tx, desk, &record, chosen, &made, &aim.words(desk))?;
    let record = AuthorisationRecord { authorisation, challenge: Some(made.challenge), ..record };
    tx.authorisation_update(&record)?;
    audit::note(tx, desk.now, Actor::Application(desk.application), &event)?;
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
    let mut faults = Faults::default();
    for (header, uri) in given {
        if uri.as_ref().is_some_and(|uri| !registered.contains(uri)) {
            faults.add(header, "this address is not registered for the application");
        }
    }
    faults.finish().map_err(|refusal: Refusal| refusal.into())
}
