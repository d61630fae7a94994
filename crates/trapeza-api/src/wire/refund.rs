//! What merchants take back (our additions to §4.5), in and out: refunds of loans, and baskets voided.

use super::basket::request_id;
use super::configuration::money;
use super::fields::Fields;
use serde_json::{Value, json};
use trapeza_app::loan::{RefundOrder, RefundView, Voided};
use trapeza_domain::decimal::{parse_decimal, to_money};
use trapeza_domain::loan::Refund;
use trapeza_domain::money::{Currency, Money};
use trapeza_domain::refusal::Refusal;
use trapeza_http::extract::json::Json;
use uuid::Uuid;

/// What a merchant sends, under its own id of the call.
pub struct RefundRequest {
    pub request: Uuid,
    pub order: RefundOrder,
}

/// A refund in the merchant's currency.
pub fn refund(body: &Json, currency: Currency) -> Result<RefundRequest, Refusal> {
    let fields = Fields::of(body)?;
    let text = fields.opt_number("amount");
    let amount = fields.required("amount", text).and_then(|text| {
        let read = parse_decimal(text).and_then(|number| to_money(number, currency));
        fields.parsed("amount", read)
    });
    if amount.is_some_and(|amount| !amount.is_positive()) {
        fields.fault("amount", "has to be more than zero");
    }
    let reason = fields.opt_text("reason");
    let reason = reason.and_then(|text| fields.parsed("reason", Refund::reason_parse(text)));
    asked(&fields, amount, reason)
}

/// A basket taken back.
pub fn void(body: &Json) -> Result<RefundRequest, Refusal> {
    asked(&Fields::of(body)?, None, None)
}

fn asked(
    fields: &Fields<'_>,
    amount: Option<Money>,
    reason: Option<String>,
) -> Result<RefundRequest, Refusal> {
    let basket = fields.text("basketId");
    let text = fields.text("requestId");
    let request = text.and_then(|text| fields.parsed("requestId", request_id(text)));
    fields.finish()?;
    // What is missing has its fault, so this is not reached; better a refusal than a panic.
    let missing = || Refusal::malformed("", "a required field is missing");
    let order = RefundOrder {
        basket: basket.ok_or_else(missing)?.to_owned(),
        request: text.ok_or_else(missing)?.to_owned(),
        amount,
        reason,
    };
    Ok(RefundRequest { request: request.ok_or_else(missing)?, order })
}

/// What was refunded by this call, in all, and what still can be.
pub fn refunded(view: &RefundView) -> Value {
    let (record, financed) = (&view.record, view.basket.order.value);
    let amount = |minor| money(Money { minor, ..financed });
    let left = financed.minor - record.refund.total_minor;
    let message = if left == 0 { "The loan was refunded whole." } else { "A part of the loan was refunded." };
    json!({
        "requestId": record.request,
        "refundId": record.id.to_string(),
        "basketId": view.basket.public.to_string(),
        "orderIdentifier": view.basket.order.order_identifier,
        "bnplRequestId": record.loan.to_string(),
        "amount": amount(record.refund.amount_minor),
        "refundedAmount": amount(record.refund.total_minor),
        "refundableAmount": amount(left),
        "message": message,
        "errors": [],
    })
}

pub fn voided(voided: &Voided, request: &str) -> Value {
    match voided {
        Voided::Refunded(view) => {
            let mut body = refunded(view);
            body["status"] = json!("refunded");
            body
        }
        Voided::Ended(basket) => json!({
            "requestId": request,
            "basketId": basket.public.to_string(),
            "orderIdentifier": basket.order.order_identifier,
            "status": basket.state.name(),
            "message": "The basket was taken back; nothing is lent for it any more.",
            "errors": [],
        }),
    }
}
