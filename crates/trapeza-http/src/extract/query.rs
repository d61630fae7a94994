//! Query parameters, each at most once.

use super::malformed;
use trapeza_app::account_information::{BookingStatus, Period, Range, StatementQuery};
use trapeza_app::{parse_date, parse_date_time};
use trapeza_domain::field::{Field, FieldPath};
use trapeza_domain::refusal::{Refusal, RefusalReason};
use trapeza_domain::time::Date;

/// The largest and the default number of transactions per page.
const MAX_LIMIT: i64 = 1000;
const DEFAULT_LIMIT: i64 = 100;

/// The query parameters of a request.
pub struct Query(Vec<(String, String)>);

impl Query {
    /// A repeated parameter is refused: two programs might read different values.
    pub fn parse(text: &str) -> Result<Self, Refusal> {
        let mut all: Vec<(String, String)> = Vec::new();
        for (name, value) in url::form_urlencoded::parse(text.as_bytes()) {
            if all.iter().any(|(known, _)| *known == name) {
                return Err(malformed(&name, "must be sent only once"));
            }
            all.push((name.into_owned(), value.into_owned()));
        }
        Ok(Self(all))
    }

    /// The value of a parameter; an empty one counts as absent.
    pub fn get(&self, name: &str) -> Option<&str> {
        let found = self.0.iter().find(|(known, _)| known == name);
        found.map(|(_, value)| value.as_str()).filter(|value| !value.is_empty())
    }

    pub fn flag(&self, name: &str) -> Result<bool, Refusal> {
        match self.get(name) {
            None | Some("false") => Ok(false),
            Some("true") => Ok(true),
            Some(_) => Err(malformed(name, "must be true or false")),
        }
    }

    /// A date; of a date-time the date counts, but the whole text must be valid.
    fn day(&self, name: &str) -> Result<Option<Date>, Refusal> {
        let Some(text) = self.get(name) else { return Ok(None) };
        let day = match text.split_once('T') {
            None => parse_date(text),
            Some((date, _)) => parse_date(date).filter(|_| is_date_time(text)),
        };
        day.map(Some).ok_or_else(|| malformed(name, "must be a date, for example 2026-11-15"))
    }

    /// What of a statement is asked for.
    pub fn statement(&self, today: Date) -> Result<StatementQuery, Refusal> {
        let query = self.statement_of(self.range(today)?, self.booking_status()?)?;
        Ok(StatementQuery { with_balance: self.flag("withBalance")?, ..query })
    }

    /// What of this range and status of a statement is asked for, without balances.
    pub fn statement_of(&self, range: Range, status: BookingStatus) -> Result<StatementQuery, Refusal> {
        Ok(StatementQuery {
            range,
            status,
            limit: self.limit()?,
            cursor: self.get("cursor").map(str::to_owned),
            with_balance: false,
            standing_orders: false,
            page_balances: false,
        })
    }

    /// The dates or the entry from which on entries are asked for.
    pub fn range(&self, today: Date) -> Result<Range, Refusal> {
        let (from, to) = (self.day("dateFrom")?, self.day("dateTo")?);
        let range = match (self.get("entryReferenceFrom"), from) {
            (Some(_), Some(_)) => {
                let text = "must not be combined with dateFrom";
                return Err(Refusal::at(RefusalReason::Inconsistent, Field::EntryReferenceFrom, text));
            }
            (Some(line), None) => Range::Since(line.to_owned()),
            (None, Some(from)) => Range::Period(Period { from, to }),
            (None, None) => {
                return Err(malformed("dateFrom", "is required unless entryReferenceFrom is given"));
            }
        };
        if let Some(from) = from
            && from > to.unwrap_or(today)
        {
            return Err(Refusal::at(
                RefusalReason::PeriodInvalid,
                Field::DateFrom,
                "must not be after dateTo",
            ));
        }
        Ok(range)
    }

    pub fn booking_status(&self) -> Result<BookingStatus, Refusal> {
        match self.get("bookingStatus") {
            None | Some("booked") => Ok(BookingStatus::Booked),
            Some("pending") => Ok(BookingStatus::Pending),
            Some("both") => Ok(BookingStatus::Both),
            Some(_) => Err(Refusal::at(
                RefusalReason::Unsupported,
                FieldPath::spelled("bookingStatus"),
                "must be booked, pending or both",
            )),
        }
    }

