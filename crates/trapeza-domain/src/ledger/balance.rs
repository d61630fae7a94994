//! How the balance of a statement may move. Every command answers a new balance or says why not; none overflows.

use crate::refusal::{Refusal, RefusalReason};
use std::fmt;

/// Why the ledger did not move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LedgerError {
    /// The account would fall under its floor.
    InsufficientFunds,
    /// A sum beyond what can be counted.
    Overflow,
    /// The two accounts, or the amount, are not of one currency.
    CurrenciesMixed,
    /// Zero or negative.
    AmountNotPositive,
    /// From an account to itself.
    SameAccount,
    /// There is no hold under this reference.
    HoldUnknown,
    /// The hold has been captured or released already.
    HoldClosed,
    /// More is to be taken out of the holds than is in them.
    InsufficientHold,
    /// An account the posting rule asks for was not given.
    PartyMissing,
    /// There is already a hold under this reference.
    DuplicateReference,
}

impl LedgerError {
    /// A sentence for the caller. It shows no balance.
    pub const fn text(self) -> &'static str {
        match self {
            Self::InsufficientFunds => "the account has not enough funds",
            Self::Overflow => "the amount is too large",
            Self::CurrenciesMixed => "the account is of another currency",
            Self::AmountNotPositive => "the amount must be more than zero",
            Self::SameAccount => "payer and payee are the same account",
            Self::HoldUnknown => "nothing is reserved under this reference",
            Self::HoldClosed => "the reserved amount has been booked or released already",
            Self::InsufficientHold => "less is reserved than was to be taken",
            Self::PartyMissing => "an account that this booking needs is missing",
            Self::DuplicateReference => "an amount is already reserved under this reference",
        }
    }
}

impl fmt::Display for LedgerError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.text())
    }
}

impl std::error::Error for LedgerError {}

impl From<LedgerError> for Refusal {
    fn from(fault: LedgerError) -> Self {
        let reason = match fault {
            LedgerError::Overflow | LedgerError::AmountNotPositive => RefusalReason::Malformed,
            LedgerError::CurrenciesMixed | LedgerError::SameAccount => RefusalReason::Inconsistent,
            _ => RefusalReason::StatusInvalid,
        };
        Self::new(reason, fault.text())
    }
}

/// The money of a customer's, card's or merchant's account, in minor units of its currency.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StatementBalance {
    /// The sum of all entries.
    pub booked: i64,
    /// The sum of all active holds.
    pub held: i64,
    pub entry_count: i64,
    /// What booked less held never falls under: minus the credit limit.
    pub floor: i64,
}

impl StatementBalance {
    pub const fn new(floor: i64) -> Self {
        Self { booked: 0, held: 0, entry_count: 0, floor }
    }

    /// What can still be spent: booked and credit limit less what is held.
    pub const fn available(self) -> Result<i64, LedgerError> {
        match self.booked.checked_sub(self.held) {
            Some(free) => match free.checked_sub(self.floor) {
                Some(available) => Ok(available),
                None => Err(LedgerError::Overflow),
            },
            None => Err(LedgerError::Overflow),
        }
    }

    /// Takes an amount; the account must be able to spare it.
    pub fn debit(self, amount: i64) -> Result<Self, LedgerError> {
        positive(amount)?;
        let booked = self.booked.checked_sub(amount).ok_or(LedgerError::Overflow)?;
        Self { booked, ..self }.counted()?.above_floor()
    }

    pub fn credit(self, amount: i64) -> Result<Self, LedgerError> {
        positive(amount)?;
        let booked = self.booked.checked_add(amount).ok_or(LedgerError::Overflow)?;
        Self { booked, ..self }.counted()
    }

    /// Sets an amount aside; the account must be able to spare it.
    pub fn hold(self, amount: i64) -> Result<Self, LedgerError> {
        positive(amount)?;
        let held = self.held.checked_add(amount).ok_or(LedgerError::Overflow)?;
        Self { held, ..self }.above_floor()
    }

    /// Gives back what was set aside. A capture is a release with the debits that follow it.
    pub fn release(self, amount: i64) -> Result<Self, LedgerError> {
        positive(amount)?;
        if amount > self.held {
            return Err(LedgerError::InsufficientHold);
        }
        Ok(Self { held: self.held - amount, ..self })
    }

    /// Books exactly what was held. It cannot fall short: holding it proved that it is there.
    pub fn capture(self, amount: i64) -> Result<Self, LedgerError> {
        self.release(amount)?.debit(amount)
    }

    fn counted(self) -> Result<Self, LedgerError> {
        let entry_count = self.entry_count.checked_add(1).ok_or(LedgerError::Overflow)?;
        Ok(Self { entry_count, ..self })
    }

    fn above_floor(self) -> Result<Self, LedgerError> {
        if self.available()? < 0 { Err(LedgerError::InsufficientFunds) } else { Ok(self) }
    }
}

fn positive(amount: i64) -> Result<(), LedgerError> {
    if amount > 0 { Ok(()) } else { Err(LedgerError::AmountNotPositive) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn with(booked: i64, held: i64, floor: i64) -> StatementBalance {
        StatementBalance { booked, held, entry_count: 3, floor }
    }

    #[test]
    fn a_debit_may_reach_the_floor_and_not_pass_it() {
        assert_eq!(with(100, 40, -50).available(), Ok(110));
        assert_eq!(with(100, 40, -50).debit(110).map(|b| (b.booked, b.entry_count)), Ok((-10, 4)));
        assert_eq!(with(100, 40, -50).debit(111), Err(LedgerError::InsufficientFunds));
    }

    #[test]
    fn a_hold_takes_from_what_is_available_and_a_capture_books_it() {
        let held = with(100, 0, 0).hold(100).unwrap();
        assert_eq!(held.available(), Ok(0));
        assert_eq!(held.debit(1), Err(LedgerError::InsufficientFunds));
        assert_eq!(held.capture(100), Ok(StatementBalance { booked: 0, held: 0, entry_count: 4, floor: 0 }));
        assert_eq!(held.release(101), Err(LedgerError::InsufficientHold));
        assert_eq!(with(100, 0, 0).hold(101), Err(LedgerError::InsufficientFunds));
    }

    #[test]
    fn nothing_and_less_than_nothing_do_not_move() {
        for amount in [0, -1, i64::MIN] {
            let balance = with(100, 100, 0);
            let tried = [
                balance.debit(amount),
                balance.credit(amount),
                balance.hold(amount),
                balance.release(amount),
            ];
            assert_eq!(tried, [Err(LedgerError::AmountNotPositive); 4]);
        }
    }

    #[test]
    fn the_largest_sums_are_refused() {
        assert_eq!(with(i64::MAX, 0, 0).credit(1), Err(LedgerError::Overflow));
        assert_eq!(with(i64::MIN, 0, 0).debit(1), Err(LedgerError::Overflow));
        assert_eq!(with(0, i64::MAX, 0).hold(1), Err(LedgerError::Overflow));
    }

    proptest! {
        #[test]
        fn no_run_of_commands_passes_the_floor(
            floor in -1000i64..=0,
            commands in prop::collection::vec((0u8..5, 1i64..600), 0..60),
        ) {
            let mut balance = StatementBalance::new(floor);
            for (command, amount) in commands {
                let next = match command {
                    0 => balance.debit(amount),
                    1 => balance.credit(amount),
                    2 => balance.hold(amount),
                    3 => balance.release(amount),
                    _ => balance.capture(amount),
                };
                balance = next.unwrap_or(balance);
                prop_assert!(balance.booked - balance.held >= floor && balance.held >= 0);
            }
        }
    }
}
