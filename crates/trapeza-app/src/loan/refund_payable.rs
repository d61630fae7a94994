//! Refunds that stayed payable: no payment reached the accounts that paid, so an operator names another account of the borrower.
//!
//! The whole payable amount is sent, under the lock of the loan, so that a repeated command finds nothing payable. When clearing
//! rejects or returns the payment, the amount is payable again.

use super::admin::{lock_loan, refund_payments};
use super::refund_payout::RefundPayout;
use crate::payment::bank_payment::PayoutContext;
use crate::{App, Required, UseCaseError, audit, merchant_terms};
use trapeza_domain::audit_event::AuditEvent;
use trapeza_domain::field::Field;
use trapeza_domain::id::LoanId;
use trapeza_domain::loan::Loan;
use trapeza_domain::payment::{PayeeAccount, Payment};
use trapeza_domain::reference::Iban;
use trapeza_domain::refusal::{Refusal, RefusalReason};
use trapeza_store::{RefundRecord, Tx};
use trapeza_texts::statement::BookingText;

impl App {
    /// Pays what is payable to the borrower of a loan to an account, as automatic refunds are paid.
    pub async fn loan_refund_payout(&self, id: LoanId, payee: PayeeAccount) -> Result<Payment, UseCaseError> {
        let context = self.payout_context(audit::current_actor());
        self.store.write(move |tx| refund_payout(tx, id, &payee, &context)).await
    }
}

/// Refuses a payee that no payment can name, and every payout of a bank without a collection account.
pub(crate) fn refund_payout_check(payee: &PayeeAccount, collection: Option<Iban>) -> Result<(), Refusal> {
    PayeeAccount::validate_name(&payee.name).map_err(|text| Refusal::malformed(Field::Name, text))?;
    if collection.is_none() {
        return Err(invalid_status(
            "bank.collection_iban is not set; there is no account that the payment could come from",
        ));
    }
    Ok(())
}

/// The amount that is payable, for an approval.
pub(crate) fn refund_payout_approved_state(tx: &mut Tx<'_>, id: LoanId) -> Result<String, UseCaseError> {
    let loan = lock_loan(tx, id)?;
    let (refund, minor) = payable_refund(tx, &loan)?;
    Ok(format!("{id} {} {minor}", refund.id))
}

/// Pays what is payable to the borrower of a loan.
pub(crate) fn refund_payout(
    tx: &mut Tx<'_>,
    id: LoanId,
    payee: &PayeeAccount,
    context: &PayoutContext,
) -> Result<Payment, UseCaseError> {
    refund_payout_check(payee, context.collection)?;
    let loan = lock_loan(tx, id)?;
    let (refund, minor) = payable_refund(tx, &loan)?;
    let merchant = merchant_terms::merchant(tx, loan.merchant)?.name;
    let payment = context.payment;
    let payout = RefundPayout {
        refund: refund.id,
        loan: &loan,
        minor,
        remittance: BookingText::Refund { merchant }.to_stored(),
        payments: &[],
        context: context.bank_payment(),
    };
    if !payout.send_to(tx, payment, payee)? {
        return Err(invalid_status("no payment reaches this account: its bank is unknown (give its BIC), or it is an account of this bank that cannot be used").into());
    }
    let event = AuditEvent::new("loan.refund_paid_out", "loan", id);
    let event = event.with("refund", refund.id).with("payment", payment).with("amount_minor", minor);
    audit::record(tx, context.now, context.actor, &event)?;
    let (payments, _) = refund_payments(tx, &loan)?;
    Ok(payments.into_iter().find(|sent| sent.id == payment).required("payment")?)
}

/// The last refund of a locked loan, and what is payable.
fn payable_refund(tx: &mut Tx<'_>, loan: &Loan) -> Result<(RefundRecord, i64), UseCaseError> {
    let (_, minor) = refund_payments(tx, loan)?;
    let refund = tx.refund_list(loan.id)?.pop().filter(|_| minor > 0);
    Ok((refund.ok_or_else(|| invalid_status("nothing is payable to the borrower of this loan"))?, minor))
}

fn invalid_status(text: &str) -> Refusal {
    Refusal::new(RefusalReason::StatusInvalid, text.to_owned())
}
