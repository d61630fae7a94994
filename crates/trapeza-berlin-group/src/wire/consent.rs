//! Consents to account information.

use super::authorisation::{ChallengeData, ScaMethod};
use super::field_name::spell;
use super::reference::{Reference, ReferenceRequest};
use super::request::{FromField, request, value};
use super::schema;
use crate::link::Links;
use schemars::JsonSchema;
use serde::Serialize;
use trapeza_app::{Zone, format_date, parse_date, parse_date_time};
use trapeza_domain::consent::{
    Access, AccessConsent, AccessConsentRequest, AccessFields, AccessLists, AccessOptions, ConsentState,
    ConsentStatus, OfferedRights, OwnerNames, Scope, ValidUntil,
};
use trapeza_domain::field::FieldPath;
use trapeza_domain::reference::{AccountReference, ReferenceFields, StoredIdentifier, StoredReference};
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
        #[schemars(extend("enum" = ["allAccounts", "allAccountsWithOwnerName"]))]
        "availableAccounts" => available_accounts: &'a str,
        /// All accounts may be listed with their balances.
        #[schemars(extend("enum" = ["allAccounts", "allAccountsWithOwnerName"]))]
        "availableAccountsWithBalance" => available_accounts_with_balance: &'a str,
        /// Details, balances and transactions of all accounts and cards.
        #[schemars(extend("enum" = ["allAccounts", "allAccountsWithOwnerName"]))]
        "allPsd2" => all_psd2: &'a str,
        /// What is read besides.
        "additionalInformation" => additional_information: AdditionalInformationRequest<'a>,
        /// The types of accounts, ISO 20022 (CACC, SVGS, CARD); all where it is empty or absent.
        #[schemars(with = "Option<Vec<String>>")]
        "restrictedTo" => restricted_to: Texts<'a>,
    }
}

request! {
    /// What is read besides the accounts.
    #[schemars(rename = "AdditionalInformationRequest")]
    pub struct AdditionalInformationRequest<'a> {
        /// Accounts whose owners are named; all of the consent where it is empty.
        "ownerName" => owner_name: Vec<ReferenceRequest<'a>>,
    }
}

/// A list of strings.
pub struct Texts<'a>(Vec<&'a str>);

impl<'a> FromField<'a> for Texts<'a> {
    fn from_field(fields: &Fields<'a>, name: &'static str) -> Option<Self> {
        fields.opt_texts(name).map(Self)
    }
}

/// Further information that the standard knows and the bank does not offer.
const NOT_OFFERED: [&str; 2] = ["trustedBeneficiaries", "statements"];

/// Maximum number of types of accounts that a consent is restricted to.
const MAX_TYPES: usize = 20;

const ALL_ACCOUNTS: &str = "allAccounts";
const ALL_WITH_OWNER_NAME: &str = "allAccountsWithOwnerName";

/// The flags that cover all accounts.
const FLAGS: [&str; 3] = ["availableAccounts", "availableAccountsWithBalance", "allPsd2"];

/// A day; of a date-time its date.
#[derive(Clone, Copy)]
pub struct Day(pub Date);

