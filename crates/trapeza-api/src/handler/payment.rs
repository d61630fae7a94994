//! Payments (§4.2): initiate, fetch, status, cancel. All succeed with 200.

use crate::wire::payment as wire;
use axum::http::StatusCode;
use axum::response::Response;
use trapeza_app::UseCaseError;
use trapeza_domain::field::{Field, FieldPath};
use trapeza_domain::payment::PaymentProduct;
use trapeza_domain::refusal::{Refusal, RefusalReason};
use trapeza_http::extract::{TppRequest, malformed};
use trapeza_http::response::{json, mark_replayed};

pub async fn initiate(request: TppRequest) -> Result<Response, UseCaseError> {
    let psu = request.psu_id()?.to_owned();
    let consent = request.header(&["consentID", "Consent-ID"])?.unwrap_or_default();
    let idempotent = request.idempotent(&psu, consent);
    let consent = Some(consent.to_owned()).filter(|consent| !consent.is_empty());
    if request.psu_address()?.is_none() {
        let text = "is required: the customer must be present";
        return Err(malformed("pSUIPAddress", text).into());
    }
    let product = product(&request)?;
    let order = wire::order(product, &request.json()?)?;
    let taken = request.state.app.payment_initiate(idempotent, &request.caller, psu, consent, order).await?;
    let body =
        wire::initiated(&taken.value.payment, &taken.value.contact.methods, &taken.value.contact.phone);
    Ok(mark_replayed(json(StatusCode::OK, &body), &taken))
}

pub async fn get(request: TppRequest) -> Result<Response, UseCaseError> {
    let product = product(&request)?;
    let payment = request.state.app.payment_find(&request.caller, product, request.path("paymentId")).await?;
    Ok(json(StatusCode::OK, &wire::details(&payment)))
}

pub async fn status(request: TppRequest) -> Result<Response, UseCaseError> {
    let product = product(&request)?;
    let payment = request.state.app.payment_find(&request.caller, product, request.path("paymentId")).await?;
    Ok(json(StatusCode::OK, &wire::status(&payment)))
}

pub async fn cancel(request: TppRequest) -> Result<Response, UseCaseError> {
    let (product, id, idempotent) =
        (product(&request)?, request.path("paymentId"), request.idempotent("", ""));
    let called = request.state.app.payment_cancel(idempotent, &request.caller, product, id).await?;
    let methods = request.state.app.methods_for(&called.value.psu).await?;
    let path = format!("/v1/{}/{}/{id}", wire::SERVICE, product.name());
    Ok(mark_replayed(json(StatusCode::OK, &wire::cancelled(&called.value, &methods, &path)), &called))
}

/// The product in the path, after a check of the service.
pub fn product(request: &TppRequest) -> Result<PaymentProduct, Refusal> {
    if request.path("payment-service") != wire::SERVICE {
        let text = "unknown payment service; use payments";
        return Err(Refusal::at(RefusalReason::ServiceUnknown, FieldPath::spelled("payment-service"), text));
    }
    PaymentProduct::parse_native(request.path("payment-product")).ok_or_else(|| {
        let text = "unknown product; use internal-transfers or sepa-credit-transfers";
        Refusal::at(RefusalReason::ProductUnknown, Field::PaymentProduct, text)
    })
}
