//! The transition table: every command in every state, computed by the state machine itself.

use super::{
    Basket, BasketId, BasketOrder, BasketState, DeclineReason, NewBasket, PublicBasketId, Transition,
};
use crate::id::{ApplicationId, LoanId, MerchantId};
use crate::money::{Currency, Money};
use crate::refusal::Refusal;
use crate::time::Timestamp;
use crate::transition_table::{markdown, refused};
use uuid::Uuid;

const NOW: Timestamp = Timestamp(0);
const END: Timestamp = Timestamp(1);
const LOAN: LoanId = LoanId::new(Uuid::nil());

const STATES: [BasketState; 7] = [
    BasketState::Created,
    BasketState::Opened { loan: LOAN },
    BasketState::Approved { loan: LOAN },
    BasketState::Declined { loan: Some(LOAN), reason: DeclineReason::Exposure },
    BasketState::Declined { loan: None, reason: DeclineReason::Voided },
    BasketState::Expired { loan: None },
    BasketState::Expired { loan: Some(LOAN) },
];

type Command = (&'static str, fn(Basket) -> Result<Transition, Refusal>);

const COMMANDS: [Command; 8] = [
    ("open", |basket| basket.open(LOAN, NOW)),
    ("approve", |basket| basket.approve(NOW)),
    ("decline", |basket| basket.decline(DeclineReason::Exposure, NOW)),
    ("void", |basket| basket.void(NOW)),
    ("open, late", |basket| basket.open(LOAN, END)),
    ("approve, late", |basket| basket.approve(END)),
    ("decline, late", |basket| basket.decline(DeclineReason::Exposure, END)),
    ("void, late", |basket| basket.void(END)),
];

/// A markdown table with a row per state, a column per command, and a column for expiry.
pub fn transition_table() -> String {
    let columns = COMMANDS.iter().map(|(name, _)| *name).chain(["expiry"]);
    markdown(
        columns,
        STATES.map(|state| {
            let expiry = match in_state(state).expire_if_due(END) {
                (basket, Some(event)) => format!("{} ({})", name(basket.state), event.action),
                (_, None) => "stays".to_owned(),
            };
            let cells = COMMANDS.iter().map(|(_, command)| cell(command(in_state(state))));
            (name(state), cells.chain([expiry]).collect())
        }),
    )
}

fn cell(outcome: Result<Transition, Refusal>) -> String {
    match outcome {
        Ok((basket, event)) => format!("{} ({})", name(basket.state), event.action),
        Err(refusal) => refused(&refusal),
    }
}

fn name(state: BasketState) -> String {
    match state {
        BasketState::Expired { loan: Some(_) } => "expired, was opened".to_owned(),
        BasketState::Declined { loan: None, .. } => "declined, never opened".to_owned(),
        state => state.name().to_owned(),
    }
}

fn in_state(state: BasketState) -> Basket {
    let order = BasketOrder {
        value: Money::new(1, Currency::EUR),
        order_identifier: String::new(),
        products: Vec::new(),
        merchant_data: None,
        phone: None,
        email: None,
        success_callback: None,
        fail_callback: None,
        success_redirect: None,
        failure_redirect: None,
    };
    let new = NewBasket {
        id: BasketId::new(1),
        public: PublicBasketId::new([0; 16]),
        application: ApplicationId::new(Uuid::nil()),
        merchant: MerchantId::new(Uuid::nil()),
        request: String::new(),
        now: NOW,
        expires_at: END,
    };
    Basket { state, ..Basket::create(new, order).0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_command_in_every_state() {
        insta::assert_snapshot!(transition_table());
    }

    #[test]
    fn final_states_refuse_every_command() {
        for state in STATES.into_iter().filter(|state| state.is_final()) {
            for (name, command) in COMMANDS {
                assert!(command(in_state(state)).is_err(), "{name} in {state:?}");
            }
            assert_eq!(in_state(state).expire_if_due(END).1, None);
        }
    }
}
