//! Runs the routes of a site: who sends a request, whether they may, and what happens to refusals and failures.

use super::page::{Block, Head, Page};
use super::route::{Access, Method, PageResult, Route};
use super::{Site, SiteRequest};
use crate::layout::redirect;
use crate::page_request::PageRequest;
use axum::Router;
use axum::extract::{RawPathParams, Request, State};
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::Response;
use axum::routing::{MethodFilter, on};
use std::sync::Arc;
use trapeza_app::UseCaseError;
use trapeza_domain::refusal::RefusalReason;
use trapeza_http::AppState;

pub fn router<S: Site>(routes: &'static [Route<S>]) -> Router<Arc<AppState>> {
    routes.iter().fold(Router::new(), |router, route| {
        let filter = match route.method {
            Method::Get => MethodFilter::GET,
            Method::Post => MethodFilter::POST,
        };
        let handler =
            move |State(state): State<Arc<AppState>>, parameters: RawPathParams, request: Request| {
                serve(state, route, parameters, request)
            };
        router.route(route.path, on(filter, handler))
    })
}

/// Runs a route: the session, the role, the CSRF token of a form, then the page.
async fn serve<S: Site>(
    state: Arc<AppState>,
    route: &'static Route<S>,
    parameters: RawPathParams,
    request: Request,
) -> Response {
    let parameters = parameters.iter().map(|(name, value)| (name.to_owned(), value.to_owned())).collect();
    let page = request.uri().path().to_owned();
    let agent = request.headers().get(header::USER_AGENT).and_then(|value| value.to_str().ok());
    let browser = agent.unwrap_or_default().to_owned();
    let Some(web) = PageRequest::read(state.clone(), S::COOKIE, page, request).await else {
        let page = Page::new("The form was not understood");
        let page = page.with(Block::text("The form was incomplete or too large. Nothing was changed."));
        return page.respond_without_session(
            S::site_style(),
            &Head::default(),
            &state,
            StatusCode::BAD_REQUEST,
        );
    };
    let mut request = SiteRequest { web, caller: None, parameters, browser };
    match run(&mut request, route).await {
        Ok(response) => response,
        Err(error) => error_page(&request, &error),
    }
}

async fn run<S: Site>(request: &mut SiteRequest<S>, route: &'static Route<S>) -> PageResult {
    if request.web.has_session() {
        request.caller = S::find_caller(request.app(), &request.web.session).await?;
    }
    if let Access::Role(role) = route.access {
        let Some(caller) = &request.caller else { return Ok(redirect(S::SIGN_IN)) };
        S::require(caller, role)?;
    }
    if route.method == Method::Post && !request.web.csrf_valid() {
        let text = "The form has expired or comes from another site. Nothing was changed. Go back, reload the page and send it again.";
        let page = Page::new("The form was not accepted").with(Block::text(text));
        return Ok(page.respond(request, StatusCode::FORBIDDEN));
    }
    (route.handler)(request).await
}

fn error_page<S: Site>(request: &SiteRequest<S>, error: &UseCaseError) -> Response {
    let refusal = match error {
        UseCaseError::Refused(refusal) => refusal,
        UseCaseError::Failed(error) => {
            if !error.is_overload() {
                tracing::error!(correlation = %request.web.correlation(), %error, site = S::site_style().name, "page request failed with an internal error");
            }
            let text = "Something failed on our side. Try again in a moment.";
            let page = Page::new("Not available now").with(Block::text(text));
            return page.respond(request, StatusCode::SERVICE_UNAVAILABLE);
        }
    };
    let (status, title) = match refusal.reason {
        RefusalReason::ResourceUnknown => (StatusCode::NOT_FOUND, "Not found"),
        RefusalReason::RoleMissing => (StatusCode::FORBIDDEN, "Not permitted"),
        RefusalReason::RateExceeded => (StatusCode::TOO_MANY_REQUESTS, "Too many attempts"),
        RefusalReason::StatusInvalid | RefusalReason::StepOutOfOrder => {
            (StatusCode::CONFLICT, "This is not possible now")
        }
        _ => (StatusCode::BAD_REQUEST, "The request was refused"),
    };
    let mut page = Page::new(title);
    for error in &refusal.errors {
        page = page.with(Block::text(&sentence(&error.text)));
    }
    let mut response = page.respond(request, status);
    if let Some(wait) = refusal.retry_after {
        let seconds = wait.0.max(0) / 1_000_000 + 1;
        response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from(seconds));
    }
    response
}

/// An error text as a sentence.
fn sentence(text: &str) -> String {
    let mut letters = text.chars();
    let first: String = letters.next().into_iter().flat_map(char::to_uppercase).collect();
    let end = if text.ends_with('.') { "" } else { "." };
    format!("{first}{}{end}", letters.as_str())
}
