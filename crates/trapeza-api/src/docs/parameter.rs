//! The parameters of the API: headers, path and query, each described once.

mod pay_later;
mod sandbox;

pub use pay_later::{
    AFTER, AMOUNT, API_VERSION, BASKET_ID, BASKET_NUMBER, IS_SUCCESS, ORDER_IDENTIFIER, SANDBOX_VERSION,
    WAIT, WEBHOOK_ID, WEBHOOK_SIGNATURE, WEBHOOK_TIMESTAMP,
};

pub use sandbox::{SANDBOX_ACCOUNT, SANDBOX_AFTER, SANDBOX_CURRENCY};

use super::DocVariant;
use super::schema::{SchemaFn, Schemas, schema_of};
use crate::wire::payment::{SERVICE, product_schema};
use crate::wire::schema::one_of;
use schemars::json_schema;
use serde_json::{Value, json};
use trapeza_http::settings::CertificateMode;
use uuid::Uuid;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Location {
    Path,
    Query,
    Header,
}

#[derive(Debug)]
pub struct Parameter {
    pub name: &'static str,
    pub location: Location,
    pub required: bool,
    pub schema: SchemaFn,
    pub description: &'static str,
    pub example: &'static str,
    /// Distinguishes parameters of the same name and location.
    pub key_suffix: &'static str,
    /// The value in shell commands instead of the example: a variable or a new id.
    pub shell: Option<&'static str>,
}

impl Location {
    pub fn name(self) -> &'static str {
        match self {
            Self::Path => "path",
            Self::Query => "query",
            Self::Header => "header",
        }
    }
}

impl Parameter {
    /// The name among the document's components. A header may share its name with a path parameter, and be required by one
    /// operation but not by another.
    pub fn key(&self) -> String {
        let need = if self.required { "" } else { ".optional" };
        format!("{}.{}{need}{}", self.location.name(), self.name, self.key_suffix)
    }

    pub fn required(&self, variant: &DocVariant) -> bool {
        // With mutual TLS the header is not required.
        let proven = variant.certificates != CertificateMode::Header && self.name == CERTIFICATE.name;
        self.required && !proven
    }

    pub fn json(&self, variant: &DocVariant, schemas: &mut Schemas) -> Value {
        let schema = schemas.request(self.schema);
        let example = match schema["type"].as_str() {
            Some("integer") => self.example.parse::<i64>().map_or(Value::Null, Value::from),
            Some("boolean") => json!(self.example == "true"),
            _ => json!(self.example),
        };
        json!({
            "name": self.name,
            "in": self.location.name(),
            "required": self.required(variant),
            "description": self.description,
            "schema": schema,
            "example": example,
        })
    }
}

pub(super) const PLAIN: Parameter = Parameter {
    name: "",
    location: Location::Header,
    required: true,
    schema: schema_of::<String>,
    description: "",
    example: "",
    key_suffix: "",
    shell: None,
};
const UUID: Parameter = Parameter { schema: schema_of::<Uuid>, ..PLAIN };

