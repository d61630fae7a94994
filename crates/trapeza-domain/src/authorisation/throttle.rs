//! How often a customer, or somebody in their name, may be wrong and may be sent codes.
//!
//! Counted for each customer's name and each channel (one third party, or our own pages), so that one third party
//! cannot shut a customer out of another; a name that is nobody's counts like any other.

use crate::time::{Instant, Span};

/// Wrong codes in a row before a channel is blocked.
pub const CODE_ROW: i64 = 5;
/// Wrong codes in [`FAILURE_WINDOW`], over all third parties, before all their channels are blocked.
pub const FAILURES: i64 = 20;
pub const FAILURE_WINDOW: Span = Span::hours(24);
/// Wrong passwords in a row before a channel is blocked.
pub const PASSWORD_ROW: i64 = 10;
/// Codes sent again, for one authorisation and for one customer in [`RESEND_WINDOW`].
pub const RESENDS: i64 = 3;
pub const RESENDS_A_DAY: i64 = 10;
pub const RESEND_WINDOW: Span = Span::hours(24);
/// Between two codes of one authorisation.
pub const RESEND_GAP: Span = Span::seconds(30);
/// First codes of authorisations, for one customer in [`FIRST_WINDOW`].
pub const FIRSTS: i64 = 30;
pub const FIRST_WINDOW: Span = Span::hours(1);
/// A longer delay after wrong passwords is the caller's to wait for; a shorter one, we wait.
pub const LONGEST_WAIT: Span = Span::seconds(4);

const CODE_BLOCKS: [Span; 3] = [Span::minutes(15), Span::hours(1), Span::hours(24)];
const PASSWORD_BLOCK: Span = Span::minutes(15);
/// Blocked until a person of the bank lifts it.
const BY_HAND: Instant = Instant(i64::MAX);

/// Failures in a row of one customer in one channel. Success makes it the default again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FailureRow {
    pub count: i64,
    pub last_at: Instant,
    /// The first instant at which the channel is free again.
    pub blocked_until: Instant,
}

impl Default for FailureRow {
    fn default() -> Self {
        Self { count: 0, last_at: Instant(i64::MIN), blocked_until: Instant(i64::MIN) }
    }
}

impl FailureRow {
    pub fn is_blocked(&self, now: Instant) -> bool {
        now < self.blocked_until
    }

    /// One more wrong code: 5 block for 15 minutes, 5 more for an hour, 5 more for a day, 5 more for good.
    pub fn code_failed(self, now: Instant) -> Self {
        let count = self.count.saturating_add(1);
        let mut blocked_until = self.blocked_until;
        if count % CODE_ROW == 0 {
            let level = usize::try_from(count / CODE_ROW - 1).unwrap_or(usize::MAX);
            blocked_until = CODE_BLOCKS.get(level).map_or(BY_HAND, |block| now.plus(*block));
        }
        Self { count, last_at: now, blocked_until }
    }

    /// One more password, counted before anybody looks whether it is right.
    pub fn password_tried(self, now: Instant) -> Self {
        let count = self.count.saturating_add(1);
        let full = count % PASSWORD_ROW == 0;
        let blocked_until = if full { now.plus(PASSWORD_BLOCK) } else { self.blocked_until };
        Self { count, last_at: now, blocked_until }
    }

    /// How long the next password has to wait, looked at before it is counted: 1, 2, 4 s … after each wrong one.
    pub fn password_wait(&self, now: Instant) -> Span {
        let wrong = self.count % PASSWORD_ROW;
        if wrong == 0 {
            return Span(0);
        }
        let delay = Span::seconds(1 << (wrong - 1));
        Span(self.last_at.plus(delay).since(now).0.max(0))
    }
}

/// Whether all third parties' channels are blocked, after so many failures in [`FAILURE_WINDOW`].
pub const fn all_blocked(failures: i64) -> bool {
    failures >= FAILURES
}

/// What a customer was sent before.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sent {
    /// In this authorisation.
    pub sends: i64,
    pub last_at: Option<Instant>,
    /// In the last [`RESEND_WINDOW`] and [`FIRST_WINDOW`], over all authorisations.
    pub resends_in_window: i64,
    pub firsts_in_window: i64,
}

