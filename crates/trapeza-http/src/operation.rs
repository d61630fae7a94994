//! Every operation of the interface, once: its method, path, group, right and refusals.
//!
//! The router, the OpenAPI document and the table of refusals are all made from this list, so that they cannot differ.

use crate::docs::content::{Doc, EMPTY};
use crate::docs::{authorisation, consent, funds, health, sandbox};
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
    pub tag: &'static str,
    pub summary: &'static str,
    pub area: Area,
    pub codes: Codes,
    pub right: Right,
    pub success: u16,
    pub body_limit: BodyLimit,
    /// What it refuses beyond what every operation of its kind refuses.
    pub refusals: &'static [RefusalReason],
    /// What the documentation says beyond this line.
    pub doc: &'static Doc,
}

/// The groups of the documentation, in its order, each with a sentence.
pub static TAGS: &[(&str, &str)] = &[
    ("Consents", "A third party asks a customer for access to accounts, and sees where that stands."),
    ("Funds consents", "A card issuer asks a customer for leave to check whether money is there."),
    ("Payments", "A third party orders a payment; the customer authorises it, and may call it back."),
    ("Accounts", "Accounts, balances and transactions, inside a granted consent."),
    ("Cards", "Cards, their balances and transactions, inside a granted consent."),
    ("Pay Later", "A merchant lends at its till."),
    (
        "Sandbox",
        "Calls that only a demo bank answers: they move its clock and set an application's addresses.",
    ),
    ("Operation", "What the bank's own machines ask, and this documentation."),
];

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

macro_rules! operation {
    ($id:literal $method:ident $path:literal, $($field:ident: $value:expr),* $(,)?) => {
        Operation {
            id: $id,
            method: Method::$method,
            path: $path,
            name: concat!(stringify!($method), " ", $path),
            $($field: $value,)*
            ..operation!()
        }
    };
    () => {
        Operation {
            id: "",
            method: Method::GET,
            path: "",
            name: "",
            tag: "",
            summary: "",
            area: Area::PayLater,
            codes: Codes::AccountInformation,
            right: Right::Open,
            success: 200,
            body_limit: BodyLimit::Usual,
            refusals: &[],
            doc: &EMPTY,
        }
    };
}

mod pay_later;
mod payment;
mod reading;

pub use pay_later::*;
pub use payment::*;
pub use reading::*;

const AIS: Right = Right::Tpp(Role::AccountInformation);
const FUNDS: Right = Right::Tpp(Role::CardIssuing);

