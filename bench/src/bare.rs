//! SQLite alone: the statements of a payment on the same tables with the same settings, in one loop without a queue. Compared
//! with the product it has no callers, no queue, no rules of the ledger and no MACs.

use crate::usage::Usage;
use rusqlite::{Connection, Result, params};
use serde_json::{Value, json};
use std::sync::mpsc;
use std::time::{Duration, Instant};

/// The largest distance of payer and payee; with more accounts no account pays itself.
const MAX_DISTANCE: usize = 61;

/// Runs on a bank that was prepared and closed.
pub fn run(database: &str, batch: u64, time: Duration) -> Value {
    let mut connection = open(database).expect("the file opens");
    let accounts = accounts(&connection).expect("the accounts are read");
    assert!(accounts.len() > MAX_DISTANCE, "the bank is prepared first, with enough accounts");
    let checkpoint = Connection::open(database).expect("the file opens");
    let (stop, stopped) = mpsc::channel::<()>();
    // As in the store, another thread checkpoints the WAL, never the writer.
    let checkpointer = std::thread::spawn(move || {
        while let Err(mpsc::RecvTimeoutError::Timeout) = stopped.recv_timeout(Duration::from_secs(1)) {
            let _ = checkpoint.query_row("PRAGMA wal_checkpoint(PASSIVE)", [], |_| Ok(()));
        }
    });
    let usage = Usage::start();
    let started = Instant::now();
    let mut number = 0_i64;
    while started.elapsed() < time {
        number = commit(&mut connection, &accounts, number, batch).expect("the batch is committed");
    }
    let (wall, processor) = usage.micros();
    drop(stop);
    checkpointer.join().expect("the checkpoints end");
    json!({ "payments": number, "unmeasured": 0, "failed": 0, "wall_micros": wall, "processor_micros": processor })
}

fn open(database: &str) -> Result<Connection> {
    let connection = Connection::open(database)?;
    connection.set_prepared_statement_cache_capacity(64);
    connection.execute_batch(
        "PRAGMA journal_mode=wal; PRAGMA synchronous=FULL; PRAGMA wal_autocheckpoint=0;
         PRAGMA foreign_keys=1; PRAGMA cache_size=-16384; PRAGMA temp_store=MEMORY;",
    )?;
    Ok(connection)
}

fn accounts(connection: &Connection) -> Result<Vec<i64>> {
    let mut statement =
        connection.prepare("SELECT id FROM ledger_account WHERE entry_count IS NOT NULL ORDER BY id")?;
    statement.query_map([], |row| row.get(0))?.collect()
}

/// Commits one batch; returns the number of the next payment.
fn commit(connection: &mut Connection, accounts: &[i64], first: i64, batch: u64) -> Result<i64> {
    let tx = connection.transaction_with_behavior(rusqlite::TransactionBehavior::Immediate)?;
    let mut number = first;
    for _ in 0..batch {
        let at = usize::try_from(number).unwrap_or(0);
        let (payer, payee) =
            (at * 7919 % accounts.len(), (at * 7919 + 1 + at % MAX_DISTANCE) % accounts.len());
        payment(&tx, accounts[payer], accounts[payee], number)?;
        number += 1;
    }
    tx.commit()?;
    Ok(number)
}

/// Eight statements, as `ledger_post` runs them for one internal transfer.
fn payment(tx: &Connection, payer: i64, payee: i64, number: i64) -> Result<()> {
    let mut find = tx.prepare_cached(
        "SELECT id, kind, currency, floor_minor, booked_minor, held_minor, entry_count
         FROM ledger_account WHERE id = ?1",
    )?;
    let mut read = |id: i64| {
        find.query_row(params![id], |row| Ok((row.get::<_, i64>(4)?, row.get::<_, i64>(5)?, row.get(6)?)))
    };
    let (from, to): ((i64, i64, i64), (i64, i64, i64)) = (read(payer)?, read(payee)?);
    let reference = format!("bare-{number}");
    let transfer: i64 = tx
        .prepare_cached(
            "INSERT INTO transfer (debit_account, credit_account, currency, amount_minor, debit_seq, credit_seq, event, reference,
                detail, booking_date, value_date, mac)
             VALUES (?1, ?2, 'EUR', 1, ?3, ?4, 'internal_transfer', ?5, NULL, 20000, 20000, zeroblob(16)) RETURNING id",
        )?
        .query_row(params![payer, payee, from.2 + 1, to.2 + 1, reference], |row| row.get(0))?;
    for (account, (booked, held, entries), amount) in [(payer, from, -1), (payee, to, 1)] {
        tx.prepare_cached(
            "INSERT INTO entry (account, seq, transfer, amount_minor, balance_minor, booking_date)
             VALUES (?1, ?2, ?3, ?4, ?5, 20000)",
        )?
        .execute(params![account, entries + 1, transfer, amount, booked + amount])?;
        tx.prepare_cached(
            "UPDATE ledger_account SET booked_minor = ?2, held_minor = ?3, entry_count = ?4, floor_minor = ?5
             WHERE id = ?1",
        )?
        .execute(params![account, booked + amount, held, entries + 1, 0])?;
    }
    tx.prepare_cached(
        "INSERT INTO audit_event (chain, sequence, occurred_at, actor, action, object, detail, mac)
         VALUES (1, ?1, 0, 'bank', 'ledger.posted', ?2, 'count=1', ?3)",
    )?
    .execute(params![number, reference, [0_u8; 32]])?;
    Ok(())
}
