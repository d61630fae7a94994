//! Servicing of a loan: accrual of interest, collection attempts, arrears, and the cost of early repayment (§2.6).

use super::{Loan, LoanState, RepaymentStatus, Transition};
use crate::calendar::next_target_day;
use crate::installment::{Installment, Plan};
use crate::refusal::{Refusal, RefusalReason};
use crate::time::{Date, Timestamp};

/// Days after the payment date on which collection is attempted.
const COLLECTED_AFTER: [i32; 3] = [0, 3, 7];
/// TARGET days after the payment date before a loan is overdue.
const GRACE_TARGET_DAYS: u32 = 3;
/// Withdrawal period in days, counted from the day after the contract.
const WITHDRAWAL_DAYS: i32 = 14;

/// The last date on which the customer can withdraw from a contract of a date.
pub const fn withdrawable_until(signed: Date) -> Date {
    Date(signed.0 + WITHDRAWAL_DAYS)
}

/// An installment and its current state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InstallmentState {
    /// Starts at 1.
    pub number: i64,
    /// What is to be paid and when: as agreed, less refunds, with the dates and amounts of a pause or a longer plan.
    pub installment: Installment,
    /// Principal reduced by refunds, and interest waived with it.
    pub refunded_minor: i64,
    pub waived_minor: i64,
    /// Principal that a longer plan moved to an installment after the last one.
    pub deferred_minor: i64,
    /// The due date and the payment date as agreed; `None` for an installment that a longer plan added.
    pub agreed: Option<(Date, Date)>,
    /// Whether its interest is booked, which happens on the due date.
    pub accrued: bool,
    /// Failed collection attempts.
    pub attempts: usize,
    /// Principal and interest that were paid.
    pub paid_principal_minor: i64,
    pub paid_interest_minor: i64,
    /// Interest that is not owed because the loan ended early. The amounts as agreed contain it.
    pub cancelled_minor: i64,
    /// The date since which nothing is left to be paid.
    pub settled: Option<Date>,
}

impl InstallmentState {
    /// An installment as agreed, of which nothing is paid.
    pub const fn new(number: i64, installment: Installment) -> Self {
        Self {
            number,
            installment,
            refunded_minor: 0,
            waived_minor: 0,
            deferred_minor: 0,
            agreed: Some((installment.due, installment.payment)),
            accrued: false,
            attempts: 0,
            paid_principal_minor: 0,
            paid_interest_minor: 0,
            cancelled_minor: 0,
            settled: None,
        }
    }

    /// Principal that is not paid.
    pub const fn open_principal_minor(&self) -> i64 {
        self.installment.principal_minor - self.paid_principal_minor
    }

    /// Interest that is neither paid nor cancelled.
    pub const fn open_interest_minor(&self) -> i64 {
        self.installment.interest_minor - self.paid_interest_minor - self.cancelled_minor
    }

    pub const fn open_minor(&self) -> i64 {
        self.open_principal_minor() + self.open_interest_minor()
    }

    pub const fn paid_minor(&self) -> i64 {
        self.paid_principal_minor + self.paid_interest_minor
    }

    /// The installment as agreed, less refunds; `None` for one that a longer plan added.
    pub fn as_agreed(&self) -> Option<Installment> {
        let (due, payment) = self.agreed?;
        let principal_minor = self.installment.principal_minor + self.deferred_minor;
        Some(Installment { principal_minor, due, payment, ..self.installment })
    }

    /// Everything that was open is paid.
    pub const fn settle(&mut self, on: Date) {
        self.paid_interest_minor += self.open_interest_minor();
        self.paid_principal_minor += self.open_principal_minor();
        self.settled = Some(on);
    }

    /// The date of the next collection attempt; `None` after the last one.
    pub fn collected_on(&self) -> Option<Date> {
        let after = COLLECTED_AFTER.get(self.attempts)?;
        Some(Date(self.installment.payment.0 + after))
    }

