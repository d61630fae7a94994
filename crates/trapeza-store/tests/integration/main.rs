//! The store's promises, on both engines where a database matters.
//!
//! All suites are linked into one binary, because linking once is faster than linking for every file.

#![expect(clippy::unwrap_used, reason = "a test may unwrap: its panic is its result")]

mod audit;
mod backlog;
mod backup;
mod basket;
mod batch;
mod exact_end;
mod fixture;
mod hold_race;
mod idempotency;
mod ledger;
mod ledger_check;
mod postgres_failover;
mod postgres_options;
mod postgres_tls;
mod posting;
mod query_plan;
mod request_log;
mod retention;
mod transaction;
mod wal_checkpoint;
mod wal_durability;
