//! The parameters of operations: headers, path and query.

use crate::handler::payment_path::PAIN_PREFIX;
use crate::operation as op;
use axum::http::Method;
use serde_json::{Map, Value, json};
use std::ptr;
use trapeza_domain::payment::{PaymentProduct, PaymentService};
use trapeza_http::operation::Operation;

struct Parameter {
    name: &'static str,
    place: &'static str,
    required: bool,
    about: &'static str,
    schema: fn() -> Value,
}

fn text() -> Value {
    json!({ "type": "string" })
}

fn uuid() -> Value {
    json!({ "type": "string", "format": "uuid" })
}

fn date() -> Value {
    json!({ "type": "string", "format": "date" })
}

fn flag() -> Value {
    json!({ "type": "boolean" })
}

fn product() -> Value {
    let names = PaymentProduct::ALL.iter().map(|each| each.name().to_owned());
    let messages = PaymentProduct::ALL.iter().filter(|each| each.is_sepa());
    let messages = messages.map(|each| format!("{PAIN_PREFIX}{}", each.name()));
    json!({ "type": "string", "enum": names.chain(messages).collect::<Vec<_>>() })
}

const fn header(name: &'static str, about: &'static str, schema: fn() -> Value) -> Parameter {
    Parameter { name, place: "header", required: false, about, schema }
}

const fn required(parameter: Parameter) -> Parameter {
    Parameter { required: true, ..parameter }
}

const fn path(name: &'static str, about: &'static str, schema: fn() -> Value) -> Parameter {
    Parameter { name, place: "path", required: true, about, schema }
}

const fn query(name: &'static str, about: &'static str, schema: fn() -> Value) -> Parameter {
    Parameter { name, place: "query", required: false, about, schema }
}

static ALL: [Parameter; 31] = [
    required(header(
        "X-Request-ID",
        "A UUID. The same id with the same content replays the first answer.",
        uuid,
    )),
    header("PSU-ID", "The customer's user name, where it is known.", text),
    header("PSU-IP-Address", "The customer's IP address, if the customer is present.", text),
    header("Consent-ID", "The consent under which the request is made.", text),
    header("TPP-Redirect-Preferred", "Whether the redirect approach is preferred.", flag),
    header("TPP-Decoupled-Preferred", "Whether the decoupled approach is preferred.", flag),
    header("TPP-Redirect-URI", "Where the customer returns to.", text),
    header("TPP-Nok-Redirect-URI", "Where the customer returns to without success.", text),
    header(
        "TPP-Explicit-Authorisation-Preferred",
        "Whether the authorisation is started by a request of its own.",
        flag,
    ),
    header(
        "TPP-Notification-URI",
        "Where the bank reports changes of status. Its host is in the certificate or in a registered redirect URI.",
        text,
    ),
    header(
        "TPP-Notification-Content-Preferred",
        "Which changes are reported: status= and a list of SCA, PROCESS and LAST; all without it.",
        text,
    ),
    path("consentId", "The consent.", uuid),
    path("authorisationId", "The authorisation.", uuid),
    path("account-id", "The account or card account.", uuid),
    path("card-id", "The card.", uuid),
    path("transactionId", "The transaction.", uuid),
    path("paymentId", "The payment.", uuid),
    path("basketId", "The signing basket.", uuid),
    path(
        "payment-service",
        "The payment service.",
        || json!({ "type": "string", "enum": PaymentService::ALL.iter().map(|each| each.name()).collect::<Vec<_>>() }),
    ),
    path("payment-product", "The payment product.", product),
    query("withBalance", "Whether balances are included, where the consent covers them.", flag),
    query(
        "dateFrom",
        "The first day; required without entryReferenceFrom, deltaList and bookingStatus=information.",
        date,
    ),
    query("dateTo", "The last day.", date),
    query("entryReferenceFrom", "The entry after which transactions are listed.", text),
    required(query(
        "bookingStatus",
        "Which transactions are listed.",
        || json!({ "type": "string", "enum": ["booked", "pending", "both", "information", "all"] }),
    )),
    query(
        "deltaList",
        "Whether only transactions are listed that no earlier delta list of the consent has delivered; the first one begins 90 days ago. Without effect with dateFrom.",
        flag,
    ),
    query(
        "limit",
        "The number of transactions on a page.",
        || json!({ "type": "integer", "minimum": 1, "maximum": 1000 }),
    ),
    query("cursor", "The page, from a link.", text),
    header("TPP-QWAC-Certificate", "The certificate, in a sandbox only.", text),
    header("PSU-ID-Type", "Accepted without effect.", text),
    header("TPP-Brand-Logging-Information", "The brand that the customer uses; kept in the audit log.", text),
];

const CREATION: [&str; 7] = [
    "PSU-ID",
    "PSU-ID-Type",
    "TPP-Redirect-Preferred",
    "TPP-Decoupled-Preferred",
    "TPP-Redirect-URI",
    "TPP-Nok-Redirect-URI",
    "TPP-Brand-Logging-Information",
];

/// All parameters, by name.
pub fn components() -> Map<String, Value> {
    let all = ALL.iter().map(|parameter| {
        let Parameter { name, place, required, about, schema } = parameter;
        let value = json!({
            "name": name, "in": place, "required": required, "description": about, "schema": schema(),
        });
        ((*name).to_owned(), value)
    });
    all.collect()
}

/// References to the parameters of an operation.
pub fn of(operation: &'static Operation) -> Vec<Value> {
    let is = |other: &'static Operation| ptr::eq(operation, other);
    let mut names = vec!["X-Request-ID", "TPP-QWAC-Certificate"];
    names.extend(operation.path.split('/').filter_map(|segment| {
        let name = segment.strip_prefix('{')?.strip_suffix('}')?;
        ALL.iter().find(|parameter| parameter.name == name).map(|parameter| parameter.name)
    }));
    let is_read = operation.service == trapeza_domain::statistics::Service::AccountInformation;
    if is_read {
        names.extend(["Consent-ID", "PSU-IP-Address"]);
        if !operation.path.ends_with("balances") && !is(&op::TRANSACTION_DETAILS) {
            names.push("withBalance");
        }
        if operation.path.ends_with("transactions") {
            names.extend([
                "dateFrom",
                "dateTo",
                "entryReferenceFrom",
                "bookingStatus",
                "deltaList",
                "limit",
                "cursor",
            ]);
        }
    }
    let creates = [
        &op::CONSENT_CREATE,
        &op::FUNDS_CONSENT_CREATE,
        &op::PAYMENT_INITIATE,
        &op::PAYMENT_CANCEL,
        &op::SIGNING_BASKET_CREATE,
    ];
    if creates.into_iter().any(is) {
        names.extend(CREATION);
        names.push("TPP-Explicit-Authorisation-Preferred");
        if !is(&op::PAYMENT_CANCEL) {
            names.extend(["TPP-Notification-URI", "TPP-Notification-Content-Preferred"]);
        }
    } else if operation.path.ends_with("authorisations") && operation.method == Method::POST {
        names.extend(CREATION);
    } else if operation.method == Method::PUT {
        names.push("PSU-ID");
    }
    if is(&op::PAYMENT_INITIATE) || is(&op::CONSENT_CREATE) {
        names.push("PSU-IP-Address");
    }
    if is(&op::PAYMENT_INITIATE) || is(&op::FUNDS_CONFIRMATION) {
        names.push("Consent-ID");
    }
    names.into_iter().map(|name| json!({ "$ref": format!("#/components/parameters/{name}") })).collect()
}
