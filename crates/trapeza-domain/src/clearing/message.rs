//! The messages themselves, whoever sends them. Texts are as they were received, or as they are to be sent.

use super::ReasonCode;
use crate::money::Money;
use crate::payment::Address;
use crate::reference::{Bic, Iban};
use crate::time::{Date, Timestamp};

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ClearingMessage {
    CreditTransfers(CreditTransfers),
    StatusReport(StatusReport),
    PaymentReturns(PaymentReturns),
}

/// Where a message comes from: no two of one sender have the same id.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GroupHeader {
    pub id: String,
    pub sent_at: Timestamp,
}

/// Money on its way (pacs.008).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CreditTransfers {
    pub header: GroupHeader,
    pub settlement_day: Date,
    pub transfers: Vec<InterbankTransfer>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InterbankTransfer {
    /// The sending bank's own name for it.
    pub id: String,
    /// The same for all banks on its way, a UUID.
    pub uetr: Option<String>,
    pub end_to_end_id: Option<String>,
    pub amount: Money,
    pub debtor_name: String,
    pub debtor: Option<Iban>,
    pub debtor_agent: Option<Bic>,
    pub creditor_name: String,
    /// As it was written: a number that is no IBAN is nobody's account.
    pub creditor: String,
    pub creditor_agent: Option<Bic>,
    pub creditor_address: Option<Address>,
    pub remittance: Option<String>,
}

/// What became of transfers (pacs.002).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StatusReport {
    pub header: GroupHeader,
    /// The message that the transfers were in.
    pub about: String,
    /// What holds for all transfers that are not named.
    pub group: Option<ReportedStatus>,
    /// The sender's name of each, and what became of it.
    pub transfers: Vec<(String, ReportedStatus)>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReportedStatus {
    Settled,
    Rejected(ReasonCode),
    /// On its way: nothing is known yet.
    Pending,
}

/// Money that comes back after it was settled (pacs.004).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PaymentReturns {
    pub header: GroupHeader,
    pub settlement_day: Date,
    pub returns: Vec<InterbankReturn>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InterbankReturn {
    /// The returning bank's own name for it.
    pub id: String,
    /// The message that the transfer was in, and the sender's name of it there.
    pub message: Option<String>,
    pub transfer: String,
    pub end_to_end_id: Option<String>,
    pub amount: Money,
    pub reason: ReasonCode,
}

impl ClearingMessage {
    pub const fn header(&self) -> &GroupHeader {
        match self {
            Self::CreditTransfers(message) => &message.header,
            Self::StatusReport(message) => &message.header,
            Self::PaymentReturns(message) => &message.header,
        }
    }

    /// A word for rows and logs.
    pub const fn kind(&self) -> &'static str {
        match self {
            Self::CreditTransfers(_) => "transfers",
            Self::StatusReport(_) => "report",
            Self::PaymentReturns(_) => "returns",
        }
    }
}
