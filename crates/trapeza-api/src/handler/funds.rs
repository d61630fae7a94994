//! Whether money is there (§4.1, endpoint 1).

use crate::wire::funds as wire;
use axum::http::StatusCode;
use axum::response::Response;
use trapeza_app::UseCaseError;
use trapeza_domain::refusal::Refusal;
use trapeza_http::call::TppCall;
use trapeza_http::response::{reply, told};

pub async fn confirm(call: TppCall) -> Result<Response, UseCaseError> {
    let consent = call.header(&["consentId", "Consent-ID"])?.unwrap_or_default().to_owned();
    if consent.is_empty() {
        return Err(Refusal::malformed("consentId", "the id of a funds consent is required").into());
    }
    let question = wire::question(&call.json()?)?;
    let named = call.named("", &consent);
    let there = call.bank.app.funds_confirm(named, &call.who, &consent, question).await?;
    Ok(told(reply(StatusCode::OK, &wire::confirmed(there.value)), &there))
}
