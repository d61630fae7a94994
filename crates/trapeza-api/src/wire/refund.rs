//! Refunds of loans and voided baskets (our additions to §4.5).

use super::basket::request_id;
use super::configuration::money;
use super::fields::{Fields, missing_field};
use serde::Serialize;
use serde_json::Number;
use trapeza_app::loan::{RefundOrder, RefundView, Voided};
use trapeza_domain::decimal::{parse_decimal, to_money};
use trapeza_domain::loan::Refund;
use trapeza_domain::money::{Currency, Money};
use trapeza_domain::refusal::Refusal;
use trapeza_http::extract::json::Json;
use uuid::Uuid;

/// A refund request with its idempotency key.
pub struct RefundRequest {
    pub request: Uuid,
    pub order: RefundOrder,
}

/// Reads a refund in the merchant's currency.
pub fn refund(body: &Json, currency: Currency) -> Result<RefundRequest, Refusal> {
    let fields = Fields::of(body)?;
    let text = fields.opt_number("amount");
    let amount = fields.required("amount", text).and_then(|text| {
        let read = parse_decimal(text).and_then(|number| to_money(number, currency));
        fields.parsed("amount", read)
    });
    if amount.is_some_and(|amount| !amount.is_positive()) {
        fields.error("amount", "must be greater than zero");
    }
    let reason = fields.opt_text("reason");
    let reason = reason.and_then(|text| fields.parsed("reason", Refund::reason_parse(text)));
    read(&fields, amount, reason)
}

/// Reads the request to void a basket.
pub fn void(body: &Json) -> Result<RefundRequest, Refusal> {
    read(&Fields::of(body)?, None, None)
}

fn read(
    fields: &Fields<'_>,
    amount: Option<Money>,
    reason: Option<String>,
) -> Result<RefundRequest, Refusal> {
    let basket = fields.text("basketId");
    let text = fields.text("requestId");
    let request = text.and_then(|text| fields.parsed("requestId", request_id(text)));
    fields.finish()?;
    let order = RefundOrder {
        basket: basket.ok_or_else(missing_field)?.to_owned(),
        request: text.ok_or_else(missing_field)?.to_owned(),
        amount,
        reason,
    };
    Ok(RefundRequest { request: request.ok_or_else(missing_field)?, order })
}

/// The refund of this request, the total so far, and the remaining amount.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Refunded<'a> {
    request_id: &'a str,
    refund_id: String,
    basket_id: String,
    order_identifier: &'a str,
    bnpl_request_id: String,
    amount: Number,
    refunded_amount: Number,
    refundable_amount: Number,
    message: &'static str,
    errors: [&'static str; 0],
    #[serde(skip_serializing_if = "Option::is_none")]
    status: Option<&'static str>,
}

pub fn refunded(view: &RefundView) -> Refunded<'_> {
    let (refund, financed) = (&view.refund, view.basket.order.value);
    let amount = |minor| money(Money { minor, ..financed });
    let left = financed.minor - refund.total_minor;
    Refunded {
        request_id: &view.request,
        refund_id: view.id.to_string(),
        basket_id: view.basket.public.to_string(),
        order_identifier: &view.basket.order.order_identifier,
        bnpl_request_id: view.loan.to_string(),
        amount: amount(refund.amount_minor),
        refunded_amount: amount(refund.total_minor),
        refundable_amount: amount(left),
        message: if left == 0 { "The loan was fully refunded." } else { "The loan was partially refunded." },
        errors: [],
        status: None,
    }
}

/// The response to voiding a basket: its loan was refunded, or the basket ended without one.
#[derive(Serialize)]
#[serde(untagged)]
pub enum VoidedOut<'a> {
    Refunded(Refunded<'a>),
    Ended(Ended<'a>),
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Ended<'a> {
    request_id: &'a str,
    basket_id: String,
    order_identifier: &'a str,
    status: &'static str,
    message: &'static str,
    errors: [&'static str; 0],
}

pub fn voided<'a>(voided: &'a Voided, request: &'a str) -> VoidedOut<'a> {
    match voided {
        Voided::Refunded(view) => {
            VoidedOut::Refunded(Refunded { status: Some("refunded"), ..refunded(view) })
        }
        Voided::Ended(basket) => VoidedOut::Ended(Ended {
            request_id: request,
            basket_id: basket.public.to_string(),
            order_identifier: &basket.order.order_identifier,
            status: basket.state.name(),
            message: "The basket was voided; no loan will be granted for it.",
            errors: [],
        }),
    }
}
