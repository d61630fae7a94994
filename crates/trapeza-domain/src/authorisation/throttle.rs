//! Limits on wrong credentials and on messages sent.
//!
//! Counters are per PSU_ID and channel (one third party's own screens, its redirect pages, the bank's app, one enrolled
//! device, one merchant's checkout), so that failures in one channel do not block another. Unknown PSU_IDs are counted
//! like known ones.

use crate::time::{TimeDelta, Timestamp};

/// Consecutive wrong codes before a channel is blocked.
pub const MAX_CONSECUTIVE_CODE_FAILURES: i64 = 5;
/// Wrong codes in [`FAILURE_WINDOW`] over all third parties before all their channels are blocked.
pub const MAX_FAILURES_PER_DAY: i64 = 20;
pub const FAILURE_WINDOW: TimeDelta = TimeDelta::hours(24);
/// Consecutive wrong passwords before a channel is blocked.
pub const MAX_CONSECUTIVE_PASSWORD_FAILURES: i64 = 10;
/// Resent messages per authorisation.
pub const MAX_RESENDS: i64 = 3;
/// Minimum time between two messages of one authorisation by the same method.
pub const RESEND_GAP: TimeDelta = TimeDelta::seconds(30);
/// The longest back-off that the server waits out itself; for a longer one the caller must retry.
pub const MAX_BACKOFF: TimeDelta = TimeDelta::seconds(4);

/// Blocks of a channel, each longer than the one before.
const BLOCKS: [TimeDelta; 3] = [TimeDelta::minutes(15), TimeDelta::hours(1), MAX_BLOCK];
const MAX_BLOCK: TimeDelta = TimeDelta::hours(24);
/// Blocked until an operator unblocks it.
const UNTIL_UNBLOCKED: Timestamp = Timestamp(i64::MAX);

/// What follows the longest of the escalating blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FinalBlock {
    /// The channel stays blocked until an operator unblocks it. Only for codes that are entered after a right password:
    /// otherwise anyone could lock out a customer for good.
    UntilUnblocked,
    /// The longest block is repeated.
    Repeated,
}

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

    /// Counts a wrong code: 5 block for 15 minutes, 5 more for an hour, 5 more for a day, then `last` applies.
    pub fn code_failed(self, now: Timestamp, last: FinalBlock) -> Self {
        self.failed(now, MAX_CONSECUTIVE_CODE_FAILURES, last)
    }

    /// Counts a password attempt, before the password is verified: 10 block for 15 minutes, 10 more for an hour, each
    /// further 10 for a day.
    pub fn password_tried(self, now: Timestamp) -> Self {
        self.failed(now, MAX_CONSECUTIVE_PASSWORD_FAILURES, FinalBlock::Repeated)
    }

    fn failed(self, now: Timestamp, failures_per_block: i64, last: FinalBlock) -> Self {
        let count = self.count.saturating_add(1);
        let mut blocked_until = self.blocked_until;
        if count % failures_per_block == 0 {
            let level = usize::try_from(count / failures_per_block - 1).unwrap_or(usize::MAX);
            blocked_until = match (BLOCKS.get(level), last) {
                (Some(block), _) => now.plus(*block),
                (None, FinalBlock::Repeated) => now.plus(MAX_BLOCK),
                (None, FinalBlock::UntilUnblocked) => UNTIL_UNBLOCKED,
            };
        }
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

/// The kinds of messages, each with its own budget: what needs no password must not use up what needs one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MessageKind {
    /// A text message with a code, after the right password.
    Sms,
    /// A request in the bank's app, after the right password.
    Push,
    /// A request in the bank's app that a third party starts without a password (decoupled approach).
    DecoupledPush,
    /// A text message with a code to a telephone number at a checkout, where no password is known.
    CheckoutSms,
    /// One more message of any kind for the same authorisation.
    Resend,
}

/// How many messages of a kind one customer gets in a time window.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MessageBudget {
    pub window: TimeDelta,
    /// From one channel.
    pub per_channel: i64,
    /// From all channels together.
    pub overall: i64,
}

impl MessageKind {
    /// The name in the table of sent messages.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Sms => "sms",
            Self::Push => "push",
            Self::DecoupledPush => "decoupled_push",
            Self::CheckoutSms => "checkout_sms",
            Self::Resend => "resend",
        }
    }

    pub const fn budget(self) -> MessageBudget {
        let (window, per_channel, overall) = match self {
            Self::Sms | Self::Push => (TimeDelta::hours(1), 30, 300),
            Self::DecoupledPush => (TimeDelta::hours(1), 10, 60),
            Self::CheckoutSms => (TimeDelta::hours(1), 10, 30),
            Self::Resend => (TimeDelta::hours(24), 10, 50),
        };
        MessageBudget { window, per_channel, overall }
    }
}

impl MessageBudget {
    /// Whether one more message may be sent after this many in the window; if not, when a retry can succeed.
    pub const fn check(self, from_channel: i64, from_all: i64) -> Result<(), TimeDelta> {
        if from_channel >= self.per_channel || from_all >= self.overall { Err(self.window) } else { Ok(()) }
    }
}

