//! Passkeys: sign-in with one, and those of the member.

use crate::account;
use crate::passkey_form::{FIELDS, create_form, sign_in_form};
use crate::portal_request::PortalRequest;
use crate::sign_in;
use axum::http::StatusCode;
use trapeza_app::UseCaseError;
use trapeza_app::login::{PasskeyResponse, RelyingParty};
use trapeza_domain::field::Field;
use trapeza_domain::id::PasskeyId;
use trapeza_domain::refusal::{Refusal, RefusalReason};
use trapeza_web::layout::redirect;
use trapeza_web::site::is_form_error;
use trapeza_web::site::route::PageResult;

pub async fn sign_in(request: &PortalRequest) -> PageResult {
    let token = request.app().session_token_new();
    let (party, response) = (party(request)?, response(request));
    let scope = (request.web.session.as_str(), &party);
    let step = request.app().portal_passkey_sign_in(scope, &response, &token, request.browser());
    match request.web.within_sign_in_budget(step).await {
        Ok(_) => Ok(request.redirect_with_session("/portal", &token)),
        Err(UseCaseError::Refused(refusal)) if is_form_error(&refusal) => {
            let status = match refusal.reason {
                RefusalReason::RateExceeded => StatusCode::TOO_MANY_REQUESTS,
                _ => StatusCode::UNAUTHORIZED,
            };
            let form = sign_in_form(request).map(|form| form.refused(&refusal, &[]));
            Ok(sign_in::page(request, sign_in::form(request), form).respond(request, status))
        }
        Err(error) => Err(error),
    }
}

pub async fn create(request: &PortalRequest) -> PageResult {
    let (caller, party, response) = (request.signed_in()?, party(request)?, response(request));
    let scope = (request.web.session.as_str(), &party);
    let name = request.web.field("name");
    match request.app().login_passkey_create(&caller.login(), scope, name, &response).await {
        Ok(()) => Ok(redirect(account::PATH)),
        Err(UseCaseError::Refused(refusal)) if is_form_error(&refusal) => {
            let form = create_form(request)?
                .map(|form| form.filled(&request.web).refused(&refusal, &[(Field::Name, "name")]));
            let page = account::page(request, form).await?;
            Ok(page.respond(request, StatusCode::BAD_REQUEST))
        }
        Err(error) => Err(error),
    }
}

pub async fn remove(request: &PortalRequest) -> PageResult {
    let passkey = request.id("passkey", PasskeyId::parse)?;
    request.app().login_passkey_remove(&request.signed_in()?.login(), passkey).await?;
    Ok(redirect(account::PATH))
}

fn party(request: &PortalRequest) -> Result<RelyingParty, Refusal> {
    let unknown = || Refusal::new(RefusalReason::ResourceUnknown, "passkeys are not available here");
    RelyingParty::of(request.public_url()).ok_or_else(unknown)
}

fn response(request: &PortalRequest) -> PasskeyResponse {
    let [credential, client_data, authenticator_data, signature, user_handle] =
        FIELDS.map(|name| request.web.field(name).to_owned());
    PasskeyResponse { credential, client_data, authenticator_data, signature, user_handle }
}
