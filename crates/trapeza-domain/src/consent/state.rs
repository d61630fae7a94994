//! The life of a consent, the same for both kinds: its states, what may be done in each, and what time alone does.
//!
//! Whoever looks at a consent looks at it as of now: a sweep that comes late never lets anybody in.

use super::NewConsent;
use crate::audit_event::AuditEvent;
use crate::id::{ApplicationId, ConsentId};
use crate::refusal::{Refusal, RefusalReason};
use crate::string_enum::string_enum;
use crate::time::{TimeDelta, Timestamp};

/// How long a consent waits to be authorised.
const PENDING_TTL: TimeDelta = TimeDelta::hours(24);
/// How long a one-off consent may be used once it is authorised.
const ONE_OFF_TTL: TimeDelta = TimeDelta::minutes(20);

string_enum! {
    pub enum ConsentKind {
        Access = "access",
        Funds = "funds",
    }

    /// The name of a state (§3).
    pub enum ConsentStatus {
        Received = "received",
        Rejected = "rejected",
        Valid = "valid",
        RevokedByPsu = "revokedByPsu",
        Expired = "expired",
        TerminatedByTpp = "terminatedByTpp",
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ConsentState {
    Received,
    Rejected,
    /// Since its authorisation was final.
    Valid {
        since: Timestamp,
    },
    RevokedByPsu,
    Expired,
    TerminatedByTpp,
}

impl ConsentState {
    pub const fn status(self) -> ConsentStatus {
        match self {
            Self::Received => ConsentStatus::Received,
            Self::Rejected => ConsentStatus::Rejected,
            Self::Valid { .. } => ConsentStatus::Valid,
            Self::RevokedByPsu => ConsentStatus::RevokedByPsu,
            Self::Expired => ConsentStatus::Expired,
            Self::TerminatedByTpp => ConsentStatus::TerminatedByTpp,
        }
    }

    pub const fn is_final(self) -> bool {
        !matches!(self, Self::Received | Self::Valid { .. })
    }
}

/// What of its terms bounds a consent's life.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Validity {
    /// The last instant at which it is good; without one it lives until somebody ends it.
    pub end: Option<Timestamp>,
    pub one_off: bool,
}

/// What time alone will make of a consent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ScheduledTransition {
    /// The first instant at which it is so.
    pub at: Timestamp,
    pub state: ConsentState,
}

/// A consent without its terms.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Consent {
    pub id: ConsentId,
    pub application: ApplicationId,
    pub kind: ConsentKind,
    /// As the third party sent it: it may be nobody's name.
    pub psu: String,
    pub created_at: Timestamp,
    /// Moves with every change of the state.
    pub last_action: Timestamp,
    pub state: ConsentState,
    pub validity: Validity,
}

/// A consent after a command, and what is written down about it.
pub type Transition = (Consent, AuditEvent);

impl Consent {
    pub(super) fn receive(new: NewConsent, kind: ConsentKind, validity: Validity) -> Transition {
        let NewConsent { id, application, psu, now } = new;
        let state = ConsentState::Received;
        let consent = Self { id, application, kind, psu, created_at: now, last_action: now, state, validity };
        let event = consent.event("consent.created");
        (consent, event)
    }

    /// The customer has agreed, with strong authentication.
    pub fn authorise(self, now: Timestamp) -> Result<Transition, Refusal> {
        match self.as_of(now).state {
            ConsentState::Received => {
                Ok(self.moved(ConsentState::Valid { since: now }, now, "consent.authorised"))
            }
            state => Err(out_of_state(state)),
        }
    }

    /// The customer has said no, or named an account that is not theirs.
    pub fn reject(self, now: Timestamp) -> Result<Transition, Refusal> {
        match self.as_of(now).state {
            ConsentState::Received => Ok(self.moved(ConsentState::Rejected, now, "consent.rejected")),
            state => Err(out_of_state(state)),
        }
    }

    /// The customer has withdrawn it.
    pub fn revoke_by_psu(self, now: Timestamp) -> Result<Transition, Refusal> {
        match self.as_of(now).state {
            ConsentState::Valid { .. } => Ok(self.moved(ConsentState::RevokedByPsu, now, "consent.revoked")),
            state => Err(out_of_state(state)),
        }
    }

    /// The bank ends it. What time does by itself is [`Consent::expire_if_due`].
    pub fn expire(self, now: Timestamp) -> Result<Transition, Refusal> {
        match self.as_of(now).state {
            ConsentState::Received | ConsentState::Valid { .. } => {
                Ok(self.moved(ConsentState::Expired, now, "consent.expired"))
            }
            state => Err(out_of_state(state)),
        }
    }

    /// The third party gives it back. `None` when it was final already, which is just as well.
    pub fn terminate(self, now: Timestamp) -> Option<Transition> {
        let open = !self.as_of(now).state.is_final();
        open.then(|| self.moved(ConsentState::TerminatedByTpp, now, "consent.terminated"))
    }

    /// What time alone makes of it next, and when.
    pub fn next_deadline(&self) -> Option<ScheduledTransition> {
        let ended = self
            .validity
            .end
            .map(|end| ScheduledTransition { at: end.plus(TimeDelta(1)), state: ConsentState::Expired });
        let other = match self.state {
            ConsentState::Received => Some(ScheduledTransition {
                at: self.created_at.plus(PENDING_TTL),
                state: ConsentState::Rejected,
            }),
            ConsentState::Valid { since } => {
                let used = ScheduledTransition { at: since.plus(ONE_OFF_TTL), state: ConsentState::Expired };
                self.validity.one_off.then_some(used)
            }
            _ => return None,
        };
        ended.into_iter().chain(other).min_by_key(|due| due.at)
    }

