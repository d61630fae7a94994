//! The transactions of an account as developers see them, newest first, page by page.

use super::content::{TransactionContent, TransactionSubject};
use super::export::{account_texts, booked, pending};
use crate::{App, UseCaseError};
use trapeza_domain::account::Account;
use trapeza_domain::field::Field;
use trapeza_domain::ledger::posting::LedgerEvent;
use trapeza_domain::money::Currency;
use trapeza_domain::reference::Iban;
use trapeza_domain::refusal::{Refusal, RefusalReason};
use trapeza_domain::time::Date;
use trapeza_store::Tx;

/// How many booked transactions a page has at most, and how many pending ones come before them.
pub const TRANSACTION_PAGE_ROWS: i64 = 100;

/// A position in the list of an account: the transactions after it are older.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TransactionCursor(i64);

/// A page of transactions, newest first. The first page begins with what is pending.
#[derive(Clone)]
pub struct TransactionList {
    pub transactions: Vec<TransactionContent>,
    /// Where the next page begins; `None` on the last one.
    pub cursor: Option<TransactionCursor>,
}

impl TransactionCursor {
    pub fn parse(text: &str) -> Option<Self> {
        text.parse().ok().filter(|position| *position > 0).map(Self)
    }
}

impl std::fmt::Display for TransactionCursor {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "{}", self.0)
    }
}

impl App {
    /// The transactions of an account of any owner.
    pub async fn sandbox_transactions(
        &self,
        iban: Iban,
        currency: Currency,
        after: Option<TransactionCursor>,
    ) -> Result<TransactionList, UseCaseError> {
        self.store
            .read(move |tx| {
                let accounts = tx.account_by_iban(&iban)?;
                let account = accounts.into_iter().find(|account| account.currency == currency);
                let account = account.ok_or_else(|| {
                    let text = format!("must be the IBAN of an account of this bank in {}", currency.code());
                    Refusal::at(RefusalReason::ResourceUnknown, Field::Account, text)
                })?;
                let mut transactions = Vec::new();
                if after.is_none() {
                    transactions.extend(pending_list(tx, &account)?);
                }
                let before = after.map_or(i64::MAX, |cursor| cursor.0);
                let mut entries =
                    tx.transaction_delta(account.ledger, 0, before, TRANSACTION_PAGE_ROWS + 1)?;
                let has_more = i64::try_from(entries.len()).is_ok_and(|count| count > TRANSACTION_PAGE_ROWS);
                if has_more {
                    entries.pop();
                }
                let cursor = entries.last().filter(|_| has_more).map(|entry| TransactionCursor(entry.seq));
                transactions.extend(entries.iter().map(|entry| {
                    let texts = |detail| account_texts(detail, &account, entry.amount.minor < 0);
                    let mut texts = entry.detail.as_ref().map(texts).unwrap_or_default();
                    if entry.event == LedgerEvent::OpeningBalance {
                        texts.additional_information.get_or_insert_with(|| "Opening balance".to_owned());
                    }
                    booked(entry, TransactionSubject::Account(account.iban), texts)
                }));
                Ok(TransactionList { transactions, cursor })
            })
            .await
    }
}

fn pending_list(tx: &mut Tx<'_>, account: &Account) -> Result<Vec<TransactionContent>, UseCaseError> {
    let held =
        tx.pending_transaction_list(account.ledger, Date(i32::MIN), Date(i32::MAX), TRANSACTION_PAGE_ROWS)?;
    let content = held.iter().map(|hold| {
        let texts = hold.detail.as_ref().map(|detail| account_texts(detail, account, true));
        pending(hold, TransactionSubject::Account(account.iban), texts.unwrap_or_default())
    });
    Ok(content.collect())
}
