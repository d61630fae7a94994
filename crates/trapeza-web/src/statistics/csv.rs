//! The figures of a quarter as CSV, one row per day and interface. docs/statistics.md describes every column.

use std::fmt::Write;
use trapeza_app::format_date;
use trapeza_app::statistics::QuarterReport;
use trapeza_domain::statistics::{InterfaceDay, Service};

const HEADER: &str = "date,interface,uptime_percent,downtime_percent,pisp_response_ms,aisp_response_ms,cbpii_response_ms,\
    error_response_rate_percent,downtime_seconds,downtime_after_stop_seconds,requests,errors,\
    pisp_response_95_ms,pisp_response_max_ms,aisp_response_95_ms,aisp_response_max_ms,\
    cbpii_response_95_ms,cbpii_response_max_ms\n";

/// The services in the order of the columns.
const SERVICES: [Service; 3] =
    [Service::PaymentInitiation, Service::AccountInformation, Service::FundsConfirmation];

/// The whole file.
pub fn format(report: &QuarterReport) -> String {
    let mut text = HEADER.to_owned();
    for one in &report.days {
        row(&mut text, one);
    }
    text
}

fn row(text: &mut String, one: &InterfaceDay) {
    let mut columns = vec![
        format_date(one.day),
        one.interface.name().to_owned(),
        thousandths(one.uptime_rate()),
        thousandths(one.downtime_rate()),
    ];
    let empty = |value: Option<u64>| value.map(thousandths).unwrap_or_default();
    columns.extend(SERVICES.map(|service| empty(one.counts(service).average_micros())));
    columns.push(empty(one.error_rate()));
    let seconds = |micros: i64| ((micros + 500_000) / 1_000_000).to_string();
    columns.push(seconds(one.downtime.total.0));
    columns.push(seconds(one.downtime.after_stop.0));
    columns.push(one.requests().to_string());
    columns.push(one.errors().to_string());
    for service in SERVICES {
        let counts = one.counts(service);
        columns.push(empty(counts.percentile_95_micros()));
        columns.push(empty((counts.timed() > 0).then_some(counts.micros_max)));
    }
    // No value contains a comma or a quote.
    let _ = writeln!(text, "{}", columns.join(","));
}

/// A number of thousandths with three decimals: microseconds as milliseconds.
pub(super) fn thousandths(number: u64) -> String {
    format!("{}.{:03}", number / 1000, number % 1000)
}

#[cfg(test)]
mod tests {
    use super::super::samples::report;
    use super::*;

    #[test]
    fn file_has_a_row_per_day_and_interface() {
        let text = format(&report());
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines.len(), 5);
        assert!(lines.iter().all(|line| line.split(',').count() == lines[0].split(',').count()), "{text}");
        assert_eq!(
            lines[1],
            "2026-12-30,dedicated,100.000,0.000,12.345,0.250,0.250,0.100,0,0,3000,3,25.000,40.000,0.500,2.000,0.500,2.000"
        );
        assert_eq!(lines[4], "2026-12-31,customer,99.965,0.035,,,,,30,10,0,0,,,,,,");
    }
}
