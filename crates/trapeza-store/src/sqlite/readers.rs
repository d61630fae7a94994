//! Idle readers, each kept for the thread that used it last: its pages and statements lie in that processor's cache, and
//! to fetch them from another's takes longer than most reads.

use super::link::SqliteLink;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// More than threads that read. Where two share a shelf they only share their readers.
const SHELVES: usize = 32;

#[derive(Default)]
pub(super) struct Readers(Box<[Shelf; SHELVES]>);

/// On cache lines of its own.
#[derive(Default)]
#[repr(align(128))]
struct Shelf(Mutex<Vec<SqliteLink>>);

impl Shelf {
    fn locked(&self) -> MutexGuard<'_, Vec<SqliteLink>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Readers {
    /// One that this thread has put back, if it is there.
    pub(super) fn take(&self) -> Option<SqliteLink> {
        self.own().locked().pop()
    }

    pub(super) fn put(&self, link: SqliteLink) {
        self.own().locked().push(link);
    }

    pub(super) fn clear(&self) {
        self.0.iter().for_each(|shelf| shelf.locked().clear());
    }

    fn own(&self) -> &Shelf {
        static THREADS: AtomicUsize = AtomicUsize::new(0);
        thread_local! {
            static NUMBER: usize = THREADS.fetch_add(1, Ordering::Relaxed);
        }
        &self.0[NUMBER.with(|number| *number) % SHELVES]
    }
}