    /// The first date on which it is overdue.
    pub fn overdue_on(&self) -> Date {
        let mut day = self.installment.payment;
        for _ in 0..=GRACE_TARGET_DAYS {
            day = next_target_day(Date(day.0 + 1));
        }
        day
    }

    pub fn is_overdue(&self, today: Date) -> bool {
        self.settled.is_none() && self.overdue_on() <= today
    }

    /// The next date after today on which its state changes.
    pub fn next_day(&self, collectable: bool, today: Date) -> Option<Date> {
        if self.settled.is_some() {
            return None;
        }
        let due = (!self.accrued).then_some(self.installment.due);
        let collected = self.collected_on().filter(|_| collectable);
        let days = [due, collected, Some(self.overdue_on())];
        days.into_iter().flatten().filter(|day| *day > today).min()
    }
}

/// The cost of ending a loan on a date.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PayoffQuote {
    pub principal_minor: i64,
    /// Booked and unpaid interest.
    pub accrued_minor: i64,
    /// Interest since the last due date that is not yet booked.
    pub days_minor: i64,
}

impl PayoffQuote {
    pub const fn interest_minor(&self) -> i64 {
        self.accrued_minor + self.days_minor
    }

    pub const fn total_minor(&self) -> i64 {
        self.principal_minor + self.interest_minor()
    }

    /// Cancels the interest of open installments that is not booked, except the interest of the days, which belongs to the
    /// next installment.
    pub fn cancel_undue_interest(&self, installments: &mut [InstallmentState]) {
        let mut days_minor = self.days_minor;
        for one in installments.iter_mut().filter(|one| one.settled.is_none() && !one.accrued) {
            one.cancelled_minor += one.open_interest_minor() - days_minor;
            one.accrued = true;
            days_minor = 0;
        }
    }

    /// Settles all open installments: principal, booked interest and the interest of the days are paid, the rest is cancelled.
    pub fn settle_installments(&self, installments: &mut [InstallmentState], on: Date) {
        self.cancel_undue_interest(installments);
        for one in installments.iter_mut().filter(|one| one.settled.is_none()) {
            one.settle(on);
        }
    }
}

impl Plan {
    /// Interest of a number of days, rounded half up; a year has 365 days.
    pub fn days_of_interest(&self, minor: i64, days: i32) -> i64 {
        let above = i128::from(minor) * i128::from(self.yearly_rate_bp) * i128::from(days.max(0));
        let below = 365 * 10_000;
        i64::try_from((above * 2 + below) / (below * 2)).unwrap_or(i64::MAX)
    }
}

impl Loan {
    /// An installment, or the whole remainder, was paid.
    pub fn pay(self, principal_minor: i64, now: Timestamp) -> Result<Transition, Refusal> {
        let (paid, repay_by) = (format!("{principal_minor}"), self.repay_by());
        self.open_change(now, |repayment, open_minor| {
            let left = open_minor - principal_minor;
            match left {
                ..0 => None,
                0 if repay_by.is_some() => Some((RepaymentStatus::closed(repay_by), 0, "loan.withdrawn")),
                0 => Some((RepaymentStatus::closed(repay_by), 0, "loan.repaid")),
                _ => Some((repayment, left, "loan.installment_paid")),
            }
        })
        .map(|(loan, event)| (loan, event.with("principal_minor", paid)))
    }

    /// An installment was not paid within the grace period.
    pub fn mark_overdue(self, since: Date, now: Timestamp) -> Result<Transition, Refusal> {
        self.open_change(now, |_, open_minor| {
            Some((RepaymentStatus::Overdue { since }, open_minor, "loan.overdue"))
        })
    }

    /// Since when an installment has been overdue, or the repayment after a withdrawal.
    pub fn overdue_since(&self, installments: &[InstallmentState], today: Date) -> Option<Date> {
        match self.repay_by() {
            Some(last) => Some(last).filter(|last| today > *last),
            None => installments
                .iter()
                .filter(|one| one.is_overdue(today))
                .map(|one| one.installment.payment)
                .min(),
        }
    }

