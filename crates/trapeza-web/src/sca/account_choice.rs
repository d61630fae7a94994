//! The page on which a customer chooses the accounts for a third party that has named none.

use super::{StepMessages, refused};
use crate::layout::{Form, Layout, redirect, render};
use crate::page_request::PageRequest;
use crate::summary::{Summary, format_iban};
use crate::templates::{AccountToChoose, ChooseAccounts};
use axum::http::StatusCode;
use axum::response::Response;
use trapeza_app::UseCaseError;
use trapeza_app::sca::{AccountChoice, AccountOffer, ApprovalRequest, OfferedAccount, RedirectView};
use trapeza_domain::refusal::RefusalReason;

pub(super) fn render_offer(
    request: &PageRequest,
    view: &RedirectView,
    (offer, approval): (&AccountOffer, &ApprovalRequest),
    status: StatusCode,
    error: Option<&'static str>,
) -> Response {
    let texts = request.texts;
    let summary = Summary::new(texts, &view.tpp_name, &view.organisation, approval);
    let account = |account: &OfferedAccount| AccountToChoose {
        id: account.id.to_string(),
        name: texts.account_name(&account.name),
        number: format!("{} · {}", format_iban(&account.number), account.currency),
    };
    let page = ChooseAccounts {
        layout: Layout::of(request, &summary.headline),
        form: Form::of(request),
        accounts: offer.accounts.iter().map(account).collect(),
        balances: offer.rights.balances,
        transactions: offer.rights.transactions,
        rows: summary.rows,
        error,
    };
    render(request, status, &page)
}

/// Stores the choice. A right implies its account.
pub(super) async fn post(request: &PageRequest, token: &str) -> Response {
    let (app, browser) = (&request.state.app, request.session.as_str());
    let texts = request.texts;
    let messages = StepMessages { wrong: texts.code_wrong, too_many: texts.too_many };
    let view = match app.redirect_view(token, browser).await {
        Ok(view) => view,
        Err(error) => return refused(request, token, error, messages).await,
    };
    // An outdated page: show the current state.
    let (Some(offer), Some(approval)) = (&view.offer, &view.request) else { return redirect(&request.page) };
    let is_ticked =
        |right: &str, account: &OfferedAccount| request.field(&format!("{right}-{}", account.id)) == "yes";
    let choice = |account: &OfferedAccount| {
        let (balances, transactions) = (is_ticked("balances", account), is_ticked("transactions", account));
        let is_chosen = is_ticked("account", account) || balances || transactions;
        is_chosen.then_some(AccountChoice { account: account.id, balances, transactions })
    };
    let chosen = offer.accounts.iter().filter_map(choice).collect();
    match app.redirect_choose_accounts(token, browser, texts.language, chosen).await {
        Ok(_) => redirect(&request.page),
        Err(UseCaseError::Refused(refusal)) if refusal.reason == RefusalReason::Malformed => {
            render_offer(request, &view, (offer, approval), StatusCode::BAD_REQUEST, Some(texts.choose_none))
        }
        Err(error) => refused(request, token, error, messages).await,
    }
}
