//! All SQL, for two engines behind one API.
//!
//! A use case passes a synchronous closure and awaits its result:
//!
//! ```text
//! store.write(move |tx| { … tx.consent_insert(&consent)?; … Ok(result) }).await
//! ```
//!
//! The rules for such a closure:
//!
//! - It is `Fn` and uses nothing but `tx`: the engine may run it again. Time, ids and random bytes are created before it and
//!   captured.
//! - `Ok` commits, `Err` rolls back. A refusal that must leave an effect is `Ok` with the refusal inside.
//! - It does not catch a [`StoreError`]; duplicates are found with `ON CONFLICT DO NOTHING RETURNING`.
//! - It does not wait: no network, no password hash, no image.

mod account;
mod application;
mod audit;
mod audit_chain;
mod authorisation;
mod authorisation_target;
mod backlog;
mod backup;
mod bank_payment;
mod basket;
mod bulk_line;
mod callback;
mod card;
mod challenge;
mod checkout;
mod clearing;
mod clock;
mod consent;
mod enrolled_device;
mod error;
mod health;
mod idempotency;
mod import;
mod job;
mod ledger;
mod ledger_check;
mod ledger_view;
mod loan;
mod location;
mod login;
mod manual_posting;
mod merchant;
mod merchant_payout;
mod migration;
mod notification;
mod object_relation;
mod options;
mod organisation;
mod payment;
mod payment_due;
mod payment_message;
mod payment_timing;
mod personal_data;
mod postgres;
mod psu;
mod queue;
mod request_log;
mod root_key;
mod sandbox;
mod sandbox_callback;
mod search;
mod settlement;
mod shopper;
mod signing_basket;
mod sqlite;
mod staff;
mod statement;
mod statistics;
mod status_subscription;
mod step_result;
mod stored_form;
mod throttle;
mod transaction_detail;
mod transfer_mac;
mod tx;
mod upcoming_payment;
mod value;
mod work_list;

pub use application::{ApplicationRecord, CertificateRecord, KeyRecord, RegisteredCertificate};
pub use audit::{AuditRecord, AuditReport, BANK_CREATED};
pub use audit_chain::{AuditHead, AuditRow};
pub use authorisation::{AUTHORISATION_SWEEP_ROWS, AuthorisationRecord, RedirectSession};
pub use authorisation_target::RedirectUris;
pub use backlog::Backlog;
pub use backup::{PostgresSnapshot, SnapshotSummary, backup_sqlite, postgres_is_empty};
pub use bank_payment::BankPaymentRecord;
pub use basket::BASKET_SWEEP_ROWS;
pub use callback::{ATTEMPTS_RETAINED, AttemptRecord, CallbackClaim, CallbackRecord};
pub use callback::{CALLBACK_SWEEP_ROWS, CallbackTarget, NotificationAddress};
pub use checkout::CheckoutRecord;
pub use clearing::{
    BatchRecord, ClearingProblem, ClearingTransaction, IncomingDecision, IncomingRecord, ReturnRecord,
};
pub use clearing::{InstantSubmission, OpenClearingProblem};
pub use consent::{CONSENT_SWEEP_ROWS, ConsentForRead, ConsentUsage};
pub use enrolled_device::EnrolledDevice;
pub use error::{Cause, Required, StoreError, UseCaseError};
pub use idempotency::{IdempotencyKey, IdempotencyRecord, IdempotencyReservation};
pub use import::ImportProgress;
pub use ledger::{HoldRecord, NewHold};
pub use ledger_check::{PaymentMismatch, RawEntry, RawLedgerAccount, RawTransfer};
pub use ledger_view::{CountedSum, KindTotal, LedgerAccountRow, LedgerEntryRow};
pub use loan::{
    DocumentReader, GuestSession, LOAN_SWEEP_ROWS, LoanDocument, LoanPayer, RefundPayment, RefundRecord,
};
pub use location::DatabaseLocation;
pub use login::{LoginRecord, LoginSessionRecord, NewLoginSession, PasskeyRecord};
pub use manual_posting::{ManualPostingRecord, ManualReversal};
pub use merchant::MerchantRecord;
pub use merchant_payout::MerchantPayoutRecord;
pub use migration::{MigrationStatus, names as migration_names};
pub use notification::{NOTIFICATION_SWEEP_ROWS, NotificationRecord};
pub use object_relation::ObjectRelation;
pub use options::{Durability, PostgresTimeouts, StoreOptions};
pub use organisation::{EnrolmentRecord, InvitationRecord};
pub use payment::{PAYMENT_SWEEP_ROWS, PAYMENTS_OF_APP_POSTGRES, PAYMENTS_OF_APP_SQLITE};
pub use payment_due::SUBMITTED_PAYMENT;
pub use personal_data::{DeviceTimes, MessageTimes, PsuStatus};
pub use queue::Priority;
pub use request_log::{REQUEST_LOG_PURGE_ROWS, RequestFilter, RequestRecord, RequestSummary};
pub use root_key::{SealedRootKey, root_key_find};
pub use sandbox::SandboxSecret;
pub use sandbox_callback::SandboxCallback;
pub use search::SearchHit;
pub use settlement::{SettledLoan, SettlementEntry};
pub use shopper::{IncomeQuery, LateInstallment, Shopper};
pub use signing_basket::SIGNING_BASKET_SWEEP_ROWS;
pub use staff::{STAFF_REQUEST_SWEEP_ROWS, StaffActionReplay, StaffConfirmation, StaffTokenRecord};
pub use statement::{
    Cursor, EncodedDetails, EntryAccount, EntryAccountKind, EntryBatchPart, EntryDetails, EntryExchange,
    EntryFields, EntryPage, EntryParty, EntryRow, RareEntryFields, STATEMENT_PAGES,
};
pub use status_subscription::StatusSubscription;
pub use step_result::StoredStepResult;
pub use throttle::{ScaBlock, ScaCounterKey, ScaEventCount};
pub use tx::Tx;
pub use value::{Column, DetailId, FromColumn, Param, Parsed, RowReader};
pub use work_list::{BLOCKED_SUBJECTS, BlockedSubject, REJECTED_PAYMENTS, UNSUBMITTED_PAYMENTS};

