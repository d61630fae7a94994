//! What a line of a statement tells, as borrowed text: out of a kept line or out of an owned detail, without a copy and
//! without judging again what the bank itself has written. How it is kept is the codec's business.

use super::{BookedEntry, PendingEntry};
use crate::transaction_detail::identifier_text;
use std::borrow::Cow;
use trapeza_domain::ledger::posting::LedgerEvent;
use trapeza_domain::money::Money;
use trapeza_domain::purpose_code::PurposeCode;
use trapeza_domain::reference::AccountReference;
use trapeza_domain::time::Date;
use trapeza_domain::transaction::{
    BatchEntry, CurrencyExchange, Party, TransactionDetail, TransactionFields,
};

/// All that a line tells beside its amount and its booking day.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EntryDetails<'a> {
    pub value_day: Date,
    /// The name of what happened.
    pub event: &'a str,
    pub particulars: EntryFields<'a>,
    pub additional_information: Option<&'a str>,
    pub bank_transaction_code: Option<&'a str>,
    pub proprietary_code: Option<&'a str>,
    pub batch: Vec<EntryBatchPart<'a>>,
}

/// What a line and a part of a batch have in common.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EntryFields<'a> {
    pub end_to_end_id: Option<&'a str>,
    pub mandate_id: Option<&'a str>,
    pub check_id: Option<&'a str>,
    pub creditor_id: Option<&'a str>,
    pub creditor: EntryParty<'a>,
    pub debtor: EntryParty<'a>,
    pub remittance_unstructured: Option<&'a str>,
    pub remittance_structured: Option<&'a str>,
    /// The purpose by its number.
    pub purpose: Option<i64>,
    pub exchanges: Vec<EntryExchange<'a>>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EntryParty<'a> {
    pub name: Option<&'a str>,
    pub account: Option<EntryAccount<'a>>,
    pub ultimate: Option<&'a str>,
}

/// An account of the other side. A whole card number is never among them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EntryAccount<'a> {
    pub kind: EntryAccountKind,
    pub text: Cow<'a, str>,
    pub currency: Option<&'a str>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EntryAccountKind {
    Iban,
    Bban,
    MaskedPan,
    Msisdn,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EntryExchange<'a> {
    pub source: &'a str,
    pub target: &'a str,
    pub unit: &'a str,
    pub rate: &'a str,
    pub quotation_day: Date,
    pub contract: Option<&'a str>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EntryBatchPart<'a> {
    pub amount: Money,
    pub particulars: EntryFields<'a>,
}

impl<'a> EntryDetails<'a> {
    /// A place for lines to be read into.
    pub fn empty() -> Self {
        Self {
            value_day: Date(0),
            event: "",
            particulars: EntryFields::default(),
            additional_information: None,
            bank_transaction_code: None,
            proprietary_code: None,
            batch: Vec::new(),
        }
    }

    /// A detail, or nothing more than what happened.
    pub fn new(value_day: Date, event: LedgerEvent, detail: Option<&'a TransactionDetail>) -> Self {
        let batch = detail.map_or(&[][..], |detail| &detail.batch);
        Self {
            value_day,
            event: event.name(),
            particulars: detail.map(|detail| particulars(&detail.particulars)).unwrap_or_default(),
            additional_information: detail.and_then(|detail| detail.additional_information.as_deref()),
            bank_transaction_code: detail.and_then(|detail| detail.bank_transaction_code.as_deref()),
            proprietary_code: detail.and_then(|detail| detail.proprietary_code.as_deref()),
            batch: batch.iter().map(part).collect(),
        }
    }
}

impl BookedEntry<TransactionDetail> {
    pub fn telling(&self) -> EntryDetails<'_> {
        EntryDetails::new(self.value_day, self.event, self.detail.as_ref())
    }
}

impl PendingEntry<TransactionDetail> {
    pub fn telling(&self) -> EntryDetails<'_> {
        EntryDetails::new(self.day, self.event, self.detail.as_ref())
    }
}

fn part(part: &BatchEntry) -> EntryBatchPart<'_> {
    EntryBatchPart { amount: part.amount, particulars: particulars(&part.particulars) }
}

fn particulars(of: &TransactionFields) -> EntryFields<'_> {
    EntryFields {
        end_to_end_id: of.end_to_end_id.as_deref(),
        mandate_id: of.mandate_id.as_deref(),
        check_id: of.check_id.as_deref(),
        creditor_id: of.creditor_id.as_deref(),
        creditor: party(&of.creditor),
        debtor: party(&of.debtor),
        remittance_unstructured: of.remittance_unstructured.as_deref(),
        remittance_structured: of.remittance_structured.as_deref(),
        purpose: of.purpose.map(PurposeCode::index),
        exchanges: of.exchanges.iter().map(exchange).collect(),
    }
}

fn party(of: &Party) -> EntryParty<'_> {
    EntryParty {
        name: of.name.as_deref(),
        account: of.account.as_ref().map(account),
        ultimate: of.ultimate.as_deref(),
    }
}

fn account(of: &AccountReference) -> EntryAccount<'_> {
    let (kind, text) = identifier_text(&of.identifier);
    let kind = match kind {
        "iban" => EntryAccountKind::Iban,
        "bban" => EntryAccountKind::Bban,
        "msisdn" => EntryAccountKind::Msisdn,
        _ => EntryAccountKind::MaskedPan,
    };
    EntryAccount { kind, text, currency: of.currency.map(|currency| currency.code()) }
}

fn exchange(of: &CurrencyExchange) -> EntryExchange<'_> {
    EntryExchange {
        source: of.source.code(),
        target: of.target.code(),
        unit: of.unit.code(),
        rate: &of.rate,
        quotation_day: of.quotation_day,
        contract: of.contract.as_deref(),
    }
}
