//! The SCA state machine: states, commands and expiry. An authorisation is always evaluated as of now, so that a late sweep
//! cannot extend it.

use super::{ApproachSelection, ScaApproach, Target, TargetKind};
use crate::audit_event::AuditEvent;
use crate::id::{ApplicationId, AuthorisationId, MethodId, PsuId};
use crate::psu::MethodKind;
use crate::refusal::{Refusal, RefusalReason};
use crate::status_change::{NewStatus, StatusChange};
use crate::string_enum::string_enum;
use crate::time::{TimeDelta, Timestamp};

/// How long an authorisation is open.
pub const AUTHORISATION_TTL: TimeDelta = TimeDelta::minutes(15);

string_enum! {
    /// State names (§3).
    pub enum ScaStatus {
        Received = "received",
        PsuIdentified = "psuIdentified",
        PsuAuthenticated = "psuAuthenticated",
        ScaMethodSelected = "scaMethodSelected",
        Started = "started",
        Finalised = "finalised",
        Failed = "failed",
        Exempted = "exempted",
    }
}

/// The SCA method of the current challenge.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SelectedMethod {
    pub id: MethodId,
    pub kind: MethodKind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ScaState {
    Received,
    PsuIdentified,
    /// The password was verified.
    PsuAuthenticated,
    /// A challenge was sent.
    ScaMethodSelected(SelectedMethod),
    /// In progress on our page or in the app, where the third party cannot see the steps.
    Started {
        /// Whether the password was verified there. The app has its own sign-in.
        password_verified: bool,
        method: Option<SelectedMethod>,
    },
    Finalised,
    Failed,
    Exempted,
}

impl ScaState {
    pub const fn status(self) -> ScaStatus {
        match self {
            Self::Received => ScaStatus::Received,
            Self::PsuIdentified => ScaStatus::PsuIdentified,
            Self::PsuAuthenticated => ScaStatus::PsuAuthenticated,
            Self::ScaMethodSelected(_) => ScaStatus::ScaMethodSelected,
            Self::Started { .. } => ScaStatus::Started,
            Self::Finalised => ScaStatus::Finalised,
            Self::Failed => ScaStatus::Failed,
            Self::Exempted => ScaStatus::Exempted,
        }
    }

    pub const fn is_final(self) -> bool {
        matches!(self, Self::Finalised | Self::Failed | Self::Exempted)
    }

    pub const fn method(self) -> Option<SelectedMethod> {
        match self {
            Self::ScaMethodSelected(selected) | Self::Started { method: Some(selected), .. } => {
                Some(selected)
            }
            _ => None,
        }
    }
}

/// One attempt at strong customer authentication.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Authorisation {
    pub id: AuthorisationId,
    pub application: ApplicationId,
    pub target: Target,
    /// The PSU_ID as the third party sent it; empty until the customer is identified.
    pub psu_name: String,
    /// The customer, or `None` for an unknown PSU_ID: then no password is ever accepted.
    pub psu: Option<PsuId>,
    pub state: ScaState,
    pub approach: ApproachSelection,
    pub created_at: Timestamp,
    /// The first point in time at which it is expired.
    pub ends_at: Timestamp,
    /// Whether the third party is notified of changes of status.
    pub notifies: bool,
}

/// The fields of a new authorisation.
#[derive(Clone, Debug)]
pub struct NewAuthorisation {
    pub id: AuthorisationId,
    pub application: ApplicationId,
    pub target: Target,
    pub psu_name: String,
    pub psu: Option<PsuId>,
    pub approach: ApproachSelection,
    pub now: Timestamp,
    /// When the target expires; an authorisation never outlives its target.
    pub target_due: Option<Timestamp>,
    /// Whether the third party is notified of changes of status.
    pub notifies: bool,
}

/// The changed authorisation and its audit event.
pub type Transition = (Authorisation, AuditEvent);

