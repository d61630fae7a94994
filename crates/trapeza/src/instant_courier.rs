//! Sends instant payments, and asks about those without an answer. Each is a task of its own, because an answer may take seconds.

use std::sync::Arc;
use std::time::Duration;
use tokio::time::{MissedTickBehavior, interval};
use trapeza_app::App;

/// How often it looks for payments to send. They have ten seconds.
const POLL_INTERVAL: Duration = Duration::from_millis(200);

/// Runs until it is aborted. What was in progress then is resolved at its deadline, by any process.
pub async fn run(app: Arc<App>) {
    if !app.offers_instant_payments() {
        return;
    }
    let mut ticks = interval(POLL_INTERVAL);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        ticks.tick().await;
        match app.instant_claim().await {
            Ok(steps) => {
                for step in steps {
                    let app = app.clone();
                    tokio::spawn(async move {
                        if let Err(error) = app.instant_process(step).await {
                            tracing::warn!(%error, "instant clearing: an answer was not stored, it is asked for again");
                        }
                    });
                }
            }
            Err(error) => tracing::warn!(%error, "instant clearing: failed, retrying"),
        }
    }
}
