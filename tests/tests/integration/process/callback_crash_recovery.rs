//! Callbacks through the program itself, to a receiver that fails, hangs, resets and redirects, with the process killed
//! again and again: none is lost, ids and bodies stay, every signature verifies. And what an operator does.

use crate::http::callback::{is_signed, verifies};
use serde_json::json;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::Path;
use std::time::{Duration, Instant};
use trapeza::cli::BankArgs;
use trapeza::data_dir::DataDir;
use trapeza_app::App;
use trapeza_domain::callback::CallbackStatus;
use trapeza_domain::id::ApplicationId;
use trapeza_testkit::database::{Database, Engine};
use trapeza_testkit::process::{self, ServerProcess};
use trapeza_testkit::{Reply, WebhookReceiver, iterations, merchant_fixture};

const MERCHANTS: usize = 3;
/// Events and kills; ten times as many in a full run, 2,000 and 40.
const EVENTS: usize = 200;
const KILLS: usize = 4;
/// How long all may take before the test gives up. Not a measurement.
const TIMEOUT: Duration = Duration::from_secs(600);

/// Thirty in a hundred fail, ten hang, five are reset, two redirected; in an order of their own.
fn faulty_reply(path: &str, before: usize) -> Reply {
    assert_eq!(path, "/hook", "a redirect was followed");
    match before.wrapping_mul(0x9E37_79B9).rotate_left(11) % 100 {
        0..30 => Reply::Status(500),
        30..40 => Reply::Hang,
        40..45 => Reply::Reset,
        45..47 => Reply::Redirect,
        _ => Reply::Status(200),
    }
}

/// A receiver need not answer for ten minutes to be slow in a test.
pub(super) fn configuration(directory: &Path) -> String {
    let file = directory.join("trapeza.toml");
    std::fs::write(&file, "[callback]\ntimeout_ms = 300\n").unwrap();
    file.to_str().unwrap().to_owned()
}

/// Works on the bank's data while its program is not running.
async fn beside<T>(data: &Path, database: &Database, work: impl AsyncFnOnce(&App) -> T) -> T {
    let url = Some(database.url()).filter(|url| !url.is_empty());
    let place = BankArgs { config: None, data: Some(data.into()), database: url };
    let config = place.sources().load().unwrap().config;
    let dir = DataDir::open(data).unwrap();
    let _lock = dir.lock().unwrap();
    let secret = dir.secret_open().unwrap();
    let app = trapeza::bootstrap::open(&config, dir.path(), &secret, trapeza::bootstrap::RunMode::Production)
        .await
        .unwrap();
    let done = work(&app).await;
    let store = app.store().clone();
    tokio::task::spawn_blocking(move || store.close()).await.unwrap();
    done
}

pub(super) fn cli(program: &ServerProcess, words: &[&str]) -> String {
    let data = program.data.to_str().unwrap();
    let output = process::run(&[words, &["--data", data]].concat());
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success(), "{words:?}: {text}");
    text
}