    fn limit(&self) -> Result<i64, Refusal> {
        let Some(text) = self.get("limit") else { return Ok(DEFAULT_LIMIT) };
        let limit = text.parse().ok().filter(|limit| (1..=MAX_LIMIT).contains(limit));
        limit.ok_or_else(|| malformed("limit", format!("must be an integer from 1 to {MAX_LIMIT}")))
    }

    /// The same parameters without a cursor: those of the first page.
    pub fn without_cursor(&self) -> String {
        self.replaced(&[("cursor", None)])
    }

    /// The same parameters with another cursor, for a link.
    pub fn with_cursor(&self, cursor: &str) -> String {
        self.replaced(&[("cursor", Some(cursor))])
    }

    /// The same parameters with other values at the end; one without a value is left out.
    pub fn replaced(&self, values: &[(&str, Option<&str>)]) -> String {
        let mut out = url::form_urlencoded::Serializer::new(String::new());
        let is_replaced = |name: &str| values.iter().any(|(replaced, _)| *replaced == name);
        out.extend_pairs(self.0.iter().filter(|(name, _)| !is_replaced(name)));
        out.extend_pairs(values.iter().filter_map(|(name, value)| Some((*name, (*value)?))));
        out.finish()
    }
}

/// A date-time with or without an offset. An unescaped plus sign arrives as a space.
fn is_date_time(text: &str) -> bool {
    parse_date_time(&text.replace(' ', "+")).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    const TODAY: Date = Date(20_000);

    fn refused(text: &str) -> (RefusalReason, FieldPath) {
        let refusal = Query::parse(text).and_then(|query| query.statement(TODAY)).unwrap_err();
        (refusal.reason, refusal.errors[0].path.clone())
    }

    #[test]
    fn invalid_statement_query_names_its_parameter() {
        let (from, since) = (FieldPath::from(Field::DateFrom), FieldPath::from(Field::EntryReferenceFrom));
        let at = |name: &str| FieldPath::spelled(name);
        for (text, reason, path) in [
            ("", RefusalReason::Malformed, at("dateFrom")),
            ("dateFrom=soon", RefusalReason::Malformed, at("dateFrom")),
            ("dateFrom=2024-01-01Tgarbage", RefusalReason::Malformed, at("dateFrom")),
            ("dateFrom=2024-01-01T", RefusalReason::Malformed, at("dateFrom")),
            ("dateFrom=2024-01-01T25:00:00Z", RefusalReason::Malformed, at("dateFrom")),
            ("dateFrom=2024-01-01T10:00:00Z%5BUTC", RefusalReason::Malformed, at("dateFrom")),
            ("dateFrom=2024-01-01&dateFrom=2024-01-02", RefusalReason::Malformed, at("dateFrom")),
            ("dateFrom=2024-01-02&dateTo=2024-01-01", RefusalReason::PeriodInvalid, from.clone()),
            ("dateFrom=2999-01-01", RefusalReason::PeriodInvalid, from.clone()),
            ("dateFrom=2024-01-01&bookingStatus=all", RefusalReason::Unsupported, at("bookingStatus")),
            ("dateFrom=2024-01-01&limit=0", RefusalReason::Malformed, at("limit")),
            ("dateFrom=2024-01-01&limit=1001", RefusalReason::Malformed, at("limit")),
            ("dateFrom=2024-01-01&withBalance=yes", RefusalReason::Malformed, at("withBalance")),
            ("dateFrom=2024-01-01&entryReferenceFrom=x", RefusalReason::Inconsistent, since),
        ] {
            assert_eq!(refused(text), (reason, path), "{text}");
        }
    }

    #[test]
    fn date_time_is_read_as_its_date_with_defaults() {
        let from = parse_date("2024-01-01").unwrap();
        for text in ["2024-01-01T10:00:00", "2024-01-01T10:00:00+02:00", "2024-01-01T10:00:00.5%2B02:00"] {
            let query = Query::parse(&format!("dateFrom={text}")).unwrap().statement(TODAY).unwrap();
            assert_eq!(query.range, Range::Period(Period { from, to: None }), "{text}");
        }
        let query = Query::parse("dateFrom=2024-01-01T10:00:00Z").unwrap().statement(TODAY).unwrap();
        assert_eq!(query.range, Range::Period(Period { from, to: None }));
        assert_eq!((query.status, query.limit, query.cursor), (BookingStatus::Booked, 100, None));
    }

    #[test]
    fn link_keeps_the_parameters_and_changes_the_cursor() {
        let query = Query::parse("dateFrom=2024-01-01&cursor=old&limit=5").unwrap();
        assert_eq!(query.with_cursor("new"), "dateFrom=2024-01-01&limit=5&cursor=new");
    }
}
