//! Ledger rows as they are stored, for the ledger check: nothing about them is assumed to be right.

use crate::audit_chain::mac_key;
use crate::error::StoreError;
use crate::params;
use crate::transfer_mac::MacFields;
use crate::tx::{EngineKind, Tx};
use crate::value::RowReader;
use trapeza_domain::time::Date;
use uuid::Uuid;

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
    /// Whether the bank wrote the row as it is.
    pub is_authentic: bool,
}

/// A payment whose status, amount or payee is not that of its transfers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PaymentMismatch {
    pub payment: Uuid,
    pub status: String,
    pub amount_minor: i64,
    /// What its transfers debit; `None` without transfers.
    pub debited_minor: Option<i64>,
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

/// A payment is executed by transfers of these events under its id; a standing order or a bulk moves no money itself, except that the lines of
/// a bulk may be debited together. What the payer is debited is its amount and fee.
macro_rules! payment_mismatches {
    ($key:literal, $id:literal) => {
        concat!(
            "SELECT p.id, p.status, p.amount_minor + p.fee_minor, t.debited FROM payment p
             LEFT JOIN (
                 SELECT ",
            $key,
            " AS payment, CAST(SUM(t.amount_minor) AS BIGINT) AS debited, MIN(t.currency) AS currency,
                        MIN(a.iban) AS payee
                 FROM transfer t LEFT JOIN account a ON a.ledger_account = t.credit_account
                 WHERE t.event IN ('internal_transfer', 'loan_transfer_internal', 'sepa_out_settled',
                               'merchant_payout_settled', 'merchant_payout_internal') AND t.debit_seq IS NOT NULL
                    OR t.event IN ('batch_line_credited', 'batch_line_loan_transfer', 'batch_line_settled')
                 GROUP BY ",
            $key,
            "
             ) t ON t.payment = ",
            $id,
            "
             WHERE (p.status IN ('ACSC', 'ACCC') AND p.frequency IS NULL AND p.bulk_line_count IS NULL) <> (t.debited IS NOT NULL)
                OR t.debited <> p.amount_minor + p.fee_minor
                OR t.currency <> p.currency
                OR t.payee <> p.creditor_iban
             ORDER BY p.created_at LIMIT 1000"
        )
    };
}

/// Under the id of a bulk its accepted lines are debited together, and under that of such a line it is credited back when clearing rejects it.
macro_rules! batch_mismatches {
    ($key:literal, $id:literal) => {
        concat!(
            "SELECT p.id, p.status, COALESCE(e.moved, 0), t.moved FROM payment p
             LEFT JOIN (
                 SELECT bulk AS id, CAST(SUM(amount_minor + fee_minor) AS BIGINT) AS moved
                 FROM payment WHERE batch_account IS NOT NULL GROUP BY bulk
                 UNION ALL
                 SELECT id, amount_minor + fee_minor
                 FROM payment WHERE batch_account IS NOT NULL AND status = 'RJCT'
             ) e ON e.id = p.id
             LEFT JOIN (
                 SELECT ",
            $key,
            " AS payment, CAST(SUM(t.amount_minor) AS BIGINT) AS moved FROM transfer t
                 WHERE t.event IN ('batch_debited', 'batch_fee_debited', 'batch_line_rejected') GROUP BY ",
            $key,
            "
             ) t ON t.payment = ",
            $id,
            "
             WHERE COALESCE(e.moved, 0) <> COALESCE(t.moved, 0)
             ORDER BY p.created_at LIMIT 1000"
        )
    };
}

macro_rules! unknown_payments {
    ($join:literal) => {
        concat!(
            "SELECT DISTINCT t.reference FROM transfer t LEFT JOIN payment p ON ",
            $join,
            "
             WHERE t.event IN ('internal_transfer', 'loan_transfer_internal', 'sepa_out_settled',
                               'merchant_payout_settled', 'merchant_payout_internal', 'batch_debited',
                               'batch_line_credited', 'batch_line_loan_transfer', 'batch_line_settled',
                               'batch_line_rejected') AND p.id IS NULL
               AND t.reference LIKE '________-____-____-____-____________' LIMIT 1000"
        )
    };
}

impl Tx<'_> {
    /// Damaged pages and indexes of the database file, at most a hundred. PostgreSQL checks its pages itself when they have
    /// checksums, so there are none.
    pub fn integrity_check(&mut self) -> Result<Vec<String>, StoreError> {
        let sql = "SELECT integrity_check FROM pragma_integrity_check LIMIT 100";
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

    /// All transfers; `key` is that of the audit log.
    pub fn ledger_check_transfers(
        &mut self,
        key: &[u8; 32],
        mut each: impl FnMut(&RawTransfer),
    ) -> Result<(), StoreError> {
        let key = mac_key(key);
        self.query_each(
            "SELECT id, debit_account, credit_account, currency, amount_minor, debit_seq, credit_seq, event, reference,
                    booking_date, value_date, mac
             FROM transfer ORDER BY id",
            &[],
            |row| {
                let mut transfer = RawTransfer {
                    id: row.read()?,
                    debit: row.read()?,
                    credit: row.read()?,
                    currency: row.read()?,
                    amount_minor: row.read()?,
                    debit_seq: row.read()?,
                    credit_seq: row.read()?,
                    is_authentic: false,
                };
                let fields = MacFields {
                    debit: transfer.debit,
                    credit: transfer.credit,
                    currency: &transfer.currency,
                    amount_minor: transfer.amount_minor,
                    debit_seq: transfer.debit_seq,
                    credit_seq: transfer.credit_seq,
                    event: row.read()?,
                    reference: row.read()?,
                    booking_date: row.read()?,
                    value_date: row.read()?,
                };
                let mac: Vec<u8> = row.read()?;
                transfer.is_authentic = fields.mac(&key)[..] == mac[..];
                each(&transfer);
                Ok(())
            },
        )
    }

    /// The payments that were executed without transfers, have transfers without being executed, or whose transfers have
    /// another amount, currency or payee.
    pub fn ledger_check_payments(&mut self) -> Result<Vec<PaymentMismatch>, StoreError> {
        let sql = match self.engine() {
            EngineKind::Sqlite => payment_mismatches!("unhex(replace(t.reference, '-', ''))", "p.id"),
            EngineKind::Postgres => payment_mismatches!("t.reference", "p.id::text"),
        };
        self.query(sql, &[], mismatch)
    }

    /// The bulk payments whose lines were debited together with another amount than theirs, and such lines that were rejected and not
    /// credited back.
    pub fn ledger_check_batches(&mut self) -> Result<Vec<PaymentMismatch>, StoreError> {
        let sql = match self.engine() {
            EngineKind::Sqlite => batch_mismatches!("unhex(replace(t.reference, '-', ''))", "p.id"),
            EngineKind::Postgres => batch_mismatches!("t.reference", "p.id::text"),
        };
        self.query(sql, &[], mismatch)
    }

    /// References of transfers that name a payment which does not exist.
    pub fn ledger_check_unknown_payments(&mut self) -> Result<Vec<String>, StoreError> {
        let sql = match self.engine() {
            EngineKind::Sqlite => unknown_payments!("p.id = unhex(replace(t.reference, '-', ''))"),
            EngineKind::Postgres => unknown_payments!("p.id::text = t.reference"),
        };
        self.query(sql, &[], |row| row.read())
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

fn mismatch(row: &mut RowReader<'_>) -> Result<PaymentMismatch, StoreError> {
    Ok(PaymentMismatch {
        payment: row.read()?,
        status: row.read()?,
        amount_minor: row.read()?,
        debited_minor: row.read()?,
    })
}
