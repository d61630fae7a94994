//! Refusals: requests that are rejected because of the caller. Failures on our side are store errors.
//!
//! A refusal has no HTTP status and no message code; `trapeza-http` translates it (docs/refusals.md is generated from that
//! translation). Its messages are for the caller and never contain a secret, a balance, or a hint that another caller's
//! object exists.

use crate::field::{FieldPath, PathSegment};
use crate::time::TimeDelta;
use std::fmt;

/// Why a request is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum RefusalReason {
    // Authentication
    KeyUnknown,
    ClientUnknown,
    CertificateMissing,
    CertificateInvalid,
    CertificateExpired,
    CertificateBlocked,
    CertificateRevoked,
    RoleMissing,
    SignatureMissing,
    SignatureInvalid,
    ApplicationUnknown,
    RateExceeded,
    // Format
    Malformed,
    TooLarge,
    NotAcceptable,
    MediaTypeUnsupported,
    Inconsistent,
    Unsupported,
    PeriodInvalid,
    ExecutionDateInvalid,
    PathUnknown,
    MethodNotAllowed,
    // Resource
    ResourceUnknown,
    ProductUnknown,
    ProductInvalid,
    ServiceUnknown,
    // State
    StatusInvalid,
    StepOutOfOrder,
    ScaMethodUnknown,
    CredentialsInvalid,
    CancellationInvalid,
    ConsentUnknown,
    ConsentInvalid,
    ConsentLacksRight,
    ConsentExpired,
    AccessExceeded,
    CardInvalid,
    FundsNotActivated,
}

impl RefusalReason {
    /// All reasons in the order of the enum, for tables and tests.
    pub const ALL: [Self; 38] = [
        Self::KeyUnknown,
        Self::ClientUnknown,
        Self::CertificateMissing,
        Self::CertificateInvalid,
        Self::CertificateExpired,
        Self::CertificateBlocked,
        Self::CertificateRevoked,
        Self::RoleMissing,
        Self::SignatureMissing,
        Self::SignatureInvalid,
        Self::ApplicationUnknown,
        Self::RateExceeded,
        Self::Malformed,
        Self::TooLarge,
        Self::NotAcceptable,
        Self::MediaTypeUnsupported,
        Self::Inconsistent,
        Self::Unsupported,
        Self::PeriodInvalid,
        Self::ExecutionDateInvalid,
        Self::PathUnknown,
        Self::MethodNotAllowed,
        Self::ResourceUnknown,
        Self::ProductUnknown,
        Self::ProductInvalid,
        Self::ServiceUnknown,
        Self::StatusInvalid,
        Self::StepOutOfOrder,
        Self::ScaMethodUnknown,
        Self::CredentialsInvalid,
        Self::CancellationInvalid,
        Self::ConsentUnknown,
        Self::ConsentInvalid,
        Self::ConsentLacksRight,
        Self::ConsentExpired,
        Self::AccessExceeded,
        Self::CardInvalid,
        Self::FundsNotActivated,
    ];
}

/// One invalid field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FieldError {
    pub path: FieldPath,
    pub text: String,
}

/// A refusal with all its field errors.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    pub reason: RefusalReason,
    pub errors: Vec<FieldError>,
    /// When a retry can succeed.
    pub retry_after: Option<TimeDelta>,
    /// The same request was refused before, and this repeats the first answer.
    pub replayed: bool,
}

impl Refusal {
    pub fn new(reason: RefusalReason, text: impl Into<String>) -> Self {
        Self::at(reason, FieldPath::REQUEST, text)
    }

    pub fn at(reason: RefusalReason, path: impl Into<FieldPath>, text: impl Into<String>) -> Self {
        let error = FieldError { path: path.into(), text: text.into() };
        Self { reason, errors: vec![error], retry_after: None, replayed: false }
    }

    pub fn malformed(path: impl Into<FieldPath>, text: impl Into<String>) -> Self {
        Self::at(RefusalReason::Malformed, path, text)
    }

    pub fn retry_after(mut self, span: TimeDelta) -> Self {
        self.retry_after = Some(span);
        self
    }

    pub fn as_replay(mut self) -> Self {
        self.replayed = true;
        self
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", self.reason)?;
        for error in &self.errors {
            write!(f, "; {:?}: {}", error.path, error.text)?;
        }
        Ok(())
    }
}

impl std::error::Error for Refusal {}

/// Collects all field errors of a body, so that the caller gets them in one answer.
#[derive(Debug, Default)]
pub struct FieldErrors(Vec<FieldError>);

impl FieldErrors {
    pub fn add(&mut self, path: impl Into<FieldPath>, text: impl Into<String>) {
        self.0.push(FieldError { path: path.into(), text: text.into() });
    }

    /// Returns the value of a parse, or records its error and returns `None`.
    pub fn collect<T>(
        &mut self,
        path: impl Into<FieldPath>,
        parsed: Result<T, impl Into<String>>,
    ) -> Option<T> {
        parsed.map_err(|text| self.add(path, text)).ok()
    }

    /// Runs a parser whose paths are relative to `parent`.
    pub fn inside<T>(&mut self, parent: impl Into<PathSegment>, parse: impl FnOnce(&mut Self) -> T) -> T {
        let (mut inner, parent) = (Self::default(), parent.into());
        let value = parse(&mut inner);
        let errors = inner.0.into_iter();
        self.0.extend(errors.map(|error| FieldError { path: error.path.inside(parent), ..error }));
        value
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Adds the errors of another reader for paths that have none yet.
    pub fn merge(&mut self, other: Self) {
        let known: Vec<FieldPath> = self.0.iter().map(|error| error.path.clone()).collect();
        self.0.extend(other.0.into_iter().filter(|error| !known.contains(&error.path)));
    }

    pub fn into_vec(self) -> Vec<FieldError> {
        self.0
    }

    /// `Ok` when there are no errors, otherwise one refusal with all of them.
    pub fn finish(self) -> Result<(), Refusal> {
        if self.0.is_empty() {
            return Ok(());
        }
        Err(Refusal { reason: RefusalReason::Malformed, errors: self.0, retry_after: None, replayed: false })
    }
}
