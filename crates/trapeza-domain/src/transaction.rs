//! Details of a transaction besides amount and dates: parties, purpose and references (§2.5). The ledger does not read
//! them.

use crate::money::{Currency, Money};
use crate::purpose_code::PurposeCode;
use crate::reference::AccountReference;
use crate::time::Date;

/// One side of a payment.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Party {
    pub name: Option<String>,
    pub account: Option<AccountReference>,
    /// The ultimate debtor or creditor, when it is another party.
    pub ultimate: Option<String>,
}

impl Party {
    pub fn new(name: impl Into<String>, account: Option<AccountReference>) -> Self {
        Self { name: Some(name.into()), account, ultimate: None }
    }
}

/// One currency exchange of an amount.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CurrencyExchange {
    pub source: Currency,
    pub target: Currency,
    /// The currency in which the rate is quoted.
    pub unit: Currency,
    /// A decimal number as text, so that no digit is lost.
    pub rate: String,
    pub quotation_day: Date,
    pub contract: Option<String>,
}

impl CurrencyExchange {
    /// The currency that one unit is quoted in.
    pub fn other(&self) -> Currency {
        if self.unit == self.source { self.target } else { self.source }
    }
}

/// The fields that a transaction and an entry of a batch have in common.
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

/// The details of an account transaction.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TransactionDetail {
    pub particulars: TransactionFields,
    pub additional_information: Option<String>,
    /// Bank transaction code of ISO 20022 (domain, family, sub-family), for example `PMNT-ICDT-ESCT`.
    pub bank_transaction_code: Option<String>,
    pub proprietary_code: Option<String>,
    /// The entries of a batch booking; empty for a single booking.
    pub batch: Vec<BatchEntry>,
}

/// One payment inside a batch booking.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BatchEntry {
    pub amount: Money,
    pub particulars: TransactionFields,
}
