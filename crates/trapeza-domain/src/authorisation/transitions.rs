//! The table of the machine: every command tried in every state. Printed for people, so made by the machine itself.

use super::{
    ApproachSelection, Authorisation, NewAuthorisation, ScaApproach, ScaState, SelectedMethod, Target,
    TargetKind, Transition,
};
use crate::id::{ApplicationId, AuthorisationId, MethodId};
use crate::psu::MethodKind;
use crate::refusal::Refusal;
use crate::time::Timestamp;
use uuid::Uuid;

pub(super) const NOW: Timestamp = Timestamp(0);

const SMS: SelectedMethod = SelectedMethod { id: MethodId::new(Uuid::nil()), kind: MethodKind::Sms };

/// Every state, with the one that carries most spelt out: what happens on our page depends on it.
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

type Tried = Result<Transition, Refusal>;

type Command = (&'static str, fn(Authorisation) -> Tried);

const COMMANDS: [Command; 12] = [
    ("identify", |it| it.identify(NOW)),
    ("authenticate (embedded)", |it| it.authenticate(ScaApproach::Embedded, NOW)),
    ("authenticate (page)", |it| it.authenticate(ScaApproach::Redirect, NOW)),
    ("select (embedded)", |it| it.select(ScaApproach::Embedded, SMS, NOW)),
    ("select (page)", |it| it.select(ScaApproach::Redirect, SMS, NOW)),
    ("start (page)", |it| it.start(ScaApproach::Redirect, None, NOW)),
    ("start (app)", |it| it.start(ScaApproach::Decoupled, None, NOW)),
    ("answer (embedded)", |it| it.finalise(ScaApproach::Embedded, NOW)),
    ("answer (page)", |it| it.finalise(ScaApproach::Redirect, NOW)),
    ("answer (app)", |it| it.finalise(ScaApproach::Decoupled, NOW)),
    ("fail", |it| it.fail(NOW)),
    ("exempt", |it| it.exempt(NOW)),
];

/// A markdown table: a row a state, a column a command.
pub fn transition_table() -> String {
    let heads: Vec<&str> = COMMANDS.iter().map(|(name, _)| *name).chain(["time"]).collect();
    let mut table = format!("| state | {} |\n|---|{}\n", heads.join(" | "), "---|".repeat(heads.len()));
    for (name, state) in STATES {
        let mut cells: Vec<String> =
            COMMANDS.iter().map(|(_, command)| cell(command(in_state(state)))).collect();
        let (late, event) = in_state(state).expire_if_due(Timestamp(i64::MAX));
        cells.push(event.map_or("stays".to_owned(), |event| described(&late, event.action)));
        table += &format!("| {name} | {} |\n", cells.join(" | "));
    }
    table
}

fn cell(tried: Tried) -> String {
    match tried {
        Ok((after, event)) => described(&after, event.action),
        Err(refusal) => format!("refused: {:?}", refusal.reason),
    }
}

fn described(after: &Authorisation, action: &str) -> String {
    format!("{} ({action})", after.state.status().name())
}

/// An authorisation made at [`NOW`], open to all ways, in this state.
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
