//! How a statement balance may change. Every operation returns a new balance or an error; none overflows.

use crate::refusal::{Refusal, RefusalReason};
use std::fmt;

/// Why a posting is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LedgerError {
    /// The account would fall below its floor.
    InsufficientFunds,
    /// The result does not fit an i64.
    Overflow,
    /// The accounts or the amount have different currencies.
    CurrenciesMixed,
    /// Zero or negative.
    AmountNotPositive,
    /// Debit and credit account are the same.
    SameAccount,
    /// No hold has this reference.
    HoldUnknown,
    /// The hold has already been captured or released.
    HoldClosed,
    /// More is to be released than is held.
    InsufficientHold,
    /// An account that the posting rule requires is missing.
    PartyMissing,
    /// A hold with this reference already exists.
    DuplicateReference,
}

impl LedgerError {
    /// A message for the caller. It contains no balance.
    pub const fn text(self) -> &'static str {
        match self {
            Self::InsufficientFunds => "insufficient funds",
            Self::Overflow => "the amount is too large",
            Self::CurrenciesMixed => "the account has another currency",
            Self::AmountNotPositive => "the amount must be greater than zero",
            Self::SameAccount => "payer and payee are the same account",
            Self::HoldUnknown => "no amount is held under this reference",
            Self::HoldClosed => "the held amount has already been booked or released",
            Self::InsufficientHold => "less is held than was to be captured",
            Self::PartyMissing => "an account that this posting requires is missing",
            Self::DuplicateReference => "an amount is already held under this reference",
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
    fn from(error: LedgerError) -> Self {
        let reason = match error {
            LedgerError::Overflow | LedgerError::AmountNotPositive => RefusalReason::Malformed,
            LedgerError::CurrenciesMixed | LedgerError::SameAccount => RefusalReason::Inconsistent,
            _ => RefusalReason::StatusInvalid,
        };
        Self::new(reason, error.text())
    }
}

/// The balance of a customer's, card's or merchant's account, in minor units.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StatementBalance {
    /// The sum of all entries.
    pub booked: i64,
    /// The sum of all active holds.
    pub held: i64,
    pub entry_count: i64,
    /// `booked - held` never falls below this: minus the credit limit.
    pub floor: i64,
}

impl StatementBalance {
    pub const fn new(floor: i64) -> Self {
        Self { booked: 0, held: 0, entry_count: 0, floor }
    }

    /// What can be spent: booked plus credit limit minus held.
    pub const fn available(self) -> Result<i64, LedgerError> {
        match self.booked.checked_sub(self.held) {
            Some(free) => match free.checked_sub(self.floor) {
                Some(available) => Ok(available),
                None => Err(LedgerError::Overflow),
            },
            None => Err(LedgerError::Overflow),
        }
    }

    /// Debits an amount; it must be available.
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

    /// Holds an amount; it must be available.
    pub fn hold(self, amount: i64) -> Result<Self, LedgerError> {
        positive(amount)?;
        let held = self.held.checked_add(amount).ok_or(LedgerError::Overflow)?;
        Self { held, ..self }.above_floor()
    }

    /// Releases a held amount. A capture is a release followed by debits.
    pub fn release(self, amount: i64) -> Result<Self, LedgerError> {
        positive(amount)?;
        if amount > self.held {
            return Err(LedgerError::InsufficientHold);
        }
        Ok(Self { held: self.held - amount, ..self })
    }

    /// Books exactly the held amount. It cannot fail for lack of funds, because the hold reserved them.
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
    fn debit_stops_at_the_floor() {
        assert_eq!(with(100, 40, -50).available(), Ok(110));
        assert_eq!(with(100, 40, -50).debit(110).map(|b| (b.booked, b.entry_count)), Ok((-10, 4)));
        assert_eq!(with(100, 40, -50).debit(111), Err(LedgerError::InsufficientFunds));
    }

    #[test]
    fn hold_reduces_available_and_capture_books_it() {
        let held = with(100, 0, 0).hold(100).unwrap();
        assert_eq!(held.available(), Ok(0));
        assert_eq!(held.debit(1), Err(LedgerError::InsufficientFunds));
        assert_eq!(held.capture(100), Ok(StatementBalance { booked: 0, held: 0, entry_count: 4, floor: 0 }));
        assert_eq!(held.release(101), Err(LedgerError::InsufficientHold));
        assert_eq!(with(100, 0, 0).hold(101), Err(LedgerError::InsufficientFunds));
    }

    #[test]
    fn amounts_not_positive_are_refused() {
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
    fn overflow_is_refused() {
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

    #[test]
    fn refusals_of_the_ledger_have_their_reasons() {
        let reason = |error: LedgerError| Refusal::from(error).reason;
        assert_eq!(reason(LedgerError::Overflow), RefusalReason::Malformed);
        assert_eq!(reason(LedgerError::AmountNotPositive), RefusalReason::Malformed);
        assert_eq!(reason(LedgerError::CurrenciesMixed), RefusalReason::Inconsistent);
        assert_eq!(reason(LedgerError::SameAccount), RefusalReason::Inconsistent);
        assert_eq!(reason(LedgerError::InsufficientFunds), RefusalReason::StatusInvalid);
    }
}
