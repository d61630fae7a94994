//! Funds consents and funds confirmations (§2.3, §4.1).

use super::amount;
use super::authorisation;
use super::consent::{CREATED_MESSAGE, Created, created_links, format_until, number, until};
use super::envelope::{Empty, Envelope, Links};
use super::fields::{Fields, missing_field};
use super::reference::{self, Reference};
use serde::Serialize;
use trapeza_app::format_timestamp;
use trapeza_app::funds::FundsConfirmationRequest;
use trapeza_app::sca::MethodView;
use trapeza_domain::authorisation::ScaStatus;
use trapeza_domain::consent::{ConsentStatus, FundsConsent, FundsConsentRequest};
use trapeza_domain::reference::Pan;
use trapeza_domain::refusal::Refusal;
use trapeza_http::extract::json::Json;

/// Reads the request for a funds consent, or reports all its field errors.
pub fn order(body: &Json) -> Result<FundsConsentRequest, Refusal> {
    let fields = Fields::of(body)?;
    let account = fields.object("account").and_then(|account| reference::read(&account));
    let card_number =
        fields.opt_text("cardNumber").and_then(|text| fields.parsed("cardNumber", Pan::parse(text)));
    let card_expiry =
        fields.opt_text("cardExpiryDate").and_then(|text| fields.parsed("cardExpiryDate", until(text)));
    let text = |name| fields.opt_text(name).map(str::to_owned);
    let (card_information, registration_information) =
        (text("cardInformation"), text("registrationInformation"));
    fields.finish()?;
    let account = account.ok_or_else(missing_field)?;
    Ok(FundsConsentRequest { account, card_number, card_expiry, card_information, registration_information })
}

/// Reads a request to confirm funds, or reports all its field errors.
pub fn question(body: &Json) -> Result<FundsConfirmationRequest, Refusal> {
    let fields = Fields::of(body)?;
    let account = fields.object("account").and_then(|account| {
        account.text("currency");
        reference::read(&account)
    });
    let card = fields.opt_text("cardNumber").and_then(|text| fields.parsed("cardNumber", Pan::parse(text)));
    let amount = fields.object("instructedAmount").and_then(|amount| amount::read(&amount));
    fields.opt_text("payee");
    fields.finish()?;
    match (account, amount) {
        (Some(account), Some(amount)) => Ok(FundsConfirmationRequest { account, card, amount }),
        _ => Err(missing_field()),
    }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Confirmation {
    funds_available: bool,
    tpp_messages: [&'static str; 0],
    #[serde(rename = "_links")]
    links: Empty,
    status_code: u32,
}

pub fn confirmation(funds_available: bool) -> Confirmation {
    Confirmation { funds_available, tpp_messages: [], links: Empty {}, status_code: 0 }
}

/// The response that creates a funds consent.
pub fn created<'a>(consent: &FundsConsent, methods: &'a [MethodView]) -> Created<'a> {
    Created {
        consent_status: consent.consent.state.status().name(),
        consent_id: consent.consent.id.to_string(),
        sca_methods: authorisation::methods(methods),
        message: CREATED_MESSAGE,
        envelope: Envelope::with(created_links(path(consent))),
    }
}

/// A funds consent with its terms and status.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Details<'a> {
    account: Reference<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    card_number: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    card_expiry_date: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    card_information: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    registration_information: Option<&'a str>,
    last_action_date: String,
    consent_status: usize,
    #[serde(flatten)]
    envelope: Envelope,
}

pub fn details(consent: &FundsConsent) -> Details<'_> {
    let (path, terms) = (path(consent), &consent.terms);
    let status = format!("{path}/status");
    Details {
        account: Reference::of(&terms.account),
        card_number: terms.card_number.as_ref().map(|card| card.masked.as_str()),
        card_expiry_date: terms.card_expiry.map(format_until),
        card_information: terms.card_information.as_deref(),
        registration_information: terms.registration_information.as_deref(),
        last_action_date: format_timestamp(consent.consent.last_action),
        consent_status: number(consent.consent.state.status()),
        envelope: Envelope::with(Links::one("self", path).and("status", status)),
    }
}

/// The status of a funds consent and of its newest authorisation (endpoint 4).
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Status {
    sca_status: usize,
    consent_status: usize,
    #[serde(flatten)]
    envelope: Envelope,
}

pub fn status(sca: ScaStatus, consent: ConsentStatus, path: String) -> Status {
    Status {
        sca_status: authorisation::number(sca),
        consent_status: number(consent),
        envelope: Envelope::with(Links::one("self", path)),
    }
}

pub fn path(consent: &FundsConsent) -> String {
    format!("/v2/consents/confirmation-of-funds/{}", consent.consent.id)
}
