//! A loan that is being paid back: when an installment's interest is earned, when it is collected and how often, from
//! which day on it is overdue, and what an earlier end costs (§2.6).

use super::{Loan, LoanState, RepaymentStatus, Transition};
use crate::calendar::next_target_day;
use crate::installment::{Installment, Plan};
use crate::refusal::{Refusal, RefusalReason};
use crate::time::{Date, Timestamp};

/// The days after the payment day on which an installment is collected, as long as it is not.
const COLLECTED_AFTER: [i32; 3] = [0, 3, 7];
/// The days on which payments settle that a late customer has before the loan is called overdue.
const GRACE_TARGET_DAYS: u32 = 3;
/// How long a customer may take a loan back, counted from the day after it was agreed.
const WITHDRAWAL_DAYS: i32 = 14;

/// One installment and what has become of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InstallmentState {
    /// From 1.
    pub number: i64,
    /// What is to be paid, or was: as agreed, less what was refunded of it.
    pub installment: Installment,
    /// Principal that a refund took off, and interest that fell away with it.
    pub refunded_minor: i64,
    pub waived_minor: i64,
    /// Its interest is in the books: earned on the due day.
    pub accrued: bool,
    /// Tries to collect it that failed.
    pub attempts: usize,
    /// The day on which it was paid, or nothing was left of it to pay.
    pub settled: Option<Date>,
}

impl InstallmentState {
    /// When it is collected next; never again once all attempts have failed.
    pub fn collected_on(&self) -> Option<Date> {
        let after = COLLECTED_AFTER.get(self.attempts)?;
        Some(Date(self.installment.payment.0 + after))
    }

    /// The first day on which it is overdue.
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

    /// The next day after today on which something becomes of it, if it is left alone.
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

/// What a loan costs when it ends on a day.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PayoffQuote {
    pub principal_minor: i64,
    /// Interest that is in the books and not paid.
    pub accrued_minor: i64,
    /// Interest of the days since the last due day, not in the books yet.
    pub days_minor: i64,
}

impl PayoffQuote {
    pub const fn interest_minor(&self) -> i64 {
        self.accrued_minor + self.days_minor
    }
}

impl Plan {
    /// Interest of some days on an amount, rounded half up; a year has 365 of them.
    pub fn days_of_interest(&self, minor: i64, days: i32) -> i64 {
        let above = i128::from(minor) * i128::from(self.yearly_rate_bp) * i128::from(days.max(0));
        let below = 365 * 10_000;
        i64::try_from((above * 2 + below) / (below * 2)).unwrap_or(i64::MAX)
    }
}

impl Loan {
    /// An installment, or what was left of it all, was paid.
    pub fn pay(self, principal_minor: i64, now: Timestamp) -> Result<Transition, Refusal> {
        let paid = format!("{principal_minor}");
        self.open_change(now, |repayment, open_minor| {
            let left = open_minor - principal_minor;
            match left {
                ..0 => None,
                0 => Some((RepaymentStatus::Repaid, 0, "loan.repaid")),
                _ => Some((repayment, left, "loan.installment_paid")),
            }
        })
        .map(|(loan, event)| (loan, event.with("principal_minor", paid)))
    }

    /// An installment was not paid in the days of grace.
    pub fn mark_overdue(self, since: Date, now: Timestamp) -> Result<Transition, Refusal> {
        self.open_change(now, |_, open_minor| {
            Some((RepaymentStatus::Overdue { since }, open_minor, "loan.overdue"))
        })
    }

    /// Nothing is overdue any more.
    pub fn clear_overdue(self, now: Timestamp) -> Result<Transition, Refusal> {
        self.open_change(now, |repayment, open_minor| {
            matches!(repayment, RepaymentStatus::Overdue { .. }).then_some((
                RepaymentStatus::Active,
                open_minor,
                "loan.arrears_cleared",
            ))
        })
    }

    /// The last day on which the customer can take a granted loan back.
    pub const fn withdrawable_until(&self) -> Option<Date> {
        match &self.state {
            LoanState::Granted { contract, .. } => Some(Date(contract.signed.0 + WITHDRAWAL_DAYS)),
            LoanState::Pending | LoanState::Rejected { .. } => None,
        }
    }

    /// The customer takes it back, in the days they have for that.
    pub fn withdraw(self, today: Date, now: Timestamp) -> Result<Transition, Refusal> {
        if self.withdrawable_until().is_some_and(|last| today > last) {
            let text =
                format!("a loan can be withdrawn from for {WITHDRAWAL_DAYS} days; it can be repaid early");
            return Err(Refusal::new(RefusalReason::StatusInvalid, text));
        }
        self.open_change(now, |_, _| Some((RepaymentStatus::Withdrawn, 0, "loan.withdrawn")))
    }

