//! Errors of the store, and the two ways in which a use case ends without a result.

use std::fmt;
use trapeza_domain::refusal::Refusal;

/// A failure of the server. The caller learns only whether a retry can help.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StoreError {
    /// The queue is full. The work was not started.
    Busy,
    /// The store is closing, or its database cannot be reached. The work was not started.
    Closed,
    /// It is unknown whether the work was committed (disk full, connection lost). The request may be sent again.
    OutcomeUnknown(String),
    /// The database asks for the whole transaction to be run again. Does not leave this crate.
    Conflict(String),
    /// The connection was lost during the transaction. Does not leave this crate.
    Disconnected(String),
    /// The disk failed to read, write or sync. Only a restart, which recovers from the WAL, shows what is on it.
    IoFailure(String),
    /// A statement or a row is not what the code expects: a defect of the program or of the data.
    Internal(String),
}

impl StoreError {
    pub fn internal(message: impl fmt::Display) -> Self {
        Self::Internal(message.to_string())
    }

    /// A row that must exist does not.
    pub fn missing(entity: &str) -> Self {
        Self::Internal(format!("{entity} not found"))
    }

    /// Whether sending the request again can help.
    pub fn is_retryable(&self) -> bool {
        !matches!(self, Self::Internal(_))
    }
}

impl fmt::Display for StoreError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Busy => f.write_str("the store's queue is full"),
            Self::Closed => f.write_str("the store is closed"),
            Self::OutcomeUnknown(cause) => write!(f, "outcome unknown: {cause}"),
            Self::Conflict(cause) => write!(f, "transaction conflict: {cause}"),
            Self::Disconnected(cause) => write!(f, "database connection lost: {cause}"),
            Self::IoFailure(cause) => write!(f, "disk I/O failure: {cause}"),
            Self::Internal(cause) => write!(f, "internal store error: {cause}"),
        }
    }
}

impl std::error::Error for StoreError {}

/// The row of an entity that must exist.
pub trait Required<T> {
    fn required(self, entity: &str) -> Result<T, StoreError>;
}

impl<T> Required<T> for Option<T> {
    fn required(self, entity: &str) -> Result<T, StoreError> {
        self.ok_or_else(|| StoreError::missing(entity))
    }
}

/// Why a use case ended without its result. Either way its transaction is rolled back.
///
/// A refusal that must leave an effect (a wrong OTP counted) is not such an error: the closure returns it inside `Ok`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum UseCaseError {
    Refused(Refusal),
    Failed(StoreError),
}

impl From<Refusal> for UseCaseError {
    fn from(refusal: Refusal) -> Self {
        Self::Refused(refusal)
    }
}

impl From<StoreError> for UseCaseError {
    fn from(error: StoreError) -> Self {
        Self::Failed(error)
    }
}

impl fmt::Display for UseCaseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Refused(refusal) => refusal.fmt(f),
            Self::Failed(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for UseCaseError {}
