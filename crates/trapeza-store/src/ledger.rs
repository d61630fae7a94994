//! The books: accounts, transfers, entries, holds. What may be booked is the domain's business; here it is written.

use crate::error::StoreError;
use crate::params;
use crate::statement::EncodedDetails;
use crate::transaction_detail::DetailId;
use crate::tx::Tx;
use crate::value::Row;
use trapeza_domain::ledger::posting::LedgerEvent;
use trapeza_domain::ledger::{
    Entry, Hold, HoldId, HoldState, LedgerAccount, LedgerAccountId, LedgerAccountKind, StatementBalance,
    Transfer, TransferId,
};
use trapeza_domain::money::{Currency, Money};
use trapeza_domain::time::Date;

/// An amount about to be set aside.
#[derive(Clone, Copy, Debug)]
pub struct NewHold<'a> {
    pub account: LedgerAccountId,
    pub amount: Money,
    pub event: LedgerEvent,
    /// What it is for; no two holds share one.
    pub reference: &'a str,
    pub detail: Option<DetailId>,
    pub day: Date,
}

/// A hold with what is told about it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HoldRecord {
    pub hold: Hold,
    pub detail: Option<DetailId>,
}

impl Tx<'_> {
    /// The account of this kind, owner and currency, made when it is not there yet. The bank's own have no owner.
    pub fn ledger_account_open(
        &mut self,
        kind: LedgerAccountKind,
        owner: &[u8],
        currency: Currency,
        floor_minor: i64,
    ) -> Result<LedgerAccountId, StoreError> {
        if let Some(account) = self.ledger_account_by_owner(kind, owner, currency)? {
            return Ok(account);
        }
        let none = kind.keeps_statement().then_some(0);
        let made = self.query_opt(
            "INSERT INTO ledger_account (kind, owner, currency, floor_minor, booked_minor, held_minor, entry_count)
             VALUES ($1, $2, $3, $4, $5, $5, $5) ON CONFLICT DO NOTHING RETURNING id",
            params![kind.code(), owner, currency.code(), floor_minor, none],
            |row| Ok(LedgerAccountId(row.int(0)?)),
        )?;
        match made {
            Some(account) => Ok(account),
            // Somebody else made it just now.
            None => self
                .ledger_account_by_owner(kind, owner, currency)?
                .ok_or_else(|| StoreError::Conflict("a ledger account appeared and vanished".into())),
        }
    }

    pub fn ledger_account_by_owner(
        &mut self,
        kind: LedgerAccountKind,
        owner: &[u8],
        currency: Currency,
    ) -> Result<Option<LedgerAccountId>, StoreError> {
        self.query_opt(
            "SELECT id FROM ledger_account WHERE kind = $1 AND owner = $2 AND currency = $3",
            params![kind.code(), owner, currency.code()],
            |row| Ok(LedgerAccountId(row.int(0)?)),
        )
    }

    pub fn ledger_account_find(&mut self, id: LedgerAccountId) -> Result<Option<LedgerAccount>, StoreError> {
        self.query_opt(
            "SELECT id, kind, currency, floor_minor, booked_minor, held_minor, entry_count
             FROM ledger_account WHERE id = $1",
            params![id.0],
            ledger_account,
        )
    }

    /// The account, kept from others until this transaction ends. Several are locked in the order of their ids.
    pub fn ledger_account_lock(&mut self, id: LedgerAccountId) -> Result<Option<LedgerAccount>, StoreError> {
        self.query_opt(
            "SELECT id, kind, currency, floor_minor, booked_minor, held_minor, entry_count
             FROM ledger_account WHERE id = $1 FOR UPDATE",
            params![id.0],
            ledger_account,
        )
    }

    /// Writes the balance of an account that keeps a statement.
    pub fn ledger_account_update(
        &mut self,
        id: LedgerAccountId,
        balance: StatementBalance,
    ) -> Result<(), StoreError> {
        let StatementBalance { booked, held, entry_count, floor } = balance;
        self.execute_later(
            "UPDATE ledger_account SET booked_minor = $2, held_minor = $3, entry_count = $4, floor_minor = $5
             WHERE id = $1",
            params![id.0, booked, held, entry_count, floor],
        )?;
        Ok(())
    }

    /// Writes a transfer and the lines it leaves on statements, with what they tell. A line that is kept without is told
    /// from the detail.
    pub fn transfer_insert(
        &mut self,
        transfer: &Transfer,
        debit: Option<Entry>,
        credit: Option<Entry>,
        detail: Option<DetailId>,
        told: Option<&EncodedDetails>,
    ) -> Result<TransferId, StoreError> {
        let id = self.query_one(
            "INSERT INTO transfer (debit, credit, currency, amount_minor, debit_seq, credit_seq, event, reference,
                detail, booking_day, value_day)
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11) RETURNING id",
            params![
                transfer.debit.0,
                transfer.credit.0,
                transfer.amount.currency.code(),
                transfer.amount.minor,
                debit.map(|entry| entry.seq),
                credit.map(|entry| entry.seq),
                transfer.event.name(),
                &transfer.reference,
                detail.map(|detail| detail.0),
                transfer.booking_day.0,
                transfer.value_day.0,
            ],
            |row| Ok(TransferId(row.int(0)?)),
        )?;
        for entry in [debit, credit].into_iter().flatten() {
            self.execute_later(
                "INSERT INTO entry (account, seq, transfer, amount_minor, balance_minor, booking_day, told)
                 VALUES ($1, $2, $3, $4, $5, $6, $7)",
                params![
                    entry.account.0,
                    entry.seq,
                    id.0,
                    entry.amount_minor,
                    entry.balance_minor,
                    entry.booking_day.0,
                    told.map(EncodedDetails::bytes)
                ],
            )?;
        }
        Ok(id)
    }

    /// Sets an amount aside; `None` when the reference is taken.
    pub fn hold_insert(&mut self, hold: &NewHold<'_>) -> Result<Option<HoldId>, StoreError> {
        self.query_opt(
            "INSERT INTO hold (account, currency, amount_minor, event, reference, state, detail, day)
             VALUES ($1, $2, $3, $4, $5, 'active', $6, $7) ON CONFLICT DO NOTHING RETURNING id",
            params![
                hold.account.0,
                hold.amount.currency.code(),
                hold.amount.minor,
                hold.event.name(),
                hold.reference,
                hold.detail.map(|detail| detail.0),
                hold.day.0
            ],
            |row| Ok(HoldId(row.int(0)?)),
        )
    }

    pub fn hold_by_reference(&mut self, reference: &str) -> Result<Option<HoldRecord>, StoreError> {
        self.query_opt(
            "SELECT id, account, currency, amount_minor, state, detail FROM hold WHERE reference = $1",
            params![reference],
            |row| {
                let hold = Hold {
                    id: HoldId(row.int(0)?),
                    account: LedgerAccountId(row.int(1)?),
                    amount: row.money(2, 3)?,
                    state: row.named(4, HoldState::parse)?,
                };
                Ok(HoldRecord { hold, detail: row.opt_int(5)?.map(DetailId) })
            },
        )
    }

    pub fn hold_update(&mut self, id: HoldId, state: HoldState) -> Result<(), StoreError> {
        self.execute_later("UPDATE hold SET state = $2 WHERE id = $1", params![id.0, state.name()])?;
        Ok(())
    }
}

fn ledger_account(row: &Row<'_>) -> Result<LedgerAccount, StoreError> {
    let kind = LedgerAccountKind::from_code(row.int(1)?)
        .ok_or_else(|| StoreError::internal("a ledger account's kind is unknown"))?;
    let statement = match kind.keeps_statement() {
        true => Some(StatementBalance {
            floor: row.int(3)?,
            booked: row.int(4)?,
            held: row.int(5)?,
            entry_count: row.int(6)?,
        }),
        false => None,
    };
    Ok(LedgerAccount { id: LedgerAccountId(row.int(0)?), kind, currency: row.currency(2)?, statement })
}
