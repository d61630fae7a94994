//! Clearing batches and incoming transfers.

use super::{ObjectView, ViewContext};
use trapeza_domain::clearing::IncomingState;
use trapeza_domain::id::{BatchId, ClearingId};
use trapeza_domain::reference::{CreditorReference, Iban};
use trapeza_domain::search::SearchKind;
use trapeza_domain::staff::StaffAction;
use trapeza_store::{ObjectRelation, SearchHit, StoreError, Tx};
use uuid::Uuid;

pub(super) fn batch(tx: &mut Tx<'_>, id: Uuid) -> Result<Option<ObjectView>, StoreError> {
    let batch_id = BatchId::new(id);
    let Some(batch) = tx.batch_find(batch_id)? else { return Ok(None) };
    let title = format!("Clearing batch {id}");
    let mut view = ObjectView::new(SearchKind::ClearingBatch, id, title).status(batch.state.name());
    view.fact("Kind", batch.kind.name());
    view.time("Created", batch.created_at);
    view.day("Settlement date", batch.settlement_date);
    view.relate_all(tx, "payment", ObjectRelation::BatchPayments, batch_id)?;
    view.relate_all(tx, "returned transfer", ObjectRelation::BatchReturns, batch_id)?;
    Ok(Some(view))
}

pub(super) fn incoming(
    tx: &mut Tx<'_>,
    context: &ViewContext,
    id: Uuid,
) -> Result<Option<ObjectView>, StoreError> {
    let Some(record) = tx.incoming_by_id(ClearingId::new(id))? else { return Ok(None) };
    let title = format!("Incoming transfer {id}");
    let mut view = ObjectView::new(SearchKind::IncomingTransfer, id, title).status(record.state.name());
    let transfer = &record.received.transfer;
    view.fact("Amount", transfer.amount);
    view.fact("Payer", &transfer.debtor_name);
    view.fact_opt("Payer account", transfer.debtor.map(|iban| iban.printed()));
    view.fact_opt("Payer's bank", transfer.debtor_agent.as_ref().map(|bic| bic.as_str()));
    view.fact("Payee", &transfer.creditor_name);
    view.fact("Payee account", &transfer.creditor);
    view.fact_opt("Remittance information", transfer.remittance.as_ref());
    view.fact_opt("Creditor reference", transfer.creditor_reference.as_ref());
    view.fact_opt("End-to-end id", transfer.end_to_end_id.as_ref());
    view.fact("Message id", &record.message_id);
    view.fact("Transaction id", &transfer.id);
    view.day("Settlement date", record.received.settlement_day);
    view.time("Received", record.received_at);
    view.fact_opt("Not booked because", record.reason.as_ref().map(|reason| reason.as_str()));
    if record.excess_minor.is_some() {
        view.fact("Part that was not booked", record.suspended_amount());
    }
    if let Some(decision) = &record.decision {
        view.time("Decided", decision.at);
        view.fact("Decided by", &decision.by);
        view.fact_opt("Assigned to", decision.assigned_to.as_ref());
    }
    if record.state == IncomingState::Suspended {
        for action in [StaffAction::ClearingReturn, StaffAction::ClearingMatch] {
            view.action(context, action, [("transfer", id.to_string())]);
        }
    }
    if let Ok(iban) = Iban::parse(&transfer.creditor) {
        view.relate("payee account", tx.search_by_iban(&iban)?);
    }
    let texts = [transfer.creditor_reference.as_deref(), transfer.remittance.as_deref()];
    let reference = texts.into_iter().flatten().find_map(CreditorReference::find_in);
    if let Some(reference) = reference
        && let Some(loan) = tx.loan_by_reference(&reference)?
    {
        let (label, status) = (loan.amount.to_string(), loan.state.name().to_owned());
        view.relate("loan", [SearchHit { kind: SearchKind::Loan, id: loan.id.uuid(), label, status }]);
    }
    if let Some(batch) = tx.incoming_batch(record.id)? {
        view.relate_one(tx, "returned in batch", SearchKind::ClearingBatch, batch.uuid())?;
    }
    Ok(Some(view))
}
