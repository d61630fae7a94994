//! Everything that a step changes in the database: rows by table, with the columns that differ.

use crate::database::Database;
use std::collections::{BTreeMap, BTreeSet};

/// All rows of a SQLite database.
pub struct Rows(BTreeMap<String, Table>);

struct Table {
    columns: Vec<String>,
    /// Each row under its primary key, or the number of the row where SQLite has no primary key.
    rows: BTreeMap<Vec<String>, Vec<String>>,
}

impl Rows {
    /// Without the clock and the time of the last code of a login, which change as the system's time passes.
    ///
    /// # Panics
    /// On PostgreSQL: the statements are the same on both engines, so one of them is enough.
    pub fn read(database: &Database) -> Self {
        assert!(database.directory().is_some(), "rows are compared on SQLite");
        let columns = database.rows(
            "SELECT t.name, c.name, c.pk FROM sqlite_schema t JOIN pragma_table_info(t.name) c
             WHERE t.type = 'table' AND t.name NOT LIKE 'sqlite%' AND t.name <> 'clock' AND c.name <> 'totp_step'
             ORDER BY t.name, c.cid",
        );
        let mut tables: BTreeMap<String, (Vec<String>, Vec<String>)> = BTreeMap::new();
        for column in columns {
            let (columns, key) = tables.entry(column[0].clone()).or_default();
            key.extend((column[2] != "0").then(|| column[1].clone()));
            columns.push(column[1].clone());
        }
        let queries = tables.iter().map(|(name, (columns, key))| {
            let key = if key.is_empty() { "rowid".to_owned() } else { key.join(", ") };
            format!("SELECT {key}, {} FROM {name}", columns.join(", "))
        });
        let found = database.rows_of_each(&queries.collect::<Vec<_>>());
        let tables = tables.into_iter().zip(found).map(|((name, (columns, key)), rows)| {
            let identified = rows.into_iter().map(|mut row| {
                let values = row.split_off(key.len().max(1));
                (row, values)
            });
            let rows = identified.collect();
            (name, Table { columns, rows })
        });
        Self(tables.collect())
    }

    /// The differences, one line a table: `account ~1 (booked, held), audit_event +1`.
    pub fn changes_since(&self, before: &Self) -> String {
        let mut changes = Vec::new();
        for (name, table) in &self.0 {
            changes.extend(table.changes_since(&before.0[name]).map(|change| format!("{name} {change}")));
        }
        changes.join("; ")
    }
}

impl Table {
    fn changes_since(&self, before: &Self) -> Option<String> {
        let added = self.rows.keys().filter(|key| !before.rows.contains_key(*key)).count();
        let removed = before.rows.keys().filter(|key| !self.rows.contains_key(*key)).count();
        let (mut changed, mut columns) = (0, BTreeSet::new());
        for (key, row) in &self.rows {
            let Some(old) = before.rows.get(key).filter(|old| *old != row) else { continue };
            changed += 1;
            columns.extend((0..row.len()).filter(|&i| row[i] != old[i]).map(|i| self.columns[i].as_str()));
        }
        let columns = columns.into_iter().collect::<Vec<_>>().join(", ");
        let parts = [
            (added > 0).then(|| format!("+{added}")),
            (removed > 0).then(|| format!("-{removed}")),
            (changed > 0).then(|| format!("~{changed} ({columns})")),
        ];
        let parts: Vec<String> = parts.into_iter().flatten().collect();
        (!parts.is_empty()).then(|| parts.join(" "))
    }
}