impl Authorisation {
    pub fn receive(created: NewAuthorisation) -> Transition {
        let NewAuthorisation { id, application, target, psu_name, psu, approach, now, target_due, notifies } =
            created;
        let end = now.plus(AUTHORISATION_TTL);
        let ends_at = target_due.map_or(end, |due| due.min(end));
        let state = ScaState::Received;
        let created_at = now;
        let made =
            Self { id, application, target, psu_name, psu, state, approach, created_at, ends_at, notifies };
        let event = made.event("authorisation.created");
        (made, event)
    }

    /// The PSU_ID is known.
    pub fn identify(self, now: Timestamp) -> Result<Transition, Refusal> {
        match self.as_of(now).state {
            ScaState::Received => Ok(self.moved(ScaState::PsuIdentified, "authorisation.identified")),
            state => Err(out_of_order(state)),
        }
    }

    pub fn is_identified(&self) -> bool {
        !self.psu_name.is_empty()
    }

    /// With the customer's name, which was not known at the start. An authorisation that has a name keeps it.
    pub fn with_psu(self, psu_name: &str, psu: Option<PsuId>) -> Self {
        if self.is_identified() {
            return self;
        }
        let state = if self.state == ScaState::Received { ScaState::PsuIdentified } else { self.state };
        Self { psu_name: psu_name.to_owned(), psu, state, ..self }
    }

    /// The password was verified, on the third party's screen or on our page.
    pub fn authenticate(self, approach: ScaApproach, now: Timestamp) -> Result<Transition, Refusal> {
        let state = match (self.as_of(now).state, approach) {
            (ScaState::PsuIdentified, ScaApproach::Embedded) if self.approach.allows(approach) => {
                ScaState::PsuAuthenticated
            }
            (ScaState::Started { password_verified: false, method }, ScaApproach::Redirect)
                if self.approach.allows(approach) =>
            {
                ScaState::Started { password_verified: true, method }
            }
            (state, _) => return Err(out_of_order(state)),
        };
        Ok(self.by(approach).moved(state, "authorisation.authenticated"))
    }

    /// A method was selected, for the first time or again, and a challenge is sent.
    pub fn select(
        self,
        approach: ScaApproach,
        selected: SelectedMethod,
        now: Timestamp,
    ) -> Result<Transition, Refusal> {
        let state = match (self.as_of(now).state, approach) {
            (ScaState::PsuAuthenticated | ScaState::ScaMethodSelected(_), ScaApproach::Embedded) => {
                ScaState::ScaMethodSelected(selected)
            }
            (ScaState::Started { password_verified: true, .. }, ScaApproach::Redirect)
                if self.approach.allows(approach) =>
            {
                ScaState::Started { password_verified: true, method: Some(selected) }
            }
            (state, _) => return Err(out_of_order(state)),
        };
        let (changed, event) = self.moved(state, "authorisation.method_selected");
        Ok((changed, event.with("method", selected.kind.name())))
    }

    /// The redirect page was opened, or the app was notified.
    pub fn start(
        self,
        approach: ScaApproach,
        method: Option<SelectedMethod>,
        now: Timestamp,
    ) -> Result<Transition, Refusal> {
        let may_start = match self.as_of(now).state {
            ScaState::PsuIdentified => approach != ScaApproach::Embedded,
            // The customer gives the name on the page.
            ScaState::Received => approach == ScaApproach::Redirect,
            _ => false,
        };
        match self.as_of(now).state {
            _ if may_start && self.approach.allows(approach) => {
                // The app is signed in.
                let password_verified = approach == ScaApproach::Decoupled;
                let state = ScaState::Started { password_verified, method };
                Ok(self.by(approach).moved(state, "authorisation.started"))
            }
            state => Err(out_of_order(state)),
        }
    }

