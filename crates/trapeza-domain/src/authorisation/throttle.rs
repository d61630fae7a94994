//! Limits on wrong credentials and on codes sent.
//!
//! Counters are kept per PSU_ID and channel (one third party, or our own pages), so that one third party cannot lock a
//! customer out of another. Unknown PSU_IDs are counted like known ones.

use crate::time::{TimeDelta, Timestamp};

/// Consecutive wrong codes before a channel is blocked.
pub const MAX_CONSECUTIVE_CODE_FAILURES: i64 = 5;
/// Wrong codes in [`FAILURE_WINDOW`] over all third parties before all their channels are blocked.
pub const MAX_FAILURES_PER_DAY: i64 = 20;
pub const FAILURE_WINDOW: TimeDelta = TimeDelta::hours(24);
/// Consecutive wrong passwords before a channel is blocked.
pub const MAX_CONSECUTIVE_PASSWORD_FAILURES: i64 = 10;
/// Resent codes per authorisation, and per customer in [`RESEND_WINDOW`].
pub const MAX_RESENDS: i64 = 3;
pub const MAX_RESENDS_PER_DAY: i64 = 10;
pub const RESEND_WINDOW: TimeDelta = TimeDelta::hours(24);
/// Minimum time between two codes of one authorisation.
pub const RESEND_GAP: TimeDelta = TimeDelta::seconds(30);
/// First codes of authorisations per customer in [`FIRST_WINDOW`].
pub const MAX_FIRST_CODES_PER_HOUR: i64 = 30;
pub const FIRST_WINDOW: TimeDelta = TimeDelta::hours(1);
/// The longest back-off that the server waits out itself; for a longer one the caller must retry.
pub const MAX_BACKOFF: TimeDelta = TimeDelta::seconds(4);

const CODE_BLOCKS: [TimeDelta; 3] = [TimeDelta::minutes(15), TimeDelta::hours(1), TimeDelta::hours(24)];
const PASSWORD_BLOCK: TimeDelta = TimeDelta::minutes(15);
/// Blocked until an operator unblocks it.
const UNTIL_UNBLOCKED: Timestamp = Timestamp(i64::MAX);

/// Consecutive failures of one customer in one channel. A success resets it to the default.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FailureCounter {
    pub count: i64,
    pub last_at: Timestamp,
    /// The first point in time at which the channel is no longer blocked.
    pub blocked_until: Timestamp,
}

impl Default for FailureCounter {
    fn default() -> Self {
        Self { count: 0, last_at: Timestamp(i64::MIN), blocked_until: Timestamp(i64::MIN) }
    }
}

impl FailureCounter {
    pub fn is_blocked(&self, now: Timestamp) -> bool {
        now < self.blocked_until
    }

    /// Counts a wrong code: 5 block for 15 minutes, 5 more for an hour, 5 more for a day, 5 more until an operator unblocks.
    pub fn code_failed(self, now: Timestamp) -> Self {
        let count = self.count.saturating_add(1);
        let mut blocked_until = self.blocked_until;
        if count % MAX_CONSECUTIVE_CODE_FAILURES == 0 {
            let level = usize::try_from(count / MAX_CONSECUTIVE_CODE_FAILURES - 1).unwrap_or(usize::MAX);
            blocked_until = CODE_BLOCKS.get(level).map_or(UNTIL_UNBLOCKED, |block| now.plus(*block));
        }
        Self { count, last_at: now, blocked_until }
    }

    /// Counts a password attempt, before the password is verified.
    pub fn password_tried(self, now: Timestamp) -> Self {
        let count = self.count.saturating_add(1);
        let full = count % MAX_CONSECUTIVE_PASSWORD_FAILURES == 0;
        let blocked_until = if full { now.plus(PASSWORD_BLOCK) } else { self.blocked_until };
        Self { count, last_at: now, blocked_until }
    }

    /// The back-off of the next password attempt, evaluated before it is counted: 1, 2, 4 s … after each wrong one.
    pub fn password_wait(&self, now: Timestamp) -> TimeDelta {
        let wrong = self.count % MAX_CONSECUTIVE_PASSWORD_FAILURES;
        if wrong == 0 {
            return TimeDelta(0);
        }
        let delay = TimeDelta::seconds(1 << (wrong - 1));
        TimeDelta(self.last_at.plus(delay).since(now).0.max(0))
    }
}

/// Whether all third parties' channels are blocked after this many failures in [`FAILURE_WINDOW`].
pub const fn is_blocked_everywhere(failures: i64) -> bool {
    failures >= MAX_FAILURES_PER_DAY
}

/// Codes sent to a customer so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SendHistory {
    /// In this authorisation.
    pub sends: i64,
    pub last_at: Option<Timestamp>,
    /// In the last [`RESEND_WINDOW`] and [`FIRST_WINDOW`], over all authorisations.
    pub resends_in_window: i64,
    pub firsts_in_window: i64,
}

