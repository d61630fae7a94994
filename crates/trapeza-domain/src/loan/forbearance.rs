//! Forbearance: what the bank offers to a borrower who cannot pay as agreed, before it enforces anything (Directive (EU) 2023/2225,
//! Art. 35). A pause moves all open installments by a month; a longer plan spreads the open principal over twice as many. Neither
//! costs the borrower anything.

use super::{InstallmentState, Loan, LoanState, RepaymentStatus, Transition};
use crate::calendar::next_target_day;
use crate::installment::Installment;
use crate::refusal::{Refusal, RefusalReason};
use crate::time::{Date, Timestamp};

/// How many days after the contract the borrower is reminded of the right of withdrawal (Art. 26).
const REMINDER_AFTER_DAYS: i32 = 1;

/// What servicing did for a loan, and when.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ServicingDates {
    /// The borrower was reminded of the right of withdrawal.
    pub reminded_on: Option<Date>,
    /// Forbearance was offered.
    pub offered_on: Option<Date>,
    /// The installments were paused.
    pub paused_on: Option<Date>,
    /// The plan was made longer.
    pub extended_on: Option<Date>,
}

impl Loan {
    /// The day from which on the borrower is to be reminded of the right of withdrawal.
    pub fn reminder_due(&self) -> Option<Date> {
        let LoanState::Granted { contract, repayment, repay_by: None, .. } = &self.state else { return None };
        let is_pending =
            self.dates.reminded_on.is_none() && repayment.is_open() && contract.borrower.is_some();
        is_pending.then_some(Date(contract.signed.0 + REMINDER_AFTER_DAYS))
    }

    /// The borrower was reminded, or the right of withdrawal has ended before.
    pub fn remind(mut self, today: Date) -> Self {
        self.dates.reminded_on = Some(today);
        self
    }

    /// Forbearance is offered to a borrower in arrears, once for each time of arrears.
    pub fn offer_forbearance(mut self, today: Date, now: Timestamp) -> Transition {
        self.dates.offered_on = Some(today);
        self.last_action = now;
        let event = self.event("loan.forbearance_offered");
        (self, event)
    }

    /// Whether the borrower can pause the loan: once, when an installment is overdue or could not be collected.
    pub fn is_pausable(&self, installments: &[InstallmentState]) -> bool {
        let LoanState::Granted { repayment, repay_by: None, .. } = &self.state else { return false };
        let failed = installments.iter().any(|one| one.settled.is_none() && one.attempts > 0);
        let is_late = failed || matches!(repayment, RepaymentStatus::Overdue { .. });
        repayment.is_open() && is_late && self.dates.paused_on.is_none()
    }

    /// Whether the borrower can ask for a longer plan: once, while an amount is open.
    pub fn is_extensible(&self, installments: &[InstallmentState]) -> bool {
        let LoanState::Granted { repayment, repay_by: None, .. } = &self.state else { return false };
        let is_divisible =
            installments.iter().any(|one| one.settled.is_none() && one.open_principal_minor() > 1);
        repayment.is_open() && self.dates.extended_on.is_none() && is_divisible
    }

    /// Moves all open installments: the first one is due a month later, and at least a month from today.
    pub fn pause(
        mut self,
        installments: &mut [InstallmentState],
        today: Date,
        now: Timestamp,
    ) -> Result<Transition, Refusal> {
        if !self.is_pausable(installments) {
            let text = "a loan can be paused once, when an installment is overdue or could not be collected";
            return Err(Refusal::new(RefusalReason::StatusInvalid, text));
        }
        reschedule(installments, today);
        self.dates.paused_on = Some(today);
        self.last_action = now;
        let event = self.event("loan.paused");
        Ok((self, event))
    }

    /// Halves the principal of every open installment and adds as many installments, which are due after the last one.
    pub fn extend(
        mut self,
        installments: &mut Vec<InstallmentState>,
        today: Date,
        now: Timestamp,
    ) -> Result<Transition, Refusal> {
        if !self.is_extensible(installments) {
            let text = "this loan cannot have a longer plan";
            return Err(Refusal::new(RefusalReason::StatusInvalid, text));
        }
        let mut number = installments.iter().map(|one| one.number).max().unwrap_or_default();
        let mut added = Vec::new();
        for one in installments.iter_mut().filter(|one| one.settled.is_none()) {
            let deferred = one.open_principal_minor() / 2;
            if deferred == 0 {
                continue;
            }
            one.installment.principal_minor -= deferred;
            one.deferred_minor += deferred;
            number += 1;
            let installment = Installment { principal_minor: deferred, interest_minor: 0, ..one.installment };
            added.push(InstallmentState { agreed: None, ..InstallmentState::new(number, installment) });
        }
        installments.append(&mut added);
        reschedule(installments, today);
        self.dates.extended_on = Some(today);
        self.last_action = now;
        let event = self.event("loan.extended").with("installments", installments.len());
        Ok((self, event))
    }
}

