//! The parameters of a statement query.

use super::ConsentSession;
use crate::UseCaseError;
use trapeza_domain::field::Field;
use trapeza_domain::refusal::{Refusal, RefusalReason};
use trapeza_domain::time::{Date, TimeDelta};

/// Which entries are requested.
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

/// A range of dates, both inclusive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Period {
    pub from: Date,
    /// Today where none is given.
    pub to: Option<Date>,
}

/// The start of the range.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Range {
    Period(Period),
    /// Entries after this one, which is not included.
    Since(String),
    /// Entries that the consent has not delivered by an earlier list of this kind; `None` for the first page.
    Undelivered(Option<DeltaPage>),
}

/// The range of a delta list, as the address of a further page names it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeltaPage {
    /// The entry after which the list begins.
    pub after: String,
    /// The last entry of the list.
    pub up_to: String,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StatementQuery {
    pub range: Range,
    pub status: BookingStatus,
    /// The maximum number of booked entries.
    pub limit: i64,
    /// The cursor of the previous page.
    pub cursor: Option<String>,
    pub with_balance: bool,
    /// Whether the standing orders of the account are listed as well.
    pub standing_orders: bool,
    /// Whether the booked balances before and after the page are read.
    pub page_balances: bool,
}

impl StatementQuery {
    /// Whether this page continues a counted read, and is therefore not counted again. It contains only entries that
    /// existed when the read began. Pending entries have one page, which is always a read of its own.
    pub(super) fn is_further_page(&self) -> bool {
        self.cursor.is_some() && self.status != BookingStatus::Pending
    }

    /// Whether the read remembers what it has delivered.
    pub(super) const fn is_delta(&self) -> bool {
        matches!(self.range, Range::Undelivered(_))
    }
}

/// Entries, newest first, and the cursor of the next page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Page<T> {
    pub lines: Vec<T>,
    pub next: Option<String>,
}

/// How many pending entries are returned. They have one page only, because they change between requests.
pub(super) const PENDING_MOST: i64 = 1000;

/// Transactions older than this need a recent SCA (RTS 2018/389, Art. 10a).
pub(super) const OLD_DAYS: i32 = 90;
const RECENT: TimeDelta = TimeDelta::minutes(20);

impl ConsentSession {
    /// Refuses a range older than 90 days unless the customer has authorised the consent recently.
    pub(super) fn require_recent_sca(&self, oldest: Date, today: Date) -> Result<(), UseCaseError> {
        if oldest.0 >= today.0.saturating_sub(OLD_DAYS) || self.now <= self.since.plus(RECENT) {
            return Ok(());
        }
        let text = "transactions older than 90 days are shown only within 20 minutes of the customer's authentication \
                    for this consent";
        Err(Refusal::at(RefusalReason::ConsentInvalid, Field::DateFrom, text).into())
    }
}
