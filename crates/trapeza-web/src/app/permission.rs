//! The permission dashboard: what others may read of the customer's, what they might once, and taking it back.

use super::view::{PermissionCard, Permissions};
use super::{Customer, top};
use crate::facts::{Fact, Facts};
use crate::frame::{Form, Frame, see, show};
use crate::trouble;
use crate::visit::Visit;
use axum::http::StatusCode;
use axum::response::Response;
use trapeza_app::UseCaseError;
use trapeza_app::permission::Permission;
use trapeza_domain::consent::ConsentState;
use trapeza_domain::time::Timestamp;

const HERE: &str = "/app/permissions";

pub async fn list(visit: &Visit, customer: &Customer) -> Response {
    let all = match visit.bank.app.permission_list(customer.psu).await {
        Ok(all) => all,
        Err(stop) => return trouble(visit, &stop),
    };
    let is_now = |permission: &&Permission| matches!(permission.state, ConsentState::Valid { .. });
    let page = Permissions {
        frame: Frame::of(visit, visit.words.app.permissions_title),
        top: top(visit, customer, HERE),
        form: Form::of(visit),
        now: all.iter().filter(is_now).map(|permission| card(visit, permission)).collect(),
        before: all.iter().filter(|it| !is_now(it)).map(|permission| card(visit, permission)).collect(),
        told: visit.query("told").map(|_| visit.words.app.withdrawn),
    };
    show(visit, StatusCode::OK, &page)
}

pub async fn withdraw(visit: &Visit, customer: &Customer) -> Response {
    match visit.bank.app.permission_revoke(customer.psu, visit.field("permission")).await {
        Ok(()) => see("/app/permissions?told=withdrawn"),
        // There is no such permission: the page shows those there are.
        Err(UseCaseError::Refused(_)) => see(HERE),
        Err(stop) => trouble(visit, &stop),
    }
}

fn card(visit: &Visit, permission: &Permission) -> PermissionCard {
    let words = visit.words;
    let day = |at: Timestamp| words.day(visit.bank.app.clock().zone().day(at));
    let told = if permission.state.is_final() || permission.state == ConsentState::Received {
        Facts::new
    } else {
        Facts::permitted
    };
    let facts = told(words, &permission.tpp_name, &permission.organisation, &permission.asked);
    let mut rows = facts.rows.clone();
    rows.push(Fact::new(words.app.permission_asked, day(permission.asked_at)));
    let state = match permission.state {
        ConsentState::Valid { since } => {
            rows.push(Fact::new(words.app.permission_since, day(since)));
            words.app.permissions_now
        }
        ConsentState::Received => words.app.permission_waiting,
        ConsentState::Rejected => words.app.permission_refused,
        ConsentState::RevokedByPsu => words.app.permission_taken_back,
        ConsentState::Expired => words.app.permission_over,
        ConsentState::TerminatedByTpp => words.app.permission_ended,
    };
    if permission.state.is_final() {
        rows.push(Fact::new(words.app.permission_end, day(permission.changed_at)));
    }
    let used = permission.last_used.map_or(words.app.never_used.to_owned(), day);
    rows.push(Fact::new(words.app.last_used, used));
    let state = format!("{state} · {}", day(permission.changed_at));
    PermissionCard { id: permission.id.to_string(), facts, state, rows }
}
