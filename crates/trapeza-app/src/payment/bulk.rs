//! Bulk payments: what is new about their creation, and reading them. They are authorised and cancelled like other payments.

use super::{PathPayment, not_found, parse};
use crate::authentication::Tpp;
use crate::{App, UseCaseError};
use trapeza_domain::audit_event::AuditEvent;
use trapeza_domain::field::{Field, FieldPath};
use trapeza_domain::payment::{
    BulkOrder, MAX_BULK_LINES, NewPayment, Payment, PaymentInstruction, PaymentProduct, PaymentRejection,
};
use trapeza_domain::refusal::{FieldErrors, Refusal};

/// A bulk payment with its lines in their order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BulkPayment {
    pub payment: Payment,
    pub lines: Vec<PaymentInstruction>,
}

/// A line of a bulk payment that was rejected.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RejectedLine {
    /// From 1, in the order of the lines.
    pub number: u32,
    pub end_to_end_id: Option<String>,
    pub rejection: PaymentRejection,
}

impl App {
    /// The payment of a bulk order with its lines, and its audit event.
    pub(crate) fn new_bulk(
        &self,
        tpp: &Tpp,
        psu: String,
        mut order: BulkOrder,
    ) -> Result<(Payment, Vec<PaymentInstruction>, AuditEvent), Refusal> {
        let (settings, mut errors) = (&self.settings.payments, FieldErrors::default());
        for (index, line) in order.lines.iter_mut().enumerate() {
            if line.product == PaymentProduct::InternalTransfers
                && settings.routing.is_other_bank(&line.creditor)
            {
                let path = [Field::CreditorAccount, Field::Iban];
                let path = FieldPath::from(path).inside(Field::Payments.element(index));
                errors.add(path, "must be an IBAN of this bank; use sepa-credit-transfers for other banks");
            }
            // Within the bank a payment is booked on the spot, whatever the third party calls it.
            if settings.routing.is_own(&line.creditor) {
                line.product = PaymentProduct::InternalTransfers;
            }
        }
        errors.finish()?;
        let hash = |pan: &_| self.keyring.pan_hash(pan);
        let stored = order.instructions(|line| line.instruction(&settings.fees, hash));
        let (instruction, lines) =
            stored.ok_or_else(|| Refusal::malformed(Field::Payments, "must be payable in one sum"))?;
        let new = NewPayment { id: self.payment_id(), application: tpp.application, psu, now: self.now() };
        let (payment, event) = Payment::initiate(new, instruction);
        let event = event.with("lines", lines.len());
        Ok((payment, lines, event))
    }

    /// A bulk payment of the third party as of now, with its lines. Under the path of another product it is refused.
    pub async fn bulk_payment_find(
        &self,
        tpp: &Tpp,
        product: PaymentProduct,
        id: &str,
    ) -> Result<BulkPayment, UseCaseError> {
        let (application, id, now) = (tpp.application, parse(id)?, self.now());
        self.store
            .read(move |tx| {
                let found = tx.payment_find(application, id)?;
                let payment = found.ok_or_else(not_found)?;
                PathPayment { product, is_bulk: true }.check(&payment)?;
                let lines = tx.bulk_line_list(&payment, MAX_BULK_LINES)?;
                Ok(BulkPayment { payment: payment.as_of(now), lines })
            })
            .await
    }

    /// The rejected lines of a bulk payment, in their order. Where the bulk was rejected as a whole, that is every line.
    pub async fn bulk_rejected_lines(&self, bulk: BulkPayment) -> Result<Vec<RejectedLine>, UseCaseError> {
        let (application, id) = (bulk.payment.application, bulk.payment.id);
        let rejected = self.store.read(move |tx| Ok(tx.bulk_rejected_list(application, id)?)).await?;
        if let (true, Some(rejection)) = (rejected.is_empty(), bulk.payment.state.rejection()) {
            let each = bulk.lines.into_iter().zip(1..);
            return Ok(each
                .map(|(line, number)| RejectedLine { number, end_to_end_id: line.end_to_end_id, rejection })
                .collect());
        }
        let each = rejected.into_iter().filter_map(|line| {
            let rejection = line.state.rejection()?;
            let (number, end_to_end_id) = (line.execution_number, line.instruction.end_to_end_id);
            Some(RejectedLine { number, end_to_end_id, rejection })
        });
        Ok(each.collect())
    }
}