/// Gives the open installments new dates in monthly steps, and collection restarts.
fn reschedule(installments: &mut [InstallmentState], today: Date) {
    let first = installments.iter().find(|one| one.settled.is_none()).map(|one| one.installment.due);
    let base = first.map_or(today, |first| Date(first.0.max(today.0)));
    let unsettled = installments.iter_mut().filter(|one| one.settled.is_none());
    for (months, one) in (1..).zip(unsettled) {
        one.installment.due = base.plus_months(months);
        one.installment.payment = next_target_day(one.installment.due);
        one.attempts = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::basket::BasketId;
    use crate::id::{ApplicationId, LoanId, MerchantId, ShopperId};
    use crate::installment::Plan;
    use crate::loan::{Borrower, Contract, NewLoan};
    use crate::money::{Currency, Money};
    use proptest::prelude::*;
    use uuid::Uuid;

    const SIGNED: Date = Date(20_600);
    const NOW: Timestamp = Timestamp(0);

    fn granted(minor: i64, installments: u32, rate: u32) -> (Loan, Vec<InstallmentState>) {
        let plan = Plan { installments, yearly_rate_bp: rate };
        let schedule = plan.schedule(minor, SIGNED).unwrap();
        let installments = (1_i64..).zip(&schedule).map(|(number, one)| InstallmentState::new(number, *one));
        let installments = installments.collect();
        let new = NewLoan {
            id: LoanId::new(Uuid::nil()),
            basket: BasketId::new(1),
            application: ApplicationId::new(Uuid::nil()),
            merchant: MerchantId::new(Uuid::nil()),
            amount: Money::new(minor, Currency::EUR),
            now: NOW,
        };
        let borrower = Borrower { shopper: ShopperId::new(Uuid::nil()), psu: None, account: None };
        let contract =
            Contract { plan, signed: SIGNED, borrower: Some(borrower), discount_minor: 0, schedule };
        (Loan::request(new).0.grant(contract, NOW).unwrap().0, installments)
    }

    #[test]
    fn reminder_is_due_a_day_after_the_contract_and_once() {
        let (loan, _) = granted(30_000, 3, 0);
        assert_eq!(loan.reminder_due(), Some(Date(SIGNED.0 + 1)));
        assert_eq!(loan.clone().remind(Date(SIGNED.0 + 1)).reminder_due(), None);
        assert_eq!(loan.clone().pay(30_000, NOW).unwrap().0.reminder_due(), None, "it was repaid before");
        let LoanState::Granted { mut contract, repayment, open_minor, refunded_minor, repay_by } = loan.state
        else {
            panic!("the loan is granted")
        };
        contract.borrower = None;
        let state = LoanState::Granted { contract, repayment, open_minor, refunded_minor, repay_by };
        assert_eq!(Loan { state, ..loan }.reminder_due(), None, "no one to remind");
    }

    #[test]
    fn pause_is_for_arrears_and_moves_the_open_installments_once() {
        let (loan, mut installments) = granted(30_000, 3, 0);
        let today = Date(installments[0].installment.payment.0 + 5);
        assert!(loan.clone().pause(&mut installments, today, NOW).is_err(), "nothing is late");
        let mut collected = installments.clone();
        collected[0].attempts = 2;
        assert!(loan.is_pausable(&collected), "it could not be collected");
        collected[0].settle(today);
        assert!(!loan.is_pausable(&collected), "the third attempt collected it");
        let late = loan.mark_overdue(installments[0].installment.payment, NOW).unwrap().0;
        installments[0].attempts = 3;
        let later = Timestamp(NOW.0 + 1);
        let (paused, event) = late.pause(&mut installments, today, later).unwrap();
        assert_eq!((event.action, paused.dates.paused_on), ("loan.paused", Some(today)));
        assert_eq!(paused.last_action, later);
        let due: Vec<Date> = installments.iter().map(|one| one.installment.due).collect();
        assert_eq!(due, [today.plus_months(1), today.plus_months(2), today.plus_months(3)]);
        assert!(installments.iter().all(|one| one.attempts == 0 && !one.is_overdue(today)));
        assert!(paused.pause(&mut installments, today, NOW).is_err(), "once");
    }

    #[test]
    fn extended_plan_keeps_the_agreed_schedule() {
        let (loan, mut installments) = granted(10_001, 3, 0);
        let payment = installments[0].installment.payment;
        installments[0].settle(payment);
        let today = Date(payment.0 + 3);
        let loan = loan.pay(3_333, NOW).unwrap().0;
        let second = installments[1].installment.due;
        let (extended, _) = loan.extend(&mut installments, today, NOW).unwrap();
        let amounts: Vec<i64> = installments.iter().map(|one| one.installment.amount_minor()).collect();
        assert_eq!(amounts, [3_333, 1_667, 1_668, 1_666, 1_667]);
        assert_eq!(installments.iter().map(|one| one.number).collect::<Vec<_>>(), [1, 2, 3, 4, 5]);
        assert_eq!(installments[1].installment.due, second.plus_months(1));
        let agreed: Vec<i64> = installments
            .iter()
            .filter_map(InstallmentState::as_agreed)
            .map(|one| one.principal_minor)
            .collect();
        assert_eq!(agreed, [3_333, 3_333, 3_335]);
        assert!(extended.extend(&mut installments, today, NOW).is_err(), "once");
    }

    #[test]
    fn cent_is_not_divided() {
        let (loan, mut installments) = granted(3, 3, 0);
        assert!(loan.extend(&mut installments, SIGNED, NOW).is_err(), "one cent each");
        let (loan, mut installments) = granted(4, 3, 0);
        loan.extend(&mut installments, SIGNED, NOW).unwrap();
        let amounts: Vec<i64> = installments.iter().map(|one| one.installment.amount_minor()).collect();
        assert_eq!(amounts, [1, 1, 1, 1]);
    }

    #[test]
    fn loan_is_written_off_only_after_the_offer() {
        let (loan, installments) = granted(30_000, 3, 0);
        let late = loan.mark_overdue(installments[0].installment.payment, NOW).unwrap().0;
        assert!(late.clone().write_off(NOW).is_err());
        let (offered, event) = late.offer_forbearance(SIGNED, Timestamp(7));
        assert_eq!((offered.dates.offered_on, offered.last_action), (Some(SIGNED), Timestamp(7)));
        assert_eq!(event.action, "loan.forbearance_offered");
        assert_eq!(offered.write_off(NOW).unwrap().0.state.name(), "writtenOff");
    }

    proptest! {
        #[test]
        fn forbearance_neither_adds_nor_removes_a_cent(
            minor in 300..300_000_i64,
            count in prop::sample::select(vec![3_u32, 4, 6, 12]),
            rate in 0..2_500_u32,
            paid in 0..3_usize,
            after in 0..120_i32,
        ) {
            let (mut loan, mut installments) = granted(minor, count, rate);
            for one in installments.iter_mut().take(paid) {
                let principal = one.open_principal_minor();
                one.settle(one.installment.payment);
                loan = loan.pay(principal, NOW).unwrap().0;
            }
            let open: i64 = installments.iter().map(InstallmentState::open_minor).sum();
            let agreed: Vec<Installment> = installments.iter().filter_map(InstallmentState::as_agreed).collect();
            let today = Date(SIGNED.0 + after);
            if loan.is_extensible(&installments) {
                loan = loan.extend(&mut installments, today, NOW).unwrap().0;
                prop_assert!(installments.iter().any(|one| one.agreed.is_none()));
            }
            let late = loan.mark_overdue(today, NOW).unwrap().0;
            late.pause(&mut installments, today, NOW).unwrap();
            prop_assert_eq!(installments.iter().map(InstallmentState::open_minor).sum::<i64>(), open);
            prop_assert!(installments.iter().all(|one| one.settled.is_some() || one.open_minor() > 0));
            let unsettled: Vec<&InstallmentState> =
                installments.iter().filter(|one| one.settled.is_none()).collect();
            prop_assert!(unsettled.iter().all(|one| one.installment.due > today));
            prop_assert!(unsettled.windows(2).all(|two| two[0].installment.due < two[1].installment.due));
            let now: Vec<Installment> = installments.iter().filter_map(InstallmentState::as_agreed).collect();
            prop_assert_eq!(now, agreed);
        }
    }
}
