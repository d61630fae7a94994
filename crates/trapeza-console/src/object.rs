//! The page of an object: its state, what it is related to, what the audit log says of it, and the actions that its state allows.

use crate::action;
use crate::console_request::ConsoleRequest;
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use trapeza_app::audit::AuditRecord;
use trapeza_app::object_view::{AvailableAction, ObjectView};
use trapeza_domain::search::SearchKind;
use trapeza_domain::staff::Staff;
use trapeza_web::site::route::PageResult;
use trapeza_web::site::{Block, Cell, Page, Table, format_time, readable_time};

/// The address of an object's page.
pub fn path(kind: SearchKind, id: &str) -> String {
    format!("/console/objects/{}/{}", kind.path_name(), utf8_percent_encode(id, NON_ALPHANUMERIC))
}

pub async fn show(request: &ConsoleRequest) -> PageResult {
    let kind = request.id("kind", SearchKind::parse_path)?;
    let caller = &request.signed_in()?.staff;
    let view = request.app().object_view(caller.id, kind, request.parameter("id")).await?;
    let events = request.app().timeline(view.objects.clone()).await?;
    let staff = request.app().staff_list().await?;
    let mut page = Page::new(&view.title).with(Block::Facts(facts(&view)));
    let actions = action_links(caller, &view.actions);
    if !actions.is_empty() {
        page = page.with(Block::heading("Actions")).with(Block::Links(actions));
    }
    if !view.related.is_empty() {
        page = page.with(Block::heading("Related")).with(Block::Table(related(&view)));
    }
    Ok(page.with(Block::heading("Timeline")).with(Block::Table(timeline(&events, &staff))).ok(request))
}

/// Links to the forms of actions that the caller's role may request.
pub fn action_links(caller: &Staff, actions: &[AvailableAction]) -> Vec<(String, String)> {
    let permitted = actions.iter().filter(|one| caller.require(one.action).is_ok());
    let link = |one: &AvailableAction| {
        let parameters: Vec<(&str, &str)> =
            one.parameters.iter().map(|(name, value)| (*name, value.as_str())).collect();
        (action::path(one.action, &parameters), one.action.title().to_owned())
    };
    permitted.map(link).collect()
}

fn facts(view: &ObjectView) -> Vec<(String, Cell)> {
    let status = view.status.iter().map(|status| ("Status", status.clone()));
    let kind = [("Kind", view.kind.name().to_owned())];
    let all = kind.into_iter().chain(status).chain(view.facts.iter().cloned());
    // Times of the API are shown as people read them.
    all.map(|(label, value)| (label.to_owned(), Cell::Text(shown(&value)))).collect()
}

/// A timestamp as people read it; other values as they are.
pub fn shown(value: &str) -> String {
    let is_time = value.len() >= 20 && value.as_bytes().get(10) == Some(&b'T') && value.ends_with('Z');
    if is_time { readable_time(value) } else { value.to_owned() }
}

fn related(view: &ObjectView) -> Table {
    let rows = view.related.iter().map(|one| {
        vec![
            Cell::text(one.relation),
            Cell::link(path(one.kind, &one.id), &one.label),
            Cell::text(one.kind.name()),
        ]
    });
    Table {
        label: "Related objects".to_owned(),
        head: vec!["Relation", "Object", "Kind"],
        rows: rows.collect(),
        empty: "",
    }
}

fn timeline(events: &[AuditRecord], staff: &[Staff]) -> Table {
    let rows = events.iter().map(|event| {
        vec![format_time(event.at), event.action.clone(), actor(&event.actor, staff), event.detail.clone()]
    });
    Table::of_text(
        "Timeline",
        ["Time", "Event", "By", "Details"],
        rows,
        "The audit log has no events of this object.",
    )
}

/// Staff by name, others as the audit log has them.
fn actor(actor: &str, staff: &[Staff]) -> String {
    let person = actor.strip_prefix("staff:");
    let found = person.and_then(|id| staff.iter().find(|one| one.id.to_string() == id));
    found.map_or_else(|| actor.to_owned(), |one| one.name.clone())
}
