//! The life of a payment: its states, what may be done in each, and what time alone does. As with consents, whoever
//! looks at one looks at it as of now.

use super::PaymentTerms;
use crate::authorisation::LIFE;
use crate::clearing::ReasonCode;
use crate::event::Event;
use crate::id::{ApplicationId, PaymentId};
use crate::named::named;
use crate::payee::PayeeCheck;
use crate::refusal::{Reason, Refusal};
use crate::time::{Instant, Span};

/// How long a payment waits to be authorised.
const WAIT: Span = Span::hours(24);
/// Payments are handed to clearing together, every so often.
const HAND_OVER_EVERY: Span = Span::seconds(5);

named! {
    /// Why a payment was rejected.
    pub enum Cause {
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
    Checked,
    /// The money is set aside, and it waits to be handed to clearing.
    Accepted {
        /// When it is its turn.
        hand_over_at: Instant,
        /// Somebody wants it back, and until then it is not handed over. A moment that has passed says that somebody
        /// once did.
        frozen_until: Option<Instant>,
    },
    HandedOver,
    Settled,
    Credited,
    Rejected {
        /// It had been accepted before.
        accepted: bool,
        cause: Cause,
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
pub struct PaymentBirth {
    pub id: PaymentId,
    pub application: ApplicationId,
    /// The customer's name for themselves, as the third party sent it: it may be nobody's.
    pub psu: String,
    pub now: Instant,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Payment {
    pub id: PaymentId,
    pub application: ApplicationId,
    pub psu: String,
    pub terms: PaymentTerms,
    pub state: PaymentState,
    pub created_at: Instant,
    pub last_action: Instant,
    /// How the payee's name fits their account, once that was asked.
    pub payee_check: Option<PayeeCheck>,
}

/// A payment after a command, and what is written down about it.
pub type Changed = (Payment, Event);

impl Payment {
    pub fn receive(birth: PaymentBirth, terms: PaymentTerms) -> Changed {
        let PaymentBirth { id, application, psu, now } = birth;
        let state = PaymentState::Received;
        let payment =
            Self { id, application, psu, terms, state, created_at: now, last_action: now, payee_check: None };
        let event = payment.event("payment.initiated");
        (payment, event)
    }

    /// The customer has agreed, with strong authentication.
    pub fn check(self, now: Instant) -> Result<Changed, Refusal> {
        match self.as_of(now).state {
            PaymentState::Received => Ok(self.moved(PaymentState::Checked, now, "payment.authorised")),
            state => Err(out_of_state(state)),
        }
    }

    /// The money is set aside. It is handed over with the next lot, or that much later if it is kept back.
    pub fn accept(self, kept_back: Span, now: Instant) -> Result<Changed, Refusal> {
        match self.state {
            PaymentState::Checked => {
                let next = Instant((now.0 / HAND_OVER_EVERY.0 + 1) * HAND_OVER_EVERY.0);
                let hand_over_at = next.plus(kept_back);
                let accepted = PaymentState::Accepted { hand_over_at, frozen_until: None };
                Ok(self.moved(accepted, now, "payment.accepted"))
            }
            state => Err(out_of_state(state)),
        }
    }

    /// It is on its way to another bank.
    pub fn hand_over(self, now: Instant) -> Result<Changed, Refusal> {
        match self.state {
            PaymentState::Accepted { hand_over_at, frozen_until }
                if hand_over_at <= now && frozen_until.is_none_or(|until| until <= now) =>
            {
                Ok(self.moved(PaymentState::HandedOver, now, "payment.submitted"))
            }
            state => Err(out_of_state(state)),
        }
    }

    /// The money has left this bank.
    pub fn settle_out(self, now: Instant) -> Result<Changed, Refusal> {
        match self.state {
            PaymentState::HandedOver => Ok(self.moved(PaymentState::Settled, now, "payment.settled")),
            state => Err(out_of_state(state)),
        }
    }

    /// Payer and payee are both here, and the money has moved from one to the other in one go.
    pub fn execute(self, now: Instant) -> Result<Changed, Refusal> {
        match self.state {
            PaymentState::Checked => Ok(self.moved(PaymentState::Credited, now, "payment.executed")),
            state => Err(out_of_state(state)),
        }
    }

    pub fn reject(self, cause: Cause, now: Instant) -> Result<Changed, Refusal> {
        let accepted = match self.as_of(now).state {
            PaymentState::Received => false,
            PaymentState::Checked | PaymentState::Accepted { .. } | PaymentState::HandedOver => true,
            state => return Err(out_of_state(state)),
        };
        let state = PaymentState::Rejected { accepted, cause, code: None };
        let (payment, event) = self.moved(state, now, "payment.rejected");
        Ok((payment, event.with("cause", cause.name())))
    }

    /// Clearing did not take it, and said why.
    pub fn turn_down(self, code: ReasonCode, now: Instant) -> Result<Changed, Refusal> {
        match self.state {
            PaymentState::HandedOver => {
                let cause = Cause::Clearing;
                let state = PaymentState::Rejected { accepted: true, cause, code: Some(code) };
                let (payment, event) = self.moved(state, now, "payment.rejected");
                Ok((payment, event.with("cause", cause.name()).with("code", code)))
            }
            state => Err(out_of_state(state)),
        }
    }

    /// The third party wants it back. What the customer has not authorised is cancelled at once; what they have needs
    /// their word again, and is kept back until then. Asking again keeps it back no longer, or a payment that its
    /// customer wants could be kept from its payee for ever.
    pub fn call_back(self, now: Instant) -> Result<Changed, Refusal> {
        match self.as_of(now).state {
            PaymentState::Received => Ok(self.moved(PaymentState::Cancelled, now, "payment.cancelled")),
            PaymentState::Accepted { hand_over_at, frozen_until } => {
                let until = match frozen_until {
                    Some(until) if now < until => until,
                    Some(_) if hand_over_at <= now => return Err(too_late(self.state)),
                    _ => now.plus(LIFE),
                };
                let frozen = PaymentState::Accepted { hand_over_at, frozen_until: Some(until) };
                Ok(self.moved(frozen, now, "payment.cancellation_requested"))
            }
            state => Err(too_late(state)),
        }
    }

    /// The customer has agreed to the cancellation.
    pub fn cancel(self, now: Instant) -> Result<Changed, Refusal> {
        match self.state {
            PaymentState::Accepted { frozen_until: Some(until), .. } if now < until => {
                Ok(self.moved(PaymentState::Cancelled, now, "payment.cancelled"))
            }
            state => Err(too_late(state)),
        }
    }

    /// The customer wants it paid after all.
    pub fn thaw(self, now: Instant) -> Result<Changed, Refusal> {
        match self.state {
            PaymentState::Accepted { hand_over_at, frozen_until: Some(until) } if now < until => {
                let thawed = PaymentState::Accepted { hand_over_at, frozen_until: Some(now) };
                Ok(self.moved(thawed, now, "payment.cancellation_declined"))
            }
            state => Err(too_late(state)),
        }
    }

    /// When time alone rejects it.
    pub fn due(&self) -> Option<Instant> {
        matches!(self.state, PaymentState::Received).then(|| self.created_at.plus(WAIT))
    }

    /// The payment as it is at `now`, whether or not a sweep has come by.
    pub fn as_of(&self, now: Instant) -> Self {
        match self.due() {
            Some(due) if due <= now => {
                let state = PaymentState::Rejected { accepted: false, cause: Cause::Overdue, code: None };
                Self { state, last_action: due, ..self.clone() }
            }
            _ => self.clone(),
        }
    }

    /// The same, for keeping: with what is written down about it if its time is over.
    pub fn settle(self, now: Instant) -> (Self, Option<Event>) {
        match self.due() {
            Some(due) if due <= now => {
                let state = PaymentState::Rejected { accepted: false, cause: Cause::Overdue, code: None };
                let (payment, event) = self.moved(state, due, "payment.rejected");
                (payment, Some(event.with("cause", Cause::Overdue.name()).with("due_micros", due.0)))
            }
            _ => (self, None),
        }
    }

    /// As it was when it was made: what a repeated initiation is answered with.
    pub fn as_created(&self) -> Self {
        let state = PaymentState::Received;
        Self { state, last_action: self.created_at, payee_check: None, ..self.clone() }
    }

    fn moved(mut self, state: PaymentState, at: Instant, action: &'static str) -> Changed {
        let event = self.event(action).with("from", self.state.status().name());
        self.state = state;
        self.last_action = at;
        (self, event)
    }

    /// Says nothing of the customer, the accounts or the amount: the log is read by more people than the payment.
    fn event(&self, action: &'static str) -> Event {
        Event::new(action, "payment", self.id).with("product", self.terms.product.name())
    }
}

fn out_of_state(state: PaymentState) -> Refusal {
    let text = format!("the payment is {}; this cannot be done with it now", state.status().name());
    Refusal::at(Reason::StatusInvalid, "paymentId", text)
}

fn too_late(state: PaymentState) -> Refusal {
    let text = format!("the payment is {}; it cannot be cancelled", state.status().name());
    Refusal::at(Reason::CancellationInvalid, "paymentId", text)
}

#[cfg(test)]
mod tests {
    use super::super::matrix::in_state;
    use super::*;

    const BORN: Instant = Instant(0);

    #[test]
    fn a_payment_waits_a_day_for_its_customer_and_a_late_sweep_lets_nobody_in() {
        let payment = in_state(PaymentState::Received);
        let day = BORN.plus(Span::hours(24));
        assert_eq!(payment.as_of(day.minus(Span(1))).state, PaymentState::Received);
        assert_eq!(payment.as_of(day).state.number(), 7);
        assert!(payment.clone().check(day).is_err());
        assert!(payment.clone().call_back(day).is_err());
        let (settled, event) = payment.clone().settle(day.plus(Span::days(3)));
        assert_eq!((settled.last_action, event.map(|event| event.action)), (day, Some("payment.rejected")));
        assert_eq!(settled.clone().settle(day), (settled, None));
    }

    const WAITING: PaymentState = PaymentState::Accepted { hand_over_at: BORN, frozen_until: None };

    #[test]
    fn a_payment_that_is_called_back_is_kept_back_for_as_long_as_an_authorisation_lives() {
        let (frozen, _) = in_state(WAITING).call_back(BORN).unwrap();
        let end = BORN.plus(LIFE);
        assert!(frozen.clone().hand_over(end.minus(Span(1))).is_err());
        assert!(frozen.clone().hand_over(end).is_ok());
        let (thawed, _) = frozen.thaw(BORN).unwrap();
        assert!(thawed.clone().hand_over(BORN).is_ok());
        assert!(thawed.cancel(BORN).is_err(), "nobody asks for it any more");
    }

    #[test]
    fn asking_again_keeps_a_payment_back_no_longer() {
        let end = BORN.plus(LIFE);
        let (frozen, _) = in_state(WAITING).call_back(BORN).unwrap();
        let (again, _) = frozen.call_back(end.minus(Span(1))).unwrap();
        assert!(again.clone().hand_over(end).is_ok());
        assert!(again.clone().call_back(end).is_err(), "its turn has come");
        assert!(again.cancel(end).is_err());
        let (thawed, _) = in_state(WAITING).call_back(BORN).unwrap().0.thaw(BORN).unwrap();
        assert!(thawed.call_back(BORN).is_err());
        // While it is not its turn yet, it may be asked for as often as one likes.
        let later = PaymentState::Accepted { hand_over_at: end.plus(LIFE), frozen_until: Some(end) };
        let (again, _) = in_state(later).call_back(end).unwrap();
        assert!(again.hand_over(end.plus(LIFE)).is_ok());
    }

    #[test]
    fn payments_are_handed_over_every_five_seconds() {
        let accepted = |at, kept_back| match in_state(PaymentState::Checked).accept(kept_back, Instant(at)) {
            Ok((Payment { state: PaymentState::Accepted { hand_over_at, .. }, .. }, _)) => hand_over_at.0,
            other => panic!("{other:?}"),
        };
        assert_eq!(accepted(0, Span(0)), 5_000_000);
        assert_eq!(accepted(4_999_999, Span(0)), 5_000_000);
        assert_eq!(accepted(5_000_000, Span(0)), 10_000_000);
        assert_eq!(accepted(1, Span::hours(1)), 3_605_000_000);
    }
}
