//! Submission: due payments become a batch in one transaction. A submitted payment cannot be cancelled.

use crate::clearing_submission::Debtor;
use crate::ledger::{self, Posting, PostingDetail};
use crate::{App, StoreError, UseCaseError, audit};
use trapeza_domain::audit_event::{Actor, AuditEvent};
use trapeza_domain::calendar::next_target_day;
use trapeza_domain::clearing::{BatchKind, BatchState, STATUS_REPORT_TIMEOUT};
use trapeza_domain::id::{BatchId, ClearingId};
use trapeza_domain::ledger::posting::{Amounts, LedgerEvent, Parties};
use trapeza_domain::payment::Payment;
use trapeza_domain::time::{Date, Timestamp};
use trapeza_store::{BatchRecord, ClearingTransaction, PAYMENT_SWEEP_ROWS, Tx};

impl App {
    /// Submits payments to other banks. Returns how many.
    pub(super) async fn submit_payments(&self, now: Timestamp) -> Result<usize, UseCaseError> {
        let (mut all, today) = (0, self.clock.zone().day(now));
        while self.store.read(move |tx| Ok(tx.payment_submission_is_due(now)?)).await? {
            let batch = self.batch_new(BatchKind::CreditTransfers, now);
            let ids: Vec<ClearingId> =
                (0..PAYMENT_SWEEP_ROWS).map(|_| ClearingId::new(self.entropy.uuid())).collect();
            let bank_name = self.bank_name().clone();
            let job = self.store.write_background(move |tx| {
                let payments = tx.payment_submission_due(now)?;
                let submitted = payments.len();
                for ((payment, id), position) in payments.into_iter().zip(&ids).zip(0..) {
                    submit_payment(tx, payment, (*id, batch.id, position), &bank_name, now)?;
                }
                if submitted > 0 {
                    batch_store(tx, &batch, submitted, now)?;
                }
                Ok(submitted)
            });
            let submitted = job.await?;
            all += submitted;
            if submitted == 0 {
                // Another process submitted them.
                break;
            }
        }
        tracing::debug!(payments = all, day = today.0, "clearing: payments submitted");
        Ok(all)
    }

    /// Returns transfers to their senders that could not be booked, or that staff decided to return.
    pub(super) async fn return_incoming(&self, now: Timestamp) -> Result<usize, UseCaseError> {
        let (mut all, today) = (0, self.clock.zone().day(now));
        while self.store.read(|tx| Ok(tx.incoming_is_returning()?)).await? {
            let batch = self.batch_new(BatchKind::PaymentReturns, now);
            let job = self.store.write_background(move |tx| {
                let returning = tx.incoming_returning()?;
                for (incoming, position) in returning.iter().zip(0..) {
                    tx.incoming_return(incoming.id, batch.id, position)?;
                    let amounts = Amounts::of(incoming.suspended_amount());
                    book_incoming_return(tx, amounts, incoming.id.to_string(), today)?;
                }
                if !returning.is_empty() {
                    batch_store(tx, &batch, returning.len(), now)?;
                }
                Ok(returning.len())
            });
            let handed_back = job.await?;
            all += handed_back;
            if handed_back == 0 {
                break;
            }
        }
        Ok(all)
    }

    fn batch_new(&self, kind: BatchKind, now: Timestamp) -> BatchRecord {
        let settlement_day = next_target_day(self.clock.zone().day(now));
        let id = BatchId::new(self.entropy.uuid());
        BatchRecord {
            id,
            kind,
            state: BatchState::Claimed,
            created_at: now,
            settlement_date: settlement_day,
            spool_id: None,
            claim: None,
        }
    }
}

fn batch_store(tx: &mut Tx<'_>, batch: &BatchRecord, count: usize, now: Timestamp) -> Result<(), StoreError> {
    tx.batch_insert(batch)?;
    let event = AuditEvent::new("batch.created", "batch", batch.id);
    audit::record(tx, now, Actor::Bank, &event.with("kind", batch.kind.name()).with("count", count))
}

/// The payer is stored with the transaction, so that its message is always the same.
fn submit_payment(
    tx: &mut Tx<'_>,
    payment: Payment,
    (id, batch, position): (ClearingId, BatchId, i64),
    bank_name: &str,
    now: Timestamp,
) -> Result<(), UseCaseError> {
    let debtor = Debtor::find(tx, &payment, bank_name)?;
    let (payment, event) = payment.submit(now)?;
    tx.payment_update(&payment)?;
    audit::record(tx, now, Actor::Bank, &event.with("batch", batch))?;
    let alert_at = Some(now.plus(STATUS_REPORT_TIMEOUT));
    let sent = debtor.transaction(&payment, (id, batch, position), now);
    Ok(tx.clearing_transaction_insert(&ClearingTransaction { alert_at, ..sent })?)
}

fn book_incoming_return(
    tx: &mut Tx<'_>,
    amounts: Amounts,
    reference: String,
    today: Date,
) -> Result<(), StoreError> {
    let posting = Posting {
        event: LedgerEvent::SepaInUnknownReturned,
        parties: Parties::default(),
        amounts,
        reference,
        booking_day: today,
        value_day: today,
        detail: PostingDetail::None,
    };
    ledger::post(tx, &[posting])?.map_err(StoreError::internal)?;
    Ok(())
}
