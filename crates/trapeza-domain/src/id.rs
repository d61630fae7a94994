//! One id type per entity, so that a consent's id cannot be passed where a payment's is expected.

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

            /// An id that does not parse belongs to no object: callers answer "unknown", never "malformed".
            pub fn parse(text: &str) -> Option<Self> {
                // Only the hyphenated form is accepted; the uuid crate would also accept braces and URNs.
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
    /// A registered API client of a third party or a merchant; subscription keys belong to it.
    ApplicationId;
    /// A merchant, which may have several applications.
    MerchantId;
    /// A payment service user: a customer of the bank.
    PsuId;
    /// A payment account, as third parties see it in paths.
    AccountId;
    /// A card, as third parties see it in paths.
    CardId;
    /// An account-access consent or a funds-confirmation consent.
    ConsentId;
    /// One attempt at strong customer authentication.
    AuthorisationId;
    /// An SCA method of one customer: a phone, a chip device, the app.
    MethodId;
    /// A payment order.
    PaymentId;
    /// Payments and consents that are approved together.
    SigningBasketId;
    /// A batch of payments or returns for clearing.
    BatchId;
    /// One payment or return inside a batch.
    ClearingId;
    /// A manual posting of staff, which creates the id.
    ManualPostingId;
    /// A pay-later loan, from its request on.
    LoanId;
    /// A refund of a loan by the merchant.
    RefundId;
    /// A review of a loan or of its rejection by a person.
    LoanReviewId;
    /// A shopper, identified by a verified telephone number.
    ShopperId;
    /// A callback to a merchant.
    CallbackId;
    /// An organisation of developers, which uses the portal.
    OrganisationId;
    /// A member of an organisation: a person who signs in to the portal.
    MemberId;
    /// An invitation to the portal.
    InvitationId;
    /// What a person signs in with; the same id as that of the member or member of the staff.
    LoginId;
    /// A session of a login, as lists of sessions name it.
    LoginSessionId;
    /// A passkey of a login.
    PasskeyId;
    /// A member of the bank's staff, who signs in to the console.
    StaffId;
    /// A request of staff for an action that needs a second person.
    StaffRequestId;
    /// A token with which a member of the staff uses the admin API.
    StaffTokenId;
}

impl ApplicationId {
    /// The bank's own application, under which customers initiate payments in the app. It has no key, so no client can use it.
    pub const BANK: Self = Self(Uuid::nil());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parse_accepts_the_hyphenated_form_only() {
        assert!(ConsentId::parse("6f9619ff-8b86-d011-b42d-00cf4fc964ff").is_some());
        for odd in ["", "6f9619ff8b86d011b42d00cf4fc964ff", "{6f9619ff-8b86-d011-b42d-00cf4fc964f}", "x"] {
            assert!(ConsentId::parse(odd).is_none(), "{odd}");
        }
    }
}
