//! The ledger: accounts, transfers, entries and holds.

use crate::error::StoreError;
use crate::params;
use crate::statement::EncodedDetails;
use crate::transfer_mac::MacFields;
use crate::tx::Tx;
use crate::value::{DetailId, RowReader};
use trapeza_domain::ledger::posting::LedgerEvent;
use trapeza_domain::ledger::{
    Entry, Hold, HoldId, HoldState, LedgerAccount, LedgerAccountId, LedgerAccountKind, StatementBalance,
    Transfer, TransferId,
};
use trapeza_domain::money::{Currency, Money};
use trapeza_domain::time::Date;
use uuid::Uuid;

/// An amount to be reserved.
#[derive(Clone, Copy, Debug)]
pub struct NewHold<'a> {
    pub account: LedgerAccountId,
    pub amount: Money,
    pub event: LedgerEvent,
    /// Identifies the hold; no two holds have the same.
    pub reference: &'a str,
    pub detail: Option<DetailId>,
    pub placed_on: Date,
}

/// A hold and the id of its transaction detail.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HoldRecord {
    pub hold: Hold,
    pub detail: Option<DetailId>,
}

macro_rules! select_account {
    ($rest:literal) => {
        concat!(
            "SELECT id, kind, currency, booked_minor, held_minor, entry_count, floor_minor, last_booking_date FROM ledger_account ",
            $rest
        )
    };
}

