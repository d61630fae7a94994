//! Funds consents and funds confirmations (§2.3, §4.1).

use super::amount::PositiveAmount;
use super::authorisation::{self, ScaMethod};
use super::consent::{CREATED_MESSAGE, Created, StatusNumber, created_links, format_until, rejection};
use super::envelope::{Empty, Envelope, Links};
use super::reference::{FundsAccount, FundsReferenceRequest, Reference, ReferenceRequest};
use super::request::{FromField, Required, request};
use crate::wire::field_name::spell;
use schemars::JsonSchema;
use serde::Serialize;
use trapeza_app::format_timestamp;
use trapeza_app::funds::FundsConfirmationRequest;
use trapeza_app::sca::MethodView;
use trapeza_domain::authorisation::ScaStatus;
use trapeza_domain::consent::{ConsentState, FundsConsent, FundsConsentRequest, ValidUntil};
use trapeza_domain::reference::{AccountReference, Pan};
use trapeza_domain::refusal::Refusal;
use trapeza_http::error_response::status_code_schema;
use trapeza_http::extract::fields::Fields;
use trapeza_http::extract::json::Json;

request! {
    /// A request of a card issuer for consent to confirm funds on an account.
    #[schemars(rename = "FundsConsentRequest")]
    pub struct ConsentRequest<'a> {
        /// The account.
        #[schemars(with = "ReferenceRequest<'a>")]
        "account" => account: Required<AccountReference>,
        /// The number of the card, which must belong to the account.
        #[schemars(with = "Option<&'a str>")]
        "cardNumber" => card_number: Option<Pan>,
        /// The last day of the card, or its end as a date-time.
        #[schemars(with = "Option<&'a str>")]
        "cardExpiryDate" => card_expiry_date: Option<ValidUntil>,
        /// A name for the card.
        #[schemars(length(max = 140))]
        "cardInformation" => card_information: Option<&'a str>,
        /// Information about the registration.
        #[schemars(length(max = 140))]
        "registrationInformation" => registration_information: Option<&'a str>,
    }
}

request! {
    /// A request to confirm funds on the account of a funds consent.
    #[schemars(rename = "FundsConfirmationRequest")]
    pub struct ConfirmationRequest<'a> {
        /// The account of the consent, with its currency.
        #[schemars(with = "FundsReferenceRequest<'a>")]
        "account" => account: Required<FundsAccount>,
        /// The number of the card in use.
        #[schemars(with = "Option<&'a str>")]
        "cardNumber" => card_number: Option<Pan>,
        /// The amount to confirm.
        "instructedAmount" => instructed_amount: Required<PositiveAmount>,
        /// The payee.
        #[expect(dead_code, reason = "it is validated, but the answer does not depend on it")]
        "payee" => payee: Option<&'a str>,
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
        account: request.account.value()?,
        card_number: request.card_number,
        card_expiry: request.card_expiry_date,
        card_information: request.card_information.map(str::to_owned),
        registration_information: request.registration_information.map(str::to_owned),
    })
}

/// Reads a request to confirm funds, or reports all its field errors.
pub fn question(body: &Json) -> Result<FundsConfirmationRequest, Refusal> {
    let fields = Fields::of(body, spell)?;
    let request = ConfirmationRequest::read(&fields);
    fields.finish()?;
    let (FundsAccount(account), PositiveAmount(amount)) =
        (request.account.value()?, request.instructed_amount.value()?);
    Ok(FundsConfirmationRequest { account, card: request.card_number, amount })
}

/// The result of a funds confirmation.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "FundsConfirmation")]
pub struct Confirmation {
    /// Whether the amount is available now; reserved amounts are not.
    funds_available: bool,
    /// Always empty.
    tpp_messages: [&'static str; 0],
    /// Always empty.
    #[serde(rename = "_links")]
    links: Empty,
    #[schemars(schema_with = "status_code_schema")]
    status_code: u32,
}

pub fn confirmation(funds_available: bool) -> Confirmation {
    Confirmation { funds_available, tpp_messages: [], links: Empty {}, status_code: 0 }
}

/// The response that creates a funds consent.
pub fn created<'a>(consent: &FundsConsent, methods: &'a [MethodView]) -> Created<'a> {
    Created {
        consent_status: consent.consent.state.status().name(),
        consent_id: consent.consent.id.uuid(),
        sca_methods: methods.iter().map(ScaMethod::from).collect(),
        message: CREATED_MESSAGE,
        envelope: Envelope::with(created_links(path(consent))),
    }
}

/// A funds consent.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "FundsConsent")]
pub struct Details<'a> {
    /// The account.
    account: Reference<'a>,
    /// The masked number of the card.
    #[serde(skip_serializing_if = "Option::is_none")]
    card_number: Option<&'a str>,
    /// The last day of the card, or its end as a date-time.
    #[serde(skip_serializing_if = "Option::is_none")]
    card_expiry_date: Option<String>,
    /// A name for the card.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = 140))]
    card_information: Option<&'a str>,
    /// Information about the registration.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = 140))]
    registration_information: Option<&'a str>,
    /// When the consent last changed.
    #[schemars(extend("format" = "date-time"))]
    last_action_date: String,
    /// The status of the consent.
    consent_status: StatusNumber,
    #[serde(flatten)]
    envelope: Envelope,
}

pub fn details(consent: &FundsConsent) -> Details<'_> {
    let (path, terms) = (path(consent), &consent.terms);
    let status = format!("{path}/status");
    Details {
        account: Reference::of_stored(&terms.account),
        card_number: terms.card_number.as_ref().map(|card| card.masked.as_str()),
        card_expiry_date: terms.card_expiry.map(format_until),
        card_information: terms.card_information.as_deref(),
        registration_information: terms.registration_information.as_deref(),
        last_action_date: format_timestamp(consent.consent.last_action),
        consent_status: consent.consent.state.status().into(),
        envelope: Envelope::with_message(
            Links::one("self", path).and("status", status),
            rejection(consent.consent.state),
        ),
    }
}

/// The status of a funds consent and of its newest authorisation (endpoint 4).
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "FundsConsentStatusResponse")]
pub struct Status {
    /// The status of the newest authorisation; 0 without one.
    sca_status: authorisation::StatusNumber,
    /// The status of the consent.
    consent_status: StatusNumber,
    #[serde(flatten)]
    envelope: Envelope,
}

pub fn status(sca: ScaStatus, consent: ConsentState, path: String) -> Status {
    Status {
        sca_status: sca.into(),
        consent_status: consent.status().into(),
        envelope: Envelope::with_message(Links::one("self", path), rejection(consent)),
    }
}

pub fn path(consent: &FundsConsent) -> String {
    format!("/v2/consents/confirmation-of-funds/{}", consent.consent.id)
}
