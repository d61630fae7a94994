//! Account-access consents (§2.3, §4.4).

use super::authorisation::ScaMethod;
use super::envelope::{Envelope, Links};
use super::reference::{Reference, ReferenceRequest};
use super::request::{FromField, Required, request};
use super::schema::{numbered, one_of};
use crate::wire::field_name::spell;
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::Serialize;
use std::borrow::Cow;
use trapeza_app::sca::MethodView;
use trapeza_app::{format_date, format_timestamp, parse_date, parse_date_time};
use trapeza_domain::consent::{
    Access, AccessConsent, AccessConsentRequest, AccessFields, AccessLists, AccessOptions, ConsentState,
    ConsentStatus, Scope, ValidUntil,
};
use trapeza_domain::reference::{AccountReference, ReferenceFields, StoredReference};
use trapeza_domain::refusal::Refusal;
use trapeza_http::error_response::TppMessage;
use trapeza_http::extract::fields::Fields;
use trapeza_http::extract::json::Json;
use uuid::Uuid;

request! {
    /// A request for access to a customer's accounts.
    pub struct ConsentRequest {
        /// The accounts and cards and what may be read of them.
        #[schemars(with = "AccessRequest<'static>")]
        "access" => access: Required<Access<AccountReference>>,
        /// Whether the consent may be used repeatedly; otherwise each read is possible once.
        "recurringIndicator" => recurring_indicator: Required<bool>,
        /// The last day (2027-03-31, in the bank's time zone) or the end as a date-time. At most 180 days are granted.
        #[schemars(with = "String")]
        "validUntil" => valid_until: Required<ValidUntil>,
        /// The number of reads in 24 hours without the customer present. At most 4 are granted, and 1 for a consent that is
        /// not recurring.
        #[schemars(range(min = 1))]
        "frequencyPerDay" => frequency_per_day: Required<i64>,
        /// Whether a payment follows in the same session. Stored without effect.
        "combinedServiceIndicator" => combined_service_indicator: Option<bool>,
    }
}

request! {
    /// The accounts and cards and what may be read of them: three lists, or one of the flags.
    #[schemars(rename = "AccountAccessRequest")]
    pub struct AccessRequest<'a> {
        /// Accounts whose details may be read.
        "accounts" => accounts: Option<Vec<ReferenceRequest<'a>>>,
        /// Accounts whose balances may be read.
        "balances" => balances: Option<Vec<ReferenceRequest<'a>>>,
        /// Accounts whose transactions may be read.
        "transactions" => transactions: Option<Vec<ReferenceRequest<'a>>>,
        /// All accounts may be listed, without balances.
        #[schemars(extend("enum" = ["allAccounts"]))]
        "availableAccounts" => available_accounts: Option<&'a str>,
        /// All accounts may be listed with their balances.
        #[schemars(extend("enum" = ["allAccounts"]))]
        "availableAccountsWithBalance" => available_accounts_with_balance: Option<&'a str>,
        /// Details, balances and transactions of all accounts and cards.
        #[schemars(extend("enum" = ["allAccounts"]))]
        "allPsd2" => all_psd2: Option<&'a str>,
    }
}

/// Reads the request for a consent, or reports all its field errors.
pub fn order(body: &Json) -> Result<AccessConsentRequest, Refusal> {
    let fields = Fields::of(body, spell)?;
    let request = ConsentRequest::read(&fields);
    fields.finish()?;
    Ok(AccessConsentRequest {
        access: request.access.value()?,
        options: AccessOptions::default(),
        recurring: request.recurring_indicator.value()?,
        valid_until: request.valid_until.value()?,
        frequency_per_day: request.frequency_per_day.value()?,
        combined_service: request.combined_service_indicator.unwrap_or(false),
    })
}

impl<'a> FromField<'a> for Access<AccountReference> {
    fn from_field(fields: &Fields<'a>, name: &'static str) -> Option<Self> {
        let object = fields.opt_object(name)?;
        let request = AccessRequest::read(&object);
        let list = |list: &Option<Vec<ReferenceRequest<'a>>>| {
            list.iter().flatten().map(ReferenceFields::from).collect::<Vec<_>>()
        };
        let parts = AccessFields {
            accounts: list(&request.accounts),
            balances: list(&request.balances),
            transactions: list(&request.transactions),
            available_accounts: request.available_accounts,
            available_accounts_with_balance: request.available_accounts_with_balance,
            all_psd2: request.all_psd2,
        };
        object.validate(|errors| Self::parse(&parts, errors))
    }
}

impl<'a> FromField<'a> for ValidUntil {
    fn from_field(fields: &Fields<'a>, name: &'static str) -> Option<Self> {
        fields.opt_text(name).and_then(|text| fields.parsed(name, until(text)))
    }
}

/// A date, which includes the whole day, or a date-time, in UTC unless it has an offset.
fn until(text: &str) -> Result<ValidUntil, &'static str> {
    let date = parse_date(text).map(ValidUntil::Date);
    date.or_else(|| parse_date_time(text).map(ValidUntil::Timestamp))
        .ok_or("must be a date (2026-12-31) or a date-time (2026-12-31T23:59:59Z)")
}

pub fn format_until(until: ValidUntil) -> String {
    match until {
        ValidUntil::Date(date) => format_date(date),
        ValidUntil::Timestamp(timestamp) => format_timestamp(timestamp),
    }
}