/// Whether a code may be sent; if not, after how long asking again can make sense (`None`: not in this
/// authorisation). The first code of an authorisation is refused by the hourly limit only, where that is on.
pub fn may_send(sent: &Sent, firsts_limited: bool, now: Instant) -> Result<(), Option<Span>> {
    let Some(last) = sent.last_at.filter(|_| sent.sends > 0) else {
        let full = firsts_limited && sent.firsts_in_window >= FIRSTS;
        return if full { Err(Some(FIRST_WINDOW)) } else { Ok(()) };
    };
    if sent.sends > RESENDS {
        return Err(None);
    }
    if sent.resends_in_window >= RESENDS_A_DAY {
        return Err(Some(RESEND_WINDOW));
    }
    let gap = last.plus(RESEND_GAP).since(now);
    if gap.0 > 0 { Err(Some(gap)) } else { Ok(()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: Instant = Instant(1_000_000_000);

    fn codes(count: usize) -> FailureRow {
        (0..count).fold(FailureRow::default(), |row, _| row.code_failed(NOW))
    }

    #[test]
    fn five_wrong_codes_block_and_each_five_more_block_longer() {
        assert!(!codes(4).is_blocked(NOW));
        for (count, block) in [(5, Span::minutes(15)), (10, Span::hours(1)), (15, Span::hours(24))] {
            let row = codes(count);
            assert!(row.is_blocked(NOW.plus(block).minus(Span(1))), "{count}");
            assert!(!row.is_blocked(NOW.plus(block)), "{count}");
        }
        assert!(codes(20).is_blocked(NOW.plus(Span::days(36_500))), "only a person lifts this one");
    }

    #[test]
    fn twenty_failures_a_day_block_all_third_parties() {
        assert!(!all_blocked(19));
        assert!(all_blocked(20));
    }

    #[test]
    fn passwords_wait_longer_and_longer_and_ten_block() {
        let mut row = FailureRow::default();
        for seconds in [0, 1, 2, 4, 8, 16, 32, 64, 128, 256] {
            assert_eq!(row.password_wait(NOW), Span::seconds(seconds));
            assert!(!row.is_blocked(NOW));
            row = row.password_tried(NOW);
        }
        assert!(row.is_blocked(NOW.plus(Span::minutes(15)).minus(Span(1))));
        let free = NOW.plus(Span::minutes(15));
        assert!(!row.is_blocked(free));
        assert_eq!(row.password_wait(free), Span(0));
    }

    #[test]
    fn a_wait_is_over_when_its_time_has_passed() {
        let row = FailureRow::default().password_tried(NOW).password_tried(NOW);
        assert_eq!(row.password_wait(NOW.plus(Span::seconds(1))), Span::seconds(1));
        assert_eq!(row.password_wait(NOW.plus(Span::seconds(9))), Span(0));
    }

    #[test]
    fn codes_are_sent_again_thirty_seconds_apart_three_times_and_ten_times_a_day() {
        let once = Sent { sends: 1, last_at: Some(NOW), ..Sent::default() };
        assert_eq!(may_send(&once, true, NOW.plus(Span::seconds(29))), Err(Some(Span::seconds(1))));
        let later = NOW.plus(Span::seconds(30));
        assert_eq!(may_send(&once, true, later), Ok(()));
        assert_eq!(may_send(&Sent { sends: 3, ..once }, true, later), Ok(()));
        assert_eq!(may_send(&Sent { sends: 4, ..once }, true, later), Err(None));
        assert_eq!(may_send(&Sent { resends_in_window: 9, ..once }, true, later), Ok(()));
        let full = Sent { resends_in_window: 10, ..once };
        assert_eq!(may_send(&full, true, later), Err(Some(RESEND_WINDOW)));
    }

    #[test]
    fn a_first_code_knows_only_the_hourly_limit() {
        let busy = Sent { resends_in_window: 99, firsts_in_window: 29, ..Sent::default() };
        assert_eq!(may_send(&busy, true, NOW), Ok(()));
        let full = Sent { firsts_in_window: 30, ..busy };
        assert_eq!(may_send(&full, true, NOW), Err(Some(FIRST_WINDOW)));
        assert_eq!(may_send(&full, false, NOW), Ok(()));
    }
}
