//! Requests for actions that need a second person.

use crate::console_request::ConsoleRequest;
use crate::{action, action_input, object, search};
use axum::http::StatusCode;
use trapeza_app::UseCaseError;
use trapeza_app::staff::ActionParameters;
use trapeza_domain::field::Field;
use trapeza_domain::id::{StaffId, StaffRequestId};
use trapeza_domain::refusal::{Refusal, RefusalReason};
use trapeza_domain::staff::{RequestStatus, Staff, StaffRequest};
use trapeza_web::layout::redirect;
use trapeza_web::site::route::PageResult;
use trapeza_web::site::{Block, Cell, Form, Input, Page, Table, format_time, is_form_error};

const PATH: &str = "/console/requests";
/// How many of the newest requests are listed.
const MAX_LISTED: i64 = 200;

pub async fn list(request: &ConsoleRequest) -> PageResult {
    let requests = requests(request).await?;
    let staff = request.app().staff_list().await?;
    let table = table("Requests", &requests, &staff, "Nothing was requested yet.");
    Ok(Page::new("Requests").with(Block::Table(table)).ok(request))
}

/// What waits for a decision: for the first page.
pub async fn pending_blocks(request: &ConsoleRequest) -> Result<Vec<Block>, UseCaseError> {
    let mut requests = requests(request).await?;
    requests.retain(|one| one.status == RequestStatus::Pending);
    let staff = request.app().staff_list().await?;
    let table = table("Pending requests", &requests, &staff, "No request waits for a decision.");
    Ok(vec![Block::heading("Requests that wait for a second person"), Block::Table(table)])
}

pub async fn show(request: &ConsoleRequest) -> PageResult {
    Ok(page(request, None).await?.ok(request))
}

pub async fn approve(request: &ConsoleRequest) -> PageResult {
    let (caller, found) = (request.signed_in()?, find(request).await?);
    let outcome = request.app().staff_request_approve(caller.staff.id, found.id).await?;
    Ok(action::outcome_page(request, found.action, &outcome))
}

pub async fn reject(request: &ConsoleRequest) -> PageResult {
    let (caller, id) = (request.signed_in()?, id(request)?);
    match request.app().staff_request_reject(caller.staff.id, id, request.web.field("reason")).await {
        Ok(()) => Ok(redirect(&format!("{PATH}/{id}"))),
        Err(UseCaseError::Refused(refusal))
            if is_form_error(&refusal) && refusal.reason != RefusalReason::StatusInvalid =>
        {
            let form =
                reject_form(request, id).filled(&request.web).refused(&refusal, &[(Field::Reason, "reason")]);
            Ok(page(request, Some(form)).await?.respond(request, StatusCode::BAD_REQUEST))
        }
        Err(error) => Err(error),
    }
}

pub async fn cancel(request: &ConsoleRequest) -> PageResult {
    let id = id(request)?;
    request.app().staff_request_cancel(request.signed_in()?.staff.id, id).await?;
    Ok(redirect(&format!("{PATH}/{id}")))
}

/// The page of a request, with the form of a rejection that has errors instead of a new one.
async fn page(request: &ConsoleRequest, form: Option<Form>) -> Result<Page, UseCaseError> {
    let (caller, found) = (&request.signed_in()?.staff, find(request).await?);
    let staff = request.app().staff_list().await?;
    let mut facts = vec![("Action".to_owned(), Cell::text(found.action.title()))];
    facts.extend(parameter_facts(&found)?);
    let mut add = |label: &str, value: String| facts.push((label.to_owned(), Cell::Text(value)));
    add("Status", found.status.name().to_owned());
    add("Reason", found.reason.clone());
    add("Requested by", name(&staff, found.requested_by));
    add("Requested", format_time(found.requested_at));
    match (found.decided_by, found.decided_at) {
        (Some(person), Some(at)) => {
            add("Decided by", name(&staff, person));
            add("Decided", format_time(at));
        }
        _ => add("Expires", format_time(found.expires_at)),
    }
    if let Some(outcome) = &found.outcome {
        add("Outcome", outcome.clone());
    }
    let page = Page::new(&format!("Request: {}", found.action.title())).with(Block::Facts(facts));
    if found.status != RequestStatus::Pending {
        return Ok(page);
    }
    Ok(page.with_all(decision_blocks(request, caller, &found, form)))
}

/// The parameters of the action, with links to the objects that they name.
fn parameter_facts(request: &StaffRequest) -> Result<Vec<(String, Cell)>, UseCaseError> {
    let parameters = ActionParameters::from_json(&request.parameters)?;
    let cell = |name: &str, value: &str| match action_input::object_kind(name) {
        Some(kind) => Cell::link(object::path(kind, value), value),
        None if action_input::is_searchable(name) => Cell::link(search::path(value), value),
        None => Cell::text(value),
    };
    let facts = parameters.names().filter_map(|name| {
        let (label, _) = action_input::text(request.action, name);
        parameters.get(name).map(|value| (label.to_owned(), cell(name, value)))
    });
    Ok(facts.collect())
}

/// What the caller may decide.
fn decision_blocks(
    request: &ConsoleRequest,
    caller: &Staff,
    found: &StaffRequest,
    form: Option<Form>,
) -> Vec<Block> {
    let path = format!("{PATH}/{}", found.id);
    if found.requested_by == caller.id {
        let cancel = Form::new(&request.web, &format!("{path}/cancel"), "Cancel the request").class("no");
        return vec![Block::text("Another person must approve what you requested."), Block::action(cancel)];
    }
    match caller.require_approver(found.action, found.requested_by) {
        Err(_) => vec![Block::text("It waits for a person whose role may approve it.")],
        Ok(()) => {
            let approve = Form::new(&request.web, &format!("{path}/approve"), "Approve and execute");
            let reject = form.unwrap_or_else(|| reject_form(request, found.id));
            vec![Block::action(approve), Block::heading("Reject"), Block::form(reject)]
        }
    }
}

fn reject_form(request: &ConsoleRequest, id: StaffRequestId) -> Form {
    Form::new(&request.web, &format!("{PATH}/{id}/reject"), "Reject")
        .class("no")
        .field(Input::area("reason", "Reason of the rejection"))
}

fn table(label: &str, requests: &[StaffRequest], staff: &[Staff], empty: &'static str) -> Table {
    let rows = requests.iter().map(|one| {
        vec![
            Cell::link(format!("{PATH}/{}", one.id), one.action.title()),
            Cell::text(name(staff, one.requested_by)),
            Cell::text(format_time(one.requested_at)),
            Cell::text(one.status.name()),
            Cell::text(&one.reason),
        ]
    });
    Table {
        label: label.to_owned(),
        head: vec!["Action", "Requested by", "Requested", "Status", "Reason"],
        rows: rows.collect(),
        empty,
    }
}

fn name(staff: &[Staff], id: StaffId) -> String {
    staff.iter().find(|one| one.id == id).map_or_else(|| id.to_string(), |one| one.name.clone())
}

fn id(request: &ConsoleRequest) -> Result<StaffRequestId, Refusal> {
    request.id("request", StaffRequestId::parse)
}

async fn find(request: &ConsoleRequest) -> Result<StaffRequest, UseCaseError> {
    request.app().staff_request_view(request.signed_in()?.staff.id, id(request)?).await
}

async fn requests(request: &ConsoleRequest) -> Result<Vec<StaffRequest>, UseCaseError> {
    request.app().staff_request_list(request.signed_in()?.staff.id, MAX_LISTED).await
}
