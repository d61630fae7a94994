//! The work lists: what waits for a person of the caller's role.

use crate::console_request::ConsoleRequest;
use crate::{object, request};
use trapeza_app::UseCaseError;
use trapeza_app::work_list::{MAX_ROWS, WorkItem, WorkListCount, WorkListKind};
use trapeza_domain::staff::Staff;
use trapeza_web::site::route::PageResult;
use trapeza_web::site::{Block, Cell, Page, Table};

/// The counts of the lists that the caller's role sees, for the first page.
pub async fn count_blocks(request: &ConsoleRequest) -> Result<Vec<Block>, UseCaseError> {
    let counts = request.app().work_list_counts(request.signed_in()?.staff.id).await?;
    let count = |one: &WorkListCount| match one.count {
        Some(count) if one.more => format!("more than {count}"),
        Some(count) => count.to_string(),
        None => "open the list".to_owned(),
    };
    let rows =
        counts.iter().map(|one| vec![Cell::link(path(one.kind), one.kind.title()), Cell::text(count(one))]);
    let table = Table {
        label: "Work lists".to_owned(),
        head: vec!["List", "Waiting"],
        rows: rows.collect(),
        empty: "Your role has no work lists.",
    };
    Ok(vec![Block::heading("Work lists"), Block::Table(table)])
}

pub async fn show(request: &ConsoleRequest) -> PageResult {
    let kind = request.id("list", WorkListKind::parse)?;
    let caller = &request.signed_in()?.staff;
    if kind == WorkListKind::PendingRequests {
        let page = Page::new(kind.title()).with_all(request::pending_blocks(request).await?);
        return Ok(page.ok(request));
    }
    let list = request.app().work_list(caller.id, kind, MAX_ROWS).await?;
    let table = Table {
        label: kind.title().to_owned(),
        head: list.columns.iter().copied().chain(["Actions"]).collect(),
        rows: list.rows.iter().map(|item| row(caller, item)).collect(),
        empty: "Nothing waits here.",
    };
    let page = Page::new(kind.title()).with(Block::Table(table));
    let page = match list.more {
        true => page.with(Block::Text(format!("Only the first {MAX_ROWS} are shown."))),
        false => page,
    };
    Ok(page.with(Block::links([("/console", "Overview")])).ok(request))
}

fn path(kind: WorkListKind) -> String {
    format!("/console/work/{}", kind.name())
}

/// The first cell links to the object.
fn row(caller: &Staff, item: &WorkItem) -> Vec<Cell> {
    let mut cells: Vec<Cell> = item.cells.iter().map(|text| Cell::text(object::shown(text))).collect();
    if let (Some((kind, id)), Some(first)) = (&item.object, item.cells.first()) {
        cells[0] = Cell::link(object::path(*kind, id), object::shown(first));
    }
    let actions = object::action_links(caller, &item.actions).into_iter();
    cells.push(Cell::Links(actions.map(|(href, label)| (href, label, String::new())).collect()));
    cells
}
