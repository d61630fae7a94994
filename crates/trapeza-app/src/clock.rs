//! The bank's clock and time zone. Only the sandbox may advance the clock, and only forward.
//!
//! The system clock is compared with a clock that cannot be set (the time since boot). When the system clock jumps by more
//! than [`MAX_STEP`], the bank's time continues from the last plausible time by the time since boot, and the process is not
//! ready until the system clock is right again or the process is restarted: a forward jump, stored as the latest time of
//! the bank, would otherwise stop its time for as long as the jump was wide.

use jiff::tz::{Offset, TimeZone};
use rustix::time::{ClockId, clock_gettime};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};
use trapeza_domain::time::{Date, TimeDelta, Timestamp};
use trapeza_store::{Store, UseCaseError};

const EPOCH: jiff::civil::Date = jiff::civil::Date::constant(1970, 1, 1);
const SECONDS_PER_DAY: i64 = 86_400;

/// The largest difference between system clock and elapsed time that is taken for an adjustment of the system clock.
const MAX_STEP: TimeDelta = TimeDelta::minutes(1);

/// Smaller differences are those of reading two clocks one after the other. Storing them would move the clock's cache line between the
/// processors at every reading.
const MIN_STEP_MICROS: i64 = 1_000;

/// The system time plus the offset of the sandbox. It never runs backwards.
#[derive(Clone)]
pub struct Clock {
    shared: Arc<Shared>,
    zone: Zone,
}

struct Shared {
    /// The offset of the sandbox.
    ahead: AtomicI64,
    /// The latest time returned. A system clock that is set back must not revive an expired consent.
    seen: AtomicI64,
    steady: SteadyClock,
}

/// The system clock without implausible jumps. Times are in microseconds.
struct SteadyClock {
    /// The system time at boot, as of the last plausible reading.
    boot_time: AtomicI64,
    plausible: AtomicBool,
}

impl SteadyClock {
    fn new(system: i64, since_boot: i64) -> Self {
        Self { boot_time: AtomicI64::new(system - since_boot), plausible: AtomicBool::new(true) }
    }

    /// The time for a reading of both clocks.
    fn advance(&self, system: i64, since_boot: i64) -> i64 {
        let expected = self.boot_time.load(Ordering::Relaxed).saturating_add(since_boot);
        let step = system.saturating_sub(expected);
        let plausible = step.unsigned_abs() <= MAX_STEP.0.unsigned_abs();
        if self.plausible.load(Ordering::Relaxed) != plausible
            && self.plausible.swap(plausible, Ordering::Relaxed) != plausible
        {
            if plausible {
                tracing::info!("clock: the system clock is plausible again");
            } else {
                let seconds = step / 1_000_000;
                tracing::error!(
                    seconds,
                    "clock: the system clock has jumped, the bank's time ignores it and the process is not ready; correct the clock, or restart to accept its time"
                );
            }
        }
        if !plausible {
            return expected;
        }
        // Stored, not added: threads that have read the same difference must not correct it several times.
        if step.abs() >= MIN_STEP_MICROS {
            self.boot_time.store(system.saturating_sub(since_boot), Ordering::Relaxed);
        }
        system
    }
}

impl Clock {
    /// Loads the offset of the sandbox and the latest time, which survive a restart.
    pub async fn load(store: &Store, zone: Zone) -> Result<Self, UseCaseError> {
        let (ahead, seen) = store.read(|tx| Ok(tx.clock_find()?)).await?;
        // A latest time in the future comes from a clock that was wrong. Time continues from there.
        let start = system_micros().max(seen.0.saturating_sub(ahead.0));
        let shared = Shared {
            ahead: AtomicI64::new(ahead.0),
            seen: AtomicI64::new(seen.0),
            steady: SteadyClock::new(start, micros_since_boot()),
        };
        Ok(Self { shared: Arc::new(shared), zone })
    }

    pub fn now(&self) -> Timestamp {
        let steady = self.shared.steady.advance(system_micros(), micros_since_boot());
        let now = steady.saturating_add(self.shared.ahead.load(Ordering::Relaxed));
        let before = self.shared.seen.fetch_max(now, Ordering::Relaxed);
        Timestamp(now.max(before))
    }

    /// Whether the system clock agreed with the time since boot when it was last read.
    pub fn is_plausible(&self) -> bool {
        self.shared.steady.plausible.load(Ordering::Relaxed)
    }

    /// The system time without the offset: for leases, and for values that other systems compare with their clocks.
    pub fn system_now(&self) -> Timestamp {
        Timestamp(system_micros())
    }

    pub fn zone(&self) -> &Zone {
        &self.zone
    }

    /// The current date in the bank's time zone.
    pub fn today(&self) -> Date {
        self.zone.day(self.now())
    }

    pub(crate) fn set_offset(&self, ahead: TimeDelta) {
        self.shared.ahead.fetch_max(ahead.0, Ordering::Relaxed);
    }

