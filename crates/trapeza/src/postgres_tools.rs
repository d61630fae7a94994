//! PostgreSQL's own programs `pg_dump` and `pg_restore`, which write and read dumps.
//!
//! They take the database URL as an argument, which every user of the machine can see, and the password from the
//! environment, which only the same user can.

use crate::config::DatabaseUrl;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};

pub struct PostgresTools {
    /// Where the programs are; `None` for the search path.
    directory: Option<PathBuf>,
}

impl PostgresTools {
    pub fn new(directory: Option<PathBuf>) -> Self {
        Self { directory }
    }

    /// Dumps the database as a snapshot sees it into a file.
    pub fn dump(&self, url: &DatabaseUrl, snapshot: &str, file: &Path) -> Result<(), String> {
        let mut command = self.command("pg_dump", url);
        command.args(["--format=custom", "--no-owner", "--no-privileges"]);
        command.arg(format!("--snapshot={snapshot}")).arg("--file").arg(file);
        let output = command.stdin(Stdio::null()).stdout(Stdio::null()).output();
        let output = output.map_err(|error| self.cannot_start("pg_dump", &error))?;
        succeeded("pg_dump", output.status, &output.stderr)
    }

    /// Restores a dump in one transaction: all of it or nothing.
    pub fn restore(&self, url: &DatabaseUrl, mut dump: impl Read + Send) -> Result<(), String> {
        let mut command = self.command("pg_restore", url);
        command.args(["--single-transaction", "--exit-on-error", "--no-owner", "--no-privileges"]);
        let child = command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::piped()).spawn();
        let mut child = child.map_err(|error| self.cannot_start("pg_restore", &error))?;
        let mut input = child.stdin.take().ok_or("pg_restore has no standard input")?;
        let (copied, output) = std::thread::scope(|scope| {
            let copy = scope.spawn(move || io::copy(&mut dump, &mut input));
            let output = child.wait_with_output();
            (copy.join(), output)
        });
        let output = output.map_err(|error| format!("pg_restore: {error}"))?;
        // What pg_restore reports comes first: when it fails, its input cannot be written to the end.
        succeeded("pg_restore", output.status, &output.stderr)?;
        match copied {
            Ok(Ok(_)) => Ok(()),
            Ok(Err(error)) => Err(format!("pg_restore did not read the whole backup: {error}")),
            Err(_) => Err("the backup could not be read".to_owned()),
        }
    }

    fn command(&self, program: &str, url: &DatabaseUrl) -> Command {
        let mut command = match &self.directory {
            Some(directory) => Command::new(directory.join(program)),
            None => Command::new(program),
        };
        let (url, password) = url.split_password();
        command.arg("--no-password").arg(format!("--dbname={url}"));
        if let Some(password) = password {
            command.env("PGPASSWORD", password);
        }
        command
    }

    fn cannot_start(&self, program: &str, error: &io::Error) -> String {
        let advice =
            "install PostgreSQL's client programs, or set backup.postgres_programs to their directory";
        match (&self.directory, error.kind()) {
            (None, io::ErrorKind::NotFound) => format!("{program} is not on the search path; {advice}"),
            (None, _) => format!("{program} cannot be started ({error}); {advice}"),
            (Some(directory), _) => {
                let shown = directory.join(program);
                format!("{} cannot be started ({error}); {advice}", shown.display())
            }
        }
    }
}

fn succeeded(program: &str, status: ExitStatus, stderr: &[u8]) -> Result<(), String> {
    if status.success() {
        return Ok(());
    }
    let stderr = String::from_utf8_lossy(stderr);
    let lines: Vec<&str> = stderr.lines().map(str::trim).filter(|line| !line.is_empty()).take(3).collect();
    Err(format!("{program} failed ({status}): {}", lines.join("; ")))
}
