//! What staff see of the ledger: accounts and their entries, page by page.

use crate::{App, StoreError, UseCaseError};
use std::collections::HashMap;
use trapeza_domain::field::Field;
use trapeza_domain::ledger::{LedgerAccountId, LedgerAccountKind};
use trapeza_domain::money::{Currency, Money};
use trapeza_domain::refusal::{Refusal, RefusalReason};
use trapeza_store::{LedgerAccountRow, LedgerEntryRow, Tx};
use uuid::Uuid;

/// Maximum number of rows of a page.
const MAX_PAGE_ROWS: i64 = 1000;

/// A ledger account with its balance.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LedgerAccountView {
    pub id: LedgerAccountId,
    pub kind: LedgerAccountKind,
    pub currency: Currency,
    /// The id of the customer's account, card, merchant or loan; `None` for the bank's own accounts.
    pub owner: Option<Uuid>,
    /// IBAN, masked card number or merchant code.
    pub name: Option<String>,
    /// Positive when the bank owes it.
    pub balance: Money,
    pub held: Money,
}

/// An account with its newest entries.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LedgerAccountPage {
    pub account: LedgerAccountView,
    pub entries: Vec<LedgerEntryRow>,
    /// With which the next page begins; `None` when there is none.
    pub next: Option<i64>,
}

impl App {
    /// The ledger accounts after an id, of one kind or of all. Balances of the bank's own accounts and of loans are sums of their
    /// transfers, so a page with such accounts reads the whole ledger.
    pub async fn ledger_account_list(
        &self,
        kind: Option<LedgerAccountKind>,
        after: Option<LedgerAccountId>,
        limit: i64,
    ) -> Result<Vec<LedgerAccountView>, UseCaseError> {
        let after = after.unwrap_or(LedgerAccountId(0));
        self.store
            .read(move |tx| {
                let rows = tx.ledger_view_accounts(kind, after, limit.clamp(1, MAX_PAGE_ROWS))?;
                Ok(views(tx, rows)?)
            })
            .await
    }

    /// An account with its newest entries, or those before a position.
    pub async fn ledger_account_page(
        &self,
        id: LedgerAccountId,
        before: Option<i64>,
        limit: i64,
    ) -> Result<LedgerAccountPage, UseCaseError> {
        let (before, limit) = (before.unwrap_or(i64::MAX), limit.clamp(1, MAX_PAGE_ROWS));
        self.store
            .read(move |tx| {
                let unknown =
                    || Refusal::at(RefusalReason::ResourceUnknown, Field::Account, "unknown ledger account");
                let row = tx.ledger_view_account(id)?.ok_or_else(unknown)?;
                let numbered = row.booked_minor.is_some();
                let account = views(tx, vec![row])?.remove(0);
                let entries = match numbered {
                    true => tx.ledger_view_entries(id, before, limit)?,
                    false => tx.ledger_view_transfers(id, before, limit)?,
                };
                let is_full = i64::try_from(entries.len()).is_ok_and(|count| count == limit);
                let next = entries.last().filter(|_| is_full).map(|last| last.position);
                Ok(LedgerAccountPage { account, entries, next })
            })
            .await
    }
}

fn views(tx: &mut Tx<'_>, rows: Vec<LedgerAccountRow>) -> Result<Vec<LedgerAccountView>, StoreError> {
    let mut without = rows.iter().filter(|row| row.booked_minor.is_none()).map(|row| row.id);
    let sums: HashMap<LedgerAccountId, i64> = match without.next() {
        Some(first) => {
            tx.ledger_view_sums(first, without.next_back().unwrap_or(first))?.into_iter().collect()
        }
        None => HashMap::new(),
    };
    let view = |row: LedgerAccountRow| {
        let balance = row.booked_minor.or_else(|| sums.get(&row.id).copied()).unwrap_or(0);
        LedgerAccountView {
            id: row.id,
            kind: row.kind,
            currency: row.currency,
            owner: row.owner,
            name: row.name,
            balance: Money::new(balance, row.currency),
            held: Money::new(row.held_minor.unwrap_or(0), row.currency),
        }
    };
    Ok(rows.into_iter().map(view).collect())
}