    /// Loads what other processes of the same bank have stored, and stores the latest time of this one. A latest time of
    /// another process that is far in the future is not adopted.
    pub async fn synchronise(&self, store: &Store) -> Result<(), UseCaseError> {
        let now = self.now();
        let (ahead, seen) = store
            .write_background(move |tx| {
                tx.clock_raise_watermark(now)?;
                Ok(tx.clock_find()?)
            })
            .await?;
        self.set_offset(ahead);
        if seen.since(self.now()) > MAX_STEP {
            tracing::warn!(
                "clock: another process of the bank has a clock that is ahead; its time is ignored"
            );
        } else {
            self.shared.seen.fetch_max(seen.0, Ordering::Relaxed);
        }
        Ok(())
    }
}

fn system_micros() -> i64 {
    jiff::Timestamp::now().as_microsecond()
}

/// Continues while the machine is suspended, and cannot be set.
fn micros_since_boot() -> i64 {
    let time = clock_gettime(ClockId::Boottime);
    time.tv_sec.saturating_mul(1_000_000).saturating_add(time.tv_nsec / 1_000)
}

/// The first instant of the year 2100.
const OFFSETS_END_MICROS: i64 = 4_102_444_800_000_000;

/// The bank's time zone, which decides when a day begins.
#[derive(Clone, Debug)]
pub struct Zone(TimeZone);

impl Clock {
    /// Stores the offsets of the time zone, unless they are stored already: SQL has no other way to compute local dates.
    pub async fn zone_store(&self, store: &Store) -> Result<(), UseCaseError> {
        let offsets = self.zone.offsets();
        let stored = store.read(|tx| Ok(tx.zone_offset_list()?)).await?;
        if stored == offsets {
            return Ok(());
        }
        store.write_background(move |tx| Ok(tx.zone_offset_replace(&offsets)?)).await
    }
}

impl Zone {
    pub fn parse(name: &str) -> Result<Self, String> {
        TimeZone::get(name).map(Self).map_err(|_| format!("unknown time zone {name}"))
    }

    /// The date of a timestamp in this zone.
    pub fn day(&self, instant: Timestamp) -> Date {
        let instant = timestamp(instant);
        let seconds =
            instant.as_microsecond().div_euclid(1_000_000) + i64::from(self.0.to_offset(instant).seconds());
        Date(i32::try_from(seconds.div_euclid(SECONDS_PER_DAY)).unwrap_or(i32::MAX))
    }

    /// The first timestamp of a date in this zone.
    pub fn start_of(&self, day: Date) -> Timestamp {
        let zoned = date(day).to_zoned(self.0.clone());
        zoned.map_or(Timestamp(i64::from(day.0) * 86_400_000_000), |zoned| {
            Timestamp(zoned.timestamp().as_microsecond())
        })
    }

    /// The local time of day: `14:05`.
    pub fn clock_time(&self, instant: Timestamp) -> String {
        let time = timestamp(instant).to_zoned(self.0.clone()).time();
        format!("{:02}:{:02}", time.hour(), time.minute())
    }

    /// The offsets from UTC in seconds from 1970 until 2100, each from an instant on.
    pub fn offsets(&self) -> Vec<(Timestamp, i64)> {
        let start = jiff::Timestamp::UNIX_EPOCH;
        let first = (Timestamp(0), i64::from(self.0.to_offset(start).seconds()));
        let later = self.0.following(start).map(|transition| {
            let at = Timestamp(transition.timestamp().as_microsecond());
            (at, i64::from(transition.offset().seconds()))
        });
        std::iter::once(first).chain(later.take_while(|(at, _)| at.0 < OFFSETS_END_MICROS)).collect()
    }

    /// The last timestamp of a date in this zone.
    pub fn end_of(&self, day: Date) -> Timestamp {
        Timestamp(self.start_of(Date(day.0.saturating_add(1))).0 - 1)
    }
}

/// RFC 3339 in UTC, to the second where there is no fraction: `2026-11-15T09:30:00Z`.
pub fn format_timestamp(instant: Timestamp) -> String {
    timestamp(instant).to_string()
}

/// Parses a date-time with an offset.
pub fn parse_timestamp(text: &str) -> Option<Timestamp> {
    text.parse::<jiff::Timestamp>().ok().map(|stamp| Timestamp(stamp.as_microsecond()))
}

/// Parses a date-time of ISO 8601; without an offset it is a time in UTC.
pub fn parse_date_time(text: &str) -> Option<Timestamp> {
    parse_timestamp(text).or_else(|| parse_timestamp(&format!("{text}Z")))
}

/// `2026-11-15`
pub fn format_date(day: Date) -> String {
    let date = date(day);
    // Without a formatter, because a page of transactions has hundreds of dates.
    match i32::from(date.year()) * 10_000 + i32::from(date.month()) * 100 + i32::from(date.day()) {
        digits @ 10_000_101.. => {
            let mut text = digits.to_string();
            text.insert(4, '-');
            text.insert(7, '-');
            text
        }
        _ => date.to_string(),
    }
}

