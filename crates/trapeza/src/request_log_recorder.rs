//! Stores the captured requests of applications every second, and deletes old ones every minute.

use std::sync::Arc;
use std::time::Duration;
use tokio::time::{MissedTickBehavior, interval};
use trapeza_domain::time::TimeDelta;
use trapeza_http::{AppState, request_log};

/// A crash loses the requests of up to this time.
const FLUSH_INTERVAL: Duration = Duration::from_secs(1);
const PURGE_INTERVAL: Duration = Duration::from_secs(60);

/// Stores and deletes for as long as the future lives.
pub async fn run(bank: Arc<AppState>) {
    let (mut flush_timer, mut purge_timer) = (interval(FLUSH_INTERVAL), interval(PURGE_INTERVAL));
    flush_timer.set_missed_tick_behavior(MissedTickBehavior::Delay);
    purge_timer.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        tokio::select! {
            _ = flush_timer.tick() => flush(&bank).await,
            _ = purge_timer.tick() => purge(&bank).await,
        }
    }
}

/// Stores what was captured so far.
pub async fn flush(bank: &AppState) {
    if let Err(error) = request_log::flush(bank).await {
        tracing::warn!(%error, "request log: storing failed, the captured requests are lost");
    }
}

/// A log that is switched off is emptied.
async fn purge(bank: &AppState) {
    let retention = bank.settings.request_log.unwrap_or(TimeDelta(0));
    if let Err(error) = bank.app.request_log_purge(retention).await {
        tracing::warn!(%error, "request log: deleting old requests failed, retrying in a minute");
    }
}
