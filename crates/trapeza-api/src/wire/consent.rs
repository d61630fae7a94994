//! Account-access consents (§2.3, §4.4).

use super::authorisation;
use super::envelope::{Envelope, Links};
use super::fields::{Fields, missing_field};
use super::reference::{self, Reference};
use serde::Serialize;
use trapeza_app::sca::MethodView;
use trapeza_app::{format_date, format_timestamp, parse_date, parse_timestamp};
use trapeza_domain::consent::{
    Access, AccessConsent, AccessConsentRequest, AccessFields, AccessLists, ConsentStatus, Scope, ValidUntil,
};
use trapeza_domain::reference::StoredReference;
use trapeza_domain::refusal::Refusal;
use trapeza_http::extract::json::Json;

/// Reads the request for a consent, or reports all its field errors.
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
        _ => Err(missing_field()),
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
    access.validate(|errors| Access::parse(&fields, errors))
}

/// A date, which includes the whole day, or a date-time.
pub fn until(text: &str) -> Result<ValidUntil, &'static str> {
    let date = parse_date(text).map(ValidUntil::Date);
    date.or_else(|| parse_timestamp(text).map(ValidUntil::Timestamp))
        .ok_or("must be a date (2026-12-31) or a date-time with an offset (2026-12-31T23:59:59Z)")
}

pub fn format_until(until: ValidUntil) -> String {
    match until {
        ValidUntil::Date(date) => format_date(date),
        ValidUntil::Timestamp(timestamp) => format_timestamp(timestamp),
    }
}

/// The message of a new consent of either kind.
pub const CREATED_MESSAGE: &str = "The customer must authorise this consent.";

/// The response that creates a consent of either kind.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Created<'a> {
    pub consent_status: &'static str,
    pub consent_id: String,
    pub sca_methods: Vec<authorisation::Method<'a>>,
    pub message: &'static str,
    #[serde(flatten)]
    pub envelope: Envelope,
}

pub fn created<'a>(consent: &AccessConsent, methods: &'a [MethodView]) -> Created<'a> {
    Created {
        consent_status: consent.consent.state.status().name(),
        consent_id: consent.consent.id.to_string(),
        sca_methods: authorisation::methods(methods),
        message: CREATED_MESSAGE,
        envelope: Envelope::with(created_links(path(consent))),
    }
}

/// The links of a new consent of either kind.
pub fn created_links(path: String) -> Links {
    let (status, start) = (format!("{path}/status"), format!("{path}/authorisations"));
    Links::one("self", path).and("status", status).and("startAuthorisation", start)
}

/// A consent with its terms and status.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Details<'a> {
    access: AccessOut<'a>,
    recurring_indicator: bool,
    valid_until: String,
    frequency_per_day: i64,
    last_action_date: String,
    consent_status: usize,
    #[serde(flatten)]
    envelope: Envelope,
}

pub fn details(consent: &AccessConsent) -> Details<'_> {
    let path = path(consent);
    let status = format!("{path}/status");
    Details {
        access: AccessOut::of(&consent.terms.access),
        recurring_indicator: consent.terms.recurring,
        valid_until: format_until(consent.terms.valid_until),
        frequency_per_day: consent.terms.frequency_per_day,
        last_action_date: format_timestamp(consent.consent.last_action),
        consent_status: number(consent.consent.state.status()),
        envelope: Envelope::with(Links::one("self", path).and("status", status)),
    }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Status {
    consent_status: usize,
    #[serde(flatten)]
    envelope: Envelope,
}

pub fn status(id: &str, status: ConsentStatus) -> Status {
    let links = Links::one("self", format!("/v1/consents/{id}"));
    Status { consent_status: number(status), envelope: Envelope::with(links) }
}

/// The number of a status: its index in the list (§3).
pub fn number(status: ConsentStatus) -> usize {
    ConsentStatus::ALL.iter().position(|other| *other == status).unwrap_or_default()
}

pub fn path(consent: &AccessConsent) -> String {
    format!("/v1/consents/{}", consent.consent.id)
}

/// The access of a consent. The lists are empty where it covers all accounts.
#[derive(Serialize, Default)]
#[serde(rename_all = "camelCase")]
struct AccessOut<'a> {
    accounts: Vec<Reference<'a>>,
    balances: Vec<Reference<'a>>,
    transactions: Vec<Reference<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    available_accounts: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    available_accounts_with_balance: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    all_psd2: Option<&'static str>,
}

impl<'a> AccessOut<'a> {
    fn of(access: &'a Access<StoredReference>) -> Self {
        let all = |covered: bool| covered.then_some("allAccounts");
        let empty = Self::default();
        match access {
            Access::Listed(AccessLists { accounts, balances, transactions }) => Self {
                accounts: accounts.iter().map(Reference::of).collect(),
                balances: balances.iter().map(Reference::of).collect(),
                transactions: transactions.iter().map(Reference::of).collect(),
                ..empty
            },
            other => Self {
                available_accounts: all(other.scope() == Scope::AvailableAccounts),
                available_accounts_with_balance: all(other.scope() == Scope::AvailableAccountsWithBalance),
                all_psd2: all(other.scope() == Scope::AllPsd2),
                ..empty
            },
        }
    }
}
