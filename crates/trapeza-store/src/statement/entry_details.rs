//! The details of an entry: everything a transaction shows beside its amount and booking date.
//!
//! They borrow their texts, from the stored bytes or from a [`TransactionDetail`], so that a page is read without copying
//! them.

use crate::error::StoreError;
use crate::stored_form;
use crate::transaction_detail::identifier_text;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use trapeza_domain::ledger::posting::LedgerEvent;
use trapeza_domain::money::Money;
use trapeza_domain::purpose_code::PurposeCode;
use trapeza_domain::reference::AccountReference;
use trapeza_domain::time::Date;
use trapeza_domain::transaction::{
    BatchEntry, CurrencyExchange, Party, TransactionDetail, TransactionFields,
};

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct EntryDetails<'a> {
    #[serde(with = "day")]
    pub value_day: Date,
    /// The name of the ledger event.
    pub event: &'a str,
    #[serde(borrow)]
    pub particulars: EntryFields<'a>,
    pub additional_information: Option<&'a str>,
    pub bank_transaction_code: Option<&'a str>,
    pub proprietary_code: Option<&'a str>,
    /// `None` where the entry is not a batch.
    batch: Option<Box<[EntryBatchPart<'a>]>>,
}

/// The fields that an entry and each part of a batch entry have.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct EntryFields<'a> {
    #[serde(borrow)]
    pub end_to_end_id: Option<&'a str>,
    pub creditor: EntryParty<'a>,
    pub debtor: EntryParty<'a>,
    pub remittance_unstructured: Option<&'a str>,
    /// The index of the purpose code.
    pub purpose: Option<i64>,
    /// `None` where all of them are absent. Decoding moves these structs several times, so what few entries have is behind a pointer.
    rare: Option<Box<RareEntryFields<'a>>>,
}

/// The fields that few entries have.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RareEntryFields<'a> {
    #[serde(borrow)]
    pub mandate_id: Option<&'a str>,
    pub check_id: Option<&'a str>,
    pub creditor_id: Option<&'a str>,
    pub ultimate_creditor: Option<&'a str>,
    pub ultimate_debtor: Option<&'a str>,
    pub remittance_structured: Option<&'a str>,
    pub exchanges: Vec<EntryExchange<'a>>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct EntryParty<'a> {
    #[serde(borrow)]
    pub name: Option<&'a str>,
    pub account: Option<EntryAccount<'a>>,
}

impl<'a> EntryFields<'a> {
    /// The fields that few entries have.
    pub fn rare(&self) -> &RareEntryFields<'a> {
        static ABSENT: RareEntryFields<'static> = RareEntryFields {
            mandate_id: None,
            check_id: None,
            creditor_id: None,
            ultimate_creditor: None,
            ultimate_debtor: None,
            remittance_structured: None,
            exchanges: Vec::new(),
        };
        self.rare.as_deref().unwrap_or(&ABSENT)
    }

    fn with_rare(self, rare: RareEntryFields<'a>) -> Self {
        Self { rare: (rare != RareEntryFields::default()).then(|| Box::new(rare)), ..self }
    }
}

/// The account of a party. It never contains a full card number.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct EntryAccount<'a> {
    pub kind: EntryAccountKind,
    #[serde(borrow)]
    pub text: Cow<'a, str>,
    pub currency: Option<&'a str>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum EntryAccountKind {
    Iban,
    Bban,
    MaskedPan,
    Msisdn,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct EntryExchange<'a> {
    pub source: &'a str,
    pub target: &'a str,
    pub unit: &'a str,
    pub rate: &'a str,
    #[serde(with = "day")]
    pub quotation_day: Date,
    #[serde(borrow)]
    pub contract: Option<&'a str>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct EntryBatchPart<'a> {
    #[serde(with = "money")]
    pub amount: Money,
    #[serde(borrow)]
    pub particulars: EntryFields<'a>,
}

/// Details in the form in which they are stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EncodedDetails(Vec<u8>);

impl EncodedDetails {
    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }
}

