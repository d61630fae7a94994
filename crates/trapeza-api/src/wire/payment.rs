//! Payments (§2.4, §4.2).

mod request;

pub use request::{PaymentRequest, order};

use super::amount::Amount;
use super::authorisation::{CancellationScaMethod, ScaMethod};
use super::envelope::{Envelope, Links};
use super::reference::Reference;
use super::schema::{numbered, one_of};
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::Serialize;
use trapeza_app::payment::CancellationResult;
use trapeza_app::sca::MethodView;
use trapeza_domain::payment::{Address, CancellationStatus, Payment, PaymentProduct, PaymentState};
use trapeza_http::error_response::TppMessage;
use uuid::Uuid;

/// The only payment service.
pub const SERVICE: &str = "payments";

/// A payment that waits for its customer. Nothing is known yet about funds or owners.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "PaymentInitiated")]
pub struct Initiated<'a> {
    /// The status of the payment.
    #[schemars(schema_with = "status_name_schema")]
    transaction_status: &'static str,
    /// The payment's id.
    payment_id: Uuid,
    /// The fee of the bank.
    transaction_fees: Amount,
    /// Whether there is a fee.
    transaction_fee_indicator: bool,
    /// The customer's SCA methods.
    sca_methods: Vec<ScaMethod<'a>>,
    /// A message for the customer.
    psu_message: &'static str,
    /// The payment service.
    #[schemars(extend("enum" = [SERVICE]))]
    payment_service: &'static str,
    /// The payment product.
    #[schemars(schema_with = "product_schema")]
    payment_product: &'static str,
    /// The customer's phone number, masked but for its last two digits.
    customer_phone: &'a str,
    #[serde(flatten)]
    envelope: Envelope,
}

/// The names of the specification (§3); the bank uses some of them.
fn status_name_schema(_: &mut SchemaGenerator) -> Schema {
    one_of([
        "ACCC", "ACCP", "ACSC", "ACSP", "ACTC", "ACWC", "ACWP", "RCVD", "PDNG", "RJCT", "CANC", "ACFC",
        "PATC", "PART",
    ])
}

pub fn product_schema(_: &mut SchemaGenerator) -> Schema {
    one_of(PaymentProduct::NATIVE.iter().map(|each| each.name()))
}

pub fn initiated<'a>(payment: &Payment, methods: &'a [MethodView], phone: &'a str) -> Initiated<'a> {
    let fee = payment.instruction.fee;
    let path = path(payment);
    let (status, start) = ([&path, "/status"].concat(), [&path, "/authorisations"].concat());
    Initiated {
        transaction_status: payment.state.status().name(),
        payment_id: payment.id.uuid(),
        transaction_fees: fee.into(),
        transaction_fee_indicator: fee.is_positive(),
        sca_methods: methods.iter().map(ScaMethod::from).collect(),
        psu_message: "Please authorise this payment.",
        payment_service: SERVICE,
        payment_product: payment.instruction.product.name(),
        customer_phone: phone,
        envelope: Envelope::with(
            Links::one("self", path).and("status", status).and("startAuthorisation", start),
        ),
    }
}

/// A payment as it was ordered, and its status.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "Payment")]
pub struct Details<'a> {
    /// The payer's account.
    debtor_account: Reference<'a>,
    /// The amount.
    instructed_amount: Amount,
    /// The payee's account, by its IBAN.
    creditor_account: Reference<'a>,
    /// The payee's name.
    #[schemars(length(max = 70))]
    creditor_name: &'a str,
    /// The status of the payment.
    #[schemars(schema_with = "status_name_schema")]
    transaction_status: &'static str,
    /// The payer's reference.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = 35))]
    end_to_end_identification: Option<&'a str>,
    /// The BIC of the payee's bank.
    #[serde(skip_serializing_if = "Option::is_none")]
    creditor_agent: Option<&'a str>,
    /// The name of the payee's bank.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = 70))]
    creditor_agent_name: Option<&'a str>,
    /// Remittance information for the payee.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = 140))]
    remittance_information_unstructured: Option<&'a str>,
    /// The address of the payee.
    #[serde(skip_serializing_if = "Option::is_none")]
    creditor_address: Option<AddressOut<'a>>,
    #[serde(flatten)]
    envelope: Envelope,
}

