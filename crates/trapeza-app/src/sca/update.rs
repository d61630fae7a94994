//! The steps that a third party takes on its own screen: password, method, code.

use super::answer::Answer;
use super::ending::settle;
use super::start::replayed_view;
use super::target::LoadedTarget;
use super::throttle::AttemptLimiter;
use super::{
    AuthorisationView, Channel, StepContext, TargetRef, code, message, page, secret, unknown, wrong,
};
use crate::authentication::Tpp;
use crate::idempotency::{IdempotentRequest, Replayable};
use crate::sca::methods;
use crate::{App, StoreError, UseCaseError, audit};
use trapeza_domain::audit_event::AuditEvent;
use trapeza_domain::authorisation::{Authorisation, SelectedMethod, Target};
use trapeza_domain::id::{AuthorisationId, MethodId};
use trapeza_domain::payment::PaymentProduct;
use trapeza_domain::refusal::{Refusal, RefusalReason};
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
pub(super) enum StepOutcome {
    Done(AuthorisationView),
    Before(AuthorisationView),
    /// With a mark that stays.
    Refused(Refusal),
}

impl StepOutcome {
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
pub(super) struct StepRequest {
    /// A step of a third party is a call that may be repeated; one on our own side is not.
    pub call: Option<IdempotentRequest>,
    pub target: Result<Target, Refusal>,
    pub id: Option<AuthorisationId>,
    pub product: Option<PaymentProduct>,
}

impl App {
    /// Takes one step. A repeated call is answered as the first one was, a wrong code's too.
    pub async fn authorisation_update(
        &self,
        request: IdempotentRequest,
        tpp: &Tpp,
        object: TargetRef<'_>,
        id: &str,
        step: Step,
    ) -> Result<Replayable<AuthorisationView>, UseCaseError> {
        let (target, id, product) = (object.target(), AuthorisationId::parse(id), object.product);
        let place = StepRequest { call: Some(request), target, id, product };
        let organisation = tpp.certificate.organisation.clone();
        let context = || self.step_context(tpp.application, organisation.clone(), Channel::ThirdParty);
        self.step(context, place, step).await?.answered()
    }

    /// A step, whoever's screen it is taken on. A context is made for each of its transactions.
    pub(super) async fn step(
        &self,
        context: impl Fn() -> StepContext,
        place: StepRequest,
        step: Step,
    ) -> Result<StepOutcome, UseCaseError> {
        match step {
            Step::Password(password) => self.password_step(context, place, password).await,
            Step::Method(method) => {
                let (context, method) = (context(), MethodId::parse(&method));
                self.store.write(move |tx| method_step(tx, &context, &place, method)).await
            }
            Step::Code(given) => {
                let context = context();
                self.store.write(move |tx| secret::code_step(tx, &context, &place, &given)).await
            }
        }
    }
}

/// Where a step begins: the object and its authorisation, locked, as they are now; or the end of the same call before.
pub(super) enum StepStart {
    Here(Box<(LoadedTarget, AuthorisationRecord)>),
    Before(StepOutcome),
}

pub(super) fn enter(
    tx: &mut Tx<'_>,
    context: &StepContext,
    place: &StepRequest,
) -> Result<StepStart, UseCaseError> {
    let before = match &place.call {
        Some(request) => request.find(tx)?,
        None => None,
    };
    if let Some(before) = before {
        return Ok(StepStart::Before(match before.outcome.as_str() {
            "wrong" => StepOutcome::Refused(wrong().as_replay()),
            "changed" => StepOutcome::Refused(changed().as_replay()),
            _ => StepOutcome::Before(replayed_view(tx, context, place.target.clone()?, &before.object)?),
        }));
    }
    let target = place.target.clone()?;
    let loaded = LoadedTarget::load(tx, context, target)?;
    loaded.check_product(place.product)?;
    let found = match place.id {
        Some(id) => tx.authorisation_lock(context.application, target, id)?,
        None => None,
    };
    let record = page::keep_seen(context, settle(tx, found.ok_or_else(unknown)?, context.now)?)?;
    Ok(StepStart::Here(Box::new((loaded, record))))
}

fn method_step(
    tx: &mut Tx<'_>,
    context: &StepContext,
    place: &StepRequest,
    method: Option<MethodId>,
) -> Result<StepOutcome, UseCaseError> {
    let (loaded, record) = match enter(tx, context, place)? {
        StepStart::Here(here) => *here,
        StepStart::Before(ended) => return Ok(ended),
    };
    let offered = methods(tx, &context.keyring, &record.authorisation.psu_name)?;
    // Whether it is the time for a method comes before which one it is.
    let first = offered.first().map(|method| SelectedMethod { id: method.id, kind: method.kind });
    let any = first.ok_or_else(no_method)?;
    record.authorisation.clone().select(context.approach(), any, context.now)?;
    let found = offered.into_iter().find(|offered| Some(offered.id) == method).ok_or_else(no_method)?;
    let chosen = SelectedMethod { id: found.id, kind: found.kind };
    AttemptLimiter::new(context, &record).send(
        tx,
        record.challenge.as_ref(),
        record.authorisation.ends_at,
    )??;
    let record = challenge(tx, context, &loaded, record, chosen)?.ok_or_else(no_method)?;
    done(tx, context, place, &record)
}

/// Selects a method and puts its challenge on its way. `None` when the method cannot be used.
pub(super) fn challenge(
    tx: &mut Tx<'_>,
    context: &StepContext,
    loaded: &LoadedTarget,
    record: AuthorisationRecord,
    chosen: SelectedMethod,
) -> Result<Option<AuthorisationRecord>, UseCaseError> {
    let Some(made) = code::make(tx, context, &record, chosen)? else { return Ok(None) };
    let (authorisation, event) =
        record.authorisation.clone().select(context.approach(), chosen, context.now)?;
    message::send(tx, context, &record, chosen, &made, &loaded.words(context))?;
    let event = event.with("sends", made.challenge.sends);
    let record = AuthorisationRecord { challenge: Some(made.challenge), ..record };
    Ok(Some(keep(tx, context, record, (authorisation, event))?))
}

/// Writes a changed authorisation and what is noted about it.
pub(super) fn keep(
    tx: &mut Tx<'_>,
    context: &StepContext,
    record: AuthorisationRecord,
    (authorisation, event): (Authorisation, AuditEvent),
) -> Result<AuthorisationRecord, StoreError> {
    let record = AuthorisationRecord { authorisation, ..record };
    tx.authorisation_update(&record)?;
    audit::record(tx, context.now, context.actor(), &event)?;
    Ok(record)
}

/// The end of a step that went well.
pub(super) fn done(
    tx: &mut Tx<'_>,
    context: &StepContext,
    place: &StepRequest,
    record: &AuthorisationRecord,
) -> Result<StepOutcome, UseCaseError> {
    let answer = Answer::of(record, context.now);
    if let Some(request) = &place.call {
        request.record(tx, "done", &answer.encode(), context.now)?;
    }
    Ok(StepOutcome::Done(answer.view(tx, &context.keyring, record)?))
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
