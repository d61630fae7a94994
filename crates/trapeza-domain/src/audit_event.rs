//! Audit events and their actors. The store adds time, sequence and chain.

use crate::id::{ApplicationId, MemberId, PsuId, StaffId};
use crate::status_change::StatusChange;
use std::fmt;

/// Who caused an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Actor {
    /// A third party's or merchant's application, through the API.
    Application(ApplicationId),
    /// A customer, on the bank's pages or in its app.
    Psu(PsuId),
    /// An operator of the machine, on the command line: the operating system's user id, where it is known.
    Operator(Option<u32>),
    /// A member of an organisation, in the portal.
    Member(MemberId),
    /// A member of the bank's staff, in the console.
    Staff(StaffId),
    /// The bank itself: deadlines, clearing, demo data.
    Bank,
}

impl fmt::Display for Actor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Application(id) => write!(f, "application:{id}"),
            Self::Psu(id) => write!(f, "psu:{id}"),
            Self::Member(id) => write!(f, "member:{id}"),
            Self::Staff(id) => write!(f, "staff:{id}"),
            Self::Operator(Some(uid)) => write!(f, "operator:{uid}"),
            Self::Operator(None) => f.write_str("operator"),
            Self::Bank => f.write_str("bank"),
        }
    }
}

/// One event of the audit log. Details never contain secrets, PANs or full IBANs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AuditEvent {
    /// Noun and verb, for example `payment.initiated`.
    pub action: &'static str,
    /// The kind of the object, for example `payment`.
    pub object_kind: &'static str,
    pub object_id: String,
    pub detail: Vec<(&'static str, String)>,
    /// The change of status of which the third party is notified with this event.
    pub status: Option<StatusChange>,
}

impl AuditEvent {
    pub fn new(action: &'static str, object_kind: &'static str, object_id: impl fmt::Display) -> Self {
        Self { action, object_kind, object_id: object_id.to_string(), detail: Vec::new(), status: None }
    }

    /// The same event, of which the third party is notified.
    pub fn notifying(self, status: Option<StatusChange>) -> Self {
        Self { status, ..self }
    }

    pub fn with(mut self, name: &'static str, value: impl fmt::Display) -> Self {
        self.detail.push((name, value.to_string()));
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use uuid::Uuid;

    #[test]
    fn actor_display_names_kind_and_id() {
        let psu = Actor::Psu(PsuId::new(Uuid::from_u128(7)));
        assert_eq!(psu.to_string(), "psu:00000000-0000-0000-0000-000000000007");
        let staff = Actor::Staff(StaffId::new(Uuid::from_u128(7)));
        assert_eq!(staff.to_string(), "staff:00000000-0000-0000-0000-000000000007");
        assert_eq!(Actor::Bank.to_string(), "bank");
        assert_eq!(Actor::Operator(Some(1000)).to_string(), "operator:1000");
        assert_eq!(Actor::Operator(None).to_string(), "operator");
        let event = AuditEvent::new("account.opened", "account", "a1").with("currency", "EUR");
        assert_eq!(event.detail, [("currency", "EUR".to_owned())]);
    }
}