use crate::audit_chain::ChainHeads;
use crate::job::{Job, unboxed};
use crate::postgres::{Mode, PostgresEngine};
use crate::queue::{QueueDepth, Rejected};
use crate::sqlite::SqliteEngine;
use metrics::gauge;
use std::path::Path;
use std::sync::Arc;

/// The database of a bank. Cheap to clone.
#[derive(Clone)]
pub struct Store {
    engine: Arc<Engine>,
    heads: ChainHeads,
    audit_key: [u8; 32],
}

enum Engine {
    Sqlite(SqliteEngine),
    Postgres(PostgresEngine),
}

impl Store {
    /// Opens or creates the database in a file. Only one process may have it open: the one that holds the lock of the data
    /// directory.
    pub fn open_sqlite(path: &Path, options: &StoreOptions) -> Result<Self, StoreError> {
        let heads = ChainHeads::default();
        let engine = Engine::Sqlite(SqliteEngine::open(path, options, &heads)?);
        Ok(Self { engine: Arc::new(engine), heads, audit_key: options.audit_key })
    }

    /// Opens a PostgreSQL database, which any number of processes may share.
    pub fn open_postgres(url: &str, options: &StoreOptions) -> Result<Self, StoreError> {
        let heads = ChainHeads::default();
        let engine = Engine::Postgres(PostgresEngine::open(url, options, &heads)?);
        Ok(Self { engine: Arc::new(engine), heads, audit_key: options.audit_key })
    }

