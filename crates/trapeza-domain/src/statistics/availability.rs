//! When an interface was up. A process that serves it reports so every few seconds; time that no process has reported is downtime.

use crate::time::{TimeDelta, Timestamp};

/// A longer time between two reports is downtime. It is the time within which guideline 2.4 c expects an answer.
const MAX_REPORT_GAP: TimeDelta = TimeDelta::seconds(30);
/// After this number of consecutive requests without an answer the interface is down (guideline 2.4 c).
const MAX_FAILED_REQUESTS: u64 = 5;

/// A time during which one process has served an interface without interruption.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ServingPeriod {
    pub started_at: Timestamp,
    /// The last report.
    pub ended_at: Timestamp,
    /// Whether an orderly stop has ended it.
    pub is_stopped: bool,
}

/// Decides with each report of a process whether its period of serving goes on.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AvailabilityTracker {
    period: Option<ServingPeriod>,
    /// Requests and errors at the last report.
    requests: u64,
    errors: u64,
    /// Requests that have failed since the last one that did not.
    failed: u64,
}

impl AvailabilityTracker {
    /// A report with the numbers of requests and errors so far. Returns the period as it is to be stored, or `None` while requests
    /// fail: then the time counts as downtime, unless fewer than five have failed when one is answered again.
    pub fn report(&mut self, now: Timestamp, requests: u64, errors: u64) -> Option<ServingPeriod> {
        let (more, failed) = (requests.saturating_sub(self.requests), errors.saturating_sub(self.errors));
        (self.requests, self.errors) = (requests, errors);
        self.failed = if more > 0 && failed >= more { self.failed + failed } else { 0 };
        if self.failed > 0 {
            if self.failed >= MAX_FAILED_REQUESTS {
                self.period = None;
            }
            return None;
        }
        let goes_on = self.period.filter(|period| now.since(period.ended_at) <= MAX_REPORT_GAP);
        let started_at = goes_on.map_or(now, |period| period.started_at);
        self.period = Some(ServingPeriod { started_at, ended_at: now, is_stopped: false });
        self.period
    }

    /// An orderly stop. Returns the period that it ends.
    pub fn stop(&mut self, now: Timestamp) -> Option<ServingPeriod> {
        let period = self.period.take()?;
        Some(ServingPeriod { ended_at: now.max(period.ended_at), is_stopped: true, ..period })
    }
}

/// How long an interface was down.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Downtime {
    pub total: TimeDelta,
    /// The part of it that began with an orderly stop of the last process.
    pub after_stop: TimeDelta,
}

/// The downtime between two instants. `periods` are those of all processes, by their start, with the last one that ended before
/// `from`. The interface was up while at least one process served it.
pub fn downtime(periods: &[ServingPeriod], from: Timestamp, to: Timestamp) -> Downtime {
    let mut down = Downtime { total: TimeDelta(0), after_stop: TimeDelta(0) };
    let (mut up_until, mut is_stopped) = (Timestamp(i64::MIN), false);
    let mut gap = |start: Timestamp, end: Timestamp, is_stopped: bool| {
        let length = end.min(to).since(start.max(from)).0.max(0);
        down.total.0 += length;
        down.after_stop.0 += if is_stopped { length } else { 0 };
    };
    for period in periods {
        gap(up_until, period.started_at, is_stopped);
        if period.ended_at > up_until {
            (up_until, is_stopped) = (period.ended_at, period.is_stopped);
        }
    }
    gap(up_until, to, is_stopped);
    down
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn at(seconds: i64) -> Timestamp {
        Timestamp(seconds * 1_000_000)
    }

    const fn period(start: i64, end: i64, is_stopped: bool) -> ServingPeriod {
        ServingPeriod { started_at: at(start), ended_at: at(end), is_stopped }
    }

    fn down(periods: &[ServingPeriod]) -> (i64, i64) {
        let down = downtime(periods, at(100), at(200));
        (down.total.0 / 1_000_000, down.after_stop.0 / 1_000_000)
    }

    #[test]
    fn downtime_is_the_time_that_no_process_has_served() {
        assert_eq!(down(&[]), (100, 0));
        assert_eq!(down(&[period(0, 300, false)]), (0, 0));
        assert_eq!(down(&[period(0, 150, false), period(160, 300, false)]), (10, 0));
        assert_eq!(down(&[period(120, 150, false)]), (70, 0));
        // Two processes, one of them restarted twice.
        assert_eq!(down(&[period(0, 140, true), period(90, 170, false), period(150, 400, false)]), (0, 0));
        assert_eq!(down(&[period(0, 140, true), period(90, 170, false), period(175, 400, false)]), (5, 0));
    }

    #[test]
    fn downtime_after_a_stop_is_counted_apart() {
        assert_eq!(down(&[period(0, 150, true), period(153, 300, false)]), (3, 3));
        assert_eq!(down(&[period(0, 90, true), period(150, 300, false)]), (50, 50));
        assert_eq!(down(&[period(0, 110, false), period(120, 150, true)]), (60, 50));
    }

    #[test]
    fn period_goes_on_while_reports_arrive_in_time() {
        let mut tracker = AvailabilityTracker::default();
        assert_eq!(tracker.report(at(0), 0, 0), Some(period(0, 0, false)));
        assert_eq!(tracker.report(at(10), 7, 1), Some(period(0, 10, false)));
        assert_eq!(tracker.report(at(40), 7, 1), Some(period(0, 40, false)));
        assert_eq!(tracker.report(at(71), 9, 1), Some(period(71, 71, false)));
        assert_eq!(tracker.stop(at(75)), Some(period(71, 75, true)));
        assert_eq!(tracker.stop(at(76)), None);
    }

    #[test]
    fn five_failed_requests_in_a_row_end_the_period() {
        let mut tracker = AvailabilityTracker::default();
        tracker.report(at(0), 10, 0);
        assert_eq!(tracker.report(at(10), 12, 2), None);
        assert_eq!(tracker.report(at(20), 15, 5), None);
        assert_eq!(tracker.report(at(30), 18, 8), None);
        // One answer is enough.
        assert_eq!(tracker.report(at(40), 21, 10), Some(period(40, 40, false)));
    }

    #[test]
    fn fewer_failed_requests_do_not_interrupt_the_period() {
        let mut tracker = AvailabilityTracker::default();
        tracker.report(at(0), 10, 0);
        assert_eq!(tracker.report(at(10), 14, 4), None);
        assert_eq!(tracker.report(at(20), 15, 4), Some(period(0, 20, false)));
        assert_eq!(tracker.report(at(30), 19, 8), None);
        // The time without requests ends the series.
        assert_eq!(tracker.report(at(40), 19, 8), Some(period(0, 40, false)));
    }
}
