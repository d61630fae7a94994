//! The description of one operation of the API: method, path, who may call it, how its errors look.
//!
//! Routing, authentication and error responses are driven by it. The list of operations is `trapeza-api`'s.

use axum::http::{Method, StatusCode};
use trapeza_domain::application::Role;
use trapeza_domain::field::FieldPath;
use trapeza_domain::refusal::RefusalReason;
use trapeza_domain::statistics::{Interface, MeasuredCall, Service};

/// Which API an operation belongs to; it decides how third parties authenticate and the format of errors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ApiFamily {
    /// Open banking (§1 A): errors in an envelope with `tppMessages`.
    OpenBanking,
    /// The second dialect of open banking, with the names of the Berlin Group: errors as [`crate::berlin_group`] writes them.
    BerlinGroup,
    /// Pay Later (§1 B), the sandbox and operational paths: errors as problem bodies.
    PayLater,
}

/// Which list defines the numbers of an operation's message codes (§7; the lists are in [`crate::message_code`]).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MessageCodeList {
    AccountInformation,
    Payment,
    PaymentInitiation,
    PaymentCancellation,
    Funds,
    AccountBalances,
    SigningBasket,
}

/// Who may call an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// A third party with this role in its certificate.
    Tpp(Role),
    /// A merchant's application.
    Merchant,
    /// Any registered application, on itself.
    Application,
    /// Anyone, without authentication.
    Open,
}

#[derive(Clone, Debug)]
pub struct Operation {
    pub id: &'static str,
    pub method: Method,
    /// The route template.
    pub path: &'static str,
    /// `METHOD path`; names the operation in idempotency records.
    pub name: &'static str,
    pub family: ApiFamily,
    pub message_codes: MessageCodeList,
    pub access: Access,
    /// What it counts as in the statistics of the dedicated interface, if third parties call it.
    pub service: Service,
    pub success: u16,
    /// Whether requests appear in the request log of the application.
    pub is_logged: bool,
    pub body_limit: BodyLimit,
    /// Whether it answers `application/xml` to a request that accepts no JSON.
    pub has_xml: bool,
    /// Refusals whose status and code differ from the general table.
    pub refusal_overrides: &'static [RefusalOverride],
    /// How the entries of `errors` are keyed in a problem body.
    pub error_key: ErrorKey,
    /// How error responses name the field of an error.
    pub field_spelling: FieldSpelling,
    /// Refusals beyond those that every operation with the same access has.
    pub refusals: &'static [RefusalReason],
}

/// Spells the path of a field as an interface calls it; empty when no single field is wrong.
pub type FieldSpelling = fn(&FieldPath) -> String;

/// A refusal with the status and code that one operation gives it.
pub type RefusalOverride = (RefusalReason, StatusCode, &'static str);

/// The key of an entry of `errors` in a problem body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ErrorKey {
    /// `{"field", "message"}`; errors without a field are left out.
    Field,
    /// `{"code", "message"}`.
    Code,
}

/// Which limit of the settings applies to the body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BodyLimit {
    Default,
    Basket,
    /// A whole bank; see [`crate::extract::MAX_BANK_BYTES`].
    Bank,
}

impl Operation {
    /// How the operation is counted in the statistics. What third parties call is the dedicated interface.
    pub const fn measured_call(&self) -> Option<MeasuredCall> {
        match self.access {
            Access::Tpp(_) => Some(MeasuredCall { interface: Interface::Dedicated, service: self.service }),
            Access::Merchant | Access::Application | Access::Open => None,
        }
    }

    /// The status and code that this operation gives a refusal, where they differ from the general table.
    pub fn refusal_override(&self, reason: RefusalReason) -> Option<(StatusCode, &'static str)> {
        let found = self.refusal_overrides.iter().find(|(own, ..)| *own == reason);
        found.map(|&(_, status, name)| (status, name))
    }

    /// Every refusal of the operation: those of authentication and extraction, and its own.
    pub fn all_refusals(&self) -> Vec<RefusalReason> {
        use RefusalReason::*;
        let mut all = vec![TooLarge];
        match self.access {
            Access::Tpp(_) => all.extend([
                KeyUnknown,
                RateExceeded,
                ClientUnknown,
                CertificateMissing,
                CertificateInvalid,
                CertificateExpired,
                CertificateBlocked,
                CertificateRevoked,
                RoleMissing,
                SignatureMissing,
                SignatureInvalid,
                NotAcceptable,
                Malformed,
            ]),
            Access::Merchant => {
                all.extend([KeyUnknown, RateExceeded, ApplicationUnknown, NotAcceptable, Malformed]);
            }
            Access::Application => {
                all.extend([KeyUnknown, RateExceeded, ApplicationUnknown, NotAcceptable, Malformed]);
            }
            Access::Open => {}
        }
        all.extend(self.refusals.iter().filter(|reason| !all.contains(reason)).copied().collect::<Vec<_>>());
        all
    }
}
