//! Extraction of API requests: authentication, headers, path, query and body.
//!
//! Checks run in the documented order (docs/behaviour/authentication.md), and the first that fails answers. After route
//! and method: announced body size, subscription key, rate limit, client id and certificate, role, signature, `Accept`,
//! `x-Request-ID`. The body is read once the caller is known, because the signature covers it. The handler then reads its own headers, the path and the body.

mod accept;
mod body;
pub mod fields;
pub mod header;
mod idempotency;
pub mod json;
mod merchant;
mod path;
pub mod query;
mod tpp;

pub use accept::{prefers_html, wants_xml};

use crate::AppState;
use crate::error_response::{self, ErrorContext};
use crate::operation::{Access, BodyLimit, Operation};
use crate::router::{HandledRequest, IncomingRequest, OperationHandler};
use crate::server::Peer;
use crate::signature::{self, SignatureMode, SignedRequest};
use axum::body::Body;
use axum::extract::Request;
use axum::http::request::Parts;
use axum::http::{Extensions, StatusCode};
use axum::response::Response;
use bytes::Bytes;
use json::Json;
use path::Segments;
use query::Query;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Instant;
use trapeza_app::{Merchant, Tpp, UseCaseError};
use trapeza_domain::application::Application;
use trapeza_domain::field::FieldPath;
use trapeza_domain::id::ApplicationId;
use trapeza_domain::refusal::{Refusal, RefusalReason};
use uuid::Uuid;

/// An authenticated request of a caller (`Tpp`, `Merchant`, `Application`, or `()` where anyone may call).
pub struct ApiRequest<C> {
    pub state: Arc<AppState>,
    pub operation: &'static Operation,
    pub caller: C,
    pub parts: Parts,
    pub body: Bytes,
    path: Segments,
    request_id: Uuid,
}

/// The largest file that a sandbox imports.
pub const MAX_BANK_BYTES: usize = 32 << 20;

/// The correlation id of a request, as an extension for pages.
#[derive(Clone, Copy, Debug)]
pub struct CorrelationId(pub Uuid);

impl CorrelationId {
    /// The id of a page's request.
    pub fn of(extensions: &Extensions) -> Uuid {
        extensions.get::<Self>().map_or(Uuid::nil(), |id| id.0)
    }
}

pub type TppRequest = ApiRequest<Tpp>;
pub type MerchantRequest = ApiRequest<Merchant>;
pub type ApplicationRequest = ApiRequest<Arc<Application>>;
pub type OpenRequest = ApiRequest<()>;

/// A kind of caller, as a type: a handler's signature shows who may call it.
pub trait Caller: Sized + Send {
    fn authenticate(
        state: &AppState,
        operation: &'static Operation,
        parts: &Parts,
        peer: &Peer,
    ) -> impl Future<Output = Result<Self, UseCaseError>> + Send;

    /// The application that the caller has authenticated as, for the log.
    fn application(&self) -> Option<ApplicationId>;

    /// organizationIdentifier of the certificate that has authenticated the caller, which signs with a seal of the same organisation.
    fn organisation(&self) -> Option<&str> {
        None
    }
}

impl Caller for () {
    async fn authenticate(
        _: &AppState,
        _: &'static Operation,
        _: &Parts,
        _: &Peer,
    ) -> Result<Self, UseCaseError> {
        Ok(())
    }

    fn application(&self) -> Option<ApplicationId> {
        None
    }
}

type HandlerFuture = Pin<Box<dyn Future<Output = Result<Response, UseCaseError>> + Send>>;
/// A handler with its future in a box, so that what happens around it is compiled once for each kind of caller.
type Handler<C> = Arc<dyn Fn(ApiRequest<C>) -> HandlerFuture + Send + Sync>;

/// Wraps a handler function: extracts its request before, and turns errors into responses after.
pub fn handler<C, H, F>(handle: H) -> OperationHandler
where
    C: Caller + 'static,
    H: Fn(ApiRequest<C>) -> F + Send + Sync + 'static,
    F: Future<Output = Result<Response, UseCaseError>> + Send + 'static,
{
    let handler: Handler<C> = Arc::new(move |request| Box::pin(handle(request)));
    Box::new(move |state, operation, incoming| Box::pin(respond(handler.clone(), state, operation, incoming)))
}

async fn respond<C: Caller>(
    handler: Handler<C>,
    state: Arc<AppState>,
    operation: &'static Operation,
    IncomingRequest { request, peer, correlation }: IncomingRequest,
) -> HandledRequest {
    let started = Instant::now();
    let (mut application, mut capture) = (None, None);
    let handled = match extract::<C>(state, operation, request, peer).await {
        Ok(request) => {
            application = request.caller.application();
            if let Some(application) = application.filter(|_| operation.is_logged) {
                let log = &request.state.request_log;
                capture = log
                    .capture(application, started, &request.parts, &request.body)
                    .map(|capture| (request.state.clone(), capture));
            }
            handler(request).await.map_err(Rejection::Error)
        }
        Err(rejected) => {
            let Rejected { state, parts, rejection } = *rejected;
            if let Some(application) = Box::pin(identified_application(&state, &parts, &rejection)).await {
                let log = &state.request_log;
                capture =
                    log.capture(application, started, &parts, &Bytes::new()).map(|capture| (state, capture));
            }
            Err(rejection)
        }
    };
    let context = ErrorContext::of(operation, correlation);
    let response = match handled {
        Ok(response) => response,
        Err(Rejection::Error(error)) => error_response::from_error(&context, error),
        Err(Rejection::BodyTimeout) => {
            let status = StatusCode::REQUEST_TIMEOUT;
            error_response::with_status(&context, status, error_response::BODY_TIMEOUT)
        }
    };
    let response = match capture {
        Some((state, capture)) => {
            let log = &state.request_log;
            Box::pin(log.enqueue(&state, capture, operation.id, correlation, response)).await
        }
        None => response,
    };
    HandledRequest { response, application }
}

