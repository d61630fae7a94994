//! The public statistics of the interfaces: `/statistics` shows the current quarter, `/statistics/2026Q4` another one and
//! `/statistics/2026Q4.csv` its figures for programs. They contain no data of customers or third parties.

mod csv;
#[cfg(test)]
pub(super) mod samples;
pub(super) mod templates;

pub use csv::format as csv;

use self::templates::{FigureRow, StatisticsPage};
use super::language::texts;
use super::layout::{Back, Layout, render_without_cookie};
use super::templates::Notice;
use axum::body::Body;
use axum::extract::rejection::PathRejection;
use axum::extract::{Path, Request, State};
use axum::http::request::Parts;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use std::sync::Arc;
use trapeza_app::UseCaseError;
use trapeza_app::statistics::QuarterReport;
use trapeza_domain::statistics::{CallCounts, InterfaceDay, Quarter, Service};
use trapeza_http::AppState;
use trapeza_http::extract::CorrelationId;
use trapeza_texts::format;
use trapeza_texts::page::{PageTexts, fill};

const PATH: &str = "/statistics";
/// How many other quarters are linked: two years.
const LINKED: usize = 8;

/// The figures of the current quarter.
pub async fn current(State(state): State<Arc<AppState>>, request: Request) -> Response {
    let quarter = Quarter::of(state.app.clock().today());
    page(&state, &request.into_parts().0, quarter).await
}

/// The figures of a quarter, as a page or as CSV.
pub async fn quarter(
    State(state): State<Arc<AppState>>,
    path: Result<Path<String>, PathRejection>,
    request: Request,
) -> Response {
    let texts = texts(&state, request.headers());
    let name = path.map(|Path(name)| name).unwrap_or_default();
    let (name, is_csv) = name.strip_suffix(".csv").map_or((name.as_str(), false), |name| (name, true));
    match Quarter::parse(name) {
        None => unknown(&state, texts),
        Some(quarter) if is_csv => file(&state, &request.into_parts().0, quarter).await,
        Some(quarter) => page(&state, &request.into_parts().0, quarter).await,
    }
}

async fn page(state: &AppState, request: &Parts, quarter: Quarter) -> Response {
    let texts = texts(state, &request.headers);
    let report = match state.app.statistics_report(quarter).await {
        Ok(report) => report,
        Err(error) => return failed(state, request, &error),
    };
    let quarters = match state.app.statistics_quarters().await {
        Ok(quarters) => quarters,
        Err(error) => return failed(state, request, &error),
    };
    let others = quarters.into_iter().filter(|other| *other != quarter).take(LINKED);
    let page = StatisticsPage {
        layout: layout(state, texts, texts.statistics.title),
        heading: fill(texts.statistics.quarter, &quarter.to_string()),
        rows: rows(texts, &report),
        csv: format!("{PATH}/{quarter}.csv"),
        others: others
            .map(|other| Back { href: format!("{PATH}/{other}"), label: other.to_string() })
            .collect(),
    };
    render_without_cookie(state, StatusCode::OK, &page)
}

async fn file(state: &AppState, request: &Parts, quarter: Quarter) -> Response {
    match state.app.statistics_report(quarter).await {
        Ok(report) => {
            let name = format!("attachment; filename=\"statistics-{quarter}.csv\"");
            let name = HeaderValue::try_from(name).unwrap_or(HeaderValue::from_static("attachment"));
            let kind = HeaderValue::from_static("text/csv; charset=utf-8");
            let headers = [(header::CONTENT_TYPE, kind), (header::CONTENT_DISPOSITION, name)];
            (StatusCode::OK, headers, Body::from(csv(&report))).into_response()
        }
        Err(error) => failed(state, request, &error),
    }
}

/// One row per day, the newest first, with both interfaces.
fn rows(texts: &PageTexts, report: &QuarterReport) -> Vec<FigureRow> {
    let days = report.days.chunks_exact(2).rev();
    days.map(|both| {
        let figure = |show: fn(&PageTexts, &InterfaceDay) -> Option<String>| {
            [&both[0], &both[1]].map(|one| show(texts, one))
        };
        FigureRow {
            day: texts.day(both[0].day),
            figures: [
                figure(|texts, one| Some(percent(texts, one.uptime_rate()))),
                figure(|texts, one| Some(percent(texts, one.downtime_rate()))),
                figure(|texts, one| average(texts, one.counts(Service::AccountInformation))),
                figure(|texts, one| average(texts, one.counts(Service::PaymentInitiation))),
                figure(|texts, one| one.error_rate().map(|rate| percent(texts, rate))),
            ],
            funds: average(texts, both[0].counts(Service::FundsConfirmation)),
        }
    })
    .collect()
}

fn percent(texts: &PageTexts, thousandths: u64) -> String {
    format::percent(texts.language, i64::try_from(thousandths).unwrap_or(i64::MAX), 3)
}

fn average(texts: &PageTexts, counts: &CallCounts) -> Option<String> {
    counts.average_micros().map(|micros| format::decimal(texts.language, &csv::thousandths(micros)))
}

fn failed(state: &AppState, request: &Parts, error: &UseCaseError) -> Response {
    let texts = texts(state, &request.headers);
    if matches!(error, UseCaseError::Refused(_)) {
        return unknown(state, texts);
    }
    if !error.is_overload() {
        let correlation = CorrelationId::of(&request.extensions);
        tracing::error!(%correlation, %error, "page of statistics failed with an internal error");
    }
    let layout = layout(state, texts, texts.trouble_title);
    let page = Notice { layout, text: texts.trouble_text, back: None };
    render_without_cookie(state, StatusCode::SERVICE_UNAVAILABLE, &page)
}

fn unknown(state: &AppState, texts: &'static PageTexts) -> Response {
    let layout = layout(state, texts, texts.statistics.unknown_title);
    let back = Some(Back { href: PATH.to_owned(), label: texts.statistics.newest.to_owned() });
    let page = Notice { layout, text: texts.statistics.unknown_text, back };
    render_without_cookie(state, StatusCode::NOT_FOUND, &page)
}

fn layout(state: &AppState, texts: &'static PageTexts, title: &str) -> Layout {
    Layout::new(texts, state.app.bank_profile(), state.settings.sandbox, title)
}
