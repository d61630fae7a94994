//! Inbound messages. The id of a message is reserved for its content first, so that of two messages with one id only one is applied,
//! whichever process reads them. Each part is applied in its own transaction, once; afterwards the message is recorded as processed.
//! After a crash in between it is processed again, and the applied parts are skipped.

use super::reconcile::{self, MessageRef, Outcome, ProcessingContext};
use super::{incoming, status};
use crate::{App, UseCaseError, audit};
use sha2::{Digest, Sha256};
use trapeza_domain::audit_event::{Actor, AuditEvent};
use trapeza_domain::clearing::{
    BatchKind, ClearingMessage, CreditTransfers, InterbankTransfer, PaymentReturns, ReportedStatus,
    StatusReport, TransferStatus,
};
use trapeza_domain::id::{BatchId, ClearingId};
use trapeza_store::Tx;
use uuid::Uuid;

/// The outcome of a message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MessageOutcome {
    Applied(MessageSummary),
    /// The same message was processed before.
    Duplicate,
    /// Another message with the same id was received before, an error of the sender. Nothing of this one was applied.
    IdReused,
}

/// How many parts of a message had which outcome.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MessageSummary {
    pub settled: usize,
    pub rejected: usize,
    pub returned: usize,
    pub credited: usize,
    /// It cannot be booked; the money is returned, or waits for a decision of staff.
    pub suspended: usize,
    /// Applied before, or nothing to apply.
    pub idle: usize,
    /// Unknown, or contradicts the ledger: an operator must look at it.
    pub mismatched: usize,
}

impl App {
    /// Applies a message. `raw` are its bytes, to recognise a duplicate; `file` is what a problem with it names.
    pub async fn clearing_receive(
        &self,
        message: ClearingMessage,
        raw: &[u8],
        file: &str,
    ) -> Result<MessageOutcome, UseCaseError> {
        let digest: [u8; 32] = Sha256::digest(raw).into();
        let (kind, id) = (message.kind(), message.header().id.clone());
        let message_id = id.clone();
        let claim = self
            .store
            .write_background(move |tx| Ok(tx.clearing_message_claim(kind, &message_id, &digest)?));
        match claim.await? {
            (stored, _) if stored != digest => return Ok(MessageOutcome::IdReused),
            (_, true) => return Ok(MessageOutcome::Duplicate),
            (_, false) => {}
        }
        let settings = &self.settings.payments;
        let context = ProcessingContext {
            now: self.now(),
            today: self.clock.today(),
            collection: settings.collection,
            unmatched: settings.unmatched,
        };
        let summary = match message {
            ClearingMessage::StatusReport(report) => self.report(report, context).await?,
            ClearingMessage::PaymentReturns(returns) => self.returns(returns, context).await?,
            ClearingMessage::CreditTransfers(transfers) => self.transfers(transfers, context).await?,
        };
        let file = file.to_owned();
        let job = self.store.write_background(move |tx| {
            if summary.mismatched > 0 {
                let problem = format!("{} parts are unknown or contradict the ledger", summary.mismatched);
                status::file_problem_record(tx, &file, &problem, context.now)?;
            }
            if tx.clearing_message_processed(kind, &id, context.now)? {
                let event = AuditEvent::new("clearing.message_processed", "message", &id).with("kind", kind);
                let event = event.with("idle", summary.idle).with("mismatched", summary.mismatched);
                audit::record(tx, context.now, Actor::Bank, &event)?;
            }
            Ok(MessageOutcome::Applied(summary))
        });
        job.await
    }

