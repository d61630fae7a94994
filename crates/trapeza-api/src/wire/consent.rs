//! Account-access consents (§2.3, §4.4), in and out.

use super::authorisation;
use super::envelope::envelope;
use super::fields::Fields;
use super::reference;
use serde_json::{Value, json};
use trapeza_app::sca::MethodView;
use trapeza_app::{format_date, format_timestamp, parse_date, parse_timestamp};
use trapeza_domain::consent::{
    Access, AccessConsent, AccessConsentRequest, AccessFields, AccessLists, ConsentStatus, ValidUntil,
};
use trapeza_domain::reference::StoredReference;
use trapeza_domain::refusal::Refusal;
use trapeza_http::extract::json::Json;

/// What a third party asks for, or all that is wrong with it.
pub fn order(body: &Json) -> Result<AccessConsentRequest, Refusal> {
    let fields = Fields::of(body)?;
    let access = fields.object("access").and_then(|access| read_access(&access));
    let recurring = fields.bool("recurringIndicator");
    let valid_until = fields.text("validUntil").and_then(|text| fields.parsed("validUntil", until(text)));
    let frequency_per_day = fields.integer("frequencyPerDay");
    let combined_service = fields.opt_bool("combinedServiceIndicator").unwrap_or(false);
    fields.finish()?;
    match (access, recurring, valid_until, frequency_per_day) {
        (Some(access), Some(recurring), Some(valid_until), Some(frequency_per_day)) => {
            Ok(AccessConsentRequest { access, recurring, valid_until, frequency_per_day, combined_service })
        }
        // A field without a value has its fault, so this is not reached; better a refusal than a panic.
        _ => Err(Refusal::malformed("", "a required field is missing")),
    }
}

fn read_access(access: &Fields<'_>) -> Option<Access<trapeza_domain::reference::AccountReference>> {
    let list = |name| access.objects(name).iter().map(reference::fields).collect();
    let fields = AccessFields {
        accounts: list("accounts"),
        balances: list("balances"),
        transactions: list("transactions"),
        available_accounts: access.opt_text("availableAccounts"),
        available_accounts_with_balance: access.opt_text("availableAccountsWithBalance"),
        all_psd2: access.opt_text("allPsd2"),
    };
    access.validate_at(|path, faults| Access::parse(path, &fields, faults))
}

/// A plain date, its whole day long; or a date-time.
pub fn until(text: &str) -> Result<ValidUntil, &'static str> {
    let day = parse_date(text).map(ValidUntil::Date);
    day.or_else(|| parse_timestamp(text).map(ValidUntil::Timestamp))
        .ok_or("a date (2026-12-31) or a date-time with its offset (2026-12-31T23:59:59Z) is wanted")
}

pub fn print_until(until: ValidUntil) -> String {
    match until {
        ValidUntil::Date(day) => format_date(day),
        ValidUntil::Timestamp(instant) => format_timestamp(instant),
    }
}

/// The answer that creates a consent: its status is a name here, and a number from then on.
pub fn created(consent: &AccessConsent, methods: &[MethodView]) -> Value {
    let path = path(consent);
    let own = json!({
        "consentStatus": consent.consent.state.status().name(),
        "consentId": consent.consent.id.to_string(),
        "scaMethods": authorisation::methods(methods),
        "message": "The customer has to authorise this consent.",
    });
    envelope(own, &created_links(&path))
}

/// Where a new consent of either kind leads to.
pub fn created_links(path: &str) -> [(&'static str, String); 3] {
    [
        ("self", path.to_owned()),
        ("status", format!("{path}/status")),
        ("startAuthorisation", format!("{path}/authorisations")),
    ]
}

pub fn fetched(consent: &AccessConsent) -> Value {
    let path = path(consent);
    let own = json!({
        "access": access(&consent.terms.access),
        "recurringIndicator": consent.terms.recurring,
        "validUntil": print_until(consent.terms.valid_until),
        "frequencyPerDay": consent.terms.frequency_per_day,
        "lastActionDate": format_timestamp(consent.consent.last_action),
        "consentStatus": number(consent.consent.state.status()),
    });
    envelope(own, &[("self", path.clone()), ("status", format!("{path}/status"))])
}

pub fn status(id: &str, status: ConsentStatus) -> Value {
    envelope(json!({ "consentStatus": number(status) }), &[("self", format!("/v1/consents/{id}"))])
}

/// The number of a status: its place in the list (§3).
pub fn number(status: ConsentStatus) -> usize {
    ConsentStatus::ALL.iter().position(|known| *known == status).unwrap_or_default()
}

pub fn path(consent: &AccessConsent) -> String {
    format!("/v1/consents/{}", consent.consent.id)
}

fn access(access: &Access<StoredReference>) -> Value {
    let list = |references: &[StoredReference]| references.iter().map(reference::held).collect::<Vec<_>>();
    match access {
        Access::Listed(AccessLists { accounts, balances, transactions }) => json!({
            "accounts": list(accounts),
            "balances": list(balances),
            "transactions": list(transactions),
        }),
        flag => {
            let mut body = json!({ "accounts": [], "balances": [], "transactions": [] });
            body[flag.scope().name()] = json!("allAccounts");
            body
        }
    }
}