    /// The method whose answer is expected now by this approach. An answer out of order is refused without being counted as an
    /// attempt. A push approval is answered in the app, wherever the method was selected.
    pub fn pending_method(&self, approach: ScaApproach, now: Timestamp) -> Result<SelectedMethod, Refusal> {
        let state = self.as_of(now).state;
        let (selected, asked) = match state {
            ScaState::ScaMethodSelected(selected) => (selected, ScaApproach::Embedded),
            ScaState::Started { password_verified: true, method: Some(selected) } => {
                (selected, ScaApproach::Redirect)
            }
            state => return Err(out_of_order(state)),
        };
        let expected = if selected.kind == MethodKind::Push { ScaApproach::Decoupled } else { asked };
        if approach == expected { Ok(selected) } else { Err(out_of_order(state)) }
    }

    /// The answer was right.
    pub fn finalise(self, approach: ScaApproach, now: Timestamp) -> Result<Transition, Refusal> {
        self.pending_method(approach, now)?;
        Ok(self.moved(ScaState::Finalised, "authorisation.finalised"))
    }

    /// The authorisation failed: the customer refused, a newer one replaced it, or its target is gone.
    pub fn fail(self, now: Timestamp) -> Result<Transition, Refusal> {
        match self.as_of(now).state {
            state if state.is_final() => Err(out_of_order(state)),
            _ => Ok(self.moved(ScaState::Failed, "authorisation.failed")),
        }
    }

    /// No SCA is required; only configuration can decide this.
    pub fn exempt(self, now: Timestamp) -> Result<Transition, Refusal> {
        match self.as_of(now).state {
            ScaState::Received | ScaState::PsuIdentified => {
                Ok(self.moved(ScaState::Exempted, "authorisation.exempted"))
            }
            state => Err(out_of_order(state)),
        }
    }

    /// When it expires.
    pub fn next_deadline(&self) -> Option<Timestamp> {
        (!self.state.is_final()).then_some(self.ends_at)
    }

    /// The authorisation as of `now`, whether or not the sweep has stored it.
    pub fn as_of(&self, now: Timestamp) -> Self {
        match self.next_deadline() {
            Some(due) if due <= now => Self { state: ScaState::Failed, ..self.clone() },
            _ => self.clone(),
        }
    }

    /// Like [`Self::as_of`], with the audit event if it has expired.
    pub fn expire_if_due(self, now: Timestamp) -> (Self, Option<AuditEvent>) {
        match self.next_deadline() {
            Some(due) if due <= now => {
                let (settled, event) = self.moved(ScaState::Failed, "authorisation.timed_out");
                (settled, Some(event.with("due_micros", due.0)))
            }
            _ => (self, None),
        }
    }

    /// An audit event of this authorisation. It does not name the customer, because more people may read the audit log.
    pub fn event(&self, action: &'static str) -> AuditEvent {
        AuditEvent::new(action, "authorisation", self.id).with("target", self.target)
    }

    /// The first approach used excludes the others.
    fn by(self, approach: ScaApproach) -> Self {
        Self { approach: ApproachSelection::Only(approach), ..self }
    }

    fn moved(self, state: ScaState, action: &'static str) -> Transition {
        let event = self.event(action).with("from", self.state.status().name());
        let event = event.notifying(self.status_change(state));
        (Self { state, ..self }, event)
    }

    /// The change of which the third party is notified, where the next state has another status.
    fn status_change(&self, next: ScaState) -> Option<StatusChange> {
        let (authorisation, status) = (self.id, next.status());
        let is_cancellation = self.target.kind() == TargetKind::Cancellation;
        (self.notifies && status != self.state.status()).then(|| StatusChange {
            application: self.application,
            object: self.target.notified_object(),
            status: NewStatus::Sca { authorisation, is_cancellation, status: status.name() },
        })
    }
}

fn out_of_order(state: ScaState) -> Refusal {
    let text =
        format!("the authorisation is {}; this step is not possible in this state", state.status().name());
    Refusal::new(RefusalReason::StepOutOfOrder, text)
}

