//! `trapeza backup`: a consistent copy of the database in one file, while the server runs.
//!
//! The command reads the database itself, beside the server: the file belongs to the operator who runs the command, and no
//! limit of the admin socket applies.

use super::audit_verify::format_head;
use super::{AdminRequest, describe_error, try_run};
use crate::backup_file::{BackupWriter, Engine, Manifest};
use crate::bootstrap::{DATABASE_FILE, database_url};
use crate::cli::Backup;
use crate::config::Config;
use crate::hexadecimal;
use crate::postgres_tools::PostgresTools;
use serde::{Deserialize, Serialize};
use trapeza_app::backup::BackupId;
use trapeza_app::{App, format_timestamp, parse_timestamp};
use trapeza_store::{PostgresSnapshot, SnapshotSummary, backup_sqlite, migration_names};

/// What the audit log records of a backup.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct BackupRecord {
    sha256: String,
    created_at: String,
}

impl BackupRecord {
    pub fn new(sha256: &str, created_at: &str) -> Self {
        Self { sha256: sha256.to_owned(), created_at: created_at.to_owned() }
    }

    pub fn id(&self) -> Result<BackupId, String> {
        let sha256 =
            hexadecimal::decode_32(&self.sha256).ok_or("the checksum must have 64 hexadecimal digits")?;
        let created_at =
            parse_timestamp(&self.created_at).ok_or("the time must be in the form of RFC 3339")?;
        Ok(BackupId { sha256, created_at: format_timestamp(created_at) })
    }
}

pub async fn execute(app: &App, record: &BackupRecord) -> Result<String, String> {
    app.backup_record(record.id()?).await.map_err(describe_error)?;
    Ok(String::new())
}

pub fn run(arguments: &Backup) -> (String, bool) {
    match backup(arguments) {
        Ok(text) => (text, true),
        Err(problem) => (format!("{problem}\n"), false),
    }
}

fn backup(arguments: &Backup) -> Result<String, String> {
    let config = arguments.bank.sources().load().map_err(|error| error.to_string())?.config;
    let writer = BackupWriter::create(&arguments.file)?;
    let created_at = jiff::Timestamp::now().to_string();
    let (engine, summary) = content_write(&config, &writer)?;
    let SnapshotSummary { schema, secret_check, audit_heads } = summary;
    let chains = audit_heads.len();
    let manifest = Manifest {
        program: env!("CARGO_PKG_VERSION").to_owned(),
        schema: schema.clone(),
        engine,
        created_at: created_at.clone(),
        bank: config.bank.name.clone(),
        secret_check: hexadecimal::encode(&secret_check),
        audit_heads: audit_heads.iter().map(format_head).collect(),
    };
    let (bytes, sha256) = writer.finish(manifest)?;
    let file = arguments.file.display();
    let mut text = format!(
        "{file}: backup of {created_at}, {engine}, schema {schema}, {chains} audit chains, {bytes} bytes\n"
    );
    if let Err(problem) = record(arguments, &schema, &BackupRecord::new(&sha256, &created_at)) {
        text.push_str(&format!("the backup is complete, but the audit log has no event of it: {problem}\n"));
    }
    Ok(text)
}

/// Records the backup in the audit log, through the server or under the lock of the data directory. Opening a database with an older
/// schema would migrate it, which a backup must not do.
fn record(arguments: &Backup, schema: &str, record: &BackupRecord) -> Result<(), String> {
    if migration_names().last() != Some(schema) {
        return Err("the database has an older schema".to_owned());
    }
    let response = try_run(&arguments.bank, AdminRequest::BackupRecord(record.clone()))?;
    if response.exit == 0 { Ok(()) } else { Err(response.text.trim_end().to_owned()) }
}

fn content_write(config: &Config, writer: &BackupWriter) -> Result<(Engine, SnapshotSummary), String> {
    let unreadable = |error| format!("cannot read the database: {error}");
    let Some(url) = database_url(config)? else {
        let database = config.data.join(DATABASE_FILE);
        if !database.is_file() {
            return Err(format!(
                "there is no database {}; give --data, or --database for PostgreSQL",
                database.display()
            ));
        }
        let summary = backup_sqlite(&database, writer.content_path()).map_err(unreadable)?;
        return Ok((Engine::Sqlite, summary));
    };
    let snapshot = PostgresSnapshot::export(url.reveal()).map_err(unreadable)?;
    let tools = PostgresTools::new(config.backup.postgres_programs.clone());
    tools.dump(&url, snapshot.name(), writer.content_path())?;
    Ok((Engine::Postgres, snapshot.summary().clone()))
}
