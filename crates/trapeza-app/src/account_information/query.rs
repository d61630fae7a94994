//! What of a statement is asked for, and how much of it at a time.

use super::ConsentSession;
use crate::UseCaseError;
use trapeza_domain::refusal::{Refusal, RefusalReason};
use trapeza_domain::time::{Date, TimeDelta};

/// Which lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BookingStatus {
    Booked,
    Pending,
    Both,
}

impl BookingStatus {
    pub const fn booked(self) -> bool {
        matches!(self, Self::Booked | Self::Both)
    }

    pub const fn pending(self) -> bool {
        matches!(self, Self::Pending | Self::Both)
    }
}

/// Days, both included.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Period {
    pub from: Date,
    /// ValidUntil today where none was given.
    pub to: Option<Date>,
}

/// From when.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Range {
    Period(Period),
    /// What came after this line, which is not among them.
    Since(String),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StatementQuery {
    pub range: Range,
    pub status: BookingStatus,
    /// Of booked lines.
    pub limit: i64,
    /// Where a page before this one ended.
    pub cursor: Option<String>,
    pub with_balance: bool,
}

impl StatementQuery {
    /// Whether this goes on with a read that was counted. Such a page is not counted again, so it tells only lines that
    /// were there when the read began; what is pending has one page, which is always a read of its own.
    pub(super) fn is_further_page(&self) -> bool {
        self.cursor.is_some() && self.status != BookingStatus::Pending
    }
}

/// Lines, newest first, and where to go on if there are more.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Page<T> {
    pub lines: Vec<T>,
    pub next: Option<String>,
}

/// How many pending lines are shown. They come all at once, since there is no going on where the next look may find other
/// ones; an account with more is beyond the usual.
pub(super) const PENDING_MOST: i64 = 1000;

/// Transactions older than this need the customer's recent authentication (RTS 2018/389, Art. 10a).
const OLD_DAYS: i32 = 90;
const RECENT: TimeDelta = TimeDelta::minutes(20);

impl ConsentSession {
    /// Refuses what is older than 90 days unless the customer has just authorised this consent.
    pub(super) fn require_recent_sca(&self, oldest: Date, today: Date) -> Result<(), UseCaseError> {
        if oldest.0 >= today.0.saturating_sub(OLD_DAYS) || self.now <= self.since.plus(RECENT) {
            return Ok(());
        }
        let text = "transactions older than 90 days are shown only within 20 minutes of the customer's authentication \
                    for this consent";
        Err(Refusal::at(RefusalReason::ConsentInvalid, "dateFrom", text).into())
    }
}
