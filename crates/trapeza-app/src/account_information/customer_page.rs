//! Pages of a customer's own statements: newest first, by month, and searched.
//!
//! A page starts at its cursor in an index. A search reads a bounded number of entries and continues from there on the next page.

use super::{EntryIdCipher, Month};
use crate::UseCaseError;
use trapeza_domain::field::Field;
use trapeza_domain::ledger::LedgerAccountId;
use trapeza_domain::money::Currency;
use trapeza_domain::refusal::{FieldErrors, Refusal};
use trapeza_domain::statement::{BookedEntry, StatementSearch};
use trapeza_domain::time::Date;
use trapeza_store::{Cursor, StoreError, Tx};
use uuid::Uuid;

/// The number of entries on a page.
const PAGE: usize = 30;
/// How many entries a search reads at a time, and for one page.
const BATCH: usize = 200;
const SCANNED_MAX: usize = 2000;
/// The number of months that can be selected.
const MONTHS_MAX: usize = 120;

/// The page that a customer asks for; all as typed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CustomerStatementQuery {
    /// `2035-03`; all months without it.
    pub month: Option<String>,
    pub search: Option<String>,
    /// The cursor of the page with older entries.
    pub before: Option<String>,
    /// The cursor of the page with newer entries.
    pub after: Option<String>,
}

/// A page of entries, newest first, with the cursors of its neighbours.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CustomerPage<D> {
    pub booked: Vec<(Uuid, BookedEntry<D>)>,
    pub older: Option<String>,
    pub newer: Option<String>,
    /// Whether this is the page with the newest entries.
    pub is_first: bool,
    /// The months that can be selected, newest first.
    pub months: Vec<Month>,
    pub month: Option<Month>,
}

/// Reads entries before or after a cursor and until a date, newest first.
type ReadEntries<D> =
    fn(&mut Tx<'_>, LedgerAccountId, Date, Cursor, i64) -> Result<Vec<BookedEntry<D>>, StoreError>;

/// How the entries of a statement are read: those before a cursor from a date on, those after it up to a date.
pub(super) struct EntryReader<D> {
    pub before: ReadEntries<D>,
    pub after: ReadEntries<D>,
    pub matches: fn(&StatementSearch, &BookedEntry<D>) -> bool,
}

/// A query that was validated for one statement.
struct ParsedQuery {
    month: Option<Month>,
    search: Option<StatementSearch>,
    before: Option<Cursor>,
    after: Option<Cursor>,
}

impl ParsedQuery {
    /// All errors at once, each with its field.
    fn new(
        ids: &EntryIdCipher,
        (ledger, currency): (LedgerAccountId, Currency),
        query: &CustomerStatementQuery,
    ) -> Result<Self, Refusal> {
        let mut errors = FieldErrors::default();
        let mut cursor = |text: &Option<String>| {
            let text = text.as_ref()?;
            let cursor = ids.cursor_parse(ledger, text);
            if cursor.is_none() {
                errors.add(Field::Cursor, "must be a position in this statement");
            }
            cursor
        };
        let (before, after) = (cursor(&query.before), cursor(&query.after));
        let month = query.month.as_ref().and_then(|text| {
            let month = Month::parse(text);
            if month.is_none() {
                errors.add(Field::Month, "must be a month such as 2035-03");
            }
            month
        });
        let search = query.search.as_ref().map(|text| StatementSearch::parse(text, currency));
        let search = search.and_then(|search| errors.collect(Field::SearchText, search)).flatten();
        errors.finish()?;
        Ok(Self { month, search, before, after })
    }
}

/// Reads the page of a statement that the query asks for.
pub(super) fn read<D>(
    tx: &mut Tx<'_>,
    ids: &EntryIdCipher,
    statement: (LedgerAccountId, Currency),
    query: &CustomerStatementQuery,
    (reader, today): (&EntryReader<D>, Date),
) -> Result<CustomerPage<D>, UseCaseError> {
    let ParsedQuery { month, search, before, after } = ParsedQuery::new(ids, statement, query)?;
    let (ledger, _) = statement;
    let (from, to) = match month {
        Some(month) => (month.first_day(), month.last_day()),
        None => (Date(i32::MIN), today),
    };
    let start = before.unwrap_or(Cursor::end_of(to));
    let (entries, older, has_newer) = match (&search, after) {
        (Some(search), _) => {
            let (found, older) = scan(tx, ledger, (from, start), search, reader)?;
            (found, older, false)
        }
        (None, Some(after)) => {
            let mut entries = (reader.after)(tx, ledger, to, after, limit(PAGE + 1))?;
            let has_newer = entries.len() > PAGE;
            if has_newer {
                entries.remove(0);
            }
            let older = entries.last().map(position).or(Some(after));
            (entries, older, has_newer)
        }
        (None, None) => {
            let mut entries = (reader.before)(tx, ledger, from, start, limit(PAGE + 1))?;
            let has_older = entries.len() > PAGE;
            entries.truncate(PAGE);
            let older = entries.last().filter(|_| has_older).map(position);
            (entries, older, before.is_some())
        }
    };
    let newer = entries.first().filter(|_| has_newer).map(position);
    let encode = |cursor: Cursor| ids.encode_cursor(ledger, cursor).to_string();
    let first_day = tx.entry_first_day(ledger)?;
    Ok(CustomerPage {
        older: older.map(encode),
        newer: newer.map(encode),
        is_first: before.is_none() && !has_newer,
        months: months(first_day, today),
        month,
        booked: entries.into_iter().map(|entry| (ids.entry_id(ledger, entry.seq), entry)).collect(),
    })
}

/// The entries that a search finds, and the position from which it continues.
fn scan<D>(
    tx: &mut Tx<'_>,
    ledger: LedgerAccountId,
    (from, mut start): (Date, Cursor),
    search: &StatementSearch,
    reader: &EntryReader<D>,
) -> Result<(Vec<BookedEntry<D>>, Option<Cursor>), StoreError> {
    let mut found = Vec::new();
    for _ in 0..SCANNED_MAX / BATCH {
        let batch = (reader.before)(tx, ledger, from, start, limit(BATCH))?;
        let is_last = batch.len() < BATCH;
        for entry in batch {
            start = position(&entry);
            if (reader.matches)(search, &entry) {
                found.push(entry);
                if found.len() == PAGE {
                    return Ok((found, Some(start)));
                }
            }
        }
        if is_last {
            return Ok((found, None));
        }
    }
    Ok((found, Some(start)))
}

/// The months from the first entry until today, newest first.
fn months(first_day: Option<Date>, today: Date) -> Vec<Month> {
    let newest = Month::of(today);
    let oldest = first_day.map_or(newest, Month::of).min(newest);
    let mut months = vec![newest];
    let mut month = newest;
    while month > oldest && months.len() < MONTHS_MAX {
        month = month.previous();
        months.push(month);
    }
    months
}

fn position<D>(entry: &BookedEntry<D>) -> Cursor {
    Cursor { date: entry.booking_day, seq: entry.seq }
}

fn limit(entries: usize) -> i64 {
    i64::try_from(entries).unwrap_or(i64::MAX)
}
