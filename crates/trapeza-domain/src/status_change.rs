//! Changes of a status of which a third party asked to be notified, and which of them it asked for.

use crate::id::{ApplicationId, AuthorisationId, ConsentId, PaymentId, SigningBasketId};
use uuid::Uuid;

/// The object whose status, or the status of whose authorisation, changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NotifiedObject {
    Payment(PaymentId),
    Consent(ConsentId),
    SigningBasket(SigningBasketId),
}

impl NotifiedObject {
    pub const fn uuid(&self) -> Uuid {
        match self {
            Self::Payment(id) => id.uuid(),
            Self::Consent(id) => id.uuid(),
            Self::SigningBasket(id) => id.uuid(),
        }
    }
}

/// The new status.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NewStatus {
    /// Of an authorisation of the object or of its cancellation.
    Sca { authorisation: AuthorisationId, is_cancellation: bool, status: &'static str },
    /// Of the object itself.
    Object { status: &'static str, is_final: bool },
}

/// A change of a status, of an object of which a third party is notified.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StatusChange {
    pub application: ApplicationId,
    pub object: NotifiedObject,
    pub status: NewStatus,
}

/// The changes of which a third party wants to be notified.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct NotificationContent {
    /// Every status of an authorisation.
    pub sca: bool,
    /// Every status of the object.
    pub process: bool,
    /// The final status of the object.
    pub last: bool,
}

impl NotificationContent {
    pub const ALL: Self = Self { sca: true, process: true, last: true };

    pub const fn is_empty(self) -> bool {
        !self.sca && !self.process && !self.last
    }

    pub const fn includes(self, status: NewStatus) -> bool {
        match status {
            NewStatus::Sca { .. } => self.sca,
            NewStatus::Object { is_final, .. } => self.process || (self.last && is_final),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn content_includes_only_what_was_asked_for() {
        let sca = NewStatus::Sca {
            authorisation: AuthorisationId::new(Uuid::nil()),
            is_cancellation: false,
            status: "finalised",
        };
        let open = NewStatus::Object { status: "ACCP", is_final: false };
        let last = NewStatus::Object { status: "ACSC", is_final: true };
        let none = NotificationContent::default();
        assert!(none.is_empty());
        for (content, expected) in [
            (none, [false, false, false]),
            (NotificationContent { sca: true, ..none }, [true, false, false]),
            (NotificationContent { process: true, ..none }, [false, true, true]),
            (NotificationContent { last: true, ..none }, [false, false, true]),
            (NotificationContent::ALL, [true, true, true]),
        ] {
            assert_eq!([sca, open, last].map(|status| content.includes(status)), expected, "{content:?}");
        }
    }
}
