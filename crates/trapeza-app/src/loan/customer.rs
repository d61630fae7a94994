//! A customer's loans in the bank's app: the debt, early repayment and withdrawal.

use super::TransferInstructions;
use super::admin::{End, LoanDetail, end};
use super::servicing::payer;
use crate::{App, StoreError, UseCaseError, credit, merchant_terms};
use trapeza_domain::audit_event::Actor;
use trapeza_domain::field::Field;
use trapeza_domain::id::{LoanId, PsuId};
use trapeza_domain::loan::{Loan, LoanState, PayoffQuote};
use trapeza_domain::reference::Iban;
use trapeza_domain::refusal::{Refusal, RefusalReason};
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
}

impl App {
    /// The loans that were granted to a customer, whichever telephone number they used.
    pub async fn customer_loan_list(&self, psu: PsuId) -> Result<Vec<CustomerLoan>, UseCaseError> {
        let (today, collection) = (self.clock.today(), self.settings.payments.collection);
        self.store
            .read(move |tx| {
                let mut own = Vec::new();
                for loan in tx.loan_list_by_psu(psu, SHOWN)? {
                    own.push(shown(tx, loan, collection, today)?);
                }
                Ok(own)
            })
            .await
    }

    /// Repays the whole debt now.
    pub async fn customer_loan_repay(&self, psu: PsuId, id: &str) -> Result<PayoffQuote, UseCaseError> {
        self.own_loan_end(psu, id, End::Repaid).await
    }

    /// Withdraws from the loan.
    pub async fn customer_loan_withdraw(&self, psu: PsuId, id: &str) -> Result<PayoffQuote, UseCaseError> {
        self.own_loan_end(psu, id, End::Withdrawn).await
    }

    async fn own_loan_end(&self, psu: PsuId, id: &str, how: End) -> Result<PayoffQuote, UseCaseError> {
        let not_found = || Refusal::at(RefusalReason::ResourceUnknown, Field::LoanId, "unknown loan");
        let (id, now) = (LoanId::parse(id).ok_or_else(not_found)?, self.now());
        let (today, bank_name) = (self.clock.zone().day(now), self.bank_name().clone());
        self.store
            .write(move |tx| {
                let loan = tx.loan_by_id(id)?.ok_or_else(not_found)?;
                let loan = tx.loan_lock(loan.merchant, id)?.ok_or_else(not_found)?;
                if !is_of(tx, &loan, psu)? {
                    return Err(not_found().into());
                }
                // A purchase without a sign-in has no linked account, so it is paid from the customer's account.
                let payer = match payer(tx, &loan)? {
                    Some(account) => Some(account),
                    None => credit::collection_account(tx, psu, loan.amount.currency)?,
                };
                end(tx, loan, how, (Actor::Psu(psu), payer), &bank_name, (now, today))
            })
            .await
    }
}

/// The view of a loan for its borrower.
pub(super) fn shown(
    tx: &mut Tx<'_>,
    loan: Loan,
    collection: Option<Iban>,
    today: Date,
) -> Result<CustomerLoan, StoreError> {
    let merchant = merchant_terms::merchant(tx, loan.merchant)?.name;
    let order = tx.basket_find(loan.merchant, loan.basket)?.map(|basket| basket.order.order_identifier);
    let progress = tx.loan_installment_list(loan.id)?;
    let closing = loan.payoff_quote(&progress, today);
    let may_withdraw = closing.is_some() && loan.repay_by().is_none();
    let withdrawable_until = loan.withdrawable_until().filter(|last| may_withdraw && today <= *last);
    let transfer = collection.filter(|_| closing.is_some());
    let transfer = transfer.map(|iban| TransferInstructions::new(iban, loan.id));
    let refunds = tx.refund_list(loan.id)?;
    let detail = LoanDetail { loan, progress, refunds, closing };
    Ok(CustomerLoan { detail, merchant, order: order.unwrap_or_default(), withdrawable_until, transfer })
}

/// Whether a loan was granted to this customer: signed in, or with a telephone number that is linked to them.
fn is_of(tx: &mut Tx<'_>, loan: &Loan, psu: PsuId) -> Result<bool, StoreError> {
    let LoanState::Granted { contract, .. } = &loan.state else { return Ok(false) };
    let Some(borrower) = contract.borrower else { return Ok(false) };
    let customer = tx.shopper_find(borrower.shopper)?;
    Ok(borrower.psu == Some(psu) || customer.is_some_and(|customer| customer.psu == Some(psu)))
}
