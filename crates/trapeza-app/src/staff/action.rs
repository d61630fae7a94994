//! Actions of staff: the one function that runs them, at once or after a second person has approved.

use super::command::StaffCommand;
use super::context::{ActionContext, ActionOutcome, ActionParameters};
use super::required;
use crate::login::new_token;
use crate::{App, UseCaseError, audit};
use trapeza_domain::audit_event::Actor;
use trapeza_domain::field::Field;
use trapeza_domain::id::{StaffId, StaffRequestId};
use trapeza_domain::refusal::{Refusal, RefusalReason};
use trapeza_domain::staff::{REQUEST_TTL, RequestStatus, StaffAction, StaffRequest};
use trapeza_domain::text::is_control_or_bidi;
use trapeza_store::{StaffActionReplay, Tx};
use uuid::Uuid;

/// Maximum number of characters of a reason.
pub(super) const MAX_REASON_CHARS: usize = 500;

/// An action was executed, or waits for a second person.
#[derive(Clone, Debug)]
pub enum ActionResult {
    Done(ActionOutcome),
    Requested(StaffRequest),
}

/// What is to be run or requested.
#[derive(Clone)]
struct PreparedAction {
    action: StaffAction,
    command: Result<StaffCommand, Refusal>,
    parameters: String,
    reason: String,
    /// The id of the request, if a second person is needed.
    request: StaffRequestId,
}

impl App {
    /// Runs an action for a member of the staff, or requests it when it needs a second person. An operator of the machine has no
    /// role and needs no second person, as for every command.
    pub async fn staff_action_run(
        &self,
        actor: Actor,
        action: StaffAction,
        parameters: &ActionParameters,
        reason: &str,
    ) -> Result<ActionResult, UseCaseError> {
        let (prepared, context) =
            (self.prepare_action(action, parameters, reason), self.action_context(actor));
        self.store.write(move |tx| prepared.run(tx, &context)).await
    }

    /// Runs or requests an action like [`Self::staff_action_run`], but only once for a key that the caller has created: a form or a
    /// call that is sent again has no further effect and returns the result of the first one. Only the link of a new login is not
    /// returned again.
    pub async fn staff_action_run_once(
        &self,
        key: Uuid,
        staff: StaffId,
        action: StaffAction,
        parameters: &ActionParameters,
        reason: &str,
    ) -> Result<ActionResult, UseCaseError> {
        let prepared = self.prepare_action(action, parameters, reason);
        let context = self.action_context(Actor::Staff(staff));
        self.store
            .write(move |tx| {
                let run = StaffActionReplay {
                    key,
                    staff,
                    action,
                    parameters: prepared.parameters.clone(),
                    reason: prepared.reason.clone(),
                    run_at: context.now,
                    outcome: None,
                    request: None,
                };
                if !tx.staff_action_run_insert(&run)? {
                    return prepared.replayed(tx, &run);
                }
                let result = prepared.run(tx, &context)?;
                let (outcome, request) = match &result {
                    ActionResult::Done(outcome) => (Some(outcome.text.as_str()), None),
                    ActionResult::Requested(request) => (None, Some(request.id)),
                };
                tx.staff_action_run_finish(key, outcome, request)?;
                Ok(result)
            })
            .await
    }

    /// A key for a form, for [`Self::staff_action_run_once`].
    pub fn staff_action_key(&self) -> Uuid {
        self.entropy.uuid()
    }

    fn prepare_action(
        &self,
        action: StaffAction,
        parameters: &ActionParameters,
        reason: &str,
    ) -> PreparedAction {
        PreparedAction {
            action,
            command: StaffCommand::parse(action, parameters),
            parameters: parameters.to_json(),
            reason: reason.trim().to_owned(),
            request: StaffRequestId::new(self.entropy.uuid()),
        }
    }

    pub(super) fn action_context(&self, actor: Actor) -> ActionContext {
        let now = self.now();
        ActionContext {
            actor,
            now,
            today: self.clock.zone().day(now),
            system_now: self.clock.system_now(),
            keyring: self.keyring.clone(),
            bank_name: self.bank_name().clone(),
            routing: self.settings.payments.routing.clone(),
            collection: self.settings.payments.collection,
            payment: self.payment_id(),
            staff: StaffId::new(self.entropy.uuid()),
            token: new_token(),
            credential: self.credential_context(),
        }
    }
}

impl PreparedAction {
    fn run(&self, tx: &mut Tx<'_>, context: &ActionContext) -> Result<ActionResult, UseCaseError> {
        let staff = match context.actor {
            Actor::Operator(_) => return Ok(ActionResult::Done(self.command.clone()?.run(tx, context)?)),
            Actor::Staff(id) => required(tx, id)?,
            _ => {
                let text = "only staff and operators run actions";
                return Err(Refusal::new(RefusalReason::RoleMissing, text).into());
            }
        };
        staff.require(self.action)?;
        // Who may not do it does not learn whether the parameters are right.
        let command = self.command.clone()?;
        if !command.needs_second_person(tx, context, staff.id)? {
            return Ok(ActionResult::Done(command.run(tx, context)?));
        }
        check_reason(&self.reason)?;
        let state = command.approved_state(tx, context)?;
        let request = StaffRequest {
            id: self.request,
            action: self.action,
            parameters: self.parameters.clone(),
            reason: self.reason.clone(),
            requested_by: staff.id,
            requested_at: context.now,
            expires_at: context.now.plus(REQUEST_TTL),
            status: RequestStatus::Pending,
            decided_by: None,
            decided_at: None,
            outcome: None,
            fingerprint: context.fingerprint(&state),
        };
        if tx.staff_request_is_pending(&request, context.now)? {
            let text = "the same action is requested already and waits for a decision";
            return Err(Refusal::new(RefusalReason::StatusInvalid, text).into());
        }
        tx.staff_request_insert(&request)?;
        audit::record(tx, context.now, context.actor, &request.event("staff_request.created"))?;
        Ok(ActionResult::Requested(request))
    }

    /// The result of the first call with the same key.
    fn replayed(&self, tx: &mut Tx<'_>, run: &StaffActionReplay) -> Result<ActionResult, UseCaseError> {
        let other =
            || Refusal::new(RefusalReason::Malformed, "the key was used for another action; use a new one");
        let first = tx.staff_action_run_find(run.key)?;
        let first = first.filter(|first| {
            (first.staff, first.action, &first.parameters, &first.reason)
                == (run.staff, run.action, &run.parameters, &run.reason)
        });
        let first = first.ok_or_else(other)?;
        let request = match first.request {
            Some(id) => tx.staff_request_find(id)?,
            None => None,
        };
        Ok(match request {
            Some(request) => ActionResult::Requested(request.as_of(run.run_at)),
            None => ActionResult::Done(ActionOutcome::of(first.outcome.unwrap_or_default())),
        })
    }
}

pub(super) fn check_reason(reason: &str) -> Result<(), Refusal> {
    if (1..=MAX_REASON_CHARS).contains(&reason.chars().count()) && !reason.chars().any(is_control_or_bidi) {
        return Ok(());
    }
    let text = format!("must be 1–{MAX_REASON_CHARS} characters without control characters");
    Err(Refusal::malformed(Field::Reason, text))
}
