//! The permission dashboard: current and past consents, and their withdrawal.

use super::templates::{Confirm, PermissionCard, Permissions};
use super::{Customer, app_header};
use crate::internal_error;
use crate::layout::{Form, Layout, redirect, render};
use crate::page_request::PageRequest;
use crate::summary::{Summary, SummaryRow};
use axum::http::StatusCode;
use axum::response::Response;
use trapeza_app::UseCaseError;
use trapeza_app::permission::Permission;
use trapeza_domain::consent::{ConsentRejection, ConsentState};
use trapeza_domain::time::Timestamp;

const PATH: &str = "/app/permissions";

pub async fn list(request: &PageRequest, customer: &Customer) -> Response {
    let all = match request.state.app.permission_list(customer.psu).await {
        Ok(all) => all,
        Err(error) => return internal_error(request, &error),
    };
    let is_now = |permission: &&Permission| matches!(permission.state, ConsentState::Valid { .. });
    let page = Permissions {
        layout: Layout::of(request, request.texts.app.permissions_title),
        top: app_header(request, customer, PATH),
        now: all.iter().filter(is_now).map(|permission| card(request, permission)).collect(),
        before: all.iter().filter(|it| !is_now(it)).map(|permission| card(request, permission)).collect(),
        notice: request
            .query("notice")
            .filter(|notice| notice == "withdrawn")
            .map(|_| request.texts.app.withdrawn),
    };
    render(request, StatusCode::OK, &page)
}

/// Asks whether the permission shall end, and shows what it permits.
pub async fn confirm(request: &PageRequest, customer: &Customer, id: &str) -> Response {
    let all = match request.state.app.permission_list(customer.psu).await {
        Ok(all) => all,
        Err(error) => return internal_error(request, &error),
    };
    let found = all.iter().find(|permission| permission.id.to_string() == id);
    // An unknown or ended permission: show the list.
    let Some(permission) = found.filter(|found| !found.state.is_final()) else { return redirect(PATH) };
    let texts = request.texts.app;
    let PermissionCard { summary, mut rows, .. } = card(request, permission);
    let accounts: Vec<&str> = summary.accounts.iter().map(|account| account.number.as_str()).collect();
    rows.insert(0, SummaryRow::new(texts.tab_accounts, accounts.join(", ")));
    rows.insert(0, SummaryRow::new(texts.permission_holder, permission.tpp_name.clone()));
    let page = Confirm {
        layout: Layout::of(request, texts.withdraw_title),
        top: app_header(request, customer, PATH),
        form: Form::of(request),
        rows,
        text: texts.withdraw_text,
        label: texts.withdraw.to_owned(),
        cancel: PATH,
        approval: None,
        error: None,
    };
    render(request, StatusCode::OK, &page)
}

pub async fn revoke(request: &PageRequest, customer: &Customer, id: &str) -> Response {
    match request.state.app.permission_revoke(customer.psu, id).await {
        Ok(()) => redirect("/app/permissions?notice=withdrawn"),
        // An unknown permission: show the list.
        Err(UseCaseError::Refused(_)) => redirect(PATH),
        Err(error) => internal_error(request, &error),
    }
}

fn card(request: &PageRequest, permission: &Permission) -> PermissionCard {
    let texts = request.texts;
    let day = |at: Timestamp| texts.day(request.state.app.clock().zone().day(at));
    let notice = if permission.state.is_final() || permission.state == ConsentState::Received {
        Summary::new
    } else {
        Summary::permitted
    };
    let summary = notice(texts, &permission.tpp_name, &permission.organisation, &permission.request);
    let mut rows = summary.rows.clone();
    rows.push(SummaryRow::new(texts.app.permission_asked, day(permission.requested_at)));
    let state = match permission.state {
        ConsentState::Valid { since } => {
            rows.push(SummaryRow::new(texts.app.permission_since, day(since)));
            texts.app.permissions_now
        }
        ConsentState::Received => texts.app.permission_waiting,
        ConsentState::Rejected { reason } => match reason {
            ConsentRejection::Refused => texts.app.permission_refused,
            ConsentRejection::Account => texts.app.permission_other_account,
            ConsentRejection::Overdue => texts.app.permission_overdue,
        },
        ConsentState::RevokedByPsu => texts.app.permission_taken_back,
        ConsentState::Expired => texts.app.permission_over,
        ConsentState::TerminatedByTpp => texts.app.permission_ended,
    };
    if permission.state.is_final() {
        rows.push(SummaryRow::new(texts.app.permission_end, day(permission.changed_at)));
    }
    let used = permission.last_used.map_or(texts.app.never_used.to_owned(), day);
    rows.push(SummaryRow::new(texts.app.last_used, used));
    let state = format!("{state} · {}", day(permission.changed_at));
    PermissionCard { id: permission.id.to_string(), summary, state, rows }
}
