//! Sign-up: organisation, name, e-mail address and password, then the authenticator app and the recovery codes.

use crate::portal_request::PortalRequest;
use axum::http::StatusCode;
use trapeza_app::UseCaseError;
use trapeza_app::organisation::{InvitationRecord, SignUpRequest};
use trapeza_domain::field::Field;
use trapeza_domain::login::MIN_PASSWORD_CHARS;
use trapeza_domain::refusal::RefusalReason;
use trapeza_web::layout::redirect;
use trapeza_web::site::route::PageResult;
use trapeza_web::site::{Block, Form, Input, Page, is_form_error};

const PATH: &str = "/portal/sign-up";
const ENROL: &str = "/portal/enrol";
const NAMES: [(Field, &str); 4] = [
    (Field::OrganisationName, "organisation"),
    (Field::Name, "name"),
    (Field::Email, "email"),
    (Field::Password, "password"),
];

type Invitation = Option<(InvitationRecord, Option<String>)>;

pub async fn show(request: &PortalRequest) -> PageResult {
    if request.caller().is_some() {
        return Ok(redirect("/portal"));
    }
    let token = request.web.query("invitation");
    let invitation = invitation(request, token.as_deref()).await?;
    if invitation.is_none() && (token.is_some() || !request.app().portal_is_open()) {
        return Ok(closed().respond(request, StatusCode::FORBIDDEN));
    }
    let form = form(request, &invitation, token.as_deref().unwrap_or_default());
    Ok(page(&invitation, form).ok(request))
}

pub async fn submit(request: &PortalRequest) -> PageResult {
    let web = &request.web;
    let token = Some(web.field("invitation").to_owned()).filter(|token| !token.is_empty());
    let order = SignUpRequest {
        invitation: token.clone(),
        organisation: web.field("organisation").to_owned(),
        name: web.field("name").to_owned(),
        email: web.field("email").to_owned(),
        password: web.secret("password"),
    };
    match request.app().portal_sign_up(order, &web.session).await {
        Ok(()) => Ok(redirect(ENROL)),
        Err(UseCaseError::Refused(refusal)) if is_form_error(&refusal) => {
            let invitation = invitation(request, token.as_deref()).await?;
            let form = form(request, &invitation, token.as_deref().unwrap_or_default());
            let form = form.filled(&request.web).refused(&refusal, &NAMES);
            Ok(page(&invitation, form).respond(request, StatusCode::BAD_REQUEST))
        }
        Err(UseCaseError::Refused(refusal)) if refusal.reason == RefusalReason::ResourceUnknown => {
            Ok(closed().respond(request, StatusCode::FORBIDDEN))
        }
        Err(error) => Err(error),
    }
}

pub async fn enrolment_show(request: &PortalRequest) -> PageResult {
    enrolment_page(request, enrolment_form(request), StatusCode::OK).await
}

pub async fn enrolment_submit(request: &PortalRequest) -> PageResult {
    let token = request.app().session_token_new();
    let web = &request.web;
    let enrolled =
        request.app().portal_enrol(&web.session, &token, web.field("code"), request.browser()).await;
    match enrolled {
        Ok((_, codes)) => {
            let codes = codes.0.iter().enumerate();
            let codes = codes.map(|(index, code)| (format!("Code {}", index + 1), code.expose().clone()));
            let page = Page::new("Keep your recovery codes")
                .with(Block::text(
                    "You are signed in. Each of these codes replaces your authenticator app once, for example when you \
                     lose your phone. They are shown only now.",
                ))
                .with(Block::Secrets(codes.collect()))
                .with(Block::links([("/portal", "I have stored them: continue")]));
            Ok(request.with_session(page.ok(request), &token))
        }
        Err(UseCaseError::Refused(refusal)) if refusal.reason == RefusalReason::CredentialsInvalid => {
            let form = enrolment_form(request).refused(&refusal, &[(Field::SignInCode, "code")]);
            enrolment_page(request, form, StatusCode::UNAUTHORIZED).await
        }
        Err(error) => Err(error),
    }
}

async fn enrolment_page(request: &PortalRequest, form: Form, status: StatusCode) -> PageResult {
    let Some(enrolment) = request.app().portal_enrolment(&request.web.session).await? else {
        return Ok(redirect(PATH));
    };
    let picture = trapeza_qr::png_base64(enrolment.link.expose());
    let page = Page::new("Set up your authenticator app").with(Block::text(&format!(
        "Add {} to an authenticator app: scan the picture, or type in the key. Then enter the code that the app shows.",
        enrolment.email.as_str()
    )));
    // A long address does not fit into the picture.
    let page = match picture.is_empty() {
        true => page,
        false => page.with(Block::Picture(picture, "The key as a QR code".to_owned())),
    };
    let secret = vec![("Key".to_owned(), enrolment.secret.expose().clone())];
    Ok(page.with(Block::Secrets(secret)).with(Block::form(form)).respond(request, status))
}

fn enrolment_form(request: &PortalRequest) -> Form {
    Form::new(&request.web, ENROL, "Finish").field(Input::code("code", "Code"))
}

async fn invitation(request: &PortalRequest, token: Option<&str>) -> Result<Invitation, UseCaseError> {
    match token {
        Some(token) => request.app().portal_invitation(token).await,
        None => Ok(None),
    }
}

fn form(request: &PortalRequest, invitation: &Invitation, token: &str) -> Form {
    let mut form = Form::new(&request.web, PATH, "Continue");
    if !token.is_empty() {
        form = form.field(Input::hidden("invitation", token));
    }
    if !matches!(invitation, Some((_, Some(_)))) {
        form = form.field(
            Input::text("organisation", "Organisation").hint("The company or team that you work for."),
        );
    }
    let email = invitation.as_ref().map_or("", |(invitation, _)| invitation.email.as_str());
    form.field(Input::text("name", "Your name"))
        .field(Input::email("email", "E-mail address").value(email))
        .field(
            Input::new_password("password", "Password")
                .hint(&format!("At least {MIN_PASSWORD_CHARS} characters.")),
        )
}

fn page(invitation: &Invitation, form: Form) -> Page {
    let page = Page::new("Sign up");
    let page = match invitation {
        Some((invitation, Some(organisation))) => page.with(Block::Text(format!(
            "You are invited to {organisation} with the role {}.",
            invitation.role.name()
        ))),
        _ => page,
    };
    page.with(Block::form(form)).with(Block::links([("/portal/sign-in", "Sign in instead")]))
}

fn closed() -> Page {
    Page::new("Sign up by invitation")
        .with(Block::text(
            "The invitation is missing, was accepted or has expired. Ask the bank or the owner of your organisation for another one.",
        ))
        .with(Block::links([("/portal/sign-in", "Sign in")]))
}
