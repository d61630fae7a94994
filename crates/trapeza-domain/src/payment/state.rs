//! The life of a payment: its states, what may be done in each, and what time alone does. As with consents, whoever
//! looks at one looks at it as of now.

use super::PaymentInstruction;
use crate::audit_event::AuditEvent;
use crate::authorisation::AUTHORISATION_TTL;
use crate::clearing::ReasonCode;
use crate::id::{ApplicationId, PaymentId};
use crate::payee_verification::PayeeVerification;
use crate::refusal::{Refusal, RefusalReason};
use crate::string_enum::string_enum;
use crate::time::{TimeDelta, Timestamp};

/// How long a payment waits to be authorised.
const PENDING_TTL: TimeDelta = TimeDelta::hours(24);
/// Payments are handed to clearing together, every so often.
const CLEARING_INTERVAL: TimeDelta = TimeDelta::seconds(5);

string_enum! {
    /// Why a payment was rejected.
    pub enum RejectionReason {
        Overdue = "overdue",
        /// The customer said no.
        Refused = "refused",
        Funds = "funds",
        /// The payer's account is not the customer's.
        Owner = "owner",
        Currency = "currency",
        /// The payer's or the payee's account cannot be used.
        Blocked = "blocked",
        /// The bank has no such account.
        PayeeUnknown = "payeeUnknown",
        /// The books cannot hold it: payer and payee turned out the same.
        Unbookable = "unbookable",
        /// The other bank, or the clearing house, did not take it.
        Clearing = "clearing",
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PaymentState {
    Received,
    /// Authorised, and right in itself.
    Authorised,
    /// The money is set aside, and it waits to be handed to clearing.
    Accepted {
        /// When it is its turn.
        submit_at: Timestamp,
        /// Somebody wants it back, and until then it is not handed over. A moment that has passed says that somebody
        /// once did.
        cancellation_hold_until: Option<Timestamp>,
    },
    Submitted,
    Settled,
    Credited,
    Rejected {
        /// It had been accepted before.
        accepted: bool,
        reason: RejectionReason,
        /// What the clearing house gave as its reason.
        code: Option<ReasonCode>,
    },
    Cancelled,
}

impl PaymentState {
    pub const fn is_final(self) -> bool {
        matches!(self, Self::Settled | Self::Credited | Self::Rejected { .. } | Self::Cancelled)
    }
}

/// Whose payment it is to be, and when it is made.
#[derive(Clone, Debug)]
pub struct NewPayment {
    pub id: PaymentId,
    pub application: ApplicationId,
    /// The customer's name for themselves, as the third party sent it: it may be nobody's.
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
    /// How the payee's name fits their account, once that was asked.
    pub payee_verification: Option<PayeeVerification>,
}

/// A payment after a command, and what is written down about it.
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
        };
        let event = payment.event("payment.initiated");
        (payment, event)
    }

    /// The customer has agreed, with strong authentication.
    pub fn authorise(self, now: Timestamp) -> Result<Transition, Refusal> {
        match self.as_of(now).state {
            PaymentState::Received => Ok(self.moved(PaymentState::Authorised, now, "payment.authorised")),
            state => Err(out_of_state(state)),
        }
    }

    /// The money is set aside. It is handed over with the next lot, or that much later if it is kept back.
    pub fn accept(self, delay: TimeDelta, now: Timestamp) -> Result<Transition, Refusal> {
        match self.state {
            PaymentState::Authorised => {
                let next = Timestamp((now.0 / CLEARING_INTERVAL.0 + 1) * CLEARING_INTERVAL.0);
                let submit_at = next.plus(delay);
                let accepted = PaymentState::Accepted { submit_at, cancellation_hold_until: None };
                Ok(self.moved(accepted, now, "payment.accepted"))
            }
            state => Err(out_of_state(state)),
        }
    }

    /// It is on its way to another bank.
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

    /// The money has left this bank.
    pub fn settle(self, now: Timestamp) -> Result<Transition, Refusal> {
        match self.state {
            PaymentState::Submitted => Ok(self.moved(PaymentState::Settled, now, "payment.settled")),
            state => Err(out_of_state(state)),
        }
    }

    /// Payer and payee are both here, and the money has moved from one to the other in one go.
    pub fn execute(self, now: Timestamp) -> Result<Transition, Refusal> {
        match self.state {
            PaymentState::Authorised => Ok(self.moved(PaymentState::Credited, now, "payment.executed")),
            state => Err(out_of_state(state)),
        }
    }

    pub fn reject(self, reason: RejectionReason, now: Timestamp) -> Result<Transition, Refusal> {
        let accepted = match self.as_of(now).state {
            PaymentState::Received => false,
            PaymentState::Authorised | PaymentState::Accepted { .. } | PaymentState::Submitted => true,
            state => return Err(out_of_state(state)),
        };
        let state = PaymentState::Rejected { accepted, reason, code: None };
        let (payment, event) = self.moved(state, now, "payment.rejected");
        Ok((payment, event.with("reason", reason.name())))
    }

    /// Clearing did not take it, and said why.
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

    /// The third party wants it back. What the customer has not authorised is cancelled at once; what they have needs
    /// their word again, and is kept back until then. Asking again keeps it back no longer, or a payment that its
    /// customer wants could be kept from its payee for ever.
    pub fn request_cancellation(self, now: Timestamp) -> Result<Transition, Refusal> {
        match self.as_of(now).state {
            PaymentState::Received => Ok(self.moved(PaymentState::Cancelled, now, "payment.cancelled")),
            PaymentState::Accepted { submit_at, cancellation_hold_until } => {
                let until = match cancellation_hold_until {
                    Some(until) if now < until => until,
                    Some(_) if submit_at <= now => return Err(too_late(self.state)),
                    _ => now.plus(AUTHORISATION_TTL),
                };
                let frozen = PaymentState::Accepted { submit_at, cancellation_hold_until: Some(until) };
                Ok(self.moved(frozen, now, "payment.cancellation_requested"))
            }
            state => Err(too_late(state)),
        }
    }

    /// The customer has agreed to the cancellation.
    pub fn cancel(self, now: Timestamp) -> Result<Transition, Refusal> {
        match self.state {
            PaymentState::Accepted { cancellation_hold_until: Some(until), .. } if now < until => {
                Ok(self.moved(PaymentState::Cancelled, now, "payment.cancelled"))
            }
            state => Err(too_late(state)),
        }
    }

    /// The customer wants it paid after all.
    pub fn decline_cancellation(self, now: Timestamp) -> Result<Transition, Refusal> {
        match self.state {
            PaymentState::Accepted { submit_at, cancellation_hold_until: Some(until) } if now < until => {
                let thawed = PaymentState::Accepted { submit_at, cancellation_hold_until: Some(now) };
                Ok(self.moved(thawed, now, "payment.cancellation_declined"))
            }
            state => Err(too_late(state)),
        }
    }

    /// When time alone rejects it.
    pub fn next_deadline(&self) -> Option<Timestamp> {
        matches!(self.state, PaymentState::Received).then(|| self.created_at.plus(PENDING_TTL))
    }

    /// The payment as it is at `now`, whether or not a sweep has come by.
    pub fn as_of(&self, now: Timestamp) -> Self {
        match self.next_deadline() {
            Some(due) if due <= now => {
                let state =
                    PaymentState::Rejected { accepted: false, reason: RejectionReason::Overdue, code: None };
                Self { state, last_action: due, ..self.clone() }
            }
            _ => self.clone(),
        }
    }

    /// The same, for keeping: with what is written down about it if its time is over.
    pub fn expire_if_due(self, now: Timestamp) -> (Self, Option<AuditEvent>) {
        match self.next_deadline() {
            Some(due) if due <= now => {
                let state =
                    PaymentState::Rejected { accepted: false, reason: RejectionReason::Overdue, code: None };
                let (payment, event) = self.moved(state, due, "payment.rejected");
                (
                    payment,
                    Some(event.with("reason", RejectionReason::Overdue.name()).with("due_micros", due.0)),
                )
            }
            _ => (self, None),
        }
    }

    /// As it was when it was made: what a repeated initiation is answered with.
    pub fn as_created(&self) -> Self {
        let state = PaymentState::Received;
        Self { state, last_action: self.created_at, payee_verification: None, ..self.clone() }
    }

    fn moved(mut self, state: PaymentState, at: Timestamp, action: &'static str) -> Transition {
        let event = self.event(action).with("from", self.state.status().name());
        self.state = state;
        self.last_action = at;
        (self, event)
    }

    /// Says nothing of the customer, the accounts or the amount: the log is read by more people than the payment.
    fn event(&self, action: &'static str) -> AuditEvent {
        AuditEvent::new(action, "payment", self.id).with("product", self.instruction.product.name())
    }
}

