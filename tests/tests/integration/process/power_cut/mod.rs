//! Power cuts: every write and sync of a process that transfers money is recorded below it, and the disk is rebuilt as power cuts
//! at many points would leave it. Each image opens, is sound, and has every transfer that was acknowledged.

mod disk;
mod recording;
mod synced_file;

use disk::{Disk, Loss, Random, Syncs};
use recording::{Operation, Recorder, Recording};
use rstest::rstest;
use std::collections::HashSet;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::time::Duration;
use trapeza_testkit::database::{AUDIT_KEY, Database, Engine};
use trapeza_testkit::{iterations, ledger_fixture};

/// Short, so that the WAL restarts many times.
const WAL_RESTART_FRAMES: &str = "1500";
const LOSSES: [Loss; 4] = [Loss::All, Loss::Nothing, Loss::Some, Loss::Torn];

/// A small bank, and what a process did to its files.
struct Run {
    database: Database,
    before: tempfile::TempDir,
    recording: Recording,
}

impl Run {
    async fn record(time: Duration) -> Self {
        let database = Database::new(Engine::Sqlite);
        let app = ledger_fixture::open_app(database.open()).await;
        ledger_fixture::funded_accounts(&app, 8, 100_000_000).await;
        app.store().close();
        drop(app);
        let directory = database.directory().unwrap().canonicalize().unwrap();
        let before = tempfile::tempdir().unwrap();
        for entry in std::fs::read_dir(&directory).unwrap() {
            let entry = entry.unwrap();
            std::fs::copy(entry.path(), before.path().join(entry.file_name())).unwrap();
        }
        let mut program = Command::new(env!("CARGO_BIN_EXE_transfers"));
        program.arg(directory.join("trapeza.db")).arg(WAL_RESTART_FRAMES);
        let recording = Recorder::compile().record(&mut program, &directory, time);
        Self { database, before, recording }
    }

    /// The disk before the process started, with the names that the process uses.
    fn disk(&self, syncs: Syncs) -> Disk {
        let directory = self.database.directory().unwrap().canonicalize().unwrap();
        for entry in std::fs::read_dir(&directory).unwrap() {
            std::fs::remove_file(entry.unwrap().path()).unwrap();
        }
        for entry in std::fs::read_dir(self.before.path()).unwrap() {
            let entry = entry.unwrap();
            std::fs::copy(entry.path(), directory.join(entry.file_name())).unwrap();
        }
        Disk::with_files_of(&directory, syncs)
    }

    /// The number of times that the WAL was written from its start.
    fn wal_restarts(&self) -> usize {
        let is_header = |operation: &&Operation| matches!(operation, Operation::Write { path, offset: 0, .. } if path.ends_with("trapeza.db-wal"));
        self.recording.operations.iter().filter(is_header).count()
    }

    /// Cuts the power at this number of points, spread over the run, and returns what was wrong with each image.
    async fn cut_power(&self, points: usize, syncs: Syncs, seed: u64) -> Vec<String> {
        let (mut disk, mut random) = (self.disk(syncs), Random(seed));
        let (mut acknowledged, mut faults) = (HashSet::new(), Vec::new());
        let operations = &self.recording.operations;
        let step = (operations.len() / points).max(1);
        let mut next = random.below(step);
        for (number, operation) in operations.iter().enumerate() {
            disk.apply(operation);
            if let Operation::Output(text) = operation {
                acknowledged.extend(text.lines().map(str::to_owned));
            }
            if number == next {
                next += 1 + random.below(2 * step);
                let loss = LOSSES[random.below(LOSSES.len())];
                let image = tempfile::tempdir().unwrap();
                disk.cut_power(loss, &mut random, image.path());
                if let Err(fault) = check_image(image.path(), &acknowledged).await {
                    faults.push(format!("seed {seed}, operation {number}, loss {loss:?}: {fault}"));
                }
            }
        }
        assert!(acknowledged.len() > 100, "{} transfers were acknowledged", acknowledged.len());
        faults
    }
}

/// Opens what a power cut left.
async fn check_image(directory: &Path, acknowledged: &HashSet<String>) -> Result<(), String> {
    let database = Database::at(directory);
    let store = database.try_open(&Database::options()).map_err(|error| format!("does not open: {error}"))?;
    let app = Arc::new(ledger_fixture::open_app(store.clone()).await);
    let read = |tx: &mut trapeza_store::Tx<'_>| {
        Ok(tx.query("SELECT reference FROM transfer", &[], |row| row.read::<String>())?)
    };
    let found: HashSet<String> =
        store.read(read).await.map_err(|error| error.to_string())?.into_iter().collect();
    let lost = acknowledged.difference(&found).count();
    if lost > 0 {
        return Err(format!("{lost} of {} acknowledged transfers are lost", acknowledged.len()));
    }
    let checked = app.clone();
    let report = tokio::task::spawn_blocking(move || checked.ledger_check()).await.unwrap();
    let report = report.map_err(|error| error.to_string())?;
    if !report.is_sound() {
        return Err(format!("{:?}", report.findings));
    }
    let audit = store.read(|tx| Ok(tx.audit_verify(&AUDIT_KEY, &[])?)).await;
    let findings = audit.map_err(|error| error.to_string())?.findings;
    if !findings.is_empty() {
        return Err(format!("{findings:?}"));
    }
    store.close();
    let connection = rusqlite::Connection::open(database.sqlite_path()).map_err(|error| error.to_string())?;
    let result: String = connection
        .query_row("PRAGMA integrity_check", [], |row| row.get(0))
        .map_err(|error| error.to_string())?;
    if result == "ok" { Ok(()) } else { Err(result) }
}

#[tokio::test(flavor = "multi_thread")]
async fn power_cut_at_any_point_loses_nothing_acknowledged() {
    let run = Run::record(Duration::from_secs(3)).await;
    assert!(run.wal_restarts() >= 3, "the WAL restarted {} times", run.wal_restarts());
    let points = iterations(60);
    let faults = run.cut_power(points, Syncs::Honoured, 1).await;
    println!("power cuts: {points} in {} operations", run.recording.operations.len());
    assert!(faults.is_empty(), "{faults:#?}");
}

/// The images can show a loss: they do when the disk ignores the syncs of the WAL, or those of the database, after which the WAL
/// is overwritten.
#[rstest]
#[case("trapeza.db-wal", 12)]
#[case("trapeza.db", 60)]
#[tokio::test(flavor = "multi_thread")]
async fn power_cut_with_ignored_syncs_loses_transfers(#[case] file: &'static str, #[case] points: usize) {
    let run = Run::record(Duration::from_secs(3)).await;
    let faults = run.cut_power(points, Syncs::IgnoredFor(file), 2).await;
    assert!(!faults.is_empty());
}
