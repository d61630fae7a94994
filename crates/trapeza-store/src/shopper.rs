//! People who buy now and pay later, and what is known of how they pay: figures for a decision that is made elsewhere.
//!
//! What somebody owes is asked for a customer and for the bank's customer they signed in as, together: who proves a
//! second telephone owes no less.

use crate::error::StoreError;
use crate::params;
use crate::tx::Tx;
use crate::value::Row;
use trapeza_domain::contact::Phone;
use trapeza_domain::id::{PsuId, ShopperId};
use trapeza_domain::ledger::LedgerAccountId;
use trapeza_domain::money::Currency;
use trapeza_domain::time::{Date, Timestamp};

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shopper {
    pub id: ShopperId,
    pub phone: Phone,
    /// Who signed in with this telephone last.
    pub psu: Option<PsuId>,
    pub blocked: bool,
}

/// When an installment was to be collected, and when it was paid.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LateInstallment {
    pub payment: Date,
    pub settled: Option<Date>,
}

/// What came into an account from a day on, as far as it was not its owner's already.
#[derive(Clone, Copy, Debug)]
pub struct IncomeQuery {
    pub account: LedgerAccountId,
    pub owner: PsuId,
    pub since: Date,
}

impl Tx<'_> {
    /// The customer of a telephone that was just proven, made if there was none.
    pub fn shopper_by_phone(
        &mut self,
        fresh: ShopperId,
        phone: &Phone,
        now: Timestamp,
    ) -> Result<Shopper, StoreError> {
        self.execute(
            "INSERT INTO customer (id, phone, blocked, created_at) VALUES ($1, $2, 0, $3) ON CONFLICT DO NOTHING",
            params![fresh.as_bytes(), phone.as_str(), now.0],
        )?;
        self.query_one(
            "SELECT id, phone, psu, blocked FROM customer WHERE phone = $1",
            params![phone.as_str()],
            customer,
        )
    }

    pub fn shopper_find(&mut self, id: ShopperId) -> Result<Option<Shopper>, StoreError> {
        self.query_opt(
            "SELECT id, phone, psu, blocked FROM customer WHERE id = $1",
            params![id.as_bytes()],
            customer,
        )
    }

    /// A customer and all others of the same person, kept from others until this transaction ends: whoever decides
    /// about one of them has to wait.
    pub fn shopper_lock(&mut self, id: ShopperId, psu: Option<PsuId>) -> Result<Option<Shopper>, StoreError> {
        let all = self.query(
            "SELECT id, phone, psu, blocked FROM customer WHERE id = $1 OR psu = $2 ORDER BY id FOR UPDATE",
            params![id.as_bytes(), psu.as_ref().map(PsuId::as_bytes)],
            customer,
        )?;
        Ok(all.into_iter().find(|customer| customer.id == id))
    }

    pub fn shopper_link_psu(&mut self, id: ShopperId, psu: PsuId) -> Result<(), StoreError> {
        self.execute("UPDATE customer SET psu = $2 WHERE id = $1", params![id.as_bytes(), psu.as_bytes()])?;
        Ok(())
    }

    /// Lends nothing on a telephone any more, or again; false when nobody has proven it.
    pub fn shopper_set_blocked(&mut self, phone: &Phone, blocked: bool) -> Result<bool, StoreError> {
        let changed = self
            .execute("UPDATE customer SET blocked = $2 WHERE phone = $1", params![phone.as_str(), blocked])?;
        Ok(changed == 1)
    }

    /// Principal that is owed in a currency.
    pub fn shopper_open_principal(
        &mut self,
        id: ShopperId,
        psu: Option<PsuId>,
        currency: Currency,
    ) -> Result<i64, StoreError> {
        self.query_one(
            "SELECT CAST(COALESCE(SUM(open_minor), 0) AS BIGINT) FROM loan
             WHERE (customer = $1 OR psu = $2) AND status IN ('active', 'overdue') AND currency = $3",
            params![id.as_bytes(), psu.as_ref().map(PsuId::as_bytes), currency.code()],
            |row| row.int(0),
        )
    }

    /// How many loans were granted since then, that instant excluded.
    pub fn shopper_recent_loan_count(
        &mut self,
        id: ShopperId,
        psu: Option<PsuId>,
        since: Timestamp,
    ) -> Result<i64, StoreError> {
        self.query_one(
            "SELECT COUNT(*) FROM loan
             WHERE (customer = $1 OR psu = $2) AND status NOT IN ('pending', 'rejected') AND decided_at > $3",
            params![id.as_bytes(), psu.as_ref().map(PsuId::as_bytes), since.0],
            |row| row.int(0),
        )
    }

    /// Installments that were not paid on their day, as far as they were still owed on or after `since`.
    pub fn shopper_late_installments(
        &mut self,
        id: ShopperId,
        psu: Option<PsuId>,
        since: Date,
        today: Date,
    ) -> Result<Vec<LateInstallment>, StoreError> {
        self.query(
            "SELECT i.payment_day, i.settled_day FROM loan l JOIN loan_installment i ON i.loan = l.id
             WHERE (l.customer = $1 OR l.psu = $2) AND l.status IN ('active', 'overdue', 'repaid', 'writtenOff')
               AND i.payment_day < $4
               AND (i.settled_day IS NULL OR (i.settled_day > i.payment_day AND i.settled_day >= $3))",
            params![id.as_bytes(), psu.as_ref().map(PsuId::as_bytes), since.0, today.0],
            |row| {
                let settled = row.opt_int(1)?.map(|_| row.day(1)).transpose()?;
                Ok(LateInstallment { payment: row.day(0)?, settled })
            },
        )
    }

    /// What falls due next of each open loan, together.
    pub fn shopper_monthly_commitment(
        &mut self,
        id: ShopperId,
        psu: Option<PsuId>,
        currency: Currency,
    ) -> Result<i64, StoreError> {
        self.query_one(
            "SELECT CAST(COALESCE(SUM(i.principal_minor - i.refunded_minor + i.interest_minor - i.waived_minor), 0) AS BIGINT)
             FROM loan l JOIN loan_installment i ON i.loan = l.id
             WHERE (l.customer = $1 OR l.psu = $2) AND l.status IN ('active', 'overdue') AND l.currency = $3
               AND i.number = (SELECT MIN(n.number) FROM loan_installment n
                               WHERE n.loan = l.id AND n.settled_day IS NULL)",
            params![id.as_bytes(), psu.as_ref().map(PsuId::as_bytes), currency.code()],
            |row| row.int(0),
        )
    }

    /// Money that came in. What somebody moves between accounts of their own is no income, nor is what an account was
    /// opened with or what came back of a loan.
    pub fn income_sum(&mut self, asked: IncomeQuery) -> Result<i64, StoreError> {
        self.query_one(
            "SELECT CAST(COALESCE(SUM(e.amount_minor), 0) AS BIGINT)
             FROM entry e JOIN transfer t ON t.id = e.transfer
             WHERE e.account = $1 AND e.booking_day >= $2 AND e.amount_minor > 0 AND t.event NOT IN ('opening_balance', 'refund_returned')
               AND t.debit NOT IN (SELECT a.ledger FROM account a JOIN account_owner o ON o.account = a.id
                                   WHERE o.psu = $3)",
            params![asked.account.0, asked.since.0, asked.owner.as_bytes()],
            |row| row.int(0),
        )
    }
}

fn customer(row: &Row<'_>) -> Result<Shopper, StoreError> {
    Ok(Shopper {
        id: row.id(0, ShopperId::new)?,
        phone: row.named(1, |text| Phone::parse(text).ok())?,
        psu: row.opt_id(2, PsuId::new)?,
        blocked: row.bool(3)?,
    })
}