impl Tx<'_> {
    /// The account of a kind, owner and currency; inserted when it does not exist. The bank's own accounts have no owner.
    pub fn ledger_account_find_or_insert(
        &mut self,
        kind: LedgerAccountKind,
        owner: Option<Uuid>,
        currency: Currency,
        floor_minor: i64,
    ) -> Result<LedgerAccountId, StoreError> {
        if let Some(account) = self.ledger_account_by_owner(kind, owner, currency)? {
            return Ok(account);
        }
        let zero = kind.has_statement().then_some(0_i64);
        let inserted = self.query_opt(
            "INSERT INTO ledger_account (kind, owner, currency, floor_minor, booked_minor, held_minor, entry_count)
             VALUES ($1, $2, $3, $4, $5, $5, $5) ON CONFLICT DO NOTHING RETURNING id",
            params![kind.code(), owner.unwrap_or_default(), currency, floor_minor, zero],
            |row| row.read(),
        )?;
        match inserted {
            Some(account) => Ok(account),
            // A concurrent transaction has inserted it.
            None => self
                .ledger_account_by_owner(kind, owner, currency)?
                .ok_or_else(|| StoreError::Conflict("a ledger account was inserted concurrently".into())),
        }
    }

    pub fn ledger_account_by_owner(
        &mut self,
        kind: LedgerAccountKind,
        owner: Option<Uuid>,
        currency: Currency,
    ) -> Result<Option<LedgerAccountId>, StoreError> {
        self.query_opt(
            "SELECT id FROM ledger_account WHERE kind = $1 AND owner = $2 AND currency = $3",
            params![kind.code(), owner.unwrap_or_default(), currency],
            |row| row.read(),
        )
    }

    pub fn ledger_account_find(&mut self, id: LedgerAccountId) -> Result<Option<LedgerAccount>, StoreError> {
        self.query_opt(select_account!("WHERE id = $1"), params![id], ledger_account)
    }

    /// The account, locked until the transaction ends. Several accounts must be locked in the order of their ids.
    pub fn ledger_account_lock(&mut self, id: LedgerAccountId) -> Result<Option<LedgerAccount>, StoreError> {
        self.query_opt(select_account!("WHERE id = $1 FOR UPDATE"), params![id], ledger_account)
    }

    /// Updates the balance of an account that keeps a statement; does nothing to one that keeps none.
    pub fn ledger_account_update(&mut self, account: &LedgerAccount) -> Result<(), StoreError> {
        let Some(StatementBalance { booked, held, entry_count, floor }) = account.statement else {
            return Ok(());
        };
        self.execute_deferred(
            "UPDATE ledger_account SET booked_minor = $2, held_minor = $3, entry_count = $4, floor_minor = $5,
                last_booking_date = $6
             WHERE id = $1",
            params![account.id, booked, held, entry_count, floor, account.last_booking_day],
        )
    }

    /// Inserts a transfer and its statement entries, with their details.
    pub fn transfer_insert(
        &mut self,
        transfer: &Transfer,
        debit: Option<Entry>,
        credit: Option<Entry>,
        detail: Option<DetailId>,
        details: Option<&EncodedDetails>,
    ) -> Result<TransferId, StoreError> {
        let fields = MacFields {
            debit: transfer.debit.0,
            credit: transfer.credit.0,
            currency: transfer.amount.currency.code(),
            amount_minor: transfer.amount.minor,
            debit_seq: debit.map(|entry| entry.seq),
            credit_seq: credit.map(|entry| entry.seq),
            event: transfer.event.name(),
            reference: &transfer.reference,
            booking_date: transfer.booking_day,
            value_date: transfer.value_day,
        };
        let mac = fields.mac(&self.chain()?.key);
        let id: TransferId = self.query_one(
            "INSERT INTO transfer (debit_account, credit_account, currency, amount_minor, debit_seq, credit_seq, event,
                reference, detail, booking_date, value_date, mac)
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12) RETURNING id",
            params![
                transfer.debit,
                transfer.credit,
                transfer.amount.currency,
                transfer.amount.minor,
                debit.map(|entry| entry.seq),
                credit.map(|entry| entry.seq),
                transfer.event.name(),
                &transfer.reference,
                detail,
                transfer.booking_day,
                transfer.value_day,
                &mac,
            ],
            |row| row.read(),
        )?;
        for entry in [debit, credit].into_iter().flatten() {
            self.execute_deferred(
                "INSERT INTO entry (account, seq, transfer, amount_minor, balance_minor, booking_date, details)
                 VALUES ($1, $2, $3, $4, $5, $6, $7)",
                params![
                    entry.account,
                    entry.seq,
                    id,
                    entry.amount_minor,
                    entry.balance_minor,
                    entry.booking_day,
                    details.map(EncodedDetails::as_bytes)
                ],
            )?;
        }
        Ok(id)
    }

    /// Inserts a hold; `None` when its reference exists.
    pub fn hold_insert(&mut self, hold: &NewHold<'_>) -> Result<Option<HoldId>, StoreError> {
        self.query_opt(
            "INSERT INTO hold (account, currency, amount_minor, event, reference, status, detail, placed_on)
             VALUES ($1, $2, $3, $4, $5, 'active', $6, $7) ON CONFLICT DO NOTHING RETURNING id",
            params![
                hold.account,
                hold.amount.currency,
                hold.amount.minor,
                hold.event.name(),
                hold.reference,
                hold.detail,
                hold.placed_on
            ],
            |row| row.read(),
        )
    }

    pub fn hold_by_reference(&mut self, reference: &str) -> Result<Option<HoldRecord>, StoreError> {
        self.query_opt(
            "SELECT id, account, currency, amount_minor, status, detail FROM hold WHERE reference = $1",
            params![reference],
            |row| {
                let hold = Hold {
                    id: row.read()?,
                    account: row.read()?,
                    amount: row.money()?,
                    state: row.parse(HoldState::parse)?,
                };
                Ok(HoldRecord { hold, detail: row.read()? })
            },
        )
    }

    pub fn hold_update(&mut self, id: HoldId, state: HoldState) -> Result<(), StoreError> {
        self.execute_deferred("UPDATE hold SET status = $2 WHERE id = $1", params![id, state.name()])
    }
}

fn ledger_account(row: &mut RowReader<'_>) -> Result<LedgerAccount, StoreError> {
    let id = row.read()?;
    let kind = LedgerAccountKind::from_code(row.read()?)
        .ok_or_else(|| StoreError::internal("unknown kind of ledger account"))?;
    let currency = row.read()?;
    let (statement, last_booking_day) = match kind.has_statement() {
        true => (Some(crate::account::balance(row)?), row.read()?),
        false => (None, None),
    };
    Ok(LedgerAccount { id, kind, currency, statement, last_booking_day })
}
