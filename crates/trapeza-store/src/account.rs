//! Payment accounts and their owners. A query starts from an id, an owner or an IBAN; none lists everybody's.

use crate::error::StoreError;
use crate::params;
use crate::tx::Tx;
use crate::value::Row;
use trapeza_domain::account::{Account, AccountKind, AccountStatus, AccountUsage};
use trapeza_domain::id::{AccountId, PsuId};
use trapeza_domain::ledger::{LedgerAccountId, StatementBalance};
use trapeza_domain::reference::{Bic, Iban};
use trapeza_domain::time::Timestamp;

impl Tx<'_> {
    /// Keeps a new account with its owners; false when the IBAN has an account of this currency.
    pub fn account_insert(&mut self, account: &Account, now: Timestamp) -> Result<bool, StoreError> {
        let inserted = self.execute(
            "INSERT INTO account (id, ledger, kind, status, usage, iban, bic, currency, product, name,
                credit_limit_minor, opened_at)
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12) ON CONFLICT DO NOTHING",
            params![
                account.id.as_bytes(),
                account.ledger.0,
                account.kind.name(),
                account.status.name(),
                account.usage.name(),
                account.iban.as_str(),
                account.bic.as_str(),
                account.currency.code(),
                &account.product,
                &account.name,
                account.credit_limit_minor,
                now.0
            ],
        )?;
        if inserted == 0 {
            return Ok(false);
        }
        for (place, owner) in (0i64..).zip(&account.owners) {
            self.execute(
                "INSERT INTO account_owner (account, psu, place) VALUES ($1, $2, $3)",
                params![account.id.as_bytes(), owner.as_bytes(), place],
            )?;
        }
        Ok(true)
    }

    pub fn account_find(&mut self, id: AccountId) -> Result<Option<Account>, StoreError> {
        Ok(self.account_with_balance(id)?.map(|(account, _)| account))
    }

    /// An account and what is in it.
    pub fn account_with_balance(
        &mut self,
        id: AccountId,
    ) -> Result<Option<(Account, StatementBalance)>, StoreError> {
        let mut found: Option<(Account, StatementBalance)> = None;
        // A row an owner, nearly always one.
        self.query_each(
            "SELECT a.id, a.ledger, a.kind, a.status, a.usage, a.iban, a.bic, a.currency, a.product, a.name,
                    a.credit_limit_minor, o.psu, l.booked_minor, l.held_minor, l.entry_count, l.floor_minor
             FROM account a JOIN ledger_account l ON l.id = a.ledger
             LEFT JOIN account_owner o ON o.account = a.id WHERE a.id = $1 ORDER BY o.place",
            params![id.as_bytes()],
            |row| {
                let known = match &mut found {
                    Some(known) => known,
                    none => none.insert((account(row, 0)?, money(row, 12)?)),
                };
                known.0.owners.extend(row.opt_id(11, PsuId::new)?);
                Ok(())
            },
        )?;
        Ok(found)
    }

    /// Every account of a customer, closed ones too, in the order they were opened.
    pub fn account_list(&mut self, owner: PsuId) -> Result<Vec<Account>, StoreError> {
        let found = self.query(
            "SELECT a.id, a.ledger, a.kind, a.status, a.usage, a.iban, a.bic, a.currency, a.product, a.name,
                    a.credit_limit_minor
             FROM account_owner o JOIN account a ON a.id = o.account WHERE o.psu = $1 ORDER BY a.ledger",
            params![owner.as_bytes()],
            |row| account(row, 0),
        )?;
        found.into_iter().map(|account| self.with_owners(account)).collect()
    }

    /// The accounts of an IBAN: one, or one a currency.
    pub fn account_by_iban(&mut self, iban: &Iban) -> Result<Vec<Account>, StoreError> {
        let found = self.query(
            "SELECT id, ledger, kind, status, usage, iban, bic, currency, product, name, credit_limit_minor
             FROM account WHERE iban = $1 ORDER BY ledger",
            params![iban.as_str()],
            |row| account(row, 0),
        )?;
        found.into_iter().map(|account| self.with_owners(account)).collect()
    }

    /// The account whose money is in this ledger account.
    pub fn account_by_ledger(&mut self, ledger: LedgerAccountId) -> Result<Option<Account>, StoreError> {
        let found = self.query_opt(
            "SELECT id, ledger, kind, status, usage, iban, bic, currency, product, name, credit_limit_minor
             FROM account WHERE ledger = $1",
            params![ledger.0],
            |row| account(row, 0),
        )?;
        found.map(|account| self.with_owners(account)).transpose()
    }

    /// The names of all owners, the first owner first.
    pub fn account_owner_names(&mut self, id: AccountId) -> Result<Vec<String>, StoreError> {
        self.query(
            "SELECT p.name FROM account_owner o JOIN psu p ON p.id = o.psu WHERE o.account = $1 ORDER BY o.place",
            params![id.as_bytes()],
            |row| row.text(0),
        )
    }

    pub fn account_status_update(&mut self, id: AccountId, status: AccountStatus) -> Result<(), StoreError> {
        self.execute("UPDATE account SET status = $2 WHERE id = $1", params![id.as_bytes(), status.name()])?;
        Ok(())
    }

    fn with_owners(&mut self, account: Account) -> Result<Account, StoreError> {
        let owners = self.query(
            "SELECT psu FROM account_owner WHERE account = $1 ORDER BY place",
            params![account.id.as_bytes()],
            |row| row.id(0, PsuId::new),
        )?;
        Ok(Account { owners, ..account })
    }
}

/// What is in an account, from the columns that begin at a place.
pub(crate) fn money(row: &Row<'_>, at: usize) -> Result<StatementBalance, StoreError> {
    let (booked, held) = (row.int(at)?, row.int(at + 1)?);
    Ok(StatementBalance { booked, held, entry_count: row.int(at + 2)?, floor: row.int(at + 3)? })
}

/// An account without its owners, likewise.
pub(crate) fn account(row: &Row<'_>, at: usize) -> Result<Account, StoreError> {
    Ok(Account {
        id: row.id(at, AccountId::new)?,
        ledger: LedgerAccountId(row.int(at + 1)?),
        kind: row.named(at + 2, AccountKind::parse)?,
        status: row.named(at + 3, AccountStatus::parse)?,
        usage: row.named(at + 4, AccountUsage::parse)?,
        iban: row.named(at + 5, |text| Iban::parse(text).ok())?,
        bic: row.named(at + 6, |text| Bic::parse(text).ok())?,
        currency: row.currency(at + 7)?,
        product: row.text(at + 8)?,
        name: row.text(at + 9)?,
        credit_limit_minor: row.int(at + 10)?,
        owners: Vec::new(),
    })
}
