//! A payment that is not authorised in time.

use super::{Payment, PaymentState, RejectionReason};
use crate::audit_event::AuditEvent;
use crate::time::{TimeDelta, Timestamp};

/// How long a payment waits for its authorisation.
const PENDING_TTL: TimeDelta = TimeDelta::hours(24);

impl Payment {
    /// When it is rejected by time.
    pub fn next_deadline(&self) -> Option<Timestamp> {
        matches!(self.state, PaymentState::Received).then(|| self.created_at.plus(PENDING_TTL))
    }

    /// The payment as of `now`, whether or not the sweep has stored it.
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

    /// Like [`Self::as_of`], with the audit event if it has expired.
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
}
