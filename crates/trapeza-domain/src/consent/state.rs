//! The state machine of both kinds of consents. A consent is always evaluated as of now, so that a late sweep cannot extend
//! it.

use super::{ConsentRejection, NewConsent};
use crate::audit_event::AuditEvent;
use crate::field::Field;
use crate::id::{ApplicationId, ConsentId, SigningBasketId};
use crate::refusal::{Refusal, RefusalReason};
use crate::status_change::{NewStatus, NotifiedObject, StatusChange};
use crate::string_enum::string_enum;
use crate::time::{TimeDelta, Timestamp};

/// How long a consent waits for its authorisation.
const PENDING_TTL: TimeDelta = TimeDelta::hours(24);
/// How long a one-off consent is usable after its authorisation.
const ONE_OFF_TTL: TimeDelta = TimeDelta::minutes(20);

string_enum! {
    pub enum ConsentKind {
        Access = "access",
        Funds = "funds",
    }

    /// State names (§3).
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
    Rejected {
        reason: ConsentRejection,
    },
    /// Usable since its authorisation was finalised.
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
            Self::Rejected { .. } => ConsentStatus::Rejected,
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

/// The limits of a consent's lifetime.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Validity {
    /// The last point in time at which it is valid; without one it is valid until revoked.
    pub end: Option<Timestamp>,
    pub one_off: bool,
}

/// The transition that time will cause.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ScheduledTransition {
    /// The first point in time at which it applies.
    pub at: Timestamp,
    pub state: ConsentState,
}

/// A consent without its terms.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Consent {
    pub id: ConsentId,
    pub application: ApplicationId,
    pub kind: ConsentKind,
    /// The PSU_ID as the third party sent it; it may be unknown.
    pub psu: String,
    pub created_at: Timestamp,
    /// The time of the last change of state.
    pub last_action: Timestamp,
    pub state: ConsentState,
    pub validity: Validity,
    /// Whether the third party is notified of changes of status.
    pub notifies: bool,
    /// The open signing basket that it is in.
    pub signing_basket: Option<SigningBasketId>,
}

/// The changed consent and its audit event.
pub type Transition = (Consent, AuditEvent);

impl Consent {
    pub(super) fn receive(new: NewConsent, kind: ConsentKind, validity: Validity) -> Transition {
        let NewConsent { id, application, psu, now } = new;
        let state = ConsentState::Received;
        let consent = Self {
            id,
            application,
            kind,
            psu,
            created_at: now,
            last_action: now,
            state,
            validity,
            notifies: false,
            signing_basket: None,
        };
        let event = consent.event("consent.created");
        (consent, event)
    }

    /// The customer has authorised it with SCA.
    pub fn authorise(self, now: Timestamp) -> Result<Transition, Refusal> {
        match self.as_of(now).state {
            ConsentState::Received => {
                Ok(self.moved(ConsentState::Valid { since: now }, now, "consent.authorised"))
            }
            state => Err(out_of_state(state)),
        }
    }

    /// The customer has refused it, or it refers to an account of another customer.
    pub fn reject(self, reason: ConsentRejection, now: Timestamp) -> Result<Transition, Refusal> {
        match self.as_of(now).state {
            ConsentState::Received => {
                let (consent, event) = self.moved(ConsentState::Rejected { reason }, now, "consent.rejected");
                Ok((consent, event.with("reason", reason.name())))
            }
            state => Err(out_of_state(state)),
        }
    }

    /// The customer has revoked it.
    pub fn revoke_by_psu(self, now: Timestamp) -> Result<Transition, Refusal> {
        match self.as_of(now).state {
            ConsentState::Valid { .. } => Ok(self.moved(ConsentState::RevokedByPsu, now, "consent.revoked")),
            state => Err(out_of_state(state)),
        }
    }

    /// The bank ends it. Expiry by time is [`Consent::expire_if_due`].
    pub fn expire(self, now: Timestamp) -> Result<Transition, Refusal> {
        match self.as_of(now).state {
            ConsentState::Received | ConsentState::Valid { .. } => {
                Ok(self.moved(ConsentState::Expired, now, "consent.expired"))
            }
            state => Err(out_of_state(state)),
        }
    }

