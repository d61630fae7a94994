//! A payment becomes a transaction at clearing, with the payer as it was then: in a batch of many, or at once when it is instant.

use crate::{StoreError, UseCaseError, audit};
use sha2::{Digest, Sha256};
use trapeza_domain::audit_event::Actor;
use trapeza_domain::clearing::{BatchKind, BatchState, INSTANT_TIMEOUT, InstantState};
use trapeza_domain::id::{BatchId, ClearingId, PaymentId};
use trapeza_domain::payment::Payment;
use trapeza_domain::reference::{Bic, Iban};
use trapeza_domain::time::{Date, Timestamp};
use trapeza_store::{BatchRecord, ClearingTransaction, InstantSubmission, Tx};
use uuid::Uuid;

/// The payer as the payee's bank learns it.
pub(crate) struct Debtor {
    name: String,
    iban: Iban,
    agent: Bic,
}

impl Debtor {
    /// The customer who pays, or the bank.
    pub(crate) fn find(tx: &mut Tx<'_>, payment: &Payment, bank_name: &str) -> Result<Self, StoreError> {
        if let Some(sent) = tx.bank_payment_find(payment.id)? {
            let (iban, agent) = (sent.debtor_iban, sent.debtor_agent);
            return Ok(Self { name: bank_name.to_owned(), iban, agent });
        }
        Self::customer(tx, payment)
    }

    fn customer(tx: &mut Tx<'_>, payment: &Payment) -> Result<Self, StoreError> {
        let gone = |what: &'static str| move || StoreError::internal(what);
        let ledger = match payment.batch_account {
            Some(account) => account,
            None => {
                let hold = tx.hold_by_reference(&payment.id.to_string())?;
                hold.ok_or_else(gone("a payment's hold is gone"))?.hold.account
            }
        };
        let account = tx.account_by_ledger(ledger)?;
        let account = account.ok_or_else(gone("a payer's account is gone"))?;
        // The payer may have ceased to be a customer since.
        let name = tx.psu_name(&payment.psu)?.ok_or_else(gone("a payer is gone"))?;
        Ok(Self { name, iban: account.iban, agent: account.bic })
    }

    /// The transaction of a payment. The payer is stored with it, so that its message is always the same.
    pub(crate) fn transaction(
        self,
        payment: &Payment,
        (id, batch, position): (ClearingId, BatchId, i64),
        now: Timestamp,
    ) -> ClearingTransaction {
        ClearingTransaction {
            id,
            batch,
            position,
            application: payment.application,
            payment: payment.id,
            debtor_name: self.name,
            debtor_iban: self.iban,
            debtor_agent: self.agent,
            submitted_at: now,
            alert_at: None,
            alerted: false,
            answered_at: None,
            returned_at: None,
        }
    }
}

/// Submits an instant payment whose amount is held: its deadline is stored before it is sent. There are no holidays.
pub(crate) fn submit_instant(
    tx: &mut Tx<'_>,
    payment: Payment,
    (now, today): (Timestamp, Date),
) -> Result<(), UseCaseError> {
    let debtor = Debtor::customer(tx, &payment)?;
    let (payment, event) = payment.submit_instant(now)?;
    let batch = BatchId::new(derived_id("batch", payment.id));
    let id = ClearingId::new(derived_id("transaction", payment.id));
    tx.payment_update(&payment)?;
    audit::record(tx, now, Actor::Bank, &event.with("batch", batch))?;
    // No file is written for it.
    tx.batch_insert(&BatchRecord {
        id: batch,
        kind: BatchKind::Instant,
        state: BatchState::Written,
        created_at: now,
        settlement_date: today,
        spool_id: None,
        claim: None,
    })?;
    tx.clearing_transaction_insert(&debtor.transaction(&payment, (id, batch, 0), now))?;
    let deadline_at = now.plus(INSTANT_TIMEOUT);
    let (state, next_at) = (InstantState::Ready, Some(now));
    tx.instant_submission_insert(&InstantSubmission {
        clearing_transaction: id,
        state,
        deadline_at,
        next_at,
    })?;
    Ok(())
}

/// An id of a payment's own message. A payment is submitted once, so it needs no randomness.
fn derived_id(purpose: &str, payment: PaymentId) -> Uuid {
    let digest = Sha256::new().chain_update("instant").chain_update(purpose).chain_update(payment.as_bytes());
    let bytes: [u8; 32] = digest.finalize().into();
    let mut id = [0; 16];
    id.copy_from_slice(&bytes[..16]);
    Uuid::from_bytes(id)
}
