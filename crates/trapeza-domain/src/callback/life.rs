//! The life of a callback: tried until somebody takes it, until its tries are used up, or until the receiver says that
//! there is nobody any more.

use super::{Door, Kind};
use crate::event::Event;
use crate::id::{ApplicationId, CallbackId};
use crate::named::named;
use crate::refusal::{Reason, Refusal};
use crate::time::{Instant, Span};

/// How long after the failure of one try the next is made. The first is made at once.
const WAITS: [Span; 11] = [
    Span::seconds(5),
    Span::seconds(30),
    Span::minutes(2),
    Span::minutes(10),
    Span::minutes(30),
    Span::hours(2),
    Span::hours(5),
    Span::hours(10),
    Span::hours(14),
    Span::hours(20),
    Span::hours(24),
];

/// All tries together, before a callback is dead.
pub const TRIES: usize = WAITS.len() + 1;

/// Random, made by the caller: many callbacks that failed together must not come back together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Jitter(pub u16);

impl Jitter {
    /// The wait, fifteen in a hundred shorter or longer at most.
    fn apply(self, wait: Span) -> Span {
        let parts = 8_500 + i64::from(self.0) * 3_000 / i64::from(u16::MAX);
        Span(wait.0 / 10_000 * parts)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CallbackState {
    Waiting {
        /// How many tries of this round have failed.
        failed: usize,
        due: Instant,
    },
    Delivered {
        at: Instant,
    },
    /// Every try has failed.
    Dead {
        at: Instant,
    },
    /// The receiver said that it is gone for good.
    TurnedOff {
        at: Instant,
    },
}

named! {
    /// A state without its data: what is kept, and what lists are filtered by.
    pub enum Owed {
        Waiting = "waiting",
        Delivered = "delivered",
        Dead = "dead",
        TurnedOff = "turned-off",
    }
}

impl CallbackState {
    pub const fn owed(self) -> Owed {
        match self {
            Self::Waiting { .. } => Owed::Waiting,
            Self::Delivered { .. } => Owed::Delivered,
            Self::Dead { .. } => Owed::Dead,
            Self::TurnedOff { .. } => Owed::TurnedOff,
        }
    }
}

/// Whose callback it is to be, and when it is owed.
#[derive(Clone, Copy, Debug)]
pub struct Birth {
    pub id: CallbackId,
    pub application: ApplicationId,
    pub kind: Kind,
    pub now: Instant,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Callback {
    /// The same on every try, so that a receiver who gets it twice knows.
    pub id: CallbackId,
    pub application: ApplicationId,
    pub kind: Kind,
    pub state: CallbackState,
    pub created_at: Instant,
    /// How often it was tried, in all rounds.
    pub tries: i64,
}

/// A callback after a command, and what is written down about it: a try that failed is in the log of tries alone.
pub type Changed = (Callback, Option<Event>);

impl Callback {
    pub fn owe(birth: Birth) -> (Self, Event) {
        let Birth { id, application, kind, now } = birth;
        let state = CallbackState::Waiting { failed: 0, due: now };
        let callback = Self { id, application, kind, state, created_at: now, tries: 0 };
        let event = callback.event("callback.enqueued").with("kind", kind.name());
        (callback, event)
    }

    /// Which of the merchant's addresses it goes to.
    pub const fn door(&self) -> Door {
        self.kind.door()
    }

    /// The receiver has taken it.
    pub fn deliver(self, now: Instant) -> Result<Changed, Refusal> {
        self.waiting()?;
        Ok(self.tried().moved(CallbackState::Delivered { at: now }, "callback.delivered"))
    }

    /// A try has failed: it waits for the next, or there is none left.
    pub fn fail(self, now: Instant, jitter: Jitter) -> Result<Changed, Refusal> {
        let failed = self.waiting()?;
        let mut callback = self.tried();
        match WAITS.get(failed) {
            Some(wait) => {
                let due = now.plus(jitter.apply(*wait));
                callback.state = CallbackState::Waiting { failed: failed + 1, due };
                Ok((callback, None))
            }
            None => Ok(callback.moved(CallbackState::Dead { at: now }, "callback.dead")),
        }
    }

    /// The receiver wants no more of it.
    pub fn turn_off(self, now: Instant) -> Result<Changed, Refusal> {
        self.waiting()?;
        Ok(self.tried().moved(CallbackState::TurnedOff { at: now }, "callback.disabled"))
    }

    /// An operator wants it tried again, from the first try on.
    pub fn replay(self, now: Instant) -> Result<Changed, Refusal> {
        match self.state {
            CallbackState::Dead { .. } | CallbackState::TurnedOff { .. } => {
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
        self.tries += 1;
        self
    }

    fn moved(mut self, state: CallbackState, action: &'static str) -> Changed {
        self.state = state;
        let event = self.event(action).with("tries", self.tries);
        (self, Some(event))
    }

    fn event(&self, action: &'static str) -> Event {
        Event::new(action, "callback", self.id)
    }
}

fn out_of_state(state: CallbackState) -> Refusal {
    let text = format!("the callback is {}; this cannot be done with it now", state.owed().name());
    Refusal::at(Reason::StatusInvalid, "callbackId", text)
}

#[cfg(test)]
mod tests {
    use super::super::matrix::in_state;
    use super::*;
    use proptest::prelude::*;

    const MIDDLE: Jitter = Jitter(u16::MAX / 2);

    #[test]
    fn twelve_tries_are_made_over_three_days_and_then_it_is_dead() {
        let mut callback = in_state(CallbackState::Waiting { failed: 0, due: Instant(0) });
        let mut now = Instant(0);
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
        assert_eq!((waits.len(), callback.tries), (TRIES, 12));
        assert_eq!(callback.state, CallbackState::Dead { at: now });
    }

    #[test]
    fn a_replayed_callback_has_all_its_tries_again_and_remembers_the_old_ones() {
        let dead = Callback { tries: 12, ..in_state(CallbackState::Dead { at: Instant(1) }) };
        let (callback, _) = dead.replay(Instant(9)).unwrap();
        assert_eq!(callback.state, CallbackState::Waiting { failed: 0, due: Instant(9) });
        let (callback, _) = callback.fail(Instant(9), MIDDLE).unwrap();
        assert_eq!(callback.tries, 13);
    }

    proptest! {
        #[test]
        fn no_wait_is_more_than_fifteen_in_a_hundred_off(random: u16, failed in 0..WAITS.len()) {
            let callback = in_state(CallbackState::Waiting { failed, due: Instant(0) });
            let (callback, _) = callback.fail(Instant(0), Jitter(random)).unwrap();
            let CallbackState::Waiting { due, .. } = callback.state else { panic!("not waiting") };
            let wait = WAITS[failed].0;
            prop_assert!(due.0 * 100 >= wait * 85 && due.0 * 100 <= wait * 115, "{due:?} for {wait}");
        }
    }
}
