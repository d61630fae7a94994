//! The life of a callback: tried until somebody takes it, until its attempts are used up, or until the receiver says that
//! there is nobody any more.

use super::{CallbackEndpoint, CallbackKind};
use crate::audit_event::AuditEvent;
use crate::id::{ApplicationId, CallbackId};
use crate::refusal::{Refusal, RefusalReason};
use crate::string_enum::string_enum;
use crate::time::{TimeDelta, Timestamp};

/// How long after the failure of one try the next is made. The first is made at once.
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

/// All attempts together, before a callback is dead.
pub const MAX_ATTEMPTS: usize = RETRY_DELAYS.len() + 1;

/// Random, made by the caller: many callbacks that failed together must not come back together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Jitter(pub u16);

impl Jitter {
    /// The wait, fifteen in a hundred shorter or longer at most.
    fn apply(self, wait: TimeDelta) -> TimeDelta {
        let parts = 8_500 + i64::from(self.0) * 3_000 / i64::from(u16::MAX);
        TimeDelta(wait.0 / 10_000 * parts)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CallbackState {
    Waiting {
        /// How many attempts of this round have failed.
        failed: usize,
        due: Timestamp,
    },
    Delivered {
        at: Timestamp,
    },
    /// Every try has failed.
    Dead {
        at: Timestamp,
    },
    /// The receiver said that it is gone for good.
    Disabled {
        at: Timestamp,
    },
}

string_enum! {
    /// A state without its data: what is kept, and what lists are filtered by.
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

/// Whose callback it is to be, and when it is owed.
#[derive(Clone, Copy, Debug)]
pub struct NewCallback {
    pub id: CallbackId,
    pub application: ApplicationId,
    pub kind: CallbackKind,
    pub now: Timestamp,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Callback {
    /// The same on every try, so that a receiver who gets it twice knows.
    pub id: CallbackId,
    pub application: ApplicationId,
    pub kind: CallbackKind,
    pub state: CallbackState,
    pub created_at: Timestamp,
    /// How often it was tried, in all rounds.
    pub attempts: i64,
}

/// A callback after a command, and what is written down about it: a try that failed is in the log of attempts alone.
pub type Transition = (Callback, Option<AuditEvent>);

impl Callback {
    pub fn enqueue(new: NewCallback) -> (Self, AuditEvent) {
        let NewCallback { id, application, kind, now } = new;
        let state = CallbackState::Waiting { failed: 0, due: now };
        let callback = Self { id, application, kind, state, created_at: now, attempts: 0 };
        let event = callback.event("callback.enqueued").with("kind", kind.name());
        (callback, event)
    }

    /// Which of the merchant's addresses it goes to.
    pub const fn endpoint(&self) -> CallbackEndpoint {
        self.kind.endpoint()
    }

    /// The receiver has taken it.
    pub fn deliver(self, now: Timestamp) -> Result<Transition, Refusal> {
        self.waiting()?;
        Ok(self.tried().moved(CallbackState::Delivered { at: now }, "callback.delivered"))
    }

    /// A try has failed: it waits for the next, or there is none left.
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

    /// The receiver wants no more of it.
    pub fn disable(self, now: Timestamp) -> Result<Transition, Refusal> {
        self.waiting()?;
        Ok(self.tried().moved(CallbackState::Disabled { at: now }, "callback.disabled"))
    }

    /// An operator wants it tried again, from the first try on.
    pub fn replay(self, now: Timestamp) -> Result<Transition, Refusal> {
        match self.state {
            CallbackState::Dead { .. } | CallbackState::Disabled { .. } => {
                Ok(self.moved(CallbackState::Waiting { failed: 0, due: now }, "callback.replayed"))
            }
            state => Err(out_of_state(state)),
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
    let text = format!("the callback is {}; this cannot be done with it now", state.status().name());
    Refusal::at(RefusalReason::StatusInvalid, "callbackId", text)
}

#[cfg(test)]
mod tests {
    use super::super::transitions::in_state;
    use super::*;
    use proptest::prelude::*;

    const MIDDLE: Jitter = Jitter(u16::MAX / 2);

    #[test]
    fn twelve_tries_are_made_over_three_days_and_then_it_is_dead() {
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
    fn a_replayed_callback_has_all_its_tries_again_and_remembers_the_old_ones() {
        let dead = Callback { attempts: 12, ..in_state(CallbackState::Dead { at: Timestamp(1) }) };
        let (callback, _) = dead.replay(Timestamp(9)).unwrap();
        assert_eq!(callback.state, CallbackState::Waiting { failed: 0, due: Timestamp(9) });
        let (callback, _) = callback.fail(Timestamp(9), MIDDLE).unwrap();
        assert_eq!(callback.attempts, 13);
    }

    proptest! {
        #[test]
        fn no_wait_is_more_than_fifteen_in_a_hundred_off(random: u16, failed in 0..RETRY_DELAYS.len()) {
            let callback = in_state(CallbackState::Waiting { failed, due: Timestamp(0) });
            let (callback, _) = callback.fail(Timestamp(0), Jitter(random)).unwrap();
            let CallbackState::Waiting { due, .. } = callback.state else { panic!("not waiting") };
            let wait = RETRY_DELAYS[failed].0;
            prop_assert!(due.0 * 100 >= wait * 85 && due.0 * 100 <= wait * 115, "{due:?} for {wait}");
        }
    }
}
