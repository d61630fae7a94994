//! Idle readers, each kept for the thread that used it last: its pages and statements lie in that processor's cache, and
//! to fetch them from another's takes longer than most reads.
//!
//! They keep their views, too. As long as one is open the log cannot be folded beyond it, so whoever folds has them let
//! go ([`ReaderPool::let_go`]).

use super::connection::SqliteConnection;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// More than threads that read. Where two share a shelf they only share their readers.
const SHELVES: usize = 32;

#[derive(Clone, Default)]
pub(super) struct ReaderPool(Arc<State>);

#[derive(Default)]
struct State {
    shelves: [Shelf; SHELVES],
    /// How many want no view to be kept.
    folding: AtomicUsize,
}

/// While it is there no idle reader has a view.
pub(super) struct LetGo<'a>(&'a ReaderPool);

impl Drop for LetGo<'_> {
    fn drop(&mut self) {
        self.0.0.folding.fetch_sub(1, Ordering::SeqCst);
    }
}

/// On cache lines of its own.
#[derive(Default)]
#[repr(align(128))]
struct Shelf(Mutex<Vec<SqliteConnection>>);

impl Shelf {
    fn locked(&self) -> MutexGuard<'_, Vec<SqliteConnection>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl ReaderPool {
    /// One that this thread has put back, if it is there.
    pub(super) fn take(&self) -> Option<SqliteConnection> {
        self.own().locked().pop()
    }

    pub(super) fn put(&self, mut link: SqliteConnection) {
        let mut shelf = self.own().locked();
        // Asked under the shelf's lock: whoever folds comes for what was put there before.
        if self.0.folding.load(Ordering::SeqCst) == 0 || link.end_view().is_ok() {
            shelf.push(link);
        }
    }

    /// Ends the views of idle readers, and of those that are put back meanwhile.
    pub(super) fn let_go(&self) -> LetGo<'_> {
        self.0.folding.fetch_add(1, Ordering::SeqCst);
        for shelf in &self.0.shelves {
            shelf.locked().retain_mut(|link| link.end_view().is_ok());
        }
        LetGo(self)
    }

    pub(super) fn clear(&self) {
        self.0.shelves.iter().for_each(|shelf| shelf.locked().clear());
    }

    fn own(&self) -> &Shelf {
        static THREADS: AtomicUsize = AtomicUsize::new(0);
        thread_local! {
            static NUMBER: usize = THREADS.fetch_add(1, Ordering::Relaxed);
        }
        &self.0.shelves[NUMBER.with(|number| *number) % SHELVES]
    }
}