#[cfg(test)]
mod tests {
    use super::super::transitions::{NOW, in_state};
    use super::*;
    use crate::id::MethodId;
    use crate::psu::MethodKind;
    use uuid::Uuid;

    #[test]
    fn first_approach_used_excludes_the_others() {
        let open = in_state(ScaState::PsuIdentified);
        let (embedded, _) = open.clone().authenticate(ScaApproach::Embedded, NOW).unwrap();
        assert_eq!(embedded.approach, ApproachSelection::Only(ScaApproach::Embedded));
        let (redirect, _) = open.start(ScaApproach::Redirect, None, NOW).unwrap();
        assert_eq!(redirect.approach, ApproachSelection::Only(ScaApproach::Redirect));
        assert!(redirect.clone().authenticate(ScaApproach::Embedded, NOW).is_err());
        assert!(redirect.authenticate(ScaApproach::Redirect, NOW).is_ok());
    }

    #[test]
    fn name_is_given_once_and_identifies() {
        let unnamed = Authorisation { psu_name: String::new(), psu: None, ..in_state(ScaState::Received) };
        assert!(!unnamed.is_identified());
        let psu = PsuId::new(uuid::Uuid::from_u128(7));
        let named = unnamed.with_psu("eleni", Some(psu));
        assert!(named.is_identified());
        assert_eq!((named.state, named.psu), (ScaState::PsuIdentified, Some(psu)));
        let again = named.clone().with_psu("jonas", None);
        assert_eq!(again, named, "another name has no effect");
    }

    #[test]
    fn approach_not_requested_is_refused() {
        let approach = ApproachSelection::Only(ScaApproach::Redirect);
        let redirect = Authorisation { approach, ..in_state(ScaState::PsuIdentified) };
        assert!(redirect.clone().authenticate(ScaApproach::Embedded, NOW).is_err());
        assert!(redirect.clone().start(ScaApproach::Decoupled, None, NOW).is_err());
        assert!(redirect.start(ScaApproach::Redirect, None, NOW).is_ok());
    }

    #[test]
    fn redirect_requires_password_and_code() {
        let (page, _) = in_state(ScaState::PsuIdentified).start(ScaApproach::Redirect, None, NOW).unwrap();
        let sms = SelectedMethod { id: MethodId::new(uuid::Uuid::nil()), kind: MethodKind::Sms };
        assert!(
            page.clone().select(ScaApproach::Redirect, sms, NOW).is_err(),
            "no method before the password"
        );
        assert!(page.pending_method(ScaApproach::Redirect, NOW).is_err());
        let (page, _) = page.authenticate(ScaApproach::Redirect, NOW).unwrap();
        assert!(page.pending_method(ScaApproach::Redirect, NOW).is_err(), "no answer before a challenge");
        let (page, _) = page.select(ScaApproach::Redirect, sms, NOW).unwrap();
        assert_eq!(page.state.status(), ScaStatus::Started);
        assert!(page.pending_method(ScaApproach::Embedded, NOW).is_err(), "the answer belongs to our page");
        assert_eq!(page.finalise(ScaApproach::Redirect, NOW).unwrap().0.state, ScaState::Finalised);
    }

    #[test]
    fn push_method_is_answered_in_the_app_only() {
        let push = SelectedMethod { id: MethodId::new(uuid::Uuid::nil()), kind: MethodKind::Push };
        let started = ScaState::Started { password_verified: true, method: Some(push) };
        for asked in [in_state(ScaState::ScaMethodSelected(push)), in_state(started)] {
            assert!(asked.pending_method(ScaApproach::Embedded, NOW).is_err());
            assert!(asked.pending_method(ScaApproach::Redirect, NOW).is_err());
            assert_eq!(asked.pending_method(ScaApproach::Decoupled, NOW), Ok(push));
        }
    }