    /// No installment is overdue any more.
    pub fn clear_overdue(self, now: Timestamp) -> Result<Transition, Refusal> {
        self.open_change(now, |repayment, open_minor| {
            matches!(repayment, RepaymentStatus::Overdue { .. }).then_some((
                RepaymentStatus::Active,
                open_minor,
                "loan.arrears_cleared",
            ))
        })
    }

    /// The last date on which the customer can withdraw.
    pub const fn withdrawable_until(&self) -> Option<Date> {
        match &self.state {
            LoanState::Granted { contract, .. } => Some(withdrawable_until(contract.signed)),
            LoanState::Pending | LoanState::Rejected { .. } => None,
        }
    }

    /// The customer withdraws within the withdrawal period and pays at once.
    pub fn withdraw(self, today: Date, now: Timestamp) -> Result<Transition, Refusal> {
        self.check_withdrawable(today)?;
        self.open_change(now, |_, _| Some((RepaymentStatus::Withdrawn, 0, "loan.withdrawn")))
    }

    pub(super) fn check_withdrawable(&self, today: Date) -> Result<(), Refusal> {
        if self.withdrawable_until().is_some_and(|last| today > last) {
            let text = format!(
                "the withdrawal period of {WITHDRAWAL_DAYS} days is over; the loan can be repaid early"
            );
            return Err(Refusal::new(RefusalReason::StatusInvalid, text));
        }
        Ok(())
    }

    /// The bank writes the loan off. Only an overdue loan can be written off, after forbearance was offered.
    pub fn write_off(self, now: Timestamp) -> Result<Transition, Refusal> {
        let is_offered = self.dates.offered_on.is_some();
        let is_overdue =
            matches!(&self.state, LoanState::Granted { repayment: RepaymentStatus::Overdue { .. }, .. });
        if is_overdue && !is_offered {
            let text = "forbearance must be offered to the borrower first; the sweep does that";
            return Err(Refusal::new(RefusalReason::StatusInvalid, text));
        }
        self.open_change(now, |repayment, _| {
            matches!(repayment, RepaymentStatus::Overdue { .. }).then_some((
                RepaymentStatus::WrittenOff,
                0,
                "loan.written_off",
            ))
        })
    }

    /// The cost of ending the loan today: the principal, and interest up to today.
    pub fn payoff_quote(&self, installments: &[InstallmentState], today: Date) -> Option<PayoffQuote> {
        let LoanState::Granted { contract, repayment, open_minor, .. } = &self.state else { return None };
        if !repayment.is_open() {
            return None;
        }
        let unpaid = |one: &&InstallmentState| one.settled.is_none();
        let accrued = installments.iter().filter(unpaid).filter(|one| one.accrued);
        let accrued_minor = accrued.map(InstallmentState::open_interest_minor).sum();
        // Interest accrues on principal that is not yet due, since the last due date or the date of the contract.
        let open = installments.iter().filter(unpaid).filter(|one| !one.accrued);
        let running = open.clone().map(InstallmentState::open_principal_minor).sum();
        let since = installments.iter().filter(|one| one.accrued).map(|one| one.installment.due).max();
        let since = since.unwrap_or(contract.signed);
        let max = open.map(InstallmentState::open_interest_minor).next().unwrap_or(0);
        let days_minor = contract.plan.days_of_interest(running, today.0 - since.0).min(max);
        Some(PayoffQuote { principal_minor: *open_minor, accrued_minor, days_minor })
    }

