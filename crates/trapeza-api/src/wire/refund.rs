//! Refunds of loans and voided baskets (our additions to §4.5).

use super::basket::RequestId;
use super::configuration::money;
use super::request::{NumberText, Required, request};
use crate::wire::field_name::spell;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Number;
use trapeza_app::loan::{RefundOrder, RefundView, Voided};
use trapeza_domain::decimal::{parse_decimal, to_money};
use trapeza_domain::loan::Refund;
use trapeza_domain::money::{Currency, Money};
use trapeza_domain::refusal::Refusal;
use trapeza_http::extract::fields::Fields;
use trapeza_http::extract::json::Json;
use uuid::Uuid;

/// A refund request with its idempotency key.
pub struct RefundRequest {
    pub request: Uuid,
    pub order: RefundOrder,
}

request! {
    /// A refund of a loan.
    #[schemars(rename = "RefundOrder")]
    pub struct RefundBody<'a> {
        /// The amount, at most what is not yet refunded.
        #[schemars(extend("exclusiveMinimum" = 0))]
        "amount" => amount: Required<NumberText<'a>>,
        /// The reason, for the bank's staff.
        #[schemars(length(max = 255))]
        "reason" => reason: Option<&'a str>,
        /// The basket's publicBasketId, not its number.
        "basketId" => basket_id: Required<&'a str>,
        /// Your idempotency key. A repeated request gets the first response.
        #[schemars(with = "Uuid")]
        "requestId" => request_id: Required<RequestId<'a>>,
    }
}

request! {
    /// A request to void a basket.
    #[schemars(rename = "VoidOrder")]
    pub struct VoidBody<'a> {
        /// The basket's publicBasketId, not its number.
        "basketId" => basket_id: Required<&'a str>,
        /// Your idempotency key. A repeated request gets the first response.
        #[schemars(with = "Uuid")]
        "requestId" => request_id: Required<RequestId<'a>>,
    }
}

/// Reads a refund in the merchant's currency.
pub fn refund(body: &Json, currency: Currency) -> Result<RefundRequest, Refusal> {
    let fields = Fields::of(body, spell)?;
    let request = RefundBody::read(&fields);
    let amount = request.amount.0.and_then(|NumberText(text)| {
        let read = parse_decimal(text).and_then(|number| to_money(number, currency));
        fields.parsed("amount", read)
    });
    if amount.is_some_and(|amount| !amount.is_positive()) {
        fields.error("amount", "must be greater than zero");
    }
    let reason = request.reason.and_then(|text| fields.parsed("reason", Refund::reason_parse(text)));
    fields.finish()?;
    refund_request(request.basket_id, request.request_id, amount, reason)
}

/// Reads the request to void a basket.
pub fn void(body: &Json) -> Result<RefundRequest, Refusal> {
    let fields = Fields::of(body, spell)?;
    let request = VoidBody::read(&fields);
    fields.finish()?;
    refund_request(request.basket_id, request.request_id, None, None)
}

fn refund_request(
    basket: Required<&str>,
    request: Required<RequestId<'_>>,
    amount: Option<Money>,
    reason: Option<String>,
) -> Result<RefundRequest, Refusal> {
    let RequestId { id, text } = request.value()?;
    let order = RefundOrder { basket: basket.value()?.to_owned(), request: text.to_owned(), amount, reason };
    Ok(RefundRequest { request: id, order })
}

/// A refund: the amount of this request, the total so far, and the remaining amount.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "LoanRefunded")]
pub struct Refunded<'a> {
    /// Your idempotency key.
    #[schemars(with = "Uuid")]
    request_id: &'a str,
    /// The refund's id.
    refund_id: Uuid,
    /// The basket's publicBasketId.
    basket_id: String,
    /// Your identifier of the order.
    order_identifier: &'a str,
    /// The loan's id.
    bnpl_request_id: Uuid,
    /// The amount of this refund.
    amount: Number,
    /// The total of all refunds of the loan.
    refunded_amount: Number,
    /// The amount that can still be refunded.
    refundable_amount: Number,
    /// A description of the result.
    message: &'static str,
    /// Always empty.
    errors: [&'static str; 0],
    /// The outcome, where the basket was voided.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("enum" = ["refunded"]))]
    status: Option<&'static str>,
}

pub fn refunded(view: &RefundView) -> Refunded<'_> {
    let (refund, financed) = (&view.refund, view.basket.order.value);
    let amount = |minor| money(Money { minor, ..financed });
    let left = financed.minor - refund.total_minor;
    Refunded {
        request_id: &view.request,
        refund_id: view.id.uuid(),
        basket_id: view.basket.public.to_string(),
        order_identifier: &view.basket.order.order_identifier,
        bnpl_request_id: view.loan.uuid(),
        amount: amount(refund.amount_minor),
        refunded_amount: amount(refund.total_minor),
        refundable_amount: amount(left),
        message: if left == 0 { "The loan was fully refunded." } else { "The loan was partially refunded." },
        errors: [],
        status: None,
    }
}

/// A voided basket: its loan was refunded, or it ended without one.
#[derive(Serialize, JsonSchema)]
#[serde(untagged)]
#[schemars(rename = "BasketVoided")]
pub enum VoidedOut<'a> {
    Refunded(Refunded<'a>),
    Ended(Ended<'a>),
}

/// A basket that ended without a loan.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "BasketEnded")]
pub struct Ended<'a> {
    /// Your idempotency key.
    #[schemars(with = "Uuid")]
    request_id: &'a str,
    /// The basket's publicBasketId.
    basket_id: String,
    /// Your identifier of the order.
    order_identifier: &'a str,
    /// The outcome.
    #[schemars(extend("enum" = ["declined"]))]
    status: &'static str,
    /// A description of the result.
    message: &'static str,
    /// Always empty.
    errors: [&'static str; 0],
}

pub fn voided<'a>(voided: &'a Voided, request: &'a str) -> VoidedOut<'a> {
    match voided {
        Voided::Refunded(view) => {
            VoidedOut::Refunded(Refunded { request_id: request, status: Some("refunded"), ..refunded(view) })
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