fn out_of_state(state: PaymentState) -> Refusal {
    let text = format!("the payment is {}; this cannot be done with it now", state.status().name());
    Refusal::at(RefusalReason::StatusInvalid, "paymentId", text)
}

fn too_late(state: PaymentState) -> Refusal {
    let text = format!("the payment is {}; it cannot be cancelled", state.status().name());
    Refusal::at(RefusalReason::CancellationInvalid, "paymentId", text)
}

#[cfg(test)]
mod tests {
    use super::super::transitions::in_state;
    use super::*;

    const BORN: Timestamp = Timestamp(0);

    #[test]
    fn a_payment_waits_a_day_for_its_customer_and_a_late_sweep_lets_nobody_in() {
        let payment = in_state(PaymentState::Received);
        let day = BORN.plus(TimeDelta::hours(24));
        assert_eq!(payment.as_of(day.minus(TimeDelta(1))).state, PaymentState::Received);
        assert_eq!(payment.as_of(day).state.number(), 7);
        assert!(payment.clone().authorise(day).is_err());
        assert!(payment.clone().request_cancellation(day).is_err());
        let (settled, event) = payment.clone().expire_if_due(day.plus(TimeDelta::days(3)));
        assert_eq!((settled.last_action, event.map(|event| event.action)), (day, Some("payment.rejected")));
        assert_eq!(settled.clone().expire_if_due(day), (settled, None));
    }

