//! The members of the staff.

use crate::action;
use crate::console_request::ConsoleRequest;
use trapeza_domain::staff::{Staff, StaffAction, StaffStatus};
use trapeza_web::site::route::PageResult;
use trapeza_web::site::{Block, Cell, Page, Table, format_time};

pub async fn list(request: &ConsoleRequest) -> PageResult {
    let caller = &request.signed_in()?.staff;
    let staff = request.app().staff_list().await?;
    let table = Table {
        label: "Staff".to_owned(),
        head: vec!["Name", "E-mail address", "Role", "Status", "Created", "Actions"],
        rows: staff.iter().map(|one| row(caller, one)).collect(),
        empty: "",
    };
    let mut page = Page::new("Staff").with(Block::Table(table));
    if caller.require(StaffAction::StaffCreate).is_ok() {
        page = page.with(Block::button(&action::path(StaffAction::StaffCreate, &[]), "Create a login"));
    }
    Ok(page.ok(request))
}

fn row(caller: &Staff, one: &Staff) -> Vec<Cell> {
    let actions: &[StaffAction] = match one.status {
        StaffStatus::Unconfirmed => {
            &[StaffAction::StaffConfirm, StaffAction::StaffDisable, StaffAction::StaffReset]
        }
        StaffStatus::Disabled => &[StaffAction::StaffEnable, StaffAction::StaffRoleChange],
        _ => &[StaffAction::StaffDisable, StaffAction::StaffReset, StaffAction::StaffRoleChange],
    };
    let id = one.id.to_string();
    let permitted = actions.iter().filter(|action| caller.require(**action).is_ok());
    let links = permitted.map(|action| {
        (action::path(*action, &[("staff", id.as_str())]), action.title().to_owned(), String::new())
    });
    vec![
        Cell::text(&one.name),
        Cell::text(one.email.as_str()),
        Cell::text(one.role.name()),
        Cell::text(one.status.name()),
        Cell::text(format_time(one.created_at)),
        Cell::Links(links.collect()),
    ]
}
