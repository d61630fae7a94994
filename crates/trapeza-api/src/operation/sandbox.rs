//! The sandbox, health checks, metrics and the documentation.

use axum::http::{Method, StatusCode};
use trapeza_domain::refusal::RefusalReason;
use trapeza_http::operation::{
    Access, ApiFamily, BodyLimit, ErrorKey, MessageCodeList, Operation, RefusalOverride,
};

/// What changes the bank is refused to browsers that show a page of another site.
const FOREIGN_ORIGIN: &[RefusalOverride] =
    &[(RefusalReason::RoleMissing, StatusCode::FORBIDDEN, "ORIGIN_FOREIGN")];
/// The refusals of an operation that changes the bank.
const CHANGE: &[RefusalReason] = &[RefusalReason::Malformed, RefusalReason::RoleMissing];

pub static SANDBOX_CLOCK: Operation = operation! { "getClock" GET "/sandbox/clock",
};
pub static SANDBOX_CLOCK_ADVANCE: Operation = operation! { "advanceClock" POST "/sandbox/clock",
    refusals: CHANGE, refusal_overrides: FOREIGN_ORIGIN,
};
pub static SANDBOX_MESSAGES: Operation = operation! { "listMessages" GET "/sandbox/messages",
};
pub static SANDBOX_APPLICATION: Operation = operation! {
    "changeApplication" PATCH "/sandbox/applications/{applicationId}",
    access: Access::Application,
    refusals: &[RefusalReason::ClientUnknown, RefusalReason::ResourceUnknown, RefusalReason::RoleMissing],
    refusal_overrides: FOREIGN_ORIGIN,
};
pub static SANDBOX_CALLBACKS: Operation = operation! { "listCallbacks" GET "/sandbox/callbacks",
    access: Access::Merchant,
    // A listener calls it all the time: nothing else would be seen in the log.
    is_logged: false,
};
pub static SANDBOX_CUSTOMER_LIST: Operation = operation! { "listCustomers" GET "/sandbox/customers",
};
pub static SANDBOX_CUSTOMER: Operation = operation! { "createCustomer" POST "/sandbox/customers",
    success: 201, refusals: CHANGE, refusal_overrides: FOREIGN_ORIGIN,
};
pub static SANDBOX_ACCOUNT: Operation = operation! { "createAccount" POST "/sandbox/accounts",
    success: 201, refusals: CHANGE, refusal_overrides: FOREIGN_ORIGIN,
};
pub static SANDBOX_CARD: Operation = operation! { "createCard" POST "/sandbox/cards",
    success: 201, refusals: CHANGE, refusal_overrides: FOREIGN_ORIGIN,
};
pub static SANDBOX_TRANSACTION_LIST: Operation = operation! { "listSandboxTransactions" GET "/sandbox/transactions",
    refusals: &[RefusalReason::Malformed, RefusalReason::ResourceUnknown],
};
pub static SANDBOX_TRANSACTION: Operation = operation! { "createTransaction" POST "/sandbox/transactions",
    success: 201, refusals: CHANGE, refusal_overrides: FOREIGN_ORIGIN,
};
pub static SANDBOX_EXPORT: Operation = operation! { "exportBank" GET "/sandbox/bank",
    refusals: &[RefusalReason::StatusInvalid],
};
pub static SANDBOX_IMPORT: Operation = operation! { "importBank" POST "/sandbox/bank",
    body_limit: BodyLimit::Bank, refusals: CHANGE, refusal_overrides: FOREIGN_ORIGIN,
};
pub static SANDBOX_RESET: Operation = operation! { "resetBank" POST "/sandbox/reset",
    refusals: &[RefusalReason::RoleMissing], refusal_overrides: FOREIGN_ORIGIN,
};
pub static SANDBOX_OUTCOMES: Operation = operation! { "listOutcomes" GET "/sandbox/outcomes",
};
pub static LIVEZ: Operation = operation! { "livez" GET "/livez",
};
pub static READYZ: Operation = operation! { "readyz" GET "/readyz",
};
pub static METRICS: Operation = operation! { "metrics" GET "/metrics",
};
pub static OPENAPI: Operation = operation! { "openapi" GET "/openapi.json",
};
pub static DOCS: Operation = operation! { "docs" GET "/docs",
    refusals: &[RefusalReason::Malformed],
};
pub static DOCS_PAGE: Operation = operation! { "docsPage" GET "/docs/{page}",
    refusals: &[RefusalReason::ResourceUnknown],
};
