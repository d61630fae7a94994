//! The target of an authorisation.

use crate::id::{ConsentId, PaymentId, SigningBasketId};
use crate::status_change::NotifiedObject;
use crate::string_enum::string_enum;
use std::fmt;
use uuid::Uuid;

string_enum! {
    pub enum TargetKind {
        Consent = "consent",
        FundsConsent = "fundsConsent",
        Payment = "payment",
        Cancellation = "cancellation",
        SigningBasket = "signingBasket",
    }
}

/// The object that a finalised authorisation releases.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    Consent(ConsentId),
    FundsConsent(ConsentId),
    Payment(PaymentId),
    /// The payment whose cancellation is authorised.
    Cancellation(PaymentId),
    /// Payments and consents that are approved together.
    SigningBasket(SigningBasketId),
}

impl Target {
    pub const fn new(kind: TargetKind, id: Uuid) -> Self {
        match kind {
            TargetKind::Consent => Self::Consent(ConsentId::new(id)),
            TargetKind::FundsConsent => Self::FundsConsent(ConsentId::new(id)),
            TargetKind::Payment => Self::Payment(PaymentId::new(id)),
            TargetKind::Cancellation => Self::Cancellation(PaymentId::new(id)),
            TargetKind::SigningBasket => Self::SigningBasket(SigningBasketId::new(id)),
        }
    }

    /// An id that does not parse is the id of no object.
    pub fn parse(kind: TargetKind, id: &str) -> Option<Self> {
        match kind {
            TargetKind::Consent => ConsentId::parse(id).map(Self::Consent),
            TargetKind::FundsConsent => ConsentId::parse(id).map(Self::FundsConsent),
            TargetKind::Payment => PaymentId::parse(id).map(Self::Payment),
            TargetKind::Cancellation => PaymentId::parse(id).map(Self::Cancellation),
            TargetKind::SigningBasket => SigningBasketId::parse(id).map(Self::SigningBasket),
        }
    }

    pub const fn kind(&self) -> TargetKind {
        match self {
            Self::Consent(_) => TargetKind::Consent,
            Self::FundsConsent(_) => TargetKind::FundsConsent,
            Self::Payment(_) => TargetKind::Payment,
            Self::Cancellation(_) => TargetKind::Cancellation,
            Self::SigningBasket(_) => TargetKind::SigningBasket,
        }
    }

    pub const fn id_bytes(&self) -> &[u8; 16] {
        match self {
            Self::Consent(id) | Self::FundsConsent(id) => id.as_bytes(),
            Self::Payment(id) | Self::Cancellation(id) => id.as_bytes(),
            Self::SigningBasket(id) => id.as_bytes(),
        }
    }
}

impl Target {
    /// The object of whose changes third parties are notified.
    pub const fn notified_object(&self) -> NotifiedObject {
        match self {
            Self::Consent(id) | Self::FundsConsent(id) => NotifiedObject::Consent(*id),
            Self::Payment(id) | Self::Cancellation(id) => NotifiedObject::Payment(*id),
            Self::SigningBasket(id) => NotifiedObject::SigningBasket(*id),
        }
    }
}

impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.kind().name(), Uuid::from_bytes(*self.id_bytes()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn target_is_parsed_as_its_kind() {
        let id = Uuid::from_u128(7);
        for kind in [
            TargetKind::Consent,
            TargetKind::FundsConsent,
            TargetKind::Payment,
            TargetKind::Cancellation,
            TargetKind::SigningBasket,
        ] {
            assert_eq!(Target::parse(kind, &id.to_string()), Some(Target::new(kind, id)), "{kind:?}");
            assert_eq!(Target::new(kind, id).kind(), kind);
            assert_eq!(Target::parse(kind, "7"), None);
        }
    }
}
