//! Shoppers of Pay Later, and the figures for their credit decisions.
//!
//! Exposure is summed over every shopper record of the same customer, so registering a second telephone number does not
//! reset a limit.

use crate::error::StoreError;
use crate::params;
use crate::tx::Tx;
use crate::value::RowReader;
use trapeza_domain::contact::Phone;
use trapeza_domain::id::{PsuId, ShopperId};
use trapeza_domain::ledger::LedgerAccountId;
use trapeza_domain::money::Currency;
use trapeza_domain::time::{Date, Timestamp};

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shopper {
    pub id: ShopperId,
    pub phone: Phone,
    /// The customer who signed in with this telephone number last.
    pub psu: Option<PsuId>,
    pub blocked: bool,
}

/// An installment that was not paid on its payment date.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LateInstallment {
    pub payment_date: Date,
    pub paid_on: Option<Date>,
}

/// Income of an account since a date, without transfers between the owner's accounts.
#[derive(Clone, Copy, Debug)]
pub struct IncomeQuery {
    pub account: LedgerAccountId,
    pub owner: PsuId,
    pub since: Date,
}

impl Tx<'_> {
    /// The shopper of a telephone number that was just verified; inserted with the id `new_id` when there is none.
    pub fn shopper_by_phone(
        &mut self,
        new_id: ShopperId,
        phone: &Phone,
        now: Timestamp,
    ) -> Result<Shopper, StoreError> {
        self.execute(
            "INSERT INTO shopper (id, phone, blocked, created_at) VALUES ($1, $2, FALSE, $3) ON CONFLICT DO NOTHING",
            params![new_id, phone.as_str(), now],
        )?;
        self.query_one(
            "SELECT id, phone, psu, blocked FROM shopper WHERE phone = $1",
            params![phone.as_str()],
            shopper,
        )
    }

    pub fn shopper_find(&mut self, id: ShopperId) -> Result<Option<Shopper>, StoreError> {
        self.query_opt("SELECT id, phone, psu, blocked FROM shopper WHERE id = $1", params![id], shopper)
    }

    /// A shopper. The shopper and all others of the same customer are locked until the transaction ends, so that their
    /// credit decisions are made one after the other.
    pub fn shopper_lock(&mut self, id: ShopperId, psu: Option<PsuId>) -> Result<Option<Shopper>, StoreError> {
        let all = self.query(
            "SELECT id, phone, psu, blocked FROM shopper WHERE id = $1 OR psu = $2 ORDER BY id FOR UPDATE",
            params![id, psu],
            shopper,
        )?;
        Ok(all.into_iter().find(|shopper| shopper.id == id))
    }

    pub fn shopper_link_psu(&mut self, id: ShopperId, psu: PsuId) -> Result<(), StoreError> {
        self.execute("UPDATE shopper SET psu = $2 WHERE id = $1", params![id, psu])?;
        Ok(())
    }

    /// Blocks or unblocks a telephone number for new loans; false when there is no such shopper.
    pub fn shopper_set_blocked(&mut self, phone: &Phone, blocked: bool) -> Result<bool, StoreError> {
        let updated = self
            .execute("UPDATE shopper SET blocked = $2 WHERE phone = $1", params![phone.as_str(), blocked])?;
        Ok(updated == 1)
    }

    /// The open principal of all loans in a currency.
    pub fn shopper_open_principal(
        &mut self,
        id: ShopperId,
        psu: Option<PsuId>,
        currency: Currency,
    ) -> Result<i64, StoreError> {
        self.query_one(
            "SELECT CAST(COALESCE(SUM(open_principal_minor), 0) AS BIGINT) FROM loan
             WHERE (shopper = $1 OR psu = $2 OR (psu IS NULL AND shopper IN (SELECT id FROM shopper WHERE psu = $2)))
               AND status IN ('active', 'overdue') AND currency = $3",
            params![id, psu, currency],
            |row| row.read(),
        )
    }

    /// The number of loans that were granted after `since`.
    pub fn shopper_recent_loan_count(
        &mut self,
        id: ShopperId,
        psu: Option<PsuId>,
        since: Timestamp,
    ) -> Result<i64, StoreError> {
        self.query_one(
            "SELECT COUNT(*) FROM loan
             WHERE (shopper = $1 OR psu = $2 OR (psu IS NULL AND shopper IN (SELECT id FROM shopper WHERE psu = $2)))
               AND status NOT IN ('pending', 'rejected') AND decided_at > $3",
            params![id, psu, since],
            |row| row.read(),
        )
    }

    /// Installments that were not paid on their payment date and were still unpaid on or after `since`.
    pub fn shopper_late_installments(
        &mut self,
        id: ShopperId,
        psu: Option<PsuId>,
        since: Date,
        today: Date,
    ) -> Result<Vec<LateInstallment>, StoreError> {
        self.query(
            "SELECT i.payment_date, i.paid_on FROM loan l JOIN loan_installment i ON i.loan = l.id
             WHERE (l.shopper = $1 OR l.psu = $2 OR (l.psu IS NULL AND l.shopper IN (SELECT id FROM shopper WHERE psu = $2)))
               AND l.status IN ('active', 'overdue', 'repaid', 'writtenOff')
               AND i.payment_date < $4
               AND (i.paid_on IS NULL OR (i.paid_on > i.payment_date AND i.paid_on >= $3))",
            params![id, psu, since, today],
            |row| Ok(LateInstallment { payment_date: row.read()?, paid_on: row.read()? }),
        )
    }

    /// The sum of the next installments of all open loans.
    pub fn shopper_monthly_commitment(
        &mut self,
        id: ShopperId,
        psu: Option<PsuId>,
        currency: Currency,
    ) -> Result<i64, StoreError> {
        self.query_one(
            "SELECT CAST(COALESCE(SUM(i.principal_minor - i.refunded_minor - i.deferred_minor - i.paid_principal_minor + i.interest_minor
                - i.waived_minor - i.paid_interest_minor - i.cancelled_minor), 0) AS BIGINT)
             FROM loan l JOIN loan_installment i ON i.loan = l.id
             WHERE (l.shopper = $1 OR l.psu = $2 OR (l.psu IS NULL AND l.shopper IN (SELECT id FROM shopper WHERE psu = $2)))
               AND l.status IN ('active', 'overdue') AND l.currency = $3
               AND i.number = (SELECT MIN(n.number) FROM loan_installment n
                               WHERE n.loan = l.id AND n.paid_on IS NULL)",
            params![id, psu, currency],
            |row| row.read(),
        )
    }

    /// The income of an account: per counterparty, what was received minus what was sent to it. Transfers between the owner's
    /// accounts are no income, nor are an opening balance, a returned payment, a correction by staff and the refund of a loan, which the
    /// bank pays from an account that is no customer's.
    pub fn income_sum(&mut self, query: IncomeQuery) -> Result<i64, StoreError> {
        self.query_one(
            "SELECT CAST(COALESCE(SUM(received_minor), 0) AS BIGINT) FROM (
                SELECT SUM(moved.amount_minor) AS received_minor
                FROM (
                    SELECT e.amount_minor,
                           COALESCE(CASE WHEN e.amount_minor > 0 THEN d.debtor_account ELSE d.creditor_account END,
                                    CAST(e.transfer AS TEXT)) AS other
                    FROM entry e JOIN transfer t ON t.id = e.transfer
                    LEFT JOIN transaction_detail d ON d.id = t.detail
                    WHERE e.account = $1 AND e.booking_date >= $2
                      AND (e.amount_minor > 0 OR t.event IN ('internal_transfer', 'sepa_out_settled'))
                      AND t.event NOT IN ('opening_balance', 'refund_returned', 'sepa_out_returned',
                                          'batch_line_rejected', 'manual_posting', 'manual_posting_reversed')
                      AND (t.event <> 'internal_transfer'
                           OR EXISTS (SELECT 1 FROM account a WHERE a.ledger_account = t.debit_account))
                      AND t.debit_account NOT IN (SELECT a.ledger_account FROM account a
                                                  JOIN account_owner o ON o.account = a.id
                                                  WHERE o.psu = $3 AND a.ledger_account <> $1)
                      AND NOT (t.event = 'batch_line_credited'
                               AND d.debtor_account IN (SELECT a.iban FROM account a
                                                        JOIN account_owner o ON o.account = a.id
                                                        WHERE o.psu = $3))
                    UNION ALL
                    SELECT -p.amount_minor, p.creditor_account
                    FROM entry e JOIN transfer t ON t.id = e.transfer AND t.event = 'batch_debited'
                    JOIN transaction_detail_part p ON p.detail = t.detail
                    WHERE e.account = $1 AND e.booking_date >= $2
                ) AS moved
                GROUP BY moved.other HAVING SUM(moved.amount_minor) > 0) AS counterparty",
            params![query.account, query.since, query.owner],
            |row| row.read(),
        )
    }
}

fn shopper(row: &mut RowReader<'_>) -> Result<Shopper, StoreError> {
    Ok(Shopper { id: row.read()?, phone: row.parse(Phone::parse)?, psu: row.read()?, blocked: row.read()? })
}
