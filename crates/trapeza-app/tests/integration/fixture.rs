//! Helpers of all suites: what a use case was refused for.

use std::fmt::Debug;
use trapeza_app::UseCaseError;
use trapeza_domain::field::FieldPath;
use trapeza_domain::refusal::{Refusal, RefusalReason};

/// The refusal of a result that must be one.
pub fn refusal<T: Debug>(result: Result<T, UseCaseError>) -> Refusal {
    match result {
        Err(UseCaseError::Refused(refusal)) => refusal,
        other => panic!("not refused: {other:?}"),
    }
}

pub fn refusal_reason<T: Debug>(result: Result<T, UseCaseError>) -> RefusalReason {
    refusal(result).reason
}

/// The reason, and the path of the first field error.
pub fn refusal_at<T: Debug>(result: Result<T, UseCaseError>) -> (RefusalReason, FieldPath) {
    let refusal = refusal(result);
    (refusal.reason, refusal.errors[0].path.clone())
}
