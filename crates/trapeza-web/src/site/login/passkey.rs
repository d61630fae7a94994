//! Passkeys: sign-in with one, and those of the caller.

use super::passkey_form::{FIELDS, create_form, sign_in_form};
use super::{LoginSite, sign_in};
use crate::layout::redirect;
use crate::site::route::PageResult;
use crate::site::{SiteRequest, is_form_error};
use axum::http::StatusCode;
use trapeza_app::UseCaseError;
use trapeza_app::login::{PasskeyResponse, RelyingParty};
use trapeza_domain::field::Field;
use trapeza_domain::id::PasskeyId;
use trapeza_domain::refusal::{Refusal, RefusalReason};

pub async fn sign_in<S: LoginSite>(request: &SiteRequest<S>) -> PageResult {
    let token = request.app().session_token_new();
    let (party, response) = (party(request)?, response(request));
    let scope = (request.web.session.as_str(), &party);
    let step = S::passkey_sign_in(request.app(), scope, &response, &token, request.browser());
    match request.web.within_sign_in_budget(step).await {
        Ok(()) => Ok(request.redirect_with_session(S::HOME, &token)),
        Err(UseCaseError::Refused(refusal)) if is_form_error(&refusal) => {
            let form = sign_in_form(request).map(|form| form.refused(&refusal, &[]));
            let page = sign_in::page(request, sign_in::form(request), form);
            Ok(page.respond(request, sign_in::status(&refusal)))
        }
        Err(error) => Err(error),
    }
}

pub async fn create<S: LoginSite>(request: &SiteRequest<S>) -> PageResult {
    let (login, party, response) = (S::login(request.signed_in()?), party(request)?, response(request));
    let scope = (request.web.session.as_str(), &party);
    let name = request.web.field("name");
    match request.app().login_passkey_create(&login, scope, name, &response).await {
        Ok(()) => Ok(redirect(S::ACCOUNT)),
        Err(UseCaseError::Refused(refusal)) if is_form_error(&refusal) => {
            let form = create_form(request)?
                .map(|form| form.filled(&request.web).refused(&refusal, &[(Field::Name, "name")]));
            Ok(S::account_page(request, form).await?.respond(request, StatusCode::BAD_REQUEST))
        }
        Err(error) => Err(error),
    }
}

pub async fn remove<S: LoginSite>(request: &SiteRequest<S>) -> PageResult {
    let passkey = request.id("passkey", PasskeyId::parse)?;
    request.app().login_passkey_remove(&S::login(request.signed_in()?), passkey).await?;
    Ok(redirect(S::ACCOUNT))
}

fn party<S: LoginSite>(request: &SiteRequest<S>) -> Result<RelyingParty, Refusal> {
    let unknown = || Refusal::new(RefusalReason::ResourceUnknown, "passkeys are not available here");
    RelyingParty::of(request.public_url()).ok_or_else(unknown)
}

/// What the browser sent of a passkey.
pub fn response<S: LoginSite>(request: &SiteRequest<S>) -> PasskeyResponse {
    let [credential, client_data, authenticator_data, signature, user_handle] =
        FIELDS.map(|name| request.web.field(name).to_owned());
    PasskeyResponse { credential, client_data, authenticator_data, signature, user_handle }
}
