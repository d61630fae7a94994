//! `trapeza staff`: the bank's staff. The commands run the same actions as the console, as an operator of the machine.

use super::{describe_error, staff_action};
use crate::cli::{StaffAdd, StaffCommand, StaffRun};
use std::fmt::Write;
use trapeza_app::App;
use trapeza_app::staff::parameter_names;
use trapeza_domain::staff::StaffAction;

pub async fn execute(app: &App, command: &StaffCommand) -> Result<String, String> {
    match command {
        StaffCommand::Add(arguments) => add(app, arguments).await,
        StaffCommand::List(_) => list(app).await,
        StaffCommand::Actions(_) => Ok(actions()),
        StaffCommand::Run(arguments) => run(app, arguments).await,
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
    staff_action::run(app, StaffAction::StaffCreate, &parameters).await
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
    let id = found.ok_or_else(|| format!("staff: no member of the staff is {person}"))?.id.to_string();
    let mut parameters = others.to_vec();
    parameters.push(("staff", &id));
    staff_action::run(app, action, &parameters).await
}

async fn list(app: &App) -> Result<String, String> {
    let mut text = String::new();
    for one in app.staff_list().await.map_err(describe_error)? {
        let (role, status) = (one.role.name(), one.status.name());
        let _ = writeln!(text, "{}  {role:13}  {status:11}  {}  {}", one.id, one.email.as_str(), one.name);
    }
    Ok(if text.is_empty() { "no staff\n".to_owned() } else { text })
}

/// Every action that can be run, with its parameters.
fn actions() -> String {
    let mut text = String::new();
    for action in StaffAction::ALL {
        if let Some(names) = parameter_names(*action) {
            let _ = writeln!(text, "{:28}  {:44}  {}", action.name(), action.title(), names.join(", "));
        }
    }
    text
}

async fn run(app: &App, arguments: &StaffRun) -> Result<String, String> {
    let action = StaffAction::parse(&arguments.action);
    let action = action
        .ok_or_else(|| format!("{}: unknown action; `trapeza staff actions` lists them", arguments.action))?;
    let mut parameters = Vec::new();
    for given in &arguments.parameters {
        let pair = given.split_once('=');
        parameters.push(pair.ok_or_else(|| format!("{given}: must be NAME=VALUE"))?);
    }
    staff_action::run(app, action, &parameters).await
}