/// The messages of one authorisation so far.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SentMessages {
    pub count: i64,
    pub last_at: Timestamp,
    /// The next message uses the method of the last one.
    pub same_method: bool,
}

/// Whether an authorisation may have one more message; if not, when a retry can succeed (`None`: never).
pub fn check_resend(sent: &SentMessages, now: Timestamp) -> Result<(), Option<TimeDelta>> {
    if sent.count > MAX_RESENDS {
        return Err(None);
    }
    let gap = sent.last_at.plus(RESEND_GAP).since(now);
    if sent.same_method && gap.0 > 0 { Err(Some(gap)) } else { Ok(()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: Timestamp = Timestamp(1_000_000_000);

    fn codes(count: usize, last: FinalBlock) -> FailureCounter {
        (0..count).fold(FailureCounter::default(), |row, _| row.code_failed(NOW, last))
    }

    /// Asserts that the counter blocks for exactly this long.
    fn assert_block(row: FailureCounter, block: TimeDelta) {
        assert!(row.is_blocked(NOW.plus(block).minus(TimeDelta(1))), "{row:?}");
        assert!(!row.is_blocked(NOW.plus(block)), "{row:?}");
    }

    #[test]
    fn every_fifth_wrong_code_blocks_longer() {
        let last = FinalBlock::UntilUnblocked;
        assert!(!codes(4, last).is_blocked(NOW));
        for (count, block) in [(5, TimeDelta::minutes(15)), (10, TimeDelta::hours(1)), (15, MAX_BLOCK)] {
            assert_block(codes(count, last), block);
        }
        assert!(
            codes(20, last).is_blocked(NOW.plus(TimeDelta::days(36_500))),
            "only an operator unblocks it"
        );
    }

    #[test]
    fn codes_without_a_password_are_never_blocked_for_good() {
        for count in [15, 20, 25, 500] {
            assert_block(codes(count, FinalBlock::Repeated), MAX_BLOCK);
        }
    }

    #[test]
    fn every_tenth_wrong_password_blocks_longer() {
        let tried =
            |count: usize| (0..count).fold(FailureCounter::default(), |row, _| row.password_tried(NOW));
        assert!(!tried(9).is_blocked(NOW));
        for (count, block) in [
            (10, TimeDelta::minutes(15)),
            (20, TimeDelta::hours(1)),
            (30, MAX_BLOCK),
            (40, MAX_BLOCK),
            (400, MAX_BLOCK),
        ] {
            assert_block(tried(count), block);
        }
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
    fn resends_of_an_authorisation_are_limited_by_gap_and_number() {
        let once = SentMessages { count: 1, last_at: NOW, same_method: true };
        let soon = NOW.plus(TimeDelta::seconds(29));
        assert_eq!(check_resend(&once, soon), Err(Some(TimeDelta::seconds(1))));
        assert_eq!(check_resend(&SentMessages { same_method: false, ..once }, soon), Ok(()));
        let later = NOW.plus(RESEND_GAP);
        assert_eq!(check_resend(&once, later), Ok(()));
        assert_eq!(check_resend(&SentMessages { count: 3, ..once }, later), Ok(()));
        assert_eq!(check_resend(&SentMessages { count: 4, ..once }, later), Err(None));
    }

    #[test]
    fn kinds_of_messages_are_counted_apart() {
        use MessageKind::{CheckoutSms, DecoupledPush, Push, Resend, Sms};
        let names = [Sms, Push, DecoupledPush, CheckoutSms, Resend].map(MessageKind::name);
        assert_eq!(names, ["sms", "push", "decoupled_push", "checkout_sms", "resend"]);
    }

    #[test]
    fn budgets_of_messages_are_per_hour_and_of_resends_per_day() {
        use MessageKind::{CheckoutSms, DecoupledPush, Push, Resend, Sms};
        for (kind, hours, per_channel, overall) in [
            (Sms, 1, 30, 300),
            (Push, 1, 30, 300),
            (DecoupledPush, 1, 10, 60),
            (CheckoutSms, 1, 10, 30),
            (Resend, 24, 10, 50),
        ] {
            let expected = MessageBudget { window: TimeDelta::hours(hours), per_channel, overall };
            assert_eq!(kind.budget(), expected, "{kind:?}");
        }
    }

    #[test]
    fn budget_of_one_channel_is_far_below_the_overall_budget() {
        use MessageKind::{CheckoutSms, DecoupledPush, Push, Resend, Sms};
        for kind in [Sms, Push, DecoupledPush, CheckoutSms, Resend] {
            let budget = kind.budget();
            assert!(budget.overall >= 3 * budget.per_channel, "{kind:?}");
            assert_eq!(budget.check(budget.per_channel - 1, budget.overall - 1), Ok(()));
            assert_eq!(budget.check(budget.per_channel, 0), Err(budget.window));
            assert_eq!(budget.check(0, budget.overall), Err(budget.window));
        }
        assert!(DecoupledPush.budget().overall < Push.budget().overall);
    }
}
