//! The ledger check: every rule is recomputed from the rows alone.
//!
//! Rows are streamed, so that memory grows with the number of accounts and not with that of entries.

use std::collections::{BTreeMap, HashMap};
use trapeza_domain::ledger::LedgerAccountKind;
use trapeza_domain::time::Date;
use trapeza_store::{PaymentMismatch, RawEntry, RawLedgerAccount, RawTransfer, StoreError, Tx};

/// A limit, because a damaged ledger could have very many findings.
const MAX_FINDINGS: usize = 1000;

/// What was checked, and what is wrong.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LedgerReport {
    pub accounts: u64,
    pub transfers: u64,
    pub entries: u64,
    pub holds: u64,
    /// The sum over all accounts by currency, which must be zero.
    pub sums: BTreeMap<String, i128>,
    pub findings: Vec<String>,
}

impl LedgerReport {
    pub fn is_sound(&self) -> bool {
        self.findings.is_empty()
    }

    fn find(&mut self, finding: impl FnOnce() -> String) {
        if self.findings.len() < MAX_FINDINGS {
            self.findings.push(finding());
        }
    }
}

/// An account's row, and the values that follow from its transfers and holds.
struct Derived {
    row: RawLedgerAccount,
    has_statement: bool,
    balance: i128,
    /// The sides of transfers that have an entry on this statement.
    sides: i64,
    held: i128,
}

/// `key` is that of the audit log.
pub(super) fn check(tx: &mut Tx<'_>, key: &[u8; 32]) -> Result<LedgerReport, StoreError> {
    let mut report = LedgerReport::default();
    for damage in tx.integrity_check()? {
        report.find(|| format!("the database file is damaged: {damage}"));
    }
    let mut accounts = accounts_read(tx, &mut report)?;
    tx.ledger_check_transfers(key, |transfer| transfer_check(transfer, &mut accounts, &mut report))?;
    tx.ledger_check_holds(|account, amount| {
        report.holds += 1;
        match accounts.get_mut(&account) {
            Some(derived) => derived.held += i128::from(amount),
            None => report.find(|| format!("a hold is on ledger account {account}, which is not there")),
        }
    })?;
    let mut ids: Vec<i64> = accounts.keys().copied().collect();
    ids.sort_unstable();
    for id in ids {
        let derived = &accounts[&id];
        *report.sums.entry(derived.row.currency.clone()).or_default() += derived.balance;
        if derived.has_statement {
            statement_check(tx, derived, &mut report)?;
        }
    }
    for (currency, sum) in report.sums.clone() {
        if sum != 0 {
            report.find(|| format!("the accounts in {currency} sum to {sum} minor units, not to zero"));
        }
    }
    payments_check(tx, &mut report)?;
    let orphans = tx.ledger_check_orphan_entries()?;
    if orphans != 0 {
        report.find(|| format!("{orphans} entries are on accounts that have no statement or are not there"));
    }
    Ok(report)
}

/// Compares payments with their transfers.
fn payments_check(tx: &mut Tx<'_>, report: &mut LedgerReport) -> Result<(), StoreError> {
    let mut mismatches = tx.ledger_check_payments()?;
    mismatches.extend(tx.ledger_check_batches()?);
    for PaymentMismatch { payment, status, amount_minor, debited_minor } in mismatches {
        report.find(|| match debited_minor {
            None => format!("payment {payment}: is {status} and has no transfer"),
            Some(debited) if debited != amount_minor => {
                format!("payment {payment}: debits {amount_minor}, its transfers {debited}")
            }
            Some(_) => {
                format!("payment {payment}: its transfers contradict its status {status}, currency or payee")
            }
        });
    }
    for reference in tx.ledger_check_unknown_payments()? {
        report.find(|| format!("transfers name the payment {reference}, which is not there"));
    }
    Ok(())
}

fn accounts_read(tx: &mut Tx<'_>, report: &mut LedgerReport) -> Result<HashMap<i64, Derived>, StoreError> {
    let mut accounts = HashMap::new();
    for row in tx.ledger_check_accounts()? {
        report.accounts += 1;
        let kind = LedgerAccountKind::from_code(row.kind);
        if kind.is_none() {
            report.find(|| format!("ledger account {}: {} is no kind of account", row.id, row.kind));
        }
        let has_statement = kind.is_some_and(LedgerAccountKind::has_statement);
        if has_statement != row.booked_minor.is_some() {
            report.find(|| {
                format!("ledger account {}: a balance where none belongs, or none where one does", row.id)
            });
        }
        accounts.insert(row.id, Derived { row, has_statement, balance: 0, sides: 0, held: 0 });
    }
    Ok(accounts)
}

