//! Payments by bank transfer: how an amount of any size is divided among the installments of a loan, and withdrawals that are
//! paid back by transfer (§2.6).
//!
//! An amount that ends the loan is an early repayment; interest that was booked on a due date since its quote is waived. Any other
//! amount pays the installments in their order, interest before principal, also those that are not yet due and the last one in part.

use super::{InstallmentState, Loan, LoanState, Transition};
use crate::reference::CreditorReference;
use crate::refusal::{Refusal, RefusalReason};
use crate::time::{Date, Timestamp};

/// A transfer takes some days, in which interest accrues. A payoff amount that was quoted up to this number of days before it arrives is
/// enough.
const PAYOFF_VALID_DAYS: i32 = 3;
/// How long the customer has after a withdrawal to pay back the loan.
const WITHDRAWAL_REPAYMENT_DAYS: i32 = 30;

/// How an amount is divided.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Allocation {
    pub principal_minor: i64,
    pub interest_minor: i64,
    /// The part of the interest that is booked only now, because it was not due.
    pub accrued_minor: i64,
    /// Booked interest that is not owed, because it is more than the quote of some days before.
    pub waived_minor: i64,
    /// More than is owed.
    pub excess_minor: i64,
}

impl Loan {
    /// The reference that the borrower enters with a transfer.
    pub fn creditor_reference(&self) -> CreditorReference {
        CreditorReference::from_uuid(self.id.uuid())
    }

    /// Applies an amount that was paid on a date to the installments. `None` when nothing is owed.
    pub fn allocate(
        &self,
        installments: &mut [InstallmentState],
        amount_minor: i64,
        on: Date,
    ) -> Option<Allocation> {
        let quote = self.payoff_quote(installments, on)?;
        let quoted_on = Date(on.0 - PAYOFF_VALID_DAYS);
        let before = self.progress_on(installments, quoted_on);
        let earlier = self.payoff_quote(&before, quoted_on)?;
        if amount_minor < earlier.total_minor() {
            return Some(in_order(installments, amount_minor, on));
        }
        let mut open = installments.iter().filter(|one| one.settled.is_none());
        // The last installment may be paid as agreed before it is due.
        let agreed_minor = match (open.next(), open.next()) {
            (Some(last), None) => last.open_interest_minor(),
            _ => 0,
        };
        let (min, max) = (earlier.interest_minor(), quote.interest_minor().max(agreed_minor));
        let interest_minor = (amount_minor - quote.principal_minor).clamp(min, max);
        let days_minor = (interest_minor - quote.accrued_minor).max(0);
        let waived_minor = (quote.accrued_minor - interest_minor).max(0);
        cancel_booked_interest(installments, &before, waived_minor);
        super::PayoffQuote { days_minor, ..quote }.settle_installments(installments, on);
        Some(Allocation {
            principal_minor: quote.principal_minor,
            interest_minor,
            accrued_minor: days_minor,
            waived_minor,
            excess_minor: amount_minor - quote.principal_minor - interest_minor,
        })
    }

    /// The customer withdraws within the withdrawal period and pays back by transfer. Interest ends today.
    pub fn withdraw_by_transfer(
        self,
        installments: &mut [InstallmentState],
        today: Date,
        now: Timestamp,
    ) -> Result<Transition, Refusal> {
        let quote = self.payoff_quote(installments, today);
        self.check_withdrawable(today)?;
        match self.state {
            LoanState::Granted { contract, repayment, open_minor, refunded_minor, repay_by: None }
                if repayment.is_open() =>
            {
                if let Some(quote) = quote {
                    quote.cancel_undue_interest(installments);
                }
                let repay_by = Some(Date(today.0 + WITHDRAWAL_REPAYMENT_DAYS));
                let state = LoanState::Granted { contract, repayment, open_minor, refunded_minor, repay_by };
                let loan = Self { state, last_action: now, ..self };
                let event = loan.event("loan.withdrawal_declared");
                Ok((loan, event))
            }
            LoanState::Granted { repay_by: Some(_), .. } => {
                let text = "the customer has already withdrawn from the loan";
                Err(Refusal::new(RefusalReason::StatusInvalid, text))
            }
            state => Err(super::state::out_of_state(&state)),
        }
    }

