//! Actions: one list and one form for all of them. The pages of objects link to the form with the parameters filled in.

use crate::action_input;
use crate::console_request::ConsoleRequest;
use axum::http::StatusCode;
use axum::response::Response;
use trapeza_app::UseCaseError;
use trapeza_app::staff::{ActionOutcome, ActionParameters, ActionResult, parameter_names};
use trapeza_domain::refusal::{Refusal, RefusalReason};
use trapeza_domain::staff::{SecondPerson, Staff, StaffAction};
use trapeza_web::layout::redirect;
use trapeza_web::site::route::PageResult;
use trapeza_web::site::{Block, Cell, Form, Input, Page, Table, is_form_error};
use url::form_urlencoded;
use uuid::Uuid;

const PATH: &str = "/console/actions";
const REASON: &str = "reason";

/// The address of an action's form, with parameters filled in.
pub fn path(action: StaffAction, parameters: &[(&str, &str)]) -> String {
    let query = form_urlencoded::Serializer::new(String::new()).extend_pairs(parameters).finish();
    match query.is_empty() {
        true => format!("{PATH}/{}", action.name()),
        false => format!("{PATH}/{}?{query}", action.name()),
    }
}

/// What the caller's role may request.
pub async fn list(request: &ConsoleRequest) -> PageResult {
    let caller = &request.signed_in()?.staff;
    let permitted = StaffAction::ALL.iter().filter(|action| is_offered(caller, **action));
    let rows = permitted.map(|action| {
        vec![Cell::link(path(*action, &[]), action.title()), Cell::text(second_person(*action))]
    });
    let table = Table {
        label: "Actions".to_owned(),
        head: vec!["Action", "Second person"],
        rows: rows.collect(),
        empty: "Your role reads only.",
    };
    let text = "What your role may do. The pages of customers, loans and other objects have the same actions, with the object filled in.";
    Ok(Page::new("Actions").with(Block::text(text)).with(Block::Table(table)).ok(request))
}

pub async fn show(request: &ConsoleRequest) -> PageResult {
    let action = permitted_action(request)?;
    let filled = |name: &str| match request.web.query(name) {
        Some(value) => value,
        // A posting has an id of its own, under which it is booked once.
        None if action == StaffAction::LedgerPostManual && name == "posting" => {
            request.app().staff_action_key().to_string()
        }
        None => String::new(),
    };
    Ok(page(action, form(request, action, filled)).ok(request))
}

pub async fn run(request: &ConsoleRequest) -> PageResult {
    let (action, caller) = (permitted_action(request)?, request.signed_in()?);
    let given = names(action).iter().map(|name| (*name, request.web.field(name)));
    let parameters = ActionParameters::new(given.filter(|(_, value)| !value.is_empty()));
    let key = Uuid::parse_str(request.web.field("key"));
    let key = key.map_err(|_| Refusal::new(RefusalReason::Malformed, "key must be a UUID"))?;
    let (person, reason) = (caller.staff.id, request.web.field(REASON));
    match request.app().staff_action_run_once(key, person, action, &parameters, reason).await {
        Ok(ActionResult::Done(outcome)) => Ok(outcome_page(request, action, &outcome)),
        Ok(ActionResult::Requested(created)) => Ok(redirect(&format!("/console/requests/{}", created.id))),
        Err(UseCaseError::Refused(refusal)) if is_form_error(&refusal) => {
            let filled = |name: &str| request.web.field(name).to_owned();
            let form = form(request, action, filled).refused(&refusal, action_input::FIELDS);
            Ok(page(action, form).respond(request, StatusCode::BAD_REQUEST))
        }
        Err(error) => Err(error),
    }
}

/// What an action did. The link of a new login is shown once.
pub fn outcome_page(request: &ConsoleRequest, action: StaffAction, outcome: &ActionOutcome) -> Response {
    let mut page = Page::new(action.title()).with(Block::Good(format!("Done: {}.", outcome.text)));
    if let Some(token) = &outcome.enrolment {
        let link = format!("{}/console/enrol?token={}", request.public_url(), token.expose());
        page = page
            .with(Block::text(
                "Give this link to the person and to no other one. It works once, for three days.",
            ))
            .with(Block::Secrets(vec![("Link, shown only now".to_owned(), link)]));
    }
    page.with(Block::links([("/console", "Overview"), (PATH, "Actions")])).ok(request)
}

/// Whether the caller may request the action, and it has a form.
fn is_offered(caller: &Staff, action: StaffAction) -> bool {
    caller.require(action).is_ok()
        && parameter_names(action).is_some()
        && action != StaffAction::PersonalDataView
}

fn permitted_action(request: &ConsoleRequest) -> Result<StaffAction, Refusal> {
    let action = request.id("action", StaffAction::parse)?;
    request.signed_in()?.staff.require(action)?;
    if is_offered(&request.signed_in()?.staff, action) {
        return Ok(action);
    }
    Err(Refusal::new(RefusalReason::ResourceUnknown, "unknown action"))
}

fn names(action: StaffAction) -> &'static [&'static str] {
    parameter_names(action).unwrap_or_default()
}

fn page(action: StaffAction, form: Form) -> Page {
    let text = match action.rule().second_person {
        SecondPerson::Never => "It is executed at once.",
        SecondPerson::Always => "Another person must approve it before it is executed.",
        SecondPerson::AfterUnblocks | SecondPerson::WithAdministrators => {
            "It is executed at once, or when another person has approved it."
        }
    };
    Page::new(action.title()).with(Block::text(text)).with(Block::form(form))
}

fn form(request: &ConsoleRequest, action: StaffAction, filled: impl Fn(&str) -> String) -> Form {
    let form = Form::new(&request.web, &path(action, &[]), action.title());
    // A form that is sent twice has one effect.
    let form = form.field(Input::hidden("key", &request.app().staff_action_key().to_string()));
    let form = names(action)
        .iter()
        .fold(form, |form, name| form.field(action_input::input(action, name).value(&filled(name))));
    form.field(Input::area(REASON, "Reason").value(&filled(REASON)).hint("Why this is done. It is recorded."))
}

fn second_person(action: StaffAction) -> &'static str {
    match action.rule().second_person {
        SecondPerson::Never => "no",
        SecondPerson::Always => "always",
        SecondPerson::AfterUnblocks => "after repeated unblocks",
        SecondPerson::WithAdministrators => "when there is another administrator",
    }
}