    const WAITING: PaymentState = PaymentState::Accepted { submit_at: BORN, cancellation_hold_until: None };

    #[test]
    fn a_payment_that_is_called_back_is_delay_for_as_long_as_an_authorisation_lives() {
        let (frozen, _) = in_state(WAITING).request_cancellation(BORN).unwrap();
        let end = BORN.plus(AUTHORISATION_TTL);
        assert!(frozen.clone().submit(end.minus(TimeDelta(1))).is_err());
        assert!(frozen.clone().submit(end).is_ok());
        let (thawed, _) = frozen.decline_cancellation(BORN).unwrap();
        assert!(thawed.clone().submit(BORN).is_ok());
        assert!(thawed.cancel(BORN).is_err(), "nobody asks for it any more");
    }

    #[test]
    fn asking_again_keeps_a_payment_back_no_longer() {
        let end = BORN.plus(AUTHORISATION_TTL);
        let (frozen, _) = in_state(WAITING).request_cancellation(BORN).unwrap();
        let (again, _) = frozen.request_cancellation(end.minus(TimeDelta(1))).unwrap();
        assert!(again.clone().submit(end).is_ok());
        assert!(again.clone().request_cancellation(end).is_err(), "its turn has come");
        assert!(again.cancel(end).is_err());
        let (thawed, _) =
            in_state(WAITING).request_cancellation(BORN).unwrap().0.decline_cancellation(BORN).unwrap();
        assert!(thawed.request_cancellation(BORN).is_err());
        // While it is not its turn yet, it may be asked for as often as one likes.
        let later = PaymentState::Accepted {
            submit_at: end.plus(AUTHORISATION_TTL),
            cancellation_hold_until: Some(end),
        };
        let (again, _) = in_state(later).request_cancellation(end).unwrap();
        assert!(again.submit(end.plus(AUTHORISATION_TTL)).is_ok());
    }

    #[test]
    fn payments_are_handed_over_every_five_seconds() {
        let accepted = |at, delay| match in_state(PaymentState::Authorised).accept(delay, Timestamp(at)) {
            Ok((Payment { state: PaymentState::Accepted { submit_at, .. }, .. }, _)) => submit_at.0,
            other => panic!("{other:?}"),
        };
        assert_eq!(accepted(0, TimeDelta(0)), 5_000_000);
        assert_eq!(accepted(4_999_999, TimeDelta(0)), 5_000_000);
        assert_eq!(accepted(5_000_000, TimeDelta(0)), 10_000_000);
        assert_eq!(accepted(1, TimeDelta::hours(1)), 3_605_000_000);
    }
}