    async fn report(
        &self,
        report: StatusReport,
        context: ProcessingContext,
    ) -> Result<MessageSummary, UseCaseError> {
        let StatusReport { original_message_id, group, transfers, .. } = report;
        let mut statuses: Vec<_> =
            transfers.into_iter().map(|reported: TransferStatus| (reported.id, reported.status)).collect();
        let batch = Uuid::try_parse(&original_message_id).ok().map(BatchId::new);
        if let Some(group) = group {
            let all = match batch {
                Some(batch) => self.store.read(move |tx| Ok(tx.clearing_transaction_list(batch)?)).await?,
                None => Vec::new(),
            };
            for sent in all {
                let name = super::name(sent.id);
                if !statuses.iter().any(|(named, _)| *named == name) {
                    statuses.push((name, group));
                }
            }
        }
        let mut summary = MessageSummary::default();
        if statuses.is_empty() {
            summary.count(self.report_without_payments(batch, group).await?);
        }
        for (name, status) in statuses {
            let original_message_id = original_message_id.clone();
            let job = self.store.write_background(move |tx| {
                reconcile::apply_status(
                    tx,
                    super::parse_name(&name),
                    Some(&original_message_id),
                    status,
                    context,
                )
            });
            summary.count(job.await?);
        }
        Ok(summary)
    }

    /// A report that names no payment: of a message of returns, or of none of this bank.
    async fn report_without_payments(
        &self,
        batch: Option<BatchId>,
        group: Option<ReportedStatus>,
    ) -> Result<Outcome, UseCaseError> {
        let found = match batch {
            Some(batch) => self.store.read(move |tx| Ok(tx.batch_find(batch)?)).await?,
            None => None,
        };
        let of_returns = found.is_some_and(|batch| batch.kind == BatchKind::PaymentReturns);
        Ok(match group {
            Some(ReportedStatus::Settled | ReportedStatus::Pending) if of_returns => Outcome::Idle,
            // Returns that clearing rejects are booked as returned.
            _ => Outcome::Mismatched,
        })
    }

    async fn returns(
        &self,
        returns: PaymentReturns,
        context: ProcessingContext,
    ) -> Result<MessageSummary, UseCaseError> {
        let mut summary = MessageSummary::default();
        let (message, settlement_day) = (returns.header.id, returns.settlement_day);
        for returned in returns.returns {
            let message = message.clone();
            let job = self.store.write_background(move |tx| {
                let message = MessageRef { id: &message, settlement_day };
                reconcile::apply_return(tx, &message, &returned, context)
            });
            summary.count(job.await?);
        }
        Ok(summary)
    }

    async fn transfers(
        &self,
        transfers: CreditTransfers,
        context: ProcessingContext,
    ) -> Result<MessageSummary, UseCaseError> {
        let mut summary = MessageSummary::default();
        let (message, settlement_day) = (transfers.header.id, transfers.settlement_day);
        for transfer in transfers.transfers {
            let (id, message) = (ClearingId::new(self.entropy.uuid()), message.clone());
            let job = self.store.write_background(move |tx| {
                let message = MessageRef { id: &message, settlement_day };
                credit(tx, id, &message, &transfer, context)
            });
            summary.count(job.await?);
        }
        Ok(summary)
    }
}

fn credit(
    tx: &mut Tx<'_>,
    id: ClearingId,
    message: &MessageRef<'_>,
    transfer: &InterbankTransfer,
    context: ProcessingContext,
) -> Result<Outcome, UseCaseError> {
    let outcome = incoming::credit(tx, id, message, transfer, context)?;
    if outcome != Outcome::Idle {
        let event =
            AuditEvent::new("clearing.transfer_received", "transfer", id).with("outcome", outcome.as_str());
        audit::record(tx, context.now, Actor::Bank, &event)?;
    }
    Ok(outcome)
}

impl MessageSummary {
    fn count(&mut self, outcome: Outcome) {
        *match outcome {
            Outcome::Settled => &mut self.settled,
            Outcome::Rejected => &mut self.rejected,
            Outcome::Returned => &mut self.returned,
            Outcome::Credited => &mut self.credited,
            Outcome::Suspended => &mut self.suspended,
            Outcome::Idle => &mut self.idle,
            Outcome::Mismatched => &mut self.mismatched,
        } += 1;
    }
}
