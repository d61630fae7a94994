//! Consents to account information.

use super::authorisation::{ChallengeData, ScaMethod};
use super::field_name::spell;
use super::reference::{Reference, ReferenceRequest};
use super::request::{FromField, request, value};
use super::schema;
use crate::link::Links;
use schemars::JsonSchema;
use serde::Serialize;
use trapeza_app::{Zone, format_date, parse_date, parse_timestamp};
use trapeza_domain::consent::{
    Access, AccessConsent, AccessConsentRequest, AccessFields, AccessLists, ConsentState, ConsentStatus,
    OfferedRights, Scope, ValidUntil,
};
use trapeza_domain::field::FieldPath;
use trapeza_domain::reference::{AccountReference, ReferenceFields, StoredReference};
use trapeza_domain::refusal::{Refusal, RefusalReason};
use trapeza_domain::time::Date;
use trapeza_http::extract::fields::Fields;
use trapeza_http::extract::json::Json;
use uuid::Uuid;

request! {
    /// A request for access to a customer's accounts.
    pub struct ConsentRequest<'a> {
        /// The accounts and cards and what may be read of them.
        required "access" => access: AccessRequest<'a>,
        /// Whether the consent may be used repeatedly; otherwise each read is possible once.
        required "recurringIndicator" => recurring_indicator: bool,
        /// The last day in the bank's time zone; 9999-12-31 for the longest possible. At most 180 days are granted.
        #[schemars(extend("format" = "date"), with = "Option<String>")]
        required "validUntil" => valid_until: Day,
        /// The number of reads in a day without the customer present. At most 4 are granted.
        #[schemars(range(min = 1))]
        required "frequencyPerDay" => frequency_per_day: i64,
        /// Whether a payment follows in the same session. Without effect.
        "combinedServiceIndicator" => combined_service_indicator: bool,
    }
}

request! {
    /// The accounts and cards and what may be read of them: three lists, or one of the flags.
    #[schemars(rename = "AccountAccessRequest")]
    pub struct AccessRequest<'a> {
        /// Accounts whose details may be read.
        "accounts" => accounts: Vec<ReferenceRequest<'a>>,
        /// Accounts whose balances may be read.
        "balances" => balances: Vec<ReferenceRequest<'a>>,
        /// Accounts whose transactions may be read.
        "transactions" => transactions: Vec<ReferenceRequest<'a>>,
        /// All accounts may be listed, without balances.
        #[schemars(extend("enum" = ["allAccounts"]))]
        "availableAccounts" => available_accounts: &'a str,
        /// All accounts may be listed with their balances.
        #[schemars(extend("enum" = ["allAccounts"]))]
        "availableAccountsWithBalance" => available_accounts_with_balance: &'a str,
        /// Details, balances and transactions of all accounts and cards.
        #[schemars(extend("enum" = ["allAccounts"]))]
        "allPsd2" => all_psd2: &'a str,
    }
}

/// Parts of an access that the standard knows and the bank does not offer.
const NOT_OFFERED: [&str; 2] = ["additionalInformation", "restrictedTo"];

/// The flags that cover all accounts.
const FLAGS: [&str; 3] = ["availableAccounts", "availableAccountsWithBalance", "allPsd2"];

/// A day; of a date-time its date.
#[derive(Clone, Copy)]
pub struct Day(pub Date);

impl<'a> FromField<'a> for Day {
    fn from_field(fields: &Fields<'a>, name: &'static str) -> Option<Self> {
        let text = fields.opt_text(name)?;
        let day = match text.split_once('T') {
            Some((date, _)) => parse_timestamp(text).and_then(|_| parse_date(date)),
            None => parse_date(text),
        };
        fields.parsed(name, day.map(Self).ok_or("must be a date, for example 2026-12-31"))
    }
}

/// Reads the request for a consent, or reports all its field errors.
pub fn order(body: &Json) -> Result<AccessConsentRequest, Refusal> {
    let fields = Fields::of(body, spell)?;
    if let Some(access) = fields.opt_object("access") {
        check_offered(&access)?;
    }
    let request = ConsentRequest::read(&fields);
    let access = match offered(&fields) {
        Some(rights) => Some(Access::Offered(rights)),
        None => request.access.and_then(|access| {
            let parts = AccessFields {
                accounts: references(&access.accounts),
                balances: references(&access.balances),
                transactions: references(&access.transactions),
                available_accounts: access.available_accounts,
                available_accounts_with_balance: access.available_accounts_with_balance,
                all_psd2: access.all_psd2,
            };
            let object = fields.opt_object("access")?;
            object.validate(|errors| Access::<AccountReference>::parse(&parts, errors))
        }),
    };
    fields.finish()?;
    let Day(last) = value(request.valid_until)?;
    Ok(AccessConsentRequest {
        access: value(access)?,
        recurring: value(request.recurring_indicator)?,
        valid_until: ValidUntil::Date(last),
        frequency_per_day: value(request.frequency_per_day)?,
        combined_service: request.combined_service_indicator.unwrap_or(false),
    })
}

fn references<'a>(list: &Option<Vec<ReferenceRequest<'a>>>) -> Vec<ReferenceFields<'a>> {
    list.iter().flatten().map(ReferenceFields::from).collect()
}

