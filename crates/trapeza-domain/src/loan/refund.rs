//! Refunds of a loan by its merchant: how much can be refunded, who bears it, and the remaining debt.
//!
//! A refund reduces the outstanding principal first, from the last installment backwards, so that the next installments stay
//! as agreed; the rest is paid out to the customer. Interest that is not yet due is recomputed on the remaining principal.

use super::{InstallmentState, Loan, LoanState, RepaymentStatus, Transition};
use crate::field::Field;
use crate::installment::Plan;
use crate::money::Money;
use crate::refusal::{Refusal, RefusalReason};
use crate::text::is_control_or_bidi;
use crate::time::{Date, Timestamp};

/// Maximum length of a merchant's reason.
const MAX_REASON_CHARS: usize = 255;

/// The effects of one refund, in minor units.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Refund {
    /// The whole refund.
    pub amount_minor: i64,
    /// The bank's share: the same fraction of its discount. The merchant bears the rest.
    pub discount_minor: i64,
    /// Reduction of the customer's debt.
    pub relieved_minor: i64,
    /// Amount already paid by the customer, which is paid back.
    pub returned_minor: i64,
    /// Total refunded so far, including this refund.
    pub total_minor: i64,
}

impl Refund {
    /// Parses the merchant's reason, which the bank's staff reads.
    pub fn reason_parse(text: &str) -> Result<String, String> {
        let fits =
            (1..=MAX_REASON_CHARS).contains(&text.chars().count()) && !text.chars().any(is_control_or_bidi);
        if fits {
            return Ok(text.to_owned());
        }
        Err(format!("must have 1 to {MAX_REASON_CHARS} characters, without control characters"))
    }
}

impl Loan {
    /// The amount that can still be refunded; `None` when nothing was granted or the loan was written off.
    pub const fn refundable_minor(&self) -> Option<i64> {
        match &self.state {
            LoanState::Granted { repayment: RepaymentStatus::WrittenOff, .. } => None,
            LoanState::Granted { refunded_minor, .. } => Some(self.amount.minor - *refunded_minor),
            LoanState::Pending | LoanState::Rejected { .. } => None,
        }
    }

    /// Refunds an amount. A loan without outstanding principal is repaid.
    pub fn refund(self, amount_minor: i64, now: Timestamp) -> Result<(Transition, Refund), Refusal> {
        let max = self.refundable_minor();
        match self.state {
            LoanState::Granted { contract, repayment, open_minor, refunded_minor, repay_by }
                if max.is_some() =>
            {
                check(amount_minor, Money { minor: max.unwrap_or(0), ..self.amount })?;
                let relieved_minor = amount_minor.min(open_minor);
                let total_minor = refunded_minor + amount_minor;
                let share = |minor| share_minor(contract.discount_minor, minor, self.amount.minor);
                let refund = Refund {
                    amount_minor,
                    // Computed from totals, so that many small refunds add up to the same as one.
                    discount_minor: share(total_minor) - share(refunded_minor),
                    relieved_minor,
                    returned_minor: amount_minor - relieved_minor,
                    total_minor,
                };
                let open_minor = open_minor - relieved_minor;
                let ends = repayment.is_open() && open_minor == 0;
                let repayment = if ends { RepaymentStatus::closed(repay_by) } else { repayment };
                let state = LoanState::Granted {
                    contract,
                    repayment,
                    open_minor,
                    refunded_minor: total_minor,
                    repay_by,
                };
                let loan = Self { state, last_action: now, ..self };
                let event = loan.event("loan.refunded").with("amount_minor", amount_minor);
                Ok(((loan, event.with("returned_minor", refund.returned_minor)), refund))
            }
            state => {
                let text = format!("the loan is {}; it cannot be refunded", state.name());
                Err(Refusal::new(RefusalReason::StatusInvalid, text))
            }
        }
    }
}

fn check(amount_minor: i64, max: Money) -> Result<(), Refusal> {
    let text = match amount_minor {
        ..=0 => "must be greater than zero".to_owned(),
        _ if max.minor == 0 => "the loan has already been refunded in full".to_owned(),
        _ if amount_minor > max.minor => {
            format!("at most {} {} can still be refunded", max.to_decimal_string(), max.currency)
        }
        _ => return Ok(()),
    };
    Err(Refusal::malformed(Field::Amount, text))
}

/// `whole_minor × part / of`, rounded down.
fn share_minor(whole_minor: i64, part: i64, of: i64) -> i64 {
    let share = i128::from(whole_minor) * i128::from(part) / i128::from(of.max(1));
    i64::try_from(share).unwrap_or(whole_minor)
}

