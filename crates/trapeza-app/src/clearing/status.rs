//! What people at the bank have to look at: messages that are not out yet, and payments that nobody has answered.

use crate::{App, UseCaseError, audit};
use trapeza_domain::audit_event::{Actor, AuditEvent};
use trapeza_domain::id::{ClearingId, PaymentId};
use trapeza_domain::time::Timestamp;
use trapeza_store::{BatchRecord, ClearingTransaction};

/// The most of each kind that is shown.
const SHOWN: i64 = 1000;

/// A payment that left and of which nothing was remote_check in time. Its money stays set aside.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unanswered {
    pub id: ClearingId,
    pub payment: PaymentId,
    pub handed_over_at: Timestamp,
}

#[derive(Clone, Debug)]
pub struct ClearingStatus {
    pub batches: Vec<BatchRecord>,
    pub unanswered: Vec<Unanswered>,
}

impl App {
    /// Those whose answer has become overdue since it was last asked; each is told once.
    pub async fn clearing_mark_unanswered(&self) -> Result<Vec<Unanswered>, UseCaseError> {
        let now = self.now();
        if !self.store.read(move |tx| Ok(tx.clearing_transaction_is_overdue(now)?)).await? {
            return Ok(Vec::new());
        }
        self.store
            .write_background(move |tx| {
                let overdue = tx.clearing_transaction_overdue(now)?;
                for sent in &overdue {
                    tx.clearing_transaction_update(&ClearingTransaction {
                        alert_at: None,
                        alerted: true,
                        ..sent.clone()
                    })?;
                    let event = AuditEvent::new("payment.unanswered", "payment", sent.payment);
                    audit::record(tx, now, Actor::Bank, &event.with("clearing", sent.id))?;
                }
                Ok(overdue.iter().map(unanswered).collect())
            })
            .await
    }

    /// Blocks, for commands.
    pub fn clearing_status(&self) -> Result<ClearingStatus, UseCaseError> {
        self.store.read_blocking(|tx| {
            let unanswered = tx.clearing_transaction_unanswered(SHOWN)?.iter().map(unanswered).collect();
            Ok(ClearingStatus { batches: tx.batch_list_unsent(SHOWN)?, unanswered })
        })
    }
}

fn unanswered(sent: &ClearingTransaction) -> Unanswered {
    Unanswered { id: sent.id, payment: sent.payment, handed_over_at: sent.submitted_at }
}
