//! The parameters of the interface: headers, path and query, each described once.

use super::DocVariant;
use super::schema::Schema;
use serde_json::{Value, json};
use trapeza_http::settings::CertificateMode;

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
    pub schema: fn() -> Schema,
    pub description: &'static str,
    pub example: &'static str,
    /// Tells it from another parameter of the same name and place.
    pub twin: &'static str,
    /// What a command line says instead of the example: a caller's own secret or a fresh id.
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
    /// Its name among the document's components. A header may share its plain name with a path parameter, and be
    /// needed for one call but not for another.
    pub fn key(&self) -> String {
        let need = if self.required { "" } else { ".optional" };
        format!("{}.{}{need}{}", self.location.name(), self.name, self.twin)
    }

    pub fn required(&self, variant: &DocVariant) -> bool {
        // Where the connection proves the certificate, the header need not repeat it.
        let proven = variant.certificates == CertificateMode::Mtls && self.name == CERTIFICATE.name;
        self.required && !proven
    }

    pub fn json(&self, variant: &DocVariant) -> Value {
        let schema = (self.schema)();
        let example = match (&schema, self.example.parse::<i64>()) {
            (Schema::Integer, Ok(number)) => json!(number),
            _ => json!(self.example),
        };
        json!({
            "name": self.name,
            "in": self.location.name(),
            "required": self.required(variant),
            "description": self.description,
            "schema": schema.json(),
            "example": example,
        })
    }
}

const PLAIN: Parameter = Parameter {
    name: "",
    location: Location::Header,
    required: true,
    schema: || Schema::Text,
    description: "",
    example: "",
    twin: "",
    shell: None,
};
const UUID: Parameter = Parameter { schema: || Schema::Formatted("uuid"), ..PLAIN };

