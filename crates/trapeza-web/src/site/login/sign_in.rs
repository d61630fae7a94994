//! Sign-in and sign-out.

use super::{LoginSite, passkey_form};
use crate::layout::redirect;
use crate::site::route::PageResult;
use crate::site::{Block, Form, Input, Page, SiteRequest, is_form_error};
use axum::http::StatusCode;
use trapeza_app::UseCaseError;
use trapeza_app::login::SignInRequest;
use trapeza_domain::field::Field;
use trapeza_domain::refusal::{Refusal, RefusalReason};

pub async fn show<S: LoginSite>(request: &SiteRequest<S>) -> PageResult {
    if request.caller().is_some() {
        return Ok(redirect(S::HOME));
    }
    Ok(page(request, form(request), passkey_form::sign_in_form(request)).ok(request))
}

pub async fn submit<S: LoginSite>(request: &SiteRequest<S>) -> PageResult {
    let token = request.app().session_token_new();
    let web = &request.web;
    let order = SignInRequest {
        email: web.field("email").to_owned(),
        password: web.secret("password"),
        code: web.field("code").to_owned(),
    };
    let step = S::sign_in(request.app(), order, &token, request.browser());
    match web.within_sign_in_budget(step).await {
        Ok(()) => Ok(request.redirect_with_session(S::HOME, &token)),
        Err(UseCaseError::Refused(refusal)) if is_form_error(&refusal) => {
            let form = form(request).filled(&request.web).refused(&refusal, &[(Field::SignInCode, "code")]);
            let page = page(request, form, passkey_form::sign_in_form(request));
            Ok(page.respond(request, status(&refusal)))
        }
        Err(error) => Err(error),
    }
}

pub async fn sign_out<S: LoginSite>(request: &SiteRequest<S>) -> PageResult {
    let login = S::login(request.signed_in()?);
    request.app().login_session_revoke(&login, login.session.id).await?;
    Ok(request.redirect_with_session(S::SIGN_IN, &request.app().session_token_new()))
}

pub(super) fn status(refusal: &Refusal) -> StatusCode {
    match refusal.reason {
        RefusalReason::RateExceeded => StatusCode::TOO_MANY_REQUESTS,
        _ => StatusCode::UNAUTHORIZED,
    }
}

pub(super) fn form<S: LoginSite>(request: &SiteRequest<S>) -> Form {
    Form::new(&request.web, S::SIGN_IN, "Sign in")
        .field(Input::email("email", "E-mail address"))
        .field(Input::password("password", "Password"))
        .field(
            Input::code("code", "Code")
                .hint("Six digits from your authenticator app, or one of your recovery codes."),
        )
}

/// The page with both forms; without the second where passkeys are not available.
pub(super) fn page<S: LoginSite>(request: &SiteRequest<S>, form: Form, passkey: Option<Form>) -> Page {
    let mut page =
        Page::new("Sign in").with_all(S::blocks_before_sign_in(request.app())).with(Block::form(form));
    if let Some(form) = passkey {
        page = page.with(Block::heading("With a passkey")).with(Block::form(form));
    }
    page.with_all(S::sign_in_blocks(request.app()))
}
