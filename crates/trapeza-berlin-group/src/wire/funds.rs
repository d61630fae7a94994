//! Funds consents and funds confirmations.

use super::amount::PositiveAmount;
use super::consent::{Day, last_day};
use super::field_name::spell;
use super::reference::{Reference, ReferenceRequest};
use super::request::{FromField, request, value};
use super::schema;
use schemars::JsonSchema;
use serde::Serialize;
use trapeza_app::funds::FundsConfirmationRequest;
use trapeza_app::{Zone, format_date};
use trapeza_domain::consent::{FundsConsent, FundsConsentRequest, ValidUntil};
use trapeza_domain::reference::{AccountReference, Pan};
use trapeza_domain::refusal::Refusal;
use trapeza_http::extract::fields::Fields;
use trapeza_http::extract::json::Json;

request! {
    /// A request of a card issuer for consent to confirm funds on an account.
    #[schemars(rename = "FundsConsentRequest")]
    pub struct ConsentRequest<'a> {
        /// The account.
        #[schemars(with = "Option<ReferenceRequest<'a>>")]
        required "account" => account: AccountReference,
        /// The number of the card, which must belong to the account.
        #[schemars(with = "Option<&'a str>")]
        "cardNumber" => card_number: Pan,
        /// The last day of the card.
        #[schemars(extend("format" = "date"), with = "Option<String>")]
        "cardExpiryDate" => card_expiry_date: Day,
        /// A name for the card.
        #[schemars(length(max = 140))]
        "cardInformation" => card_information: &'a str,
        /// Information about the registration.
        #[schemars(length(max = 140))]
        "registrationInformation" => registration_information: &'a str,
    }
}

request! {
    /// A request to confirm funds on an account.
    #[schemars(rename = "FundsConfirmationRequest")]
    pub struct ConfirmationRequest<'a> {
        /// The account of the consent.
        #[schemars(with = "Option<ReferenceRequest<'a>>")]
        required "account" => account: AccountReference,
        /// The number of the card in use.
        #[schemars(with = "Option<&'a str>")]
        "cardNumber" => card_number: Pan,
        /// The amount to confirm.
        required "instructedAmount" => instructed_amount: PositiveAmount,
        /// The payee.
        #[schemars(length(max = 70))]
        #[expect(dead_code, reason = "it is validated, but the answer does not depend on it")]
        "payee" => payee: &'a str,
    }
}

impl<'a> FromField<'a> for Pan {
    fn from_field(fields: &Fields<'a>, name: &'static str) -> Option<Self> {
        fields.opt_text(name).and_then(|text| fields.parsed(name, Self::parse(text)))
    }
}

/// Reads the request for a funds consent, or reports all its field errors.
pub fn order(body: &Json) -> Result<FundsConsentRequest, Refusal> {
    let fields = Fields::of(body, spell)?;
    let request = ConsentRequest::read(&fields);
    fields.finish()?;
    Ok(FundsConsentRequest {
        account: value(request.account)?,
        card_number: request.card_number,
        card_expiry: request.card_expiry_date.map(|Day(day)| ValidUntil::Date(day)),
        card_information: request.card_information.map(str::to_owned),
        registration_information: request.registration_information.map(str::to_owned),
    })
}

/// Reads a request to confirm funds, or reports all its field errors.
pub fn question(body: &Json) -> Result<FundsConfirmationRequest, Refusal> {
    let fields = Fields::of(body, spell)?;
    let request = ConfirmationRequest::read(&fields);
    fields.finish()?;
    let PositiveAmount(amount) = value(request.instructed_amount)?;
    Ok(FundsConfirmationRequest { account: value(request.account)?, card: request.card_number, amount })
}

/// The result of a funds confirmation.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "FundsConfirmation", deny_unknown_fields)]
pub struct Confirmation {
    /// Whether the amount is available now; reserved amounts are not.
    pub funds_available: bool,
}

/// A funds consent.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "FundsConsent", deny_unknown_fields)]
pub struct Details<'a> {
    account: Reference<'a>,
    /// The masked number of the card.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = 35))]
    card_number: Option<&'a str>,
    /// The last day of the card.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("format" = "date"))]
    card_expiry_date: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = 140))]
    card_information: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = 140))]
    registration_information: Option<&'a str>,
    #[schemars(schema_with = "schema::consent_status")]
    consent_status: &'static str,
}

pub fn details<'a>(consent: &'a FundsConsent, zone: &Zone) -> Details<'a> {
    let terms = &consent.terms;
    Details {
        account: Reference::of_stored(&terms.account),
        card_number: terms.card_number.as_ref().map(|card| card.masked.as_str()),
        card_expiry_date: terms.card_expiry.map(|until| format_date(last_day(until, zone))),
        card_information: terms.card_information.as_deref(),
        registration_information: terms.registration_information.as_deref(),
        consent_status: consent.consent.state.status().name(),
    }
}
