//! The steps that a third party takes on its own screen: password, method, code.

use super::aim::Aim;
use super::answer::Answer;
use super::ending::settle;
use super::guard::Guard;
use super::start::shown_again;
use super::{AuthorisationView, Desk, Object, Side, code, message, page, secret, unknown, wrong};
use crate::authentication::Tpp;
use crate::method::methods;
use crate::idempotency::{IdempotentRequest, Replayable};
use crate::{App, StoreError, UseCaseError, audit};
use trapeza_domain::authorisation::{Authorisation, SelectedMethod, Target};
use trapeza_domain::audit_event::AuditEvent;
use trapeza_domain::id::{AuthorisationId, MethodId};
use trapeza_domain::payment::PaymentProduct;
use trapeza_domain::refusal::{RefusalReason, Refusal};
use trapeza_domain::secret::Secret;
use trapeza_store::{AuthorisationRecord, Tx};

/// What the customer has done on the third party's screen.
#[derive(Clone, Debug)]
pub enum Step {
    Password(Secret<String>),
    /// As it was sent. The method that is chosen already: its code is sent again.
    Method(String),
    Code(Secret<String>),
}

/// How a step ended that is written down either way.
#[derive(Clone, Debug)]
pub(super) enum Ended {
    Done(AuthorisationView),
    Before(AuthorisationView),
    /// With a mark that stays.
    Refused(Refusal),
}

impl Ended {
    pub(super) fn answered(self) -> Result<Replayable<AuthorisationView>, UseCaseError> {
        match self {
            Self::Done(view) => Ok(Replayable::fresh(view)),
            Self::Before(view) => Ok(Replayable::replayed(view)),
            Self::Refused(refusal) => Err(refusal.into()),
        }
    }
}

/// Which authorisation, as it was sent.
#[derive(Clone)]
pub(super) struct Place {
    /// A step of a third party is a call that may be repeated; one on our own side is not.
    pub call: Option<Call>,
    pub target: Result<Target, Refusal>,
    pub id: Option<AuthorisationId>,
    pub product: Option<PaymentProduct>,
}

impl App {
    /// Takes one step. A repeated call is answered as the first one was, a wrong code's too.
    pub async fn authorisation_update(
        &self,
        call: IdempotentRequest,
        tpp: &Tpp,
        object: TargetRef<'_>,
        id: &str,
        step: Step,
    ) -> Result<Replayable<AuthorisationView>, UseCaseError> {
        let (target, id, product) = (object.target(), AuthorisationId::parse(id), object.product);
        let place = Place { call: Some(call), target, id, product };
        let organisation = tpp.certificate.organisation.clone();
        let desk = || self.desk(tpp.application, organisation.clone(), Side::ThirdParty);
        self.step(desk, place, step).await?.answered()
    }

    /// A step, whoever's screen it is taken on. A desk is made for each of its transactions.
    pub(super) async fn step(
        &self,
        desk: impl Fn() -> Desk,
        place: Place,
        step: Step,
    ) -> Result<Ended, UseCaseError> {
        match step {
            Step::Password(password) => self.password_step(desk, place, password).await,
            Step::Method(method) => {
                let (desk, method) = (desk(), MethodId::parse(&method));
                self.store.write(move |tx| method_step(tx, &desk, &place, method)).await
            }
            Step::Code(given) => {
                let desk = desk();
                self.store.write(move |tx| secret::code_step(tx, &desk, &place, &given)).await
            }
        }
    }
}

/// Where a step begins: the object and its authorisation, locked, as they are now; or the end of the same call before.
pub(super) enum Entered {
    Here(Box<(Aim, AuthorisationRecord)>),
    Before(Ended),
}

