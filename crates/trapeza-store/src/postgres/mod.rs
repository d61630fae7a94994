//! The PostgreSQL engine: threads with a connection each, serializable transactions, run again when the server asks.

pub(crate) mod connection;
mod pipeline;
mod worker;

use connection::PostgresConnection;

use crate::audit_chain::ChainHeads;
use crate::error::StoreError;
use crate::job::Job;
use crate::migration;
use crate::options::StoreOptions;
use crate::queue::Queue;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;

/// Whether a job changes anything.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mode {
    Read,
    Write,
}

pub(crate) type Task = (Mode, Box<dyn Job>);

pub(crate) struct PostgresEngine {
    queue: Arc<Queue<Task>>,
    threads: Mutex<Vec<JoinHandle<()>>>,
}

impl PostgresEngine {
    pub(crate) fn open(url: &str, options: &StoreOptions, heads: &ChainHeads) -> Result<Self, StoreError> {
        let config: tokio_postgres::Config = url.parse().map_err(|error| {
            // The text of the URL is not repeated: it may hold a password.
            StoreError::Internal(format!("the database URL cannot be read: {error}"))
        })?;
        let link = first_link(&config, options)?;
        let queue = Arc::new(Queue::new(options.queue));
        let mut spare = Some(link);
        let threads = (0..options.postgres_threads.max(1))
            .map(|number| {
                worker::start(number, config.clone(), spare.take(), queue.clone(), options, heads.clone())
            })
            .collect::<Result<_, _>>()?;
        Ok(Self { queue, threads: Mutex::new(threads) })
    }

    pub(crate) fn queue(&self) -> &Queue<Task> {
        &self.queue
    }

    pub(crate) fn close(&self) {
        self.queue.close();
        for thread in self.threads.lock().unwrap_or_else(PoisonError::into_inner).drain(..) {
            let _ = thread.join();
        }
    }
}

/// Connects and brings the tables up to date, on a thread of its own: the driver must not block an async runtime's.
fn first_link(
    config: &tokio_postgres::Config,
    options: &StoreOptions,
) -> Result<PostgresConnection, StoreError> {
    std::thread::scope(|scope| {
        let work = scope.spawn(|| {
            let mut link = PostgresConnection::connect(config, options)?;
            migration::apply_postgres(&mut link)?;
            Ok(link)
        });
        work.join().unwrap_or_else(|_| Err(StoreError::internal("connecting to PostgreSQL panicked")))
    })
}

impl Drop for PostgresEngine {
    fn drop(&mut self) {
        self.close();
    }
}
