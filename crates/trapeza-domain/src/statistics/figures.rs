//! The figures of one interface on one day. Rates and percentages are integers in thousandths of a percent.

use super::{Downtime, Interface, Service};
use crate::time::{Date, TimeDelta};

/// The upper bounds of the classes of response times in microseconds; the last class has none.
const BOUNDS: [u64; 12] =
    [500, 1_000, 2_500, 5_000, 10_000, 25_000, 50_000, 100_000, 250_000, 1_000_000, 5_000_000, 30_000_000];
/// The number of classes of response times.
pub const BUCKETS: usize = BOUNDS.len() + 1;
/// A hundred percent.
const WHOLE: u128 = 100_000;

/// The class of a response time.
pub fn bucket_of(micros: u64) -> usize {
    BOUNDS.iter().position(|bound| micros <= *bound).unwrap_or(BOUNDS.len())
}

/// What was counted of the requests for one service.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CallCounts {
    pub requests: u64,
    /// Requests that failed because of the bank.
    pub errors: u64,
    /// The sum of the response times.
    pub micros_total: u64,
    pub micros_max: u64,
    /// The number of response times in each class.
    pub buckets: [u64; BUCKETS],
}

impl CallCounts {
    /// Adds what another process has counted.
    pub fn add(&mut self, other: &Self) {
        self.requests += other.requests;
        self.errors += other.errors;
        self.micros_total += other.micros_total;
        self.micros_max = self.micros_max.max(other.micros_max);
        for (own, more) in self.buckets.iter_mut().zip(other.buckets) {
            *own += more;
        }
    }

    /// What was counted since an earlier state of the same counters. The maximum stays that of the later state.
    pub fn since(&self, earlier: &Self) -> Self {
        let mut buckets = self.buckets;
        for (own, before) in buckets.iter_mut().zip(earlier.buckets) {
            *own = own.saturating_sub(before);
        }
        Self {
            requests: self.requests.saturating_sub(earlier.requests),
            errors: self.errors.saturating_sub(earlier.errors),
            micros_total: self.micros_total.saturating_sub(earlier.micros_total),
            micros_max: self.micros_max,
            buckets,
        }
    }

    /// The number of response times.
    pub fn timed(&self) -> u64 {
        self.buckets.iter().sum()
    }

    /// `None` without a response.
    pub fn average_micros(&self) -> Option<u64> {
        let half = self.timed() / 2;
        (self.micros_total + half).checked_div(self.timed())
    }

    /// An upper bound of the time within which 95 of 100 responses were given: the bound of their class, or the maximum.
    pub fn percentile_95_micros(&self) -> Option<u64> {
        let all = self.timed();
        let wanted = (all * 95).div_ceil(100);
        let mut seen = 0;
        let class = self.buckets.iter().position(|count| {
            seen += count;
            seen >= wanted
        });
        let bound = BOUNDS.get(class?).copied().unwrap_or(u64::MAX);
        (all > 0).then_some(bound.min(self.micros_max))
    }
}

/// One interface on one day of the bank's time zone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InterfaceDay {
    pub day: Date,
    pub interface: Interface,
    /// The length of the day, or on the bank's first day the time since its first start.
    pub measured: TimeDelta,
    pub downtime: Downtime,
    /// By service.
    pub counts: [CallCounts; Service::ALL.len()],
}

impl InterfaceDay {
    pub fn counts(&self, service: Service) -> &CallCounts {
        &self.counts[service as usize]
    }

    pub fn requests(&self) -> u64 {
        self.counts.iter().map(|counts| counts.requests).sum()
    }

    pub fn errors(&self) -> u64 {
        self.counts.iter().map(|counts| counts.errors).sum()
    }

    /// Thousandths of a percent of the measured time.
    pub fn downtime_rate(&self) -> u64 {
        rate(self.downtime.total.0.unsigned_abs(), self.measured.0.unsigned_abs()).unwrap_or(0)
    }

    /// A hundred percent without the downtime.
    pub fn uptime_rate(&self) -> u64 {
        100_000 - self.downtime_rate().min(100_000)
    }

    /// Thousandths of a percent of all requests; `None` without a request.
    pub fn error_rate(&self) -> Option<u64> {
        rate(self.errors(), self.requests())
    }
}

/// A part of a whole, rounded.
fn rate(part: u64, whole: u64) -> Option<u64> {
    let whole = u128::from(whole);
    let rounded = (u128::from(part) * WHOLE + whole / 2).checked_div(whole)?;
    u64::try_from(rounded).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counted(times: &[u64]) -> CallCounts {
        let mut counts = CallCounts::default();
        for &micros in times {
            let mut one =
                CallCounts { requests: 1, micros_total: micros, micros_max: micros, ..CallCounts::default() };
            one.buckets[bucket_of(micros)] = 1;
            counts.add(&one);
        }
        counts
    }

    #[test]
    fn times_have_average_percentile_and_maximum() {
        let counts = counted(&[400, 600, 700, 40_000_000]);
        assert_eq!((counts.timed(), counts.micros_max), (4, 40_000_000));
        assert_eq!(counts.average_micros(), Some(10_000_425));
        assert_eq!(counts.percentile_95_micros(), Some(40_000_000));
        let fast = counted(&[800; 100]);
        assert_eq!((fast.average_micros(), fast.percentile_95_micros()), (Some(800), Some(800)));
        let mixed = counted(&[&[300_u64; 95][..], &[20_000; 5]].concat());
        assert_eq!(mixed.percentile_95_micros(), Some(500));
        assert_eq!(
            (CallCounts::default().average_micros(), CallCounts::default().percentile_95_micros()),
            (None, None)
        );
    }

    #[test]
    fn since_leaves_what_was_counted_later() {
        let (before, mut after) = (counted(&[300, 2_000]), counted(&[300, 2_000]));
        after.add(&counted(&[900]));
        assert_eq!(
            after.since(&before).since(&CallCounts::default()),
            CallCounts { micros_max: 2_000, ..counted(&[900]) }
        );
    }

    #[test]
    fn rates_are_rounded_to_thousandths_of_a_percent() {
        let mut counts = [CallCounts::default(); 4];
        counts[0] = CallCounts { requests: 100, errors: 1, ..CallCounts::default() };
        counts[3] = CallCounts { requests: 200, errors: 1, ..CallCounts::default() };
        let downtime = Downtime { total: TimeDelta::seconds(1), after_stop: TimeDelta(0) };
        let day = InterfaceDay {
            day: Date(0),
            interface: Interface::Dedicated,
            measured: TimeDelta::days(1),
            downtime,
            counts,
        };
        assert_eq!((day.downtime_rate(), day.uptime_rate(), day.error_rate()), (1, 99_999, Some(667)));
        let quiet = InterfaceDay { counts: [CallCounts::default(); 4], ..day };
        assert_eq!(quiet.error_rate(), None);
    }
}
