//! Payments of loans by transfer to the bank's collection account. The remittance information names the loan by its creditor
//! reference. The money is booked on the suspense account first, and assigned to the loan in the same transaction.

use super::admin::lock_loan;
use super::servicing::{parties, post_interest, update_and_reschedule};
use crate::ledger::{self, Posting, PostingDetail};
use crate::{StoreError, UseCaseError, audit};
use trapeza_domain::audit_event::Actor;
use trapeza_domain::id::LoanId;
use trapeza_domain::ledger::posting::{Amounts, LedgerEvent};
use trapeza_domain::loan::{Allocation, InstallmentState, Loan, LoanState};
use trapeza_domain::money::Money;
use trapeza_domain::reference::{CreditorReference, Iban};
use trapeza_domain::time::{Date, Timestamp};
use trapeza_store::Tx;

/// How a loan is paid by transfer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TransferInstructions {
    /// The bank's collection account.
    pub iban: Iban,
    pub reference: CreditorReference,
}

impl TransferInstructions {
    pub(crate) fn new(iban: Iban, loan: LoanId) -> Self {
        Self { iban, reference: CreditorReference::from_uuid(loan.uuid()) }
    }
}

/// A transfer that names a loan of which something is owed, with its effect on the loan's installments.
#[derive(Clone)]
pub(crate) struct LoanTransfer {
    loan: Loan,
    installments: Vec<InstallmentState>,
    allocation: Allocation,
    value_day: Date,
}

/// Who paid, when, and the id of the payment.
pub(crate) struct TransferContext<'a> {
    pub actor: Actor,
    pub reference: &'a str,
    pub now: Timestamp,
    pub today: Date,
}

impl LoanTransfer {
    /// Finds and locks the loan that one of the remittance texts names. `None` when nothing is owed on such a loan in
    /// the currency of the amount.
    pub(crate) fn find(
        tx: &mut Tx<'_>,
        remittance: &[Option<&str>],
        amount: Money,
        value_day: Date,
    ) -> Result<Option<Self>, StoreError> {
        for reference in remittance.iter().flatten().filter_map(|text| CreditorReference::find_in(text)) {
            let Some(loan) = tx.loan_lock_by_reference(&reference)? else { continue };
            let found = Self::allocate(tx, loan, amount, value_day)?;
            if found.is_some() {
                return Ok(found);
            }
        }
        Ok(None)
    }

    /// The same for the loan with this id.
    pub(crate) fn find_by_id(
        tx: &mut Tx<'_>,
        id: LoanId,
        amount: Money,
        value_day: Date,
    ) -> Result<Option<Self>, UseCaseError> {
        let loan = lock_loan(tx, id)?;
        Ok(Self::allocate(tx, loan, amount, value_day)?)
    }

    fn allocate(
        tx: &mut Tx<'_>,
        loan: Loan,
        amount: Money,
        value_day: Date,
    ) -> Result<Option<Self>, StoreError> {
        if loan.amount.currency != amount.currency || !has_borrower(&loan) {
            return Ok(None);
        }
        let mut installments = tx.loan_installment_list(loan.id)?;
        let allocation = loan.allocate(&mut installments, amount.minor, value_day);
        Ok(allocation.map(|allocation| Self { loan, installments, allocation, value_day }))
    }

    /// The same for another amount in the same currency that follows on the same day. `None` when this transfer ends the loan.
    pub(crate) fn followed_by(&self, minor: i64) -> Option<Self> {
        let (loan, _) = self.loan.clone().pay(self.allocation.principal_minor, self.loan.last_action).ok()?;
        let mut installments = self.installments.clone();
        let allocation = loan.allocate(&mut installments, minor, self.value_day)?;
        Some(Self { loan, installments, allocation, value_day: self.value_day })
    }

    /// What the transfer would pay, for an approval.
    pub(crate) fn approved_state(&self) -> String {
        format!("{:?} {:?}", self.loan.id, self.allocation)
    }

    pub(crate) fn loan_id(&self) -> LoanId {
        self.loan.id
    }

    /// The part of the amount that is more than is owed.
    pub(crate) fn excess_minor(&self) -> i64 {
        self.allocation.excess_minor
    }

    /// Assigns the money, which is on the suspense account, to the loan, except the excess.
    pub(crate) fn assign(self, tx: &mut Tx<'_>, context: &TransferContext<'_>) -> Result<(), UseCaseError> {
        let Self { loan, installments, allocation, value_day } = self;
        let &TransferContext { actor, reference, now, today } = context;
        post_interest(tx, &loan, LedgerEvent::InterestDue, allocation.accrued_minor, value_day, today)?;
        post_interest(tx, &loan, LedgerEvent::InterestWaived, allocation.waived_minor, value_day, today)?;
        let amount = Amounts::of(Money::new(allocation.principal_minor, loan.amount.currency));
        let posting = Posting {
            event: LedgerEvent::LoanTransferAssigned,
            parties: parties(tx, &loan, None)?,
            amounts: amount.interest(allocation.interest_minor),
            reference: reference.to_owned(),
            booking_day: today,
            value_day,
            detail: PostingDetail::None,
        };
        ledger::post(tx, &[posting])?.map_err(StoreError::internal)?;
        for one in &installments {
            tx.loan_installment_update(loan.id, one)?;
        }
        let (paid, event) = loan.pay(allocation.principal_minor, now)?;
        let event = event.with("interest_minor", allocation.interest_minor).with("transfer", reference);
        audit::record(tx, now, actor, &event)?;
        update_and_reschedule(tx, paid, &installments, now, today)
    }
}

/// A simulated loan has no borrower and is never repaid.
fn has_borrower(loan: &Loan) -> bool {
    matches!(&loan.state, LoanState::Granted { contract, .. } if contract.borrower.is_some())
}
