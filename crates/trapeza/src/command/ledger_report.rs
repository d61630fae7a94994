//! The end-of-day report as text and as CSV. Both are made of the same rows.

use crate::cli::LedgerFormat;
use std::fmt::Write;
use trapeza_app::format_date;
use trapeza_app::ledger::{CountedSum, DayReport, Difference};
use trapeza_domain::ledger::posting::LedgerEvent;
use trapeza_domain::money::{Currency, Money};

/// The columns of a row; empty where a section has none.
const COLUMNS: [&str; 9] =
    ["section", "name", "currency", "count", "opening", "debit", "credit", "closing", "amount"];

type Row = [String; 9];

pub fn render(report: &DayReport, format: LedgerFormat) -> String {
    let rows = rows(report);
    match format {
        LedgerFormat::Csv => csv(&COLUMNS.map(str::to_owned), &rows),
        LedgerFormat::Text => text(report, &rows),
    }
}

/// Values without commas and quotes, one row per line.
pub fn csv<const N: usize>(columns: &[String; N], rows: &[[String; N]]) -> String {
    let mut out = columns.join(",");
    out.push('\n');
    for row in rows {
        out.push_str(&row.join(","));
        out.push('\n');
    }
    out
}

fn text(report: &DayReport, rows: &[Row]) -> String {
    let mut out = format!("end-of-day report of {}\n", format_date(report.day));
    let mut section = "";
    for row in rows {
        if row[0] != section {
            section = &row[0];
            let _ = writeln!(out, "\n{section}");
        }
        let [_, name, currency, count, opening, debit, credit, closing, amount] = row;
        let _ = write!(out, "  {name:36} {currency} ");
        let _ = match amount.is_empty() {
            true => writeln!(out, "opening {opening}, debit {debit}, credit {credit}, closing {closing}"),
            false => writeln!(out, "{amount}{}{count}", if count.is_empty() { "" } else { "  in " }),
        };
    }
    let _ = writeln!(out, "\n{} differences", report.differences.len());
    out
}

fn rows(report: &DayReport) -> Vec<Row> {
    let mut rows = Vec::new();
    for total in &report.kinds {
        let amount = |minor| decimal(minor, total.currency);
        rows.push([
            "balances".to_owned(),
            format!("{} {:?}", total.kind.code(), total.kind),
            total.currency.code().to_owned(),
            String::new(),
            amount(total.opening_minor),
            amount(total.debit_minor),
            amount(total.credit_minor),
            amount(total.closing_minor()),
            String::new(),
        ]);
    }
    let sections = [
        ("turnover", &report.events),
        ("received through clearing", &report.received),
        ("sent through clearing", &report.sent),
        ("payouts", &report.payouts),
    ];
    for (section, sums) in sections {
        rows.extend(sums.iter().map(|(event, sum)| event_row(section, *event, sum)));
    }
    if let Some(open) = &report.open {
        rows.extend(open.suspended.iter().map(|sum| sum_row("suspense", "incoming transfers", sum)));
        rows.extend(open.suspended_manually.iter().map(|sum| sum_row("suspense", "manual postings", sum)));
        rows.extend(open.holds.iter().map(|sum| sum_row("holds", "active", sum)));
    }
    for Difference { name, expected, actual } in &report.differences {
        let sum = Money { minor: actual.minor - expected.minor, ..*actual };
        rows.push(amount_row("differences", name, String::new(), sum));
    }
    rows
}

fn event_row(section: &str, event: LedgerEvent, sum: &CountedSum) -> Row {
    sum_row(section, event.name(), sum)
}

fn sum_row(section: &str, name: &str, sum: &CountedSum) -> Row {
    amount_row(section, name, sum.count.to_string(), sum.sum)
}

fn amount_row(section: &str, name: &str, count: String, amount: Money) -> Row {
    let none = String::new;
    let (currency, amount) = (amount.currency.code().to_owned(), amount.to_decimal_string());
    [section.to_owned(), name.to_owned(), currency, count, none(), none(), none(), none(), amount]
}

fn decimal(minor: i64, currency: Currency) -> String {
    Money::new(minor, currency).to_decimal_string()
}
