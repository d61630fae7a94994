//! The settlement report of a merchant: what was bought, refunded and paid out in a period, with fees; as a page and as CSV.

use super::{id, path};
use crate::portal_request::PortalRequest;
use axum::http::StatusCode;
use std::fmt::Write as _;
use trapeza_app::organisation::{SettlementKind, SettlementReport, SettlementRow};
use trapeza_app::{UseCaseError, format_date, parse_date};
use trapeza_domain::field::Field;
use trapeza_domain::id::ApplicationId;
use trapeza_domain::refusal::Refusal;
use trapeza_domain::time::Date;
use trapeza_web::site::route::PageResult;
use trapeza_web::site::{Block, Cell, Form, Input, Page, Table, attachment, is_form_error};
use url::form_urlencoded::Serializer;

/// How many rows the page shows; the file has all.
const PAGE_ROWS: usize = 200;
const NAMES: [(Field, &str); 2] = [(Field::DateFrom, "from"), (Field::BookingDate, "to")];

pub async fn show(request: &PortalRequest) -> PageResult {
    let id = id(request)?;
    match report(request, id).await {
        Ok(report) => Ok(report_page(id, &report).ok(request)),
        Err(UseCaseError::Refused(refusal)) if is_form_error(&refusal) => {
            let form = form(id, "", "").filled_from_query(&request.web).refused(&refusal, &NAMES);
            let page = Page::new("Settlement report").with(Block::form(form)).with(back(id));
            Ok(page.respond(request, StatusCode::BAD_REQUEST))
        }
        Err(error) => Err(error),
    }
}

pub async fn file(request: &PortalRequest) -> PageResult {
    let id = id(request)?;
    let report = report(request, id).await?;
    let name = format!("settlement-{}-{}.csv", format_date(report.from), format_date(report.to));
    Ok(attachment("text/csv; charset=utf-8", &name, csv(&report)))
}

/// The report of the period in the address; without one, of the current month up to today.
async fn report(request: &PortalRequest, id: ApplicationId) -> Result<SettlementReport, UseCaseError> {
    let today = request.app().clock().today();
    let day = |name: &str, field: Field, usual: Date| {
        let text = request.web.query(name).unwrap_or_default();
        let error = || Refusal::malformed(field, "must be a date, for example 2026-11-01");
        if text.trim().is_empty() { Ok(usual) } else { parse_date(text.trim()).ok_or_else(error) }
    };
    let from = day("from", Field::DateFrom, first_of_month(today))?;
    let to = day("to", Field::BookingDate, today)?;
    request.app().portal_settlement(request.signed_in()?, id, (from, to)).await
}

fn first_of_month(today: Date) -> Date {
    let text = format_date(today);
    parse_date(&format!("{}-01", text.get(..7).unwrap_or_default())).unwrap_or(today)
}

fn report_page(id: ApplicationId, report: &SettlementReport) -> Page {
    let (from, to, totals) = (format_date(report.from), format_date(report.to), &report.totals);
    let fact = |label: &str, value: String| (label.to_owned(), Cell::text(value));
    let facts = vec![
        fact("Balance before", report.opening.to_string()),
        fact("Purchases", totals.purchases.to_string()),
        fact("Refunds", totals.refunds.to_string()),
        fact("Fees", totals.fees.to_string()),
        fact("Paid out", totals.payouts.to_string()),
        fact("Returned payouts", totals.payouts_returned.to_string()),
        fact("Balance after", report.closing.to_string()),
    ];
    let table = Table {
        label: "Entries".to_owned(),
        head: vec!["Date", "Kind", "Order", "basketId", "Gross", "Fee", "Net", "Balance"],
        rows: report.rows.iter().rev().take(PAGE_ROWS).map(row).collect(),
        empty: "There are no entries in this period.",
    };
    let query = Serializer::new(String::new()).append_pair("from", &from).append_pair("to", &to).finish();
    let file = (
        path(id, &format!("/settlement.csv?{query}")),
        format!("Download all {} entries as CSV", report.rows.len()),
    );
    Page::new("Settlement report")
        .with(Block::form(form(id, &from, &to)))
        .with(Block::Facts(facts))
        .with(Block::Links(vec![file]))
        .with(Block::Table(table))
        .with(back(id))
}

fn back(id: ApplicationId) -> Block {
    Block::Links(vec![(path(id, ""), "Back to the application".to_owned())])
}

fn form(id: ApplicationId, from: &str, to: &str) -> Form {
    Form::search(&path(id, "/settlement"), "Show")
        .field(Input::text("from", "First day").value(from))
        .field(Input::text("to", "Last day").value(to))
}

fn row(row: &SettlementRow) -> Vec<Cell> {
    vec![
        Cell::text(format_date(row.day)),
        Cell::text(kind(row.kind)),
        Cell::text(&row.order),
        Cell::text(&row.basket),
        Cell::text(row.gross.to_decimal_string()),
        Cell::text(row.fee.to_decimal_string()),
        Cell::text(row.net.to_decimal_string()),
        Cell::text(row.balance.to_decimal_string()),
    ]
}

const fn kind(kind: SettlementKind) -> &'static str {
    match kind {
        SettlementKind::Purchase => "purchase",
        SettlementKind::Refund => "refund",
        SettlementKind::Payout => "payout",
        SettlementKind::PayoutReturned => "returned payout",
        SettlementKind::Other => "other",
    }
}

/// RFC 4180: a row of names, then one for each entry.
fn csv(report: &SettlementReport) -> String {
    let mut out = String::from(
        "date,kind,orderIdentifier,basketId,loanId,reference,currency,gross,fee,net,balance\r\n",
    );
    let currency = report.opening.currency;
    for row in &report.rows {
        let loan = row.loan.map(|loan| loan.to_string()).unwrap_or_default();
        let _ = write!(
            out,
            "{},{},{},{},{loan},{},{currency},{},{},{},{}\r\n",
            format_date(row.day),
            kind(row.kind),
            field(&row.order),
            row.basket,
            field(&row.reference),
            row.gross.to_decimal_string(),
            row.fee.to_decimal_string(),
            row.net.to_decimal_string(),
            row.balance.to_decimal_string(),
        );
    }
    out
}

/// A text of a merchant as a field. A spreadsheet takes a text that begins with one of these signs for a formula; an apostrophe
/// prevents that.
fn field(text: &str) -> String {
    let formula = if text.starts_with(['=', '+', '-', '@', '\t', '\r']) { "'" } else { "" };
    format!("\"{formula}{}\"", text.replace('"', "\"\""))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn field_is_quoted_and_is_no_formula() {
        assert_eq!(field("order \"1\", new"), "\"order \"\"1\"\", new\"");
        assert_eq!(field("=HYPERLINK(1)"), "\"'=HYPERLINK(1)\"");
    }
}
