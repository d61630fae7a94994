//! What can go wrong on our side of the counter, and the two ways a job can stop.

use std::fmt;
use trapeza_domain::refusal::Refusal;

/// A failure of ours. The caller did nothing wrong, and is told no more than whether to come again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StoreError {
    /// Too much work is waiting already. Nothing was begun.
    Busy,
    /// The store is closing, or its database cannot be reached. Nothing was begun.
    Closed,
    /// Whether the work was kept is not known (disk full, connection lost). The same id may be sent again.
    OutcomeUnknown(String),
    /// The engine asks for the whole transaction to be run again. Never leaves this crate.
    Conflict(String),
    /// The connection broke while the work was under way. Never leaves this crate.
    Disconnected(String),
    /// A statement or a row is not what the code believes: a fault in the program or in the database.
    Internal(String),
}

impl StoreError {
    pub fn internal(what: impl fmt::Display) -> Self {
        Self::Internal(what.to_string())
    }

    /// Whether the disk has failed, so that only a fresh start tells what is on it.
    pub(crate) fn is_ruin(&self) -> bool {
        self.to_string().contains("disk I/O error")
    }

    /// Whether coming again can help.
    pub fn is_retryable(&self) -> bool {
        !matches!(self, Self::Internal(_))
    }
}

impl fmt::Display for StoreError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Busy => f.write_str("too much work is waiting"),
            Self::Closed => f.write_str("the store is not open"),
            Self::OutcomeUnknown(why) => write!(f, "it is not known whether the work was kept: {why}"),
            Self::Conflict(why) => write!(f, "the transaction has to run again: {why}"),
            Self::Disconnected(why) => write!(f, "the database connection was lost: {why}"),
            Self::Internal(why) => write!(f, "the store is at fault: {why}"),
        }
    }
}

impl std::error::Error for StoreError {}

/// Why a job ended without its result. Either way nothing of it is kept.
///
/// A refusal that must leave a mark (a wrong code counted) is not a stop: the closure returns it inside `Ok`.
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
