//! Confirmation of funds (§4.1, endpoint 1).

use crate::wire::funds as wire;
use axum::http::StatusCode;
use axum::response::Response;
use trapeza_app::UseCaseError;
use trapeza_domain::field::Field;
use trapeza_domain::refusal::Refusal;
use trapeza_http::extract::TppRequest;
use trapeza_http::response::{json, mark_replayed};

pub async fn confirm(request: TppRequest) -> Result<Response, UseCaseError> {
    let consent = request.header(&["consentId", "Consent-ID"])?.unwrap_or_default().to_owned();
    if consent.is_empty() {
        return Err(
            Refusal::malformed(Field::UsedFundsConsent, "is required: the id of a funds consent").into()
        );
    }
    let question = wire::question(&request.json()?)?;
    let idempotent = request.idempotent("", &consent);
    let there = request.state.app.funds_confirm(idempotent, &request.caller, &consent, question).await?;
    Ok(mark_replayed(json(StatusCode::OK, &wire::confirmation(there.value)), &there))
}
