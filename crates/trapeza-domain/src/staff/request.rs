//! Requests of staff for actions that need a second person.

use super::{Staff, StaffAction};
use crate::audit_event::AuditEvent;
use crate::id::{StaffId, StaffRequestId};
use crate::refusal::{Refusal, RefusalReason};
use crate::string_enum::string_enum;
use crate::time::{TimeDelta, Timestamp};

/// How long a request can be decided.
pub const REQUEST_TTL: TimeDelta = TimeDelta::hours(24);

string_enum! {
    pub enum RequestStatus {
        Pending = "pending",
        /// The action was executed.
        Approved = "approved",
        /// Another person refused it.
        Rejected = "rejected",
        /// The person who requested it does not want it any more.
        Cancelled = "cancelled",
        /// It was not decided in time.
        Expired = "expired",
        /// It was approved, but its object had changed or the action was refused.
        Failed = "failed",
    }
}

/// A request for an action.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StaffRequest {
    pub id: StaffRequestId,
    pub action: StaffAction,
    /// The parameters of the action as a JSON object.
    pub parameters: String,
    pub reason: String,
    pub requested_by: StaffId,
    pub requested_at: Timestamp,
    pub expires_at: Timestamp,
    pub status: RequestStatus,
    /// The person who approved, rejected or cancelled it.
    pub decided_by: Option<StaffId>,
    pub decided_at: Option<Timestamp>,
    /// What the action did, or why it was refused.
    pub outcome: Option<String>,
    /// A keyed hash of the object's state when the action was requested.
    pub fingerprint: [u8; 32],
}

impl StaffRequest {
    /// The request as it is at a time, whether or not the sweep has stored its end.
    pub fn as_of(mut self, now: Timestamp) -> Self {
        if self.status == RequestStatus::Pending && self.expires_at <= now {
            self.status = RequestStatus::Expired;
            self.decided_at = Some(self.expires_at);
        }
        self
    }

    /// Refuses a decision unless the request is pending.
    pub fn require_pending(&self) -> Result<(), Refusal> {
        if self.status == RequestStatus::Pending {
            return Ok(());
        }
        let text = format!("the request is {}", self.status.name());
        Err(Refusal::new(RefusalReason::StatusInvalid, text))
    }

    /// Approved, with what the action did. `person` was checked with [`Staff::require_approver`] before the action was executed.
    pub fn approve(self, person: StaffId, outcome: String, now: Timestamp) -> (Self, AuditEvent) {
        self.decided(RequestStatus::Approved, "staff_request.approved", person, Some(outcome), now)
    }

    /// Approved in vain, with the reason.
    pub fn fail(self, person: StaffId, outcome: String, now: Timestamp) -> (Self, AuditEvent) {
        self.decided(RequestStatus::Failed, "staff_request.failed", person, Some(outcome), now)
    }

    /// Rejected by a person who could have approved it.
    pub fn reject(
        self,
        person: &Staff,
        reason: String,
        now: Timestamp,
    ) -> Result<(Self, AuditEvent), Refusal> {
        person.require_approver(self.action, self.requested_by)?;
        self.require_pending()?;
        Ok(self.decided(RequestStatus::Rejected, "staff_request.rejected", person.id, Some(reason), now))
    }

    /// Cancelled by the person who requested it.
    pub fn cancel(self, person: &Staff, now: Timestamp) -> Result<(Self, AuditEvent), Refusal> {
        person.require_active()?;
        if person.id != self.requested_by {
            let text = "only the person who requested this can cancel it; reject it instead";
            return Err(Refusal::new(RefusalReason::RoleMissing, text));
        }
        self.require_pending()?;
        Ok(self.decided(RequestStatus::Cancelled, "staff_request.cancelled", person.id, None, now))
    }

    fn decided(
        self,
        status: RequestStatus,
        event: &'static str,
        person: StaffId,
        outcome: Option<String>,
        now: Timestamp,
    ) -> (Self, AuditEvent) {
        let event = self.event(event);
        (Self { status, decided_by: Some(person), decided_at: Some(now), outcome, ..self }, event)
    }

    /// An audit event of the request, with its action and the person who requested it.
    pub fn event(&self, name: &'static str) -> AuditEvent {
        let event = AuditEvent::new(name, "staff_request", self.id);
        event.with("action", self.action.name()).with("requested_by", self.requested_by)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contact::Email;
    use crate::staff::{StaffRole, StaffStatus};
    use uuid::Uuid;

    fn staff(number: u128, role: StaffRole) -> Staff {
        Staff {
            id: StaffId::new(Uuid::from_u128(number)),
            email: Email::parse("staff@bank.example").unwrap(),
            name: "Staff".to_owned(),
            role,
            status: StaffStatus::Active,
            created_at: Timestamp(0),
        }
    }

    fn request(by: &Staff) -> StaffRequest {
        StaffRequest {
            id: StaffRequestId::new(Uuid::nil()),
            action: StaffAction::LoanWriteOff,
            parameters: "{}".to_owned(),
            reason: "insolvent".to_owned(),
            requested_by: by.id,
            requested_at: Timestamp(0),
            expires_at: Timestamp(0).plus(REQUEST_TTL),
            status: RequestStatus::Pending,
            decided_by: None,
            decided_at: None,
            outcome: None,
            fingerprint: [0; 32],
        }
    }

    #[test]
    fn request_expires_at_its_deadline_and_not_before() {
        let request = request(&staff(1, StaffRole::Risk));
        let before = request.clone().as_of(Timestamp(request.expires_at.0 - 1));
        assert!(before.require_pending().is_ok());
        let expired = request.clone().as_of(Timestamp(request.expires_at.0 + 5));
        assert_eq!((expired.status, expired.decided_at), (RequestStatus::Expired, Some(request.expires_at)));
        assert_eq!(request.clone().as_of(request.expires_at).status, RequestStatus::Expired);
    }

    #[test]
    fn request_is_rejected_by_another_approver_and_cancelled_by_its_own_person() {
        let (first, second) = (staff(1, StaffRole::Risk), staff(2, StaffRole::Risk));
        let (support, now) = (staff(3, StaffRole::Support), Timestamp(1));
        let pending = request(&first);
        for person in [&first, &support] {
            assert!(pending.clone().reject(person, String::new(), now).is_err());
        }
        assert!(pending.clone().cancel(&second, now).is_err());
        let disabled = Staff { status: StaffStatus::Disabled, ..first.clone() };
        assert!(pending.clone().cancel(&disabled, now).is_err());
        let (rejected, _) = pending.clone().reject(&second, "no".to_owned(), now).unwrap();
        assert_eq!((rejected.status, rejected.decided_by), (RequestStatus::Rejected, Some(second.id)));
        let (cancelled, _) = pending.cancel(&first, now).unwrap();
        assert_eq!(cancelled.status, RequestStatus::Cancelled);
        for decided in [rejected, cancelled] {
            assert!(decided.clone().reject(&second, String::new(), now).is_err());
            assert!(decided.cancel(&first, now).is_err());
        }
    }
}