/// The address of the payee.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "CreditorAddress")]
struct AddressOut<'a> {
    /// The building number.
    #[serde(skip_serializing_if = "Option::is_none")]
    building_number: Option<&'a str>,
    /// The city.
    #[serde(skip_serializing_if = "Option::is_none")]
    city: Option<&'a str>,
    /// The country.
    #[serde(skip_serializing_if = "Option::is_none")]
    country: Option<&'a str>,
    /// The postal code.
    #[serde(skip_serializing_if = "Option::is_none")]
    postal_code: Option<&'a str>,
    /// The street.
    #[serde(skip_serializing_if = "Option::is_none")]
    street: Option<&'a str>,
}

impl<'a> AddressOut<'a> {
    fn of(address: &'a Address) -> Self {
        Self {
            building_number: address.building_number.as_deref(),
            city: address.city.as_deref(),
            country: address.country.as_deref(),
            postal_code: address.postal_code.as_deref(),
            street: address.street.as_deref(),
        }
    }
}

pub fn details(payment: &Payment) -> Details<'_> {
    let instruction = &payment.instruction;
    Details {
        debtor_account: Reference::of_stored(&instruction.debtor),
        instructed_amount: instruction.amount.into(),
        creditor_account: Reference::of_iban(&instruction.creditor, instruction.creditor_currency),
        creditor_name: &instruction.creditor_name,
        transaction_status: payment.state.status().name(),
        end_to_end_identification: instruction.end_to_end_id.as_deref(),
        creditor_agent: instruction.creditor_agent.as_ref().map(|agent| agent.as_str()),
        creditor_agent_name: instruction.creditor_agent_name.as_deref(),
        remittance_information_unstructured: instruction.remittance.as_deref(),
        creditor_address: instruction.creditor_address.as_ref().map(AddressOut::of),
        envelope: Envelope::with_message(links(payment), rejection(payment)),
    }
}

/// Why the payment was rejected: the ISO 20022 reason and a sentence.
fn rejection(payment: &Payment) -> Option<TppMessage> {
    let rejection = payment.state.rejection()?;
    let text = format!("{}: {}", rejection.iso_code(), rejection.reason.description());
    Some(TppMessage { category: 0, code: 0, path: "transactionStatus".to_owned(), text })
}

/// The status of a payment.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "PaymentStatusResponse")]
pub struct Status {
    #[schemars(schema_with = "status_number_schema")]
    transaction_status: i64,
    /// Whether the funds were available, once the customer has authorised the payment.
    #[serde(skip_serializing_if = "Option::is_none")]
    funds_available: Option<bool>,
    #[serde(flatten)]
    envelope: Envelope,
}

fn status_number_schema(_: &mut SchemaGenerator) -> Schema {
    numbered([
        "not known",
        "received",
        "accepted for execution",
        "rejected",
        "successful",
        "failed",
        "cancelled",
        "expired",
    ])
}

pub fn status(payment: &Payment) -> Status {
    Status {
        transaction_status: payment.state.number(),
        funds_available: payment.state.funds_available(),
        envelope: Envelope::with_message(Links::one("self", path(payment)), rejection(payment)),
    }
}

/// The result of a cancellation.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "PaymentCancellation")]
pub struct Cancelled<'a> {
    /// CANCELLED: the payment is cancelled. RECEIVED: the customer must authorise the cancellation, and the payment is held
    /// back for 15 minutes.
    #[schemars(extend("enum" = ["RECEIVED", "CANCELLED"]))]
    transaction_status: &'static str,
    /// The customer's SCA methods; empty unless the customer must authorise the cancellation.
    sca_methods: Vec<CancellationScaMethod<'a>>,
    #[serde(flatten)]
    envelope: Envelope,
}

pub fn cancelled<'a>(result: &CancellationResult, methods: &'a [MethodView], path: &str) -> Cancelled<'a> {
    let links = Links::one("self", path.to_owned()).and("status", format!("{path}/status"));
    let pending = result.status == CancellationStatus::Received;
    let links = match pending {
        true => links.and("startAuthorisation", format!("{path}/cancellation-authorisations")),
        false => links,
    };
    Cancelled {
        transaction_status: result.status.name(),
        sca_methods: methods.iter().filter(|_| pending).map(CancellationScaMethod::from).collect(),
        envelope: Envelope::with(links),
    }
}

/// Links to the operations that are possible in the payment's state.
fn links(payment: &Payment) -> Links {
    let path = path(payment);
    let (status, start) = (format!("{path}/status"), format!("{path}/authorisations"));
    let links = Links::one("self", path).and("status", status);
    if payment.state == PaymentState::Received { links.and("startAuthorisation", start) } else { links }
}

pub fn path(payment: &Payment) -> String {
    ["/v1/", SERVICE, "/", payment.instruction.product.name(), "/", &payment.id.to_string()].concat()
}
