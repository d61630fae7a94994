//! Cards, their balances and their statements.

use super::account::PageRange;
use super::query::{BookingStatus, DeltaPage, PENDING_MOST, Page, StatementQuery};
use super::{Balance, ConsentSession, ConsentedRequest, Metered, ReadKind, balance, require};
use crate::{App, UseCaseError};
use std::sync::Arc;
use trapeza_domain::account::AccountStatus;
use trapeza_domain::card::Card;
use trapeza_domain::consent::Grant;
use trapeza_domain::id::CardId;
use trapeza_domain::ledger::LedgerAccountId;
use trapeza_domain::statement::{CardTransaction, PendingCardTransaction};
use trapeza_store::{Cursor, StoreError, Tx};
use uuid::Uuid;

/// A card with the rights of the consent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CardView {
    pub card: Card,
    pub grant: Grant,
    /// The holder's name, where the consent grants it.
    pub holder_name: Option<String>,
    pub balances: Option<Vec<Balance>>,
}

/// A page of a card's statement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CardStatementView {
    pub card: Card,
    pub grant: Grant,
    pub booked: Option<Page<(Uuid, CardTransaction)>>,
    pub pending: Option<Vec<(Uuid, PendingCardTransaction)>>,
    pub balances: Option<Vec<Balance>>,
    /// The range of a delta list that has further pages.
    pub delta: Option<DeltaPage>,
}

impl App {
    pub async fn card_list(
        self: &Arc<Self>,
        request: &ConsentedRequest,
        with_balance: bool,
    ) -> Result<Metered<Vec<CardView>>, UseCaseError> {
        let (app, today) = (self.clone(), self.clock.today());
        let read = move |tx: &mut Tx<'_>, open: &mut ConsentSession| {
            let mut views = Vec::new();
            for card in tx.card_list(open.psu)? {
                let hash = tx.card_pan_hash(card.id)?;
                let grant = open.access.terms.card_grant(&card, &hash);
                if card.status == AccountStatus::Deleted || !grant.listed {
                    continue;
                }
                let balances = if with_balance && grant.list_balances {
                    Some(balance::of_card(tx, &app.entry_ids, &card, today)?)
                } else {
                    None
                };
                let holder_name = holder_name(tx, &card, grant)?;
                views.push(CardView { card, grant, holder_name, balances });
            }
            Ok(views)
        };
        self.read_with_consent(request, ReadKind::of("cards"), None, read).await
    }

    pub async fn card_details(
        self: &Arc<Self>,
        request: &ConsentedRequest,
        id: &str,
        with_balance: bool,
    ) -> Result<Metered<CardView>, UseCaseError> {
        let (app, id, today) = (self.clone(), CardId::parse(id), self.clock.today());
        let read = move |tx: &mut Tx<'_>, open: &mut ConsentSession| {
            let (card, grant) = open.card(tx, id)?;
            require(grant.details, "the details of cards")?;
            let balances = if with_balance && grant.balances {
                Some(balance::of_card(tx, &app.entry_ids, &card, today)?)
            } else {
                None
            };
            let holder_name = holder_name(tx, &card, grant)?;
            Ok(CardView { card, grant, holder_name, balances })
        };
        self.read_with_consent(request, ReadKind::of("card"), id.map(|id| id.uuid()), read).await
    }

    pub async fn card_balances(
        self: &Arc<Self>,
        request: &ConsentedRequest,
        id: &str,
    ) -> Result<Metered<(Card, Vec<Balance>)>, UseCaseError> {
        let (app, id, today) = (self.clone(), CardId::parse(id), self.clock.today());
        let read = move |tx: &mut Tx<'_>, open: &mut ConsentSession| {
            let (card, grant) = open.card(tx, id)?;
            require(grant.balances, "balances")?;
            let balances = balance::of_card(tx, &app.entry_ids, &card, today)?;
            Ok((card, balances))
        };
        self.read_with_consent(request, ReadKind::of("card balances"), id.map(|id| id.uuid()), read).await
    }

    pub async fn card_statement(
        self: &Arc<Self>,
        request: &ConsentedRequest,
        id: &str,
        query: StatementQuery,
    ) -> Result<Metered<CardStatementView>, UseCaseError> {
        let (app, id, today) = (self.clone(), CardId::parse(id), self.clock.today());
        let purpose = ReadKind::of_statement("card transactions", &query);
        let read = move |tx: &mut Tx<'_>, open: &mut ConsentSession| {
            let (card, grant) = open.card(tx, id)?;
            require(grant.transactions, "transactions")?;
            let place = app.place(open, tx, card.ledger, &query, today)?;
            let limit = query.limit;
            let booked = match query.status {
                BookingStatus::Pending => None,
                _ => {
                    let lines = match place {
                        PageRange::Days { from, before, .. } => {
                            tx.card_transaction_page(card.ledger, from, before, limit + 1)?
                        }
                        PageRange::Since { after, before } => {
                            tx.card_transaction_delta(card.ledger, after, before, limit + 1)?
                        }
                    };
                    Some(app.card_page(card.ledger, lines, limit))
                }
            };
            let pending = match query.status {
                BookingStatus::Booked => None,
                _ if query.is_further_page() => Some(Vec::new()),
                _ => {
                    let (from, to) = place.days();
                    let holds = tx.pending_card_transaction_list(card.ledger, from, to, PENDING_MOST)?;
                    let named = |hold: PendingCardTransaction| {
                        (app.entry_ids.pending(card.ledger, hold.hold.0), hold)
                    };
                    Some(holds.into_iter().map(named).collect())
                }
            };
            let balances = if query.with_balance && grant.balances && !query.is_further_page() {
                Some(balance::of_card(tx, &app.entry_ids, &card, today)?)
            } else {
                None
            };
            let has_next = booked.as_ref().is_some_and(|page| page.next.is_some());
            let (ids, after) = (&app.entry_ids, place.after());
            let delta = open.delta_delivered(tx, ids, card.ledger, &query, after, has_next)?;
            Ok(CardStatementView { card, grant, booked, pending, balances, delta })
        };
        self.read_with_consent(request, purpose, id.map(|id| id.uuid()), read).await
    }

    /// Cuts a page to its length and sets the cursor of the next one.
    fn card_page(
        &self,
        ledger: LedgerAccountId,
        lines: Vec<CardTransaction>,
        limit: i64,
    ) -> Page<(Uuid, CardTransaction)> {
        let limit = usize::try_from(limit).unwrap_or(0);
        let more = lines.len() > limit;
        let named = |line: CardTransaction| (self.entry_ids.entry_id(ledger, line.seq), line);
        let lines: Vec<_> = lines.into_iter().take(limit).map(named).collect();
        let last = lines.last().filter(|_| more);
        let next = last.map(|(_, line)| Cursor { date: line.booking_day, seq: line.seq });
        let next = next.map(|cursor| self.entry_ids.encode_cursor(ledger, cursor).to_string());
        Page { lines, next }
    }
}

fn holder_name(tx: &mut Tx<'_>, card: &Card, grant: Grant) -> Result<Option<String>, StoreError> {
    match grant.owner_name {
        true => Ok(tx.psu_find(card.holder)?.map(|holder| holder.name)),
        false => Ok(None),
    }
}