/// Why a request did not reach its handler.
enum Rejection {
    Error(UseCaseError),
    BodyTimeout,
}

/// A request that did not reach its handler.
struct Rejected {
    state: Arc<AppState>,
    parts: Parts,
    rejection: Rejection,
}

/// The application whose key a rejected request has, for its request log.
async fn identified_application(
    state: &AppState,
    parts: &Parts,
    rejection: &Rejection,
) -> Option<ApplicationId> {
    let is_unknown = matches!(
        rejection,
        Rejection::Error(UseCaseError::Refused(refusal)) if refusal.reason == RefusalReason::KeyUnknown
    );
    if is_unknown || !state.request_log.is_enabled() {
        return None;
    }
    let key = header::SUBSCRIPTION_KEY.of(&parts.headers).ok()??;
    Some(state.app.authenticate_key(Some(key)).await.ok()?.id)
}

impl<E: Into<UseCaseError>> From<E> for Rejection {
    fn from(error: E) -> Self {
        Self::Error(error.into())
    }
}

async fn extract<C: Caller>(
    state: Arc<AppState>,
    operation: &'static Operation,
    request: Request,
    peer: Peer,
) -> Result<ApiRequest<C>, Box<Rejected>> {
    let path = Segments::parse(request.uri().path());
    let (parts, body) = request.into_parts();
    match read::<C>(&state, operation, &parts, body, &peer).await {
        Ok((caller, body, request_id)) => {
            Ok(ApiRequest { state, operation, caller, parts, body, path, request_id })
        }
        Err(rejection) => Err(Box::new(Rejected { state, parts, rejection })),
    }
}

/// Runs the checks in their order. Returns the caller, the body and the request id.
async fn read<C: Caller>(
    state: &AppState,
    operation: &'static Operation,
    parts: &Parts,
    body: Body,
    peer: &Peer,
) -> Result<(C, Bytes, Uuid), Rejection> {
    let limit = match operation.body_limit {
        BodyLimit::Default => state.settings.body_bytes,
        BodyLimit::Basket => state.settings.basket_body_bytes,
        BodyLimit::Bank => MAX_BANK_BYTES,
    };
    let caller = match body::check_announced_length(&parts.headers, limit) {
        Ok(()) => C::authenticate(state, operation, parts, peer).await,
        Err(refusal) => Err(refusal.into()),
    };
    let caller = match caller {
        Ok(caller) => caller,
        Err(error) => {
            Box::pin(body::discard(body)).await;
            return Err(error.into());
        }
    };
    let body = body::read_body(&parts.headers, body, limit).await?;
    if state.settings.signature.mode != SignatureMode::Off {
        verify_signature(state, operation, &caller, parts, &body)
            .map_err(|error| record_failure(state, peer, error))?;
    }
    let mut request_id = Uuid::nil();
    if operation.access != Access::Open {
        accept::check_accept(&parts.headers, operation.has_xml)?;
    }
    if let Access::Tpp(_) = operation.access {
        request_id = idempotency::read_request_id(&parts.headers)?;
    }
    Ok((caller, body, request_id))
}

/// Verifies the signature of a third party's request.
fn verify_signature<C: Caller>(
    state: &AppState,
    operation: &Operation,
    caller: &C,
    parts: &Parts,
    body: &Bytes,
) -> Result<(), UseCaseError> {
    let (Access::Tpp(role), Some(organisation)) = (operation.access, caller.organisation()) else {
        return Ok(());
    };
    let settings = &state.settings.signature;
    let Parts { method, uri, headers, .. } = parts;
    let request = SignedRequest { method, uri, headers, body, organisation, role, now: state.app.now() };
    Ok(signature::verify(settings.mode, &settings.authorities.current(), &request)?)
}

/// A refusal of a header or parameter, by its name in the specification.
pub fn malformed(name: &str, text: impl Into<String>) -> Refusal {
    Refusal::malformed(FieldPath::spelled(name), text)
}

/// Counts a failed authentication. An address with too many of them is refused with a wait; its successful requests are not
/// delayed.
fn record_failure(state: &AppState, peer: &Peer, error: UseCaseError) -> UseCaseError {
    match error {
        UseCaseError::Refused(refusal) => {
            state.rate_limiter.record_failure(peer.address.ip()).err().unwrap_or(refusal).into()
        }
        failed => failed,
    }
}

impl<C> ApiRequest<C> {
    /// A path parameter, as text. The route guarantees that it exists.
    pub fn path(&self, name: &str) -> &str {
        self.path.param(name, self.operation.path, self.parts.uri.path()).unwrap_or_default()
    }

    /// A header by its name in the specification and its aliases.
    pub fn header(&self, names: &[&'static str]) -> Result<Option<&str>, Refusal> {
        let headers = &self.parts.headers;
        match names {
            // Most headers have one spelling, and most are absent.
            [name] => header::single(name, headers.get_all(*name).iter()),
            _ => {
                let values = names.iter().flat_map(|name| headers.get_all(*name));
                header::single(names.first().copied().unwrap_or_default(), values)
            }
        }
    }

    /// The query parameters.
    pub fn query(&self) -> Result<Query, Refusal> {
        Query::parse(self.parts.uri.query().unwrap_or_default())
    }

    /// The body as JSON.
    pub fn json(&self) -> Result<Json<'_>, Refusal> {
        let parsed = json::parse(&self.body, self.state.settings.json_depth);
        parsed.map_err(|error| Refusal::new(RefusalReason::Malformed, error))
    }
}
