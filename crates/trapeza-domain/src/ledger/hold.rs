//! A hold: an amount reserved on an account, shown as a pending transaction.

use super::account::LedgerAccountId;
use super::balance::LedgerError;
use crate::money::Money;
use crate::string_enum::string_enum;

/// The number of a hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct HoldId(pub i64);

string_enum! {
    /// An active hold is captured or released once.
    pub enum HoldState {
        Active = "active",
        Captured = "captured",
        Released = "released",
    }
}

/// A hold and its state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hold {
    pub id: HoldId,
    pub account: LedgerAccountId,
    pub amount: Money,
    pub state: HoldState,
}

impl Hold {
    /// Captures the amount: its transfers are booked in the same transaction.
    pub fn capture(self) -> Result<Self, LedgerError> {
        self.end(HoldState::Captured)
    }

    /// Releases the amount.
    pub fn release(self) -> Result<Self, LedgerError> {
        self.end(HoldState::Released)
    }

    fn end(self, state: HoldState) -> Result<Self, LedgerError> {
        match self.state {
            HoldState::Active => Ok(Self { state, ..self }),
            HoldState::Captured | HoldState::Released => Err(LedgerError::HoldClosed),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::money::Currency;

    #[test]
    fn every_command_in_every_state() {
        type Command = fn(Hold) -> Result<Hold, LedgerError>;
        let commands: [(&str, Command); 2] = [("capture", Hold::capture), ("release", Hold::release)];
        let mut matrix = String::new();
        for state in HoldState::ALL.iter().copied() {
            for (name, command) in commands {
                let hold = Hold {
                    id: HoldId(1),
                    account: LedgerAccountId(1),
                    amount: Money::new(100, Currency::EUR),
                    state,
                };
                let outcome = match command(hold) {
                    Ok(next) => next.state.name().to_owned(),
                    Err(error) => format!("refused: {error:?}"),
                };
                matrix += &format!("{:<9} {name} -> {outcome}\n", state.name());
            }
        }
        insta::assert_snapshot!(matrix);
    }
}
