//! The transition table: every command in every state, computed by the state machine itself.

use super::{
    ApproachSelection, Authorisation, NewAuthorisation, ScaApproach, ScaState, SelectedMethod, Target,
    TargetKind, Transition,
};
use crate::id::{ApplicationId, AuthorisationId, MethodId};
use crate::psu::MethodKind;
use crate::refusal::Refusal;
use crate::time::Timestamp;
use crate::transition_table::{markdown, refused};
use uuid::Uuid;

pub(super) const NOW: Timestamp = Timestamp(0);

const SMS: SelectedMethod = SelectedMethod { id: MethodId::new(Uuid::nil()), kind: MethodKind::Sms };

/// All states. `Started` appears with each of its data, because the redirect page depends on them.
const STATES: [(&str, ScaState); 10] = [
    ("received", ScaState::Received),
    ("psuIdentified", ScaState::PsuIdentified),
    ("psuAuthenticated", ScaState::PsuAuthenticated),
    ("scaMethodSelected", ScaState::ScaMethodSelected(SMS)),
    ("started: opened", ScaState::Started { password_verified: false, method: None }),
    ("started: signed in", ScaState::Started { password_verified: true, method: None }),
    ("started: challenged", ScaState::Started { password_verified: true, method: Some(SMS) }),
    ("finalised", ScaState::Finalised),
    ("failed", ScaState::Failed),
    ("exempted", ScaState::Exempted),
];

type Outcome = Result<Transition, Refusal>;

type Command = (&'static str, fn(Authorisation) -> Outcome);

const COMMANDS: [Command; 12] = [
    ("identify", |it| it.identify(NOW)),
    ("authenticate (embedded)", |it| it.authenticate(ScaApproach::Embedded, NOW)),
    ("authenticate (redirect)", |it| it.authenticate(ScaApproach::Redirect, NOW)),
    ("select (embedded)", |it| it.select(ScaApproach::Embedded, SMS, NOW)),
    ("select (redirect)", |it| it.select(ScaApproach::Redirect, SMS, NOW)),
    ("start (redirect)", |it| it.start(ScaApproach::Redirect, None, NOW)),
    ("start (decoupled)", |it| it.start(ScaApproach::Decoupled, None, NOW)),
    ("finalise (embedded)", |it| it.finalise(ScaApproach::Embedded, NOW)),
    ("finalise (redirect)", |it| it.finalise(ScaApproach::Redirect, NOW)),
    ("finalise (decoupled)", |it| it.finalise(ScaApproach::Decoupled, NOW)),
    ("fail", |it| it.fail(NOW)),
    ("exempt", |it| it.exempt(NOW)),
];

/// A markdown table with a row per state and a column per command.
pub fn transition_table() -> String {
    let columns = COMMANDS.iter().map(|(name, _)| *name).chain(["expiry"]);
    markdown(
        columns,
        STATES.map(|(name, state)| {
            let (late, event) = in_state(state).expire_if_due(Timestamp(i64::MAX));
            let expiry = event.map_or("stays".to_owned(), |event| described(&late, event.action));
            let cells = COMMANDS.iter().map(|(_, command)| cell(command(in_state(state))));
            (name.to_owned(), cells.chain([expiry]).collect())
        }),
    )
}

fn cell(outcome: Outcome) -> String {
    match outcome {
        Ok((after, event)) => described(&after, event.action),
        Err(refusal) => refused(&refusal),
    }
}

fn described(after: &Authorisation, action: &str) -> String {
    format!("{} ({action})", after.state.status().name())
}

/// An authorisation created at [`NOW`] in this state, with all approaches possible.
pub(super) fn in_state(state: ScaState) -> Authorisation {
    let created = NewAuthorisation {
        id: AuthorisationId::new(Uuid::nil()),
        application: ApplicationId::new(Uuid::nil()),
        target: Target::new(TargetKind::Consent, Uuid::nil()),
        psu_name: String::new(),
        psu: None,
        approach: ApproachSelection::Open { reported: ScaApproach::Embedded },
        now: NOW,
        target_due: None,
        notifies: false,
    };
    let (received, _) = Authorisation::receive(created);
    Authorisation { state, ..received }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::authorisation::ScaStatus;

    #[test]
    fn every_command_in_every_state() {
        let mut names: Vec<ScaStatus> = STATES.iter().map(|(_, state)| state.status()).collect();
        names.dedup();
        assert_eq!(names, ScaStatus::ALL, "a state is missing from the table");
        insta::assert_snapshot!(transition_table());
    }
}
