//! The transition table: every command in every state, computed by the state machine itself.

use super::{
    Callback, CallbackKind, CallbackState, CallbackTopic, Jitter, MAX_ATTEMPTS, NewCallback, Transition,
};
use crate::id::{ApplicationId, CallbackId};
use crate::refusal::Refusal;
use crate::time::Timestamp;
use crate::transition_table::{markdown, refused};
use uuid::Uuid;

const NOW: Timestamp = Timestamp(0);

const STATES: [CallbackState; 5] = [
    CallbackState::Waiting { failed: 0, due: NOW },
    CallbackState::Waiting { failed: MAX_ATTEMPTS - 1, due: NOW },
    CallbackState::Delivered { at: NOW },
    CallbackState::Dead { at: NOW },
    CallbackState::Disabled { at: NOW },
];

type Command = (&'static str, fn(Callback) -> Result<Transition, Refusal>);

const COMMANDS: [Command; 5] = [
    ("deliver", |callback| callback.deliver(NOW)),
    ("fail", |callback| callback.fail(NOW, Jitter(0))),
    ("disable", |callback| callback.disable(NOW)),
    ("replay", |callback| callback.replay(NOW)),
    ("resend", |callback| callback.resend(NOW)),
];

/// A markdown table with a row per state and a column per command.
pub fn transition_table() -> String {
    markdown(
        COMMANDS.iter().map(|(name, _)| *name),
        STATES.map(|state| {
            let cells = COMMANDS.iter().map(|(_, command)| cell(command(in_state(state))));
            (name(state), cells.collect())
        }),
    )
}

fn cell(outcome: Result<Transition, Refusal>) -> String {
    match outcome {
        Ok((callback, Some(event))) => format!("{} ({})", name(callback.state), event.action),
        Ok((callback, None)) => name(callback.state),
        Err(refusal) => refused(&refusal),
    }
}

fn name(state: CallbackState) -> String {
    let last = matches!(state, CallbackState::Waiting { failed, .. } if failed == MAX_ATTEMPTS - 1);
    format!("{}{}", state.status().name(), if last { ", last attempt" } else { "" })
}

pub(super) fn in_state(state: CallbackState) -> Callback {
    let (id, application) = (CallbackId::new(Uuid::nil()), ApplicationId::new(Uuid::nil()));
    let topic = CallbackTopic::Basket(CallbackKind::Approved);
    let new = NewCallback { id, application, topic, now: NOW };
    Callback { state, ..Callback::enqueue(new).0 }
}

#[cfg(test)]
mod tests {
    use super::super::CallbackStatus;
    use super::*;

    #[test]
    fn every_command_in_every_state() {
        for status in CallbackStatus::ALL {
            assert!(STATES.iter().any(|state| state.status() == *status), "{status:?} is not in the table");
        }
        insta::assert_snapshot!(transition_table());
    }

    #[test]
    fn delivered_callback_refuses_every_command() {
        for (name, command) in COMMANDS {
            assert!(command(in_state(CallbackState::Delivered { at: NOW })).is_err(), "{name}");
        }
    }
}
