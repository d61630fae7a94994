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

/// The most characters of a reason.
pub(super) const REASON_CHARACTERS: usize = 500;

/// An action was executed, or waits for a second person.
#[derive(Clone, Debug)]
pub enum ActionResult {
    Done(ActionOutcome),
    Requested(StaffRequest),
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
        let command = StaffCommand::parse(action, parameters);
        let (context, id) = (self.action_context(actor), StaffRequestId::new(self.entropy.uuid()));
        let (parameters, reason) = (parameters.to_json(), reason.trim().to_owned());
        self.store
            .write(move |tx| {
                let person = match actor {
                    Actor::Operator(_) => return Ok(ActionResult::Done(command.clone()?.run(tx, &context)?)),
                    Actor::Staff(id) => required(tx, id)?,
                    _ => {
                        let text = "only staff and operators run actions";
                        return Err(Refusal::new(RefusalReason::RoleMissing, text).into());
                    }
                };
                person.require(action)?;
                // Who may not do it does not learn whether the parameters are right.
                let command = command.clone()?;
                if !command.needs_second_person(tx, &context, person.id)? {
                    return Ok(ActionResult::Done(command.run(tx, &context)?));
                }
                check_reason(&reason)?;
                let state = command.state(tx, &context)?;
                let request = StaffRequest {
                    id,
                    action,
                    parameters: parameters.clone(),
                    reason: reason.clone(),
                    requested_by: person.id,
                    requested_at: context.now,
                    expires_at: context.now.plus(REQUEST_TTL),
                    status: RequestStatus::Pending,
                    decided_by: None,
                    decided_at: None,
                    outcome: None,
                    fingerprint: context.fingerprint(&state),
                };
                tx.staff_request_insert(&request)?;
                audit::record(tx, context.now, actor, &request.event("staff_request.created"))?;
                Ok(ActionResult::Requested(request))
            })
            .await
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
        }
    }
}

pub(super) fn check_reason(reason: &str) -> Result<(), Refusal> {
    if (1..=REASON_CHARACTERS).contains(&reason.chars().count()) && !reason.chars().any(is_control_or_bidi) {
        return Ok(());
    }
    let text = format!("must be 1–{REASON_CHARACTERS} characters without control characters");
    Err(Refusal::malformed(Field::Reason, text))
}
