//! Actions of staff: what they are given, what they return, and the one function that runs them.

use super::command::StaffCommand;
use super::required;
use crate::keyring::KeyPurpose;
use crate::loan::RefundPayoutContext;
use crate::login::new_token;
use crate::{App, Keyring, UseCaseError, audit};
use std::collections::BTreeMap;
use std::sync::Arc;
use trapeza_domain::audit_event::Actor;
use trapeza_domain::clearing::RoutingTable;
use trapeza_domain::field::Field;
use trapeza_domain::id::{PaymentId, StaffId, StaffRequestId};
use trapeza_domain::reference::Iban;
use trapeza_domain::refusal::{Refusal, RefusalReason};
use trapeza_domain::secret::Secret;
use trapeza_domain::staff::{REQUEST_TTL, RequestStatus, StaffAction, StaffRequest};
use trapeza_domain::text::is_control_or_bidi;
use trapeza_domain::time::{Date, Timestamp};
use trapeza_store::StoreError;

/// The most characters of a reason.
pub(super) const REASON_CHARACTERS: usize = 500;

/// The parameters of an action by name, as a form, a command or a JSON body sends them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ActionParameters(BTreeMap<String, String>);

/// What an action did.
#[derive(Clone, Debug)]
pub struct ActionOutcome {
    pub text: String,
    /// The token of an enrolment link, which is shown once to the person who ran or approved the action and not stored.
    pub enrolment: Option<Secret<String>>,
}

/// An action was executed, or waits for a second person.
#[derive(Clone, Debug)]
pub enum ActionResult {
    Done(ActionOutcome),
    Requested(StaffRequest),
}

/// What actions need and must be created before their transaction.
#[derive(Clone)]
pub(super) struct ActionContext {
    pub actor: Actor,
    pub now: Timestamp,
    pub today: Date,
    pub system_now: Timestamp,
    pub keyring: Arc<Keyring>,
    pub bank_name: Arc<str>,
    pub routing: Arc<RoutingTable>,
    pub collection: Option<Iban>,
    /// Ids and a token for what an action creates.
    pub payment: PaymentId,
    pub staff: StaffId,
    pub token: Secret<String>,
}

impl ActionParameters {
    pub fn new<N: Into<String>, V: Into<String>>(values: impl IntoIterator<Item = (N, V)>) -> Self {
        Self(values.into_iter().map(|(name, value)| (name.into(), value.into())).collect())
    }

    /// A value without surrounding space; empty ones are absent.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.0.get(name).map(|value| value.trim()).filter(|value| !value.is_empty())
    }

    /// The names, in alphabetical order.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.0.keys().map(String::as_str)
    }

    fn to_json(&self) -> String {
        serde_json::to_string(&self.0).expect("texts can be written as JSON")
    }

    /// The parameters of a stored request.
    pub fn from_json(text: &str) -> Result<Self, StoreError> {
        serde_json::from_str(text).map(Self).map_err(StoreError::internal)
    }
}

impl ActionOutcome {
    pub(super) fn of(text: String) -> Self {
        Self { text, enrolment: None }
    }
}

impl ActionContext {
    pub(super) fn refund_payout(&self) -> RefundPayoutContext {
        RefundPayoutContext {
            actor: self.actor,
            payment: self.payment,
            routing: self.routing.clone(),
            collection: self.collection,
            bank_name: self.bank_name.clone(),
            now: self.now,
            today: self.today,
        }
    }

    /// A keyed hash of an object's state, with which a change between request and approval is noticed.
    pub(super) fn fingerprint(&self, state: &str) -> [u8; 32] {
        self.keyring.hash(KeyPurpose::Fingerprint, &[b"staff request", state.as_bytes()])
    }
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
