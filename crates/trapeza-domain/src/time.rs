//! Points in time, durations and dates. Time zones belong to the app's clock, calendar rules to `calendar`.

/// Microseconds since 1970-01-01T00:00:00Z.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Timestamp(pub i64);

/// A signed duration in microseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TimeDelta(pub i64);

/// A date as days since 1970-01-01, in the bank's time zone unless stated otherwise.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Date(pub i32);

impl Timestamp {
    pub const fn plus(self, span: TimeDelta) -> Self {
        Self(self.0.saturating_add(span.0))
    }

    pub const fn minus(self, span: TimeDelta) -> Self {
        Self(self.0.saturating_sub(span.0))
    }

    pub const fn since(self, earlier: Self) -> TimeDelta {
        TimeDelta(self.0.saturating_sub(earlier.0))
    }
}

impl TimeDelta {
    pub const fn seconds(n: i64) -> Self {
        Self(n * 1_000_000)
    }

    pub const fn minutes(n: i64) -> Self {
        Self::seconds(n * 60)
    }

    pub const fn hours(n: i64) -> Self {
        Self::minutes(n * 60)
    }

    pub const fn days(n: i64) -> Self {
        Self::hours(n * 24)
    }
}