async fn nothing_is_lost(database: Database) {
    let directory = tempfile::tempdir().unwrap();
    let data = directory.path().join("data");
    let config = configuration(directory.path());
    let options = ["--config", config.as_str()];
    let receiver = WebhookReceiver::start(faulty_reply).await;
    let mut program = ServerProcess::sandbox(&data, &database.url(), &options).await;
    let merchants = program.sandbox_file["merchants"].as_array().unwrap()[..MERCHANTS].to_vec();
    for merchant in &merchants {
        let path = format!("/sandbox/applications/{}", merchant["application_id"].as_str().unwrap());
        let urls = json!({ "successCallbackUrl": receiver.url(), "failCallbackUrl": receiver.url() });
        let changed = program.anonymous().as_merchant(merchant).patch(&path, &urls).await;
        assert_eq!(changed.status, 200, "{changed:?}");
    }
    let ids: Vec<ApplicationId> = merchants
        .iter()
        .map(|merchant| ApplicationId::parse(merchant["application_id"].as_str().unwrap()).unwrap())
        .collect();

    let (events, kills) = (iterations(EVENTS), iterations(KILLS));
    let mut enqueued: BTreeMap<String, usize> = BTreeMap::new();
    for kill in 0..kills {
        program.kill();
        let (from, to) = (events * kill / kills, events * (kill + 1) / kills);
        beside(&data, &database, async |app| {
            for number in from..to {
                let merchant = number % MERCHANTS;
                let number = number as u128;
                let owing = merchant_fixture::enqueue(app, ids[merchant], number..number + 1).await;
                enqueued.extend(owing.iter().map(|id| (id.to_string(), merchant)));
            }
        })
        .await;
        program = ServerProcess::sandbox(&data, &database.url(), &options).await;
        // Killed in the middle of it: after some attempts, while others are under way.
        for _ in 0..3 {
            tokio::time::sleep(Duration::from_millis(100 + 37 * (kill as u64 % 5))).await;
            advance(&program, "PT3M").await;
        }
    }
    let began = Instant::now();
    loop {
        let left = cli(&program, &["callbacks", "list", "--state", "waiting", "--limit", "1"]);
        if left.lines().last() == Some(&format!("all callbacks: {events} delivered")) {
            break;
        }
        assert!(began.elapsed() < TIMEOUT, "{left}");
        if !left.contains("waiting") {
            // Unlucky twelve times: dead, listed, and tried again when the operator says so.
            cli(&program, &["callbacks", "replay", "--dead"]);
        }
        advance(&program, "PT12H").await;
        tokio::time::sleep(Duration::from_millis(300)).await;
    }
    program.kill();

    let seen = receiver.seen();
    let mut bodies: HashMap<&str, BTreeSet<&str>> = HashMap::new();
    let mut taken = BTreeSet::new();
    for delivery in &seen {
        let id = delivery.header("webhook-id");
        let merchant = enqueued[id];
        let secret = merchants[merchant]["webhook_secret"].as_str().unwrap();
        assert!(is_signed(secret, delivery), "{delivery:?}");
        bodies.entry(id).or_default().insert(&delivery.body);
        if delivery.reply == Reply::Status(200) {
            taken.insert(id.to_owned());
        }
    }
    assert_eq!(taken, enqueued.keys().cloned().collect(), "every one was taken, and nothing else");
    assert!(bodies.values().all(|bodies| bodies.len() == 1), "the same bytes on every try");
    assert_eq!(bodies.values().map(|all| all.first()).collect::<BTreeSet<_>>().len(), events);
    let delivered = beside(&data, &database, async |app| app.callback_count().await.unwrap()).await;
    assert_eq!(delivered, [(CallbackStatus::Delivered, events as i64)]);
    let again = seen.iter().filter(|one| one.reply == Reply::Status(200)).count() - events;
    println!("{events} callbacks, {kills} kills: {} attempts, {again} taken twice, 0 lost", seen.len());
}

pub(super) async fn advance(program: &ServerProcess, duration: &str) {
    let moved = program.anonymous().post("/sandbox/clock", &json!({ "advance": duration })).await;
    assert_eq!(moved.status, 200, "{moved:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn killed_process_loses_no_callback_sqlite() {
    nothing_is_lost(Database::new(Engine::Sqlite)).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn killed_process_loses_no_callback_postgres() {
    nothing_is_lost(Database::new(Engine::Postgres)).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn operator_replays_a_dead_callback_and_rotates_a_secret() {
    let database = Database::new(Engine::Sqlite);
    let directory = tempfile::tempdir().unwrap();
    let data = directory.path().join("data");
    let receiver =
        WebhookReceiver::start(|_, before| Reply::Status(if before == 0 { 410 } else { 200 })).await;
    let mut program = ServerProcess::sandbox(&data, "", &[]).await;
    let merchant = program.sandbox_file["merchants"][0].clone();
    let application = merchant["application_id"].as_str().unwrap();
    let path = format!("/sandbox/applications/{application}");
    let urls = json!({ "successCallbackUrl": receiver.url() });
    assert_eq!(program.anonymous().as_merchant(&merchant).patch(&path, &urls).await.status, 200);
    program.kill();
    let id = beside(&data, &database, async |app| {
        merchant_fixture::enqueue(app, ApplicationId::parse(application).unwrap(), 7..8).await[0].to_string()
    })
    .await;
    let program = ServerProcess::sandbox(&data, "", &[]).await;
    let list = || cli(&program, &["callbacks", "list", "--state", "disabled"]);
    while !list().contains(&id) {
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    let shown = cli(&program, &["callbacks", "show", &id]);
    assert!(shown.contains("disabled by its receiver") && shown.contains("  410  "), "{shown}");
    // A new secret beside the old: both sign.
    let issued = cli(&program, &["application", "secret", application]);
    let secret = issued.split_whitespace().nth(2).unwrap();
    cli(&program, &["callbacks", "replay", &id]);
    while !cli(&program, &["callbacks", "list"]).ends_with("all callbacks: 1 delivered\n") {
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    let seen = receiver.seen();
    assert_eq!(seen.len(), 2);
    assert!(verifies(merchant["webhook_secret"].as_str().unwrap(), &seen[1]) && verifies(secret, &seen[1]));
    assert!(!verifies(secret, &seen[0]));
    cli(&program, &["application", "secret", application, "--retire"]);
    let data = program.data.to_str().unwrap();
    assert!(!process::run(&["callbacks", "replay", &id, "--data", data]).status.success(), "it is delivered");
}
