//! The transition table: every command in every state, computed by the state machine itself.

use super::{NewSigningBasket, SigningBasket, SigningBasketState, Transition};
use crate::id::{ApplicationId, SigningBasketId};
use crate::refusal::Refusal;
use crate::time::Timestamp;
use crate::transition_table::{markdown, refused};
use uuid::Uuid;

const NOW: Timestamp = Timestamp(0);

const STATES: [SigningBasketState; 4] = [
    SigningBasketState::Received,
    SigningBasketState::Authorised,
    SigningBasketState::Rejected,
    SigningBasketState::Cancelled,
];

type Outcome = Result<Transition, Refusal>;

type Command = (&'static str, fn(SigningBasket) -> Outcome);

const COMMANDS: [Command; 3] = [
    ("authorise", |basket| basket.authorise(NOW)),
    ("reject", |basket| basket.reject(NOW)),
    ("cancel", |basket| basket.cancel(NOW)),
];

/// A markdown table with a row per state and a column per command.
pub fn transition_table() -> String {
    markdown(
        COMMANDS.iter().map(|(name, _)| *name),
        STATES.map(|state| {
            let cells = COMMANDS.iter().map(|(_, command)| cell(command(in_state(state))));
            (state.status().name().to_owned(), cells.collect())
        }),
    )
}

fn cell(outcome: Outcome) -> String {
    match outcome {
        Ok((basket, event)) => format!("{} ({})", basket.state.status().name(), event.action),
        Err(refusal) => refused(&refusal),
    }
}

/// A basket without members, created at [`NOW`], in this state.
pub(super) fn in_state(state: SigningBasketState) -> SigningBasket {
    let (id, application) = (SigningBasketId::new(Uuid::nil()), ApplicationId::new(Uuid::nil()));
    let new = NewSigningBasket { id, application, psu: String::new(), now: NOW, members_due: None };
    let (basket, _) = SigningBasket::create(new, Vec::new());
    SigningBasket { state, ..basket }
}

#[cfg(test)]
mod tests {
    use super::super::SigningBasketStatus;
    use super::*;

    #[test]
    fn every_command_in_every_state() {
        let names: Vec<SigningBasketStatus> = STATES.iter().map(|state| state.status()).collect();
        assert_eq!(names, SigningBasketStatus::ALL, "a state is missing from the table");
        insta::assert_snapshot!(transition_table());
    }
}