    /// The third party terminates it. `None` when it was already final.
    pub fn terminate(self, now: Timestamp) -> Option<Transition> {
        let open = !self.as_of(now).state.is_final();
        open.then(|| self.moved(ConsentState::TerminatedByTpp, now, "consent.terminated"))
    }

    /// The next transition caused by time.
    pub fn next_deadline(&self) -> Option<ScheduledTransition> {
        let ended = self
            .validity
            .end
            .map(|end| ScheduledTransition { at: end.plus(TimeDelta(1)), state: ConsentState::Expired });
        let other = match self.state {
            ConsentState::Received => Some(ScheduledTransition {
                at: self.created_at.plus(PENDING_TTL),
                state: ConsentState::Rejected { reason: ConsentRejection::Overdue },
            }),
            ConsentState::Valid { since } => {
                let used = ScheduledTransition { at: since.plus(ONE_OFF_TTL), state: ConsentState::Expired };
                self.validity.one_off.then_some(used)
            }
            _ => return None,
        };
        ended.into_iter().chain(other).min_by_key(|due| due.at)
    }

    /// The consent as of `now`, whether or not the sweep has stored it.
    pub fn as_of(&self, now: Timestamp) -> Self {
        match self.next_deadline() {
            Some(due) if due.at <= now => Self { state: due.state, last_action: due.at, ..self.clone() },
            _ => self.clone(),
        }
    }

    /// Like [`Consent::as_of`], with the audit event if time has changed its state.
    pub fn expire_if_due(self, now: Timestamp) -> (Self, Option<AuditEvent>) {
        match self.next_deadline() {
            Some(due) if due.at <= now => {
                let action = match due.state {
                    ConsentState::Rejected { .. } => "consent.rejected",
                    _ => "consent.expired",
                };
                let (consent, event) = self.moved(due.state, due.at, action);
                (consent, Some(event.with("due_micros", due.at.0)))
            }
            _ => (self, None),
        }
    }

    /// The consent as it was created: the answer to a replayed creation.
    pub fn as_created(&self) -> Self {
        Self { state: ConsentState::Received, last_action: self.created_at, ..self.clone() }
    }

    fn moved(mut self, state: ConsentState, at: Timestamp, action: &'static str) -> Transition {
        let event = self.event(action).with("from", self.state.status().name());
        let event = event.notifying(self.status_change(state));
        self.state = state;
        self.last_action = at;
        (self, event)
    }

    /// The change of which the third party is notified, where the next state has another status.
    fn status_change(&self, next: ConsentState) -> Option<StatusChange> {
        let (status, is_final) = (next.status(), next.is_final());
        (self.notifies && status != self.state.status()).then(|| StatusChange {
            application: self.application,
            object: NotifiedObject::Consent(self.id),
            status: NewStatus::Object { status: status.name(), is_final },
        })
    }

    /// It names neither the customer nor the accounts, because more people may read the audit log.
    fn event(&self, action: &'static str) -> AuditEvent {
        AuditEvent::new(action, "consent", self.id).with("kind", self.kind.name())
    }
}

