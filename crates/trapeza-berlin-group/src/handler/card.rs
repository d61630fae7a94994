//! Cards, as card accounts and as single cards: the same objects under the same ids.

use super::account::{booking_status, flag, page_links, statement_query};
use crate::header;
use crate::link;
use crate::wire::card::{
    CardAccountBalances, CardAccountDetails, CardAccountList, CardAccountStatement, CardBalances,
    CardDetails, CardList, CardOut, CardStatement,
};
use axum::response::Response;
use trapeza_app::UseCaseError;
use trapeza_http::extract::TppRequest;
use trapeza_http::response::metered_json;

/// The two resources that show a card.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CardResource {
    CardAccount,
    Card,
}

impl CardResource {
    const fn path(self) -> &'static str {
        match self {
            Self::CardAccount => "/v1/card-accounts",
            Self::Card => "/v1/cards",
        }
    }

    /// The parameter with the id.
    const fn parameter(self) -> &'static str {
        match self {
            Self::CardAccount => "account-id",
            Self::Card => "card-id",
        }
    }
}

pub async fn list(request: TppRequest, resource: CardResource) -> Result<Response, UseCaseError> {
    let consented = header::consented_request(&request)?;
    let with_balance = flag(&request.query()?, "withBalance")?;
    let views = request.state.app.card_list(&consented, with_balance).await?;
    let path = [&link::base(&request.state), resource.path()].concat();
    let cards = views.value.iter().map(|view| CardOut::of(view, &path)).collect();
    Ok(match resource {
        CardResource::CardAccount => metered_json(&CardAccountList { card_accounts: cards }, views.remaining),
        CardResource::Card => metered_json(&CardList { cards }, views.remaining),
    })
}

pub async fn details(request: TppRequest, resource: CardResource) -> Result<Response, UseCaseError> {
    let consented = header::consented_request(&request)?;
    let with_balance = flag(&request.query()?, "withBalance")?;
    let id = request.path(resource.parameter());
    let view = request.state.app.card_details(&consented, id, with_balance).await?;
    let path = [&link::base(&request.state), resource.path()].concat();
    let card = CardOut::of(&view.value, &path);
    Ok(match resource {
        CardResource::CardAccount => metered_json(&CardAccountDetails { card_account: card }, view.remaining),
        CardResource::Card => metered_json(&CardDetails { card }, view.remaining),
    })
}

pub async fn balances(request: TppRequest, resource: CardResource) -> Result<Response, UseCaseError> {
    let consented = header::consented_request(&request)?;
    let found = request.state.app.card_balances(&consented, request.path(resource.parameter())).await?;
    let (card, list) = &found.value;
    Ok(match resource {
        CardResource::CardAccount => metered_json(&CardAccountBalances::of(card, list), found.remaining),
        CardResource::Card => metered_json(&CardBalances::of(card, list), found.remaining),
    })
}

pub async fn transactions(request: TppRequest, resource: CardResource) -> Result<Response, UseCaseError> {
    let consented = header::consented_request(&request)?;
    let query = request.query()?;
    let asked = statement_query(&request, &query, booking_status(&query)?)?;
    let id = request.path(resource.parameter());
    let view = request.state.app.card_statement(&consented, id, asked).await?;
    let delta = view.value.delta.as_ref();
    let next = view.value.booked.as_ref().and_then(|page| page.next.as_deref());
    let own = format!("{}{}/{}", link::base(&request.state), resource.path(), view.value.card.id);
    Ok(match resource {
        CardResource::CardAccount => {
            let links = page_links("cardAccount", &own, &query, next, delta);
            metered_json(&CardAccountStatement::of(&view.value, links), view.remaining)
        }
        CardResource::Card => {
            let links = page_links("card", &own, &query, next, delta);
            metered_json(&CardStatement::of(&view.value, links), view.remaining)
        }
    })
}
