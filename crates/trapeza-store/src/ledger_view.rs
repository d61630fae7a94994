//! What staff see of the ledger: accounts, entries and totals. The totals read every transfer once, because the bank's own accounts store no
//! balance.

use crate::error::StoreError;
use crate::params;
use crate::tx::Tx;
use crate::value::RowReader;
use trapeza_domain::ledger::posting::LedgerEvent;
use trapeza_domain::ledger::{LedgerAccountId, LedgerAccountKind, TransferId};
use trapeza_domain::money::{Currency, Money};
use trapeza_domain::time::Date;
use uuid::Uuid;

/// A ledger account with what identifies its owner.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LedgerAccountRow {
    pub id: LedgerAccountId,
    pub kind: LedgerAccountKind,
    pub currency: Currency,
    /// The id of the customer's account, card, merchant or loan; `None` for the bank's own accounts.
    pub owner: Option<Uuid>,
    /// IBAN, masked card number or merchant code.
    pub name: Option<String>,
    /// `None` for accounts whose balance is the sum of their transfers.
    pub booked_minor: Option<i64>,
    pub held_minor: Option<i64>,
}

/// A transfer as one of its accounts sees it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LedgerEntryRow {
    /// The place in the list: the number of the entry, or of the transfer when the account has no numbered entries.
    pub position: i64,
    pub transfer: TransferId,
    /// Negative for a debit.
    pub amount_minor: i64,
    /// The balance after the entry, for accounts with numbered entries.
    pub balance_minor: Option<i64>,
    pub booking_day: Date,
    pub event: LedgerEvent,
    pub reference: String,
    /// The other account of the transfer.
    pub counter_account: LedgerAccountId,
}

/// The balances of all accounts of a kind before a day, and what the day moved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KindTotal {
    pub kind: LedgerAccountKind,
    pub currency: Currency,
    pub opening_minor: i64,
    pub debit_minor: i64,
    pub credit_minor: i64,
}

/// Number and sum of transfers or other rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CountedSum {
    pub count: i64,
    pub sum: Money,
}

macro_rules! select_account {
    ($rest:literal) => {
        concat!(
            "SELECT l.id, l.kind, l.currency, l.owner, COALESCE(a.iban, c.masked_pan, m.code), l.booked_minor, l.held_minor
             FROM ledger_account l
             LEFT JOIN account a ON a.ledger_account = l.id
             LEFT JOIN card c ON c.ledger_account = l.id
             LEFT JOIN merchant m ON l.kind = 2100 AND m.id = l.owner ",
            $rest
        )
    };
}

impl KindTotal {
    pub const fn closing_minor(&self) -> i64 {
        self.opening_minor - self.debit_minor + self.credit_minor
    }
}

