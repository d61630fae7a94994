//! Stores the statistics of the interfaces while the server runs: a report that it serves every few seconds, and the counts of
//! requests every minute.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;
use tokio::time::{MissedTickBehavior, interval};
use trapeza_app::App;
use trapeza_domain::time::Timestamp;
use trapeza_http::AppState;

/// Interval of the reports. After a crash up to this time counts as downtime although the server still served.
const REPORT_INTERVAL: Duration = Duration::from_secs(10);
/// Interval of the counts. A crash loses the requests of up to this time.
const FLUSH_INTERVAL: Duration = Duration::from_secs(60);

/// Stores for as long as the future lives.
pub async fn run(bank: Arc<AppState>) {
    let (mut report, mut flush) = (interval(REPORT_INTERVAL), interval(FLUSH_INTERVAL));
    report.set_missed_tick_behavior(MissedTickBehavior::Delay);
    flush.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        tokio::select! {
            _ = report.tick() => {
                // A process that shuts down accepts no connections any more.
                if !bank.draining.load(Ordering::Relaxed) && let Err(error) = bank.app.serving_report().await {
                    tracing::warn!(%error, "statistics: the report of availability failed, the time counts as downtime");
                }
            }
            _ = flush.tick() => flush_counts(&bank.app).await,
        }
    }
}

/// Stores the last counts, and that the server was stopped.
pub async fn finish(app: &App, stopped_at: Timestamp) {
    flush_counts(app).await;
    if let Err(error) = app.serving_stop(stopped_at).await {
        tracing::warn!(%error, "statistics: the stop could not be stored, it will look like a crash");
    }
}

async fn flush_counts(app: &App) {
    if let Err(error) = app.call_counts_flush().await {
        tracing::warn!(%error, "statistics: storing the counts failed, retrying in a minute");
    }
}
