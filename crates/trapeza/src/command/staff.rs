//! `trapeza staff`: the bank's staff. The commands run the same actions as the console, as an operator of the machine.

use super::describe_error;
use crate::cli::{StaffAdd, StaffCommand};
use std::fmt::Write;
use trapeza_app::staff::{ActionParameters, ActionResult};
use trapeza_app::{App, audit};
use trapeza_domain::staff::StaffAction;

pub async fn execute(app: &App, command: &StaffCommand) -> Result<String, String> {
    match command {
        StaffCommand::Add(arguments) => add(app, arguments).await,
        StaffCommand::List(_) => list(app).await,
        StaffCommand::Confirm(one) => {
            change(app, StaffAction::StaffConfirm, &one.staff, &[("code", &one.code)]).await
        }
        StaffCommand::Disable(one) => change(app, StaffAction::StaffDisable, &one.staff, &[]).await,
        StaffCommand::Enable(one) => change(app, StaffAction::StaffEnable, &one.staff, &[]).await,
        StaffCommand::Reset(one) => change(app, StaffAction::StaffReset, &one.staff, &[]).await,
    }
}

async fn add(app: &App, arguments: &StaffAdd) -> Result<String, String> {
    let role = arguments.role.role().name();
    let parameters = [("email", arguments.email.as_str()), ("name", &arguments.name), ("role", role)];
    run(app, StaffAction::StaffCreate, ActionParameters::new(parameters)).await
}

async fn change(
    app: &App,
    action: StaffAction,
    person: &str,
    others: &[(&str, &str)],
) -> Result<String, String> {
    let staff = app.staff_list().await.map_err(describe_error)?;
    let name = person.trim().to_lowercase();
    let is_named = |id: String, email: &str| id == name || email == name;
    let found = staff.iter().find(|one| is_named(one.id.to_string(), one.email.as_str()));
    let id = found.ok_or_else(|| format!("staff: no member of the staff is {person}"))?.id;
    let id = id.to_string();
    let parameters = others.iter().copied().chain([("staff", id.as_str())]);
    run(app, action, ActionParameters::new(parameters)).await
}

async fn run(app: &App, action: StaffAction, parameters: ActionParameters) -> Result<String, String> {
    let result = app.staff_action_run(audit::operator(), action, &parameters, "").await;
    let outcome = match result.map_err(describe_error)? {
        ActionResult::Done(outcome) => outcome,
        ActionResult::Requested(request) => return Ok(format!("requested  {}\n", request.id)),
    };
    let mut text = format!("{}\n", outcome.text);
    if let Some(token) = outcome.enrolment {
        let _ = writeln!(
            text,
            "enrolment link  /console/enrol?token={} at the address of the console   (shown only once)",
            token.expose()
        );
    }
    Ok(text)
}

async fn list(app: &App) -> Result<String, String> {
    let mut text = String::new();
    for one in app.staff_list().await.map_err(describe_error)? {
        let (role, status) = (one.role.name(), one.status.name());
        let _ = writeln!(text, "{}  {role:13}  {status:11}  {}  {}", one.id, one.email.as_str(), one.name);
    }
    Ok(if text.is_empty() { "no staff\n".to_owned() } else { text })
}
