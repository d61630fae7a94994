//! Pay Later: the operations of merchants.

use axum::http::{Method, StatusCode};
use trapeza_domain::refusal::RefusalReason;
use trapeza_http::operation::{Access, ApiFamily, BodyLimit, ErrorKey, MessageCodeList, Operation};

pub static BASKET_CREATE: Operation = operation! { "createBasket" POST "/createbasket",
    access: Access::Merchant,
    success: 201, body_limit: BodyLimit::Basket, refusals: &[RefusalReason::Inconsistent],
};
pub static BASKET_GET: Operation = operation! { "getBasket" GET "/basket/id",
    access: Access::Merchant,
    refusals: &[RefusalReason::ResourceUnknown],
    refusal_overrides: &[
        (RefusalReason::ApplicationUnknown, StatusCode::NOT_FOUND, "RESOURCE_UNKNOWN"),
        (RefusalReason::NotAcceptable, StatusCode::INTERNAL_SERVER_ERROR, "REQUESTED_FORMATS_INVALID"),
    ],
};
pub static LOAN_SIMULATE: Operation = operation! { "simulateLoan" POST "/bnplsandbox/createbnpl",
    access: Access::Merchant,
};
pub static LOAN_GET: Operation = operation! { "getLoan" GET "/loans/bnpl",
    access: Access::Merchant, error_key: ErrorKey::Code,
    refusals: &[RefusalReason::ResourceUnknown],
};
pub static BASKET_VOID: Operation = operation! { "voidBasket" POST "/basket/void",
    access: Access::Merchant,
    refusals: &[RefusalReason::ResourceUnknown, RefusalReason::Inconsistent],
};
pub static LOAN_REFUND: Operation = operation! { "refundLoan" POST "/loans/bnpl/refund",
    access: Access::Merchant,
    refusals: &[RefusalReason::ResourceUnknown, RefusalReason::Inconsistent],
};
pub static CONFIGURATION: Operation = operation! { "getConfiguration" GET "/configuration",
    access: Access::Merchant,
};