    /// The installments as they were some days ago: interest that was booked on a due date since then is not booked.
    fn progress_on(&self, installments: &[InstallmentState], day: Date) -> Vec<InstallmentState> {
        // What was due before a pause or a longer plan was booked then, though its due date is later now.
        let moved_on = self.dates.paused_on.max(self.dates.extended_on);
        let booked_since = |one: &InstallmentState| {
            let is_unpaid = one.settled.is_none() && one.paid_minor() == 0 && one.cancelled_minor == 0;
            let is_moved = one.agreed.zip(moved_on).is_some_and(|((due, _), moved_on)| due <= moved_on);
            is_unpaid && !is_moved && one.installment.due > day && self.repay_by().is_none()
        };
        let then =
            |one: &InstallmentState| InstallmentState { accrued: one.accrued && !booked_since(one), ..*one };
        installments.iter().map(then).collect()
    }

    /// The date by which a loan must be paid back that the customer withdrew from.
    pub const fn repay_by(&self) -> Option<Date> {
        match &self.state {
            LoanState::Granted { repay_by, .. } => *repay_by,
            LoanState::Pending | LoanState::Rejected { .. } => None,
        }
    }
}

/// Cancels an amount of the interest that is booked and was not booked before.
fn cancel_booked_interest(installments: &mut [InstallmentState], before: &[InstallmentState], minor: i64) {
    let mut left = minor;
    for (one, _) in installments.iter_mut().zip(before).filter(|(one, before)| one.accrued && !before.accrued)
    {
        let part = one.open_interest_minor().min(left);
        one.cancelled_minor += part;
        left -= part;
    }
}

