//! Runs an action of staff as an operator of the machine, who needs no second person.

use super::describe_error;
use std::fmt::Write;
use trapeza_app::staff::{ActionParameters, ActionResult};
use trapeza_app::{App, audit};
use trapeza_domain::staff::StaffAction;

/// Runs an action and describes its outcome. Empty parameters are absent.
pub async fn run(app: &App, action: StaffAction, parameters: &[(&str, &str)]) -> Result<String, String> {
    let parameters = ActionParameters::new(parameters.iter().copied());
    let result = app.staff_action_run(audit::current_actor(), action, &parameters, "").await;
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