fn transfer_check(transfer: &RawTransfer, accounts: &mut HashMap<i64, Derived>, report: &mut LedgerReport) {
    report.transfers += 1;
    let RawTransfer { id, debit, credit, ref currency, amount_minor, debit_seq, credit_seq, is_authentic } =
        *transfer;
    if !is_authentic {
        report.find(|| format!("transfer {id}: was not written by the bank, or was changed"));
    }
    if amount_minor <= 0 || debit == credit {
        report.find(|| format!("transfer {id}: moves nothing, or from an account to itself"));
    }
    let amount = i128::from(amount_minor);
    for (account, amount, seq) in [(debit, -amount, debit_seq), (credit, amount, credit_seq)] {
        let Some(derived) = accounts.get_mut(&account) else {
            report.find(|| format!("transfer {id}: ledger account {account} is not there"));
            continue;
        };
        derived.balance += amount;
        derived.sides += i64::from(seq.is_some());
        if derived.row.currency != *currency {
            report.find(|| format!("transfer {id}: ledger account {account} is of another currency"));
        }
        if seq.is_some() != derived.has_statement {
            report.find(|| {
                format!("transfer {id}: names no line on ledger account {account}, or one too many")
            });
        }
    }
}

fn statement_check(tx: &mut Tx<'_>, derived: &Derived, report: &mut LedgerReport) -> Result<(), StoreError> {
    let row = &derived.row;
    let (booked, held) = (row.booked_minor.unwrap_or(0), row.held_minor.unwrap_or(0));
    let (mut sum, mut last) = (0i128, None);
    let mut lines = 0i64;
    tx.ledger_check_entries(row.id, |entry| {
        report.entries += 1;
        lines += 1;
        sum += i128::from(entry.amount_minor);
        entry_check(row.id, entry, last, sum, report);
        last = Some((entry.seq, entry.booking_date));
    })?;
    let mut differs = |what: &str, is: i128, should: i128| {
        if is != should {
            report.find(|| format!("ledger account {}: {what} is {is} and should be {should}", row.id));
        }
    };
    differs("the booked balance", booked.into(), sum);
    differs("the booked balance against its transfers", booked.into(), derived.balance);
    differs("the number of entries", row.entry_count.unwrap_or(0).into(), lines.into());
    differs("the number of entries against its transfers", lines.into(), derived.sides.into());
    differs("the amount held", held.into(), derived.held);
    if i128::from(booked) - i128::from(held) < i128::from(row.floor_minor) {
        report.find(|| format!("ledger account {}: is under its floor of {}", row.id, row.floor_minor));
    }
    Ok(())
}

/// Compares an entry with the number and the day of the one before it, the sum of both, and its transfer.
fn entry_check(
    account: i64,
    entry: &RawEntry,
    last: Option<(i64, Date)>,
    sum: i128,
    report: &mut LedgerReport,
) {
    let RawEntry { seq, transfer, amount_minor, balance_minor, booking_date, side } = *entry;
    let line = || format!("ledger account {account}, entry {seq}");
    let last_seq = last.map_or(0, |(last_seq, _)| last_seq);
    if seq != last_seq + 1 {
        report.find(|| format!("{}: follows entry {last_seq}", line()));
    }
    if last.is_some_and(|(_, day)| booking_date < day) {
        report.find(|| format!("{}: is booked on an earlier day than entry {last_seq}", line()));
    }
    if i128::from(balance_minor) != sum {
        report.find(|| format!("{}: the balance after it is {balance_minor} and should be {sum}", line()));
    }
    match side {
        None => report.find(|| format!("{}: transfer {transfer} knows nothing of it", line())),
        Some((_, amount)) if amount != amount_minor => {
            report.find(|| format!("{}: is {amount_minor}, its transfer {transfer} says {amount}", line()));
        }
        Some((date, _)) if date != booking_date => {
            report.find(|| format!("{}: is booked on another day than its transfer {transfer}", line()));
        }
        Some(_) => {}
    }
}
