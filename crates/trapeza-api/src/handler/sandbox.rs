//! The sandbox: its clock, sent messages, callbacks and the URLs of an application. These routes do not exist in production.

use crate::wire::sandbox as wire;
use crate::wire::sandbox_callback;
use axum::http::StatusCode;
use axum::http::request::Parts;
use axum::response::Response;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};
use trapeza_app::callback::FeedCursor;
use trapeza_app::{App, UseCaseError};
use trapeza_domain::application::ApplicationOwner;
use trapeza_domain::field::{Field, FieldPath};
use trapeza_domain::id::ApplicationId;
use trapeza_domain::refusal::{Refusal, RefusalReason};
use trapeza_http::extract::{ApplicationRequest, MerchantRequest, OpenRequest, malformed};
use trapeza_http::response::json;
use trapeza_http::{AppState, csrf};

/// How often a waiting list is read again.
const POLL_INTERVAL: Duration = Duration::from_millis(250);
/// The longest wait for a callback.
const MAX_WAIT_SECONDS: u64 = 20;

pub async fn clock_get(request: OpenRequest) -> Result<Response, UseCaseError> {
    Ok(json(StatusCode::OK, &wire::clock(request.state.app.now())))
}

pub async fn clock_advance(request: OpenRequest) -> Result<Response, UseCaseError> {
    require_own_origin(&request.state, &request.parts)?;
    let by = wire::advance(&request.json()?)?;
    let now = request.state.app.clock_advance(by).await?;
    Ok(json(StatusCode::OK, &wire::clock(now)))
}

pub async fn messages(request: OpenRequest) -> Result<Response, UseCaseError> {
    let messages = request.state.app.messages().await?;
    Ok(json(StatusCode::OK, &wire::messages(&messages)))
}

/// Lists the callbacks of the calling application after a cursor. When there are none it waits for one, as long as the caller asks
/// for and the server is not shutting down.
pub async fn callback_list(request: MerchantRequest) -> Result<Response, UseCaseError> {
    let query = request.query()?;
    let after = query.get("after").map(|text| {
        FeedCursor::parse(text).ok_or_else(|| malformed("after", "must be the cursor of an earlier response"))
    });
    let after = after.transpose()?;
    let wait = query.get("wait").map(|text| {
        let seconds = text.parse::<u64>().ok().filter(|seconds| *seconds <= MAX_WAIT_SECONDS);
        seconds.ok_or_else(|| {
            malformed("wait", format!("must be a number of seconds from 0 to {MAX_WAIT_SECONDS}"))
        })
    });
    let state = &request.state;
    let wait = Duration::from_secs(wait.transpose()?.unwrap_or(0)).min(state.settings.request_timeout / 2);
    let end = Instant::now() + wait;
    loop {
        let feed = state.app.callback_feed(request.caller.application, after).await?;
        let is_final = after.is_none() || Instant::now() >= end || state.draining.load(Ordering::Relaxed);
        if is_final || !feed.callbacks.is_empty() {
            return Ok(json(StatusCode::OK, &sandbox_callback::list(&feed)));
        }
        tokio::time::sleep(POLL_INTERVAL).await;
    }
}

/// Updates the URLs of the calling application: the path identifies it, its headers authenticate it.
pub async fn application_change(request: ApplicationRequest) -> Result<Response, UseCaseError> {
    require_own_origin(&request.state, &request.parts)?;
    let application = &request.caller;
    match application.owner {
        ApplicationOwner::ThirdParty => {
            let client = request.header(&["ClientId"])?.and_then(ApplicationId::parse);
            if client != Some(application.id) {
                let text = "must be the id of the application that the subscription key belongs to";
                return Err(Refusal::at(RefusalReason::ClientUnknown, Field::ClientId, text).into());
            }
        }
        ApplicationOwner::Merchant { .. } => {
            App::authenticate_merchant(application, request.header(&["X-Application-ID"])?)?;
        }
    }
    if ApplicationId::parse(request.path("applicationId")) != Some(application.id) {
        let text = "must be the id of the calling application";
        return Err(
            Refusal::at(RefusalReason::ResourceUnknown, FieldPath::spelled("applicationId"), text).into()
        );
    }
    let change = wire::change(&request.json()?, application.owner)?;
    let view = request.state.app.application_change(application.id, change).await?;
    Ok(json(StatusCode::OK, &wire::application(&view, application.owner)))
}

/// Most of these operations take no headers, so a page of another site could send them from a developer's browser.
pub fn require_own_origin(state: &AppState, parts: &Parts) -> Result<(), Refusal> {
    if csrf::is_same_origin(&state.settings, &parts.headers) {
        return Ok(());
    }
    Err(Refusal::new(RefusalReason::RoleMissing, "must not be sent by a page of another site"))
}