pub static CONSENT_CREATE: Operation = operation! { "createConsent" POST "/v1/consents",
    tag: "Consents", summary: "Ask for access to a customer's accounts",
    area: Area::OpenBanking, right: AIS, success: 201, refusals: &[RefusalReason::Inconsistent], doc: &consent::CREATE,
};
pub static CONSENT_FETCH: Operation = operation! { "fetchConsent" GET "/v1/consents/{consentId}",
    tag: "Consents", summary: "What a consent covers, and where it stands",
    area: Area::OpenBanking, right: AIS, refusals: &[RefusalReason::ConsentUnknown], doc: &consent::FETCH,
};
pub static CONSENT_STATUS: Operation = operation! { "fetchConsentStatus" GET "/v1/consents/{consentId}/status",
    tag: "Consents", summary: "Where a consent stands",
    area: Area::OpenBanking, right: AIS, refusals: &[RefusalReason::ConsentUnknown], doc: &consent::STATUS,
};
pub static CONSENT_DELETE: Operation = operation! { "deleteConsent" DELETE "/v1/consents/{consentId}",
    tag: "Consents", summary: "Give a consent back",
    area: Area::OpenBanking, right: AIS, success: 204, refusals: &[RefusalReason::ConsentUnknown, RefusalReason::Inconsistent],
    doc: &consent::DELETE,
};
pub static CONSENT_AUTHORISATION_LIST: Operation = operation! {
    "listConsentAuthorisations" GET "/v1/consents/{consentId}/authorisations",
    tag: "Consents", summary: "The authorisations that were started",
    area: Area::OpenBanking, right: AIS, refusals: &[RefusalReason::ConsentUnknown], doc: &authorisation::LIST,
};
pub static CONSENT_AUTHORISATION_START: Operation = operation! {
    "startConsentAuthorisation" POST "/v1/consents/{consentId}/authorisations",
    tag: "Consents", summary: "Start the customer's strong authentication",
    area: Area::OpenBanking, right: AIS,
    refusals: &[RefusalReason::ConsentUnknown, RefusalReason::Inconsistent, RefusalReason::StatusInvalid, RefusalReason::AccessExceeded],
    doc: &authorisation::START,
};
pub static CONSENT_AUTHORISATION_FETCH: Operation = operation! {
    "fetchConsentAuthorisation" GET "/v1/consents/{consentId}/authorisations/{authorisationId}",
    tag: "Consents", summary: "Where an authorisation stands",
    area: Area::OpenBanking, right: AIS, refusals: &[RefusalReason::ConsentUnknown, RefusalReason::ResourceUnknown],
    doc: &authorisation::FETCH,
};
pub static CONSENT_AUTHORISATION_UPDATE: Operation = operation! {
    "updateConsentAuthorisation" PUT "/v1/consents/{consentId}/authorisations/{authorisationId}",
    tag: "Consents", summary: "Take the customer's next step: password, method, code",
    area: Area::OpenBanking, right: AIS,
    refusals: &[
        RefusalReason::ConsentUnknown, RefusalReason::ResourceUnknown, RefusalReason::Inconsistent, RefusalReason::StatusInvalid,
        RefusalReason::StepOutOfOrder, RefusalReason::ScaMethodUnknown, RefusalReason::CredentialsInvalid, RefusalReason::AccessExceeded,
    ],
    doc: &authorisation::UPDATE,
};
pub static FUNDS_CONSENT_CREATE: Operation = operation! {
    "createFundsConsent" POST "/v2/consents/confirmation-of-funds",
    tag: "Funds consents", summary: "Ask for leave to check whether money is there",
    area: Area::OpenBanking, codes: Codes::Funds, right: FUNDS, success: 201, refusals: &[RefusalReason::Inconsistent],
    doc: &funds::CREATE,
};
pub static FUNDS_CONSENT_FETCH: Operation = operation! {
    "fetchFundsConsent" GET "/v2/consents/confirmation-of-funds/{consentId}",
    tag: "Funds consents", summary: "What a funds consent covers, and where it stands",
    area: Area::OpenBanking, codes: Codes::Funds, right: FUNDS, refusals: &[RefusalReason::ConsentUnknown],
    doc: &funds::FETCH,
};
pub static FUNDS_CONSENT_DELETE: Operation = operation! {
    "deleteFundsConsent" DELETE "/v2/consents/confirmation-of-funds/{consentId}",
    tag: "Funds consents", summary: "Give a funds consent back",
    area: Area::OpenBanking, codes: Codes::Funds, right: FUNDS, success: 204,
    refusals: &[RefusalReason::ConsentUnknown, RefusalReason::Inconsistent], doc: &funds::DELETE,
};
pub static FUNDS_CONSENT_STATUS: Operation = operation! {
    "fetchFundsConsentStatus" GET "/v2/consents/confirmation-of-funds/{consentId}/status",
    tag: "Funds consents", summary: "Where a funds consent and its newest authorisation stand",
    area: Area::OpenBanking, right: FUNDS, refusals: &[RefusalReason::ConsentUnknown], doc: &funds::STATUS,
};
pub static FUNDS_AUTHORISATION_LIST: Operation = operation! {
    "listFundsConsentAuthorisations" GET "/v2/consents/confirmation-of-funds/{consentId}/authorisations",
    tag: "Funds consents", summary: "The authorisations that were started",
    area: Area::OpenBanking, right: FUNDS, refusals: &[RefusalReason::ConsentUnknown], doc: &authorisation::LIST,
};
pub static FUNDS_AUTHORISATION_START: Operation = operation! {
    "startFundsConsentAuthorisation" POST "/v2/consents/confirmation-of-funds/{consentId}/authorisations",
    tag: "Funds consents", summary: "Start the customer's strong authentication",
    area: Area::OpenBanking, right: FUNDS,
    refusals: &[RefusalReason::ConsentUnknown, RefusalReason::Inconsistent, RefusalReason::StatusInvalid, RefusalReason::AccessExceeded],
    doc: &authorisation::START,
};
pub static FUNDS_AUTHORISATION_FETCH: Operation = operation! {
    "fetchFundsConsentAuthorisation" GET "/v2/consents/confirmation-of-funds/{consentId}/authorisations/{authorisationId}",
    tag: "Funds consents", summary: "Where an authorisation stands",
    area: Area::OpenBanking, right: FUNDS, refusals: &[RefusalReason::ConsentUnknown, RefusalReason::ResourceUnknown],
    doc: &authorisation::FETCH,
};
pub static FUNDS_AUTHORISATION_UPDATE: Operation = operation! {
    "updateFundsConsentAuthorisation" PUT "/v2/consents/confirmation-of-funds/{consentId}/authorisations/{authorisationId}",
    tag: "Funds consents", summary: "Take the customer's next step: password, method, code",
    area: Area::OpenBanking, right: FUNDS,
    refusals: &[
        RefusalReason::ConsentUnknown, RefusalReason::ResourceUnknown, RefusalReason::Inconsistent, RefusalReason::StatusInvalid,
        RefusalReason::StepOutOfOrder, RefusalReason::ScaMethodUnknown, RefusalReason::CredentialsInvalid, RefusalReason::AccessExceeded,
    ],
    doc: &authorisation::UPDATE,
};
pub static FUNDS_CONFIRMATION: Operation = operation! { "confirmFunds" POST "/v1/funds-confirmations",
    tag: "Funds consents", summary: "Whether an amount is there",
    area: Area::OpenBanking, codes: Codes::Funds, right: FUNDS, refusals: &[
        RefusalReason::Inconsistent, RefusalReason::ConsentUnknown, RefusalReason::ConsentInvalid, RefusalReason::CardInvalid,
        RefusalReason::FundsNotActivated, RefusalReason::AccessExceeded,
    ], doc: &funds::CONFIRM,
};
pub static SANDBOX_CLOCK: Operation = operation! { "fetchClock" GET "/sandbox/clock",
    tag: "Sandbox", summary: "What time the bank believes it is", doc: &sandbox::CLOCK,
};
pub static SANDBOX_CLOCK_ADVANCE: Operation = operation! { "advanceClock" POST "/sandbox/clock",
    tag: "Sandbox", summary: "Move the bank's clock forward", refusals: &[RefusalReason::Malformed],
    doc: &sandbox::CLOCK_ADVANCE,
};
pub static SANDBOX_MESSAGES: Operation = operation! { "fetchMessages" GET "/sandbox/messages",
    tag: "Sandbox", summary: "What customers were sent: the newest hundred", doc: &sandbox::MESSAGES,
};
pub static SANDBOX_APPLICATION: Operation = operation! {
    "changeApplication" PATCH "/sandbox/applications/{applicationId}",
    tag: "Sandbox", summary: "Set the calling application's own callback and redirect addresses",
    right: Right::Application, refusals: &[RefusalReason::ClientUnknown, RefusalReason::ResourceUnknown],
    doc: &sandbox::APPLICATION,
};
pub static LIVEZ: Operation = operation! { "livez" GET "/livez",
    tag: "Operation", summary: "Whether the process runs", doc: &health::LIVE,
};
pub static READYZ: Operation = operation! { "readyz" GET "/readyz",
    tag: "Operation", summary: "Whether the process takes requests", doc: &health::READY,
};
pub static METRICS: Operation = operation! { "metrics" GET "/metrics",
    tag: "Operation", summary: "Counters and timings for Prometheus", doc: &health::METRICS,
};
pub static OPENAPI: Operation = operation! { "openapi" GET "/openapi.json",
    tag: "Operation", summary: "This document", doc: &health::OPENAPI,
};
pub static DOCS: Operation = operation! { "docs" GET "/docs",
    tag: "Operation", summary: "This document, for people", doc: &health::PAGE,
};

