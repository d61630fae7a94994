//! Cards, their balances and transactions (§4.3).

use crate::wire::card::{CardBalances, CardDetails, CardList, CardOut, CardStatement};
use crate::wire::envelope::{Envelope, EnvelopeTail, Links};
use axum::response::Response;
use trapeza_app::UseCaseError;
use trapeza_http::extract::TppRequest;
use trapeza_http::response::metered_json;

pub async fn list(request: TppRequest) -> Result<Response, UseCaseError> {
    let consented = request.consented_request()?;
    let with_balance = request.query()?.flag("withBalance")?;
    let views = request.state.app.card_list(&consented, with_balance).await?;
    let cards = views.value.iter().map(CardOut::of).collect();
    Ok(metered_json(&CardList { cards, envelope: Envelope::default() }, views.remaining))
}

pub async fn details(request: TppRequest) -> Result<Response, UseCaseError> {
    let consented = request.consented_request()?;
    let with_balance = request.query()?.flag("withBalance")?;
    let view = request.state.app.card_details(&consented, request.path("card-id"), with_balance).await?;
    let answer = CardDetails { card: CardOut::of(&view.value), envelope: EnvelopeTail::default() };
    Ok(metered_json(&answer, view.remaining))
}

pub async fn balance_list(request: TppRequest) -> Result<Response, UseCaseError> {
    let consented = request.consented_request()?;
    let found = request.state.app.card_balances(&consented, request.path("card-id")).await?;
    let (card, list) = &found.value;
    Ok(metered_json(&CardBalances::of(card, list), found.remaining))
}

pub async fn transactions(request: TppRequest) -> Result<Response, UseCaseError> {
    let consented = request.consented_request()?;
    let query = request.query()?;
    let statement_query = query.statement(request.state.app.clock().today())?;
    let view = request.state.app.card_statement(&consented, request.path("card-id"), statement_query).await?;
    let next = view.value.booked.as_ref().and_then(|page| page.next.as_deref());
    let path = format!("/v1/cards/{}/transactions", view.value.card.id);
    let links = next.map(|cursor| Links::one("next", format!("{path}?{}", query.with_cursor(cursor))));
    Ok(metered_json(&CardStatement::of(&view.value, links.unwrap_or_default()), view.remaining))
}
