//! The clearing house of the sandbox. It sits at the other end of the folders and speaks in the same messages: it takes
//! what the bank has put down, answers it, and brings transfers to the bank that are for its own customers.
//!
//! The payee's name says what becomes of a transfer: `REJECT AC04` turns it down with that code, `SILENT` is never
//! answered, `RETURN` is settled and comes back; anything else settles.

use super::pacs;
use super::spool::{Spool, messages, move_aside, write_whole};
use std::io;
use std::sync::Arc;
use trapeza_domain::clearing::{
    ClearingMessage, CreditTransfers, GroupHeader, InterbankReturn, InterbankTransfer, PaymentReturns,
    ReasonCode, ReportedStatus, StatusReport,
};
use trapeza_domain::reference::Iban;

/// What stands before the id of the message that is answered. The house's ids are made from the bank's, so that answering
/// twice gives the same messages.
const REPORTING: &str = "002";
const RETURNING: &str = "004";
const BRINGING: &str = "008";

#[derive(Clone)]
pub struct SandboxClearingHouse {
    folders: Spool,
    /// Whether an account is one of the bank's, by its number.
    is_ours: Arc<dyn Fn(&Iban) -> bool + Send + Sync>,
}

impl SandboxClearingHouse {
    pub fn new(folders: Spool, is_ours: impl Fn(&Iban) -> bool + Send + Sync + 'static) -> Self {
        Self { folders, is_ours: Arc::new(is_ours) }
    }

    /// Answers every message that waits. One that was answered is taken away last, so that after a crash it is answered
    /// again, in the same words.
    pub fn answer(&self) -> io::Result<usize> {
        let (outgoing, incoming, done) = self.folders.ends();
        let names = messages(outgoing, usize::MAX)?;
        for name in &names {
            let bytes = Spool::open_bytes(outgoing, name)?.unwrap_or_default();
            let answers = match pacs::parse(&bytes) {
                Ok(ClearingMessage::CreditTransfers(message)) => self.of_transfers(&message),
                Ok(ClearingMessage::PaymentReturns(message)) => of_returns(message),
                Ok(ClearingMessage::StatusReport(_)) => Vec::new(),
                Err(fault) => {
                    tracing::warn!(file = name, fault, "the sandbox's clearing house cannot read a message");
                    Vec::new()
                }
            };
            for answer in answers {
                let file = format!("{}.{}.xml", answer.header().id, pacs::kind(&answer));
                write_whole(incoming, &file, pacs::print(&answer).as_bytes())?;
            }
            move_aside(&outgoing.join(name), done, name)?;
        }
        Ok(names.len())
    }

    fn of_transfers(&self, message: &CreditTransfers) -> Vec<ClearingMessage> {
        let (mut verdicts, mut returned, mut brought) = (Vec::new(), Vec::new(), Vec::new());
        for transfer in &message.transfers {
            let Some(verdict) = verdict(&transfer.creditor_name) else { continue };
            verdicts.push((transfer.id.clone(), verdict));
            if verdict != ReportedStatus::Settled {
                continue;
            }
            if transfer.creditor_name == "RETURN" {
                returned.push(come_back(message, transfer));
            } else if Iban::parse(&transfer.creditor).is_ok_and(|iban| (self.is_ours)(&iban)) {
                brought.push(transfer.clone());
            }
        }
        let day = message.settlement_day;
        let report = (!verdicts.is_empty()).then(|| {
            let (header, about) = (answering(REPORTING, &message.header), message.header.id.clone());
            ClearingMessage::StatusReport(StatusReport { header, about, group: None, transfers: verdicts })
        });
        let returns = (!returned.is_empty()).then(|| {
            let header = answering(RETURNING, &message.header);
            ClearingMessage::PaymentReturns(PaymentReturns { header, settlement_day: day, returns: returned })
        });
        let transfers = (!brought.is_empty()).then(|| {
            let header = answering(BRINGING, &message.header);
            ClearingMessage::CreditTransfers(CreditTransfers {
                header,
                settlement_day: day,
                transfers: brought,
            })
        });
        [report, returns, transfers].into_iter().flatten().collect()
    }
}

/// What a payee's name asks for; none for no answer at all.
fn verdict(name: &str) -> Option<ReportedStatus> {
    match name.strip_prefix("REJECT ").and_then(ReasonCode::parse) {
        Some(code) => Some(ReportedStatus::Rejected(code)),
        None => (name != "SILENT").then_some(ReportedStatus::Settled),
    }
}

fn come_back(message: &CreditTransfers, transfer: &InterbankTransfer) -> InterbankReturn {
    InterbankReturn {
        id: format!("R{}", &transfer.id),
        message: Some(message.header.id.clone()),
        transfer: transfer.id.clone(),
        end_to_end_id: transfer.end_to_end_id.clone(),
        amount: transfer.amount,
        reason: ReasonCode::ACCOUNT_CLOSED,
    }
}

/// The bank sends back what the house had brought: it goes on to the bank that had sent it, which is the same one.
fn of_returns(message: PaymentReturns) -> Vec<ClearingMessage> {
    let header = answering(RETURNING, &message.header);
    let returns = message.returns.into_iter().map(|returned| {
        let first = returned.message.as_ref().and_then(|id| id.strip_prefix(BRINGING)).map(str::to_owned);
        InterbankReturn { message: first, ..returned }
    });
    let (settlement_day, returns) = (message.settlement_day, returns.collect());
    vec![ClearingMessage::PaymentReturns(PaymentReturns { header, settlement_day, returns })]
}

fn answering(prefix: &str, header: &GroupHeader) -> GroupHeader {
    GroupHeader { id: format!("{prefix}{}", header.id), sent_at: header.sent_at }
}
