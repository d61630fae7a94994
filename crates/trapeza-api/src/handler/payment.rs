//! Payments (§4.2): initiate, fetch, status, cancel. All succeed with 200.

use crate::wire::payment as wire;
use axum::http::StatusCode;
use axum::response::Response;
use trapeza_app::UseCaseError;
use trapeza_domain::payment::PaymentProduct;
use trapeza_domain::refusal::{Refusal, RefusalReason};
use trapeza_http::call::TppCall;
use trapeza_http::response::{reply, told};

pub async fn initiate(call: TppCall) -> Result<Response, UseCaseError> {
    let psu = call.psu_id()?.to_owned();
    let consent = call.header(&["consentID", "Consent-ID"])?.unwrap_or_default();
    let named = call.named(&psu, consent);
    let consent = Some(consent.to_owned()).filter(|consent| !consent.is_empty());
    if call.psu_address()?.is_none() {
        let text = "the address of the customer, who has to be here, is required";
        return Err(Refusal::malformed("pSUIPAddress", text).into());
    }
    let product = product(&call)?;
    let order = wire::order(product, &call.json()?)?;
    let taken = call.bank.app.payment_initiate(named, &call.who, psu, consent, order).await?;
    let body =
        wire::initiated(&taken.value.payment, &taken.value.contact.methods, &taken.value.contact.phone);
    Ok(told(reply(StatusCode::OK, &body), &taken))
}

pub async fn fetch(call: TppCall) -> Result<Response, UseCaseError> {
    let product = product(&call)?;
    let payment = call.bank.app.payment_find(&call.who, product, call.path("paymentId")).await?;
    Ok(reply(StatusCode::OK, &wire::fetched(&payment)))
}

pub async fn status(call: TppCall) -> Result<Response, UseCaseError> {
    let product = product(&call)?;
    let payment = call.bank.app.payment_find(&call.who, product, call.path("paymentId")).await?;
    Ok(reply(StatusCode::OK, &wire::status(&payment)))
}

pub async fn cancel(call: TppCall) -> Result<Response, UseCaseError> {
    let (product, id, named) = (product(&call)?, call.path("paymentId"), call.named("", ""));
    let called = call.bank.app.payment_cancel(named, &call.who, product, id).await?;
    let methods = call.bank.app.methods_for(&called.value.psu).await?;
    let path = format!("/v1/{}/{}/{id}", wire::SERVICE, product.name());
    Ok(told(reply(StatusCode::OK, &wire::called_back(&called.value, &methods, &path)), &called))
}

/// The product that the path names, under the one service there is.
pub fn product(call: &TppCall) -> Result<PaymentProduct, Refusal> {
    if call.path("payment-service") != wire::SERVICE {
        let text = "there is no such payment service; payments is the only one";
        return Err(Refusal::at(RefusalReason::ServiceUnknown, "payment-service", text));
    }
    PaymentProduct::parse(call.path("payment-product")).ok_or_else(|| {
        let text =
            "there is no such product; internal-transfers and sepa-credit-transfers are those there are";
        Refusal::at(RefusalReason::ProductUnknown, "payment-product", text)
    })
}
