//! What happened and who did it, in the words of the audit log. The row, its chain and its clock are the store's.

use crate::id::{ApplicationId, PsuId};
use std::fmt;

/// Who acted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Actor {
    /// A third party or a merchant, through its program.
    Application(ApplicationId),
    /// A customer, on our own pages or in the bank's app.
    Psu(PsuId),
    /// A person of the bank, by the command line.
    Operator,
    /// The bank itself: time that passed, clearing, the demo.
    Bank,
}

impl fmt::Display for Actor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Application(id) => write!(f, "application:{id}"),
            Self::Psu(id) => write!(f, "psu:{id}"),
            Self::Operator => f.write_str("operator"),
            Self::Bank => f.write_str("bank"),
        }
    }
}

/// One thing that happened. Details are for people who read the log; they never hold secrets, PANs or full IBANs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AuditEvent {
    /// Noun and verb: `payment.initiated`.
    pub action: &'static str,
    /// What it happened to: `payment`.
    pub object_kind: &'static str,
    pub object_id: String,
    pub detail: Vec<(&'static str, String)>,
}

impl AuditEvent {
    pub fn new(action: &'static str, object_kind: &'static str, object_id: impl fmt::Display) -> Self {
        Self { action, object_kind, object_id: object_id.to_string(), detail: Vec::new() }
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
    fn an_actor_and_an_event_read_as_one_line() {
        let psu = Actor::Psu(PsuId::new(Uuid::from_u128(7)));
        assert_eq!(psu.to_string(), "psu:00000000-0000-0000-0000-000000000007");
        assert_eq!(Actor::Bank.to_string(), "bank");
        let event = AuditEvent::new("account.opened", "account", "a1").with("currency", "EUR");
        assert_eq!(event.detail, [("currency", "EUR".to_owned())]);
    }
}
