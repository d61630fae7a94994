//! The states of a signing basket. A basket is always evaluated as of now, so that a late sweep cannot extend it.

use crate::audit_event::AuditEvent;
use crate::field::Field;
use crate::id::{ApplicationId, ConsentId, PaymentId, SigningBasketId};
use crate::refusal::{Refusal, RefusalReason};
use crate::status_change::{NewStatus, NotifiedObject, StatusChange};
use crate::string_enum::string_enum;
use crate::time::{TimeDelta, Timestamp};
use uuid::Uuid;

/// How long a basket waits for its authorisation.
const PENDING_TTL: TimeDelta = TimeDelta::hours(24);

/// How many payments and consents a basket has at most. The customer must be able to read them.
pub const MAX_MEMBERS: usize = 20;

/// A payment or consent in a basket.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BasketMember {
    Payment(PaymentId),
    Consent(ConsentId),
}

impl BasketMember {
    pub const fn uuid(&self) -> Uuid {
        match self {
            Self::Payment(id) => id.uuid(),
            Self::Consent(id) => id.uuid(),
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SigningBasketState {
    Received,
    /// The customer has authorised it. The members have states of their own.
    Authorised,
    /// The customer has refused it, or it did not stay as it was until its authorisation.
    Rejected,
    /// The third party has deleted it.
    Cancelled,
}

string_enum! {
    /// The names of the states (ISO 20022).
    pub enum SigningBasketStatus {
        Received = "RCVD",
        Authorised = "ACTC",
        Rejected = "RJCT",
        Cancelled = "CANC",
    }
}

impl SigningBasketState {
    pub const fn status(self) -> SigningBasketStatus {
        match self {
            Self::Received => SigningBasketStatus::Received,
            Self::Authorised => SigningBasketStatus::Authorised,
            Self::Rejected => SigningBasketStatus::Rejected,
            Self::Cancelled => SigningBasketStatus::Cancelled,
        }
    }

    pub const fn is_final(self) -> bool {
        !matches!(self, Self::Received)
    }
}

impl SigningBasketStatus {
    pub const fn state(self) -> SigningBasketState {
        match self {
            Self::Received => SigningBasketState::Received,
            Self::Authorised => SigningBasketState::Authorised,
            Self::Rejected => SigningBasketState::Rejected,
            Self::Cancelled => SigningBasketState::Cancelled,
        }
    }
}

/// The identity and creation time of a new basket.
#[derive(Clone, Debug)]
pub struct NewSigningBasket {
    pub id: SigningBasketId,
    pub application: ApplicationId,
    /// The customer, as the members name them; empty while they are not known.
    pub psu: String,
    pub now: Timestamp,
    /// When the first member stops waiting for its authorisation.
    pub members_due: Option<Timestamp>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SigningBasket {
    pub id: SigningBasketId,
    pub application: ApplicationId,
    pub psu: String,
    pub state: SigningBasketState,
    pub created_at: Timestamp,
    pub last_action: Timestamp,
    /// The first point in time at which it is expired: not later than that of any member.
    pub ends_at: Timestamp,
    /// In the order of the request, payments first.
    pub members: Vec<BasketMember>,
    /// Whether the third party is notified of changes of status.
    pub notifies: bool,
}

/// The changed basket and its audit event.
pub type Transition = (SigningBasket, AuditEvent);

impl SigningBasket {
    pub fn create(new: NewSigningBasket, members: Vec<BasketMember>) -> Transition {
        let NewSigningBasket { id, application, psu, now, members_due } = new;
        let end = now.plus(PENDING_TTL);
        let basket = Self {
            id,
            application,
            psu,
            state: SigningBasketState::Received,
            created_at: now,
            last_action: now,
            ends_at: members_due.map_or(end, |due| due.min(end)),
            members,
            notifies: false,
        };
        let event = basket.event("signing_basket.created").with("members", basket.members.len());
        (basket, event)
    }

    /// The customer has authorised it with SCA.
    pub fn authorise(self, now: Timestamp) -> Result<Transition, Refusal> {
        self.end(SigningBasketState::Authorised, now, "signing_basket.authorised")
    }

    /// The customer has refused it, or a member is no longer what it was.
    pub fn reject(self, now: Timestamp) -> Result<Transition, Refusal> {
        self.end(SigningBasketState::Rejected, now, "signing_basket.rejected")
    }

    /// The third party deletes it. The members stay.
    pub fn cancel(self, now: Timestamp) -> Result<Transition, Refusal> {
        self.end(SigningBasketState::Cancelled, now, "signing_basket.cancelled")
    }

    fn end(
        self,
        state: SigningBasketState,
        now: Timestamp,
        action: &'static str,
    ) -> Result<Transition, Refusal> {
        match self.as_of(now).state {
            SigningBasketState::Received => Ok(self.moved(state, now, action)),
            state => Err(out_of_state(state)),
        }
    }

    /// When it is rejected by time.
    pub fn next_deadline(&self) -> Option<Timestamp> {
        (!self.state.is_final()).then_some(self.ends_at)
    }

    /// The basket as of `now`, whether or not the sweep has stored it.
    pub fn as_of(&self, now: Timestamp) -> Self {
        match self.next_deadline() {
            Some(due) if due <= now => {
                Self { state: SigningBasketState::Rejected, last_action: due, ..self.clone() }
            }
            _ => self.clone(),
        }
    }

    /// Like [`Self::as_of`], with the audit event if it has expired.
    pub fn expire_if_due(self, now: Timestamp) -> (Self, Option<AuditEvent>) {
        match self.next_deadline() {
            Some(due) if due <= now => {
                let (basket, event) =
                    self.moved(SigningBasketState::Rejected, due, "signing_basket.rejected");
                (basket, Some(event.with("due_micros", due.0)))
            }
            _ => (self, None),
        }
    }

    /// The basket as it was created: the answer to a replayed creation.
    pub fn as_created(&self) -> Self {
        Self { state: SigningBasketState::Received, last_action: self.created_at, ..self.clone() }
    }

    fn moved(mut self, state: SigningBasketState, at: Timestamp, action: &'static str) -> Transition {
        let event = self.event(action).with("from", self.state.status().name());
        let event = event.notifying(self.notifies.then(|| StatusChange {
            application: self.application,
            object: NotifiedObject::SigningBasket(self.id),
            status: NewStatus::Object { status: state.status().name(), is_final: state.is_final() },
        }));
        self.state = state;
        self.last_action = at;
        (self, event)
    }

    /// It names neither the customer nor the members, because more people may read the audit log.
    fn event(&self, action: &'static str) -> AuditEvent {
        AuditEvent::new(action, "signing_basket", self.id)
    }
}

fn out_of_state(state: SigningBasketState) -> Refusal {
    let text = format!("the signing basket is {}; this is not possible in this state", state.status().name());
    Refusal::at(RefusalReason::StatusInvalid, Field::SigningBasketId, text)
}

#[cfg(test)]
mod tests {
    use super::super::transitions::in_state;
    use super::*;

    #[test]
    fn basket_ends_after_a_day_or_with_its_first_member() {
        let now = Timestamp(1_000);
        let day = now.plus(TimeDelta::hours(24));
        for (members_due, end) in [
            (None, day),
            (Some(day.plus(TimeDelta(1))), day),
            (Some(day.minus(TimeDelta(1))), day.minus(TimeDelta(1))),
        ] {
            let (id, application) = (SigningBasketId::new(Uuid::nil()), ApplicationId::new(Uuid::nil()));
            let new = NewSigningBasket { id, application, psu: String::new(), now, members_due };
            assert_eq!(SigningBasket::create(new, Vec::new()).0.next_deadline(), Some(end));
        }
    }

    #[test]
    fn basket_expires_after_a_day_whether_or_not_it_is_stored() {
        let basket = in_state(SigningBasketState::Received);
        let due = basket.next_deadline().unwrap();
        assert_eq!(basket.as_of(Timestamp(due.0 - 1)).state, SigningBasketState::Received);
        assert_eq!(basket.as_of(due).state, SigningBasketState::Rejected);
        assert!(basket.clone().authorise(due).is_err());
        assert!(basket.clone().expire_if_due(Timestamp(due.0 - 1)).1.is_none());
        let (expired, event) = basket.expire_if_due(due);
        assert_eq!((expired.state, event.is_some()), (SigningBasketState::Rejected, true));
    }
}