    #[test]
    fn authorisation_expires_after_fifteen_minutes_or_with_its_target() {
        let open = in_state(ScaState::PsuIdentified);
        let end = NOW.plus(TimeDelta::minutes(15));
        assert_eq!(open.as_of(end.minus(TimeDelta(1))).state, ScaState::PsuIdentified);
        assert_eq!(open.as_of(end).state, ScaState::Failed);
        assert!(
            open.clone().authenticate(ScaApproach::Embedded, end).is_err(),
            "an expired authorisation is refused before the sweep"
        );
        let (settled, event) = open.clone().expire_if_due(end);
        assert_eq!(event.unwrap().action, "authorisation.timed_out");
        assert_eq!(settled.clone().expire_if_due(end), (settled, None));
        let due = NOW.plus(TimeDelta::minutes(2));
        let created = NewAuthorisation {
            id: open.id,
            application: open.application,
            target: open.target,
            psu_name: String::new(),
            psu: None,
            approach: open.approach,
            now: NOW,
            target_due: Some(due),
            notifies: false,
        };
        assert_eq!(Authorisation::receive(created).0.ends_at, due);
    }

    #[test]
    fn authorisation_before_its_end_is_not_changed() {
        let open = in_state(ScaState::PsuIdentified);
        let before = open.ends_at.minus(TimeDelta(1));
        assert_eq!(open.clone().expire_if_due(before), (open, None));
    }

    #[test]
    fn method_is_that_of_a_selection_or_a_started_challenge() {
        let sms = SelectedMethod { id: MethodId::new(Uuid::nil()), kind: MethodKind::Sms };
        assert_eq!(ScaState::ScaMethodSelected(sms).method(), Some(sms));
        assert_eq!(ScaState::Started { password_verified: true, method: Some(sms) }.method(), Some(sms));
        assert_eq!(ScaState::Started { password_verified: true, method: None }.method(), None);
        assert_eq!(ScaState::PsuAuthenticated.method(), None);
    }

    #[test]
    fn third_party_is_notified_of_another_status_only_if_it_asked() {
        let quiet = in_state(ScaState::PsuIdentified);
        let asked = Authorisation { notifies: true, ..quiet.clone() };
        let sca = |status| NewStatus::Sca { authorisation: asked.id, is_cancellation: false, status };
        let change = |status| StatusChange {
            application: asked.application,
            object: asked.target.notified_object(),
            status: sca(status),
        };
        assert_eq!(asked.clone().fail(NOW).unwrap().1.status, Some(change("failed")));
        assert_eq!(quiet.fail(NOW).unwrap().1.status, None);
        let same =
            Authorisation { state: ScaState::Started { password_verified: false, method: None }, ..asked };
        let (again, event) = same.authenticate(ScaApproach::Redirect, NOW).unwrap();
        assert_eq!(
            (again.state.status(), event.status),
            (ScaStatus::Started, None),
            "the status is the same"
        );
    }

    #[test]
    fn page_is_used_only_where_the_redirect_approach_is_used() {
        let sms = SelectedMethod { id: MethodId::new(Uuid::nil()), kind: MethodKind::Sms };
        let signed_in = ScaState::Started { password_verified: true, method: None };
        let by =
            |approach| Authorisation { approach: ApproachSelection::Only(approach), ..in_state(signed_in) };
        assert!(by(ScaApproach::Redirect).select(ScaApproach::Redirect, sms, NOW).is_ok());
        assert!(by(ScaApproach::Decoupled).select(ScaApproach::Redirect, sms, NOW).is_err());
        let asked = ScaState::Started { password_verified: false, method: None };
        let by = |approach| Authorisation { approach: ApproachSelection::Only(approach), ..in_state(asked) };
        assert!(by(ScaApproach::Redirect).authenticate(ScaApproach::Redirect, NOW).is_ok());
        assert!(by(ScaApproach::Decoupled).authenticate(ScaApproach::Redirect, NOW).is_err());
    }
}
