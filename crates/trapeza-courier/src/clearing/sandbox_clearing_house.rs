//! The sandbox's simulated clearing house. It reads the bank's outgoing files, answers them with status reports, and delivers
//! transfers to the bank's own customers as incoming files.
//!
//! The payee's name selects the outcome: `REJECT AC04` rejects with that code, `SILENT` is never answered, `RETURN` settles
//! and returns; anything else settles. Instant payments are answered at once; `LATE` settles one half a minute after it was sent, when
//! the bank has rejected it.

use super::pacs;
use super::spool::{Spool, messages, move_aside, write_whole};
use std::future::Future;
use std::io;
use std::pin::Pin;
use std::sync::Arc;
use trapeza_app::InstantPort;
use trapeza_app::sandbox::magic_value::{PAYEE_LATE, PAYEE_REJECTED_PREFIX, PAYEE_RETURNED, PAYEE_SILENT};
use trapeza_domain::clearing::{
    ClearingMessage, CreditTransfers, GroupHeader, InterbankReturn, InterbankTransfer, OriginalTransfer,
    Originator, PaymentReturns, ReasonCode, ReportedStatus, StatusReport, TransferStatus,
};
use trapeza_domain::reference::Iban;
use trapeza_domain::time::{TimeDelta, Timestamp};

/// Prefix of the ids of its messages. They are derived from the bank's ids, so that answering twice gives the same messages.
const REPORTING: &str = "002";
const RETURNING: &str = "004";
const INCOMING: &str = "008";

/// How long after its submission a late instant payment is settled.
const LATE: TimeDelta = TimeDelta::seconds(30);

#[derive(Clone)]
pub struct SandboxClearingHouse {
    spool: Spool,
    /// Whether an IBAN belongs to the bank.
    is_ours: Arc<dyn Fn(&Iban) -> bool + Send + Sync>,
}

impl SandboxClearingHouse {
    pub fn new(spool: Spool, is_ours: impl Fn(&Iban) -> bool + Send + Sync + 'static) -> Self {
        Self { spool, is_ours: Arc::new(is_ours) }
    }

    /// Answers every waiting message. An answered file is removed last, so that after a crash it is answered again identically.
    pub fn answer(&self) -> io::Result<usize> {
        let (outgoing, _, done) = self.spool.ends();
        let names = messages(outgoing, usize::MAX)?;
        for name in &names {
            let bytes = Spool::open_bytes(outgoing, name)?.unwrap_or_default();
            let answers = match pacs::parse(&bytes) {
                Ok(ClearingMessage::CreditTransfers(message)) => self.of_transfers(&message),
                Ok(ClearingMessage::PaymentReturns(message)) => of_returns(message),
                Ok(ClearingMessage::StatusReport(_)) => Vec::new(),
                Err(error) => {
                    tracing::warn!(file = name, error, "sandbox clearing house: cannot read a message");
                    Vec::new()
                }
            };
            for answer in answers {
                self.deliver(&answer)?;
            }
            move_aside(&outgoing.join(name), done, name)?;
        }
        Ok(names.len())
    }

    /// Writes a message for the bank.
    fn deliver(&self, message: &ClearingMessage) -> io::Result<()> {
        let (_, incoming, _) = self.spool.ends();
        let file = format!("{}.{}.xml", message.header().id, pacs::kind(message));
        write_whole(incoming, &file, pacs::serialize(message).as_bytes())
    }

    fn of_transfers(&self, message: &CreditTransfers) -> Vec<ClearingMessage> {
        let (mut statuses, mut returned, mut brought) = (Vec::new(), Vec::new(), Vec::new());
        for transfer in &message.transfers {
            let Some(reported) = reported_status(&transfer.creditor_name) else { continue };
            statuses.push(TransferStatus {
                id: transfer.id.clone(),
                end_to_end_id: transfer.end_to_end_id.clone(),
                status: reported,
                originator: transfer.creditor_agent.clone().map(Originator::Bank),
                original: Some(original(message, transfer)),
            });
            if reported != ReportedStatus::Settled {
                continue;
            }
            if transfer.creditor_name == PAYEE_RETURNED {
                returned.push(return_transfer(message, transfer));
            } else if Iban::parse(&transfer.creditor).is_ok_and(|iban| (self.is_ours)(&iban)) {
                brought.push(transfer.clone());
            }
        }
        let day = message.settlement_day;
        let report = (!statuses.is_empty()).then(|| {
            let (header, original_message_id) =
                (answering(REPORTING, &message.header), message.header.id.clone());
            ClearingMessage::StatusReport(StatusReport {
                header,
                original_message_id,
                group: None,
                transfers: statuses,
            })
        });
        let returns = (!returned.is_empty()).then(|| {
            let header = answering(RETURNING, &message.header);
            ClearingMessage::PaymentReturns(PaymentReturns { header, settlement_day: day, returns: returned })
        });
        let transfers = (!brought.is_empty()).then(|| {
            let header = answering(INCOMING, &message.header);
            ClearingMessage::CreditTransfers(CreditTransfers {
                header,
                settlement_day: day,
                transfers: brought,
            })
        });
        [report, returns, transfers].into_iter().flatten().collect()
    }
}

