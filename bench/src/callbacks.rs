//! Delivery of callbacks from the outbox: claimed, signed, sent over loopback and recorded as delivered.

use crate::payments::open;
use crate::usage::Usage;
use serde_json::{Value, json};
use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::oneshot;
use trapeza_app::App;
use trapeza_courier::callback::CallbackSettings;
use trapeza_courier::{CallbackCourier, Roots};
use trapeza_domain::callback::CallbackStatus;
use trapeza_domain::egress::EgressPolicy;
use trapeza_testkit::database::Database;
use trapeza_testkit::merchant_fixture;

/// Callbacks per transaction.
const BATCH: u128 = 100;

/// Enqueues callbacks for several receivers and runs one courier until all are delivered.
pub async fn run(database: &str, endpoints: usize, count: u128) -> Value {
    let app = Arc::new(open(database, &Database::options()).await);
    let (_receivers, ports) = receivers(endpoints);
    let before = app.application_list().await.expect("applications are read").len();
    let mut merchants = Vec::new();
    let first = i64::try_from(before).expect("few applications") + 1;
    for (number, port) in (first..).zip(ports) {
        let url = format!("http://127.0.0.1:{port}/hook");
        merchants.push(merchant_fixture::merchant(&app, number, Some(&url)).await.0);
    }
    // In turn, so that all receivers are busy until the end.
    let delivered_before = delivered(&app).await;
    for (turn, from) in (0..count).step_by(100).enumerate() {
        merchant_fixture::enqueue(&app, merchants[turn % merchants.len()], from..(from + BATCH).min(count))
            .await;
    }
    let settings = CallbackSettings::new(EgressPolicy::PublicOrLoopback, Roots::default());
    let courier = CallbackCourier::parse(settings).expect("the settings are valid");
    let (stop, stopped) = oneshot::channel::<()>();
    let usage = Usage::start();
    let running = {
        let app = app.clone();
        tokio::spawn(async move {
            let stopped = async {
                let _ = stopped.await;
            };
            courier.run(app, stopped).await;
        })
    };
    let all = delivered_before + i64::try_from(count).expect("a count that fits");
    while delivered(&app).await < all {
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    let (wall, processor) = usage.micros();
    drop(stop);
    running.await.expect("the courier ends without a panic");
    let is_complete = delivered(&app).await == all;
    app.store().close();
    let count = u64::try_from(count).expect("a count that fits");
    json!({ "callbacks": count, "wall_micros": wall, "processor_micros": processor, "is_complete": is_complete })
}

async fn delivered(app: &App) -> i64 {
    let counts = app.callback_count().await.expect("callbacks are counted");
    counts.iter().find(|(status, _)| *status == CallbackStatus::Delivered).map_or(0, |(_, count)| *count)
}

/// A process with the receivers, which ends with the run, and their ports.
fn receivers(endpoints: usize) -> (ReceiverProcess, Vec<u16>) {
    let program = std::env::current_exe().expect("the path of this program is known");
    let mut command = Command::new(program);
    command.args(["receive", "--endpoints", &endpoints.to_string()]).stdout(Stdio::piped());
    let mut child = command.spawn().expect("the receivers start");
    let out = child.stdout.take().expect("the output is a pipe");
    let mut line = String::new();
    BufReader::new(out).read_line(&mut line).expect("the receivers print their ports");
    (ReceiverProcess(child), serde_json::from_str(&line).expect("a list of ports"))
}

struct ReceiverProcess(Child);

impl Drop for ReceiverProcess {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}
