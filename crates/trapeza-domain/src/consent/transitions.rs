//! The table of the machine: every command tried in every state. Printed for people, so made by the machine itself.

use super::{Consent, ConsentKind, ConsentState, NewConsent, Transition, Validity};
use crate::id::{ApplicationId, ConsentId};
use crate::refusal::Refusal;
use crate::time::Timestamp;
use uuid::Uuid;

const NOW: Timestamp = Timestamp(0);

const STATES: [ConsentState; 6] = [
    ConsentState::Received,
    ConsentState::Rejected,
    ConsentState::Valid { since: NOW },
    ConsentState::RevokedByPsu,
    ConsentState::Expired,
    ConsentState::TerminatedByTpp,
];

/// What a command says: a refusal, that nothing was left to do, or the changed consent.
type Tried = Result<Option<Transition>, Refusal>;

type Command = (&'static str, fn(Consent) -> Tried);

const COMMANDS: [Command; 5] = [
    ("authorise", |consent| consent.authorise(NOW).map(Some)),
    ("reject", |consent| consent.reject(NOW).map(Some)),
    ("revoke_by_psu", |consent| consent.revoke_by_psu(NOW).map(Some)),
    ("expire", |consent| consent.expire(NOW).map(Some)),
    ("terminate", |consent| Ok(consent.terminate(NOW))),
];

/// A markdown table: a row a state, a column a command.
pub fn transition_table() -> String {
    let heads: Vec<&str> = COMMANDS.iter().map(|(name, _)| *name).collect();
    let mut table = format!("| state | {} |\n|---|{}\n", heads.join(" | "), "---|".repeat(heads.len()));
    for state in STATES {
        let cells: Vec<String> = COMMANDS.iter().map(|(_, command)| cell(command(in_state(state)))).collect();
        table += &format!("| {} | {} |\n", state.status().name(), cells.join(" | "));
    }
    table
}

fn cell(tried: Tried) -> String {
    match tried {
        Ok(Some((consent, event))) => format!("{} ({})", consent.state.status().name(), event.action),
        Ok(None) => "already final".to_owned(),
        Err(refusal) => format!("refused: {:?}", refusal.reason),
    }
}

fn in_state(state: ConsentState) -> Consent {
    let (id, application) = (ConsentId::new(Uuid::nil()), ApplicationId::new(Uuid::nil()));
    let new = NewConsent { id, application, psu: String::new(), now: NOW };
    let (consent, _) = Consent::receive(new, ConsentKind::Access, Validity { end: None, one_off: false });
    Consent { state, ..consent }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::consent::ConsentStatus;

    #[test]
    fn every_command_in_every_state() {
        let names: Vec<ConsentStatus> = STATES.iter().map(|state| state.status()).collect();
        assert_eq!(names, ConsentStatus::ALL, "a state is missing from the table");
        insta::assert_snapshot!(transition_table());
    }
}