/// The outcome that a payee's name selects; `None` for no answer.
fn reported_status(name: &str) -> Option<ReportedStatus> {
    match name.strip_prefix(PAYEE_REJECTED_PREFIX).and_then(ReasonCode::parse) {
        Some(code) => Some(ReportedStatus::Rejected(code)),
        None => (name != PAYEE_SILENT).then_some(ReportedStatus::Settled),
    }
}

fn return_transfer(message: &CreditTransfers, transfer: &InterbankTransfer) -> InterbankReturn {
    InterbankReturn {
        id: format!("R{}", &transfer.id),
        message: Some(message.header.id.clone()),
        transfer: transfer.id.clone(),
        end_to_end_id: transfer.end_to_end_id.clone(),
        original_amount: Some(transfer.amount),
        amount: transfer.amount,
        reason: ReasonCode::ACCOUNT_CLOSED,
        originator: transfer.creditor_agent.clone().map(Originator::Bank),
        original: Some(original(message, transfer)),
    }
}

fn original(message: &CreditTransfers, transfer: &InterbankTransfer) -> Box<OriginalTransfer> {
    Box::new(OriginalTransfer { settlement_day: message.settlement_day, transfer: transfer.clone() })
}

/// A return by the bank: it goes to the bank that had sent the money, which is the same one.
fn of_returns(message: PaymentReturns) -> Vec<ClearingMessage> {
    let header = answering(RETURNING, &message.header);
    let returns = message.returns.into_iter().map(|returned| {
        let first = returned.message.as_ref().and_then(|id| id.strip_prefix(INCOMING)).map(str::to_owned);
        InterbankReturn { message: first, ..returned }
    });
    let (settlement_day, returns) = (message.settlement_day, returns.collect());
    vec![ClearingMessage::PaymentReturns(PaymentReturns { header, settlement_day, returns })]
}

fn answering(prefix: &str, header: &GroupHeader) -> GroupHeader {
    GroupHeader { id: format!("{prefix}{}", header.id), sent_at: header.sent_at }
}

impl InstantPort for SandboxClearingHouse {
    fn submit<'a>(
        &'a self,
        message: &'a CreditTransfers,
    ) -> Pin<Box<dyn Future<Output = Option<ReportedStatus>> + Send + 'a>> {
        Box::pin(async move { self.instant_status(message, message.header.sent_at) })
    }

    fn query<'a>(
        &'a self,
        message: &'a CreditTransfers,
        asked_at: Timestamp,
    ) -> Pin<Box<dyn Future<Output = Option<ReportedStatus>> + Send + 'a>> {
        Box::pin(async move { self.instant_status(message, asked_at) })
    }
}

impl SandboxClearingHouse {
    /// The outcome of an instant payment at a time. A returned one comes back as a file.
    fn instant_status(&self, message: &CreditTransfers, at: Timestamp) -> Option<ReportedStatus> {
        let transfer = message.transfers.first()?;
        if transfer.creditor_name == PAYEE_LATE {
            return (message.header.sent_at.plus(LATE) <= at).then_some(ReportedStatus::Settled);
        }
        if transfer.creditor_name == PAYEE_RETURNED {
            let (header, returns) =
                (answering(RETURNING, &message.header), vec![return_transfer(message, transfer)]);
            let settlement_day = message.settlement_day;
            let returns = ClearingMessage::PaymentReturns(PaymentReturns { header, settlement_day, returns });
            if let Err(error) = self.deliver(&returns) {
                tracing::warn!(%error, "sandbox clearing house: cannot return an instant payment");
            }
        }
        reported_status(&transfer.creditor_name)
    }
}