    fn open_change(
        self,
        now: Timestamp,
        change: impl FnOnce(RepaymentStatus, i64) -> Option<(RepaymentStatus, i64, &'static str)>,
    ) -> Result<Transition, Refusal> {
        match self.state {
            LoanState::Granted { contract, repayment, open_minor, refunded_minor, repay_by }
                if repayment.is_open() =>
            {
                let Some((repayment, open_minor, action)) = change(repayment, open_minor) else {
                    let text = "this is not possible in the loan's current state";
                    return Err(Refusal::new(RefusalReason::StatusInvalid, text));
                };
                let state = LoanState::Granted { contract, repayment, open_minor, refunded_minor, repay_by };
                let loan = Self { state, last_action: now, ..self };
                let event = loan.event(action);
                Ok((loan, event))
            }
            state => Err(super::state::out_of_state(&state)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use jiff::civil::date;

    fn day(year: i16, month: i8, day: i8) -> Date {
        Date::from_civil(date(year, month, day))
    }

    fn installment(payment: Date) -> InstallmentState {
        let installment = Installment { principal_minor: 100, interest_minor: 5, due: payment, payment };
        InstallmentState::new(1, installment)
    }

    #[test]
    fn settle_installments_cancels_interest_that_is_not_due() {
        let quote = PayoffQuote { principal_minor: 300, accrued_minor: 5, days_minor: 2 };
        let due = InstallmentState { accrued: true, ..installment(day(2027, 3, 25)) };
        let mut all = [due, installment(day(2027, 4, 25)), installment(day(2027, 5, 25))];
        quote.settle_installments(&mut all, day(2027, 4, 1));
        let amounts = all.map(|one| (one.paid_minor(), one.cancelled_minor, one.open_minor()));
        assert_eq!(amounts, [(105, 0, 0), (102, 3, 0), (100, 5, 0)]);
        assert_eq!(all.iter().map(InstallmentState::paid_minor).sum::<i64>(), quote.total_minor());
        assert!(all.iter().all(|one| one.settled == Some(day(2027, 4, 1)) && one.accrued));
    }

    #[test]
    fn installment_is_collected_three_times_and_overdue_after_three_target_days() {
        // Maundy Thursday; Good Friday and Easter Monday are no TARGET days.
        let mut one = installment(day(2027, 3, 25));
        let days: Vec<Option<Date>> =
            (0..4).map(|attempts| InstallmentState { attempts, ..one }.collected_on()).collect();
        assert_eq!(days, [Some(day(2027, 3, 25)), Some(day(2027, 3, 28)), Some(day(2027, 4, 1)), None]);
        // The grace period ends on the third TARGET day.
        assert_eq!(one.overdue_on(), day(2027, 4, 2));
        assert!(!one.is_overdue(day(2027, 4, 1)) && one.is_overdue(day(2027, 4, 2)));
        one.settled = Some(day(2027, 4, 5));
        assert!(!one.is_overdue(day(2027, 4, 6)));
    }

    #[test]
    fn next_day_is_the_earliest_change() {
        let one = installment(day(2027, 3, 25));
        assert_eq!(one.next_day(true, day(2027, 3, 1)), Some(day(2027, 3, 25)));
        let tried = InstallmentState { accrued: true, attempts: 1, ..one };
        assert_eq!(tried.next_day(true, day(2027, 3, 25)), Some(day(2027, 3, 28)));
        assert_eq!(tried.next_day(false, day(2027, 3, 25)), Some(day(2027, 4, 2)));
        assert_eq!(InstallmentState { attempts: 3, ..tried }.next_day(true, day(2027, 4, 2)), None);
    }

    #[test]
    fn interest_of_days_rounds_half_up() {
        let plan = Plan { installments: 12, yearly_rate_bp: 1290 };
        assert_eq!(plan.days_of_interest(60_000, 14), 297);
        assert_eq!(plan.days_of_interest(60_000, 0), 0);
        assert_eq!(plan.days_of_interest(60_000, -3), 0);
        assert_eq!(Plan { yearly_rate_bp: 0, ..plan }.days_of_interest(60_000, 14), 0);
    }
}
