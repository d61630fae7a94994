//! A customer's own cards in the bank's app.

use super::balance::{self, Balance};
use super::customer_page::{CustomerPage, CustomerStatementQuery, EntryReader, read};
use crate::{App, UseCaseError};
use std::sync::Arc;
use trapeza_domain::account::AccountStatus;
use trapeza_domain::card::{Card, CardTransactionDetail};
use trapeza_domain::field::Field;
use trapeza_domain::id::{CardId, PsuId};
use trapeza_domain::refusal::{Refusal, RefusalReason};
use trapeza_domain::statement::{CardTransaction, PendingCardTransaction, StatementSearch};
use trapeza_domain::time::Date;
use trapeza_store::Tx;

/// How many pending transactions are shown.
const PENDING_MAX: i64 = 100;

/// A card with its balances.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CustomerCard {
    pub card: Card,
    pub balances: Vec<Balance>,
}

/// A page of a card's statement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CustomerCardStatement {
    pub card: CustomerCard,
    /// On the first page only.
    pub pending: Vec<PendingCardTransaction>,
    pub page: CustomerPage<CardTransactionDetail>,
}

const READER: EntryReader<CardTransactionDetail> = EntryReader {
    before: |tx, card, from, before, limit| tx.card_transaction_page(card, from, before, limit),
    after: |tx, card, to, after, limit| tx.card_transaction_page_after(card, to, after, limit),
    matches: |search: &StatementSearch, entry: &CardTransaction| search.matches_card_transaction(entry),
};

impl App {
    pub async fn customer_card_list(self: &Arc<Self>, psu: PsuId) -> Result<Vec<CustomerCard>, UseCaseError> {
        let (app, today) = (self.clone(), self.clock.today());
        self.store
            .read(move |tx| {
                let mut own = Vec::new();
                for card in tx.card_list(psu)? {
                    if card.status != AccountStatus::Deleted {
                        let balances = balance::of_card(tx, &app.entry_ids, &card, today)?;
                        own.push(CustomerCard { card, balances });
                    }
                }
                Ok(own)
            })
            .await
    }

    pub async fn customer_card_statement(
        self: &Arc<Self>,
        psu: PsuId,
        id: &str,
        query: CustomerStatementQuery,
    ) -> Result<CustomerCardStatement, UseCaseError> {
        let (app, id) = (self.clone(), CardId::parse(id).ok_or_else(not_found)?);
        let today = self.clock.today();
        self.store
            .read(move |tx| {
                let card = own_card(tx, psu, id)?;
                let statement = (card.ledger, card.currency);
                let page = read(tx, &app.entry_ids, statement, &query, (&READER, today))?;
                let pending = if page.is_first && query.search.is_none() {
                    let (from, to) = (Date(i32::MIN), Date(i32::MAX));
                    tx.pending_card_transaction_list(card.ledger, from, to, PENDING_MAX)?
                } else {
                    Vec::new()
                };
                let balances = balance::of_card(tx, &app.entry_ids, &card, today)?;
                Ok(CustomerCardStatement { card: CustomerCard { card, balances }, pending, page })
            })
            .await
    }

    /// One booked transaction of a card.
    pub async fn customer_card_transaction(
        self: &Arc<Self>,
        psu: PsuId,
        id: &str,
        entry: &str,
    ) -> Result<(Card, CardTransaction), UseCaseError> {
        let (app, id) = (self.clone(), CardId::parse(id).ok_or_else(not_found)?);
        let entry = entry.to_owned();
        self.store
            .read(move |tx| {
                let card = own_card(tx, psu, id)?;
                let seq = app.entry_ids.entry_seq(card.ledger, &entry).ok_or_else(not_found)?;
                let found = tx.card_transaction_delta(card.ledger, seq - 1, seq.saturating_add(1), 1)?;
                Ok((card, found.into_iter().next().ok_or_else(not_found)?))
            })
            .await
    }
}

fn own_card(tx: &mut Tx<'_>, psu: PsuId, id: CardId) -> Result<Card, UseCaseError> {
    let card = tx.card_of_holder(psu, id)?.filter(|card| card.status != AccountStatus::Deleted);
    Ok(card.ok_or_else(not_found)?)
}

fn not_found() -> Refusal {
    Refusal::at(RefusalReason::ResourceUnknown, Field::CardId, "unknown card")
}
