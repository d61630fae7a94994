//! Why the bank says no. A refusal is always the caller's doing; what breaks on our side is a store error.
//!
//! There are no HTTP numbers and no message codes here: the edge translates (`docs/refusals.md` is printed from that
//! translation). A refusal carries words for the caller; it never carries a secret, a balance, or a hint that another
//! caller's object exists.

use crate::time::TimeDelta;
use std::fmt;

/// The kinds of no.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum RefusalReason {
    // Who calls
    KeyUnknown,
    ClientUnknown,
    CertificateMissing,
    CertificateInvalid,
    CertificateExpired,
    CertificateBlocked,
    CertificateRevoked,
    RoleMissing,
    ApplicationUnknown,
    RateExceeded,
    // What is said
    Malformed,
    TooLarge,
    NotAcceptable,
    Inconsistent,
    Unsupported,
    PeriodInvalid,
    PathUnknown,
    MethodNotAllowed,
    // What it is about
    ResourceUnknown,
    ProductUnknown,
    ProductInvalid,
    ServiceUnknown,
    // What may be done with it now
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
    /// Every reason once, in the order of the enum: for tables and tests.
    pub const ALL: [Self; 34] = [
        Self::KeyUnknown,
        Self::ClientUnknown,
        Self::CertificateMissing,
        Self::CertificateInvalid,
        Self::CertificateExpired,
        Self::CertificateBlocked,
        Self::CertificateRevoked,
        Self::RoleMissing,
        Self::ApplicationUnknown,
        Self::RateExceeded,
        Self::Malformed,
        Self::TooLarge,
        Self::NotAcceptable,
        Self::Inconsistent,
        Self::Unsupported,
        Self::PeriodInvalid,
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

/// One thing that is wrong, and where. The path is dotted with indices (`access.accounts[0].iban`), a header by its
/// spec name, or empty when the error is in no field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FieldError {
    pub path: String,
    pub text: String,
}

/// A no, with everything that is wrong at once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    pub reason: RefusalReason,
    pub errors: Vec<FieldError>,
    /// When asking again makes sense.
    pub retry_after: Option<TimeDelta>,
    /// The same call was refused before, and this is what it was told then.
    pub replayed: bool,
}

impl Refusal {
    pub fn new(reason: RefusalReason, text: impl Into<String>) -> Self {
        Self::at(reason, "", text)
    }

    pub fn at(reason: RefusalReason, path: impl Into<String>, text: impl Into<String>) -> Self {
        let error = FieldError { path: path.into(), text: text.into() };
        Self { reason, errors: vec![error], retry_after: None, replayed: false }
    }

    pub fn malformed(path: impl Into<String>, text: impl Into<String>) -> Self {
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
            write!(f, "; {}: {}", error.path, error.text)?;
        }
        Ok(())
    }
}

impl std::error::Error for Refusal {}

/// Collects the errors of a whole body, so that the caller learns all of them at once.
#[derive(Debug, Default)]
pub struct FieldErrors(Vec<FieldError>);

impl FieldErrors {
    pub fn add(&mut self, path: impl Into<String>, text: impl Into<String>) {
        self.0.push(FieldError { path: path.into(), text: text.into() });
    }

    /// Keeps the value of a parse, or notes its error and gives `None`.
    pub fn collect<T>(&mut self, path: &str, parsed: Result<T, impl Into<String>>) -> Option<T> {
        parsed.map_err(|text| self.add(path, text)).ok()
    }

    /// The same at a place that is only put together when there is a error to note.
    pub fn collect_at<T>(
        &mut self,
        path: impl FnOnce() -> String,
        parsed: Result<T, impl Into<String>>,
    ) -> Option<T> {
        parsed.map_err(|text| self.add(path(), text)).ok()
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Takes over what another reader found at places where nothing is known to be wrong yet.
    pub fn merge(&mut self, other: Self) {
        let known: Vec<String> = self.0.iter().map(|error| error.path.clone()).collect();
        self.0.extend(other.0.into_iter().filter(|error| !known.contains(&error.path)));
    }

    /// Ok when nothing was found wrong, else one refusal with all of it.
    pub fn finish(self) -> Result<(), Refusal> {
        if self.0.is_empty() {
            return Ok(());
        }
        Err(Refusal { reason: RefusalReason::Malformed, errors: self.0, retry_after: None, replayed: false })
    }
}
