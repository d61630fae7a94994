//! The demo bank of the tests, which is seeded once for each build of a test binary and then copied: seeding takes longer than most
//! tests.

use crate::database::template::build_hash;
use crate::database::{Database, Engine};
use std::fs::{self, File};
use std::future::Future;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};
use tempfile::TempDir;
use trapeza_domain::time::{TimeDelta, Timestamp};

/// The database of SQLite, and what a sandbox has beside its database.
const FILES: [&str; 4] = ["trapeza.db", "trapeza.db-wal", "sandbox.json", "sandbox-authority.pem"];
/// The system time of the snapshot, and the build to which it belongs.
const TIME: &str = "time";
const KEY: &str = "key";

struct Snapshot {
    directory: PathBuf,
    key: String,
    /// The name of the database on PostgreSQL.
    template: String,
}

/// The database of a bank that was stopped, and its directory.
pub(crate) type Stopped = (Database, TempDir);

/// Fills a new database and the directory of its bank; `seed` makes the bank of the snapshot. Returns how much time has passed since the
/// bank was seeded.
pub(crate) async fn copy<F: Future<Output = Stopped>>(
    database: &Database,
    directory: &Path,
    seed: impl FnOnce(Database) -> F,
) -> TimeDelta {
    let snapshot = Snapshot::of(database.engine());
    snapshot.find_or_create(database.engine(), seed).await;
    database.become_copy_of(&snapshot.template);
    for file in FILES {
        let from = snapshot.directory.join(file);
        let is_of_database = file.starts_with("trapeza.db");
        let to = database.directory().filter(|_| is_of_database).unwrap_or(directory).join(file);
        if from.exists() {
            fs::copy(from, to).expect("the snapshot is copied");
        }
    }
    let time = fs::read_to_string(snapshot.directory.join(TIME)).expect("the snapshot has its time");
    system_time().since(Timestamp(time.parse().expect("the time is a number")))
}

pub(crate) fn system_time() -> Timestamp {
    let machine = SystemTime::now().duration_since(UNIX_EPOCH).expect("after 1970");
    Timestamp(i64::try_from(machine.as_micros()).expect("a time that fits"))
}

impl Snapshot {
    fn of(engine: Engine) -> Self {
        let server = match engine {
            Engine::Sqlite => String::new(),
            Engine::Postgres => crate::database::server_url(),
        };
        let binary = std::env::current_exe().expect("the test has a binary");
        let name = binary.file_name().expect("the binary has a name").to_string_lossy();
        let place = binary.parent().expect("the binary has a directory").join("seeded-banks");
        let key = format!("{:016x}", build_hash(&server));
        Self {
            directory: place.join(format!("{name}-{engine:?}")),
            template: format!("trapeza_bank_{key}"),
            key,
        }
    }

    fn exists(&self) -> bool {
        fs::read_to_string(self.directory.join(KEY)).is_ok_and(|key| key == self.key)
    }

    /// Processes that find none create it one after another.
    async fn find_or_create<F: Future<Output = Stopped>>(
        &self,
        engine: Engine,
        seed: impl FnOnce(Database) -> F,
    ) {
        if self.exists() {
            return;
        }
        fs::create_dir_all(&self.directory).expect("the directory is created");
        let lock = File::create(self.directory.join("lock")).expect("the lock file is created");
        lock.lock().expect("the lock is taken");
        if self.exists() {
            return;
        }
        let (database, directory) = seed(Database::new(engine)).await;
        for file in FILES {
            let _absent = fs::remove_file(self.directory.join(file));
            for place in [database.directory(), Some(directory.path())].into_iter().flatten() {
                if place.join(file).exists() {
                    fs::copy(place.join(file), self.directory.join(file)).expect("the bank is copied");
                }
            }
        }
        let time = system_time().0.to_string();
        database.into_template(&self.template);
        fs::write(self.directory.join(TIME), time).expect("the time is written");
        // Last, because it marks a complete snapshot.
        fs::write(self.directory.join(KEY), &self.key).expect("the key is written");
    }
}
