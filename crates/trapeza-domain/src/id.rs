//! One id type a thing, so that a consent's id cannot be handed in where a payment's is asked for.
//!
//! Ids are random UUIDs made by the caller of a use case; nothing about an object can be read from its id.

use std::fmt;
use uuid::Uuid;

macro_rules! ids {
    ($($(#[$doc:meta])* $name:ident;)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(Uuid);

        impl $name {
            pub const fn new(uuid: Uuid) -> Self {
                Self(uuid)
            }

            /// An id that cannot be read is one that does not exist: the caller answers "unknown", never "malformed".
            pub fn parse(text: &str) -> Option<Self> {
                // Only the hyphenated form is ours; the crate would also take braces and URNs.
                (text.len() == 36).then(|| Uuid::try_parse(text).ok()).flatten().map(Self)
            }

            pub fn from_bytes(bytes: &[u8]) -> Option<Self> {
                Uuid::from_slice(bytes).ok().map(Self)
            }

            pub const fn uuid(&self) -> Uuid {
                self.0
            }

            pub const fn as_bytes(&self) -> &[u8; 16] {
                self.0.as_bytes()
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.hyphenated().fmt(f)
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, concat!(stringify!($name), "({})"), self.0)
            }
        }
    )*};
}

ids! {
    /// A third party's or a merchant's registered program: what a subscription key belongs to.
    ApplicationId;
    /// A merchant, who may have several applications.
    MerchantId;
    /// A payment service user: a customer of the bank.
    PsuId;
    /// A payment account, as a third party names it in a path.
    AccountId;
    /// A card, as a third party names it in a path.
    CardId;
    /// An account-access consent or a funds-confirmation consent.
    ConsentId;
    /// One run of strong customer authentication.
    AuthorisationId;
    /// A way for one PSU to answer a challenge: a phone, a chip device, the app.
    MethodId;
    /// A payment order.
    PaymentId;
    /// A lot of payments, or of returns, that go to clearing together.
    BatchId;
    /// One payment on its way through clearing, where it is known by nothing else of ours.
    ClearingId;
    /// A pay-later loan, from the moment it is asked for.
    LoanId;
    /// Something a merchant gave back of a loan.
    RefundId;
    /// Somebody who buys now and pays later: known by a telephone that they have proven.
    ShopperId;
    /// Something a merchant is told.
    CallbackId;
}

impl ApplicationId {
    /// The bank itself, in whose app customers order payments. It has no key, so no program calls in its name.
    pub const BANK: Self = Self(Uuid::nil());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_hyphenated_form_is_an_id() {
        assert!(ConsentId::parse("6f9619ff-8b86-d011-b42d-00cf4fc964ff").is_some());
        for odd in ["", "6f9619ff8b86d011b42d00cf4fc964ff", "{6f9619ff-8b86-d011-b42d-00cf4fc964f}", "x"] {
            assert!(ConsentId::parse(odd).is_none(), "{odd}");
        }
    }
}
