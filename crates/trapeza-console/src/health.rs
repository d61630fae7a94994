//! The health of the bank: versions, figures of now, graphs of the last days, and the figures of the interfaces.

use crate::console_request::ConsoleRequest;
use trapeza_app::UseCaseError;
use trapeza_domain::health::{HealthFigure, HealthSeries, SAMPLE_INTERVAL, figures_of};
use trapeza_domain::statistics::{Interface, InterfaceDay, Quarter};
use trapeza_domain::time::{TimeDelta, Timestamp};
use trapeza_web::site::route::PageResult;
use trapeza_web::site::{Block, Cell, Graph, Page, Table, format_time};

const PATH: &str = "/console/health";
/// The periods that the graphs offer, with their labels.
const PERIODS: [(&str, &str, TimeDelta); 3] = [
    ("day", "One day", TimeDelta::days(1)),
    ("three-days", "Three days", TimeDelta::days(3)),
    ("week", "A week", TimeDelta::days(7)),
];
/// How many days of the figures of the interfaces are shown.
const DAYS: usize = 7;

pub async fn show(request: &ConsoleRequest) -> PageResult {
    let chosen = request.web.query("period").unwrap_or_default();
    let (_, _, period) = PERIODS.into_iter().find(|(name, ..)| *name == chosen).unwrap_or(PERIODS[1]);
    let metrics = request.web.state.metrics();
    let now = request.app().clock().system_now();
    let series = request.app().health_series(period).await?;
    let links = PERIODS.map(|(name, label, _)| (format!("{PATH}?period={name}"), label.to_owned()));
    let graphs = series.iter().map(|one| graph(one, (now.minus(period), now)));
    let mut page = Page::new("Health")
        .with(Block::facts(versions(&metrics)))
        .with(Block::heading("Now"))
        .with(Block::Table(current(&metrics)))
        .with(Block::heading("The last days"));
    page = match series.is_empty() {
        true => page.with(Block::text(
            "There are no samples yet. The first one is taken after twenty seconds, then every five minutes.",
        )),
        false => page.with(Block::Links(links.to_vec())).with(Block::Graphs(graphs.collect())),
    };
    let text = "Days that are over, for third parties. The quarters are published under /statistics.";
    Ok(page
        .with(Block::heading("The dedicated interface"))
        .with(Block::text(text))
        .with(Block::Table(interface_days(request).await?))
        .ok(request))
}

/// Versions and the start of the process, from its metrics.
fn versions(metrics: &str) -> Vec<(&'static str, String)> {
    let build = metrics.lines().find(|line| line.starts_with("trapeza_build_info{")).unwrap_or_default();
    let label = |name: &str| {
        let rest = build.split_once(&format!("{name}=\"")).map(|(_, rest)| rest);
        rest.and_then(|rest| rest.split('"').next()).unwrap_or("unknown").to_owned()
    };
    let mut facts = vec![("Version", label("version")), ("Commit", label("commit"))];
    let started = metrics.lines().find_map(|line| line.strip_prefix("process_start_time_seconds "));
    let started = started.and_then(|text| text.split('.').next()?.parse::<i64>().ok());
    if let Some(seconds) = started {
        facts.push(("Started", format_time(Timestamp(seconds.saturating_mul(1_000_000)))));
    }
    facts
}

/// What the process that serves this page measures now.
fn current(metrics: &str) -> Table {
    let gauges = figures_of(metrics).into_iter().filter(|(figure, _)| !figure.is_counter());
    let rows = gauges.map(|(figure, value)| vec![figure.title().to_owned(), amount(figure, value)]);
    Table::of_text("Now", ["Figure", "Value"], rows, "This process has no metrics.")
}

fn graph(series: &HealthSeries, (start, end): (Timestamp, Timestamp)) -> Graph {
    let (figure, points) = (series.figure, &series.points);
    let newest = points.last().map_or(0, |(_, value)| *value);
    let greatest = points.iter().map(|(_, value)| *value).max().unwrap_or(0);
    Graph {
        title: figure.title().to_owned(),
        summary: format!("now {}, at most {}", amount(figure, newest), amount(figure, greatest)),
        first: format_time(start),
        last: "now".to_owned(),
        points: points.iter().map(|(at, value)| (at.0, *value)).collect(),
        period: (start.0, end.0),
        gap: SAMPLE_INTERVAL.0 * 3,
    }
}

/// A value with its unit, bytes as mebibytes.
fn amount(figure: HealthFigure, value: i64) -> String {
    match figure.unit() {
        "bytes" => format!("{}.{} MiB", value >> 20, ((value & 0xf_ffff) * 10) >> 20),
        unit => format!("{value} {unit}"),
    }
}

async fn interface_days(request: &ConsoleRequest) -> Result<Table, UseCaseError> {
    let quarter = Quarter::of(request.app().clock().today());
    let report = request.app().statistics_report(quarter).await?;
    let days: Vec<&InterfaceDay> =
        report.days.iter().filter(|day| day.interface == Interface::Dedicated).collect();
    let rows = days.into_iter().rev().take(DAYS).map(|day| {
        vec![
            Cell::text(trapeza_app::format_date(day.day)),
            Cell::text(percent(Some(day.uptime_rate()))),
            Cell::text(day.requests().to_string()),
            Cell::text(percent(day.error_rate())),
        ]
    });
    Ok(Table {
        label: "Days".to_owned(),
        head: vec!["Day", "Available", "Requests", "Errors"],
        rows: rows.collect(),
        empty: "No day of this quarter is over yet.",
    })
}

/// Thousandths of a percent.
fn percent(rate: Option<u64>) -> String {
    rate.map_or_else(|| "–".to_owned(), |rate| format!("{}.{:03} %", rate / 1000, rate % 1000))
}
