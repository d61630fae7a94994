//! Outbound batches: their messages and their progress. Two steps are recorded (staged, written), because a file that
//! is no longer in the staging directory has been published, and clearing may already have taken it.

use super::{LEASE, name};
use crate::{App, Required, StoreError, UseCaseError};
use trapeza_domain::clearing::{
    BatchKind, BatchState, ClearingMessage, CreditTransfers, GroupHeader, InterbankReturn, InterbankTransfer,
    Originator, PaymentReturns, ReasonCode, sepa_reference, to_sepa_charset,
};
use trapeza_domain::id::BatchId;
use trapeza_domain::payment::Address;
use trapeza_store::{BatchRecord, ClearingTransaction, Tx};
use uuid::Uuid;

/// The maximum lengths of texts between banks.
const MAX_NAME_CHARS: usize = 70;
const MAX_REFERENCE_CHARS: usize = 35;
const MAX_REMITTANCE_CHARS: usize = 140;
const MAX_STREET_CHARS: usize = 70;
const SHORT_MOST: usize = 16;
const MAX_TOWN_CHARS: usize = 35;

/// The end-to-end id of a transfer that has none.
const NOT_PROVIDED: &str = "NOTPROVIDED";

/// A claimed batch with its message, which is always the same.
#[derive(Clone, Debug)]
pub struct OutboundBatch {
    pub batch: BatchId,
    /// Under which its file is prepared, or was.
    pub claim: Uuid,
    pub state: BatchState,
    pub message: ClearingMessage,
}

impl App {
    /// Claims the oldest unfinished batch for the process of this spool.
    pub async fn clearing_claim(&self, spool_id: Uuid) -> Result<Option<OutboundBatch>, UseCaseError> {
        let (now, bank_name) = (self.now(), self.settings.bank_profile.name.clone());
        if !self.store.read(move |tx| Ok(tx.batch_is_pending(spool_id, now)?)).await? {
            return Ok(None);
        }
        let new = self.entropy.uuid();
        self.store
            .write_background(move |tx| {
                let Some(batch) = tx.batch_claim(spool_id, new, now, now.plus(LEASE))? else {
                    return Ok(None);
                };
                let claim = batch.claim.required("claim of the batch")?;
                let message = match batch.kind {
                    BatchKind::CreditTransfers | BatchKind::Instant => {
                        ClearingMessage::CreditTransfers(transfers(tx, &batch)?)
                    }
                    BatchKind::PaymentReturns => {
                        ClearingMessage::PaymentReturns(returns(tx, &batch, &bank_name)?)
                    }
                };
                Ok(Some(OutboundBatch { batch: batch.id, claim, state: batch.state, message }))
            })
            .await
    }

    /// Records that the message is staged. False when another process has claimed it since: what this one staged must not go out.
    pub async fn clearing_mark_staged(
        &self,
        outgoing: &OutboundBatch,
        spool_id: Uuid,
    ) -> Result<bool, UseCaseError> {
        self.batch_advance(outgoing, (BatchState::Claimed, BatchState::Staged), spool_id).await
    }

    /// Records that the message is published.
    pub async fn clearing_mark_written(
        &self,
        outgoing: &OutboundBatch,
        spool_id: Uuid,
    ) -> Result<bool, UseCaseError> {
        self.batch_advance(outgoing, (BatchState::Staged, BatchState::Written), spool_id).await
    }

    async fn batch_advance(
        &self,
        outgoing: &OutboundBatch,
        states: (BatchState, BatchState),
        spool_id: Uuid,
    ) -> Result<bool, UseCaseError> {
        let (batch, claim) = (outgoing.batch, outgoing.claim);
        self.store.write_background(move |tx| Ok(tx.batch_advance(batch, states, spool_id, claim)?)).await
    }
}

fn origin(batch: &BatchRecord) -> GroupHeader {
    GroupHeader { id: batch.id.uuid().simple().to_string(), sent_at: batch.created_at }
}

pub(super) fn transfers(tx: &mut Tx<'_>, batch: &BatchRecord) -> Result<CreditTransfers, StoreError> {
    let mut transfers = Vec::new();
    for sent in tx.clearing_transaction_list(batch.id)? {
        transfers.push(transfer(tx, &sent)?);
    }
    Ok(CreditTransfers { header: origin(batch), settlement_day: batch.settlement_date, transfers })
}

fn transfer(tx: &mut Tx<'_>, sent: &ClearingTransaction) -> Result<InterbankTransfer, StoreError> {
    let payment = tx.payment_find(sent.application, sent.payment)?;
    let payment = payment.required("payment")?;
    let terms = payment.instruction;
    Ok(InterbankTransfer {
        id: name(sent.id),
        end_to_end_id: Some(sepa_reference(terms.end_to_end_id.as_deref(), MAX_REFERENCE_CHARS)),
        amount: terms.amount,
        debtor_name: to_sepa_charset(&sent.debtor_name, MAX_NAME_CHARS),
        debtor: Some(sent.debtor_iban),
        debtor_agent: Some(sent.debtor_agent.clone()),
        creditor_name: to_sepa_charset(&terms.creditor_name, MAX_NAME_CHARS),
        creditor: terms.creditor.as_str().to_owned(),
        creditor_agent: payment.routed_agent.or(terms.creditor_agent),
        creditor_address: terms.creditor_address.as_ref().and_then(address),
        ultimate_debtor: None,
        ultimate_creditor: None,
        purpose: None,
        remittance: terms.remittance.map(|text| to_sepa_charset(&text, MAX_REMITTANCE_CHARS)),
        creditor_reference: None,
    })
}

/// Clearing accepts an address with a town and a two-letter country code, or none.
fn address(address: &Address) -> Option<Address> {
    let part = |text: &Option<String>, max| text.as_ref().map(|text| to_sepa_charset(text, max));
    let country = address.country.as_ref().map(|country| country.to_ascii_uppercase());
    let country = country.filter(|code| code.len() == 2 && code.bytes().all(|b| b.is_ascii_uppercase()))?;
    Some(Address {
        street: part(&address.street, MAX_STREET_CHARS),
        building_number: part(&address.building_number, SHORT_MOST),
        postal_code: part(&address.postal_code, SHORT_MOST),
        city: Some(part(&address.city, MAX_TOWN_CHARS)?),
        country: Some(country),
    })
}

fn returns(tx: &mut Tx<'_>, batch: &BatchRecord, bank_name: &str) -> Result<PaymentReturns, StoreError> {
    let returned = tx.incoming_list_by_batch(batch.id)?.into_iter().map(|incoming| {
        let (transfer, amount) = (&incoming.received.transfer, incoming.suspended_amount());
        InterbankReturn {
            id: name(incoming.id),
            message: Some(incoming.message_id),
            transfer: transfer.id.clone(),
            end_to_end_id: Some(transfer.end_to_end_id.clone().unwrap_or_else(|| NOT_PROVIDED.to_owned())),
            original_amount: Some(transfer.amount),
            amount,
            reason: incoming.reason.unwrap_or(ReasonCode::NARRATIVE),
            // This bank, under the BIC by which the sender addressed it.
            originator: Some(match transfer.creditor_agent.clone() {
                Some(bic) => Originator::Bank(bic),
                None => Originator::Name(to_sepa_charset(bank_name, MAX_NAME_CHARS)),
            }),
            original: Some(Box::new(incoming.received)),
        }
    });
    Ok(PaymentReturns {
        header: origin(batch),
        settlement_day: batch.settlement_date,
        returns: returned.collect(),
    })
}
