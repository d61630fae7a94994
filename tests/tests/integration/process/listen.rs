//! `trapeza listen` and `trapeza trigger` against a running sandbox, with a real receiver.

use crate::http::callback::verifies;
use serde_json::{Value, json};
use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};
use std::time::Duration;
use trapeza_api::docs::WEBHOOKS;
use trapeza_testkit::database::{Database, Engine};
use trapeza_testkit::process::{self, ServerProcess};
use trapeza_testkit::{Reply, WebhookReceiver};

/// A listener that is ready.
struct Listener {
    child: Child,
    /// What it writes about itself.
    notes: BufReader<std::process::ChildStderr>,
}

impl Listener {
    fn start(arguments: &[&str]) -> Self {
        let mut child = Command::new(process::binary())
            .arg("listen")
            .args(arguments)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut notes = BufReader::new(child.stderr.take().unwrap());
        let mut line = String::new();
        notes.read_line(&mut line).unwrap();
        assert!(line.starts_with("listening to http"), "{line}");
        Self { child, notes }
    }

    /// Waits for a line about itself that contains a text.
    fn wait_for_note(&mut self, text: &str) {
        let mut line = String::new();
        while !line.contains(text) {
            line.clear();
            assert!(self.notes.read_line(&mut line).unwrap() > 0, "{text} was never written");
        }
    }

    /// Waits for its end: the exit code and the lines that it has printed.
    fn finish(self) -> (Option<i32>, Vec<String>) {
        let output = self.child.wait_with_output().unwrap();
        let text = String::from_utf8(output.stdout).unwrap();
        (output.status.code(), text.lines().map(str::to_owned).collect())
    }
}

async fn sandbox(database: &Database, directory: &std::path::Path, more: &[&str]) -> ServerProcess {
    ServerProcess::sandbox(&directory.join("data"), &database.url(), more).await
}

/// Triggers an event and returns the id of its basket.
fn trigger(caller: &[&str], event: &str) -> String {
    let output = process::run(&[&["trigger", event], caller].concat());
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success(), "{text}");
    text.trim().strip_prefix(&format!("{event}: basket ")).unwrap().to_owned()
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap()
}

