//! Runs of pgbench, the benchmark of PostgreSQL, on a temporary server.

use crate::postgres::{Installed, Postgres};
use crate::process::Outcome;
use std::process::Command;

/// The command pgbench for a server. The password is in the environment, which other users cannot read.
pub fn pgbench(installed: &Installed, server: &Postgres) -> Outcome<Command> {
    let parts = server.url.strip_prefix("postgres://").and_then(|rest| {
        let (login, location) = rest.split_once('@')?;
        let ((user, password), (address, database)) = (login.split_once(':')?, location.split_once('/')?);
        let (host, port) = address.split_once(':')?;
        Some([
            ("PGUSER", user),
            ("PGPASSWORD", password),
            ("PGHOST", host),
            ("PGPORT", port),
            ("PGDATABASE", database),
        ])
    });
    let mut command = installed.program("pgbench");
    command.envs(parts.ok_or("the server's URL cannot be parsed")?);
    Ok(command)
}

/// `tps = 1234.567890 (without initial connection time)` → 1234.
pub fn transactions_per_second(printed: &str) -> Outcome<u64> {
    let line = printed.lines().find_map(|line| line.strip_prefix("tps = "));
    let whole = line.and_then(|line| line.split(['.', ' ']).next()).and_then(|text| text.parse().ok());
    whole.ok_or(format!("pgbench printed no rate:\n{printed}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pgbench_output_is_parsed() {
        let printed = "latency average = 1.2 ms\ntps = 2914.774910 (without initial connection time)\n";
        assert_eq!(transactions_per_second(printed), Ok(2914));
        assert!(transactions_per_second("pgbench: error").is_err());
    }
}
