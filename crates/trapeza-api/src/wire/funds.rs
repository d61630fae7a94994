//! Funds-confirmation consents (§2.3, §4.1), in and out.

use super::amount;
use super::authorisation;
use super::consent::{created_links, number, print_until, until};
use super::envelope::envelope;
use super::fields::Fields;
use super::reference;
use serde_json::{Value, json};
use trapeza_app::format_timestamp;
use trapeza_app::funds::FundsConfirmationRequest;
use trapeza_app::sca::MethodView;
use trapeza_domain::authorisation::ScaStatus;
use trapeza_domain::consent::{ConsentStatus, FundsConsent, FundsConsentRequest};
use trapeza_domain::reference::Pan;
use trapeza_domain::refusal::Refusal;
use trapeza_http::extract::json::Json;

/// What a third party asks for, or all that is wrong with it.
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
    let account = account.ok_or_else(|| Refusal::malformed("account", "is required"))?;
    Ok(FundsConsentRequest { account, card_number, card_expiry, card_information, registration_information })
}

/// A question whether an amount is there, or all that is wrong with it.
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
        _ => Err(Refusal::malformed("", "a required field is missing")),
    }
}

pub fn confirmed(there: bool) -> Value {
    json!({ "fundsAvailable": there, "tppMessages": [], "_links": {}, "statusCode": 0 })
}

/// The answer that creates a funds consent.
pub fn created(consent: &FundsConsent, methods: &[MethodView]) -> Value {
    let path = path(consent);
    let own = json!({
        "consentStatus": consent.consent.state.status().name(),
        "consentId": consent.consent.id.to_string(),
        "scaMethods": authorisation::methods(methods),
        "message": "The customer has to authorise this consent.",
    });
    envelope(own, &created_links(&path))
}

pub fn fetched(consent: &FundsConsent) -> Value {
    let (path, terms) = (path(consent), &consent.terms);
    let mut own = json!({ "account": reference::held(&terms.account) });
    if let Some(card) = &terms.card_number {
        own["cardNumber"] = json!(card.masked.as_str());
    }
    if let Some(expiry) = terms.card_expiry {
        own["cardExpiryDate"] = json!(print_until(expiry));
    }
    for (name, text) in [
        ("cardInformation", &terms.card_information),
        ("registrationInformation", &terms.registration_information),
    ] {
        if let Some(text) = text {
            own[name] = json!(text);
        }
    }
    own["lastActionDate"] = json!(format_timestamp(consent.consent.last_action));
    own["consentStatus"] = json!(number(consent.consent.state.status()));
    envelope(own, &[("self", path.clone()), ("status", format!("{path}/status"))])
}

/// Where a funds consent and its newest authorisation stand (endpoint 4).
pub fn status(sca: ScaStatus, consent: ConsentStatus, path: String) -> Value {
    let own = json!({ "scaStatus": authorisation::number(sca), "consentStatus": number(consent) });
    envelope(own, &[("self", path)])
}

pub fn path(consent: &FundsConsent) -> String {
    format!("/v2/consents/confirmation-of-funds/{}", consent.consent.id)
}
