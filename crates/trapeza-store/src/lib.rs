//! All SQL, and nothing else: two engines behind one seam.
//!
//! A use case hands over a synchronous closure and awaits its result:
//!
//! ```text
//! store.write(move |tx| { … tx.consent_insert(&consent)?; … Ok(answer) }).await
//! ```
//!
//! The rules for such a closure:
//!
//! - It is `Fn` and touches nothing but `tx`: the engine may run it again. Time, ids and random bytes are made before
//!   and captured.
//! - `Ok` commits, `Err` rolls back. A refusal that must leave a mark is `Ok` with the refusal inside.
//! - It never catches a [`StoreError`]; duplicates are found with `ON CONFLICT DO NOTHING RETURNING`.
//! - It never waits for anything: no network, no password hash, no picture.
//!
//! This crate knows nothing of HTTP, and decides nothing.

mod account;
mod application;
mod audit;
mod audit_chain;
mod authorisation;
mod basket;
mod callback;
mod card;
mod checkout;
mod clearing;
mod clock;
mod consent;
mod enrolled_device;
mod error;
mod idempotency;
mod idempotency_key;
mod job;
mod ledger;
mod ledger_check;
mod loan;
mod merchant;
mod migration;
mod notification;
mod options;
mod payment;
mod post;
mod postgres;
mod psu;
mod queue;
mod serial;
mod shopper;
mod sqlite;
mod statement;
mod throttle;
mod transaction_detail;
mod tx;
mod value;

pub use application::{ApplicationRecord, CertificateRecord, MerchantRecord, MerchantUrls};
pub use audit::AuditReport;
pub use audit_chain::{AuditHead, AuditRow};
pub use authorisation::{AUTHORISATION_SWEEP_ROWS, AuthorisationRecord, RedirectSession};
pub use basket::BASKET_SWEEP_ROWS;
pub use callback::{ATTEMPTS_RETAINED, AttemptRecord, CallbackClaim, CallbackRecord};
pub use callback::{CALLBACK_SWEEP_ROWS, CallbackTarget};
pub use checkout::CheckoutRecord;
pub use clearing::{BatchRecord, ClearingTransaction, IncomingRecord};
pub use consent::{CONSENT_SWEEP_ROWS, ConsentForRead, ConsentUsage};
pub use enrolled_device::EnrolledDevice;
pub use error::{StoreError, UseCaseError};
pub use idempotency::IdempotencyRecord;
pub use idempotency_key::IdempotencyKey;
pub use ledger::{HoldRecord, NewHold};
pub use ledger_check::{RawEntry, RawLedgerAccount, RawTransfer};
pub use loan::LOAN_SWEEP_ROWS;
pub use loan::RefundRecord;
pub use migration::names as migration_names;
pub use notification::NotificationRecord;
pub use options::{Durability, StoreOptions};
pub use payment::PAYMENT_SWEEP_ROWS;
pub use queue::Priority;
pub use shopper::{IncomeQuery, LateInstallment, Shopper};
pub use statement::{
    BookedEntry, CardTransaction, Cursor, EncodedDetails, EntryAccount, EntryAccountKind, EntryBatchPart,
    EntryDetails, EntryExchange, EntryFields, EntryPage, EntryParty, EntryRow, PendingCardTransaction,
    PendingEntry, PendingTransaction, Transaction,
};
pub use throttle::ScaCounterKey;
pub use transaction_detail::DetailId;
pub use tx::{Later, Tx};
pub use value::{Param, Row};

use crate::audit_chain::ChainHeads;
use crate::job::{Job, Work};
use crate::postgres::{Mode, PostgresEngine};
use crate::queue::Rejected;
use crate::serial::SerialKind;
use crate::sqlite::SqliteEngine;
use std::path::Path;
use std::sync::Arc;
use trapeza_domain::id::PaymentId;
use trapeza_domain::time::Timestamp;
use uuid::Uuid;

/// The bank's memory. Cheap to clone.
#[derive(Clone)]
pub struct Store {
    engine: Arc<Engine>,
    heads: ChainHeads,
}

enum Engine {
    Sqlite(SqliteEngine),
    Postgres(PostgresEngine),
}

impl Store {
    /// Opens, or makes, the database in a file. One process at a time: its owner holds the data directory's lock.
    pub fn open_sqlite(path: &Path, options: &StoreOptions) -> Result<Self, StoreError> {
        let heads = ChainHeads::default();
        let engine = Engine::Sqlite(SqliteEngine::open(path, options, &heads)?);
        Ok(Self { engine: Arc::new(engine), heads })
    }

    /// Opens a PostgreSQL database, which any number of processes may share.
    pub fn open_postgres(url: &str, options: &StoreOptions) -> Result<Self, StoreError> {
        let heads = ChainHeads::default();
        let engine = Engine::Postgres(PostgresEngine::open(url, options, &heads)?);
        Ok(Self { engine: Arc::new(engine), heads })
    }

