//! How long a fault was noticed by callers.

use super::load::Attempt;
use std::time::{Duration, Instant};

/// Over which the 99th percentile is taken, and during which no try may fail.
const WINDOW: Duration = Duration::from_secs(2);
/// A percentile below this counts as normal, whatever it was before: the machine has other work too.
const NORMAL: Duration = Duration::from_millis(500);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Recovery {
    pub p99_before: Duration,
    /// From the fault to the time from which all windows have a normal percentile and no failed try; `None` if there is none.
    pub time: Option<Duration>,
    /// The longest time without any successful try.
    pub outage: Duration,
}

impl Recovery {
    /// Tries must be in the order of their ends; they begin some time before the fault.
    pub fn of(attempts: &[Attempt], fault: Instant, end: Instant) -> Self {
        let p99_before = p99(attempts.iter().filter(|one| one.end < fault)).unwrap_or_default();
        let limit = NORMAL.max(2 * p99_before);
        let mut start = fault;
        let mut time = None;
        while start + WINDOW <= end {
            let window = || attempts.iter().filter(|one| one.end >= start && one.end < start + WINDOW);
            let is_normal = window().all(|one| one.ok) && p99(window()).is_some_and(|p99| p99 <= limit);
            if is_normal && time.is_none() {
                time = Some(start - fault);
            } else if !is_normal {
                time = None;
            }
            start += Duration::from_millis(100);
        }
        let mut outage = Duration::ZERO;
        let mut last = fault;
        for one in attempts.iter().filter(|one| one.ok && one.end >= fault) {
            outage = outage.max(one.end - last);
            last = one.end;
        }
        Self { p99_before, time, outage: outage.max(end.saturating_duration_since(last)) }
    }
}

fn p99<'a>(attempts: impl Iterator<Item = &'a Attempt>) -> Option<Duration> {
    let mut times: Vec<Duration> = attempts.map(|one| one.took).collect();
    times.sort_unstable();
    let at = (times.len() * 99).div_ceil(100).checked_sub(1)?;
    times.get(at).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn attempts(start: Instant, millis: std::ops::Range<u64>, took: u64, ok: bool) -> Vec<Attempt> {
        let at = |after| start + Duration::from_millis(after);
        millis
            .step_by(20)
            .map(|after| Attempt { end: at(after), took: Duration::from_millis(took), ok })
            .collect()
    }

    #[test]
    fn recovery_is_the_start_of_the_normal_tries() {
        let start = Instant::now();
        let mut all = attempts(start, 0..5000, 10, true);
        all.extend(attempts(start, 5000..8000, 5, false));
        all.extend(attempts(start, 8000..9000, 2000, true));
        all.extend(attempts(start, 9000..15000, 12, true));
        let recovery = Recovery::of(&all, start + Duration::from_secs(5), start + Duration::from_secs(15));
        assert_eq!(recovery.p99_before, Duration::from_millis(10));
        assert_eq!(recovery.time, Some(Duration::from_secs(4)));
        assert_eq!(recovery.outage, Duration::from_secs(3));
    }

    #[test]
    fn recovery_without_a_normal_window_is_none() {
        let start = Instant::now();
        let mut all = attempts(start, 0..5000, 10, true);
        all.extend(attempts(start, 5000..9000, 5, false));
        let recovery = Recovery::of(&all, start + Duration::from_secs(5), start + Duration::from_secs(9));
        assert_eq!(recovery.time, None);
        assert_eq!(recovery.outage, Duration::from_secs(4));
    }
}
