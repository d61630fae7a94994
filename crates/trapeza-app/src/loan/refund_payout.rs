//! Refunds to borrowers without an account here: what they paid by transfer goes back to the accounts that paid, by SEPA credit
//! transfer or, for payers of this bank, by internal transfer. What cannot be sent stays on the loan's credit account, where the
//! operator sees it.

use crate::payment::bank_payment::{BankPayer, BankPayment, BankPaymentContext, Route};
use crate::{StoreError, UseCaseError, audit};
use trapeza_domain::audit_event::{Actor, AuditEvent};
use trapeza_domain::id::{PaymentId, RefundId};
use trapeza_domain::ledger::{LedgerAccountId, LedgerAccountKind};
use trapeza_domain::loan::Loan;
use trapeza_domain::money::Money;
use trapeza_domain::payment::PayeeAccount;
use trapeza_store::{LoanPayer, RefundPayment, Tx};

/// Maximum number of accounts that a refund goes back to.
pub(super) const MAX_PAYERS: usize = 8;

/// An amount that goes back, and what its payments need.
pub(super) struct RefundPayout<'a> {
    pub refund: RefundId,
    pub loan: &'a Loan,
    pub minor: i64,
    /// The text on the payees' statements.
    pub remittance: String,
    /// Ids for the payments.
    pub payments: &'a [PaymentId],
    pub context: BankPaymentContext<'a>,
}

/// The account of what the bank owes to the borrower of a loan who has no account here.
pub(super) fn credit_account(tx: &mut Tx<'_>, loan: &Loan) -> Result<LedgerAccountId, StoreError> {
    let owner = Some(loan.id.uuid());
    tx.ledger_account_find_or_insert(LedgerAccountKind::Customer, owner, loan.amount.currency, 0)
}

/// What is on that account and is not being sent: the operator must pay it back in another method.
pub(crate) fn payable_minor(tx: &mut Tx<'_>, loan: &Loan) -> Result<i64, StoreError> {
    let (kind, owner) = (LedgerAccountKind::Customer, Some(loan.id.uuid()));
    let Some(id) = tx.ledger_account_by_owner(kind, owner, loan.amount.currency)? else { return Ok(0) };
    let balance = tx.ledger_account_find(id)?.and_then(|account| account.statement);
    Ok(balance.map_or(0, |balance| balance.booked - balance.held))
}

impl RefundPayout<'_> {
    /// Sends the amount, which is on the credit account, to the accounts that paid: to the last payer first, and to none more than
    /// it paid.
    pub(super) fn send(&self, tx: &mut Tx<'_>) -> Result<(), UseCaseError> {
        let mut left = self.minor;
        let max = i64::try_from(MAX_PAYERS).unwrap_or(i64::MAX);
        let payers = tx.loan_payer_list(self.loan.id, max)?;
        for (payer, id) in payers.into_iter().zip(self.payments) {
            let part = left.min(payer.paid.minor - payer.returned_minor);
            if part <= 0 {
                continue;
            }
            let payee =
                PayeeAccount { iban: payer.iban, name: payer.name.clone(), agent: payer.agent.clone() };
            let amount = Money::new(part, payer.paid.currency);
            let route = self.context.route(tx, &payee, amount.currency, payer.own_agent.clone())?;
            let Some(route) = route else { continue };
            self.pay(tx, *id, &payee, amount, route)?;
            tx.loan_payer_update(&LoanPayer { returned_minor: payer.returned_minor + part, ..payer })?;
            left -= part;
        }
        if left > 0 {
            let event = AuditEvent::new("loan.refund_payable", "loan", self.loan.id);
            let event = event.with("refund", self.refund).with("amount_minor", left);
            audit::record(tx, self.context.now, Actor::Bank, &event)?;
        }
        Ok(())
    }

    /// Sends the whole amount to an account that the operator names. False when no payment reaches it.
    pub(super) fn send_to(
        &self,
        tx: &mut Tx<'_>,
        id: PaymentId,
        payee: &PayeeAccount,
    ) -> Result<bool, UseCaseError> {
        let amount = Money::new(self.minor, self.loan.amount.currency);
        let route = self.context.route(tx, payee, amount.currency, None)?;
        let Some(route) = route else { return Ok(false) };
        self.pay(tx, id, payee, amount, route)?;
        Ok(true)
    }

    fn pay(
        &self,
        tx: &mut Tx<'_>,
        id: PaymentId,
        payee: &PayeeAccount,
        amount: Money,
        route: Route,
    ) -> Result<(), UseCaseError> {
        let order = BankPayment {
            id,
            payer: BankPayer::Borrower(credit_account(tx, self.loan)?),
            payee,
            amount,
            cause: ("refund", self.refund.uuid()),
            remittance: &self.remittance,
        };
        self.context.pay(tx, &order, route)?.map_err(StoreError::internal)?;
        Ok(tx.refund_payment_insert(&RefundPayment {
            payment: id,
            refund: self.refund,
            loan: self.loan.id,
        })?)
    }
}