/// The message of a new consent of either kind.
pub const CREATED_MESSAGE: &str = "The customer must authorise this consent.";

/// A new consent. Its status is a name here and a number elsewhere.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "ConsentCreated")]
pub struct Created<'a> {
    /// The status of the consent.
    #[schemars(schema_with = "status_name_schema")]
    pub consent_status: &'static str,
    /// The consent's id.
    pub consent_id: Uuid,
    /// The customer's SCA methods.
    pub sca_methods: Vec<ScaMethod<'a>>,
    /// A message for the customer.
    pub message: &'static str,
    #[serde(flatten)]
    pub envelope: Envelope,
}

fn status_name_schema(_: &mut SchemaGenerator) -> Schema {
    one_of(ConsentStatus::ALL.iter().map(|each| each.name()))
}

pub fn created<'a>(consent: &AccessConsent, methods: &'a [MethodView]) -> Created<'a> {
    Created {
        consent_status: consent.consent.state.status().name(),
        consent_id: consent.consent.id.uuid(),
        sca_methods: methods.iter().map(ScaMethod::from).collect(),
        message: CREATED_MESSAGE,
        envelope: Envelope::with(created_links(path(consent))),
    }
}

/// The links of a new consent of either kind.
pub fn created_links(path: String) -> Links {
    let (status, start) = (format!("{path}/status"), format!("{path}/authorisations"));
    Links::one("self", path).and("status", status).and("startAuthorisation", start)
}

/// A consent with its granted terms, which may be narrower than the requested ones.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "Consent")]
pub struct Details<'a> {
    /// The accounts and cards and what may be read of them.
    access: AccessOut<'a>,
    /// Whether the consent may be used repeatedly; otherwise each read is possible once.
    recurring_indicator: bool,
    /// The last day in the bank's time zone, or the end as a date-time.
    valid_until: String,
    /// The number of reads in 24 hours without the customer present.
    #[schemars(range(min = 1, max = 4))]
    frequency_per_day: i64,
    /// When the consent last changed.
    #[schemars(extend("format" = "date-time"))]
    last_action_date: String,
    /// The status of the consent.
    consent_status: StatusNumber,
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
        consent_status: consent.consent.state.status().into(),
        envelope: Envelope::with_message(
            Links::one("self", path).and("status", status),
            rejection(consent.consent.state),
        ),
    }
}

/// The status of a consent.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "ConsentStatusResponse")]
pub struct Status {
    /// The status of the consent.
    consent_status: StatusNumber,
    #[serde(flatten)]
    envelope: Envelope,
}

pub fn status(id: &str, state: ConsentState) -> Status {
    let links = Links::one("self", format!("/v1/consents/{id}"));
    Status {
        consent_status: state.status().into(),
        envelope: Envelope::with_message(links, rejection(state)),
    }
}

/// Why a consent of either kind was rejected: the ISO 20022 reason and a sentence. Accounts are looked at only after the
/// customer has authorised the consent, so the reason reveals nothing to a third party without the customer.
pub fn rejection(state: ConsentState) -> Option<TppMessage> {
    let ConsentState::Rejected { reason } = state else { return None };
    let text = format!("{}: {}", reason.iso_code(), reason.description());
    Some(TppMessage { category: 0, code: 0, path: "consentStatus".to_owned(), text })
}

/// The number of a status: its index in the list (§3).
#[derive(Serialize)]
pub struct StatusNumber(usize);

impl From<ConsentStatus> for StatusNumber {
    fn from(status: ConsentStatus) -> Self {
        Self(ConsentStatus::ALL.iter().position(|other| *other == status).unwrap_or_default())
    }
}

impl JsonSchema for StatusNumber {
    fn schema_name() -> Cow<'static, str> {
        "ConsentStatus".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        numbered(ConsentStatus::ALL.iter().map(|each| each.name()))
    }
}

pub fn path(consent: &AccessConsent) -> String {
    format!("/v1/consents/{}", consent.consent.id)
}

/// The accounts and cards and what may be read of them. The lists are empty where a flag covers all accounts.
#[derive(Serialize, JsonSchema, Default)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "AccountAccess")]
struct AccessOut<'a> {
    /// Accounts whose details may be read.
    accounts: Vec<Reference<'a>>,
    /// Accounts whose balances may be read.
    balances: Vec<Reference<'a>>,
    /// Accounts whose transactions may be read.
    transactions: Vec<Reference<'a>>,
    /// All accounts may be listed, without balances.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("enum" = ["allAccounts"]))]
    available_accounts: Option<&'static str>,
    /// All accounts may be listed with their balances.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("enum" = ["allAccounts"]))]
    available_accounts_with_balance: Option<&'static str>,
    /// Details, balances and transactions of all accounts and cards.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("enum" = ["allAccounts"]))]
    all_psd2: Option<&'static str>,
}

impl<'a> AccessOut<'a> {
    fn of(access: &'a Access<StoredReference>) -> Self {
        let all = |covered: bool| covered.then_some("allAccounts");
        let empty = Self::default();
        match access {
            Access::Listed(AccessLists { accounts, balances, transactions }) => Self {
                accounts: accounts.iter().map(Reference::of_stored).collect(),
                balances: balances.iter().map(Reference::of_stored).collect(),
                transactions: transactions.iter().map(Reference::of_stored).collect(),
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
