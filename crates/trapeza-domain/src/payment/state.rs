//! The state machine of a payment. A payment is always evaluated as of now, so that a late sweep cannot extend it.

use super::{PaymentInstruction, PaymentRejection, RejectionReason};
use crate::audit_event::AuditEvent;
use crate::authorisation::AUTHORISATION_TTL;
use crate::clearing::ReasonCode;
use crate::field::Field;
use crate::id::{ApplicationId, PaymentId, SigningBasketId};
use crate::ledger::LedgerAccountId;
use crate::payee_verification::VerifiedPayee;
use crate::reference::Bic;
use crate::refusal::{Refusal, RefusalReason};
use crate::status_change::{NewStatus, NotifiedObject, StatusChange};
use crate::time::{TimeDelta, Timestamp};

/// Payments are submitted to clearing in batches at this interval.
const CLEARING_INTERVAL: TimeDelta = TimeDelta::seconds(5);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PaymentState {
    Received,
    /// The customer has authorised it.
    Authorised,
    /// It waits for the day of its execution. No money is held.
    Scheduled {
        /// When it is executed, or tried again.
        execute_at: Timestamp,
        /// As in [`Self::Accepted`]: until then it is not executed.
        cancellation_hold_until: Option<Timestamp>,
    },
    /// The amount is held, and it waits for submission to clearing.
    Accepted {
        /// When it is submitted.
        submit_at: Timestamp,
        /// A cancellation was requested; until then it is not submitted. A time in the past means that the request was
        /// declined or has lapsed.
        cancellation_hold_until: Option<Timestamp>,
    },
    Submitted,
    Settled,
    Credited,
    /// Some lines of a bulk were rejected.
    PartlyAccepted {
        /// Whether others are in clearing.
        has_open_lines: bool,
    },
    Rejected {
        /// Whether it was accepted before.
        accepted: bool,
        reason: RejectionReason,
        /// The reason code from clearing.
        code: Option<ReasonCode>,
    },
    Cancelled,
}

impl PaymentState {
    pub const fn is_final(self) -> bool {
        matches!(
            self,
            Self::Settled
                | Self::Credited
                | Self::PartlyAccepted { has_open_lines: false }
                | Self::Rejected { .. }
                | Self::Cancelled
        )
    }

    /// Until when a requested cancellation suspends it, if one was requested.
    pub const fn cancellation_hold_until(self) -> Option<Timestamp> {
        match self {
            Self::Accepted { cancellation_hold_until, .. }
            | Self::Scheduled { cancellation_hold_until, .. } => cancellation_hold_until,
            _ => None,
        }
    }

    const fn with_cancellation_hold(self, until: Timestamp) -> Self {
        let cancellation_hold_until = Some(until);
        match self {
            Self::Accepted { submit_at, .. } => Self::Accepted { submit_at, cancellation_hold_until },
            Self::Scheduled { execute_at, .. } => Self::Scheduled { execute_at, cancellation_hold_until },
            state => state,
        }
    }

    /// Why it was rejected, if it was.
    pub const fn rejection(self) -> Option<PaymentRejection> {
        match self {
            Self::Rejected { reason, code, .. } => Some(PaymentRejection { reason, clearing_code: code }),
            _ => None,
        }
    }
}

/// The identity and creation time of a new payment.
#[derive(Clone, Debug)]
pub struct NewPayment {
    pub id: PaymentId,
    pub application: ApplicationId,
    /// The PSU_ID as the third party sent it; it may be unknown.
    pub psu: String,
    pub now: Timestamp,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Payment {
    pub id: PaymentId,
    pub application: ApplicationId,
    pub psu: String,
    pub instruction: PaymentInstruction,
    pub state: PaymentState,
    pub created_at: Timestamp,
    pub last_action: Timestamp,
    /// The result of the payee verification, once it was made.
    pub payee_verification: Option<VerifiedPayee>,
    /// The payee's bank of an accepted SEPA credit transfer, from the order or the routing table.
    pub routed_agent: Option<Bic>,
    /// The standing order that this payment executes.
    pub standing_order: Option<PaymentId>,
    /// The bulk payment of which this payment is a line.
    pub bulk: Option<PaymentId>,
    /// Of a standing order, how many executions were created; of an execution or a line, its number from 1; otherwise 0.
    pub execution_number: u32,
    /// The ledger account of a line that was debited in one entry with the others of its bulk.
    pub batch_account: Option<LedgerAccountId>,
    /// Whether the third party is notified of changes of status.
    pub notifies: bool,
    /// The open signing basket that it is in.
    pub signing_basket: Option<SigningBasketId>,
}

/// The changed payment and its audit event.
pub type Transition = (Payment, AuditEvent);

impl Payment {
    pub fn initiate(new: NewPayment, instruction: PaymentInstruction) -> Transition {
        let NewPayment { id, application, psu, now } = new;
        let state = PaymentState::Received;
        let payment = Self {
            id,
            application,
            psu,
            instruction,
            state,
            created_at: now,
            last_action: now,
            payee_verification: None,
            routed_agent: None,
            standing_order: None,
            bulk: None,
            execution_number: 0,
            batch_account: None,
            notifies: false,
            signing_basket: None,
        };
        let event = payment.event("payment.initiated");
        (payment, event)
    }