    /// One transaction for a waiting caller.
    pub async fn write<T, F>(&self, closure: F) -> Result<T, UseCaseError>
    where
        T: Send + 'static,
        F: Fn(&mut Tx<'_>) -> Result<T, UseCaseError> + Send + 'static,
    {
        self.enqueue(Priority::Request, Mode::Write, closure).await
    }

    /// One transaction of background work, which lets requests go first. At most about 100 rows a job.
    pub async fn write_background<T, F>(&self, closure: F) -> Result<T, UseCaseError>
    where
        T: Send + 'static,
        F: Fn(&mut Tx<'_>) -> Result<T, UseCaseError> + Send + 'static,
    {
        self.enqueue(Priority::Background, Mode::Write, closure).await
    }

    /// One snapshot of what is committed.
    pub async fn read<T, F>(&self, closure: F) -> Result<T, UseCaseError>
    where
        T: Send + 'static,
        F: Fn(&mut Tx<'_>) -> Result<T, UseCaseError> + Send + 'static,
    {
        match &*self.engine {
            Engine::Sqlite(engine) => engine.read(&closure).await,
            Engine::Postgres(_) => self.enqueue(Priority::Request, Mode::Read, closure).await,
        }
    }

    /// A read that may take seconds: the caller must be on a thread that may block.
    pub fn read_blocking<T, F>(&self, closure: F) -> Result<T, UseCaseError>
    where
        T: Send + 'static,
        F: Fn(&mut Tx<'_>) -> Result<T, UseCaseError> + Send + 'static,
    {
        match &*self.engine {
            Engine::Sqlite(engine) => engine.read_blocking(&closure),
            Engine::Postgres(engine) => {
                let (job, answer) = Work::boxed(closure);
                accepted(engine.queue().push(Priority::Background, (Mode::Read, job)))?;
                answer.blocking_recv().unwrap_or(Err(UseCaseError::Failed(StoreError::Closed)))
            }
        }
    }

    /// The id of a payment that is about to be made, and that no other has: to be asked before its transaction. Where
    /// ids are not ours to number it is `random`.
    pub fn payment_id(&self, machine: Timestamp, random: impl FnOnce() -> Uuid) -> PaymentId {
        PaymentId::new(match &*self.engine {
            Engine::Sqlite(engine) => engine.serials().next(SerialKind::Payment, machine),
            Engine::Postgres(_) => random(),
        })
    }

    /// Where this process's audit chains stand.
    pub fn audit_heads(&self) -> Vec<AuditHead> {
        self.heads.all()
    }

    /// The number of the edition in which applications, their keys and certificates, merchants, customers and their
    /// methods are kept: what was read from them after it was asked for holds as long as it stays the same. `None`
    /// where other processes write too, so that nothing may be kept.
    pub fn auth_generation(&self) -> Option<u64> {
        match &*self.engine {
            Engine::Sqlite(engine) => Some(engine.auth_generation()),
            Engine::Postgres(_) => None,
        }
    }

    /// How many jobs wait for a writer.
    pub fn queue_depth(&self) -> usize {
        match &*self.engine {
            Engine::Sqlite(engine) => engine.queue().len(),
            Engine::Postgres(engine) => engine.queue().len(),
        }
    }

    pub fn engine_name(&self) -> &'static str {
        match &*self.engine {
            Engine::Sqlite(_) => "sqlite",
            Engine::Postgres(_) => "postgres",
        }
    }

    /// Ends in order: what waits is done, the log is folded into the file. Blocks until then.
    pub fn close(&self) {
        match &*self.engine {
            Engine::Sqlite(engine) => engine.close(),
            Engine::Postgres(engine) => engine.close(),
        }
    }

    async fn enqueue<T, F>(&self, lane: Priority, mode: Mode, closure: F) -> Result<T, UseCaseError>
    where
        T: Send + 'static,
        F: Fn(&mut Tx<'_>) -> Result<T, UseCaseError> + Send + 'static,
    {
        let (job, answer): (Box<dyn Job>, _) = Work::boxed(closure);
        accepted(match &*self.engine {
            Engine::Sqlite(engine) => engine.queue().push(lane, job),
            Engine::Postgres(engine) => engine.queue().push(lane, (mode, job)),
        })?;
        answer.await.unwrap_or(Err(UseCaseError::Failed(StoreError::Closed)))
    }
}

fn accepted(pushed: Result<(), Rejected>) -> Result<(), StoreError> {
    pushed.map_err(|rejected| match rejected {
        Rejected::Full => StoreError::Busy,
        Rejected::Closed => StoreError::Closed,
    })
}