impl<'a> FromField<'a> for Day {
    fn from_field(fields: &Fields<'a>, name: &'static str) -> Option<Self> {
        let text = fields.opt_text(name)?;
        let day = match text.split_once('T') {
            Some((date, _)) => parse_date_time(text).and_then(|_| parse_date(date)),
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
    let access_fields = fields.opt_object("access");
    let options = access_fields.as_ref().zip(request.access.as_ref()).map(|(object, access)| AccessOptions {
        owner_names: owner_names(object, access),
        restricted_to: restriction(object, access),
    });
    let access = match offered(&fields) {
        Some(rights) => Some(Access::Offered(rights)),
        None => request.access.and_then(|access| {
            // The right to names is an option of its own.
            let flag = |flag: Option<&'static str>, value| flag.or(value);
            let all = |value: Option<&str>| (value == Some(ALL_WITH_OWNER_NAME)).then_some(ALL_ACCOUNTS);
            let parts = AccessFields {
                accounts: references(&access.accounts),
                balances: references(&access.balances),
                transactions: references(&access.transactions),
                available_accounts: flag(all(access.available_accounts), access.available_accounts),
                available_accounts_with_balance: flag(
                    all(access.available_accounts_with_balance),
                    access.available_accounts_with_balance,
                ),
                all_psd2: flag(all(access.all_psd2), access.all_psd2),
            };
            access_fields?.validate(|errors| Access::<AccountReference>::parse(&parts, errors))
        }),
    };
    fields.finish()?;
    let Day(last) = value(request.valid_until)?;
    Ok(AccessConsentRequest {
        access: value(access)?,
        options: options.unwrap_or_default(),
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

/// Refuses what the standard knows and the bank does not offer.
fn check_offered(access: &Fields<'_>) -> Result<(), Refusal> {
    let Some(information) = access.opt_object("additionalInformation") else { return Ok(()) };
    match NOT_OFFERED.into_iter().find(|name| information.has(name)) {
        Some(name) => {
            let path = FieldPath::spelled(format!("access.additionalInformation.{name}"));
            Err(Refusal::at(RefusalReason::Unsupported, path, "is not supported; remove it"))
        }
        None => Ok(()),
    }
}

/// The accounts whose owners are named: all, by a flag or an empty list, or those of a list.
fn owner_names(fields: &Fields<'_>, access: &AccessRequest<'_>) -> OwnerNames<AccountReference> {
    let flags = [access.available_accounts, access.available_accounts_with_balance, access.all_psd2];
    if flags.contains(&Some(ALL_WITH_OWNER_NAME)) {
        return OwnerNames::All;
    }
    let named = access.additional_information.as_ref().and_then(|more| more.owner_name.as_ref());
    match (named, fields.opt_object("additionalInformation")) {
        (Some(named), _) if named.is_empty() => OwnerNames::All,
        (Some(_), Some(information)) => {
            let each = information.objects("ownerName").into_iter().filter_map(|object| {
                let request = ReferenceRequest::read(&object);
                object.validate(|errors| AccountReference::parse((&request).into(), errors))
            });
            OwnerNames::Listed(each.collect())
        }
        _ => OwnerNames::Hidden,
    }
}

/// The types of accounts that are asked for; their codes have at most four characters.
fn restriction(fields: &Fields<'_>, access: &AccessRequest<'_>) -> Vec<String> {
    let types = access.restricted_to.as_ref().map_or(&[][..], |Texts(types)| types);
    let is_code =
        |text: &&str| (1..=4).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_uppercase());
    if types.len() > MAX_TYPES || !types.iter().all(is_code) {
        let text = format!("must have at most {MAX_TYPES} codes of ISO 20022, for example CACC");
        fields.error("restrictedTo", text);
    }
    types.iter().map(|text| (*text).to_owned()).collect()
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
        access: AccessOut::of(&consent.terms.access, &consent.terms.options),
        recurring_indicator: consent.terms.recurring,
        valid_until: format_date(last_day(consent.terms.valid_until, zone)),
        frequency_per_day: consent.terms.frequency_per_day,
        last_action_date: format_date(zone.day(consent.consent.last_action)),
        consent_status: status.name(),
        links: match is_for_cards(&consent.terms.access) {
            true => Links::default().and_if(is_valid, "card-account", || format!("{base}/v1/card-accounts")),
            false => Links::default().and_if(is_valid, "account", || format!("{base}/v1/accounts")),
        },
    }
}

/// Whether an access lists cards only.
fn is_for_cards(access: &Access<StoredReference>) -> bool {
    let Access::Listed(AccessLists { accounts, balances, transactions }) = access else { return false };
    accounts.iter().chain(balances).chain(transactions).all(|reference| {
        matches!(reference.identifier, StoredIdentifier::Pan(_) | StoredIdentifier::MaskedPan(_))
    })
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
    #[schemars(extend("enum" = ["allAccounts", "allAccountsWithOwnerName"]))]
    available_accounts: Option<&'static str>,
    /// All accounts may be listed with their balances.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("enum" = ["allAccounts", "allAccountsWithOwnerName"]))]
    available_accounts_with_balance: Option<&'static str>,
    /// Details, balances and transactions of all accounts and cards.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("enum" = ["allAccounts", "allAccountsWithOwnerName"]))]
    all_psd2: Option<&'static str>,
    /// What is read besides.
    #[serde(skip_serializing_if = "Option::is_none")]
    additional_information: Option<AdditionalInformationOut<'a>>,
    /// The types of accounts; all where it is absent.
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    restricted_to: &'a [String],
}

/// What is read besides the accounts.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(inline, deny_unknown_fields)]
struct AdditionalInformationOut<'a> {
    /// Accounts whose owners are named; all of the consent where it is empty.
    owner_name: Vec<Reference<'a>>,
}

impl<'a> AccessOut<'a> {
    fn of(access: &'a Access<StoredReference>, options: &'a AccessOptions<StoredReference>) -> Self {
        let is_global = !matches!(access, Access::Listed(_) | Access::Offered(_));
        let (flag, owner_name) = match &options.owner_names {
            OwnerNames::Hidden => (ALL_ACCOUNTS, None),
            OwnerNames::All if is_global => (ALL_WITH_OWNER_NAME, None),
            OwnerNames::All => (ALL_ACCOUNTS, Some(Vec::new())),
            OwnerNames::Listed(list) => (ALL_ACCOUNTS, Some(list.iter().map(Reference::of_stored).collect())),
        };
        let all = |covered: bool| covered.then_some(flag);
        let named = |list: &'a [StoredReference]| {
            (!list.is_empty()).then(|| list.iter().map(Reference::of_stored).collect())
        };
        let out = match access {
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
        };
        let additional_information = owner_name.map(|owner_name| AdditionalInformationOut { owner_name });
        Self { additional_information, restricted_to: &options.restricted_to, ..out }
    }
}
