//! The PostgreSQL engine: threads with one connection each, serializable transactions, retries after conflicts.

pub(crate) mod config;
pub(crate) mod connection;
mod error;
mod metrics;
mod pipeline;
pub(crate) mod value;
mod worker;

use self::metrics::PostgresMetrics;
use config::PostgresConfig;
use connection::PostgresConnection;
use worker::Worker;

use crate::audit_chain::ChainHeads;
use crate::error::StoreError;
use crate::job::Job;
use crate::migration;
use crate::options::StoreOptions;
use crate::queue::Queue;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;

/// The mode of a transaction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mode {
    Read,
    /// A read that may take longer than the statement timeout.
    LongRead,
    Write,
}

pub(crate) type Task = (Mode, Job);

pub(crate) struct PostgresEngine {
    queue: Arc<Queue<Task>>,
    threads: Mutex<Vec<JoinHandle<()>>>,
}

impl PostgresEngine {
    pub(crate) fn open(url: &str, options: &StoreOptions, heads: &ChainHeads) -> Result<Self, StoreError> {
        let config = PostgresConfig::parse(url, options.postgres_timeouts)?;
        let mut first = Some(connect_and_migrate(&config, options)?);
        let queue = Arc::new(Queue::new(options.queue_capacity));
        let connections_max = options.postgres_threads.max(1);
        let metrics = PostgresMetrics::new(connections_max);
        let threads = (0..connections_max)
            .map(|number| {
                let (config, options) = (config.clone(), options.clone());
                let worker =
                    Worker::new(number, config, first.take(), options, heads.clone(), metrics.clone());
                worker.start(number, queue.clone())
            })
            .collect::<Result<_, _>>()?;
        Ok(Self { queue, threads: Mutex::new(threads) })
    }

    pub(crate) fn queue(&self) -> &Queue<Task> {
        &self.queue
    }

    /// Runs the jobs in the queue and ends the threads.
    pub(crate) fn close(&self) {
        self.queue.close();
        for thread in self.threads.lock().unwrap_or_else(PoisonError::into_inner).drain(..) {
            let _ = thread.join();
        }
    }
}

/// Runs on its own thread, since the connection blocks and the caller may be in an async runtime.
fn connect_and_migrate(
    config: &PostgresConfig,
    options: &StoreOptions,
) -> Result<PostgresConnection, StoreError> {
    std::thread::scope(|scope| {
        let thread = scope.spawn(|| {
            let mut connection = PostgresConnection::connect(config, options.durability)?;
            migration::apply(&mut connection)?;
            Ok(connection)
        });
        thread.join().unwrap_or_else(|_| Err(StoreError::internal("connecting to PostgreSQL panicked")))
    })
}

impl Drop for PostgresEngine {
    fn drop(&mut self) {
        self.close();
    }
}
