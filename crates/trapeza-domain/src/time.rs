//! Instants and lengths of time, in microseconds. The calendar (zones, days, months) belongs to those who have a clock.

/// Microseconds since 1970-01-01T00:00:00Z.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Timestamp(pub i64);

/// A length of time in microseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TimeDelta(pub i64);

/// A calendar day as days since 1970-01-01, in whichever zone the context says (the bank's, unless stated).
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
