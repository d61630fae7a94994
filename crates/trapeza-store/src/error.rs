//! Errors of the store, and the two ways in which a use case ends without a result.

use std::error::Error;
use std::fmt;
use std::sync::Arc;
use trapeza_domain::refusal::Refusal;

/// A failure of the server. The caller learns only whether a retry can help.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StoreError {
    /// The queue is full. The work was not started.
    Busy,
    /// The store is closing, or its database cannot be reached. The work was not started.
    Closed,
    /// It is unknown whether the work was committed (disk full, connection lost). The request may be sent again.
    OutcomeUnknown(Cause),
    /// The database asks for the whole transaction to be run again. Does not leave this crate.
    Conflict(Cause),
    /// The writer's audit chain has a row that the writer does not know of: the transaction is run again with another chain. Does not
    /// leave this crate.
    ChainTaken(Cause),
    /// The connection was lost during the transaction. Does not leave this crate.
    Disconnected(Cause),
    /// The disk failed to read, write or sync. Only a restart, which recovers from the WAL, shows what is on it.
    IoFailure(Cause),
    /// A statement or a row is not what the code expects: a defect of the program or of the data.
    Internal(Cause),
}

/// The cause of a failure: an error of the driver or the operating system, or a text. Two causes with the same text are equal.
#[derive(Clone)]
pub struct Cause(Arc<dyn Error + Send + Sync>);

impl Cause {
    pub(crate) fn new(error: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        Self(Arc::from(error.into()))
    }
}

impl From<&str> for Cause {
    fn from(text: &str) -> Self {
        Self::new(text)
    }
}

impl fmt::Display for Cause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl fmt::Debug for Cause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.0, f)
    }
}

impl PartialEq for Cause {
    fn eq(&self, other: &Self) -> bool {
        self.to_string() == other.to_string()
    }
}

impl Eq for Cause {}

impl StoreError {
    pub fn internal(message: impl fmt::Display) -> Self {
        Self::Internal(Cause::new(message.to_string()))
    }

    pub fn outcome_unknown(message: impl fmt::Display) -> Self {
        Self::OutcomeUnknown(Cause::new(message.to_string()))
    }

    /// A row that must exist does not.
    pub fn missing(entity: &str) -> Self {
        Self::internal(format_args!("{entity} not found"))
    }

    fn cause(&self) -> Option<&Cause> {
        match self {
            Self::Busy | Self::Closed => None,
            Self::OutcomeUnknown(cause)
            | Self::Conflict(cause)
            | Self::ChainTaken(cause)
            | Self::Disconnected(cause)
            | Self::IoFailure(cause)
            | Self::Internal(cause) => Some(cause),
        }
    }

    /// Whether the queue was full. That is counted (`trapeza_store_queue_rejected_total`) and not logged: a line for each request would
    /// add to the load.
    pub fn is_overload(&self) -> bool {
        matches!(self, Self::Busy)
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
            Self::ChainTaken(cause) => write!(f, "audit chain continued elsewhere: {cause}"),
            Self::Disconnected(cause) => write!(f, "no connection to the database: {cause}"),
            Self::IoFailure(cause) => write!(f, "disk I/O failure: {cause}"),
            Self::Internal(cause) => write!(f, "internal store error: {cause}"),
        }
    }
}

impl Error for StoreError {
    /// What is behind the cause. The text of the cause itself is part of this error's text.
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        self.cause()?.0.source()
    }
}

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

impl UseCaseError {
    /// The same as [`StoreError::is_overload`].
    pub fn is_overload(&self) -> bool {
        matches!(self, Self::Failed(error) if error.is_overload())
    }
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

impl Error for UseCaseError {
    /// The text of a failure is that of the store's error, so the chain continues with its source.
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            Self::Refused(_) => None,
            Self::Failed(error) => error.source(),
        }
    }
}
