//! Sign-in and sign-out.

use crate::passkey_form;
use crate::portal_request::{PortalRequest, SIGN_IN};
use axum::http::StatusCode;
use trapeza_app::UseCaseError;
use trapeza_app::login::SignInOrder;
use trapeza_domain::field::Field;
use trapeza_domain::refusal::RefusalReason;
use trapeza_web::layout::redirect;
use trapeza_web::site::route::PageResult;
use trapeza_web::site::{Block, Form, Input, Page, is_form_error};

pub async fn show(request: &PortalRequest) -> PageResult {
    if request.caller().is_some() {
        return Ok(redirect("/portal"));
    }
    Ok(page(request, form(request), passkey_form::sign_in_form(request)).ok(request))
}

pub async fn submit(request: &PortalRequest) -> PageResult {
    let token = request.app().session_token_new();
    let web = &request.web;
    let order = SignInOrder {
        email: web.field("email").to_owned(),
        password: web.secret("password"),
        code: web.field("code").to_owned(),
    };
    let step = request.app().portal_sign_in(order, &token, request.browser());
    match web.within_sign_in_budget(step).await {
        Ok(_) => Ok(request.redirect_with_session("/portal", &token)),
        Err(UseCaseError::Refused(refusal)) if is_form_error(&refusal) => {
            let status = match refusal.reason {
                RefusalReason::RateExceeded => StatusCode::TOO_MANY_REQUESTS,
                _ => StatusCode::UNAUTHORIZED,
            };
            let form = form(request).filled(&request.web).refused(&refusal, &[(Field::SignInCode, "code")]);
            Ok(page(request, form, passkey_form::sign_in_form(request)).respond(request, status))
        }
        Err(error) => Err(error),
    }
}

pub async fn sign_out(request: &PortalRequest) -> PageResult {
    let caller = request.signed_in()?;
    request.app().login_session_end(&caller.login(), caller.session.id).await?;
    Ok(request.redirect_with_session(SIGN_IN, &request.app().session_token_new()))
}

pub fn form(request: &PortalRequest) -> Form {
    Form::new(&request.web, SIGN_IN, "Sign in")
        .field(Input::email("email", "E-mail address"))
        .field(Input::password("password", "Password"))
        .field(
            Input::code("code", "Code")
                .hint("Six digits from your authenticator app, or one of your recovery codes."),
        )
}

/// The page with both forms; without the second where passkeys are not available.
pub fn page(request: &PortalRequest, form: Form, passkey: Option<Form>) -> Page {
    let mut page = Page::new("Sign in").with(Block::form(form));
    if let Some(form) = passkey {
        page = page.with(Block::heading("With a passkey")).with(Block::form(form));
    }
    if request.app().portal_is_open() {
        page.with(Block::links([("/portal/sign-up", "Sign up instead")]))
    } else {
        page
    }
}
