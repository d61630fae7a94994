//! Cards, their balances and transactions (§4.3).

use crate::wire::account::EnvelopeTail;
use crate::wire::card::{CardBalances, CardDetails, CardList, CardOut, CardStatement};
use crate::wire::envelope::{Envelope, Links};
use axum::response::Response;
use trapeza_app::UseCaseError;
use trapeza_http::call::TppCall;
use trapeza_http::response::read;

pub async fn list(call: TppCall) -> Result<Response, UseCaseError> {
    let visit = call.visit()?;
    let with_balance = call.query()?.flag("withBalance")?;
    let views = call.bank.app.card_list(&visit, with_balance).await?;
    let cards = views.value.iter().map(CardOut::of).collect();
    Ok(read(&CardList { cards, envelope: Envelope::default() }, views.remaining))
}

pub async fn details(call: TppCall) -> Result<Response, UseCaseError> {
    let visit = call.visit()?;
    let with_balance = call.query()?.flag("withBalance")?;
    let view = call.bank.app.card_details(&visit, call.path("card-id"), with_balance).await?;
    let answer = CardDetails { card: CardOut::of(&view.value), envelope: EnvelopeTail::default() };
    Ok(read(&answer, view.remaining))
}

pub async fn balance_list(call: TppCall) -> Result<Response, UseCaseError> {
    let visit = call.visit()?;
    let found = call.bank.app.card_balances(&visit, call.path("card-id")).await?;
    let (card, list) = &found.value;
    Ok(read(&CardBalances::of(card, list), found.remaining))
}

pub async fn transactions(call: TppCall) -> Result<Response, UseCaseError> {
    let visit = call.visit()?;
    let query = call.query()?;
    let asked = query.statement(call.bank.app.clock().today())?;
    let view = call.bank.app.card_statement(&visit, call.path("card-id"), asked).await?;
    let next = view.value.booked.as_ref().and_then(|page| page.next.as_deref());
    let path = format!("/v1/cards/{}/transactions", view.value.card.id);
    let links = next.map(|cursor| Links::one("next", format!("{path}?{}", query.with_cursor(cursor))));
    Ok(read(&CardStatement::of(&view.value, links.unwrap_or_default()), view.remaining))
}
