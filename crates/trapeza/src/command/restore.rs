//! `trapeza restore`: writes a backup into an empty place, then verifies the ledger and the audit log.
//!
//! Everything that can be refused is refused before anything is changed.

use super::backup::BackupRecord;
use super::{audit_verify, describe_error, ledger, open_existing, root_secret_read, runtime};
use crate::backup_file::{BackupReader, Engine, Manifest};
use crate::bootstrap::{DATABASE_FILE, database_url};
use crate::cli::Backup;
use crate::config::{Config, DatabaseUrl};
use crate::data_dir::DataDir;
use crate::hexadecimal;
use crate::postgres_tools::PostgresTools;
use crate::root_key::RootSecrets;
use crate::root_secret::Secret;
use std::fs::File;
use std::path::Path;
use trapeza_app::App;
use trapeza_app::audit::as_operator;
use trapeza_store::{migration_names, postgres_is_empty};

/// The suffixes of the files of a SQLite database.
const DATABASE_SUFFIXES: [&str; 4] = ["", "-wal", "-shm", "-journal"];

pub fn run(arguments: &Backup) -> (String, bool) {
    match restore(arguments) {
        Ok((text, is_sound)) => (text, is_sound),
        Err(problem) => (format!("{problem}\n"), false),
    }
}

fn restore(arguments: &Backup) -> Result<(String, bool), String> {
    let config = arguments.bank.sources().load().map_err(|error| error.to_string())?.config;
    let mut backup = BackupReader::open(&arguments.file)?;
    check_manifest(&config, &backup.manifest)?;
    let secret = root_secret_read(&config)?;
    check_secret(&config, &secret, &backup.manifest)?;
    check_target(&config)?;
    backup.verify()?;
    let dir = DataDir::open(&config.data)?;
    let lock = dir.lock()?;
    // Again, since another process may have used the place before the directory was locked.
    check_target(&config)?;
    match database_url(&config)? {
        None => database_write(&mut backup, dir.path())?,
        Some(url) => database_restore(&config, &url, &mut backup)?,
    }
    let record = BackupRecord::new(backup.content_sha256(), &backup.manifest.created_at);
    let result = verify(&config, &dir, &secret, &backup.manifest, &record);
    drop(lock);
    result
}

fn check_manifest(config: &Config, manifest: &Manifest) -> Result<(), String> {
    let engine = if config.database.is_some() { Engine::Postgres } else { Engine::Sqlite };
    if manifest.engine != engine {
        return Err(format!(
            "the backup is of {}, and the configuration names {engine}; set database accordingly",
            manifest.engine
        ));
    }
    if !migration_names().any(|name| name == manifest.schema) {
        return Err(format!(
            "the backup has the schema {} of trapeza {}, which this program does not know; restore it with that version or a newer one",
            manifest.schema, manifest.program
        ));
    }
    Ok(())
}

fn check_secret(config: &Config, secret: &Secret, manifest: &Manifest) -> Result<(), String> {
    let secrets = RootSecrets::load(config, secret)?;
    let check = hexadecimal::decode_32(&manifest.secret_check);
    if check.is_some_and(|check| secrets.identify(&check).is_some()) {
        return Ok(());
    }
    Err("the backup was made with another root secret; set secret_file or previous_secret_file to that one"
        .to_owned())
}

/// Refuses a place that contains a database. A WAL that remains without its database would be applied to the new one.
fn check_target(config: &Config) -> Result<(), String> {
    if let Some(url) = database_url(config)? {
        let is_empty = postgres_is_empty(url.reveal());
        return match is_empty.map_err(|error| format!("cannot read the database: {error}"))? {
            true => Ok(()),
            false => Err(format!("the database {url} has tables; restore needs an empty database")),
        };
    }
    for suffix in DATABASE_SUFFIXES {
        let file = config.data.join(format!("{DATABASE_FILE}{suffix}"));
        if file.exists() {
            return Err(format!(
                "{} exists; restore needs a data directory without a database",
                file.display()
            ));
        }
    }
    Ok(())
}

/// Writes the SQLite database under another name, and renames it when it is on the disk.
fn database_write(backup: &mut BackupReader, directory: &Path) -> Result<(), String> {
    let (new, database) = (directory.join("trapeza.db.new"), directory.join(DATABASE_FILE));
    backup.content_write(&new)?;
    let renamed = std::fs::rename(&new, &database)
        .and_then(|()| File::open(directory))
        .and_then(|directory| directory.sync_all());
    renamed.map_err(|error| format!("{}: {error}", database.display()))
}

fn database_restore(config: &Config, url: &DatabaseUrl, backup: &mut BackupReader) -> Result<(), String> {
    let content = backup.content().map_err(|error| format!("cannot read the backup: {error}"))?;
    PostgresTools::new(config.backup.postgres_programs.clone()).restore(url, content)
}

/// The ledger check, and the audit log compared with the heads of the manifest. A sound bank records that it was restored.
fn verify(
    config: &Config,
    dir: &DataDir,
    secret: &Secret,
    manifest: &Manifest,
    record: &BackupRecord,
) -> Result<(String, bool), String> {
    let runtime = runtime()?;
    let app = runtime.block_on(open_existing(config, dir, secret))?;
    let ledger = ledger::check(&app);
    let audit = audit_verify::execute(&app, &manifest.audit_heads);
    let is_sound = ledger.exit == 0 && audit.exit == 0;
    let recorded = if is_sound { runtime.block_on(restore_record(&app, record)) } else { Ok(()) };
    app.store().close();
    recorded?;
    let result = if is_sound { "complete and sound" } else { "NOT sound, do not use it" };
    let Manifest { created_at, bank, .. } = manifest;
    let text =
        format!("{}{}restored the backup of {bank} of {created_at}: {result}\n", ledger.text, audit.text);
    Ok((text, is_sound))
}

async fn restore_record(app: &App, record: &BackupRecord) -> Result<(), String> {
    let backup = record.id().map_err(|problem| format!("the manifest is invalid: {problem}"))?;
    let recorded = as_operator(rustix::process::getuid().as_raw(), app.restore_record(backup)).await;
    recorded.map_err(describe_error)?;
    app.audit_heads_store().await.map(|_| ()).map_err(describe_error)
}
