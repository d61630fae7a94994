//! Clearing messages, independent of their sender and of their XML form.

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

/// The message's id, unique per sender, and its creation time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GroupHeader {
    pub id: String,
    pub sent_at: Timestamp,
}

/// Credit transfers (pacs.008).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CreditTransfers {
    pub header: GroupHeader,
    pub settlement_day: Date,
    pub transfers: Vec<InterbankTransfer>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InterbankTransfer {
    /// The sending bank's transaction id.
    pub id: String,
    pub end_to_end_id: Option<String>,
    pub amount: Money,
    pub debtor_name: String,
    pub debtor: Option<Iban>,
    pub debtor_agent: Option<Bic>,
    pub creditor_name: String,
    /// The creditor's account as written; it may be no valid IBAN.
    pub creditor: String,
    pub creditor_agent: Option<Bic>,
    pub creditor_address: Option<Address>,
    pub ultimate_debtor: Option<String>,
    pub ultimate_creditor: Option<String>,
    /// An ISO 20022 purpose code as written.
    pub purpose: Option<String>,
    pub remittance: Option<String>,
    /// The creditor's reference, for example an RF number (ISO 11649).
    pub creditor_reference: Option<String>,
}

/// The bank or person that rejected or returned a transfer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Originator {
    Bank(Bic),
    Name(String),
}

/// A transfer as its bank sent it, repeated in a message about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OriginalTransfer {
    pub settlement_day: Date,
    pub transfer: InterbankTransfer,
}

/// A status report about credit transfers (pacs.002).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StatusReport {
    pub header: GroupHeader,
    /// The id of the original message.
    pub original_message_id: String,
    /// The status of all transactions that are not listed.
    pub group: Option<ReportedStatus>,
    pub transfers: Vec<TransferStatus>,
}

/// The status of one transaction of the original message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TransferStatus {
    /// The transaction id in the original message.
    pub id: String,
    pub end_to_end_id: Option<String>,
    pub status: ReportedStatus,
    /// Who rejected it.
    pub originator: Option<Originator>,
    pub original: Option<Box<OriginalTransfer>>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReportedStatus {
    Settled,
    Rejected(ReasonCode),
    /// In process, without a final status.
    Pending,
}

/// Returns of settled transfers (pacs.004).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PaymentReturns {
    pub header: GroupHeader,
    pub settlement_day: Date,
    pub returns: Vec<InterbankReturn>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InterbankReturn {
    /// The returning bank's id of the return.
    pub id: String,
    /// The original message and the transaction id in it.
    pub message: Option<String>,
    pub transfer: String,
    pub end_to_end_id: Option<String>,
    /// The amount that was sent.
    pub original_amount: Option<Money>,
    /// The amount that comes back.
    pub amount: Money,
    pub reason: ReasonCode,
    /// Who returns it.
    pub originator: Option<Originator>,
    pub original: Option<Box<OriginalTransfer>>,
}

impl ClearingMessage {
    pub const fn header(&self) -> &GroupHeader {
        match self {
            Self::CreditTransfers(message) => &message.header,
            Self::StatusReport(message) => &message.header,
            Self::PaymentReturns(message) => &message.header,
        }
    }

    /// A name for rows and logs.
    pub const fn kind(&self) -> &'static str {
        match self {
            Self::CreditTransfers(_) => "transfers",
            Self::StatusReport(_) => "report",
            Self::PaymentReturns(_) => "returns",
        }
    }
}