/// Parses a date without anything after it.
pub fn parse_date(text: &str) -> Option<Date> {
    let plain = text.len() == 10 && text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'-');
    plain.then(|| text.parse::<jiff::civil::Date>().ok()).flatten().map(|date| Date(days_since_epoch(date)))
}

fn timestamp(instant: Timestamp) -> jiff::Timestamp {
    jiff::Timestamp::from_microsecond(instant.0).unwrap_or(jiff::Timestamp::MAX)
}

/// By the timestamp of midnight in UTC: plain arithmetic, because a page of transactions has hundreds of dates. The last two days
/// of the year 9999 are beyond the last timestamp.
fn date(day: Date) -> jiff::civil::Date {
    match jiff::Timestamp::from_second(i64::from(day.0) * SECONDS_PER_DAY) {
        Ok(midnight) => Offset::UTC.to_datetime(midnight).date(),
        Err(_) => EPOCH.saturating_add(jiff::Span::new().days(i64::from(day.0))),
    }
}

fn days_since_epoch(date: jiff::civil::Date) -> i32 {
    date.since(EPOCH).map_or(0, |span| span.get_days())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn concurrent_readings_do_not_move_the_clock_away() {
        // Readings of the two clocks are apart by a different time each, most of them long enough to be stored.
        let (clock, reading, farthest) =
            (SteadyClock::new(1_000_000, 0), AtomicI64::new(0), AtomicI64::new(0));
        std::thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| {
                    for _ in 0..200_000 {
                        let since_boot = reading.fetch_add(1, Ordering::Relaxed);
                        let apart = since_boot % 7 * MIN_STEP_MICROS;
                        clock.advance(1_000_000 + since_boot + apart, since_boot);
                        let moved = clock.boot_time.load(Ordering::Relaxed) - 1_000_000;
                        farthest.fetch_max(moved.abs(), Ordering::Relaxed);
                    }
                });
            }
        });
        let farthest = farthest.into_inner();
        assert_eq!(farthest, 6 * MIN_STEP_MICROS, "the clock has moved by {farthest} microseconds");
    }

    #[test]
    fn day_bounds_follow_the_zone_across_daylight_saving() {
        let athens = Zone::parse("Europe/Athens").unwrap();
        let day = parse_date("2026-03-29").unwrap();
        assert_eq!(format_timestamp(athens.start_of(day)), "2026-03-28T22:00:00Z");
        assert_eq!(format_timestamp(athens.end_of(day)), "2026-03-29T20:59:59.999999Z");
        assert_eq!(athens.day(athens.start_of(day)), day);
        assert_eq!(athens.day(athens.end_of(day)), day);
        assert_eq!(format_date(day), "2026-03-29");
    }

    const MINUTE: i64 = 60_000_000;

    #[test]
    fn adjustments_of_the_system_clock_are_followed() {
        let clock = SteadyClock::new(1000 * MINUTE, 5 * MINUTE);
        assert_eq!(clock.advance(1001 * MINUTE + 7, 6 * MINUTE), 1001 * MINUTE + 7);
        assert_eq!(clock.advance(1002 * MINUTE - 9, 7 * MINUTE), 1002 * MINUTE - 9);
        assert!(clock.plausible.load(Ordering::Relaxed));
    }

    #[test]
    fn jump_of_the_system_clock_is_ignored_until_it_is_corrected() {
        let clock = SteadyClock::new(1000 * MINUTE, 0);
        let day = 24 * 60 * MINUTE;
        for jump in [day, -day, 2 * MINUTE] {
            assert_eq!(clock.advance(1001 * MINUTE + jump, MINUTE), 1001 * MINUTE);
            assert!(!clock.plausible.load(Ordering::Relaxed));
            assert_eq!(clock.advance(1002 * MINUTE + jump, 2 * MINUTE), 1002 * MINUTE, "time continues");
        }
        assert_eq!(clock.advance(1003 * MINUTE, 3 * MINUTE), 1003 * MINUTE);
        assert!(clock.plausible.load(Ordering::Relaxed));
    }

    #[test]
    fn dates_are_formatted_as_they_were_parsed() {
        for text in ["1969-12-31", "1970-01-01", "2024-02-29", "9999-12-30", "9999-12-31", "0001-01-01"] {
            assert_eq!(format_date(parse_date(text).unwrap()), text);
        }
    }

    #[test]
    fn parse_date_accepts_plain_dates_only() {
        for odd in ["2026-3-29", "2026-02-30", "2026-03-29T00:00:00Z", "20260329", ""] {
            assert_eq!(parse_date(odd), None, "{odd}");
        }
    }

    #[test]
    fn date_time_without_an_offset_is_in_utc() {
        let utc = parse_timestamp("2026-11-15T09:30:00Z");
        assert!(utc.is_some());
        assert_eq!(parse_date_time("2026-11-15T09:30:00"), utc);
        assert_eq!(parse_date_time("2026-11-15T10:30:00+01:00"), utc);
        assert_eq!((parse_timestamp("2026-11-15T09:30:00"), parse_date_time("2026-11-15")), (None, None));
    }
}
