//! Payments (§2.4, §4.2).

use super::amount::{Amount, PositiveAmount};
use super::authorisation::{CancellationScaMethod, ScaMethod};
use super::envelope::{Envelope, Links};
use super::fields::{Fields, missing_field};
use super::reference::{Reference, ReferenceRequest};
use super::request::{Required, request};
use super::schema::{numbered, one_of};
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::Serialize;
use trapeza_app::payment::CancellationResult;
use trapeza_app::sca::MethodView;
use trapeza_domain::field::FieldPath;
use trapeza_domain::payment::{
    Address, CancellationStatus, Payment, PaymentOrder, PaymentOrderFields, PaymentProduct, PaymentState,
};
use trapeza_domain::reference::AccountReference;
use trapeza_domain::refusal::{Refusal, RefusalReason};
use trapeza_http::error_response::TppMessage;
use trapeza_http::extract::json::Json;
use uuid::Uuid;

/// The only payment service.
pub const SERVICE: &str = "payments";

request! {
    /// A payment order from a customer's account.
    pub struct PaymentRequest<'a> {
        /// The payer's reference.
        #[schemars(length(min = 1, max = 35))]
        "endToEndIdentification" => end_to_end_identification: Option<&'a str>,
        /// The payer's account.
        #[schemars(with = "ReferenceRequest<'a>")]
        "debtorAccount" => debtor_account: Required<AccountReference>,
        /// The amount.
        "instructedAmount" => instructed_amount: Required<PositiveAmount>,
        /// The payee's account, by its IBAN.
        #[schemars(with = "ReferenceRequest<'a>")]
        "creditorAccount" => creditor_account: Required<AccountReference>,
        /// The BIC of the payee's bank.
        "creditorAgent" => creditor_agent: Option<&'a str>,
        /// The name of the payee's bank.
        #[schemars(length(min = 1, max = 70))]
        "creditorAgentName" => creditor_agent_name: Option<&'a str>,
        /// The payee's name.
        #[schemars(length(min = 1, max = 70))]
        "creditorName" => creditor_name: Required<&'a str>,
        /// The address of the payee.
        "creditorAddress" => creditor_address: Option<AddressRequest<'a>>,
        /// Remittance information for the payee.
        #[schemars(length(min = 1, max = 140))]
        "remittanceInformationUnstructured" => remittance_information: Option<&'a str>,
    }
}

request! {
    /// The address of the payee.
    #[schemars(rename = "CreditorAddressRequest")]
    pub struct AddressRequest<'a> {
        /// The building number.
        #[schemars(length(min = 1, max = 70))]
        "buildingNumber" => building_number: Option<&'a str>,
        /// The city.
        #[schemars(length(min = 1, max = 70))]
        "city" => city: Option<&'a str>,
        /// The country.
        #[schemars(length(min = 1, max = 70))]
        "country" => country: Option<&'a str>,
        /// The postal code.
        #[schemars(length(min = 1, max = 70))]
        "postalCode" => postal_code: Option<&'a str>,
        /// The street.
        #[schemars(length(min = 1, max = 70))]
        "street" => street: Option<&'a str>,
        /// The city, in the spelling of the Berlin Group.
        #[schemars(length(min = 1, max = 70))]
        "townName" => town_name: Option<&'a str>,
        /// The postal code, in the spelling of the Berlin Group.
        #[schemars(length(min = 1, max = 70))]
        "postCode" => post_code: Option<&'a str>,
        /// The street, in the spelling of the Berlin Group.
        #[schemars(length(min = 1, max = 70))]
        "streetName" => street_name: Option<&'a str>,
    }
}

/// Fields of the Berlin Group standard that change what is paid, when, to whom or with which details, and that the bank does
/// not execute. They are refused, because a payment must not differ from its order.
const UNSUPPORTED: [&str; 25] = [
    "requestedExecutionDate",
    "requestedExecutionTime",
    "chargeBearer",
    "currencyOfTransfer",
    "exchangeRateInformation",
    "ultimateDebtor",
    "ultimateCreditor",
    "debtorName",
    "debtorId",
    "creditorId",
    "purposeCode",
    "categoryPurposeCode",
    "serviceLevel",
    "instructionIdentification",
    "remittanceInformationStructured",
    "remittanceInformationStructuredArray",
    "remittanceInformationUnstructuredArray",
    "startDate",
    "endDate",
    "frequency",
    "dayOfExecution",
    "monthsOfExecution",
    "executionRule",
    "batchBookingPreferred",
    "payments",
];

impl AddressRequest<'_> {
    /// Refuses both spellings of one part: two programs might read different ones.
    fn check_spellings(&self, order: &Fields<'_>) {
        for (native, standard, name) in [
            (self.street, self.street_name, "creditorAddress.streetName"),
            (self.city, self.town_name, "creditorAddress.townName"),
            (self.postal_code, self.post_code, "creditorAddress.postCode"),
        ] {
            if native.is_some() && standard.is_some() {
                order.error(name, "must not be sent in both spellings");
            }
        }
    }
}

/// Reads a payment order, or reports all its field errors.
pub fn order(product: PaymentProduct, body: &Json) -> Result<PaymentOrder, Refusal> {
    let fields = Fields::of(body)?;
    if let Some(name) = UNSUPPORTED.into_iter().find(|name| fields.has(name)) {
        let text = "is not supported for this product; remove it";
        return Err(Refusal::at(RefusalReason::Unsupported, FieldPath::Spelled(name.to_owned()), text));
    }
    let request = PaymentRequest::read(&fields);
    if let Some(address) = &request.creditor_address {
        address.check_spellings(&fields);
    }
    let parts = PaymentOrderFields {
        end_to_end_id: request.end_to_end_identification,
        debtor: request.debtor_account.0,
        amount: request.instructed_amount.0.map(|PositiveAmount(amount)| amount),
        creditor: request.creditor_account.0,
        creditor_agent: request.creditor_agent,
        creditor_agent_name: request.creditor_agent_name,
        creditor_name: request.creditor_name.0,
        creditor_address: request.creditor_address.map(Address::from),
        remittance: request.remittance_information,
    };
    let order = fields.validate(|errors| PaymentOrder::parse(product, parts, errors));
    fields.finish()?;
    order.ok_or_else(missing_field)
}

impl From<AddressRequest<'_>> for Address {
    fn from(address: AddressRequest<'_>) -> Self {
        let owned = |part: Option<&str>| part.map(str::to_owned);
        Self {
            building_number: owned(address.building_number),
            city: owned(address.city.or(address.town_name)),
            country: owned(address.country),
            postal_code: owned(address.postal_code.or(address.post_code)),
            street: owned(address.street.or(address.street_name)),
        }
    }
}

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
    one_of(PaymentProduct::ALL.iter().map(|each| each.name()))
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
    Some(TppMessage { category: 1, code: 0, path: "transactionStatus".to_owned(), text })
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
    /// The customer's SCA methods, if the customer must authorise the cancellation.
    #[serde(skip_serializing_if = "Option::is_none")]
    sca_methods: Option<Vec<CancellationScaMethod<'a>>>,
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
        sca_methods: pending.then(|| methods.iter().map(CancellationScaMethod::from).collect()),
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
