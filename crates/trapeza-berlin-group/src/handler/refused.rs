//! Services of the standard that the bank does not offer.

use axum::response::Response;
use trapeza_app::UseCaseError;
use trapeza_domain::refusal::{Refusal, RefusalReason};
use trapeza_http::extract::TppRequest;

pub async fn service(_: TppRequest) -> Result<Response, UseCaseError> {
    Err(Refusal::new(RefusalReason::ServiceUnknown, "this service is not offered").into())
}