    /// The customer has authorised it with SCA.
    pub fn authorise(self, now: Timestamp) -> Result<Transition, Refusal> {
        match self.as_of(now).state {
            PaymentState::Received => Ok(self.moved(PaymentState::Authorised, now, "payment.authorised")),
            state => Err(out_of_state(state)),
        }
    }

    /// It is executed later, and no money is held until then.
    pub fn schedule(self, execute_at: Timestamp, now: Timestamp) -> Result<Transition, Refusal> {
        match self.state {
            PaymentState::Authorised => {
                let scheduled = PaymentState::Scheduled { execute_at, cancellation_hold_until: None };
                Ok(self.moved(scheduled, now, "payment.scheduled"))
            }
            state => Err(out_of_state(state)),
        }
    }

    /// A due payment could not be executed and is tried again.
    pub fn postpone(self, execute_at: Timestamp, now: Timestamp) -> Result<Transition, Refusal> {
        match self.state {
            state @ PaymentState::Scheduled { .. } if is_executable(state, now) => {
                let postponed = PaymentState::Scheduled { execute_at, cancellation_hold_until: None };
                Ok(self.moved(postponed, now, "payment.postponed"))
            }
            state => Err(out_of_state(state)),
        }
    }

    /// The amount is held. It is submitted with the next batch, or after an additional delay.
    pub fn accept(self, delay: TimeDelta, now: Timestamp) -> Result<Transition, Refusal> {
        match self.state {
            state if is_executable(state, now) => {
                let next = Timestamp((now.0 / CLEARING_INTERVAL.0 + 1) * CLEARING_INTERVAL.0);
                let submit_at = next.plus(delay);
                let accepted = PaymentState::Accepted { submit_at, cancellation_hold_until: None };
                Ok(self.moved(accepted, now, "payment.accepted"))
            }
            state => Err(out_of_state(state)),
        }
    }

    /// The amount of an instant payment is held, and it is sent to clearing at once. It cannot be cancelled.
    pub fn submit_instant(self, now: Timestamp) -> Result<Transition, Refusal> {
        match self.state {
            state if is_executable(state, now) => {
                Ok(self.moved(PaymentState::Submitted, now, "payment.submitted"))
            }
            state => Err(out_of_state(state)),
        }
    }

    /// It was sent to clearing.
    pub fn submit(self, now: Timestamp) -> Result<Transition, Refusal> {
        match self.state {
            PaymentState::Accepted { submit_at, cancellation_hold_until }
                if submit_at <= now && cancellation_hold_until.is_none_or(|until| until <= now) =>
            {
                Ok(self.moved(PaymentState::Submitted, now, "payment.submitted"))
            }
            state => Err(out_of_state(state)),
        }
    }

    /// Clearing has settled it.
    pub fn settle(self, now: Timestamp) -> Result<Transition, Refusal> {
        match self.state {
            PaymentState::Submitted => Ok(self.moved(PaymentState::Settled, now, "payment.settled")),
            state => Err(out_of_state(state)),
        }
    }

    /// Payer and payee are both customers here, and the money was moved in one transaction.
    pub fn execute(self, now: Timestamp) -> Result<Transition, Refusal> {
        match self.state {
            state if is_executable(state, now) => {
                Ok(self.moved(PaymentState::Credited, now, "payment.executed"))
            }
            state => Err(out_of_state(state)),
        }
    }

    pub fn reject(self, reason: RejectionReason, now: Timestamp) -> Result<Transition, Refusal> {
        let accepted = match self.as_of(now).state {
            PaymentState::Received => false,
            PaymentState::Authorised
            | PaymentState::Scheduled { .. }
            | PaymentState::Accepted { .. }
            | PaymentState::Submitted => true,
            state => return Err(out_of_state(state)),
        };
        let state = PaymentState::Rejected { accepted, reason, code: None };
        let (payment, event) = self.moved(state, now, "payment.rejected");
        Ok((payment, event.with("reason", reason.name())))
    }

