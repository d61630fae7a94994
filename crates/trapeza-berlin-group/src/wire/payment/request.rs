//! The request of a payment.

use super::periodic;
use crate::wire::amount::PositiveAmount;
use crate::wire::consent::Day;
use crate::wire::field_name::spell;
use crate::wire::reference::ReferenceRequest;
use crate::wire::request::request;
use trapeza_domain::field::FieldPath;
use trapeza_domain::payment::{
    Address, PaymentOrder, PaymentOrderFields, PaymentProduct, PaymentService, PaymentTiming,
};
use trapeza_domain::reference::AccountReference;
use trapeza_domain::refusal::{FieldError, Refusal, RefusalReason};
use trapeza_http::extract::fields::{Fields, missing_field};
use trapeza_http::extract::json::Json;

request! {
    /// A payment order from a customer's account.
    pub struct PaymentRequest<'a> {
        /// The payer's reference.
        #[schemars(length(min = 1, max = 35))]
        "endToEndIdentification" => end_to_end_identification: &'a str,
        /// The payer's account.
        #[schemars(with = "Option<ReferenceRequest<'a>>")]
        required "debtorAccount" => debtor_account: AccountReference,
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
        /// The day of execution, from today to 365 days ahead; at once without it.
        #[schemars(extend("format" = "date"), with = "Option<String>")]
        "requestedExecutionDate" => requested_execution_date: Day,
        /// Remittance information for the payee.
        #[schemars(length(min = 1, max = 140))]
        "remittanceInformationUnstructured" => remittance_information: &'a str,
    }
}

request! {
    /// The address of the payee.
    #[schemars(rename = "AddressRequest")]
    pub struct AddressRequest<'a> {
        #[schemars(length(min = 1, max = 70))]
        "streetName" => street_name: &'a str,
        #[schemars(length(min = 1, max = 16))]
        "buildingNumber" => building_number: &'a str,
        #[schemars(length(min = 1, max = 35))]
        "townName" => town_name: &'a str,
        #[schemars(length(min = 1, max = 16))]
        "postCode" => post_code: &'a str,
        /// Two letters of ISO 3166-1.
        #[schemars(regex(pattern = "^[A-Z]{2}$"))]
        required "country" => country: &'a str,
    }
}

/// Fields of the standard that change what is paid, to whom or with which details, and that the bank does not execute. They are
/// refused, because a payment must not differ from its order.
pub(super) const UNSUPPORTED: [&str; 16] = [
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
];

/// Fields of a bulk payment only.
const BULK_ONLY: [&str; 2] = ["batchBookingPreferred", "payments"];

/// Fields of a single payment only.
const SINGLE_ONLY: [&str; 1] = ["requestedExecutionDate"];

/// Fields of a periodic payment only.
const PERIODIC_ONLY: [&str; 6] =
    ["startDate", "endDate", "frequency", "dayOfExecution", "monthsOfExecution", "executionRule"];

/// Reads a payment order, or reports all its field errors.
pub fn order(service: PaymentService, product: PaymentProduct, body: &Json) -> Result<PaymentOrder, Refusal> {
    let fields = Fields::of(body, spell)?;
    let others: &[&str] = match service {
        PaymentService::Payments => &PERIODIC_ONLY,
        PaymentService::PeriodicPayments | PaymentService::BulkPayments => &SINGLE_ONLY,
    };
    // An instant payment is executed at once or not at all.
    let dated: &[&str] = match (service, product) {
        (PaymentService::Payments, PaymentProduct::InstantSepaCreditTransfers) => &SINGLE_ONLY,
        _ => &[],
    };
    let refused: Vec<FieldError> = [UNSUPPORTED.as_slice(), &BULK_ONLY, others, dated]
        .iter()
        .flat_map(|names| unsupported("", &fields, names))
        .collect();
    if !refused.is_empty() {
        return Err(not_supported(refused));
    }
    let request = PaymentRequest::read(&fields);
    if let (Some(address), Some(object)) = (&request.creditor_address, fields.opt_object("creditorAddress")) {
        address.check(&object);
    }
    let timing = match (service, request.requested_execution_date) {
        (PaymentService::Payments, Some(Day(day))) => PaymentTiming::OnDate(day),
        (PaymentService::Payments, None) => PaymentTiming::Immediate,
        (PaymentService::PeriodicPayments | PaymentService::BulkPayments, _) => {
            periodic::timing(&fields).unwrap_or_default()
        }
    };
    let parts = PaymentOrderFields {
        end_to_end_id: request.end_to_end_identification,
        debtor: request.debtor_account,
        amount: request.instructed_amount.map(|PositiveAmount(amount)| amount),
        creditor: request.creditor_account,
        creditor_agent: request.creditor_agent,
        creditor_agent_name: request.creditor_agent_name,
        creditor_name: request.creditor_name,
        creditor_address: request.creditor_address.map(Address::from),
        remittance: request.remittance_information,
        timing,
    };
    let order = fields.validate(|errors| PaymentOrder::parse(product, parts, errors));
    fields.finish()?;
    order.ok_or_else(missing_field)
}

/// The errors of fields that are there and not supported. `path` is the path of their object.
pub(super) fn unsupported(path: &str, fields: &Fields<'_>, names: &[&str]) -> Vec<FieldError> {
    // What every transfer of SEPA has may be said.
    let is_executed = |name: &str| name == "chargeBearer" && fields.opt_text(name) == Some("SLEV");
    let found = names.iter().filter(|name| fields.has(name) && !is_executed(name)).map(|name| FieldError {
        path: FieldPath::spelled(format!("{path}{name}")),
        text: "is not supported for this product; remove it".to_owned(),
    });
    found.collect()
}

pub(super) fn not_supported(errors: Vec<FieldError>) -> Refusal {
    Refusal { errors, ..Refusal::new(RefusalReason::Unsupported, "") }
}

impl AddressRequest<'_> {
    /// Checks the lengths of the standard, which are shorter than those of the domain.
    pub(super) fn check(&self, fields: &Fields<'_>) {
        let parts = [
            ("buildingNumber", self.building_number, 16),
            ("townName", self.town_name, 35),
            ("postCode", self.post_code, 16),
        ];
        for (name, text, max) in parts {
            if text.is_some_and(|text| text.chars().count() > max) {
                fields.error(name, format!("must have at most {max} characters"));
            }
        }
        let is_country = |text: &str| text.len() == 2 && text.bytes().all(|byte| byte.is_ascii_uppercase());
        if self.country.is_some_and(|text| !is_country(text)) {
            fields.error("country", "must be two letters of ISO 3166-1, for example GR");
        }
    }
}

impl From<AddressRequest<'_>> for Address {
    fn from(address: AddressRequest<'_>) -> Self {
        let owned = |part: Option<&str>| part.map(str::to_owned);
        Self {
            building_number: owned(address.building_number),
            city: owned(address.town_name),
            country: owned(address.country),
            postal_code: owned(address.post_code),
            street: owned(address.street_name),
        }
    }
}