pub(super) fn enter(tx: &mut Tx<'_>, desk: &Desk, place: &Place) -> Result<Entered, UseCaseError> {
    let before = match &place.call {
        Some(call) => call.find(tx)?,
        None => None,
    };
    if let Some(before) = before {
        return Ok(Entered::Before(match before.outcome.as_str() {
            "wrong" => Ended::Refused(wrong().again()),
            "changed" => Ended::Refused(changed().again()),
            _ => Ended::Before(shown_again(tx, desk, place.target.clone()?, &before.object)?),
        }));
    }
    let target = place.target.clone()?;
    let aim = Aim::load(tx, desk, target)?;
    aim.check_product(place.product)?;
    let found = match place.id {
        Some(id) => tx.authorisation_lock(desk.application, target, id)?,
        None => None,
    };
    let record = page::keep_seen(desk, settle(tx, found.ok_or_else(unknown)?, desk.now)?)?;
    Ok(Entered::Here(Box::new((aim, record))))
}

fn method_step(
    tx: &mut Tx<'_>,
    desk: &Desk,
    place: &Place,
    method: Option<MethodId>,
) -> Result<Ended, UseCaseError> {
    let (aim, record) = match enter(tx, desk, place)? {
        Entered::Here(here) => *here,
        Entered::Before(ended) => return Ok(ended),
    };
    let offered = methods(tx, &desk.keyring, &record.authorisation.psu_name)?;
    // Whether it is the time for a method comes before which one it is.
    let first = offered.first().map(|method| SelectedMethod { id: method.id, kind: method.kind });
    let any = first.ok_or_else(no_method)?;
    record.authorisation.clone().select(desk.approach(), any, desk.now)?;
    let found = offered.into_iter().find(|offered| Some(offered.id) == method).ok_or_else(no_method)?;
    let chosen = SelectedMethod { id: found.id, kind: found.kind };
    Guard::new(desk, &record).send(tx, record.challenge.as_ref(), record.authorisation.ends_at)??;
    let record = challenge(tx, desk, &aim, record, chosen)?.ok_or_else(no_method)?;
    done(tx, desk, place, &record)
}

/// Selects a method and puts its challenge on its way. `None` when the method cannot be used.
pub(super) fn challenge(
    tx: &mut Tx<'_>,
    desk: &Desk,
    aim: &Aim,
    record: AuthorisationRecord,
    chosen: SelectedMethod,
) -> Result<Option<AuthorisationRecord>, UseCaseError> {
    let Some(made) = code::make(tx, desk, &record, chosen)? else { return Ok(None) };
    let (authorisation, event) = record.authorisation.clone().select(desk.approach(), chosen, desk.now)?;
    message::send(tx, desk, &record, chosen, &made, &aim.words(desk))?;
    let event = event.with("sends", made.challenge.sends);
    let record = AuthorisationRecord { challenge: Some(made.challenge), ..record };
    Ok(Some(keep(tx, desk, record, (authorisation, event))?))
}

/// Writes a changed authorisation and what is noted about it.
pub(super) fn keep(
    tx: &mut Tx<'_>,
    desk: &Desk,
    record: AuthorisationRecord,
    (authorisation, event): (Authorisation, AuditEvent),
) -> Result<AuthorisationRecord, StoreError> {
    let record = AuthorisationRecord { authorisation, ..record };
    tx.authorisation_update(&record)?;
    audit::note(tx, desk.now, desk.actor(), &event)?;
    Ok(record)
}

/// The end of a step that went well.
pub(super) fn done(
    tx: &mut Tx<'_>,
    desk: &Desk,
    place: &Place,
    record: &AuthorisationRecord,
) -> Result<Ended, UseCaseError> {
    let answer = Answer::of(record, desk.now);
    if let Some(call) = &place.call {
        call.save(tx, "done", &answer.encode(), desk.now)?;
    }
    Ok(Ended::Done(answer.view(tx, &desk.keyring, record)?))
}

fn no_method() -> Refusal {
    let text = "there is no such method; choose one of scaMethods";
    Refusal::at(RefusalReason::ScaMethodUnknown, "authenticationMethodId", text)
}

/// The object is not what the customer was shown.
pub(super) fn changed() -> Refusal {
    let text = "what was to be authorised has changed since; start a new authorisation";
    Refusal::new(RefusalReason::StatusInvalid, text)
}
