//! The transition table: every command in every state, computed by the state machine itself.

use super::{
    Contract, InstallmentState, Loan, LoanState, NewLoan, RepaymentStatus, ServicingDates, Transition,
};
use crate::basket::{BasketId, DeclineReason};
use crate::id::{ApplicationId, LoanId, MerchantId};
use crate::installment::{Installment, Plan};
use crate::money::{Currency, Money};
use crate::refusal::Refusal;
use crate::time::{Date, Timestamp};
use crate::transition_table::{markdown, refused};
use uuid::Uuid;

const NOW: Timestamp = Timestamp(0);

fn states() -> Vec<LoanState> {
    let standings = [
        RepaymentStatus::Active,
        RepaymentStatus::Overdue { since: Date(0) },
        RepaymentStatus::Repaid,
        RepaymentStatus::Withdrawn,
        RepaymentStatus::WrittenOff,
    ];
    let granted = |repayment| LoanState::Granted {
        contract: contract(),
        repayment,
        open_minor: open(repayment),
        refunded_minor: 0,
        repay_by: None,
    };
    let asked = [LoanState::Pending, LoanState::Rejected { reason: DeclineReason::Exposure }];
    asked.into_iter().chain(standings.map(granted)).collect()
}

type Command = (&'static str, fn(Loan) -> Result<Transition, Refusal>);

const COMMANDS: [Command; 14] = [
    ("grant", |loan| loan.grant(contract(), NOW)),
    ("reject", |loan| loan.reject(DeclineReason::Exposure, NOW)),
    ("pay partially", |loan| loan.pay(1, NOW)),
    ("pay in full", |loan| loan.pay(2, NOW)),
    ("mark_overdue", |loan| loan.mark_overdue(Date(0), NOW)),
    ("clear_overdue", |loan| loan.clear_overdue(NOW)),
    ("refund partially", |loan| loan.refund(1, NOW).map(|(changed, _)| changed)),
    ("refund in full", |loan| loan.refund(2, NOW).map(|(changed, _)| changed)),
    ("refund too much", |loan| loan.refund(3, NOW).map(|(changed, _)| changed)),
    ("withdraw", |loan| loan.withdraw(Date(0), NOW)),
    ("withdraw_by_transfer", |loan| loan.withdraw_by_transfer(&mut [], Date(0), NOW)),
    ("write_off", |loan| loan.write_off(NOW)),
    ("pause", |loan| loan.pause(&mut [installment()], Date(0), NOW)),
    ("extend", |loan| loan.extend(&mut vec![installment()], Date(0), NOW)),
];

/// A markdown table with a row per state and a column per command.
pub fn transition_table() -> String {
    markdown(
        COMMANDS.iter().map(|(name, _)| *name),
        states().into_iter().map(|state| {
            let cells = COMMANDS.iter().map(|(_, command)| cell(command(in_state(state.clone()))));
            (state.name().to_owned(), cells.collect())
        }),
    )
}

fn cell(outcome: Result<Transition, Refusal>) -> String {
    match outcome {
        Ok((loan, event)) => format!("{} ({})", loan.state.name(), event.action),
        Err(refusal) => refused(&refusal),
    }
}

/// An installment whose collection failed.
const fn installment() -> InstallmentState {
    let (day, principal_minor) = (Date(0), 2);
    let installment = Installment { principal_minor, interest_minor: 0, due: day, payment: day };
    InstallmentState { attempts: 1, ..InstallmentState::new(1, installment) }
}

const fn open(repayment: RepaymentStatus) -> i64 {
    if repayment.is_open() { 2 } else { 0 }
}

fn contract() -> Contract {
    let plan = Plan { installments: 3, yearly_rate_bp: 0 };
    Contract { plan, signed: Date(0), borrower: None, discount_minor: 0, schedule: Vec::new() }
}

fn in_state(state: LoanState) -> Loan {
    let new = NewLoan {
        id: LoanId::new(Uuid::nil()),
        basket: BasketId::new(1),
        application: ApplicationId::new(Uuid::nil()),
        merchant: MerchantId::new(Uuid::nil()),
        amount: Money::new(2, Currency::EUR),
        now: NOW,
    };
    let dates = ServicingDates { offered_on: Some(Date(0)), ..ServicingDates::default() };
    Loan { state, dates, ..Loan::request(new).0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::id::ShopperId;
    use crate::loan::Borrower;

    #[test]
    fn every_command_in_every_state() {
        insta::assert_snapshot!(transition_table());
    }

    #[test]
    fn borrower_is_known_once_the_loan_is_granted() {
        let borrower = Borrower { shopper: ShopperId::new(Uuid::from_u128(1)), psu: None, account: None };
        let pending = in_state(LoanState::Pending);
        assert_eq!(pending.borrower(), None);
        let contract = Contract { borrower: Some(borrower), ..contract() };
        let (granted, _) = pending.grant(contract, NOW).unwrap();
        assert_eq!(granted.borrower(), Some(borrower));
    }
}
