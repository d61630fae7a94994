//! The first page of the signed-in app: what waits for the customer's approval, and the balances of all accounts.

use super::templates::{Home, Question};
use super::{Customer, account, app_header, card};
use crate::layout::{Form, Layout, render};
use crate::page_request::PageRequest;
use crate::script::Script;
use crate::summary::Summary;
use crate::{events, internal_error};
use axum::http::StatusCode;
use axum::response::Response;
use trapeza_app::sca::{PendingApproval, digest_hex};

pub async fn show(request: &PageRequest, customer: &Customer) -> Response {
    let texts = request.texts;
    let approvals = match request.state.app.approval_list(customer.psu).await {
        Ok(approvals) => approvals,
        Err(error) => return internal_error(request, &error),
    };
    let accounts = match request.state.app.customer_account_list(customer.psu).await {
        Ok(accounts) => accounts,
        Err(error) => return internal_error(request, &error),
    };
    let cards = match request.state.app.customer_card_list(customer.psu).await {
        Ok(cards) => cards,
        Err(error) => return internal_error(request, &error),
    };
    let question = |question: &PendingApproval| Question {
        id: question.id.to_string(),
        summary: Summary::new(texts, &question.tpp_name, &question.organisation, &question.request),
        numbers: question.numbers.clone(),
        link: digest_hex(&question.digest),
    };
    let notice = request.query("notice").and_then(|notice| match notice.as_str() {
        "approved" => Some((texts.app.notice_approved, true)),
        "unpaid" => Some((texts.app.notice_unpaid, false)),
        "refused" => Some((texts.app.notice_refused, false)),
        "wrong" => Some((texts.app.notice_wrong, false)),
        "gone" => Some((texts.app.notice_gone, false)),
        // Nothing is paid yet, so this is no success.
        "ordered" => Some((texts.app.notice_ordered, false)),
        "unsigned" => Some((texts.app.no_key, false)),
        _ => None,
    });
    let page = Home {
        layout: Layout::of(request, texts.app.title).with(Script::App),
        seen: events::seen(approvals.iter().map(|question| &question.id)),
        form: Form::of(request),
        top: app_header(request, customer, "/app"),
        questions: approvals.iter().map(question).collect(),
        accounts: accounts.iter().map(|own| account::account_card(texts, own)).collect(),
        cards: cards.iter().map(|own| card::card(texts, own)).collect(),
        notice,
    };
    render(request, StatusCode::OK, &page)
}
