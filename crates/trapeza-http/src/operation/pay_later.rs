//! Pay Later: the operations of merchants.

use super::{Area, BodyLimit, Codes, EMPTY, Operation, Right};
use crate::docs::{basket, loan, pay_later, refund};
use axum::http::Method;
use trapeza_domain::refusal::RefusalReason;

pub static BASKET_CREATE: Operation = operation! { "createBasket" POST "/createbasket",
    tag: "Pay Later", summary: "Make a basket that is to be bought now and paid later", right: Right::Merchant,
    success: 201, body_limit: BodyLimit::Basket, refusals: &[RefusalReason::Inconsistent], doc: &basket::CREATE,
};
pub static BASKET_FIND: Operation = operation! { "findBasket" GET "/basket/id",
    tag: "Pay Later", summary: "A basket, and what is paid when", right: Right::Merchant,
    refusals: &[RefusalReason::ResourceUnknown], doc: &basket::FIND,
};
pub static LOAN_SIMULATE: Operation = operation! { "simulateLoan" POST "/bnplsandbox/createbnpl",
    tag: "Pay Later", summary: "Decide a basket at once, without a customer: test applications only",
    right: Right::Merchant, doc: &loan::SIMULATE,
};
pub static LOAN_FETCH: Operation = operation! { "fetchLoan" GET "/loans/bnpl",
    tag: "Pay Later", summary: "What became of a basket's loan", right: Right::Merchant,
    refusals: &[RefusalReason::ResourceUnknown], doc: &loan::FETCH,
};
pub static BASKET_VOID: Operation = operation! { "voidBasket" POST "/basket/void",
    tag: "Pay Later", summary: "Take a basket back: it ends, or its loan is refunded whole", right: Right::Merchant,
    refusals: &[RefusalReason::ResourceUnknown, RefusalReason::Inconsistent], doc: &refund::VOID,
};
pub static LOAN_REFUND: Operation = operation! { "refundLoan" POST "/loans/bnpl/refund",
    tag: "Pay Later", summary: "Give back a basket's loan, in part or whole", right: Right::Merchant,
    refusals: &[RefusalReason::ResourceUnknown, RefusalReason::Inconsistent], doc: &refund::REFUND,
};
pub static CONFIGURATION: Operation = operation! { "fetchConfiguration" GET "/configuration",
    tag: "Pay Later", summary: "The merchant's limits and installment plans", right: Right::Merchant,
    doc: &pay_later::CONFIGURATION,
};
