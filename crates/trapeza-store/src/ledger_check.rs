//! Ledger rows as they are stored, for the ledger check: nothing about them is assumed to be right.

use crate::error::StoreError;
use crate::params;
use crate::tx::{EngineKind, Tx};
use trapeza_domain::time::Date;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RawLedgerAccount {
    pub id: i64,
    pub kind: i64,
    pub currency: String,
    pub floor_minor: i64,
    pub booked_minor: Option<i64>,
    pub held_minor: Option<i64>,
    pub entry_count: Option<i64>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RawTransfer {
    pub id: i64,
    pub debit: i64,
    pub credit: i64,
    pub currency: String,
    pub amount_minor: i64,
    pub debit_seq: Option<i64>,
    pub credit_seq: Option<i64>,
}

/// An entry, beside the transfer that it names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RawEntry {
    pub seq: i64,
    pub transfer: i64,
    pub amount_minor: i64,
    pub balance_minor: i64,
    pub booking_date: Date,
    /// The transfer's booking date, and its amount on the side that names this entry; `None` when it has no such side.
    pub side: Option<(Date, i64)>,
}

impl Tx<'_> {
    /// Damaged pages and indexes of the database file, at most a hundred. PostgreSQL checks its pages itself when they have
    /// checksums, so there are none.
    pub fn integrity_check(&mut self) -> Result<Vec<String>, StoreError> {
        let sql = "SELECT integrity_check FROM pragma_integrity_check(100)";
        let mut findings: Vec<String> = match self.engine() {
            EngineKind::Sqlite => self.query(sql, &[], |row| row.read())?,
            EngineKind::Postgres => Vec::new(),
        };
        findings.retain(|finding| finding != "ok");
        Ok(findings)
    }

    pub fn ledger_check_accounts(&mut self) -> Result<Vec<RawLedgerAccount>, StoreError> {
        self.query(
            "SELECT id, kind, currency, floor_minor, booked_minor, held_minor, entry_count
             FROM ledger_account ORDER BY id",
            &[],
            |row| {
                Ok(RawLedgerAccount {
                    id: row.read()?,
                    kind: row.read()?,
                    currency: row.read()?,
                    floor_minor: row.read()?,
                    booked_minor: row.read()?,
                    held_minor: row.read()?,
                    entry_count: row.read()?,
                })
            },
        )
    }

    pub fn ledger_check_transfers(&mut self, mut each: impl FnMut(&RawTransfer)) -> Result<(), StoreError> {
        self.query_each(
            "SELECT id, debit_account, credit_account, currency, amount_minor, debit_seq, credit_seq FROM transfer
             ORDER BY id",
            &[],
            |row| {
                each(&RawTransfer {
                    id: row.read()?,
                    debit: row.read()?,
                    credit: row.read()?,
                    currency: row.read()?,
                    amount_minor: row.read()?,
                    debit_seq: row.read()?,
                    credit_seq: row.read()?,
                });
                Ok(())
            },
        )
    }

    /// The statement of an account in its order.
    pub fn ledger_check_entries(
        &mut self,
        account: i64,
        mut each: impl FnMut(&RawEntry),
    ) -> Result<(), StoreError> {
        self.query_each(
            "SELECT e.seq, e.transfer, e.amount_minor, e.balance_minor, e.booking_date, t.booking_date,
                    CASE WHEN t.debit_account = e.account AND t.debit_seq = e.seq THEN -t.amount_minor
                         WHEN t.credit_account = e.account AND t.credit_seq = e.seq THEN t.amount_minor END
             FROM entry e LEFT JOIN transfer t ON t.id = e.transfer
             WHERE e.account = $1 ORDER BY e.seq",
            params![account],
            |row| {
                each(&RawEntry {
                    seq: row.read()?,
                    transfer: row.read()?,
                    amount_minor: row.read()?,
                    balance_minor: row.read()?,
                    booking_date: row.read()?,
                    side: row.read::<Option<Date>>()?.zip(row.read()?),
                });
                Ok(())
            },
        )
    }

    /// The account and the amount of every active hold.
    pub fn ledger_check_holds(&mut self, mut each: impl FnMut(i64, i64)) -> Result<(), StoreError> {
        self.query_each("SELECT account, amount_minor FROM hold WHERE status = 'active'", &[], |row| {
            each(row.read()?, row.read()?);
            Ok(())
        })
    }

    /// The number of entries whose account does not exist or keeps no statement.
    pub fn ledger_check_orphan_entries(&mut self) -> Result<i64, StoreError> {
        self.query_one(
            "SELECT COUNT(*) FROM entry e LEFT JOIN ledger_account a ON a.id = e.account
             WHERE a.id IS NULL OR a.entry_count IS NULL",
            &[],
            |row| row.read(),
        )
    }
}