    /// The bank gives up what is owed. Only of a loan that is overdue: of any other it is still to come.
    pub fn write_off(self, now: Timestamp) -> Result<Transition, Refusal> {
        self.open_change(now, |repayment, _| {
            matches!(repayment, RepaymentStatus::Overdue { .. }).then_some((
                RepaymentStatus::WrittenOff,
                0,
                "loan.written_off",
            ))
        })
    }

    /// What it costs to end a loan today: the principal, and interest up to today and no longer.
    pub fn payoff_quote(&self, progress: &[InstallmentState], today: Date) -> Option<PayoffQuote> {
        let LoanState::Granted { contract, repayment, open_minor, .. } = &self.state else { return None };
        if !repayment.is_open() {
            return None;
        }
        let owed = |one: &&InstallmentState| one.settled.is_none();
        let accrued = progress.iter().filter(owed).filter(|one| one.accrued);
        let accrued_minor = accrued.map(|one| one.installment.interest_minor).sum();
        // Interest runs on what is not due yet, from the last due day, or from the day of the contract.
        let open = progress.iter().filter(owed).filter(|one| !one.accrued);
        let running = open.clone().map(|one| one.installment.principal_minor).sum();
        let since = progress.iter().filter(|one| one.accrued).map(|one| one.installment.due).max();
        let since = since.unwrap_or(contract.signed);
        let most = open.map(|one| one.installment.interest_minor).next().unwrap_or(0);
        let days_minor = contract.plan.days_of_interest(running, today.0 - since.0).min(most);
        Some(PayoffQuote { principal_minor: *open_minor, accrued_minor, days_minor })
    }

    fn open_change(
        self,
        now: Timestamp,
        change: impl FnOnce(RepaymentStatus, i64) -> Option<(RepaymentStatus, i64, &'static str)>,
    ) -> Result<Transition, Refusal> {
        match self.state {
            LoanState::Granted { contract, repayment, open_minor, refunded_minor } if repayment.is_open() => {
                let Some((repayment, open_minor, action)) = change(repayment, open_minor) else {
                    let text = "this cannot be done with the loan as it stands";
                    return Err(Refusal::new(RefusalReason::StatusInvalid, text));
                };
                let state = LoanState::Granted { contract, repayment, open_minor, refunded_minor };
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
    use crate::calendar::CivilDate;

    fn day(year: i32, month: i32, day: i32) -> Date {
        CivilDate { year, month, day }.day()
    }

    fn progress(payment: Date) -> InstallmentState {
        let installment = Installment { principal_minor: 100, interest_minor: 5, due: payment, payment };
        let (refunded_minor, waived_minor) = (0, 0);
        InstallmentState {
            number: 1,
            installment,
            refunded_minor,
            waived_minor,
            accrued: false,
            attempts: 0,
            settled: None,
        }
    }

    #[test]
    fn an_installment_is_collected_three_times_and_overdue_after_three_days_of_settlement() {
        // Maundy Thursday; Friday and Monday are closed.
        let mut one = progress(day(2027, 3, 25));
        let days: Vec<Option<Date>> =
            (0..4).map(|attempts| InstallmentState { attempts, ..one }.collected_on()).collect();
        assert_eq!(days, [Some(day(2027, 3, 25)), Some(day(2027, 3, 28)), Some(day(2027, 4, 1)), None]);
        // Settled on the 30th, 31st and the 1st of April at the latest.
        assert_eq!(one.overdue_on(), day(2027, 4, 2));
        assert!(!one.is_overdue(day(2027, 4, 1)) && one.is_overdue(day(2027, 4, 2)));
        one.settled = Some(day(2027, 4, 5));
        assert!(!one.is_overdue(day(2027, 4, 6)));
    }

    #[test]
    fn the_next_day_is_the_nearest_on_which_something_happens() {
        let one = progress(day(2027, 3, 25));
        assert_eq!(one.next_day(true, day(2027, 3, 1)), Some(day(2027, 3, 25)));
        let tried = InstallmentState { accrued: true, attempts: 1, ..one };
        assert_eq!(tried.next_day(true, day(2027, 3, 25)), Some(day(2027, 3, 28)));
        assert_eq!(tried.next_day(false, day(2027, 3, 25)), Some(day(2027, 4, 2)));
        assert_eq!(InstallmentState { attempts: 3, ..tried }.next_day(true, day(2027, 4, 2)), None);
    }

    #[test]
    fn interest_of_days_is_rounded_half_up() {
        let plan = Plan { installments: 12, yearly_rate_bp: 1290 };
        assert_eq!(plan.days_of_interest(60_000, 14), 297);
        assert_eq!(plan.days_of_interest(60_000, 0), 0);
        assert_eq!(plan.days_of_interest(60_000, -3), 0);
        assert_eq!(Plan { yearly_rate_bp: 0, ..plan }.days_of_interest(60_000, 14), 0);
    }
}
