//! The table of the machine: every command tried in every state. Printed for people, so made by the machine itself.

use super::{Callback, CallbackKind, CallbackState, Jitter, MAX_ATTEMPTS, NewCallback, Transition};
use crate::id::{ApplicationId, CallbackId};
use crate::refusal::Refusal;
use crate::time::Timestamp;
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

const COMMANDS: [Command; 4] = [
    ("deliver", |callback| callback.deliver(NOW)),
    ("fail", |callback| callback.fail(NOW, Jitter(0))),
    ("disable", |callback| callback.disable(NOW)),
    ("replay", |callback| callback.replay(NOW)),
];

/// A markdown table: a row a state, a column a command.
pub fn transition_table() -> String {
    let heads: Vec<&str> = COMMANDS.iter().map(|(name, _)| *name).collect();
    let mut table = format!("| state | {} |\n|---|{}\n", heads.join(" | "), "---|".repeat(heads.len()));
    for state in STATES {
        let cells: Vec<String> = COMMANDS.iter().map(|(_, command)| cell(command(in_state(state)))).collect();
        table.push_str(&format!("| {} | {} |\n", name(state), cells.join(" | ")));
    }
    table
}

fn cell(tried: Result<Transition, Refusal>) -> String {
    match tried {
        Ok((callback, Some(event))) => format!("{} ({})", name(callback.state), event.action),
        Ok((callback, None)) => name(callback.state),
        Err(refusal) => format!("refused: {:?}", refusal.reason),
    }
}

fn name(state: CallbackState) -> String {
    let last = matches!(state, CallbackState::Waiting { failed, .. } if failed == MAX_ATTEMPTS - 1);
    format!("{}{}", state.status().name(), if last { ", last try" } else { "" })
}

pub(super) fn in_state(state: CallbackState) -> Callback {
    let (id, application) = (CallbackId::new(Uuid::nil()), ApplicationId::new(Uuid::nil()));
    let new = NewCallback { id, application, kind: CallbackKind::Approved, now: NOW };
    Callback { state, ..Callback::enqueue(new).0 }
}

#[cfg(test)]
mod tests {
    use super::super::CallbackStatus;
    use super::*;

    #[test]
    fn every_command_in_every_state() {
        for owed in CallbackStatus::ALL {
            assert!(STATES.iter().any(|state| state.status() == *owed), "{owed:?} is not in the table");
        }
        insta::assert_snapshot!(transition_table());
    }

    #[test]
    fn what_was_delivered_stays_delivered() {
        for (name, command) in COMMANDS {
            assert!(command(in_state(CallbackState::Delivered { at: NOW })).is_err(), "{name}");
        }
    }
}
