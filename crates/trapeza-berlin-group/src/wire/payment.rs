//! Payments.

mod bulk;
mod periodic;
mod periodic_request;
mod request;

pub use bulk::{BulkDetails, BulkPaymentRequest, ExtendedStatus, bulk_details, bulk_order, extended_status};
pub use periodic::StandingOrderOut;
pub use periodic_request::PeriodicPaymentRequest;
pub use request::{PaymentRequest, order};

use super::address::AddressOut;
use super::amount::Amount;
use super::authorisation::{ChallengeData, PayeeVerificationOut, ScaMethod};
use super::reference::Reference;
use super::schema;
use super::text::cut;
use crate::link::Links;
use schemars::JsonSchema;
use serde::Serialize;
use trapeza_app::format_date;
use trapeza_domain::payment::{Payment, PaymentInstruction, TransactionStatus};
use trapeza_http::berlin_group::{MAX_TEXT_CHARS, TppMessage};
use uuid::Uuid;

/// A payment that waits for its customer.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "PaymentInitiated", deny_unknown_fields)]
pub struct Initiated<'a> {
    #[schemars(schema_with = "schema::transaction_status")]
    pub transaction_status: &'static str,
    /// The payment's id.
    pub payment_id: Uuid,
    /// The fee of the bank, if there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub transaction_fees: Option<Amount>,
    /// Whether there is a fee.
    pub transaction_fee_indicator: bool,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub sca_methods: Vec<ScaMethod<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub chosen_sca_method: Option<ScaMethod<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub challenge_data: Option<ChallengeData<'a>>,
    #[serde(rename = "_links")]
    pub links: Links,
    /// A message for the customer.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = 500))]
    pub psu_message: Option<&'a str>,
    /// The payee's name is not, or not exactly, that of the account. Reported once.
    #[serde(rename = "originalTransactionInformationAndVopStatus", skip_serializing_if = "Option::is_none")]
    pub payee_verification: Option<[PayeeVerificationOut<'a>; 1]>,
}

/// A payment as it was ordered, and its status.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "Payment")]
pub struct Details<'a> {
    debtor_account: Reference<'a>,
    #[serde(flatten)]
    order: OrderDetails<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("format" = "date"))]
    requested_execution_date: Option<String>,
    /// The terms of a periodic payment.
    #[serde(flatten)]
    standing_order: Option<periodic::StandingOrderOut>,
    #[schemars(schema_with = "schema::transaction_status")]
    transaction_status: &'static str,
    /// That funds were missing.
    #[serde(skip_serializing_if = "Option::is_none")]
    tpp_message: Option<TppMessage>,
}

/// Who is paid how much and why: a single payment, or a line of a bulk payment.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "PaymentOrder")]
pub struct OrderDetails<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = 35))]
    end_to_end_identification: Option<&'a str>,
    instructed_amount: Amount,
    creditor_account: Reference<'a>,
    /// The BIC of the payee's bank.
    #[serde(skip_serializing_if = "Option::is_none")]
    creditor_agent: Option<&'a str>,
    /// The name of the payee's bank.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = 140))]
    creditor_agent_name: Option<&'a str>,
    #[schemars(length(max = 70))]
    creditor_name: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    creditor_address: Option<AddressOut<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = 140))]
    remittance_information_unstructured: Option<&'a str>,
}

pub fn details(payment: &Payment) -> Details<'_> {
    let instruction = &payment.instruction;
    Details {
        debtor_account: Reference::of_stored(&instruction.debtor),
        order: order_details(instruction),
        requested_execution_date: instruction.timing.requested_date().map(format_date),
        standing_order: instruction.timing.standing_order().map(periodic::StandingOrderOut::from),
        transaction_status: payment.state.status().name(),
        tpp_message: rejection(payment),
    }
}

fn order_details(instruction: &PaymentInstruction) -> OrderDetails<'_> {
    OrderDetails {
        end_to_end_identification: instruction.end_to_end_id.as_deref(),
        instructed_amount: instruction.amount.into(),
        creditor_account: Reference::of_iban(&instruction.creditor, instruction.creditor_currency),
        creditor_agent: instruction.creditor_agent.as_ref().map(|agent| agent.as_str()),
        creditor_agent_name: instruction.creditor_agent_name.as_deref(),
        creditor_name: &instruction.creditor_name,
        creditor_address: instruction.creditor_address.as_ref().and_then(AddressOut::of_payee),
        remittance_information_unstructured: instruction.remittance.as_deref(),
    }
}

/// Why the payment was rejected. The standard has a code of its own only where funds are missing.
fn rejection(payment: &Payment) -> Option<TppMessage> {
    let text = reason(payment)?;
    let is_funds = payment.state.funds_available() == Some(false);
    let code = if is_funds { "FUNDS_NOT_AVAILABLE" } else { "PAYMENT_FAILED" };
    Some(TppMessage { category: "ERROR", code, path: String::new(), text })
}

/// Why the payment was rejected: the ISO 20022 reason and a sentence.
fn reason(payment: &Payment) -> Option<String> {
    let rejection = payment.state.rejection()?;
    let text = format!("{}: {}", rejection.iso_code(), rejection.reason.description());
    Some(cut(&text, MAX_TEXT_CHARS).to_owned())
}

/// The status of a payment.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "PaymentStatus", deny_unknown_fields)]
pub struct Status<'a> {
    #[schemars(schema_with = "schema::transaction_status")]
    transaction_status: &'static str,
    /// Whether the funds were available, once the customer has authorised the payment.
    #[serde(skip_serializing_if = "Option::is_none")]
    funds_available: Option<bool>,
    /// Why the payment was rejected, with the reason of ISO 20022.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = 500))]
    psu_message: Option<String>,
    /// The same for the third party: FUNDS_NOT_AVAILABLE or PAYMENT_FAILED.
    #[serde(skip_serializing_if = "Option::is_none")]
    tpp_message: Option<TppMessage>,
    /// The payee's name is not, or not exactly, that of the account; until the customer has authorised the payment.
    #[serde(rename = "originalTransactionInformationAndVopStatus", skip_serializing_if = "Option::is_none")]
    payee_verification: Option<[PayeeVerificationOut<'a>; 1]>,
}

pub fn status(payment: &Payment) -> Status<'_> {
    // It is a warning before the approval, and no news afterwards.
    let is_waiting = payment.state.status() == TransactionStatus::Rcvd;
    let verification = PayeeVerificationOut::of(payment).filter(|_| is_waiting);
    Status {
        transaction_status: payment.state.status().name(),
        funds_available: payment.state.funds_available(),
        psu_message: reason(payment),
        tpp_message: rejection(payment),
        payee_verification: verification.map(|only| [only]),
    }
}

/// A cancellation that the customer must authorise.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "PaymentCancellation", deny_unknown_fields)]
pub struct Cancelled<'a> {
    /// The present status of the payment.
    #[schemars(schema_with = "schema::transaction_status")]
    pub transaction_status: &'static str,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub sca_methods: Vec<ScaMethod<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub chosen_sca_method: Option<ScaMethod<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub challenge_data: Option<ChallengeData<'a>>,
    #[serde(rename = "_links")]
    pub links: Links,
}