/// All of them, in the order of the documentation.
pub static OPERATIONS: &[&Operation] = &[
    &CONSENT_CREATE,
    &CONSENT_FETCH,
    &CONSENT_STATUS,
    &CONSENT_DELETE,
    &CONSENT_AUTHORISATION_START,
    &CONSENT_AUTHORISATION_LIST,
    &CONSENT_AUTHORISATION_FETCH,
    &CONSENT_AUTHORISATION_UPDATE,
    &FUNDS_CONSENT_CREATE,
    &FUNDS_CONSENT_FETCH,
    &FUNDS_CONSENT_DELETE,
    &FUNDS_CONSENT_STATUS,
    &FUNDS_AUTHORISATION_START,
    &FUNDS_AUTHORISATION_LIST,
    &FUNDS_AUTHORISATION_FETCH,
    &FUNDS_AUTHORISATION_UPDATE,
    &FUNDS_CONFIRMATION,
    &PAYMENT_INITIATE,
    &PAYMENT_FETCH,
    &PAYMENT_STATUS,
    &PAYMENT_CANCEL,
    &PAYMENT_AUTHORISATION_START,
    &PAYMENT_AUTHORISATION_LIST,
    &PAYMENT_AUTHORISATION_FETCH,
    &PAYMENT_AUTHORISATION_UPDATE,
    &CANCELLATION_AUTHORISATION_START,
    &CANCELLATION_AUTHORISATION_LIST,
    &CANCELLATION_AUTHORISATION_FETCH,
    &CANCELLATION_AUTHORISATION_UPDATE,
    &ACCOUNT_LIST,
    &ACCOUNT_DETAILS,
    &ACCOUNT_BALANCES,
    &TRANSACTION_LIST,
    &TRANSACTION_DETAILS,
    &CARD_LIST,
    &CARD_DETAILS,
    &CARD_BALANCES,
    &CARD_TRANSACTIONS,
    &BASKET_CREATE,
    &BASKET_FIND,
    &LOAN_SIMULATE,
    &LOAN_FETCH,
    &LOAN_REFUND,
    &BASKET_VOID,
    &CONFIGURATION,
    &SANDBOX_CLOCK,
    &SANDBOX_CLOCK_ADVANCE,
    &SANDBOX_MESSAGES,
    &SANDBOX_APPLICATION,
    &LIVEZ,
    &READYZ,
    &METRICS,
    &OPENAPI,
    &DOCS,
];

/// Operations of the sandbox do not exist in production.
pub fn is_sandbox_only(operation: &Operation) -> bool {
    operation.path.starts_with("/sandbox/")
}
