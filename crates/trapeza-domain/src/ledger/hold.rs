//! An amount set aside: what people know as a pending transaction.

use super::account::LedgerAccountId;
use super::balance::LedgerError;
use crate::money::Money;
use crate::string_enum::string_enum;

/// A hold's number in the books.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct HoldId(pub i64);

string_enum! {
    /// Active becomes captured or released, once.
    pub enum HoldState {
        Active = "active",
        Captured = "captured",
        Released = "released",
    }
}

/// A hold as it is now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hold {
    pub id: HoldId,
    pub account: LedgerAccountId,
    pub amount: Money,
    pub state: HoldState,
}

impl Hold {
    /// The money leaves: its transfers are booked in the same transaction.
    pub fn capture(self) -> Result<Self, LedgerError> {
        self.end(HoldState::Captured)
    }

    /// The money stays.
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
                    Err(fault) => format!("refused: {fault:?}"),
                };
                matrix += &format!("{:<9} {name} -> {outcome}\n", state.name());
            }
        }
        insta::assert_snapshot!(matrix);
    }
}