    /// Clearing rejected it with a reason code.
    pub fn reject_by_clearing(self, code: ReasonCode, now: Timestamp) -> Result<Transition, Refusal> {
        match self.state {
            PaymentState::Submitted => {
                let reason = RejectionReason::Clearing;
                let state = PaymentState::Rejected { accepted: true, reason, code: Some(code) };
                let (payment, event) = self.moved(state, now, "payment.rejected");
                Ok((payment, event.with("reason", reason.name()).with("code", code)))
            }
            state => Err(out_of_state(state)),
        }
    }

    /// The third party requests the cancellation. A payment that is not authorised is cancelled at once; otherwise the customer
    /// must agree, and submission is suspended until then. A second request does not extend the suspension, or a payment
    /// could be withheld from its payee for ever.
    pub fn request_cancellation(self, now: Timestamp) -> Result<Transition, Refusal> {
        match self.as_of(now).state {
            // The customer approved all lines together.
            state if self.bulk.is_some() => Err(too_late(state)),
            PaymentState::Received => Ok(self.moved(PaymentState::Cancelled, now, "payment.cancelled")),
            state @ (PaymentState::Accepted { submit_at: due, cancellation_hold_until }
            | PaymentState::Scheduled { execute_at: due, cancellation_hold_until }) => {
                let until = match cancellation_hold_until {
                    Some(until) if now < until => until,
                    Some(_) if due <= now => return Err(too_late(self.state)),
                    _ => now.plus(AUTHORISATION_TTL),
                };
                let frozen = state.with_cancellation_hold(until);
                Ok(self.moved(frozen, now, "payment.cancellation_requested"))
            }
            state => Err(too_late(state)),
        }
    }

    /// The customer has authorised the cancellation.
    pub fn cancel(self, now: Timestamp) -> Result<Transition, Refusal> {
        match self.state {
            PaymentState::Accepted { cancellation_hold_until: Some(until), .. }
            | PaymentState::Scheduled { cancellation_hold_until: Some(until), .. }
                if now < until =>
            {
                Ok(self.moved(PaymentState::Cancelled, now, "payment.cancelled"))
            }
            state => Err(too_late(state)),
        }
    }

    /// The customer has declined the cancellation.
    pub fn decline_cancellation(self, now: Timestamp) -> Result<Transition, Refusal> {
        match self.state {
            state @ (PaymentState::Accepted { cancellation_hold_until: Some(until), .. }
            | PaymentState::Scheduled { cancellation_hold_until: Some(until), .. })
                if now < until =>
            {
                let resumed = state.with_cancellation_hold(now);
                Ok(self.moved(resumed, now, "payment.cancellation_declined"))
            }
            state => Err(too_late(state)),
        }
    }

    /// The payment as it was created: the answer to a replayed initiation.
    pub fn as_created(&self) -> Self {
        let state = PaymentState::Received;
        Self {
            state,
            last_action: self.created_at,
            payee_verification: None,
            routed_agent: None,
            execution_number: 0,
            ..self.clone()
        }
    }

    pub(super) fn moved(mut self, state: PaymentState, at: Timestamp, action: &'static str) -> Transition {
        let event = self.event(action).with("from", self.state.status().name());
        let event = event.notifying(self.status_change(state));
        self.state = state;
        self.last_action = at;
        (self, event)
    }

    /// The change of which the third party is notified, where the next state has another status.
    fn status_change(&self, next: PaymentState) -> Option<StatusChange> {
        let (status, is_final) = (next.status(), next.is_final());
        (self.notifies && status != self.state.status()).then(|| StatusChange {
            application: self.application,
            object: NotifiedObject::Payment(self.id),
            status: NewStatus::Object { status: status.name(), is_final },
        })
    }

    /// It names neither the customer nor the accounts or the amount, because more people may read the audit log.
    pub(super) fn event(&self, action: &'static str) -> AuditEvent {
        AuditEvent::new(action, "payment", self.id).with("product", self.instruction.product.name())
    }
}

/// Whether money may move now: it was just authorised, or its time has come and no cancellation is pending.
pub(super) fn is_executable(state: PaymentState, now: Timestamp) -> bool {
    match state {
        PaymentState::Authorised => true,
        PaymentState::Scheduled { execute_at, cancellation_hold_until } => {
            execute_at <= now && cancellation_hold_until.is_none_or(|until| until <= now)
        }
        _ => false,
    }
}

pub(super) fn out_of_state(state: PaymentState) -> Refusal {
    let text = format!("the payment is {}; this is not possible in this state", state.status().name());
    Refusal::at(RefusalReason::StatusInvalid, Field::PaymentId, text)
}

fn too_late(state: PaymentState) -> Refusal {
    let text = format!("the payment is {}; it cannot be cancelled", state.status().name());
    Refusal::at(RefusalReason::CancellationInvalid, Field::PaymentId, text)
}

#[cfg(test)]
mod tests;