/// Whether a code may be sent; if not, when a retry can succeed (`None`: not in this authorisation). The first code of an
/// authorisation is subject to the hourly limit only, if that is enabled.
pub fn check_send_quota(
    sent: &SendHistory,
    firsts_limited: bool,
    now: Timestamp,
) -> Result<(), Option<TimeDelta>> {
    let Some(last) = sent.last_at.filter(|_| sent.sends > 0) else {
        let full = firsts_limited && sent.firsts_in_window >= MAX_FIRST_CODES_PER_HOUR;
        return if full { Err(Some(FIRST_WINDOW)) } else { Ok(()) };
    };
    if sent.sends > MAX_RESENDS {
        return Err(None);
    }
    if sent.resends_in_window >= MAX_RESENDS_PER_DAY {
        return Err(Some(RESEND_WINDOW));
    }
    let gap = last.plus(RESEND_GAP).since(now);
    if gap.0 > 0 { Err(Some(gap)) } else { Ok(()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: Timestamp = Timestamp(1_000_000_000);

    fn codes(count: usize) -> FailureCounter {
        (0..count).fold(FailureCounter::default(), |row, _| row.code_failed(NOW))
    }

    #[test]
    fn every_fifth_wrong_code_blocks_longer() {
        assert!(!codes(4).is_blocked(NOW));
        for (count, block) in
            [(5, TimeDelta::minutes(15)), (10, TimeDelta::hours(1)), (15, TimeDelta::hours(24))]
        {
            let row = codes(count);
            assert!(row.is_blocked(NOW.plus(block).minus(TimeDelta(1))), "{count}");
            assert!(!row.is_blocked(NOW.plus(block)), "{count}");
        }
        assert!(codes(20).is_blocked(NOW.plus(TimeDelta::days(36_500))), "only an operator unblocks it");
    }

    #[test]
    fn twenty_failures_a_day_block_every_third_party() {
        assert!(!is_blocked_everywhere(19));
        assert!(is_blocked_everywhere(20));
    }

    #[test]
    fn password_backoff_doubles_and_ten_failures_block() {
        let mut row = FailureCounter::default();
        for seconds in [0, 1, 2, 4, 8, 16, 32, 64, 128, 256] {
            assert_eq!(row.password_wait(NOW), TimeDelta::seconds(seconds));
            assert!(!row.is_blocked(NOW));
            row = row.password_tried(NOW);
        }
        assert!(row.is_blocked(NOW.plus(TimeDelta::minutes(15)).minus(TimeDelta(1))));
        let free = NOW.plus(TimeDelta::minutes(15));
        assert!(!row.is_blocked(free));
        assert_eq!(row.password_wait(free), TimeDelta(0));
    }

    #[test]
    fn password_backoff_ends_with_time() {
        let row = FailureCounter::default().password_tried(NOW).password_tried(NOW);
        assert_eq!(row.password_wait(NOW.plus(TimeDelta::seconds(1))), TimeDelta::seconds(1));
        assert_eq!(row.password_wait(NOW.plus(TimeDelta::seconds(9))), TimeDelta(0));
    }

    #[test]
    fn resends_are_limited_by_gap_authorisation_and_day() {
        let once = SendHistory { sends: 1, last_at: Some(NOW), ..SendHistory::default() };
        assert_eq!(
            check_send_quota(&once, true, NOW.plus(TimeDelta::seconds(29))),
            Err(Some(TimeDelta::seconds(1)))
        );
        let later = NOW.plus(TimeDelta::seconds(30));
        assert_eq!(check_send_quota(&once, true, later), Ok(()));
        assert_eq!(check_send_quota(&SendHistory { sends: 3, ..once }, true, later), Ok(()));
        assert_eq!(check_send_quota(&SendHistory { sends: 4, ..once }, true, later), Err(None));
        assert_eq!(check_send_quota(&SendHistory { resends_in_window: 9, ..once }, true, later), Ok(()));
        let full = SendHistory { resends_in_window: 10, ..once };
        assert_eq!(check_send_quota(&full, true, later), Err(Some(RESEND_WINDOW)));
    }

    #[test]
    fn first_code_is_subject_to_the_hourly_limit_only() {
        let busy = SendHistory { resends_in_window: 99, firsts_in_window: 29, ..SendHistory::default() };
        assert_eq!(check_send_quota(&busy, true, NOW), Ok(()));
        let full = SendHistory { firsts_in_window: 30, ..busy };
        assert_eq!(check_send_quota(&full, true, NOW), Err(Some(FIRST_WINDOW)));
        assert_eq!(check_send_quota(&full, false, NOW), Ok(()));
    }
}
