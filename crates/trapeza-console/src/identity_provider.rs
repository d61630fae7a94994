//! Sign-in with the bank's identity provider: the redirect to it, and the page to which it returns.

use crate::console_request::{Console, ConsoleRequest};
use axum::http::StatusCode;
use axum::response::Response;
use trapeza_app::UseCaseError;
use trapeza_app::staff::{ProviderResponse, ProviderSignIn};
use trapeza_domain::refusal::{Refusal, RefusalReason};
use trapeza_domain::secret::Secret;
use trapeza_web::layout::redirect;
use trapeza_web::site::login::LoginSite;
use trapeza_web::site::route::PageResult;
use trapeza_web::site::{Block, Page, Site};

/// Where a sign-in begins.
pub const PATH: &str = "/console/sign-in/identity-provider";
const CALLBACK: &str = "/console/sign-in/identity-provider/callback";

/// Redirects to the provider. The browser gets a fresh session token, from which the values of this sign-in are derived.
pub async fn start(request: &ConsoleRequest) -> PageResult {
    if request.caller().is_some() {
        return Ok(redirect(Console::HOME));
    }
    let session = request.app().session_token_new();
    match request.app().staff_provider_url(&session, &redirect_uri(request)).await? {
        Some(url) => Ok(request.redirect_with_session(&url, &session)),
        None => Ok(unavailable(request)),
    }
}

/// Signs in with what the browser brings back.
pub async fn callback(request: &ConsoleRequest) -> PageResult {
    let (app, web) = (request.app(), &request.web);
    let response = ProviderResponse {
        session: web.session.clone(),
        state: web.query("state").unwrap_or_default(),
        issuer: web.query("iss"),
        // With an error there is no code.
        code: web.query("code").filter(|_| web.query("error").is_none()).map(Secret::new),
    };
    let (token, redirect_uri) = (app.session_token_new(), redirect_uri(request));
    let step = app.staff_provider_sign_in(response, &redirect_uri, &token, request.browser());
    match web.within_sign_in_budget(step).await {
        Ok(ProviderSignIn::SignedIn) => Ok(request.redirect_with_session(Console::HOME, &token)),
        Ok(ProviderSignIn::Unavailable) => Ok(unavailable(request)),
        Err(UseCaseError::Refused(refusal)) if refusal.reason == RefusalReason::CredentialsInvalid => {
            Ok(refused(request, &refusal))
        }
        Err(error) => Err(error),
    }
}

/// The address that the bank registers at its provider.
fn redirect_uri(request: &ConsoleRequest) -> String {
    format!("{}{CALLBACK}", request.public_url())
}

fn refused(request: &ConsoleRequest, refusal: &Refusal) -> Response {
    let texts = refusal.errors.iter().map(|error| Block::Bad(error.text.to_string()));
    let page = Page::new("You are not signed in").with_all(texts);
    page.with(Block::button(Console::SIGN_IN, "Sign in again")).respond(request, StatusCode::UNAUTHORIZED)
}

fn unavailable(request: &ConsoleRequest) -> Response {
    let text =
        "The identity provider of the bank cannot be reached. Nothing was changed. Try again in a moment.";
    let page = Page::new("The identity provider is not available").with(Block::Bad(text.to_owned()));
    let page = page.with(Block::button(Console::SIGN_IN, "Back to the sign-in"));
    page.respond(request, StatusCode::SERVICE_UNAVAILABLE)
}
