//! `trapeza statistics`: availability and performance of the interfaces in a quarter, as CSV.

use super::describe_error;
use crate::cli::{Statistics, StatisticsFormat};
use trapeza_app::App;
use trapeza_domain::statistics::Quarter;

pub async fn execute(app: &App, arguments: &Statistics) -> Result<String, String> {
    let StatisticsFormat::Csv = arguments.format;
    let quarter = Quarter::parse(&arguments.quarter)
        .ok_or("--quarter must be a year and a quarter, for example 2026Q4")?;
    let report = app.statistics_report_current(quarter).await;
    let report = report.map_err(|error| format!("--quarter: {}", describe_error(error)))?;
    Ok(trapeza_web::statistics_csv(&report))
}
