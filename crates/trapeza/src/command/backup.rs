//! `trapeza backup`: a consistent copy of the database in one file, while the server runs.
//!
//! The command reads the database itself, beside the server: the file belongs to the operator who runs the command, and no
//! limit of the admin socket applies.

use super::audit_verify::format_head;
use crate::backup_file::{BackupWriter, Engine, Manifest};
use crate::bootstrap::{DATABASE_FILE, database_url};
use crate::cli::Backup;
use crate::config::Config;
use crate::hexadecimal;
use crate::postgres_tools::PostgresTools;
use trapeza_store::{PostgresSnapshot, SnapshotSummary, backup_sqlite};

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
    let bytes = writer.finish(manifest)?;
    let file = arguments.file.display();
    Ok(format!(
        "{file}: backup of {created_at}, {engine}, schema {schema}, {chains} audit chains, {bytes} bytes\n"
    ))
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