impl Tx<'_> {
    /// The accounts after an id, of one kind or of all.
    pub fn ledger_view_accounts(
        &mut self,
        kind: Option<LedgerAccountKind>,
        after: LedgerAccountId,
        limit: i64,
    ) -> Result<Vec<LedgerAccountRow>, StoreError> {
        match kind {
            Some(kind) => self.query(
                select_account!("WHERE l.kind = $1 AND l.id > $2 ORDER BY l.id LIMIT $3"),
                params![kind.code(), after, limit],
                account,
            ),
            None => self.query(
                select_account!("WHERE l.id > $1 ORDER BY l.id LIMIT $2"),
                params![after, limit],
                account,
            ),
        }
    }

    pub fn ledger_view_account(
        &mut self,
        id: LedgerAccountId,
    ) -> Result<Option<LedgerAccountRow>, StoreError> {
        self.query_opt(select_account!("WHERE l.id = $1"), params![id], account)
    }

    /// The sums of the transfers of the accounts with these ids and between them.
    pub fn ledger_view_sums(
        &mut self,
        from: LedgerAccountId,
        to: LedgerAccountId,
    ) -> Result<Vec<(LedgerAccountId, i64)>, StoreError> {
        self.query(
            "SELECT s.account, CAST(SUM(s.minor) AS BIGINT) FROM (
                 SELECT credit_account AS account, amount_minor AS minor FROM transfer
                 WHERE credit_account BETWEEN $1 AND $2
                 UNION ALL
                 SELECT debit_account, -amount_minor FROM transfer WHERE debit_account BETWEEN $1 AND $2
             ) s GROUP BY s.account",
            params![from, to],
            |row| Ok((row.read()?, row.read()?)),
        )
    }

    /// The newest entries of an account with numbered entries, before a number.
    pub fn ledger_view_entries(
        &mut self,
        account: LedgerAccountId,
        before: i64,
        limit: i64,
    ) -> Result<Vec<LedgerEntryRow>, StoreError> {
        self.query(
            "SELECT e.seq, t.id, e.amount_minor, e.balance_minor, t.booking_date, t.event, t.reference,
                    CASE WHEN t.debit_account = $1 THEN t.credit_account ELSE t.debit_account END
             FROM entry e JOIN transfer t ON t.id = e.transfer
             WHERE e.account = $1 AND e.seq < $2 ORDER BY e.seq DESC LIMIT $3",
            params![account, before, limit],
            entry,
        )
    }

    /// The newest transfers of an account without numbered entries, before a number.
    pub fn ledger_view_transfers(
        &mut self,
        account: LedgerAccountId,
        before: i64,
        limit: i64,
    ) -> Result<Vec<LedgerEntryRow>, StoreError> {
        self.query(
            "SELECT t.id, t.id, CASE WHEN t.debit_account = $1 THEN -t.amount_minor ELSE t.amount_minor END,
                    CAST(NULL AS BIGINT), t.booking_date, t.event, t.reference,
                    CASE WHEN t.debit_account = $1 THEN t.credit_account ELSE t.debit_account END
             FROM transfer t
             WHERE (t.debit_account = $1 OR t.credit_account = $1) AND t.id < $2 ORDER BY t.id DESC LIMIT $3",
            params![account, before, limit],
            entry,
        )
    }

    /// The balances by kind and currency before a day, and what was debited and credited on it.
    pub fn ledger_view_kinds(&mut self, day: Date) -> Result<Vec<KindTotal>, StoreError> {
        self.query(
            "SELECT l.kind, l.currency, CAST(SUM(s.opening) AS BIGINT), CAST(SUM(s.debit) AS BIGINT),
                    CAST(SUM(s.credit) AS BIGINT)
             FROM (
                 SELECT debit_account AS account,
                        SUM(CASE WHEN booking_date < $1 THEN -amount_minor ELSE 0 END) AS opening,
                        SUM(CASE WHEN booking_date = $1 THEN amount_minor ELSE 0 END) AS debit, 0 AS credit
                 FROM transfer WHERE booking_date <= $1 GROUP BY debit_account
                 UNION ALL
                 SELECT credit_account, SUM(CASE WHEN booking_date < $1 THEN amount_minor ELSE 0 END), 0,
                        SUM(CASE WHEN booking_date = $1 THEN amount_minor ELSE 0 END)
                 FROM transfer WHERE booking_date <= $1 GROUP BY credit_account
             ) s JOIN ledger_account l ON l.id = s.account
             GROUP BY l.kind, l.currency ORDER BY l.currency, l.kind",
            params![day],
            |row| {
                Ok(KindTotal {
                    kind: kind(row)?,
                    currency: row.read()?,
                    opening_minor: row.read()?,
                    debit_minor: row.read()?,
                    credit_minor: row.read()?,
                })
            },
        )
    }

    /// The transfers of a day by event and currency.
    pub fn ledger_view_events(&mut self, day: Date) -> Result<Vec<(LedgerEvent, CountedSum)>, StoreError> {
        self.query(
            "SELECT event, COUNT(*), currency, CAST(SUM(amount_minor) AS BIGINT) FROM transfer
             WHERE booking_date = $1 GROUP BY event, currency ORDER BY currency, event",
            params![day],
            event_sum,
        )
    }

    /// The transfers of a day by event that debit (money comes in) or credit (money goes out) the account at the clearing system.
    pub fn ledger_view_clearing(
        &mut self,
        day: Date,
        incoming: bool,
    ) -> Result<Vec<(LedgerEvent, CountedSum)>, StoreError> {
        let sql = if incoming {
            "SELECT t.event, COUNT(*), t.currency, CAST(SUM(t.amount_minor) AS BIGINT) FROM transfer t
             JOIN ledger_account l ON l.id = t.debit_account AND l.kind = 1000
             WHERE t.booking_date = $1 GROUP BY t.event, t.currency ORDER BY t.currency, t.event"
        } else {
            "SELECT t.event, COUNT(*), t.currency, CAST(SUM(t.amount_minor) AS BIGINT) FROM transfer t
             JOIN ledger_account l ON l.id = t.credit_account AND l.kind = 1000
             WHERE t.booking_date = $1 GROUP BY t.event, t.currency ORDER BY t.currency, t.event"
        };
        self.query(sql, params![day], event_sum)
    }

    /// The payouts to merchants that a day booked, and those that came back.
    pub fn ledger_view_payouts(&mut self, day: Date) -> Result<Vec<(LedgerEvent, CountedSum)>, StoreError> {
        self.query(
            "SELECT event, COUNT(*), currency, CAST(SUM(amount_minor) AS BIGINT) FROM transfer
             WHERE booking_date = $1 AND (debit_seq IS NOT NULL OR credit_seq IS NOT NULL)
               AND event IN ('merchant_payout_settled', 'merchant_payout_internal', 'merchant_payout_returned')
             GROUP BY event, currency ORDER BY currency, event",
            params![day],
            event_sum,
        )
    }

    /// What was debited for lines of bulk payments in one entry and is still in transit at the end of a day, by currency.
    pub fn ledger_view_batch_open(&mut self, day: Date) -> Result<Vec<Money>, StoreError> {
        self.query(
            "SELECT currency, CAST(SUM(CASE WHEN event IN ('batch_debited', 'batch_fee_debited') THEN amount_minor
                                            ELSE -amount_minor END) AS BIGINT)
             FROM transfer WHERE booking_date <= $1
               AND event IN ('batch_debited', 'batch_fee_debited', 'batch_line_credited', 'batch_line_loan_transfer',
                             'batch_line_settled', 'batch_line_rejected')
             GROUP BY currency ORDER BY currency",
            params![day],
            |row| row.money(),
        )
    }

    /// The active holds by currency.
    pub fn ledger_view_holds(&mut self) -> Result<Vec<CountedSum>, StoreError> {
        self.query(
            "SELECT COUNT(*), currency, CAST(SUM(amount_minor) AS BIGINT) FROM hold WHERE status = 'active'
             GROUP BY currency ORDER BY currency",
            &[],
            counted_sum,
        )
    }

    /// What is stored as held on accounts, by currency.
    pub fn ledger_view_held(&mut self) -> Result<Vec<Money>, StoreError> {
        self.query(
            "SELECT currency, CAST(SUM(held_minor) AS BIGINT) FROM ledger_account WHERE held_minor > 0
             GROUP BY currency ORDER BY currency",
            &[],
            |row| row.money(),
        )
    }

    /// The incoming transfers on the suspense account, by currency.
    pub fn ledger_view_suspended(&mut self) -> Result<Vec<CountedSum>, StoreError> {
        self.query(
            "SELECT COUNT(*), currency, CAST(SUM(COALESCE(excess_minor, amount_minor)) AS BIGINT)
             FROM clearing_incoming WHERE status IN ('suspended', 'returning') GROUP BY currency ORDER BY currency",
            &[],
            counted_sum,
        )
    }

    /// What the bank claims back of instant payments that were settled after their deadline, by currency and below zero: the suspense
    /// account is debited with it.
    pub fn ledger_view_late_instant(&mut self) -> Result<Vec<CountedSum>, StoreError> {
        self.query(
            "SELECT COUNT(*), p.currency, CAST(SUM(COALESCE((SELECT SUM(r.amount_minor) FROM clearing_return r
                        WHERE r.clearing_transaction = t.id), 0) - p.amount_minor) AS BIGINT)
             FROM instant_submission s JOIN clearing_transaction t ON t.id = s.clearing_transaction
             JOIN payment p ON p.id = t.payment
             WHERE s.status = 'late' GROUP BY p.currency ORDER BY p.currency",
            &[],
            counted_sum,
        )
    }

    /// The manual postings to the suspense account that were not reversed, by currency.
    pub fn ledger_view_suspended_manually(&mut self) -> Result<Vec<CountedSum>, StoreError> {
        self.query(
            "SELECT COUNT(*), currency, CAST(SUM(amount_minor) AS BIGINT) FROM manual_posting
             WHERE credit = '1010' AND reversed_at IS NULL GROUP BY currency ORDER BY currency",
            &[],
            counted_sum,
        )
    }
}

