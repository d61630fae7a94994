//! The parts that every step shares: loading the authorisation, saving a transition, finishing with a recorded result.

use super::context::{Channel, StepContext};
use super::not_found;
use super::step_result::{AuthorisationView, StepResult, replayed_view};
use super::target::LoadedTarget;
use crate::authorisation_expiry::expire_if_due;
use crate::credential::invalid_credentials;
use crate::idempotency::{IdempotentOutcome, IdempotentRequest};
use crate::payment::PathPayment;
use crate::{StoreError, UseCaseError, audit};
use subtle::ConstantTimeEq;
use trapeza_domain::audit_event::AuditEvent;
use trapeza_domain::authorisation::{Authorisation, Target};
use trapeza_domain::id::AuthorisationId;
use trapeza_domain::refusal::{Refusal, RefusalReason};
use trapeza_domain::secret::Secret;
use trapeza_domain::time::TimeDelta;
use trapeza_store::{AuthorisationRecord, RedirectSession, Tx};

/// How long a redirect session may be idle.
const REDIRECT_IDLE: TimeDelta = TimeDelta::minutes(5);

/// What the customer has entered.
#[derive(Clone, Debug)]
pub enum Step {
    Password(Secret<String>),
    /// The password with the customer's name, which was not known at the start.
    SignIn {
        psu_name: String,
        password: Secret<String>,
    },
    /// A method id as it was sent. The id of the selected method requests a new OTP.
    Method(String),
    Code(Secret<String>),
}

/// The outcome of a step whose effects are committed.
#[derive(Clone, Debug)]
pub(super) enum StepOutcome {
    Done(AuthorisationView),
    Replayed(AuthorisationView),
    /// Refused with an effect that stays, such as a counted attempt.
    Refused(Refusal),
}

impl StepOutcome {
    pub(super) fn into_response(self) -> Result<IdempotentOutcome<AuthorisationView>, UseCaseError> {
        match self {
            Self::Done(view) => Ok(IdempotentOutcome::fresh(view)),
            Self::Replayed(view) => Ok(IdempotentOutcome::replayed(view)),
            Self::Refused(refusal) => Err(refusal.into()),
        }
    }
}

/// Which authorisation a step is for, as the caller names it.
#[derive(Clone)]
pub(super) struct StepRequest {
    /// Steps of third parties are idempotent; steps on the bank's own pages have no idempotency key.
    pub idempotency: Option<IdempotentRequest>,
    pub target: Result<Target, Refusal>,
    pub id: Option<AuthorisationId>,
    pub payment: Option<PathPayment>,
}

/// The start of a step: the target and its authorisation, locked, as of now; or the recorded outcome of the same request.
pub(super) enum StepStart {
    Loaded(Box<(LoadedTarget, AuthorisationRecord)>),
    Recorded(StepOutcome),
}

pub(super) fn load_step(
    tx: &mut Tx<'_>,
    context: &StepContext,
    request: &StepRequest,
) -> Result<StepStart, UseCaseError> {
    let recorded = match &request.idempotency {
        Some(idempotency) => idempotency.find(tx)?,
        None => None,
    };
    if let Some(recorded) = recorded {
        return Ok(StepStart::Recorded(match recorded.outcome.as_str() {
            "wrong" => StepOutcome::Refused(invalid_credentials().as_replay()),
            "changed" => StepOutcome::Refused(target_changed().as_replay()),
            _ => {
                let target = request.target.clone()?;
                StepOutcome::Replayed(replayed_view(tx, context, target, &recorded.result)?)
            }
        }));
    }
    let (loaded, record) = load(tx, context, request, not_found)?;
    loaded.check_path(request.payment)?;
    Ok(StepStart::Loaded(Box::new((loaded, check_redirect_session(context, record)?))))
}

/// Loads and locks the target and its authorisation, as of now.
pub(super) fn load(
    tx: &mut Tx<'_>,
    context: &StepContext,
    request: &StepRequest,
    not_found: fn() -> Refusal,
) -> Result<(LoadedTarget, AuthorisationRecord), UseCaseError> {
    let target = request.target.clone()?;
    let loaded = LoadedTarget::load(tx, context, target)?;
    let found = match request.id {
        Some(id) => tx.authorisation_lock(context.application, target, id)?,
        None => None,
    };
    let record = expire_if_due(tx, found.ok_or_else(not_found)?, context.now())?;
    Ok((loaded, record))
}

/// In the redirect approach, requires the browser that opened the link, and that it was active lately. Other channels
/// have no redirect session.
pub(super) fn check_redirect_session(
    context: &StepContext,
    record: AuthorisationRecord,
) -> Result<AuthorisationRecord, Refusal> {
    let Channel::Redirect { session } = context.channel else { return Ok(record) };
    let Some(page) = record.redirect_session else { return Err(redirect_not_found()) };
    let same_browser: bool = page.token_hash.ct_eq(&session).into();
    // A final authorisation stays readable, so that the customer finds the way back to the third party.
    let active =
        context.now() < page.last_seen_at.plus(REDIRECT_IDLE) || record.authorisation.state.is_final();
    if !same_browser || !active {
        return Err(redirect_not_found());
    }
    Ok(AuthorisationRecord {
        redirect_session: Some(RedirectSession { last_seen_at: context.now(), ..page }),
        ..record
    })
}

/// Saves a transition with its audit event.
pub(super) fn save_transition(
    tx: &mut Tx<'_>,
    context: &StepContext,
    record: AuthorisationRecord,
    (authorisation, event): (Authorisation, AuditEvent),
) -> Result<AuthorisationRecord, StoreError> {
    let record = AuthorisationRecord { authorisation, ..record };
    tx.authorisation_update(&record)?;
    audit::record(tx, context.now(), context.actor(), &event)?;
    Ok(record)
}

/// Finishes a successful step and records its result for a replay.
pub(super) fn finish_step(
    tx: &mut Tx<'_>,
    context: &StepContext,
    request: &StepRequest,
    record: &AuthorisationRecord,
) -> Result<StepOutcome, UseCaseError> {
    let result = StepResult::new(record, context.now());
    if let Some(idempotency) = &request.idempotency {
        idempotency.record(tx, "done", &result.encode(), context.now())?;
    }
    Ok(StepOutcome::Done(result.view(tx, context.keyring(), record)?))
}

/// Records a refusal for a replay of the same request.
pub(super) fn record_refusal(
    tx: &mut Tx<'_>,
    context: &StepContext,
    request: &StepRequest,
    outcome: &str,
    id: AuthorisationId,
) -> Result<(), StoreError> {
    match &request.idempotency {
        Some(idempotency) => idempotency.record(tx, outcome, id.as_bytes(), context.now()),
        None => Ok(()),
    }
}

/// The target is no longer what the customer was shown.
pub(super) fn target_changed() -> Refusal {
    let text = "the target of the authorisation has changed; start a new authorisation";
    Refusal::new(RefusalReason::StatusInvalid, text)
}

/// The same refusal for a link that is unknown, expired, or open in another browser.
pub(super) fn redirect_not_found() -> Refusal {
    Refusal::new(RefusalReason::ResourceUnknown, "this link is not valid, or no longer valid")
}

/// A step that must wait for the choice, or a choice where there is none.
pub(super) fn no_choice() -> Refusal {
    let text =
        "the customer chooses the accounts on the bank's page, after the password and before the method";
    Refusal::new(RefusalReason::StepOutOfOrder, text)
}
