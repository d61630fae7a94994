//! The transition table: every command in every state, computed by the state machine itself.

use super::{Consent, ConsentKind, ConsentRejection, ConsentState, NewConsent, Transition, Validity};
use crate::id::{ApplicationId, ConsentId};
use crate::refusal::Refusal;
use crate::time::Timestamp;
use crate::transition_table::{markdown, refused};
use uuid::Uuid;

const NOW: Timestamp = Timestamp(0);

const STATES: [ConsentState; 6] = [
    ConsentState::Received,
    ConsentState::Rejected { reason: ConsentRejection::Refused },
    ConsentState::Valid { since: NOW },
    ConsentState::RevokedByPsu,
    ConsentState::Expired,
    ConsentState::TerminatedByTpp,
];

/// The outcome of a command: a refusal, no change, or the changed consent.
type Outcome = Result<Option<Transition>, Refusal>;

type Command = (&'static str, fn(Consent) -> Outcome);

const COMMANDS: [Command; 5] = [
    ("authorise", |consent| consent.authorise(NOW).map(Some)),
    ("reject", |consent| consent.reject(ConsentRejection::Refused, NOW).map(Some)),
    ("revoke_by_psu", |consent| consent.revoke_by_psu(NOW).map(Some)),
    ("expire", |consent| consent.expire(NOW).map(Some)),
    ("terminate", |consent| Ok(consent.terminate(NOW))),
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
        Ok(Some((consent, event))) => format!("{} ({})", consent.state.status().name(), event.action),
        Ok(None) => "already final".to_owned(),
        Err(refusal) => refused(&refusal),
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