async fn every_event_is_forwarded(engine: Engine) {
    let (database, directory) = (Database::new(engine), tempfile::tempdir().unwrap());
    let program = sandbox(&database, directory.path(), &[]).await;
    let receiver = WebhookReceiver::start(|_, _| Reply::Status(200)).await;
    // The merchant has no callback URL, and the command knows nothing but server and key.
    let merchant = program.sandbox_file["merchants"][0].clone();
    let caller = [
        "--server",
        &program.base_url,
        "--application",
        text(&merchant["application_id"]),
        "--key",
        text(&merchant["subscription_key"]),
    ];
    let count = WEBHOOKS.len().to_string();
    let url = receiver.url();
    let forward = ["--forward-to", &url, "--count", &count, "--json"];
    let listener = Listener::start(&[&caller[..], &forward].concat());
    let events: Vec<String> = WEBHOOKS.iter().map(|webhook| webhook.event()).collect();
    let baskets: Vec<String> = events.iter().map(|event| trigger(&caller, event)).collect();
    let (code, lines) = listener.finish();
    assert_eq!((code, lines.len()), (Some(0), events.len()), "{lines:?}");

    let seen = receiver.seen();
    for ((delivery, line), (event, basket)) in seen.iter().zip(&lines).zip(events.iter().zip(&baskets)) {
        assert!(verifies(text(&merchant["webhook_secret"]), delivery), "{delivery:?}");
        let body: Value = serde_json::from_str(&delivery.body).unwrap();
        assert_eq!(
            (text(&body["type"]), text(&body["data"]["publicBasketId"])),
            (event.as_str(), basket.as_str())
        );
        let printed: Value = serde_json::from_str(line).unwrap();
        assert_eq!(printed["body"], json!(delivery.body), "the same bytes");
        assert_eq!(text(&printed["id"]), delivery.header("webhook-id"));
        assert_eq!((&printed["status"], &printed["answer"]), (&json!(200), &json!("ok")));
        assert_eq!(delivery.header("content-type"), "application/json");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_event_is_triggered_signed_and_forwarded_sqlite() {
    every_event_is_forwarded(Engine::Sqlite).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_event_is_triggered_signed_and_forwarded_postgres() {
    every_event_is_forwarded(Engine::Postgres).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn failing_receiver_is_printed_and_ends_with_exit_code_1() {
    let (database, directory) = (Database::new(Engine::Sqlite), tempfile::tempdir().unwrap());
    let program = sandbox(&database, directory.path(), &[]).await;
    let replies = |_: &str, before: usize| if before == 0 { Reply::Status(500) } else { Reply::Reset };
    let receiver = WebhookReceiver::start(replies).await;
    // Everything else is in the sandbox.json of the data directory.
    let data = ["--data", program.data.to_str().unwrap()];
    let url = receiver.url();
    let listener = Listener::start(&[&data[..], &["--forward-to", &url, "--count", "2"]].concat());
    trigger(&data, "basket.approved");
    trigger(&data, "basket.declined");
    let (code, lines) = listener.finish();
    assert_eq!(code, Some(1));
    assert!(lines[0].contains("  basket.approved  ") && lines[0].contains("  → 500 in "), "{lines:?}");
    assert!(lines[1].contains("  basket.declined  ") && lines[1].contains("  → no answer: "), "{lines:?}");
}

async fn restarted_server(engine: Engine) {
    let (database, directory) = (Database::new(engine), tempfile::tempdir().unwrap());
    let mut program = sandbox(&database, directory.path(), &[]).await;
    let address = program.base_url.strip_prefix("http://").unwrap().to_owned();
    let data_directory = program.data.to_str().unwrap().to_owned();
    let data = ["--data", data_directory.as_str()];
    let receiver = WebhookReceiver::start(|_, _| Reply::Status(204)).await;
    let url = receiver.url();
    let mut listener =
        Listener::start(&[&data[..], &["--forward-to", &url, "--count", "3", "--json"]].concat());
    let mut baskets = vec![trigger(&data, "basket.approved")];
    while receiver.seen().is_empty() {
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    // One callback arises in the last moment before a crash, another one after the restart.
    baskets.push(trigger(&data, "basket.declined"));
    program.kill();
    if receiver.seen().len() == 1 {
        listener.wait_for_note("trying again");
    }
    let program = sandbox(&database, directory.path(), &["--listen", &address]).await;
    baskets.push(trigger(&data, "basket.approved"));
    let (code, lines) = listener.finish();
    assert_eq!((code, lines.len()), (Some(0), 3), "{lines:?}");
    let seen: Vec<String> = receiver
        .seen()
        .iter()
        .map(|delivery| {
            let body: Value = serde_json::from_str(&delivery.body).unwrap();
            text(&body["data"]["publicBasketId"]).to_owned()
        })
        .collect();
    assert_eq!(seen, baskets, "each once, in their order");
    drop(program);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn listener_survives_a_killed_server_without_loss_sqlite() {
    restarted_server(Engine::Sqlite).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn listener_survives_a_killed_server_without_loss_postgres() {
    restarted_server(Engine::Postgres).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn wrong_arguments_are_explained() {
    let directory = tempfile::tempdir().unwrap();
    let run = |arguments: &[&str]| {
        let output = process::run(arguments);
        let text = [output.stdout, output.stderr].concat();
        (output.status.code(), String::from_utf8(text).unwrap())
    };
    let listed = run(&["trigger", "--list"]);
    assert_eq!(listed.0, Some(0));
    let (code, unknown) = run(&["trigger", "basket.paid"]);
    assert_eq!(code, Some(1));
    for event in WEBHOOKS.iter().map(|webhook| webhook.event()) {
        assert!(listed.1.contains(&event) && unknown.contains(&event), "{unknown}");
    }
    let empty = directory.path().to_str().unwrap();
    let caller = ["--application", "x", "--key", "y"];
    for (arguments, expected, exit) in [
        (vec!["listen", "--data", empty], "--server is required", 1),
        (vec!["listen", "--data", empty, "--server", "http://127.0.0.1:1"], "--application and --key are", 1),
        (
            vec!["listen", "--server", "bank.example", "--application", "x", "--key", "y"],
            "http or https URL",
            1,
        ),
        (vec!["listen", "--forward-to", "localhost:3000"], "--forward-to must be", 1),
        (vec!["listen", "--key", "y"], "--application", 2),
        (vec!["listen", "--count", "0"], "--count", 2),
        (vec!["trigger"], "EVENT", 2),
        ([&["listen", "--server", "http://127.0.0.1:1"], &caller[..]].concat(), "does not answer", 1),
    ] {
        let (code, text) = run(&arguments);
        assert_eq!(code, Some(exit), "{arguments:?}: {text}");
        assert!(text.contains(expected), "{arguments:?}: {text}");
    }
    let database = Database::new(Engine::Sqlite);
    let program = sandbox(&database, directory.path(), &[]).await;
    let server = ["listen", "--server", &program.base_url];
    let (code, text) = run(&[&server[..], &caller].concat());
    assert_eq!(code, Some(1));
    assert!(text.contains("answered 401: "), "{text}");
}
