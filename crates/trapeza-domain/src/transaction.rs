//! What is told about a transfer beside its amount and days: who, what for, under which references (§2.5). The
//! ledger moves money without reading any of it.

use crate::money::{Currency, Money};
use crate::purpose_code::PurposeCode;
use crate::reference::AccountReference;
use crate::time::Date;

/// One side of a payment.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Party {
    pub name: Option<String>,
    pub account: Option<AccountReference>,
    /// On whose behalf, where that is someone else.
    pub ultimate: Option<String>,
}

impl Party {
    pub fn new(name: impl Into<String>, account: Option<AccountReference>) -> Self {
        Self { name: Some(name.into()), account, ultimate: None }
    }
}

/// One exchange on the way of an amount.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CurrencyExchange {
    pub source: Currency,
    pub target: Currency,
    /// The currency the rate counts in.
    pub unit: Currency,
    /// A decimal number as text, so that no digit of the contract is lost.
    pub rate: String,
    pub quotation_day: Date,
    pub contract: Option<String>,
}

/// What a transaction and a part of a batch have in common.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TransactionFields {
    pub end_to_end_id: Option<String>,
    pub mandate_id: Option<String>,
    pub check_id: Option<String>,
    pub creditor_id: Option<String>,
    pub creditor: Party,
    pub debtor: Party,
    pub remittance_unstructured: Option<String>,
    pub remittance_structured: Option<String>,
    pub purpose: Option<PurposeCode>,
    pub exchanges: Vec<CurrencyExchange>,
}

/// What is told about an account's transaction.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TransactionDetail {
    pub particulars: TransactionFields,
    pub additional_information: Option<String>,
    /// Domain, family and sub-family of ISO 20022: `PMNT-ICDT-ESCT`.
    pub bank_transaction_code: Option<String>,
    pub proprietary_code: Option<String>,
    /// The parts of a batch booking; empty for a single one.
    pub batch: Vec<BatchEntry>,
}

/// One payment inside a batch booking.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BatchEntry {
    pub amount: Money,
    pub particulars: TransactionFields,
}
