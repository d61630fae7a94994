//! The request of a payment.

use crate::wire::amount::PositiveAmount;
use crate::wire::field_name::spell;
use crate::wire::reference::ReferenceRequest;
use crate::wire::request::{Required, request};
use trapeza_domain::field::FieldPath;
use trapeza_domain::payment::{Address, PaymentOrder, PaymentOrderFields, PaymentProduct, PaymentTiming};
use trapeza_domain::reference::AccountReference;
use trapeza_domain::refusal::{FieldError, Refusal, RefusalReason};
use trapeza_http::extract::fields::{Fields, missing_field};
use trapeza_http::extract::json::Json;

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
    let fields = Fields::of(body, spell)?;
    let unsupported = UNSUPPORTED.into_iter().filter(|name| fields.has(name)).map(|name| FieldError {
        path: FieldPath::spelled(name),
        text: "is not supported for this product; remove it".to_owned(),
    });
    let unsupported: Vec<FieldError> = unsupported.collect();
    if !unsupported.is_empty() {
        return Err(Refusal { errors: unsupported, ..Refusal::new(RefusalReason::Unsupported, "") });
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
        timing: PaymentTiming::Immediate,
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
