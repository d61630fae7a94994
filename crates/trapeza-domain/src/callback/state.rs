//! The states of a callback: attempted until it is delivered, until its attempts are used up (dead letter), or until the
//! receiver answers 410 Gone.

use super::CallbackTopic;
use crate::audit_event::AuditEvent;
use crate::field::Field;
use crate::id::{ApplicationId, CallbackId};
use crate::refusal::{Refusal, RefusalReason};
use crate::string_enum::string_enum;
use crate::time::{TimeDelta, Timestamp};

/// The delay after each failed attempt. The first attempt is made immediately.
const RETRY_DELAYS: [TimeDelta; 11] = [
    TimeDelta::seconds(5),
    TimeDelta::seconds(30),
    TimeDelta::minutes(2),
    TimeDelta::minutes(10),
    TimeDelta::minutes(30),
    TimeDelta::hours(2),
    TimeDelta::hours(5),
    TimeDelta::hours(10),
    TimeDelta::hours(14),
    TimeDelta::hours(20),
    TimeDelta::hours(24),
];

/// Number of attempts before a callback is dead.
pub const MAX_ATTEMPTS: usize = RETRY_DELAYS.len() + 1;

/// Random jitter from the caller, so that callbacks that failed together are not retried together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Jitter(pub u16);

impl Jitter {
    /// The delay, changed by at most 15 %.
    fn apply(self, wait: TimeDelta) -> TimeDelta {
        let parts = 8_500 + i64::from(self.0) * 3_000 / i64::from(u16::MAX);
        TimeDelta(wait.0 / 10_000 * parts)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CallbackState {
    Waiting {
        /// Failed attempts since it was enqueued or replayed.
        failed: usize,
        due: Timestamp,
    },
    Delivered {
        at: Timestamp,
    },
    /// Every attempt failed.
    Dead {
        at: Timestamp,
    },
    /// The receiver answered that it is gone.
    Disabled {
        at: Timestamp,
    },
}

string_enum! {
    /// The name of a state, stored and used as a filter.
    pub enum CallbackStatus {
        Waiting = "waiting",
        Delivered = "delivered",
        Dead = "dead",
        Disabled = "disabled",
    }
}

impl CallbackState {
    pub const fn status(self) -> CallbackStatus {
        match self {
            Self::Waiting { .. } => CallbackStatus::Waiting,
            Self::Delivered { .. } => CallbackStatus::Delivered,
            Self::Dead { .. } => CallbackStatus::Dead,
            Self::Disabled { .. } => CallbackStatus::Disabled,
        }
    }
}

/// The identity and creation time of a new callback.
#[derive(Clone, Copy, Debug)]
pub struct NewCallback {
    pub id: CallbackId,
    pub application: ApplicationId,
    pub topic: CallbackTopic,
    pub now: Timestamp,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Callback {
    /// The same in every attempt, so that a receiver can detect duplicates.
    pub id: CallbackId,
    pub application: ApplicationId,
    pub topic: CallbackTopic,
    pub state: CallbackState,
    pub created_at: Timestamp,
    /// All attempts, including those before a replay.
    pub attempts: i64,
}

/// The changed callback and its audit event; a failed attempt is recorded in the attempt log only.
pub type Transition = (Callback, Option<AuditEvent>);

impl Callback {
    pub fn enqueue(new: NewCallback) -> (Self, AuditEvent) {
        let NewCallback { id, application, topic, now } = new;
        let state = CallbackState::Waiting { failed: 0, due: now };
        let callback = Self { id, application, topic, state, created_at: now, attempts: 0 };
        let event = callback.event("callback.enqueued").with("kind", topic.name());
        (callback, event)
    }

    /// The receiver accepted it.
    pub fn deliver(self, now: Timestamp) -> Result<Transition, Refusal> {
        self.waiting()?;
        Ok(self.tried().moved(CallbackState::Delivered { at: now }, "callback.delivered"))
    }

    /// An attempt failed: the next one is scheduled, or the callback is dead.
    pub fn fail(self, now: Timestamp, jitter: Jitter) -> Result<Transition, Refusal> {
        let failed = self.waiting()?;
        let mut callback = self.tried();
        match RETRY_DELAYS.get(failed) {
            Some(wait) => {
                let due = now.plus(jitter.apply(*wait));
                callback.state = CallbackState::Waiting { failed: failed + 1, due };
                Ok((callback, None))
            }
            None => Ok(callback.moved(CallbackState::Dead { at: now }, "callback.dead")),
        }
    }

    /// The receiver does not want callbacks any more.
    pub fn disable(self, now: Timestamp) -> Result<Transition, Refusal> {
        self.waiting()?;
        Ok(self.tried().moved(CallbackState::Disabled { at: now }, "callback.disabled"))
    }

    /// An operator requests delivery again, with all attempts.
    pub fn replay(self, now: Timestamp) -> Result<Transition, Refusal> {
        match self.state {
            CallbackState::Dead { .. } | CallbackState::Disabled { .. } => {
                Ok(self.moved(CallbackState::Waiting { failed: 0, due: now }, "callback.replayed"))
            }
            state => Err(out_of_state(state)),
        }
    }

    /// The receiver requests the next attempt at once: one that waits after a failure is due now, an ended one is replayed.
    pub fn resend(self, now: Timestamp) -> Result<Transition, Refusal> {
        match self.state {
            CallbackState::Waiting { failed, .. } if failed > 0 => {
                Ok(self.moved(CallbackState::Waiting { failed, due: now }, "callback.resent"))
            }
            _ => self.replay(now),
        }
    }

    fn waiting(&self) -> Result<usize, Refusal> {
        match self.state {
            CallbackState::Waiting { failed, .. } => Ok(failed),
            state => Err(out_of_state(state)),
        }
    }

    fn tried(mut self) -> Self {
        self.attempts += 1;
        self
    }

    fn moved(mut self, state: CallbackState, action: &'static str) -> Transition {
        self.state = state;
        let event = self.event(action).with("attempts", self.attempts);
        (self, Some(event))
    }

    fn event(&self, action: &'static str) -> AuditEvent {
        AuditEvent::new(action, "callback", self.id)
    }
}

fn out_of_state(state: CallbackState) -> Refusal {
    let text = format!("the callback is {}; this is not possible in this state", state.status().name());
    Refusal::at(RefusalReason::StatusInvalid, Field::CallbackId, text)
}

#[cfg(test)]
mod tests {
    use super::super::transitions::in_state;
    use super::*;
    use proptest::prelude::*;

    const MIDDLE: Jitter = Jitter(u16::MAX / 2);

    #[test]
    fn callback_is_dead_after_twelve_attempts_in_three_days() {
        let mut callback = in_state(CallbackState::Waiting { failed: 0, due: Timestamp(0) });
        let mut now = Timestamp(0);
        let mut waits = Vec::new();
        while let CallbackState::Waiting { due, .. } = callback.state {
            waits.push((due.since(now).0 + 500_000) / 1_000_000);
            now = due;
            callback = callback.fail(now, MIDDLE).unwrap().0;
        }
        let minutes = |n: i64| n * 60;
        let close = |(seen, meant): (&i64, i64)| (seen - meant).abs() <= 1 + meant / 10_000;
        let meant =
            [0, 5, 30, 120, 600, 1_800].into_iter().chain([120, 300, 600, 840, 1_200, 1_440].map(minutes));
        assert!(waits.iter().zip(meant).all(close), "{waits:?}");
        assert_eq!((waits.len(), callback.attempts), (MAX_ATTEMPTS, 12));
        assert_eq!(callback.state, CallbackState::Dead { at: now });
    }

    #[test]
    fn replayed_callback_gets_all_attempts_again() {
        let dead = Callback { attempts: 12, ..in_state(CallbackState::Dead { at: Timestamp(1) }) };
        let (callback, _) = dead.replay(Timestamp(9)).unwrap();
        assert_eq!(callback.state, CallbackState::Waiting { failed: 0, due: Timestamp(9) });
        let (callback, _) = callback.fail(Timestamp(9), MIDDLE).unwrap();
        assert_eq!(callback.attempts, 13);
    }

    proptest! {
        #[test]
        fn retry_delay_is_within_fifteen_percent(random: u16, failed in 0..RETRY_DELAYS.len()) {
            let callback = in_state(CallbackState::Waiting { failed, due: Timestamp(0) });
            let (callback, _) = callback.fail(Timestamp(0), Jitter(random)).unwrap();
            let CallbackState::Waiting { due, .. } = callback.state else { panic!("not waiting") };
            let wait = RETRY_DELAYS[failed].0;
            prop_assert!(due.0 * 100 >= wait * 85 && due.0 * 100 <= wait * 115, "{due:?} for {wait}");
        }
    }
}