/// What is asked for without naming accounts: all lists are empty or absent, and there is no flag. The customer then chooses the
/// accounts at the bank. A list that is present asks for its right.
fn offered(fields: &Fields<'_>) -> Option<OfferedRights> {
    let access = fields.opt_object("access")?;
    let is_empty = |name: &&str| access.objects_with_gaps(name).is_empty();
    let names_none = ["accounts", "balances", "transactions"].iter().all(is_empty);
    let has_flag = FLAGS.iter().any(|name| access.has(name));
    (names_none && !has_flag)
        .then(|| OfferedRights { balances: access.has("balances"), transactions: access.has("transactions") })
}

/// Refuses what the standard knows and the bank does not offer: parts of the access, and names of owners.
fn check_offered(access: &Fields<'_>) -> Result<(), Refusal> {
    let unsupported = |name: &str| {
        let path = FieldPath::spelled(format!("access.{name}"));
        Err(Refusal::at(RefusalReason::Unsupported, path, "is not supported; remove it"))
    };
    if let Some(name) = NOT_OFFERED.into_iter().find(|name| access.has(name)) {
        return unsupported(name);
    }
    let with_names = |name: &&str| access.opt_text(name) == Some("allAccountsWithOwnerName");
    FLAGS.into_iter().find(with_names).map_or(Ok(()), unsupported)
}

/// A new consent.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "ConsentCreated", deny_unknown_fields)]
pub struct Created<'a> {
    #[schemars(schema_with = "schema::consent_status")]
    pub consent_status: &'static str,
    /// The consent's id.
    pub consent_id: Uuid,
    /// The customer's SCA methods, where one must be selected now.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub sca_methods: Vec<ScaMethod<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub chosen_sca_method: Option<ScaMethod<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub challenge_data: Option<ChallengeData<'a>>,
    #[serde(rename = "_links")]
    pub links: Links,
    /// A message for the customer.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = 500))]
    pub psu_message: Option<&'a str>,
}

/// A consent with its granted terms, which may be narrower than the requested ones.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "Consent", deny_unknown_fields)]
pub struct Details<'a> {
    /// The accounts and cards and what may be read of them.
    access: AccessOut<'a>,
    /// Whether the consent may be used repeatedly.
    recurring_indicator: bool,
    /// The last day in the bank's time zone.
    #[schemars(extend("format" = "date"))]
    valid_until: String,
    /// The number of reads in a day without the customer present.
    #[schemars(range(min = 1))]
    frequency_per_day: i64,
    /// The day of the last change.
    #[schemars(extend("format" = "date"))]
    last_action_date: String,
    #[schemars(schema_with = "schema::consent_status")]
    consent_status: &'static str,
    #[serde(rename = "_links", skip_serializing_if = "Links::is_empty")]
    links: Links,
}

/// The fields of a consent; `base` begins its links.
pub fn details<'a>(consent: &'a AccessConsent, zone: &Zone, base: &str) -> Details<'a> {
    let status = consent.consent.state.status();
    let is_valid = status == ConsentStatus::Valid;
    Details {
        access: AccessOut::of(&consent.terms.access),
        recurring_indicator: consent.terms.recurring,
        valid_until: format_date(last_day(consent.terms.valid_until, zone)),
        frequency_per_day: consent.terms.frequency_per_day,
        last_action_date: format_date(zone.day(consent.consent.last_action)),
        consent_status: status.name(),
        links: Links::default().and_if(is_valid, "account", || format!("{base}/v1/accounts")),
    }
}

/// The last day of a validity in the bank's time zone.
pub fn last_day(until: ValidUntil, zone: &Zone) -> Date {
    match until {
        ValidUntil::Date(day) => day,
        ValidUntil::Timestamp(end) => zone.day(end),
    }
}

/// The status of a consent.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "ConsentStatus", deny_unknown_fields)]
pub struct Status {
    #[schemars(schema_with = "schema::consent_status")]
    consent_status: &'static str,
    /// Why the consent was rejected.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = 500))]
    psu_message: Option<String>,
}

pub fn status(state: ConsentState) -> Status {
    let psu_message = match state {
        ConsentState::Rejected { reason } => Some(format!("{}: {}", reason.iso_code(), reason.description())),
        _ => None,
    };
    Status { consent_status: state.status().name(), psu_message }
}

/// The accounts and cards and what may be read of them.
#[derive(Serialize, JsonSchema, Default)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "AccountAccess", deny_unknown_fields)]
struct AccessOut<'a> {
    /// Accounts whose details may be read. Empty until the customer has chosen them at the bank.
    #[serde(skip_serializing_if = "Option::is_none")]
    accounts: Option<Vec<Reference<'a>>>,
    /// Accounts whose balances may be read.
    #[serde(skip_serializing_if = "Option::is_none")]
    balances: Option<Vec<Reference<'a>>>,
    /// Accounts whose transactions may be read.
    #[serde(skip_serializing_if = "Option::is_none")]
    transactions: Option<Vec<Reference<'a>>>,
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
        let named = |list: &'a [StoredReference]| {
            (!list.is_empty()).then(|| list.iter().map(Reference::of_stored).collect())
        };
        match access {
            Access::Listed(AccessLists { accounts, balances, transactions }) => Self {
                accounts: named(accounts),
                balances: named(balances),
                transactions: named(transactions),
                ..Self::default()
            },
            Access::Offered(rights) => Self {
                accounts: Some(Vec::new()),
                balances: rights.balances.then(Vec::new),
                transactions: rights.transactions.then(Vec::new),
                ..Self::default()
            },
            other => Self {
                available_accounts: all(other.scope() == Scope::AvailableAccounts),
                available_accounts_with_balance: all(other.scope() == Scope::AvailableAccountsWithBalance),
                all_psd2: all(other.scope() == Scope::AllPsd2),
                ..Self::default()
            },
        }
    }
}
