//! The operations of Pay Later: the part of the list that merchants call.

use axum::http::Method;
use trapeza_domain::refusal::RefusalReason;
use trapeza_http::operation::{Area, BodyLimit, Codes, Operation, Right};

pub static BASKET_CREATE: Operation = operation! { "createBasket" POST "/createbasket",
    right: Right::Merchant,
    success: 201, body_limit: BodyLimit::Basket, refusals: &[RefusalReason::Inconsistent],
};
pub static BASKET_FIND: Operation = operation! { "findBasket" GET "/basket/id",
    right: Right::Merchant,
    refusals: &[RefusalReason::ResourceUnknown],
};
pub static LOAN_SIMULATE: Operation = operation! { "simulateLoan" POST "/bnplsandbox/createbnpl",
    right: Right::Merchant,
};
pub static LOAN_FETCH: Operation = operation! { "fetchLoan" GET "/loans/bnpl",
    right: Right::Merchant,
    refusals: &[RefusalReason::ResourceUnknown],
};
pub static BASKET_VOID: Operation = operation! { "voidBasket" POST "/basket/void",
    right: Right::Merchant,
    refusals: &[RefusalReason::ResourceUnknown, RefusalReason::Inconsistent],
};
pub static LOAN_REFUND: Operation = operation! { "refundLoan" POST "/loans/bnpl/refund",
    right: Right::Merchant,
    refusals: &[RefusalReason::ResourceUnknown, RefusalReason::Inconsistent],
};
pub static CONFIGURATION: Operation = operation! { "fetchConfiguration" GET "/configuration",
    right: Right::Merchant,
};
