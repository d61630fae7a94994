//! Files outside the database: clearing files, the root secret and backups are on the disk before they get their names, and the names before
//! the next step.

use super::recording::{Operation, Recorder, Recording};
use std::collections::{BTreeSet, HashMap};
use std::fs::{DirBuilder, File};
use std::io::Write;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use trapeza::data_dir::DataDir;
use trapeza_courier::Spool;
use trapeza_testkit::process::{self, ServerProcess};
use uuid::Uuid;

/// Makes the test write its files into a directory, in a process of its own that is recorded.
const CHILD: &str = "TRAPEZA_TEST_SYNCED_FILE";
const TEST: &str = "process::power_cut::synced_file::file_is_synced_before_it_gets_its_name";

/// What a power cut could take back: contents of files that were renamed, names that were moved on, names in the end.
fn unsynced(recording: &Recording) -> Vec<String> {
    let (mut files, mut found) = (BTreeSet::<&PathBuf>::new(), Vec::new());
    let mut directories = BTreeSet::<&Path>::new();
    let mut begun = HashMap::<u64, &PathBuf>::new();
    for operation in &recording.operations {
        match operation {
            Operation::Create { path } | Operation::Write { path, .. } | Operation::Truncate { path, .. } => {
                begun.retain(|_, syncing| *syncing != path);
                files.insert(path);
            }
            Operation::SyncBegin { path, number } => {
                begun.insert(*number, path);
            }
            Operation::SyncEnd { number } => {
                if let Some(path) = begun.remove(number) {
                    files.remove(path);
                    directories.remove(path.as_path());
                }
            }
            Operation::Rename { from, to } => {
                if files.remove(from) {
                    found.push(format!("{}: the content, when it was renamed", from.display()));
                }
                if from.parent().is_some_and(|directory| directories.contains(directory)) {
                    found.push(format!("{}: the name, when it was moved on", from.display()));
                }
                directories.extend([from, to].into_iter().filter_map(|path| path.parent()));
            }
            Operation::Remove { path } => {
                files.remove(path);
            }
            Operation::Output(_) => {}
        }
    }
    found
        .extend(directories.into_iter().map(|directory| format!("{}: the names in it", directory.display())));
    found
}

fn renames(recording: &Recording) -> usize {
    let is_rename = |operation: &&Operation| matches!(operation, Operation::Rename { .. });
    recording.operations.iter().filter(is_rename).count()
}

/// One file to clearing, one from clearing, and the secret of a new sandbox.
fn write_files(directory: &Path) {
    let (spool, claim) = (Spool::make(directory, [1; 16]).unwrap(), Uuid::from_u128(7));
    spool.stage(claim, "a.xml", b"to clearing").unwrap();
    spool.publish(claim, "a.xml").unwrap();
    let mut incoming = File::create(directory.join("incoming/b.xml")).unwrap();
    incoming.write_all(b"from clearing").unwrap();
    incoming.sync_all().unwrap();
    spool.archive("b.xml", true).unwrap();
    let data = DataDir::open(&directory.join("data")).unwrap();
    data.secret_open_or_make(&data.lock().unwrap()).unwrap();
}

/// Runs itself again in a process that is recorded.
#[test]
fn file_is_synced_before_it_gets_its_name() {
    if let Some(directory) = std::env::var_os(CHILD) {
        return write_files(Path::new(&directory));
    }
    let temporary = tempfile::tempdir().unwrap();
    let directory = temporary.path().canonicalize().unwrap();
    let mut program = Command::new(std::env::current_exe().unwrap());
    program.args(["--exact", TEST]).env(CHILD, &directory);
    let recording = Recorder::compile().record_whole(&mut program, &directory);
    // The id of the spool, the staged file, the same where clearing finds it, the archived one and the secret.
    assert_eq!(renames(&recording), 5);
    assert_eq!(unsynced(&recording), Vec::<String>::new());
}

#[tokio::test(flavor = "multi_thread")]
async fn backup_and_restored_database_are_synced_before_they_get_their_names() {
    let temporary = tempfile::tempdir().unwrap();
    let place = |name: &str| {
        let directory = temporary.path().canonicalize().unwrap().join(name);
        DirBuilder::new().mode(0o700).create(&directory).unwrap();
        directory
    };
    let (data, backups, target) = (place("data"), place("backups"), place("target"));
    assert!(ServerProcess::sandbox(&data, "", &[]).await.terminate().success());
    let run = |command: &str, data: &Path, recorded: &Path| {
        let mut program = Command::new(process::binary());
        program.arg(command).arg(backups.join("bank.backup")).arg("--data").arg(data);
        Recorder::compile().record_whole(&mut program, recorded)
    };
    let backup = run("backup", &data, &backups);
    for file in ["secret.key", "sandbox.json"] {
        std::fs::copy(data.join(file), target.join(file)).unwrap();
    }
    for recording in [backup, run("restore", &target, &target)] {
        assert_eq!(renames(&recording), 1);
        assert_eq!(unsynced(&recording), Vec::<String>::new());
    }
}
