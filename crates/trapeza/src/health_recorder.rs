//! Stores the figures of this process every few minutes, for the graphs of the console.

use std::sync::Arc;
use std::time::Duration;
use tokio::time::{Instant, MissedTickBehavior, interval_at};
use trapeza_domain::health::SAMPLE_INTERVAL;
use trapeza_http::AppState;

/// The first sample: the gauges of the sampler exist by then.
const FIRST_SAMPLE_DELAY: Duration = Duration::from_secs(20);

/// Stores for as long as the future lives.
pub async fn run(bank: Arc<AppState>) {
    let period = Duration::from_micros(SAMPLE_INTERVAL.0.unsigned_abs());
    let mut ticks = interval_at(Instant::now() + FIRST_SAMPLE_DELAY, period);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        ticks.tick().await;
        if let Err(error) = bank.app.health_record(&bank.metrics()).await {
            tracing::warn!(%error, "health: the figures could not be stored, trying again with the next ones");
        }
    }
}