fn out_of_state(state: ConsentState) -> Refusal {
    let text = format!("the consent is {}; this is not possible in this state", state.status().name());
    Refusal::at(RefusalReason::StatusInvalid, Field::ConsentId, text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use uuid::Uuid;

    const CREATED: Timestamp = Timestamp(1_000_000);

    fn consent(end: Option<Timestamp>, one_off: bool) -> Consent {
        let new = NewConsent {
            id: ConsentId::new(Uuid::from_u128(1)),
            application: ApplicationId::new(Uuid::from_u128(2)),
            psu: "anna".into(),
            now: CREATED,
        };
        Consent::receive(new, ConsentKind::Access, Validity { end, one_off }).0
    }

    fn status(consent: &Consent, now: Timestamp) -> ConsentStatus {
        consent.as_of(now).state.status()
    }

    #[test]
    fn received_consent_is_rejected_after_a_day() {
        let consent = consent(Some(CREATED.plus(TimeDelta::days(90))), false);
        let day = CREATED.plus(TimeDelta::hours(24));
        assert_eq!(status(&consent, day.minus(TimeDelta(1))), ConsentStatus::Received);
        assert_eq!(status(&consent, day), ConsentStatus::Rejected);
        assert!(consent.clone().authorise(day).is_err(), "an expired consent is refused before the sweep");
        assert!(consent.clone().authorise(day.minus(TimeDelta(1))).is_ok());
        assert_eq!(consent.clone().expire_if_due(day.minus(TimeDelta(1))), (consent.clone(), None));
        assert_eq!(
            consent.clone().expire_if_due(day).0,
            consent.as_of(day),
            "stored at the same point in time"
        );
        assert_eq!(consent.as_of(day.plus(TimeDelta::days(5))).last_action, day);
    }

    #[test]
    fn received_consent_past_its_end_is_expired() {
        let end = CREATED.plus(TimeDelta::hours(2));
        let consent = consent(Some(end), false);
        assert_eq!(status(&consent, end), ConsentStatus::Received);
        assert_eq!(status(&consent, end.plus(TimeDelta(1))), ConsentStatus::Expired);
        assert_eq!(status(&consent, CREATED.plus(TimeDelta::days(2))), ConsentStatus::Expired);
    }

    #[test]
    fn valid_consent_is_valid_through_its_end() {
        let end = CREATED.plus(TimeDelta::days(90));
        let (valid, _) = consent(Some(end), false).authorise(CREATED.plus(TimeDelta::hours(1))).unwrap();
        assert_eq!(status(&valid, end), ConsentStatus::Valid);
        assert_eq!(status(&valid, end.plus(TimeDelta(1))), ConsentStatus::Expired);
        assert!(valid.clone().revoke_by_psu(end.plus(TimeDelta(1))).is_err());
        assert_eq!(valid.terminate(end.plus(TimeDelta(1))), None);
    }

    #[test]
    fn one_off_consent_expires_after_twenty_minutes() {
        let since = CREATED.plus(TimeDelta::hours(1));
        let (valid, _) = consent(Some(CREATED.plus(TimeDelta::days(90))), true).authorise(since).unwrap();
        assert_eq!(
            status(&valid, since.plus(TimeDelta::minutes(20)).minus(TimeDelta(1))),
            ConsentStatus::Valid
        );
        assert_eq!(status(&valid, since.plus(TimeDelta::minutes(20))), ConsentStatus::Expired);
    }

    #[test]
    fn consent_without_an_end_never_expires() {
        let (valid, _) = consent(None, false).authorise(CREATED).unwrap();
        assert_eq!(valid.next_deadline(), None);
        assert_eq!(status(&valid, Timestamp(i64::MAX)), ConsentStatus::Valid);
    }

    #[test]
    fn expire_if_due_equals_as_of_and_applies_once() {
        let consent = consent(None, false);
        let late = CREATED.plus(TimeDelta::days(3));
        let (settled, event) = consent.clone().expire_if_due(late);
        assert_eq!(settled, consent.as_of(late));
        assert_eq!(event.unwrap().action, "consent.rejected");
        assert_eq!(settled.clone().expire_if_due(late), (settled, None));
        assert_eq!(consent.clone().expire_if_due(CREATED), (consent, None));
    }

    #[test]
    fn as_created_restores_the_initial_state() {
        let received = consent(None, false);
        let (ended, _) = received.clone().terminate(CREATED.plus(TimeDelta::hours(1))).unwrap();
        assert_eq!(ended.as_created(), received);
    }

    #[test]
    fn third_party_is_notified_of_another_status_only_if_it_asked() {
        let quiet = consent(None, false);
        let asked = Consent { notifies: true, ..quiet.clone() };
        let change = |status, is_final| StatusChange {
            application: asked.application,
            object: NotifiedObject::Consent(asked.id),
            status: NewStatus::Object { status, is_final },
        };
        let (valid, event) = asked.clone().authorise(CREATED).unwrap();
        assert_eq!(event.status, Some(change("valid", false)));
        assert_eq!(
            valid.clone().revoke_by_psu(CREATED).unwrap().1.status,
            Some(change("revokedByPsu", true))
        );
        assert_eq!(quiet.authorise(CREATED).unwrap().1.status, None);
        assert_eq!(valid.status_change(valid.state), None, "the status is the same");
    }
}
