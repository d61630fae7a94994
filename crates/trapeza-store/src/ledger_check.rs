//! The books read row by row, for those who check them. Rows are handed over as they are, believed in nothing.

use crate::error::StoreError;
use crate::params;
use crate::tx::Tx;

/// A ledger account as its row has it.
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

/// A transfer as its row has it.
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

/// A line of a statement beside the transfer it names, if there is one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RawEntry {
    pub seq: i64,
    pub transfer: i64,
    pub amount_minor: i64,
    pub balance_minor: i64,
    pub booking_day: i64,
    /// The transfer's own booking day and its amount on the side that names this line; `None` when it has no such
    /// side.
    pub side: Option<(i64, i64)>,
}

impl Tx<'_> {
    pub fn ledger_check_accounts(&mut self) -> Result<Vec<RawLedgerAccount>, StoreError> {
        self.query(
            "SELECT id, kind, currency, floor_minor, booked_minor, held_minor, entry_count
             FROM ledger_account ORDER BY id",
            &[],
            |row| {
                Ok(RawLedgerAccount {
                    id: row.int(0)?,
                    kind: row.int(1)?,
                    currency: row.text(2)?,
                    floor_minor: row.int(3)?,
                    booked_minor: row.opt_int(4)?,
                    held_minor: row.opt_int(5)?,
                    entry_count: row.opt_int(6)?,
                })
            },
        )
    }

    pub fn ledger_check_transfers(&mut self, mut each: impl FnMut(&RawTransfer)) -> Result<(), StoreError> {
        self.query_each(
            "SELECT id, debit, credit, currency, amount_minor, debit_seq, credit_seq FROM transfer ORDER BY id",
            &[],
            |row| {
                each(&RawTransfer {
                    id: row.int(0)?,
                    debit: row.int(1)?,
                    credit: row.int(2)?,
                    currency: row.text(3)?,
                    amount_minor: row.int(4)?,
                    debit_seq: row.opt_int(5)?,
                    credit_seq: row.opt_int(6)?,
                });
                Ok(())
            },
        )
    }

    /// The statement of one account in its order, each line beside its transfer.
    pub fn ledger_check_entries(
        &mut self,
        account: i64,
        mut each: impl FnMut(&RawEntry),
    ) -> Result<(), StoreError> {
        self.query_each(
            "SELECT e.seq, e.transfer, e.amount_minor, e.balance_minor, e.booking_day, t.booking_day,
                    CASE WHEN t.debit = e.account AND t.debit_seq = e.seq THEN -t.amount_minor
                         WHEN t.credit = e.account AND t.credit_seq = e.seq THEN t.amount_minor END
             FROM entry e LEFT JOIN transfer t ON t.id = e.transfer
             WHERE e.account = $1 ORDER BY e.seq",
            params![account],
            |row| {
                each(&RawEntry {
                    seq: row.int(0)?,
                    transfer: row.int(1)?,
                    amount_minor: row.int(2)?,
                    balance_minor: row.int(3)?,
                    booking_day: row.int(4)?,
                    side: row.opt_int(5)?.zip(row.opt_int(6)?),
                });
                Ok(())
            },
        )
    }

    /// Every hold that is active, as account and amount.
    pub fn ledger_check_holds(&mut self, mut each: impl FnMut(i64, i64)) -> Result<(), StoreError> {
        self.query_each("SELECT account, amount_minor FROM hold WHERE state = 'active'", &[], |row| {
            each(row.int(0)?, row.int(1)?);
            Ok(())
        })
    }

    /// Entries that no ledger account has.
    pub fn ledger_check_orphan_entries(&mut self) -> Result<i64, StoreError> {
        self.query_one(
            "SELECT COUNT(*) FROM entry e LEFT JOIN ledger_account a ON a.id = e.account
             WHERE a.id IS NULL OR a.entry_count IS NULL",
            &[],
            |row| row.int(0),
        )
    }
}