/// Pays the open installments in their order, interest before principal.
fn in_order(installments: &mut [InstallmentState], amount_minor: i64, on: Date) -> Allocation {
    let mut allocation = Allocation { excess_minor: amount_minor, ..Allocation::default() };
    for one in installments.iter_mut().filter(|one| one.settled.is_none()) {
        if allocation.excess_minor == 0 {
            break;
        }
        if !one.accrued {
            one.accrued = true;
            allocation.accrued_minor += one.open_interest_minor();
        }
        let interest_minor = one.open_interest_minor().min(allocation.excess_minor);
        one.paid_interest_minor += interest_minor;
        let principal_minor = one.open_principal_minor().min(allocation.excess_minor - interest_minor);
        one.paid_principal_minor += principal_minor;
        if one.open_minor() == 0 {
            one.settled = Some(on);
        }
        allocation.interest_minor += interest_minor;
        allocation.principal_minor += principal_minor;
        allocation.excess_minor -= interest_minor + principal_minor;
    }
    allocation
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::basket::BasketId;
    use crate::id::{ApplicationId, LoanId, MerchantId};
    use crate::installment::Plan;
    use crate::loan::{Contract, NewLoan};
    use crate::money::{Currency, Money};
    use proptest::prelude::*;
    use uuid::Uuid;

    const TODAY: Date = Date(20_600);

    fn granted(installments: u32, yearly_rate_bp: u32, minor: i64) -> (Loan, Vec<InstallmentState>) {
        let plan = Plan { installments, yearly_rate_bp };
        let schedule = plan.schedule(minor, TODAY).expect("a schedule");
        let installments = (1_i64..).zip(&schedule).map(|(number, one)| InstallmentState::new(number, *one));
        let installments = installments.collect();
        let new = NewLoan {
            id: LoanId::new(Uuid::from_u128(7)),
            basket: BasketId::new(1),
            application: ApplicationId::new(Uuid::nil()),
            merchant: MerchantId::new(Uuid::nil()),
            amount: Money::new(minor, Currency::EUR),
            now: Timestamp(0),
        };
        let contract = Contract { plan, signed: TODAY, borrower: None, discount_minor: 0, schedule };
        (Loan::request(new).0.grant(contract, Timestamp(0)).unwrap().0, installments)
    }

    fn after(days: i32) -> Date {
        Date(TODAY.0 + days)
    }

    #[test]
    fn smaller_amounts_pay_installments_in_their_order() {
        let (loan, mut installments) = granted(3, 1200, 30_000);
        let first = installments[0].installment;
        let paid = loan.allocate(&mut installments, first.amount_minor(), after(20)).unwrap();
        assert_eq!(
            (paid.principal_minor, paid.interest_minor),
            (first.principal_minor, first.interest_minor)
        );
        assert_eq!((paid.accrued_minor, paid.excess_minor), (first.interest_minor, 0));
        assert_eq!((installments[0].settled, installments[1].settled), (Some(after(20)), None));
        // A part of the next one: interest first.
        let (loan, _) = loan.pay(paid.principal_minor, Timestamp(1)).unwrap();
        let second = installments[1].installment;
        let paid = loan.allocate(&mut installments, second.interest_minor + 100, after(30)).unwrap();
        assert_eq!((paid.principal_minor, paid.interest_minor), (100, second.interest_minor));
        assert_eq!(
            (installments[1].settled, installments[1].open_minor()),
            (None, second.principal_minor - 100)
        );
    }

    #[test]
    fn payoff_of_an_earlier_quote_is_noted_as_it_was_paid() {
        let (loan, mut installments) = granted(3, 1200, 30_000);
        let earlier = loan.payoff_quote(&installments, after(20 - PAYOFF_VALID_DAYS)).unwrap();
        assert!(earlier.total_minor() < loan.payoff_quote(&installments, after(20)).unwrap().total_minor());
        let paid = loan.allocate(&mut installments, earlier.total_minor(), after(20)).unwrap();
        assert_eq!((paid.interest_minor, paid.excess_minor), (earlier.interest_minor(), 0));
        let noted: i64 = installments.iter().map(InstallmentState::paid_minor).sum();
        assert_eq!(noted, earlier.total_minor());
    }

    #[test]
    fn withdrawal_ends_after_fourteen_days_and_its_repayment_is_overdue_after_thirty() {
        let (loan, installments) = granted(3, 1200, 30_000);
        for (days, possible) in [(0, true), (14, true), (15, false)] {
            let (today, mut installments) = (after(days), installments.clone());
            assert_eq!(loan.clone().withdraw(today, Timestamp(1)).is_ok(), possible, "{days}");
            let declared = loan.clone().withdraw_by_transfer(&mut installments, today, Timestamp(1));
            assert_eq!(declared.is_ok(), possible, "{days}");
            let Ok((declared, _)) = declared else { continue };
            assert_eq!(declared.overdue_since(&installments, after(days + 30)), None);
            assert_eq!(declared.overdue_since(&installments, after(days + 31)), Some(after(days + 30)));
        }
    }

    #[test]
    fn payoff_amount_of_three_days_ago_ends_the_loan() {
        let (loan, installments) = granted(12, 1200, 120_000);
        let quote = loan.payoff_quote(&installments, after(10)).unwrap();
        for (arrives, ends) in [(10, true), (13, true), (14, false)] {
            let mut installments = installments.clone();
            let paid = loan.allocate(&mut installments, quote.total_minor(), after(arrives)).unwrap();
            assert_eq!(installments.iter().all(|one| one.settled.is_some()), ends, "{arrives}");
            assert_eq!(paid.excess_minor, 0);
        }
        let mut installments = installments.clone();
        let paid = loan.allocate(&mut installments, quote.total_minor() + 500, after(10)).unwrap();
        assert_eq!((paid.interest_minor, paid.excess_minor), (quote.interest_minor(), 500));
    }

    #[test]
    fn payoff_amount_of_three_days_ago_ends_the_loan_across_a_due_date() {
        let (loan, installments) = granted(12, 1200, 20_000);
        let due = installments[0].installment.due;
        let quote = loan.payoff_quote(&installments, Date(due.0 - 2)).unwrap();
        let month_minor = installments[0].installment.interest_minor;
        assert!(quote.days_minor < month_minor);
        for (days, ends) in [(0, true), (1, true), (2, false)] {
            let (on, mut installments) = (Date(due.0 + days), installments.clone());
            installments[0].accrued = true;
            let paid = loan.allocate(&mut installments, quote.total_minor(), on).unwrap();
            assert_eq!(installments.iter().all(|one| one.settled.is_some()), ends, "{days}");
            assert_eq!(paid.excess_minor, 0);
            if ends {
                assert_eq!((paid.interest_minor, paid.accrued_minor), (quote.days_minor, 0));
                assert_eq!(paid.waived_minor, month_minor - quote.days_minor);
                assert_eq!(
                    (installments[0].cancelled_minor, installments[0].open_minor()),
                    (paid.waived_minor, 0)
                );
            }
        }
        // Of interest that was cancelled in part, nothing more is waived.
        let mut cancelled = installments.clone();
        (cancelled[0].accrued, cancelled[0].cancelled_minor) = (true, 1);
        let paid = loan.allocate(&mut cancelled, quote.total_minor(), Date(due.0 + 1)).unwrap();
        assert_eq!((paid.waived_minor, cancelled.iter().all(|one| one.settled.is_some())), (0, false));
        // Nor of interest that was paid in part since.
        let mut started = installments.clone();
        (started[0].accrued, started[0].paid_interest_minor) = (true, 1);
        let paid = loan.allocate(&mut started, quote.total_minor(), Date(due.0 + 1)).unwrap();
        assert_eq!((paid.waived_minor, started.iter().all(|one| one.settled.is_some())), (0, false));
        // What is owed today is not waived when it is paid.
        let mut installments = installments;
        installments[0].accrued = true;
        let today = loan.payoff_quote(&installments, due).unwrap();
        let paid = loan.allocate(&mut installments, today.total_minor(), due).unwrap();
        assert_eq!((paid.interest_minor, paid.waived_minor), (month_minor, 0));
    }

    #[test]
    fn waived_interest_is_that_of_the_installment_that_became_due_since_the_quote() {
        let (loan, mut installments) = granted(12, 1200, 20_000);
        installments[0].accrued = true;
        let due = installments[1].installment.due;
        let quote = loan.payoff_quote(&installments, Date(due.0 - 2)).unwrap();
        installments[1].accrued = true;
        let paid = loan.allocate(&mut installments, quote.total_minor(), Date(due.0 + 1)).unwrap();
        assert!(paid.waived_minor > 0 && installments.iter().all(|one| one.settled.is_some()));
        let cancelled: Vec<i64> = installments.iter().map(|one| one.cancelled_minor).take(2).collect();
        assert_eq!(cancelled, [0, paid.waived_minor], "the first one was overdue before");
        assert_eq!(installments[0].paid_interest_minor, installments[0].installment.interest_minor);
    }

    #[test]
    fn interest_that_was_booked_before_a_pause_is_not_waived() {
        let (loan, mut installments) = granted(3, 1200, 30_000);
        for one in &mut installments[..2] {
            (one.accrued, one.attempts) = (true, 1);
        }
        let (loan, _) = loan.pause(&mut installments, after(70), Timestamp(1)).unwrap();
        let on = Date(installments[0].installment.due.0 + 1);
        let quote = loan.payoff_quote(&installments, on).unwrap();
        let paid = loan.allocate(&mut installments, quote.total_minor() - 1, on).unwrap();
        assert_eq!((paid.waived_minor, installments[2].settled), (0, None));
        // Also of the one that was due on the day of the pause.
        let (loan, mut installments) = granted(3, 1200, 30_000);
        for one in &mut installments[..2] {
            (one.accrued, one.attempts) = (true, 1);
        }
        let due = installments[1].installment.due;
        let (loan, _) = loan.pause(&mut installments, due, Timestamp(1)).unwrap();
        let on = Date(installments[1].installment.due.0 + 1);
        assert!(on > due, "the pause moves it");
        let quote = loan.payoff_quote(&installments, on).unwrap();
        let booked_minor = quote.principal_minor + quote.accrued_minor;
        let paid = loan.allocate(&mut installments, booked_minor - 1, on).unwrap();
        assert_eq!((paid.waived_minor, installments[2].settled), (0, None));
    }

    #[test]
    fn last_installment_is_paid_as_agreed_before_it_is_due() {
        let (loan, mut installments) = granted(3, 1200, 30_000);
        let mut loan = loan;
        for number in 0..3 {
            let agreed = installments[number].installment;
            let on = Date(agreed.due.0 - 5);
            let paid = loan.allocate(&mut installments, agreed.amount_minor(), on).unwrap();
            assert_eq!((paid.interest_minor, paid.excess_minor), (agreed.interest_minor, 0));
            loan = loan.pay(paid.principal_minor, Timestamp(1)).unwrap().0;
        }
        assert_eq!(loan.state.name(), "repaid");
        assert_eq!(loan.allocate(&mut installments, 1, after(100)), None, "nothing is owed");
    }

    #[test]
    fn withdrawal_by_transfer_ends_interest_and_the_loan_when_it_is_paid() {
        let (loan, mut installments) = granted(12, 1200, 120_000);
        let quote = loan.payoff_quote(&installments, after(14)).unwrap();
        assert!(quote.days_minor > 0);
        let (loan, _) = loan.withdraw_by_transfer(&mut installments, after(14), Timestamp(1)).unwrap();
        assert_eq!((loan.state.name(), loan.repay_by()), ("active", Some(after(44))));
        assert!(
            loan.clone().withdraw_by_transfer(&mut installments, after(14), Timestamp(2)).is_err(),
            "once"
        );
        let later = loan.payoff_quote(&installments, after(40)).unwrap();
        assert_eq!(later.total_minor(), quote.total_minor(), "no more interest");
        let part = loan.allocate(&mut installments, 50_000, after(40)).unwrap();
        let (loan, _) = loan.pay(part.principal_minor, Timestamp(3)).unwrap();
        let rest = loan.allocate(&mut installments, quote.total_minor() - 50_000, after(41)).unwrap();
        let (loan, event) = loan.pay(rest.principal_minor, Timestamp(4)).unwrap();
        assert_eq!((loan.state.name(), event.action, rest.excess_minor), ("withdrawn", "loan.withdrawn", 0));
        assert_eq!(installments.iter().map(InstallmentState::paid_minor).sum::<i64>(), quote.total_minor());
        let (late, mut installments) = granted(12, 1200, 120_000);
        assert!(late.withdraw_by_transfer(&mut installments, after(15), Timestamp(1)).is_err(), "too late");
    }

    proptest! {
        /// Whatever is paid when, every cent is principal, interest or excess, and nothing is paid twice.
        #[test]
        fn sums_are_exact(
            minor in 300_i64..500_000, installments in prop::sample::select(vec![3_u32, 4, 6, 12]),
            yearly_rate_bp in prop::sample::select(vec![0_u32, 999, 2500]),
            payments in prop::collection::vec((1_i64..200_000, 0_i32..40), 1..20),
        ) {
            let (mut loan, mut installments) = granted(installments, yearly_rate_bp, minor);
            let (mut principal, mut interest, mut accrued, mut waived, mut day) = (0, 0, 0, 0, 0);
            for (amount, days) in payments {
                day += days;
                for one in installments.iter_mut().filter(|one| one.settled.is_none() && one.installment.due <= after(day)) {
                    accrued += if one.accrued { 0 } else { one.open_interest_minor() };
                    one.accrued = true;
                }
                let Some(paid) = loan.allocate(&mut installments, amount, after(day)) else { break };
                prop_assert_eq!(paid.principal_minor + paid.interest_minor + paid.excess_minor, amount);
                prop_assert!(paid.principal_minor >= 0 && paid.interest_minor >= 0 && paid.excess_minor >= 0);
                prop_assert!(paid.accrued_minor >= 0 && paid.waived_minor >= 0);
                loan = loan.pay(paid.principal_minor, Timestamp(1)).unwrap().0;
                prop_assert!(paid.excess_minor == 0 || loan.state.name() == "repaid");
                (principal, interest, accrued) =
                    (principal + paid.principal_minor, interest + paid.interest_minor, accrued + paid.accrued_minor);
                waived += paid.waived_minor;
            }
            let open: i64 = installments.iter().map(InstallmentState::open_principal_minor).sum();
            prop_assert_eq!(principal + open, minor);
            prop_assert_eq!(installments.iter().map(|one| one.paid_interest_minor).sum::<i64>(), interest);
            let owed: i64 = installments.iter().filter(|one| one.accrued).map(InstallmentState::open_interest_minor).sum();
            prop_assert_eq!(interest + owed + waived, accrued, "interest is booked before it is paid");
            prop_assert!(installments.iter().all(|one| (one.open_minor() == 0) == one.settled.is_some()));
        }
    }
}
