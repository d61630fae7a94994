//! A customer's own accounts in the bank's app. They need no consent and are not counted.

use super::balance::{self, Balance};
use crate::{App, UseCaseError};
use std::sync::Arc;
use trapeza_domain::account::{Account, AccountStatus};
use trapeza_domain::field::Field;
use trapeza_domain::id::{AccountId, PsuId};
use trapeza_domain::refusal::{Refusal, RefusalReason};
use trapeza_domain::statement::Transaction;
use trapeza_store::Cursor;

/// How many of the newest entries the app shows.
const LINES: i64 = 30;

/// An account with its balances.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CustomerAccount {
    pub account: Account,
    pub balances: Vec<Balance>,
}

impl App {
    pub async fn customer_account_list(
        self: &Arc<Self>,
        psu: PsuId,
    ) -> Result<Vec<CustomerAccount>, UseCaseError> {
        let app = self.clone();
        self.store
            .read(move |tx| {
                let mut views = Vec::new();
                for account in tx.account_list(psu)? {
                    if account.status != AccountStatus::Deleted {
                        let money = balance::money(tx, account.ledger)?;
                        let balances = balance::in_full(&app.entry_ids, &account, money);
                        views.push(CustomerAccount { account, balances });
                    }
                }
                Ok(views)
            })
            .await
    }

    /// One account with its newest entries.
    pub async fn customer_statement(
        self: &Arc<Self>,
        psu: PsuId,
        id: &str,
    ) -> Result<(CustomerAccount, Vec<Transaction>), UseCaseError> {
        let not_found = || Refusal::at(RefusalReason::ResourceUnknown, Field::AccountId, "unknown account");
        let (app, id) = (self.clone(), AccountId::parse(id).ok_or_else(not_found)?);
        let today = self.clock.today();
        self.store
            .read(move |tx| {
                let found = tx.account_with_balance(id)?.filter(|(account, _)| account.is_owned_by(psu));
                let found = found.filter(|(account, _)| account.status != AccountStatus::Deleted);
                let (account, money) = found.ok_or_else(not_found)?;
                let from = trapeza_domain::time::Date(i32::MIN);
                let lines = tx.transaction_page(account.ledger, from, Cursor::end_of(today), LINES)?;
                let balances = balance::in_full(&app.entry_ids, &account, money);
                Ok((CustomerAccount { account, balances }, lines))
            })
            .await
    }
}