fn kind(row: &mut RowReader<'_>) -> Result<LedgerAccountKind, StoreError> {
    LedgerAccountKind::from_code(row.read()?)
        .ok_or_else(|| StoreError::internal("unknown kind of ledger account"))
}

fn account(row: &mut RowReader<'_>) -> Result<LedgerAccountRow, StoreError> {
    let (id, kind, currency, owner): (_, _, _, Uuid) = (row.read()?, kind(row)?, row.read()?, row.read()?);
    Ok(LedgerAccountRow {
        id,
        kind,
        currency,
        owner: (!owner.is_nil()).then_some(owner),
        name: row.read()?,
        booked_minor: row.read()?,
        held_minor: row.read()?,
    })
}

fn entry(row: &mut RowReader<'_>) -> Result<LedgerEntryRow, StoreError> {
    Ok(LedgerEntryRow {
        position: row.read()?,
        transfer: row.read()?,
        amount_minor: row.read()?,
        balance_minor: row.read()?,
        booking_day: row.read()?,
        event: row.parse(LedgerEvent::parse)?,
        reference: row.read()?,
        counter_account: row.read()?,
    })
}

fn counted_sum(row: &mut RowReader<'_>) -> Result<CountedSum, StoreError> {
    Ok(CountedSum { count: row.read()?, sum: row.money()? })
}

fn event_sum(row: &mut RowReader<'_>) -> Result<(LedgerEvent, CountedSum), StoreError> {
    Ok((row.parse(LedgerEvent::parse)?, counted_sum(row)?))
}