    /// The consent as it is at `now`, whether or not a sweep has come by.
    pub fn as_of(&self, now: Timestamp) -> Self {
        match self.next_deadline() {
            Some(due) if due.at <= now => Self { state: due.state, last_action: due.at, ..self.clone() },
            _ => self.clone(),
        }
    }

    /// The same as [`Consent::as_of`], for keeping: with what is written down about it if time has moved it.
    pub fn expire_if_due(self, now: Timestamp) -> (Self, Option<AuditEvent>) {
        match self.next_deadline() {
            Some(due) if due.at <= now => {
                let action = match due.state {
                    ConsentState::Rejected => "consent.rejected",
                    _ => "consent.expired",
                };
                let (consent, event) = self.moved(due.state, due.at, action);
                (consent, Some(event.with("due_micros", due.at.0)))
            }
            _ => (self, None),
        }
    }

    /// As it was when it was made: what a repeated creation is answered with.
    pub fn as_created(&self) -> Self {
        Self { state: ConsentState::Received, last_action: self.created_at, ..self.clone() }
    }

    fn moved(mut self, state: ConsentState, at: Timestamp, action: &'static str) -> Transition {
        let event = self.event(action).with("from", self.state.status().name());
        self.state = state;
        self.last_action = at;
        (self, event)
    }

    /// Says nothing of the customer or the accounts: the log is read by more people than the consent.
    fn event(&self, action: &'static str) -> AuditEvent {
        AuditEvent::new(action, "consent", self.id).with("kind", self.kind.name())
    }
}

fn out_of_state(state: ConsentState) -> Refusal {
    let text = format!("the consent is {}; this cannot be done with it now", state.status().name());
    Refusal::at(RefusalReason::StatusInvalid, "consentId", text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use uuid::Uuid;

    const BORN: Timestamp = Timestamp(1_000_000);

    fn consent(end: Option<Timestamp>, one_off: bool) -> Consent {
        let new = NewConsent {
            id: ConsentId::new(Uuid::from_u128(1)),
            application: ApplicationId::new(Uuid::from_u128(2)),
            psu: "anna".into(),
            now: BORN,
        };
        Consent::receive(new, ConsentKind::Access, Validity { end, one_off }).0
    }

    fn status(consent: &Consent, now: Timestamp) -> ConsentStatus {
        consent.as_of(now).state.status()
    }

    #[test]
    fn a_received_consent_is_rejected_after_a_day() {
        let consent = consent(Some(BORN.plus(TimeDelta::days(90))), false);
        let day = BORN.plus(TimeDelta::hours(24));
        assert_eq!(status(&consent, day.minus(TimeDelta(1))), ConsentStatus::Received);
        assert_eq!(status(&consent, day), ConsentStatus::Rejected);
        assert!(consent.clone().authorise(day).is_err(), "a late sweep lets nobody in");
        assert!(consent.clone().authorise(day.minus(TimeDelta(1))).is_ok());
        assert_eq!(consent.as_of(day.plus(TimeDelta::days(5))).last_action, day);
    }

    #[test]
    fn a_received_consent_whose_end_comes_first_expires() {
        let end = BORN.plus(TimeDelta::hours(2));
        let consent = consent(Some(end), false);
        assert_eq!(status(&consent, end), ConsentStatus::Received);
        assert_eq!(status(&consent, end.plus(TimeDelta(1))), ConsentStatus::Expired);
        assert_eq!(status(&consent, BORN.plus(TimeDelta::days(2))), ConsentStatus::Expired);
    }

    #[test]
    fn a_valid_consent_is_good_through_its_last_instant() {
        let end = BORN.plus(TimeDelta::days(90));
        let (valid, _) = consent(Some(end), false).authorise(BORN.plus(TimeDelta::hours(1))).unwrap();
        assert_eq!(status(&valid, end), ConsentStatus::Valid);
        assert_eq!(status(&valid, end.plus(TimeDelta(1))), ConsentStatus::Expired);
        assert!(valid.clone().revoke_by_psu(end.plus(TimeDelta(1))).is_err());
        assert_eq!(valid.terminate(end.plus(TimeDelta(1))), None);
    }

    #[test]
    fn a_one_off_consent_lasts_twenty_minutes() {
        let since = BORN.plus(TimeDelta::hours(1));
        let (valid, _) = consent(Some(BORN.plus(TimeDelta::days(90))), true).authorise(since).unwrap();
        assert_eq!(
            status(&valid, since.plus(TimeDelta::minutes(20)).minus(TimeDelta(1))),
            ConsentStatus::Valid
        );
        assert_eq!(status(&valid, since.plus(TimeDelta::minutes(20))), ConsentStatus::Expired);
    }

    #[test]
    fn a_consent_without_an_end_lives_until_somebody_ends_it() {
        let (valid, _) = consent(None, false).authorise(BORN).unwrap();
        assert_eq!(valid.next_deadline(), None);
        assert_eq!(status(&valid, Timestamp(i64::MAX)), ConsentStatus::Valid);
    }

    #[test]
    fn settling_keeps_what_a_reader_saw_and_happens_once() {
        let consent = consent(None, false);
        let late = BORN.plus(TimeDelta::days(3));
        let (settled, event) = consent.clone().expire_if_due(late);
        assert_eq!(settled, consent.as_of(late));
        assert_eq!(event.unwrap().action, "consent.rejected");
        assert_eq!(settled.clone().expire_if_due(late), (settled, None));
        assert_eq!(consent.clone().expire_if_due(BORN), (consent, None));
    }

    #[test]
    fn a_consent_shown_as_created_forgets_what_became_of_it() {
        let received = consent(None, false);
        let (ended, _) = received.clone().terminate(BORN.plus(TimeDelta::hours(1))).unwrap();
        assert_eq!(ended.as_created(), received);
    }
}
