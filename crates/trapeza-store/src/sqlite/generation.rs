//! How often the tables that say who may call, on which terms, and how customers authorise have changed. All of them
//! seldom do. As long as the number stays, what was read from them holds.
//!
//! Only this process writes to the file (its data directory is locked), and only its writer does: a change is seen by
//! SQLite itself, row by row, and the number moves on before anybody is told that the change was made.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

const WATCHED: [&str; 6] =
    ["application", "application_key", "application_certificate", "merchant", "psu", "sca_method"];

#[derive(Clone, Debug, Default)]
pub(crate) struct Generation(Arc<State>);

#[derive(Debug, Default)]
struct State {
    number: AtomicU64,
    /// A row was changed since the number last moved.
    touched: AtomicBool,
}

impl Generation {
    /// Read it before the rows: what is kept under an older number than theirs is only thrown away too early.
    pub(super) fn number(&self) -> u64 {
        self.0.number.load(Ordering::Acquire)
    }

    /// A row of a table was written, deleted or changed.
    pub(super) fn note(&self, table: &str) {
        if WATCHED.contains(&table) {
            self.0.touched.store(true, Ordering::Relaxed);
        }
    }

    /// A transaction has ended, whichever way, and nobody was told yet.
    pub(super) fn publish(&self) {
        if self.0.touched.swap(false, Ordering::Relaxed) {
            self.0.number.fetch_add(1, Ordering::Release);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_moves_when_such_a_table_changes_and_not_before_it_is_published() {
        let edition = Generation::default();
        for table in WATCHED {
            let before = edition.number();
            edition.note(table);
            assert_eq!(edition.number(), before);
            edition.publish();
            assert_eq!(edition.number(), before + 1, "{table}");
        }
        let before = edition.number();
        edition.note("payment");
        edition.publish();
        assert_eq!(edition.number(), before);
    }
}
