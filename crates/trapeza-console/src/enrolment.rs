//! Enrolment with a link: password, then an authenticator app or a passkey, and the recovery codes.

use crate::console_request::ConsoleRequest;
use axum::http::StatusCode;
use axum::response::Response;
use trapeza_app::UseCaseError;
use trapeza_app::login::{Ceremony, RelyingParty};
use trapeza_app::staff::{Enrolled, StaffEnrolment};
use trapeza_domain::field::Field;
use trapeza_domain::login::{LoginKind, MIN_PASSWORD_CHARS};
use trapeza_domain::refusal::{Refusal, RefusalReason};
use trapeza_web::site::login::{response, with_fields};
use trapeza_web::site::route::PageResult;
use trapeza_web::site::{Block, Form, Input, Page, PasskeyRequest, is_form_error};

const PATH: &str = "/console/enrol";
const PASSKEY: &str = "/console/enrol/passkey";
const NAMES: [(Field, &str); 3] =
    [(Field::Password, "password"), (Field::SignInCode, "code"), (Field::Name, "name")];

/// Errors of the two forms.
#[derive(Default)]
struct Errors<'a> {
    app: Option<&'a Refusal>,
    passkey: Option<&'a Refusal>,
}

pub async fn show(request: &ConsoleRequest) -> PageResult {
    let token = request.web.query("token").unwrap_or_default();
    page(request, &token, Errors::default(), StatusCode::OK).await
}

pub async fn submit(request: &ConsoleRequest) -> PageResult {
    let (web, token) = (&request.web, request.web.field("token"));
    let enrolled =
        request.app().staff_enrol(token, web.secret("password"), web.field("sealed"), web.field("code"));
    match enrolled.await {
        Ok(enrolled) => Ok(done(request, &enrolled)),
        Err(UseCaseError::Refused(refusal)) if is_form_error(&refusal) => {
            let errors = Errors { app: Some(&refusal), passkey: None };
            page(request, token, errors, StatusCode::BAD_REQUEST).await
        }
        Err(UseCaseError::Refused(refusal)) if refusal.reason == RefusalReason::ResourceUnknown => {
            Ok(unknown().respond(request, StatusCode::NOT_FOUND))
        }
        Err(error) => Err(error),
    }
}

pub async fn submit_passkey(request: &ConsoleRequest) -> PageResult {
    let (web, token) = (&request.web, request.web.field("token"));
    let party = RelyingParty::of(request.public_url())
        .ok_or_else(|| Refusal::new(RefusalReason::ResourceUnknown, "passkeys are not available here"))?;
    let (password, name, response) = (web.secret("password"), web.field("name"), response(request));
    match request.app().staff_enrol_with_passkey(token, password, &party, name, &response).await {
        Ok(enrolled) => Ok(done(request, &enrolled)),
        Err(UseCaseError::Refused(refusal)) if is_form_error(&refusal) => {
            let errors = Errors { app: None, passkey: Some(&refusal) };
            page(request, token, errors, StatusCode::BAD_REQUEST).await
        }
        Err(UseCaseError::Refused(refusal)) if refusal.reason == RefusalReason::ResourceUnknown => {
            Ok(unknown().respond(request, StatusCode::NOT_FOUND))
        }
        Err(error) => Err(error),
    }
}

async fn page(request: &ConsoleRequest, token: &str, errors: Errors<'_>, status: StatusCode) -> PageResult {
    let Some(enrolment) = request.app().staff_enrolment(token).await? else {
        return Ok(unknown().respond(request, StatusCode::NOT_FOUND));
    };
    let mut form = app_form(request, token, &enrolment);
    if let Some(refusal) = errors.app {
        form = form.refused(refusal, &NAMES);
    }
    let picture = trapeza_qr::png_base64(enrolment.link.expose());
    let mut page = Page::new("Set up your login")
        .with(Block::Text(format!(
            "{}, you will sign in as {} with the role {}. Choose a password, and add an authenticator app or a passkey.",
            enrolment.staff.name,
            enrolment.staff.email.as_str(),
            enrolment.staff.role.name()
        )))
        .with(Block::heading("With an authenticator app"))
        .with(Block::text("Scan the picture with the app, or type in the key. Then enter the code that the app shows."));
    // A long address does not fit into the picture.
    if !picture.is_empty() {
        page = page.with(Block::Picture(picture, "The key as a QR code".to_owned()));
    }
    page = page
        .with(Block::Secrets(vec![("Key".to_owned(), enrolment.secret.expose().clone())]))
        .with(Block::form(form));
    if let Some(mut form) = passkey_form(request, token, &enrolment) {
        if let Some(refusal) = errors.passkey {
            form = form.refused(refusal, &NAMES);
        }
        page = page.with(Block::heading("With a passkey")).with(Block::form(form));
    }
    Ok(page.respond(request, status))
}

fn app_form(request: &ConsoleRequest, token: &str, enrolment: &StaffEnrolment) -> Form {
    Form::new(&request.web, PATH, "Finish")
        .field(Input::hidden("token", token))
        .field(Input::hidden("sealed", &enrolment.sealed))
        .field(password_input())
        .field(Input::code("code", "Code"))
}

/// `None` when browsers have no passkeys for the address of the console.
fn passkey_form(request: &ConsoleRequest, token: &str, enrolment: &StaffEnrolment) -> Option<Form> {
    let party = RelyingParty::of(request.public_url())?;
    let passkey = PasskeyRequest {
        kind: "create",
        challenge: request.app().login_challenge(LoginKind::Staff, token, Ceremony::Create),
        party: party.id,
        user: enrolment.staff.id.to_string(),
        user_name: enrolment.staff.email.as_str().to_owned(),
    };
    let form = Form::new(&request.web, PASSKEY, "Finish with a passkey")
        .class("plain")
        .prefix("passkey")
        .field(Input::hidden("token", token))
        .field(password_input())
        .field(Input::text("name", "Name of the passkey").hint("For example the device that has it."));
    Some(with_fields(form).passkey(passkey))
}

fn password_input() -> Input {
    Input::new_password("password", "Password").hint(&format!("At least {MIN_PASSWORD_CHARS} characters."))
}

fn done(request: &ConsoleRequest, enrolled: &Enrolled) -> Response {
    let codes = enrolled.codes.0.iter().enumerate();
    let codes = codes.map(|(index, code)| (format!("Code {}", index + 1), code.expose().clone()));
    let mut page = Page::new("Keep your recovery codes");
    if let Some(code) = &enrolled.confirmation {
        page = page
            .with(Block::text(
                "An administrator must confirm that it was you who enrolled. Tell them this code, in person or by telephone. You can sign in after that.",
            ))
            .with(Block::Secrets(vec![("Confirmation code".to_owned(), code.clone())]))
            .with(Block::heading("Recovery codes"));
    }
    page
        .with(Block::text(
            "Each of these codes replaces your authenticator app once, for example when you lose your phone. They are shown only now.",
        ))
        .with(Block::Secrets(codes.collect()))
        .with(Block::links([("/console/sign-in", "I have stored them: sign in")]))
        .ok(request)
}

fn unknown() -> Page {
    Page::new("The link is not valid").with(Block::text(
        "The enrolment link is unknown, was used or has expired. Ask an administrator for another one.",
    ))
}
