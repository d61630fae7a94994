//! The parameters of the pay-later interface and of its webhooks.

use super::{ASKED, PLAIN, Parameter, UUID};
use crate::docs::schema::schema_of;
use crate::wire::schema::one_of;

pub static WEBHOOK_ID: Parameter = Parameter {
    name: "webhook-id",
    description: "The id of the callback, the same for every attempt; use it to detect duplicates.",
    example: "0198b1c2-7a54-7d3c-9f3e-5c1d2a7b9e40",
    ..UUID
};
pub static WEBHOOK_TIMESTAMP: Parameter = Parameter {
    name: "webhook-timestamp",
    schema: schema_of::<i64>,
    description: "The time of this attempt, in seconds since 1970. Reject callbacks that are minutes old.",
    example: "1767623400",
    ..PLAIN
};
pub static WEBHOOK_SIGNATURE: Parameter = Parameter {
    name: "webhook-signature",
    description: "`v1,` and the base64 of the HMAC-SHA256 over `webhook-id.webhook-timestamp.body` with your secret (the bytes \
                  after `whsec_`). Two signatures, separated by a space, while a secret is rotated; one valid signature is enough.",
    example: "v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=",
    ..PLAIN
};
pub static API_VERSION: Parameter = Parameter {
    name: "api-version",
    schema: |_| one_of(["2.0", "2"]),
    description: "The version of the operation.",
    example: "2.0",
    ..ASKED
};
pub static BASKET_ID: Parameter = Parameter {
    name: "basketId",
    required: true,
    description: "The publicBasketId of a basket, not its number.",
    example: "8f14e45fceea167a5a36dedd4bea2543",
    shell: Some("$PUBLIC_BASKET_ID"),
    ..ASKED
};
pub static SANDBOX_VERSION: Parameter =
    Parameter { schema: |_| one_of(["1.0", "1"]), example: "1.0", key_suffix: ".sandbox", ..API_VERSION };
pub static BASKET_NUMBER: Parameter = Parameter {
    schema: schema_of::<i64>,
    description: "The numeric basketId from POST /createbasket, not the publicBasketId.",
    example: "147502188203467",
    shell: Some("$BASKET_ID"),
    key_suffix: ".number",
    ..BASKET_ID
};
pub static IS_SUCCESS: Parameter = Parameter {
    name: "isSuccessCallback",
    required: true,
    schema: schema_of::<bool>,
    description: "Whether to approve the basket or to decline it.",
    example: "true",
    shell: Some("true"),
    ..ASKED
};
pub static ORDER_IDENTIFIER: Parameter = Parameter {
    name: "orderIdentifier",
    description: "Your identifier of the order. If it is not this basket's, there is no such loan.",
    example: "order-1138",
    ..ASKED
};
pub static AMOUNT: Parameter = Parameter {
    name: "amount",
    description: "The value of a purchase, within the limits. The answer then contains what it costs with each plan.",
    example: "120.30",
    shell: Some("120.30"),
    ..ASKED
};
pub static AFTER: Parameter = Parameter {
    name: "after",
    description: "The cursor of an earlier response. Without it no callbacks are listed, and the cursor is that of the newest.",
    example: "0",
    shell: Some("0"),
    ..ASKED
};
pub static WAIT: Parameter = Parameter {
    name: "wait",
    schema: schema_of::<u32>,
    description: "How many seconds the response waits for a callback when there is none, at most 20.",
    example: "20",
    ..ASKED
};