pub static REQUEST_ID: Parameter = Parameter {
    name: "x-Request-ID",
    description: "A UUID that you make anew for each call. Sending a write again with the same id has no second effect: \
                  the first answer comes back.",
    example: "6f9619ff-8b86-4011-b42d-00cf4fc964ff",
    shell: Some("$(uuidgen || cat /proc/sys/kernel/random/uuid)"),
    ..UUID
};
pub static CERTIFICATE: Parameter = Parameter {
    name: "Certificate",
    description: "Your certificate: PEM (percent-encoded, or its line breaks left out or turned to spaces), or base64 DER.",
    example: "MIIC1jCCAnygAwIBAgIUQ0…",
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
/// Where third parties and merchants may both call, each sends its own of the two.
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
    description: "The customer's user name at this bank, at most 50 characters. PSU-ID is taken too.",
    example: "maria",
    shell: Some("$PSU_ID"),
    ..PLAIN
};
pub static CONSENT_PATH: Parameter = Parameter {
    name: "consentId",
    location: Location::Path,
    description: "The consent's id, as the answer that created it gave it.",
    example: "1f0c9a3e-4b7d-4c55-8d21-7c0c3a5b9e10",
    shell: Some("$CONSENT_ID"),
    ..UUID
};
pub static AUTHORISATION_PATH: Parameter = Parameter {
    name: "authorisationId",
    location: Location::Path,
    description: "The authorisation's id, as the answer that started it gave it.",
    example: "a3c9f2d4-2f0b-4b8e-9c55-3f1f6a0f4c21",
    shell: Some("$AUTHORISATION_ID"),
    ..UUID
};
pub static PAYMENT_SERVICE: Parameter = Parameter {
    name: "payment-service",
    location: Location::Path,
    schema: || Schema::Enum(&["payments"]),
    description: "The kind of payment; single ones are the only kind.",
    example: "payments",
    ..PLAIN
};
pub static PAYMENT_PRODUCT: Parameter = Parameter {
    name: "payment-product",
    schema: || Schema::Enum(&["internal-transfers", "sepa-credit-transfers"]),
    description: "Within this bank, or to any bank in the SEPA area.",
    example: "internal-transfers",
    ..PAYMENT_SERVICE
};
pub static PAYMENT_PATH: Parameter = Parameter {
    name: "paymentId",
    location: Location::Path,
    description: "The payment's id, as the answer that initiated it gave it.",
    example: "c2b9d1f0-5e0a-4f57-9a41-0d3f6b7a8c20",
    shell: Some("$PAYMENT_ID"),
    ..UUID
};
pub static PAYER_ADDRESS: Parameter = Parameter {
    name: "pSUIPAddress",
    description: "The IP address of the customer, who has to be here. PSU-IP-Address is taken too.",
    example: "192.0.2.17",
    ..PLAIN
};
pub static PAYMENT_CONSENT: Parameter = Parameter {
    name: "consentID",
    required: false,
    description: "A consent of the same customer, which then has to be valid. Consent-ID is taken too.",
    example: "1f0c9a3e-4b7d-4c55-8d21-7c0c3a5b9e10",
    ..UUID
};
pub static CONSENT_ID: Parameter = Parameter {
    name: "consentID",
    description: "The consent to read under. Consent-ID is taken too.",
    example: "1f0c9a3e-4b7d-4c55-8d21-7c0c3a5b9e10",
    shell: Some("$CONSENT_ID"),
    ..UUID
};
pub static PSU_ADDRESS: Parameter = Parameter {
    name: "pSUIPAddress",
    required: false,
    description: "The customer's IP address: they are here now, and the read does not count. PSU-IP-Address is taken too.",
    example: "192.0.2.17",
    ..PLAIN
};
pub static ACCOUNT_PATH: Parameter = Parameter {
    name: "account-id",
    location: Location::Path,
    description: "The account's resourceId out of the list.",
    example: "5f0a7c55-7b0e-4f0e-9c0b-2f6f3a1b7d01",
    shell: Some("$ACCOUNT_ID"),
    ..UUID
};
pub static CARD_PATH: Parameter = Parameter {
    name: "card-id",
    description: "The card's resourceId out of the list.",
    example: "9b1d2f44-0c6e-4b8f-8f57-6d2a1c9e3b02",
    shell: Some("$CARD_ID"),
    ..ACCOUNT_PATH
};
pub static TRANSACTION_PATH: Parameter = Parameter {
    name: "transactionId",
    description: "The transaction's id out of the list.",
    example: "c4d8a1b2-3e5f-4a6b-9c7d-8e9f0a1b2c03",
    shell: Some("$TRANSACTION_ID"),
    ..ACCOUNT_PATH
};
const ASKED: Parameter = Parameter { location: Location::Query, required: false, ..PLAIN };
pub static WITH_BALANCE: Parameter = Parameter {
    name: "withBalance",
    schema: || Schema::Enum(&["true", "false"]),
    description: "Show balances too, where the consent covers them.",
    example: "true",
    ..ASKED
};
pub static DATE_FROM: Parameter = Parameter {
    name: "dateFrom",
    schema: || Schema::Formatted("date"),
    description: "The first booking day. Required unless entryReferenceFrom is given; of a date-time its date counts.",
    example: "2026-09-01",
    ..ASKED
};
pub static DATE_TO: Parameter = Parameter {
    name: "dateTo",
    description: "The last booking day; today when it is left out.",
    example: "2026-11-15",
    ..DATE_FROM
};
pub static ENTRY_REFERENCE_FROM: Parameter = Parameter {
    name: "entryReferenceFrom",
    description: "Only what came after this entryReference.",
    example: "",
    ..ASKED
};
pub static BOOKING_STATUS: Parameter = Parameter {
    name: "bookingStatus",
    schema: || Schema::Enum(&["booked", "pending", "both"]),
    description: "Which transactions; booked when it is left out.",
    example: "booked",
    ..ASKED
};
pub static LIMIT: Parameter = Parameter {
    name: "limit",
    description: "How many booked transactions a page has, 1 to 1000; 100 when it is left out.",
    example: "100",
    ..ASKED
};
pub static CURSOR: Parameter = Parameter {
    name: "cursor",
    description: "Where the page before ended; take the whole `next` link instead of making one.",
    example: "0e3f6a51-8d0f-4c2b-9a77-5d1c2b3a4f04",
    ..ASKED
};
pub static REDIRECT_PREFERRED: Parameter = Parameter {
    name: "TPP-Redirect-Preferred",
    required: false,
    schema: || Schema::Enum(&["true", "false"]),
    description: "Only the bank's page, and no other way.",
    example: "false",
    ..PLAIN
};
pub static DECOUPLED_PREFERRED: Parameter = Parameter {
    name: "TPP-Decoupled-Preferred",
    description: "Only the bank's app, and no other way.",
    ..REDIRECT_PREFERRED
};
pub static REDIRECT_URI: Parameter = Parameter {
    name: "TPP-Redirect-URI",
    required: false,
    description: "Where the customer comes back to; one of the registered addresses, letter by letter.",
    example: "http://127.0.0.1:9090/back",
    ..PLAIN
};
pub static NOK_REDIRECT_URI: Parameter = Parameter {
    name: "TPP-Nok-Redirect-URI",
    description: "Where the customer comes back to when it did not work; TPP-Redirect-URI when there is none.",
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
pub static WEBHOOK_ID: Parameter = Parameter {
    name: "webhook-id",
    description: "The callback's id, the same on every try: what you have seen before you have done already.",
    example: "0198b1c2-7a54-7d3c-9f3e-5c1d2a7b9e40",
    ..UUID
};
pub static WEBHOOK_TIMESTAMP: Parameter = Parameter {
    name: "webhook-timestamp",
    schema: || Schema::Integer,
    description: "When this try was made, in seconds since 1970. Refuse one that is minutes old.",
    example: "1767623400",
    ..PLAIN
};
pub static WEBHOOK_SIGNATURE: Parameter = Parameter {
    name: "webhook-signature",
    description: "`v1,` and the base64 of the HMAC-SHA256 over `webhook-id.webhook-timestamp.body` with your secret (the bytes \
                  behind `whsec_`). Two of them with a space between while you change over; one that fits is enough.",
    example: "v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=",
    ..PLAIN
};
pub static API_VERSION: Parameter = Parameter {
    name: "api-version",
    schema: || Schema::Enum(&["2.0", "2"]),
    description: "The version of the operation; there is this one only.",
    example: "2.0",
    ..ASKED
};
pub static BASKET_ID: Parameter = Parameter {
    name: "basketId",
    required: true,
    description: "The publicBasketId of a basket.",
    example: "8f14e45fceea167a5a36dedd4bea2543",
    ..ASKED
};
pub static SANDBOX_VERSION: Parameter =
    Parameter { schema: || Schema::Enum(&["1.0", "1"]), example: "1.0", twin: ".sandbox", ..API_VERSION };
pub static BASKET_NUMBER: Parameter = Parameter {
    schema: || Schema::Integer,
    description: "The basketId that POST /createbasket answered: the number.",
    example: "147502188203467",
    twin: ".number",
    ..BASKET_ID
};
pub static IS_SUCCESS: Parameter = Parameter {
    name: "isSuccessCallback",
    schema: || Schema::Enum(&["true", "false"]),
    description: "Whether the basket is approved, and the success callback called; declined when it is left out.",
    example: "true",
    ..ASKED
};
pub static ORDER_IDENTIFIER: Parameter = Parameter {
    name: "orderIdentifier",
    description: "Your own name of the order. If it is not this basket's, unknown loan.",
    example: "order-1138",
    ..ASKED
};
