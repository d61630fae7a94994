//! Account references (§2.1).

use super::request::{FromField, Required, request};
use schemars::JsonSchema;
use serde::Serialize;
use std::borrow::Cow;
use trapeza_app::account_information::{EntryAccount, EntryAccountKind};
use trapeza_domain::account::Account;
use trapeza_domain::card::Card;
use trapeza_domain::money::Currency;
use trapeza_domain::reference::{AccountReference, Iban, ReferenceFields, StoredIdentifier, StoredReference};
use trapeza_http::extract::fields::Fields;

request! {
    /// An account or card, by exactly one identifier, and by its currency where an account has several.
    #[schemars(rename = "AccountReferenceRequest")]
    pub struct ReferenceRequest<'a> {
        /// The account's IBAN.
        "iban" => iban: Option<&'a str>,
        /// The account's number within its country.
        "bban" => bban: Option<&'a str>,
        /// The card's number.
        "pan" => pan: Option<&'a str>,
        /// The masked card number.
        "maskedPan" => masked_pan: Option<&'a str>,
        /// The phone number of the account.
        "msisdn" => msisdn: Option<&'a str>,
        /// The account's currency, ISO 4217.
        #[schemars(regex(pattern = "^[A-Z]{3}$"))]
        "currency" => currency: Option<&'a str>,
    }
}

request! {
    /// The account of a funds consent, by exactly one identifier and its currency.
    #[schemars(rename = "FundsAccountReferenceRequest")]
    pub struct FundsReferenceRequest<'a> {
        /// The account's currency, ISO 4217.
        #[schemars(regex(pattern = "^[A-Z]{3}$"))]
        "currency" => currency: Required<&'a str>,
        /// The account's IBAN.
        "iban" => iban: Option<&'a str>,
        /// The account's number within its country.
        "bban" => bban: Option<&'a str>,
        /// The card's number.
        "pan" => pan: Option<&'a str>,
        /// The masked card number.
        "maskedPan" => masked_pan: Option<&'a str>,
        /// The phone number of the account.
        "msisdn" => msisdn: Option<&'a str>,
    }
}

impl<'a> From<&ReferenceRequest<'a>> for ReferenceFields<'a> {
    fn from(request: &ReferenceRequest<'a>) -> Self {
        let &ReferenceRequest { iban, bban, pan, masked_pan, msisdn, currency } = request;
        Self { iban, bban, pan, masked_pan, msisdn, currency }
    }
}

impl<'a> FromField<'a> for AccountReference {
    fn from_field(fields: &Fields<'a>, name: &'static str) -> Option<Self> {
        let object = fields.opt_object(name)?;
        let request = ReferenceRequest::read(&object);
        object.validate(|errors| Self::parse((&request).into(), errors))
    }
}

impl<'a> FromField<'a> for Vec<ReferenceRequest<'a>> {
    fn from_field(fields: &Fields<'a>, name: &'static str) -> Option<Self> {
        Some(fields.objects(name).iter().map(ReferenceRequest::read).collect())
    }
}

/// The account of a funds confirmation, whose currency is required.
pub struct FundsAccount(pub AccountReference);

impl<'a> FromField<'a> for FundsAccount {
    fn from_field(fields: &Fields<'a>, name: &'static str) -> Option<Self> {
        let object = fields.opt_object(name)?;
        let request = FundsReferenceRequest::read(&object);
        let FundsReferenceRequest { currency: Required(currency), iban, bban, pan, masked_pan, msisdn } =
            request;
        let parts = ReferenceFields { iban, bban, pan, masked_pan, msisdn, currency };
        object.validate(|errors| AccountReference::parse(parts, errors)).map(Self)
    }
}

/// An account or card, by one identifier. Card numbers are masked.
#[derive(Serialize, JsonSchema, Default)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "AccountReference")]
pub struct Reference<'a> {
    /// The account's IBAN.
    #[serde(skip_serializing_if = "Option::is_none")]
    iban: Option<Cow<'a, str>>,
    /// The account's number within its country.
    #[serde(skip_serializing_if = "Option::is_none")]
    bban: Option<Cow<'a, str>>,
    /// The masked card number.
    #[serde(skip_serializing_if = "Option::is_none")]
    masked_pan: Option<Cow<'a, str>>,
    /// The phone number of the account.
    #[serde(skip_serializing_if = "Option::is_none")]
    msisdn: Option<Cow<'a, str>>,
    /// The account's currency, ISO 4217.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(regex(pattern = "^[A-Z]{3}$"))]
    currency: Option<&'a str>,
}

impl<'a> Reference<'a> {
    pub fn of_iban(iban: &'a Iban, currency: Option<Currency>) -> Self {
        let currency = currency.map(|currency| currency.code());
        Self { iban: Some(iban.as_str().into()), currency, ..Self::default() }
    }

    pub fn of_account(account: &'a Account) -> Self {
        Self::of_iban(&account.iban, Some(account.currency))
    }

    pub fn of_card(card: &'a Card) -> Self {
        let currency = Some(card.currency.code());
        Self { masked_pan: Some(card.masked_pan.as_str().into()), currency, ..Self::default() }
    }

    pub fn of_stored(reference: &'a StoredReference) -> Self {
        let currency = reference.currency.map(|currency| currency.code());
        let empty = Self { currency, ..Self::default() };
        match &reference.identifier {
            StoredIdentifier::Iban(iban) => Self { iban: Some(iban.as_str().into()), ..empty },
            StoredIdentifier::Bban(bban) => Self { bban: Some(bban.as_str().into()), ..empty },
            StoredIdentifier::Pan(pan) => Self { masked_pan: Some(pan.masked.as_str().into()), ..empty },
            StoredIdentifier::MaskedPan(masked) => Self { masked_pan: Some(masked.as_str().into()), ..empty },
            StoredIdentifier::Msisdn(msisdn) => Self { msisdn: Some(msisdn.as_str().into()), ..empty },
        }
    }

    /// The account of a party of a transaction.
    pub fn of_party(account: &EntryAccount<'a>) -> Self {
        let empty = Self { currency: account.currency, ..Self::default() };
        let text = Some(account.text.clone());
        match account.kind {
            EntryAccountKind::Iban => Self { iban: text, ..empty },
            EntryAccountKind::Bban => Self { bban: text, ..empty },
            EntryAccountKind::MaskedPan => Self { masked_pan: text, ..empty },
            EntryAccountKind::Msisdn => Self { msisdn: text, ..empty },
        }
    }
}