pub static REQUEST_ID: Parameter = Parameter {
    name: "x-Request-ID",
    description: "A UUID, unique for each request; the idempotency key of writes. A repeated write has no second effect and gets \
                  the first response.",
    example: "6f9619ff-8b86-4011-b42d-00cf4fc964ff",
    shell: Some("$(uuidgen)"),
    ..UUID
};
pub static CERTIFICATE: Parameter = Parameter {
    name: "Certificate",
    description: "Your certificate: PEM (percent-encoded, or with line breaks removed or replaced by spaces), or DER in base64.",
    example: "MIIBdTCCARugAwIBAgIUQ0Rl2vG0c3N0b3JlZCBieSB0aGUgYmFuazAKBggqhkjOPQQDAg==",
    shell: Some("$CERTIFICATE"),
    ..PLAIN
};
pub static CLIENT_ID: Parameter = Parameter {
    name: "ClientId",
    description: "Your application's id.",
    example: "0b6f4a1e-6a0f-4d8e-9a55-0f6a2a4f4c11",
    shell: Some("$CLIENT_ID"),
    ..UUID
};
pub static KEY: Parameter = Parameter {
    name: "Ocp-Apim-Subscription-Key",
    description: "Your application's subscription key.",
    example: "vJ5W1cN0m0uQ2J7mXk3n2yqzD6b8a9T4e1r5s7u0wYc",
    shell: Some("$SUBSCRIPTION_KEY"),
    ..PLAIN
};
pub static APPLICATION_ID: Parameter = Parameter {
    name: "X-Application-ID",
    description: "The id of the calling application.",
    example: "7d444840-9dc0-41d1-b245-5ffdce74fad2",
    shell: Some("$APPLICATION_ID"),
    ..UUID
};
/// Where third parties and merchants may both call, each sends its own header.
pub static OWN_CLIENT_ID: Parameter = Parameter {
    name: "ClientId",
    required: false,
    description: "Your application's id, if you are a third party.",
    example: "0b6f4a1e-6a0f-4d8e-9a55-0f6a2a4f4c11",
    ..UUID
};
pub static OWN_APPLICATION_ID: Parameter = Parameter {
    name: "X-Application-ID",
    required: false,
    description: "The id of the calling application, if you are a merchant.",
    example: "7d444840-9dc0-41d1-b245-5ffdce74fad2",
    shell: Some("$APPLICATION_ID"),
    ..UUID
};
pub static PSU_ID: Parameter = Parameter {
    name: "PSU_ID",
    description: "The customer's user name at this bank, at most 50 characters. PSU-ID is accepted as well.",
    example: "eleni.papadaki",
    shell: Some("$PSU_ID"),
    ..PLAIN
};
pub static CONSENT_PATH: Parameter = Parameter {
    name: "consentId",
    location: Location::Path,
    description: "The id of the consent, from the response that created it.",
    example: "1f0c9a3e-4b7d-4c55-8d21-7c0c3a5b9e10",
    shell: Some("$CONSENT_ID"),
    ..UUID
};
pub static AUTHORISATION_PATH: Parameter = Parameter {
    name: "authorisationId",
    location: Location::Path,
    description: "The id of the authorisation, from the response that started it.",
    example: "a3c9f2d4-2f0b-4b8e-9c55-3f1f6a0f4c21",
    shell: Some("$AUTHORISATION_ID"),
    ..UUID
};
pub static PAYMENT_SERVICE: Parameter = Parameter {
    name: "payment-service",
    location: Location::Path,
    schema: |_| one_of([SERVICE]),
    description: "The payment service; single payments only.",
    example: "payments",
    ..PLAIN
};
pub static PAYMENT_PRODUCT: Parameter = Parameter {
    name: "payment-product",
    schema: product_schema,
    description: "The payment product: within this bank, or to any bank in the SEPA area.",
    example: "internal-transfers",
    // The sandbox executes an internal transfer at once, so that it could not be cancelled.
    shell: Some("sepa-credit-transfers"),
    ..PAYMENT_SERVICE
};
pub static PAYMENT_PATH: Parameter = Parameter {
    name: "paymentId",
    location: Location::Path,
    description: "The id of the payment, from the response that initiated it.",
    example: "c2b9d1f0-5e0a-4f57-9a41-0d3f6b7a8c20",
    shell: Some("$PAYMENT_ID"),
    ..UUID
};
pub static PAYER_ADDRESS: Parameter = Parameter {
    name: "pSUIPAddress",
    description: "The IP address of the customer, who must be present. PSU-IP-Address is accepted as well.",
    example: "192.0.2.17",
    ..PLAIN
};
pub static PAYMENT_CONSENT: Parameter = Parameter {
    name: "consentID",
    required: false,
    description: "A consent of the same customer, which must be valid. Consent-ID is accepted as well.",
    example: "1f0c9a3e-4b7d-4c55-8d21-7c0c3a5b9e10",
    ..UUID
};
pub static CONSENT_ID: Parameter = Parameter {
    name: "consentID",
    description: "The id of the consent. Consent-ID is accepted as well.",
    example: "1f0c9a3e-4b7d-4c55-8d21-7c0c3a5b9e10",
    shell: Some("$CONSENT_ID"),
    ..UUID
};
pub static FUNDS_CONSENT_ID: Parameter = Parameter {
    name: "consentId",
    description: "The id of the funds consent. Consent-ID is accepted as well.",
    example: "1f0c9a3e-4b7d-4c55-8d21-7c0c3a5b9e10",
    shell: Some("$FUNDS_CONSENT_ID"),
    ..UUID
};
pub static PSU_ADDRESS: Parameter = Parameter {
    name: "pSUIPAddress",
    required: false,
    description: "The customer's IP address. With it the customer is present and the read does not count against the quota. PSU-IP-Address is accepted as well.",
    example: "192.0.2.17",
    ..PLAIN
};
pub static ACCOUNT_PATH: Parameter = Parameter {
    name: "account-id",
    location: Location::Path,
    description: "The resourceId of the account.",
    example: "5f0a7c55-7b0e-4f0e-9c0b-2f6f3a1b7d01",
    shell: Some("$ACCOUNT_ID"),
    ..UUID
};
pub static CARD_PATH: Parameter = Parameter {
    name: "card-id",
    description: "The resourceId of the card.",
    example: "9b1d2f44-0c6e-4b8f-8f57-6d2a1c9e3b02",
    shell: Some("$CARD_ID"),
    ..ACCOUNT_PATH
};
pub static TRANSACTION_PATH: Parameter = Parameter {
    name: "transactionId",
    description: "The id of the transaction.",
    example: "c4d8a1b2-3e5f-4a6b-9c7d-8e9f0a1b2c03",
    shell: Some("$TRANSACTION_ID"),
    ..ACCOUNT_PATH
};
const ASKED: Parameter = Parameter { location: Location::Query, required: false, ..PLAIN };
pub static WITH_BALANCE: Parameter = Parameter {
    name: "withBalance",
    schema: schema_of::<bool>,
    description: "Include balances, if the consent covers them.",
    example: "true",
    ..ASKED
};
pub static DATE_FROM: Parameter = Parameter {
    name: "dateFrom",
    schema: |_| json_schema!({ "type": "string", "format": "date" }),
    description: "The first booking date. Required unless entryReferenceFrom is given; of a date-time only the date is used.",
    example: "2026-09-01",
    shell: Some("$(date -d '30 days ago' +%F)"),
    ..ASKED
};
pub static DATE_TO: Parameter = Parameter {
    name: "dateTo",
    description: "The last booking date; default: today.",
    example: "2026-11-15",
    shell: None,
    ..DATE_FROM
};
pub static ENTRY_REFERENCE_FROM: Parameter = Parameter {
    name: "entryReferenceFrom",
    description: "Only entries after this entryReference.",
    example: "",
    ..ASKED
};
pub static BOOKING_STATUS: Parameter = Parameter {
    name: "bookingStatus",
    schema: |_| one_of(["booked", "pending", "both"]),
    description: "The kind of transactions; default: booked.",
    example: "booked",
    ..ASKED
};
pub static LIMIT: Parameter = Parameter {
    name: "limit",
    schema: |_| json_schema!({ "type": "integer", "minimum": 1, "maximum": 1000, "default": 100 }),
    description: "The number of booked transactions per page.",
    example: "100",
    ..ASKED
};
pub static CURSOR: Parameter = Parameter {
    name: "cursor",
    description: "The cursor of the next page, from the `next` link.",
    example: "0e3f6a51-8d0f-4c2b-9a77-5d1c2b3a4f04",
    ..ASKED
};
pub static REDIRECT_PREFERRED: Parameter = Parameter {
    name: "TPP-Redirect-Preferred",
    required: false,
    schema: schema_of::<bool>,
    description: "Require the redirect approach.",
    example: "false",
    ..PLAIN
};
pub static DECOUPLED_PREFERRED: Parameter = Parameter {
    name: "TPP-Decoupled-Preferred",
    description: "Require the decoupled approach.",
    ..REDIRECT_PREFERRED
};
pub static REDIRECT_URI: Parameter = Parameter {
    name: "TPP-Redirect-URI",
    required: false,
    description: "Where the customer returns to; exactly one of the registered URIs.",
    example: "http://127.0.0.1:9090/back",
    ..PLAIN
};
pub static NOK_REDIRECT_URI: Parameter = Parameter {
    name: "TPP-Nok-Redirect-URI",
    description: "Where the customer returns to after a failure; default: TPP-Redirect-URI.",
    ..REDIRECT_URI
};
pub static APPLICATION_PATH: Parameter = Parameter {
    name: "applicationId",
    location: Location::Path,
    description: "The id of the calling application: a third party's ClientId, a merchant's X-Application-ID.",
    example: "7d444840-9dc0-41d1-b245-5ffdce74fad2",
    shell: Some("$APPLICATION_ID"),
    ..UUID
};
pub static SEARCH: Parameter = Parameter {
    name: "q",
    location: Location::Query,
    required: false,
    description: "Words that must all occur in an operation.",
    example: "balances",
    ..PLAIN
};
pub static DOCS_PAGE: Parameter = Parameter {
    name: "page",
    location: Location::Path,
    description: "The name of the page: of a resource, `guides`, `states` or `errors`.",
    example: "consents",
    ..PLAIN
};
