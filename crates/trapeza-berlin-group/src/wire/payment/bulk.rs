//! Bulk payments: several payments from one account.

use super::request::{AddressRequest, UNSUPPORTED, unsupported};
use super::{OrderDetails, order_details};
use crate::wire::amount::PositiveAmount;
use crate::wire::consent::Day;
use crate::wire::field_name::spell;
use crate::wire::reference::{Reference, ReferenceRequest};
use crate::wire::request::{FromField, request};
use crate::wire::schema;
use schemars::JsonSchema;
use serde::Serialize;
use std::marker::PhantomData;
use trapeza_app::format_date;
use trapeza_app::payment::{BulkPayment, RejectedLine};
use trapeza_domain::field::Field;
use trapeza_domain::payment::{
    Address, BulkOrder, MAX_BULK_LINES, PaymentOrder, PaymentOrderFields, PaymentProduct, PaymentTiming,
};
use trapeza_domain::reference::AccountReference;
use trapeza_domain::refusal::Refusal;
use trapeza_http::berlin_group::TppMessage;
use trapeza_http::extract::fields::{Fields, missing_field};
use trapeza_http::extract::json::Json;

request! {
    /// Several payments from a customer's account, in one currency.
    pub struct BulkPaymentRequest<'a> {
        /// The payer's account.
        #[schemars(with = "Option<ReferenceRequest<'a>>")]
        required "debtorAccount" => debtor_account: AccountReference,
        /// Whether the payments shall be one entry on the payer's statement.
        "batchBookingPreferred" => batch_booking_preferred: bool,
        /// The day of execution, from today to 365 days ahead; at once without it.
        #[schemars(extend("format" = "date"), with = "Option<String>")]
        "requestedExecutionDate" => requested_execution_date: Day,
        /// The payments.
        #[schemars(length(min = 1, max = 500), with = "Option<Vec<BulkLineRequest<'a>>>")]
        required "payments" => payments: LineList<'a>,
    }
}

request! {
    /// A payment of a bulk.
    pub struct BulkLineRequest<'a> {
        /// The payer's reference.
        #[schemars(length(min = 1, max = 35))]
        "endToEndIdentification" => end_to_end_identification: &'a str,
        /// The amount.
        required "instructedAmount" => instructed_amount: PositiveAmount,
        /// The payee's account, by its IBAN.
        #[schemars(with = "Option<ReferenceRequest<'a>>")]
        required "creditorAccount" => creditor_account: AccountReference,
        /// The BIC of the payee's bank.
        "creditorAgent" => creditor_agent: &'a str,
        /// The name of the payee's bank.
        #[schemars(length(min = 1, max = 70))]
        "creditorAgentName" => creditor_agent_name: &'a str,
        /// The payee's name.
        #[schemars(length(min = 1, max = 70))]
        required "creditorName" => creditor_name: &'a str,
        /// The address of the payee.
        "creditorAddress" => creditor_address: AddressRequest<'a>,
        /// Remittance information for the payee.
        #[schemars(length(min = 1, max = 140))]
        "remittanceInformationUnstructured" => remittance_information: &'a str,
    }
}

/// A list that is there; its entries are read one by one.
pub struct LineList<'a>(PhantomData<&'a ()>);

impl<'a> FromField<'a> for LineList<'a> {
    fn from_field(fields: &Fields<'a>, name: &'static str) -> Option<Self> {
        fields.has(name).then_some(Self(PhantomData))
    }
}

/// Fields of the order that a line cannot have for itself.
const BULK_ONLY: [&str; 4] = ["debtorAccount", "requestedExecutionDate", "batchBookingPreferred", "payments"];

