//! Collects the inputs of a credit decision. The rules are the domain's.

use crate::merchant_terms::merchant;
use crate::{Required, StoreError, UseCaseError};
use trapeza_domain::account::{Account, AccountKind, AccountStatus};
use trapeza_domain::basket::Basket;
use trapeza_domain::credit::{
    CreditDecision, CreditInputs, INFLOW_MONTHS, LATE_WINDOW_DAYS, VELOCITY_WINDOW, days_late,
};
use trapeza_domain::id::{LoanReviewId, PsuId, ShopperId};
use trapeza_domain::installment::Installment;
use trapeza_domain::loan::{Borrower, DeclaredIncome};
use trapeza_domain::money::Currency;
use trapeza_domain::time::{Date, Timestamp};
use trapeza_store::{IncomeQuery, Tx};

/// The person who applies for the credit.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Applicant {
    pub shopper: ShopperId,
    /// The customer who signed in at this checkout.
    pub psu: Option<PsuId>,
    /// Whether installments can be paid by transfer.
    pub pays_by_transfer: bool,
    /// What the applicant declared to earn and to spend.
    pub declared: Option<DeclaredIncome>,
}

/// What is known about an applicant, for the decision about any plan.
pub(crate) struct Assessment {
    /// The inputs of the rules; the monthly amount is that of other loans.
    inputs: CreditInputs,
    pub borrower: Borrower,
    /// The approval of a person that the decision may be based on.
    approval: Option<LoanReviewId>,
}

impl Assessment {
    /// Concurrent decisions about the same person wait until this transaction ends.
    pub(crate) fn load_locked(
        tx: &mut Tx<'_>,
        basket: &Basket,
        applicant: Applicant,
        time: (Timestamp, Date),
    ) -> Result<Self, UseCaseError> {
        tx.shopper_lock(applicant.shopper, applicant.psu)?.required("shopper")?;
        Self::load(tx, basket, applicant, time)
    }

    pub(crate) fn load(
        tx: &mut Tx<'_>,
        basket: &Basket,
        applicant: Applicant,
        (now, today): (Timestamp, Date),
    ) -> Result<Self, UseCaseError> {
        let Applicant { shopper: id, psu, pays_by_transfer, declared } = applicant;
        let shopper = tx.shopper_find(id)?.required("shopper")?;
        let (amount, currency) = (basket.order.value, basket.order.value.currency);
        // A guest has the figures of the customer with this telephone number, too.
        let person = psu.or(shopper.psu);
        let account = match psu {
            Some(psu) => collection_account(tx, psu, currency)?,
            None => None,
        };
        let since = Date(today.0 - LATE_WINDOW_DAYS);
        let late = tx.shopper_late_installments(id, person, since, today)?;
        let late = late.iter().map(|row| days_late(row.payment_date, row.paid_on, today));
        let approval = tx.loan_review_approval(id, person, currency, today)?;
        let inputs = CreditInputs {
            amount,
            limits: merchant(tx, basket.merchant)?.limits,
            phone_blocked: shopper.blocked,
            days_late: late.max().unwrap_or_default(),
            open_minor: tx.shopper_open_principal(id, person, currency)?,
            recent: tx.shopper_recent_loan_count(id, person, now.minus(VELOCITY_WINDOW))?,
            linked: account.is_some(),
            pays_by_transfer,
            monthly_minor: tx.shopper_monthly_commitment(id, person, currency)?,
            inflow_minor: match (&account, psu) {
                (Some(account), Some(owner)) => {
                    let since = today.plus_months(-INFLOW_MONTHS);
                    tx.income_sum(IncomeQuery { account: account.ledger, owner, since })?
                }
                _ => 0,
            },
            declared,
            reviewed_minor: approval.map(|(_, minor)| minor),
        };
        let borrower = Borrower { shopper: id, psu, account: account.map(|account| account.id) };
        Ok(Self { inputs, borrower, approval: approval.map(|(id, _)| id) })
    }

    /// The approval of a person, if it covers the amount.
    pub(crate) fn covering_approval(&self) -> Option<LoanReviewId> {
        self.approval.filter(|_| self.inputs.is_reviewed())
    }

    /// Decides about a plan by the rules.
    pub(crate) fn decide(&self, schedule: &[Installment]) -> CreditDecision {
        let largest = schedule.iter().map(Installment::amount_minor).max().unwrap_or_default();
        let monthly_minor = self.inputs.monthly_minor.saturating_add(largest);
        CreditInputs { monthly_minor, ..self.inputs }.evaluate()
    }
}

/// The account that installments are collected from: the oldest current account in that currency that can be used.
pub(crate) fn collection_account(
    tx: &mut Tx<'_>,
    psu: PsuId,
    currency: Currency,
) -> Result<Option<Account>, StoreError> {
    let usable = |account: &Account| {
        account.kind == AccountKind::Current
            && account.status == AccountStatus::Enabled
            && account.currency == currency
    };
    Ok(tx.account_list(psu)?.into_iter().find(usable))
}
