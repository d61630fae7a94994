//! The sandbox, health checks, metrics and the documentation.

use axum::http::Method;
use trapeza_domain::refusal::RefusalReason;
use trapeza_http::operation::{Access, ApiFamily, BodyLimit, ErrorKey, MessageCodeList, Operation};

pub static SANDBOX_CLOCK: Operation = operation! { "fetchClock" GET "/sandbox/clock",
};
pub static SANDBOX_CLOCK_ADVANCE: Operation = operation! { "advanceClock" POST "/sandbox/clock",
    refusals: &[RefusalReason::Malformed],
};
pub static SANDBOX_MESSAGES: Operation = operation! { "fetchMessages" GET "/sandbox/messages",
};
pub static SANDBOX_APPLICATION: Operation = operation! {
    "changeApplication" PATCH "/sandbox/applications/{applicationId}",
    access: Access::Application, refusals: &[RefusalReason::ClientUnknown, RefusalReason::ResourceUnknown],
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
};
pub static DOCS_PAGE: Operation = operation! { "docsPage" GET "/docs/{page}",
    refusals: &[RefusalReason::ResourceUnknown],
};
