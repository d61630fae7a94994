//! A customer's loans in the bank's app. Early repayment and withdrawal are in `ending`.

use super::TransferInstructions;
use super::admin::{LoanDetail, refund_payments};
use super::forbearance_view::{self, ForbearanceView};
use crate::{App, StoreError, UseCaseError, merchant_terms};
use trapeza_domain::credit_document::DocumentKind;
use trapeza_domain::id::{LoanId, PsuId};
use trapeza_domain::loan::{Loan, LoanState};
use trapeza_domain::reference::Iban;
use trapeza_domain::time::Date;
use trapeza_store::Tx;

/// How many loans the app shows, newest first.
const SHOWN: i64 = 50;

/// A loan with its merchant and order.
#[derive(Clone, Debug)]
pub struct CustomerLoan {
    pub detail: LoanDetail,
    pub merchant: String,
    pub order: String,
    /// The last day of the withdrawal period, while it has not passed.
    pub withdrawable_until: Option<Date>,
    /// How it is paid by transfer, while something is owed.
    pub transfer: Option<TransferInstructions>,
    /// The documents that the borrower can download.
    pub documents: Vec<DocumentKind>,
    pub forbearance: ForbearanceView,
}

impl App {
    /// The loans that were granted to a customer, whichever telephone number they used.
    pub async fn customer_loan_list(&self, psu: PsuId) -> Result<Vec<CustomerLoan>, UseCaseError> {
        let (today, collection) = (self.clock.today(), self.settings.payments.collection);
        self.store
            .read(move |tx| {
                let mut own = Vec::new();
                for loan in tx.loan_list_by_psu(psu, SHOWN)? {
                    own.push(customer_loan(tx, loan, collection, today)?);
                }
                Ok(own)
            })
            .await
    }

    /// One loan of a customer.
    pub async fn customer_loan_find(
        &self,
        psu: PsuId,
        id: &str,
    ) -> Result<Option<CustomerLoan>, UseCaseError> {
        let (today, collection) = (self.clock.today(), self.settings.payments.collection);
        let Some(id) = LoanId::parse(id) else { return Ok(None) };
        self.store
            .read(move |tx| match tx.loan_by_id(id)? {
                Some(loan) if is_of(tx, &loan, psu)? => Ok(Some(customer_loan(tx, loan, collection, today)?)),
                _ => Ok(None),
            })
            .await
    }
}

/// The view of a loan for its borrower.
pub(super) fn customer_loan(
    tx: &mut Tx<'_>,
    loan: Loan,
    collection: Option<Iban>,
    today: Date,
) -> Result<CustomerLoan, StoreError> {
    let merchant = merchant_terms::merchant(tx, loan.merchant)?.name;
    let order = tx.basket_find(loan.merchant, loan.basket)?.map(|basket| basket.order.order_identifier);
    let installments = tx.loan_installment_list(loan.id)?;
    let payoff_quote = loan.payoff_quote(&installments, today);
    let may_withdraw = payoff_quote.is_some() && loan.repay_by().is_none();
    let withdrawable_until = loan.withdrawable_until().filter(|last| may_withdraw && today <= *last);
    let transfer = collection.filter(|_| payoff_quote.is_some());
    let transfer = transfer.map(|iban| TransferInstructions::new(iban, loan.id));
    let refunds = tx.refund_list(loan.id)?;
    let (refund_payments, payable_minor) = refund_payments(tx, &loan)?;
    let forbearance = forbearance_view::view(tx, &loan, &installments)?;
    let detail = LoanDetail { loan, installments, refunds, refund_payments, payable_minor, payoff_quote };
    let (order, documents) = (order.unwrap_or_default(), tx.loan_document_kinds(detail.loan.id)?);
    Ok(CustomerLoan { detail, merchant, order, withdrawable_until, transfer, documents, forbearance })
}

/// Whether a loan was granted to this customer: signed in, or as a guest with a telephone number that is linked to them.
pub(super) fn is_of(tx: &mut Tx<'_>, loan: &Loan, psu: PsuId) -> Result<bool, StoreError> {
    let LoanState::Granted { contract, .. } = &loan.state else { return Ok(false) };
    let Some(borrower) = contract.borrower else { return Ok(false) };
    // Another customer may have the same telephone number.
    if borrower.psu.is_some() {
        return Ok(borrower.psu == Some(psu));
    }
    let shopper = tx.shopper_find(borrower.shopper)?;
    Ok(shopper.is_some_and(|shopper| shopper.psu == Some(psu)))
}