    /// Runs a transaction for a waiting caller.
    pub async fn write<T, F>(&self, closure: F) -> Result<T, UseCaseError>
    where
        T: Send + 'static,
        F: Fn(&mut Tx<'_>) -> Result<T, UseCaseError> + Send + 'static,
    {
        let (job, result) = Job::new(closure);
        self.enqueue(Priority::Request, Mode::Write, job)?;
        unboxed(result.await)
    }

    /// Runs a transaction of background work after those of requests. A job should write at most about 100 rows.
    pub async fn write_background<T, F>(&self, closure: F) -> Result<T, UseCaseError>
    where
        T: Send + 'static,
        F: Fn(&mut Tx<'_>) -> Result<T, UseCaseError> + Send + 'static,
    {
        let (job, result) = Job::new(closure);
        self.enqueue(Priority::Background, Mode::Write, job)?;
        unboxed(result.await)
    }

    /// Runs a read-only transaction on one snapshot.
    pub async fn read<T, F>(&self, closure: F) -> Result<T, UseCaseError>
    where
        T: Send + 'static,
        F: Fn(&mut Tx<'_>) -> Result<T, UseCaseError> + Send + 'static,
    {
        match &*self.engine {
            Engine::Sqlite(engine) => {
                let result = read_value(engine, closure);
                engine.wait_for_durable().await?;
                result
            }
            Engine::Postgres(_) => {
                let (job, result) = Job::new(closure);
                self.enqueue(Priority::Request, Mode::Read, job)?;
                unboxed(result.await)
            }
        }
    }

    /// Runs a read that may take seconds, on a thread that may block.
    pub fn read_blocking<T, F>(&self, closure: F) -> Result<T, UseCaseError>
    where
        T: Send + 'static,
        F: Fn(&mut Tx<'_>) -> Result<T, UseCaseError> + Send + 'static,
    {
        match &*self.engine {
            Engine::Sqlite(engine) => {
                let result = read_value(engine, closure);
                engine.wait_for_durable_blocking()?;
                result
            }
            Engine::Postgres(_) => {
                let (job, result) = Job::new(closure);
                self.enqueue(Priority::Background, Mode::LongRead, job)?;
                unboxed(result.blocking_recv())
            }
        }
    }

    /// The key of the audit log and of the MACs of transfers.
    pub fn audit_key(&self) -> &[u8; 32] {
        &self.audit_key
    }

    /// The heads of this process's audit chains.
    pub fn audit_heads(&self) -> Vec<AuditHead> {
        self.heads.all()
    }

    /// The generation of the tables of applications, their keys and their certificates: what was read after it was asked for
    /// is current as long as it stays the same. `None` where other processes write too, so that nothing may be cached.
    pub fn auth_generation(&self) -> Option<u64> {
        match &*self.engine {
            Engine::Sqlite(engine) => Some(engine.auth_generation()),
            Engine::Postgres(_) => None,
        }
    }

    /// The number of jobs that wait for a writer.
    pub fn queue_depth(&self) -> usize {
        let QueueDepth { requests, background } = self.depth();
        requests + background
    }

    fn depth(&self) -> QueueDepth {
        match &*self.engine {
            Engine::Sqlite(engine) => engine.queue().depth(),
            Engine::Postgres(engine) => engine.queue().depth(),
        }
    }

    /// Sets the gauges that are not updated as things happen. Called when metrics are read.
    pub fn metrics_sample(&self) {
        let QueueDepth { requests, background } = self.depth();
        for (priority, jobs) in [("request", requests), ("background", background)] {
            gauge!("trapeza_store_queue_jobs", "priority" => priority).set(jobs as f64);
        }
        if let Engine::Sqlite(engine) = &*self.engine {
            engine.metrics_sample();
        }
    }

    /// Runs the jobs in the queue, checkpoints the WAL and closes the database. Blocks until then.
    pub fn close(&self) {
        match &*self.engine {
            Engine::Sqlite(engine) => engine.close(),
            Engine::Postgres(engine) => engine.close(),
        }
    }

    fn enqueue(&self, priority: Priority, mode: Mode, job: Job) -> Result<(), StoreError> {
        let pushed = match &*self.engine {
            Engine::Sqlite(engine) => engine.queue().push(priority, job),
            Engine::Postgres(engine) => engine.queue().push(priority, (mode, job)),
        };
        pushed.map_err(|rejected| match rejected {
            Rejected::Full => StoreError::Busy,
            Rejected::Closed => StoreError::Closed,
        })
    }
}

/// Reads on this thread. The value may not be durable yet.
fn read_value<T>(
    engine: &SqliteEngine,
    closure: impl Fn(&mut Tx<'_>) -> Result<T, UseCaseError>,
) -> Result<T, UseCaseError> {
    let mut value = None;
    engine.read(&mut |tx| {
        value = Some(closure(tx)?);
        Ok(())
    })?;
    value.ok_or(UseCaseError::Failed(StoreError::Closed))
}