impl Plan {
    /// Reduces the principal of open installments from the last one backwards. Returns the accrued, unpaid interest that is
    /// waived with its installments.
    pub fn reduce_schedule(&self, installments: &mut [InstallmentState], minor: i64, today: Date) -> i64 {
        let (mut left, mut running, mut waived) = (minor, 0, 0);
        for one in installments.iter_mut().rev().filter(|one| one.settled.is_none()) {
            let part = left.min(one.open_principal_minor());
            one.installment.principal_minor -= part;
            one.refunded_minor += part;
            left -= part;
            let interest = one.installment.interest_minor;
            // Paid and cancelled interest stays as it is.
            let least = interest - one.open_interest_minor();
            if one.open_principal_minor() == 0 {
                one.installment.interest_minor = least;
                one.settled = Some(today);
            } else if !one.accrued {
                // A month's interest is computed on all principal due from then on.
                running += one.open_principal_minor();
                let less = self.month_of_interest(running).unwrap_or(interest);
                one.installment.interest_minor = less.min(interest).max(least);
            }
            let fallen = interest - one.installment.interest_minor;
            one.waived_minor += fallen;
            waived += if one.accrued { fallen } else { 0 };
        }
        waived
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::basket::BasketId;
    use crate::id::{ApplicationId, LoanId, MerchantId};
    use crate::loan::{Contract, NewLoan};
    use crate::money::Currency;
    use proptest::prelude::*;
    use uuid::Uuid;

    const TODAY: Date = Date(20_600);

    fn granted(plan: Plan, minor: i64, discount_minor: i64) -> (Loan, Vec<InstallmentState>) {
        let schedule = plan.schedule(minor, TODAY).expect("a schedule");
        let installments = (1_i64..).zip(&schedule);
        let installments = installments.map(|(number, one)| InstallmentState::new(number, *one)).collect();
        let new = NewLoan {
            id: LoanId::new(Uuid::nil()),
            basket: BasketId::new(1),
            application: ApplicationId::new(Uuid::nil()),
            merchant: MerchantId::new(Uuid::nil()),
            amount: Money::new(minor, Currency::EUR),
            now: Timestamp(0),
        };
        let contract = Contract { plan, signed: TODAY, borrower: None, discount_minor, schedule };
        (Loan::request(new).0.grant(contract, Timestamp(0)).unwrap().0, installments)
    }

    fn open(loan: &Loan) -> i64 {
        let LoanState::Granted { open_minor, .. } = loan.state else { panic!("it is granted") };
        open_minor
    }

    fn amounts(installments: &[InstallmentState]) -> Vec<(i64, i64)> {
        installments
            .iter()
            .map(|one| (one.installment.principal_minor, one.installment.interest_minor))
            .collect()
    }

    #[test]
    fn refund_reduces_the_last_installments_first() {
        let plan = Plan { installments: 3, yearly_rate_bp: 0 };
        let (loan, mut installments) = granted(plan, 30_000, 900);
        let ((loan, _), refund) = loan.refund(12_000, Timestamp(1)).unwrap();
        assert_eq!(plan.reduce_schedule(&mut installments, refund.relieved_minor, TODAY), 0);
        assert_eq!(amounts(&installments), [(10_000, 0), (8_000, 0), (0, 0)]);
        assert_eq!(installments.iter().map(|one| one.refunded_minor).collect::<Vec<_>>(), [0, 2_000, 10_000]);
        assert_eq!((installments[2].settled, installments[1].settled), (Some(TODAY), None));
        assert_eq!((open(&loan), refund.discount_minor, refund.returned_minor), (18_000, 360, 0));
    }

    #[test]
    fn interest_not_due_is_recomputed_on_the_rest() {
        let plan = Plan { installments: 3, yearly_rate_bp: 1500 };
        let (_, mut installments) = granted(plan, 30_000, 0);
        let before = amounts(&installments);
        // The first installment is due and not paid.
        installments[0].accrued = true;
        assert_eq!(plan.reduce_schedule(&mut installments, before[2].0 + 1_000, TODAY), 0);
        let second = before[1].0 - 1_000;
        assert_eq!(
            amounts(&installments)[..2],
            [before[0], (second, plan.month_of_interest(second).unwrap())]
        );
        // An installment's accrued interest is waived with its principal.
        assert_eq!(plan.reduce_schedule(&mut installments, before[0].0 + second, TODAY), before[0].1);
        assert_eq!(amounts(&installments), [(0, 0); 3]);
        let waived: Vec<i64> = installments.iter().map(|one| one.waived_minor).collect();
        assert_eq!(waived, before.iter().map(|(_, interest)| *interest).collect::<Vec<_>>());
    }

    #[test]
    fn refund_of_a_repaid_loan_is_paid_out() {
        let plan = Plan { installments: 3, yearly_rate_bp: 0 };
        let (loan, _) = granted(plan, 30_000, 0);
        let (paid, _) = loan.pay(10_000, Timestamp(1)).unwrap();
        let ((loan, _), refund) = paid.refund(30_000, Timestamp(2)).unwrap();
        assert_eq!((refund.relieved_minor, refund.returned_minor), (20_000, 10_000));
        assert_eq!((loan.state.name(), loan.refundable_minor()), ("repaid", Some(0)));
        let again = loan.refund(1, Timestamp(3)).unwrap_err();
        assert_eq!(again.errors[0].text, "the loan has already been refunded in full");
    }

    proptest! {
        /// Whatever is paid and refunded in whatever order, no money is lost or created.
        #[test]
        fn sums_are_exact(
            minor in 100_i64..500_000, installments in prop::sample::select(vec![3_u32, 4, 6, 12]),
            yearly_rate_bp in prop::sample::select(vec![0_u32, 999, 1290, 2500]), discount_basis_points in 0_i64..1000,
            steps in prop::collection::vec((any::<bool>(), 1_i64..200_000), 1..20),
        ) {
            let plan = Plan { installments, yearly_rate_bp };
            let discount = minor * discount_basis_points / 10_000;
            let (mut loan, mut installments) = granted(plan, minor, discount);
            let (mut paid, mut returned, mut relieved, mut borne) = (0, 0, 0, 0);
            for (pays, amount) in steps {
                if pays {
                    let Some(next) = installments.iter_mut().find(|one| one.settled.is_none()) else { continue };
                    next.accrued = true;
                    next.settle(TODAY);
                    paid += next.installment.principal_minor;
                    loan = loan.pay(next.installment.principal_minor, Timestamp(1)).unwrap().0;
                    continue;
                }
                let before: i64 = installments.iter().map(|one| one.installment.interest_minor).sum();
                let max = loan.refundable_minor().unwrap();
                let Ok(((after, _), refund)) = loan.clone().refund(amount, Timestamp(1)) else {
                    prop_assert!(amount > max);
                    continue;
                };
                plan.reduce_schedule(&mut installments, refund.relieved_minor, TODAY);
                prop_assert!(amount <= max);
                prop_assert_eq!(refund.relieved_minor + refund.returned_minor, amount);
                prop_assert!((0..=amount).contains(&refund.discount_minor));
                let now: i64 = installments.iter().map(|one| one.installment.interest_minor).sum();
                prop_assert!(now <= before, "interest never rises");
                (relieved, returned, borne) =
                    (relieved + refund.relieved_minor, returned + refund.returned_minor, borne + refund.discount_minor);
                loan = after;
            }
            let owed: i64 =
                installments.iter().filter(|one| one.settled.is_none()).map(|one| one.installment.principal_minor).sum();
            prop_assert_eq!(owed, open(&loan));
            prop_assert_eq!(minor, open(&loan) + paid + relieved);
            prop_assert!(returned <= paid);
            prop_assert!(installments.iter().all(|one| one.installment.principal_minor >= 0 && one.installment.interest_minor >= 0));
            prop_assert!(installments.iter().all(|one| one.settled.is_some() || one.installment.principal_minor > 0));
            prop_assert_eq!(open(&loan) == 0, loan.state.name() == "repaid");
            prop_assert!(borne <= discount);
            if loan.refundable_minor() == Some(0) {
                prop_assert_eq!(borne, discount);
            }
        }
    }

    #[test]
    fn reason_is_short_text() {
        for good in ["x", &"x".repeat(MAX_REASON_CHARS), "Returned lamp"] {
            assert_eq!(Refund::reason_parse(good).as_deref(), Ok(good));
        }
        for wrong in ["", &"x".repeat(MAX_REASON_CHARS + 1), "a\nb", "a\u{202e}b"] {
            assert!(Refund::reason_parse(wrong).is_err(), "{wrong:?}");
        }
    }

    #[test]
    fn amount_is_positive_and_at_most_what_is_left() {
        let (loan, _) = granted(Plan { installments: 3, yearly_rate_bp: 0 }, 30_000, 900);
        for wrong in [-1, 0, 30_001] {
            assert!(loan.clone().refund(wrong, Timestamp(1)).is_err(), "{wrong}");
        }
        let ((part, _), _) = loan.refund(12_000, Timestamp(1)).unwrap();
        assert_eq!((part.state.refunded_minor(), part.refundable_minor()), (12_000, Some(18_000)));
        assert!(part.clone().refund(18_001, Timestamp(2)).is_err());
        let ((whole, _), _) = part.refund(18_000, Timestamp(2)).unwrap();
        assert_eq!((whole.state.refunded_minor(), whole.refundable_minor()), (30_000, Some(0)));
        assert!(whole.refund(1, Timestamp(3)).is_err());
    }

    #[test]
    fn more_than_is_open_cannot_be_paid() {
        let (loan, _) = granted(Plan { installments: 3, yearly_rate_bp: 0 }, 30_000, 900);
        assert!(loan.clone().pay(30_001, Timestamp(1)).is_err());
        let (part, event) = loan.pay(29_999, Timestamp(1)).unwrap();
        assert_eq!((open(&part), event.action), (1, "loan.installment_paid"));
        assert_eq!(part.pay(1, Timestamp(2)).unwrap().1.action, "loan.repaid");
    }
}
