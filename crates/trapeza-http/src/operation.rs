//! The description of one operation of the API: method, path, who may call it, how its errors look.
//!
//! Routing, authentication and error responses are driven by it. The list of operations is `trapeza-api`'s.

use axum::http::Method;
use trapeza_domain::application::Role;
use trapeza_domain::refusal::RefusalReason;

/// Which of the spec's two interfaces an operation belongs to; it decides the shape of errors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Area {
    /// Open banking (§1 A): the envelope with `tppMessages`.
    OpenBanking,
    /// Pay Later (§1 B), the sandbox and the bank's own paths: the problem body.
    PayLater,
}

/// Which list numbers an operation's message codes (§7; the lists are in [`crate::message_code`]).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Codes {
    AccountInformation,
    Payment,
    PaymentInitiation,
    PaymentCancellation,
    Funds,
    AccountBalances,
}

/// Who may call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Right {
    /// A third party with this role in its certificate.
    Tpp(Role),
    /// A merchant's application.
    Merchant,
    /// Any registered application, about itself.
    Application,
    /// Everybody.
    Open,
}

#[derive(Debug)]
pub struct Operation {
    pub id: &'static str,
    pub method: Method,
    /// The route template; also the operation's name in replay records, together with the method.
    pub path: &'static str,
    /// `METHOD path`.
    pub name: &'static str,
    pub area: Area,
    pub codes: Codes,
    pub right: Right,
    pub success: u16,
    pub body_limit: BodyLimit,
    /// What it refuses beyond what every operation of its kind refuses.
    pub refusals: &'static [RefusalReason],
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BodyLimit {
    Usual,
    Basket,
}

impl Operation {
    /// Everything the operation may refuse: who calls, what is said, and its own.
    pub fn all_refusals(&self) -> Vec<RefusalReason> {
        use RefusalReason::*;
        let mut all = vec![TooLarge];
        match self.right {
            Right::Tpp(_) => all.extend([
                KeyUnknown,
                RateExceeded,
                ClientUnknown,
                CertificateMissing,
                CertificateInvalid,
                CertificateExpired,
                CertificateBlocked,
                CertificateRevoked,
                RoleMissing,
                NotAcceptable,
                Malformed,
            ]),
            Right::Merchant => {
                all.extend([KeyUnknown, RateExceeded, ApplicationUnknown, NotAcceptable, Malformed]);
            }
            Right::Application => {
                all.extend([KeyUnknown, RateExceeded, ApplicationUnknown, NotAcceptable, Malformed]);
            }
            Right::Open => {}
        }
        all.extend(self.refusals.iter().filter(|reason| !all.contains(reason)).copied().collect::<Vec<_>>());
        all
    }
}