/// Reads a bulk payment, or reports all errors of its fields and lines.
pub fn bulk_order(product: PaymentProduct, body: &Json) -> Result<BulkOrder, Refusal> {
    let fields = Fields::of(body, spell)?;
    let lines = fields.objects_with_gaps("payments");
    let mut refused = unsupported("", &fields, &UNSUPPORTED);
    for (index, line) in lines.iter().take(MAX_BULK_LINES).enumerate() {
        if let Some(line) = line {
            let path = format!("payments[{index}].");
            refused.extend(unsupported(&path, line, &UNSUPPORTED));
            refused.extend(unsupported(&path, line, &BULK_ONLY));
        }
    }
    if !refused.is_empty() {
        return Err(super::request::not_supported(refused));
    }
    let request = BulkPaymentRequest::read(&fields);
    let mut orders = Vec::new();
    if lines.len() <= MAX_BULK_LINES {
        for line in lines.iter().flatten() {
            orders.extend(line_order(product, request.debtor_account.as_ref(), line));
        }
    }
    if request.payments.is_some() {
        fields.validate(|errors| BulkOrder::check_lines(&orders, lines.len(), errors));
    }
    let currency = request.debtor_account.as_ref().and_then(|debtor| debtor.currency);
    if let (Some(currency), Some(first)) = (currency, orders.first())
        && currency != first.amount.currency
    {
        let text = "must be the currency of the payments";
        fields.validate(|errors| errors.add([Field::DebtorAccount, Field::Currency], text));
    }
    fields.finish()?;
    if orders.len() != lines.len() {
        return Err(missing_field());
    }
    let timing = request
        .requested_execution_date
        .map_or(PaymentTiming::Immediate, |Day(day)| PaymentTiming::OnDate(day));
    let batch_booking = request.batch_booking_preferred.unwrap_or(false);
    Ok(BulkOrder { product, lines: orders, batch_booking, timing })
}

/// Reads a line, which is paid from the bulk's account.
fn line_order(
    product: PaymentProduct,
    debtor: Option<&AccountReference>,
    fields: &Fields<'_>,
) -> Option<PaymentOrder> {
    let request = BulkLineRequest::read(fields);
    if let (Some(address), Some(object)) = (&request.creditor_address, fields.opt_object("creditorAddress")) {
        address.check(&object);
    }
    let parts = PaymentOrderFields {
        end_to_end_id: request.end_to_end_identification,
        // The currency of the account is compared once.
        debtor: debtor.map(|debtor| AccountReference { currency: None, ..debtor.clone() }),
        amount: request.instructed_amount.map(|PositiveAmount(amount)| amount),
        creditor: request.creditor_account,
        creditor_agent: request.creditor_agent,
        creditor_agent_name: request.creditor_agent_name,
        creditor_name: request.creditor_name,
        creditor_address: request.creditor_address.map(Address::from),
        remittance: request.remittance_information,
        timing: PaymentTiming::Immediate,
    };
    let order = fields.validate(|errors| PaymentOrder::parse(product, parts, errors))?;
    Some(PaymentOrder { debtor: debtor?.clone(), ..order })
}

/// A bulk payment as it was ordered, and its status.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "BulkPayment", deny_unknown_fields)]
pub struct BulkDetails<'a> {
    debtor_account: Reference<'a>,
    batch_booking_preferred: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("format" = "date"))]
    requested_execution_date: Option<String>,
    payments: Vec<OrderDetails<'a>>,
    #[schemars(schema_with = "schema::transaction_status")]
    transaction_status: &'static str,
    /// That funds were missing.
    #[serde(skip_serializing_if = "Option::is_none")]
    tpp_message: Option<TppMessage>,
}

pub fn bulk_details(bulk: &BulkPayment) -> BulkDetails<'_> {
    let (payment, instruction) = (&bulk.payment, &bulk.payment.instruction);
    BulkDetails {
        debtor_account: Reference::of_stored(&instruction.debtor),
        batch_booking_preferred: instruction.bulk.is_some_and(|terms| terms.batch_booking),
        requested_execution_date: instruction.timing.requested_date().map(format_date),
        payments: bulk.lines.iter().map(order_details).collect(),
        transaction_status: payment.state.status().name(),
        tpp_message: super::rejection(payment),
    }
}

/// The status of a bulk payment, with the lines that were rejected.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "ExtendedPaymentStatus", deny_unknown_fields)]
pub struct ExtendedStatus {
    #[schemars(schema_with = "schema::transaction_status")]
    group_status: &'static str,
    /// The rejected lines, in their order.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    original_transaction_information_and_status: Vec<LineStatus>,
}

/// A line that was rejected.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(deny_unknown_fields)]
struct LineStatus {
    /// The payer's reference, where the line has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = 35))]
    original_end_to_end_id: Option<String>,
    #[schemars(schema_with = "schema::transaction_status")]
    transaction_status: &'static str,
    /// The reason in ISO 20022.
    status_reason_information_code: String,
}

pub fn extended_status(group_status: &'static str, rejected: Vec<RejectedLine>) -> ExtendedStatus {
    let each = rejected.into_iter().map(|line| LineStatus {
        original_end_to_end_id: line.end_to_end_id,
        transaction_status: "RJCT",
        status_reason_information_code: line.rejection.iso_code().to_string(),
    });
    ExtendedStatus { group_status, original_transaction_information_and_status: each.collect() }
}
