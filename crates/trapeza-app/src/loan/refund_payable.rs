//! Refunds that stayed payable: no payment reached the accounts that paid, so an operator names another account of the borrower.
//!
//! The whole payable amount is sent, under the lock of the loan, so that a repeated command finds nothing payable. When clearing
//! rejects or returns the payment, the amount is payable again.

use super::admin::{locked, refund_payments};
use super::refund_payout::RefundPayout;
use crate::payment::bank_payment::BankPaymentContext;
use crate::{App, Required, UseCaseError, audit, merchant_terms};
use trapeza_domain::audit_event::AuditEvent;
use trapeza_domain::field::Field;
use trapeza_domain::id::LoanId;
use trapeza_domain::payment::{PayeeAccount, Payment};
use trapeza_domain::refusal::{Refusal, RefusalReason};
use trapeza_texts::statement::BookingText;

impl App {
    /// Pays what is payable to the borrower of a loan to an account, as automatic refunds are paid.
    pub async fn loan_refund_payout(&self, id: LoanId, payee: PayeeAccount) -> Result<Payment, UseCaseError> {
        let now = self.now();
        let (today, bank_name, operator) =
            (self.clock.zone().day(now), self.bank_name().clone(), audit::operator());
        let payment = self.payment_id();
        let (routing, collection) =
            (self.settings.payments.routing.clone(), self.settings.payments.collection);
        let no = |text: &str| Refusal::new(RefusalReason::StatusInvalid, text.to_owned());
        PayeeAccount::validate_name(&payee.name).map_err(|text| Refusal::malformed(Field::Name, text))?;
        if collection.is_none() {
            return Err(no(
                "bank.collection_iban is not set; there is no account that the payment could come from",
            )
            .into());
        }
        self.store
            .write(move |tx| {
                let loan = locked(tx, id)?;
                let (_, minor) = refund_payments(tx, &loan)?;
                let refund = tx.refund_list(id)?.pop().filter(|_| minor > 0);
                let refund = refund.ok_or_else(|| no("nothing is payable to the borrower of this loan"))?;
                let merchant = merchant_terms::merchant(tx, loan.merchant)?.name;
                let payout = RefundPayout {
                    refund: refund.id,
                    loan: &loan,
                    minor,
                    remittance: BookingText::Refund { merchant }.to_stored(),
                    payments: &[],
                    context: BankPaymentContext {
                        routing: &routing,
                        collection,
                        bank_name: &bank_name,
                        now,
                        today,
                    },
                };
                if !payout.send_to(tx, payment, &payee)? {
                    return Err(no("no payment reaches this account: its bank is unknown (give its BIC), or it is an account of this bank that cannot be used").into());
                }
                let event = AuditEvent::new("loan.refund_paid_out", "loan", id);
                let event = event.with("refund", refund.id).with("payment", payment).with("amount_minor", minor);
                audit::record(tx, now, operator, &event)?;
                let (payments, _) = refund_payments(tx, &loan)?;
                Ok(payments.into_iter().find(|sent| sent.id == payment).required("payment")?)
            })
            .await
    }
}
