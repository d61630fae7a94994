//! Payment accounts and their owners. Every query starts from an id, an owner or an IBAN.

use crate::error::StoreError;
use crate::params;
use crate::tx::Tx;
use crate::value::RowReader;
use trapeza_domain::account::{Account, AccountKind, AccountName, AccountStatus, AccountUsage};
use trapeza_domain::id::{AccountId, PsuId};
use trapeza_domain::ledger::{LedgerAccountId, StatementBalance};
use trapeza_domain::reference::{Bic, Iban};
use trapeza_domain::time::Timestamp;

/// The columns that [`account`] reads.
macro_rules! account_columns {
    () => {
        "a.id, a.ledger_account, a.kind, a.status, a.usage, a.iban, a.bic, a.currency, a.product, a.name,
         a.has_own_name, a.credit_limit_minor"
    };
}
pub(crate) use account_columns;

/// The columns that [`balance`] reads.
macro_rules! balance_columns {
    () => {
        "l.booked_minor, l.held_minor, l.entry_count, l.floor_minor"
    };
}
pub(crate) use balance_columns;

impl Tx<'_> {
    /// Inserts an account with its owners; false when the IBAN has an account in this currency.
    pub fn account_insert(&mut self, account: &Account, now: Timestamp) -> Result<bool, StoreError> {
        let inserted = self.execute(
            "INSERT INTO account (id, ledger_account, kind, status, usage, iban, bic, currency, product, name,
                has_own_name, credit_limit_minor, opened_at)
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13) ON CONFLICT DO NOTHING",
            params![
                account.id,
                account.ledger,
                account.kind.name(),
                account.status.name(),
                account.usage.name(),
                account.iban.as_str(),
                account.bic.as_str(),
                account.currency,
                &account.product,
                account.name.as_str(),
                account.name.is_own(),
                account.credit_limit_minor,
                now
            ],
        )?;
        if inserted == 0 {
            return Ok(false);
        }
        for (position, owner) in (0i64..).zip(&account.owners) {
            self.execute(
                "INSERT INTO account_owner (account, psu, position) VALUES ($1, $2, $3)",
                params![account.id, *owner, position],
            )?;
        }
        Ok(true)
    }

    pub fn account_find(&mut self, id: AccountId) -> Result<Option<Account>, StoreError> {
        Ok(self.account_with_balance(id)?.map(|(account, _)| account))
    }

    /// An account and its balance.
    pub fn account_with_balance(
        &mut self,
        id: AccountId,
    ) -> Result<Option<(Account, StatementBalance)>, StoreError> {
        let mut found: Option<(Account, StatementBalance)> = None;
        // One row per owner; nearly all accounts have one.
        self.query_each(
            concat!(
                "SELECT o.psu, ",
                account_columns!(),
                ", ",
                balance_columns!(),
                " FROM account a JOIN ledger_account l ON l.id = a.ledger_account
                 LEFT JOIN account_owner o ON o.account = a.id WHERE a.id = $1 ORDER BY o.position"
            ),
            params![id],
            |row| {
                let owner: Option<PsuId> = row.read()?;
                let (account, _) = match &mut found {
                    Some(found) => found,
                    none => none.insert((account(row)?, balance(row)?)),
                };
                account.owners.extend(owner);
                Ok(())
            },
        )?;
        Ok(found)
    }

    /// An account of this customer and its balance.
    pub fn account_of_owner(
        &mut self,
        owner: PsuId,
        id: AccountId,
    ) -> Result<Option<(Account, StatementBalance)>, StoreError> {
        let found = self.query_opt(
            concat!(
                "SELECT ",
                account_columns!(),
                ", ",
                balance_columns!(),
                " FROM account_owner o JOIN account a ON a.id = o.account
                 JOIN ledger_account l ON l.id = a.ledger_account WHERE o.psu = $1 AND a.id = $2"
            ),
            params![owner, id],
            |row| Ok((account(row)?, balance(row)?)),
        )?;
        found.map(|(account, balance)| Ok((self.account_with_owners(account)?, balance))).transpose()
    }

    /// Every account of a customer, closed ones too, in the order in which they were opened.
    pub fn account_list(&mut self, owner: PsuId) -> Result<Vec<Account>, StoreError> {
        let found = self.query(
            concat!(
                "SELECT ",
                account_columns!(),
                " FROM account_owner o JOIN account a ON a.id = o.account WHERE o.psu = $1
                 ORDER BY a.ledger_account"
            ),
            params![owner],
            account,
        )?;
        found.into_iter().map(|account| self.account_with_owners(account)).collect()
    }

    /// Whether an account has an owner besides this one whose relationship with the bank has not ended.
    pub fn account_has_other_owner(&mut self, account: AccountId, owner: PsuId) -> Result<bool, StoreError> {
        self.exists(
            "SELECT 1 FROM account_owner o JOIN psu p ON p.id = o.psu
             WHERE o.account = $1 AND o.psu <> $2 AND p.closed_at IS NULL",
            params![account, owner],
        )
    }

    /// The accounts of an IBAN: one, or one per currency.
    pub fn account_by_iban(&mut self, iban: &Iban) -> Result<Vec<Account>, StoreError> {
        let found = self.query(
            concat!(
                "SELECT ",
                account_columns!(),
                " FROM account a WHERE a.iban = $1 ORDER BY a.ledger_account"
            ),
            params![iban.as_str()],
            account,
        )?;
        found.into_iter().map(|account| self.account_with_owners(account)).collect()
    }

    pub fn account_by_ledger(&mut self, ledger: LedgerAccountId) -> Result<Option<Account>, StoreError> {
        let found = self.query_opt(
            concat!("SELECT ", account_columns!(), " FROM account a WHERE a.ledger_account = $1"),
            params![ledger],
            account,
        )?;
        found.map(|account| self.account_with_owners(account)).transpose()
    }

    /// The names of all owners, in their order.
    pub fn account_owner_names(&mut self, id: AccountId) -> Result<Vec<String>, StoreError> {
        self.query(
            "SELECT p.name FROM account_owner o JOIN psu p ON p.id = o.psu WHERE o.account = $1 ORDER BY o.position",
            params![id],
            |row| row.read(),
        )
    }

    pub fn account_status_update(&mut self, id: AccountId, status: AccountStatus) -> Result<(), StoreError> {
        self.execute("UPDATE account SET status = $2 WHERE id = $1", params![id, status.name()])?;
        Ok(())
    }

    /// From then on the account cannot be overdrawn.
    pub fn account_credit_limit_remove(&mut self, account: &Account) -> Result<(), StoreError> {
        self.execute("UPDATE account SET credit_limit_minor = 0 WHERE id = $1", params![account.id])?;
        self.execute("UPDATE ledger_account SET floor_minor = 0 WHERE id = $1", params![account.ledger])?;
        Ok(())
    }

    fn account_with_owners(&mut self, account: Account) -> Result<Account, StoreError> {
        let owners = self.query(
            "SELECT psu FROM account_owner WHERE account = $1 ORDER BY position",
            params![account.id],
            |row| row.read(),
        )?;
        Ok(Account { owners, ..account })
    }
}

pub(crate) fn balance(row: &mut RowReader<'_>) -> Result<StatementBalance, StoreError> {
    Ok(StatementBalance {
        booked: row.read()?,
        held: row.read()?,
        entry_count: row.read()?,
        floor: row.read()?,
    })
}

fn account_name(row: &mut RowReader<'_>) -> Result<AccountName, StoreError> {
    let (name, is_own): (String, bool) = (row.read()?, row.read()?);
    Ok(if is_own { AccountName::own(name) } else { AccountName::of_bank(name) })
}

/// An account without its owners.
pub(crate) fn account(row: &mut RowReader<'_>) -> Result<Account, StoreError> {
    Ok(Account {
        id: row.read()?,
        ledger: row.read()?,
        kind: row.parse(AccountKind::parse)?,
        status: row.parse(AccountStatus::parse)?,
        usage: row.parse(AccountUsage::parse)?,
        iban: row.parse(Iban::parse_stored)?,
        bic: row.parse(Bic::parse)?,
        currency: row.read()?,
        product: row.read()?,
        name: account_name(row)?,
        credit_limit_minor: row.read()?,
        owners: Vec::new(),
    })
}
