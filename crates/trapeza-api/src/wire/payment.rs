//! Payments (§2.4, §4.2).

use super::amount::{self, Amount};
use super::authorisation::{self, cancellation_number};
use super::envelope::{Envelope, Links, Message};
use super::fields::{Fields, missing_field};
use super::reference::{self, Reference};
use serde::Serialize;
use trapeza_app::payment::CancellationResult;
use trapeza_app::sca::MethodView;
use trapeza_domain::payment::{
    Address, CancellationStatus, Payment, PaymentOrder, PaymentOrderFields, PaymentProduct, PaymentState,
};
use trapeza_domain::refusal::Refusal;
use trapeza_http::extract::json::Json;

/// The only payment service.
pub const SERVICE: &str = "payments";

/// Reads a payment order, or reports all its field errors.
pub fn order(product: PaymentProduct, body: &Json) -> Result<PaymentOrder, Refusal> {
    let fields = Fields::of(body)?;
    let parts = PaymentOrderFields {
        end_to_end_id: fields.opt_text("endToEndIdentification"),
        debtor: fields.object("debtorAccount").and_then(|account| reference::read(&account)),
        amount: fields.object("instructedAmount").and_then(|amount| amount::read(&amount)),
        creditor: fields.object("creditorAccount").and_then(|account| reference::read(&account)),
        creditor_agent: fields.opt_text("creditorAgent"),
        creditor_agent_name: fields.opt_text("creditorAgentName"),
        creditor_name: fields.text("creditorName"),
        creditor_address: fields.opt_object("creditorAddress").map(|address| read_address(&address)),
        remittance: fields.opt_text("remittanceInformationUnstructured"),
    };
    let order = fields.validate(|errors| PaymentOrder::parse(product, parts, errors));
    fields.finish()?;
    order.ok_or_else(missing_field)
}

fn read_address(address: &Fields<'_>) -> Address {
    let part = |name| address.opt_text(name).map(str::to_owned);
    Address {
        building_number: part("buildingNumber"),
        city: part("city"),
        country: part("country"),
        postal_code: part("postalCode"),
        street: part("street"),
    }
}

/// The response to a payment order.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Initiated<'a> {
    transaction_status: &'static str,
    payment_id: String,
    transaction_fees: Amount,
    transaction_fee_indicator: bool,
    sca_methods: Vec<authorisation::Method<'a>>,
    psu_message: &'static str,
    payment_service: &'static str,
    payment_product: &'static str,
    customer_phone: &'a str,
    #[serde(flatten)]
    envelope: Envelope,
}

pub fn initiated<'a>(payment: &Payment, methods: &'a [MethodView], phone: &'a str) -> Initiated<'a> {
    let fee = payment.instruction.fee;
    let path = path(payment);
    let (status, start) = ([&path, "/status"].concat(), [&path, "/authorisations"].concat());
    Initiated {
        transaction_status: payment.state.status().name(),
        payment_id: payment.id.to_string(),
        transaction_fees: Amount(fee),
        transaction_fee_indicator: fee.is_positive(),
        sca_methods: authorisation::methods(methods),
        psu_message: "Please authorise this payment.",
        payment_service: SERVICE,
        payment_product: payment.instruction.product.name(),
        customer_phone: phone,
        envelope: Envelope::with(
            Links::one("self", path).and("status", status).and("startAuthorisation", start),
        ),
    }
}

/// A payment with its instruction and status.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Details<'a> {
    debtor_account: Reference<'a>,
    instructed_amount: Amount,
    creditor_account: CreditorAccount<'a>,
    creditor_name: &'a str,
    transaction_status: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    end_to_end_identification: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    creditor_agent: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    creditor_agent_name: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    remittance_information_unstructured: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    creditor_address: Option<AddressOut<'a>>,
    #[serde(flatten)]
    envelope: Envelope,
}

#[derive(Serialize)]
struct CreditorAccount<'a> {
    iban: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    currency: Option<&'static str>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct AddressOut<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    building_number: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    city: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    country: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    postal_code: Option<&'a str>,
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
    let currency = instruction.creditor_currency.map(|currency| currency.code());
    Details {
        debtor_account: Reference::of(&instruction.debtor),
        instructed_amount: Amount(instruction.amount),
        creditor_account: CreditorAccount { iban: instruction.creditor.as_str(), currency },
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

/// Why clearing rejected the payment. Other reasons are not reported: they would reveal accounts or balances.
fn rejection(payment: &Payment) -> Option<Message> {
    let PaymentState::Rejected { code: Some(code), .. } = payment.state else { return None };
    let text = format!("clearing rejected the payment: {code}");
    Some(Message { category: 1, code: 0, path: "transactionStatus", text })
}

/// The status of a payment, as a number.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Status {
    transaction_status: i64,
    #[serde(skip_serializing_if = "Option::is_none")]
    funds_available: Option<bool>,
    #[serde(flatten)]
    envelope: Envelope,
}

pub fn status(payment: &Payment) -> Status {
    Status {
        transaction_status: payment.state.number(),
        funds_available: payment.state.funds_available(),
        envelope: Envelope::with_message(Links::one("self", path(payment)), rejection(payment)),
    }
}

/// The response to a cancellation: done, or with a link to the customer's authorisation.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Cancelled<'a> {
    transaction_status: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    sca_methods: Option<Vec<authorisation::Method<'a>>>,
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
        sca_methods: pending.then(|| authorisation::methods_numbered(methods, cancellation_number)),
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
