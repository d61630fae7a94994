//! Migrations come in twins: the same step, under the same name, for SQLite and for PostgreSQL, numbered without gaps.

/// Findings in the file names of the two directories, each sorted.
pub fn check(sqlite: &[String], postgres: &[String]) -> Vec<String> {
    let mut findings = Vec::new();
    for (engine, ours, other, theirs) in
        [("sqlite", sqlite, "postgres", postgres), ("postgres", postgres, "sqlite", sqlite)]
    {
        if ours.is_empty() {
            findings.push(format!("migrations/{engine}: there is no migration"));
        }
        for (index, name) in ours.iter().enumerate() {
            let expected = index + 1;
            if number(name) != Some(expected) {
                findings.push(format!(
                    "migrations/{engine}/{name}: expected number {expected}, as NNNN_name.sql"
                ));
            }
            if !theirs.contains(name) {
                findings
                    .push(format!("migrations/{engine}/{name}: has no counterpart in migrations/{other}"));
            }
        }
    }
    findings
}

fn number(name: &str) -> Option<usize> {
    let (digits, _) = name.strip_suffix(".sql")?.split_once('_')?;
    if digits.len() == 4 { digits.parse().ok() } else { None }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(names: &[&str]) -> Vec<String> {
        names.iter().map(|&name| name.to_owned()).collect()
    }

    #[test]
    fn matching_migrations_pass() {
        let both = names(&["0001_start.sql", "0002_outbox.sql"]);
        assert!(check(&both, &both).is_empty());
    }

    #[test]
    fn missing_counterpart_is_reported() {
        let findings = check(&names(&["0001_start.sql", "0002_outbox.sql"]), &names(&["0001_start.sql"]));
        assert_eq!(
            findings,
            ["migrations/sqlite/0002_outbox.sql: has no counterpart in migrations/postgres"]
        );
    }

    #[test]
    fn gap_bad_name_and_empty_directory_are_reported() {
        let gap = names(&["0001_start.sql", "0003_outbox.sql"]);
        assert_eq!(check(&gap, &gap).len(), 2);
        let bad = names(&["1.sql"]);
        assert_eq!(check(&bad, &bad).len(), 2);
        assert_eq!(check(&[], &[]).len(), 2);
    }
}