impl<'a> EntryDetails<'a> {
    pub fn new(value_day: Date, event: LedgerEvent, detail: Option<&'a TransactionDetail>) -> Self {
        let batch = detail.map_or(&[][..], |detail| &detail.batch);
        Self {
            value_day,
            event: event.name(),
            particulars: detail.map(|detail| fields(&detail.particulars)).unwrap_or_default(),
            additional_information: detail.and_then(|detail| detail.additional_information.as_deref()),
            bank_transaction_code: detail.and_then(|detail| detail.bank_transaction_code.as_deref()),
            proprietary_code: detail.and_then(|detail| detail.proprietary_code.as_deref()),
            batch: (!batch.is_empty()).then(|| batch.iter().map(batch_part).collect()),
        }
    }

    pub fn encode(&self) -> EncodedDetails {
        EncodedDetails(stored_form::encode(self))
    }

    /// The parts of a batch entry.
    pub fn batch_parts(&self) -> &[EntryBatchPart<'a>] {
        self.batch.as_deref().unwrap_or_default()
    }

    /// The details of an entry with this amount: the parts of a debit are negative, as it is.
    #[must_use]
    pub fn signed_as(mut self, amount: Money) -> Self {
        if amount.minor < 0 {
            for part in self.batch.iter_mut().flatten() {
                part.amount = Money::new(-part.amount.minor.abs(), part.amount.currency);
            }
        }
        self
    }

    /// Decodes stored details, which borrow from `bytes`.
    pub fn decode(bytes: &'a [u8]) -> Result<Self, StoreError> {
        stored_form::decode(bytes, "details of an entry")
    }
}

fn batch_part(part: &BatchEntry) -> EntryBatchPart<'_> {
    EntryBatchPart { amount: part.amount, particulars: fields(&part.particulars) }
}

fn fields(fields: &TransactionFields) -> EntryFields<'_> {
    let rare = RareEntryFields {
        mandate_id: fields.mandate_id.as_deref(),
        check_id: fields.check_id.as_deref(),
        creditor_id: fields.creditor_id.as_deref(),
        ultimate_creditor: fields.creditor.ultimate.as_deref(),
        ultimate_debtor: fields.debtor.ultimate.as_deref(),
        remittance_structured: fields.remittance_structured.as_deref(),
        exchanges: fields.exchanges.iter().map(exchange).collect(),
    };
    let common = EntryFields {
        end_to_end_id: fields.end_to_end_id.as_deref(),
        creditor: party(&fields.creditor),
        debtor: party(&fields.debtor),
        remittance_unstructured: fields.remittance_unstructured.as_deref(),
        purpose: fields.purpose.map(PurposeCode::index),
        rare: None,
    };
    common.with_rare(rare)
}

fn party(party: &Party) -> EntryParty<'_> {
    EntryParty { name: party.name.as_deref(), account: party.account.as_ref().map(account) }
}

fn account(account: &AccountReference) -> EntryAccount<'_> {
    let (kind, text) = identifier_text(&account.identifier);
    let kind = match kind {
        "iban" => EntryAccountKind::Iban,
        "bban" => EntryAccountKind::Bban,
        "msisdn" => EntryAccountKind::Msisdn,
        _ => EntryAccountKind::MaskedPan,
    };
    EntryAccount { kind, text, currency: account.currency.map(|currency| currency.code()) }
}

fn exchange(exchange: &CurrencyExchange) -> EntryExchange<'_> {
    EntryExchange {
        source: exchange.source.code(),
        target: exchange.target.code(),
        unit: exchange.unit.code(),
        rate: &exchange.rate,
        quotation_day: exchange.quotation_day,
        contract: exchange.contract.as_deref(),
    }
}

/// A date as its number of days: domain types do not implement serde.
mod day {
    use serde::{Deserialize, Deserializer, Serialize, Serializer};
    use trapeza_domain::time::Date;

    pub(super) fn serialize<S: Serializer>(day: &Date, serializer: S) -> Result<S::Ok, S::Error> {
        day.0.serialize(serializer)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Date, D::Error> {
        i32::deserialize(deserializer).map(Date)
    }
}

/// An amount as its minor units and its currency code.
mod money {
    use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error};
    use trapeza_domain::money::{Currency, Money};

    pub(super) fn serialize<S: Serializer>(money: &Money, serializer: S) -> Result<S::Ok, S::Error> {
        (money.minor, money.currency.code()).serialize(serializer)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Money, D::Error> {
        let (minor, code) = <(i64, &str)>::deserialize(deserializer)?;
        Ok(Money::new(minor, Currency::parse(code).map_err(Error::custom)?))
    }
}

#[cfg(test)]
mod tests;
