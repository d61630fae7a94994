//! The admin API: what the console shows and does, as JSON, for a person's own programs. A request has a token of a member of the staff
//! and acts with the role of that person. The use cases check the role; this module only reads and writes JSON.

mod error;
mod json;

use crate::api::error::{ApiError, failure};
use axum::Router;
use axum::body::{Body, to_bytes};
use axum::extract::{Path, Request, State};
use axum::http::{StatusCode, header};
use axum::response::Response;
use axum::routing::{get, post};
use serde_json::{Map, Value, json};
use std::collections::HashMap;
use std::sync::Arc;
use trapeza_app::staff::{ActionParameters, ActionResult};
use trapeza_app::work_list::{MAX_ROWS, WorkListKind};
use trapeza_app::{App, UseCaseError};
use trapeza_domain::field::Field;
use trapeza_domain::id::StaffRequestId;
use trapeza_domain::refusal::{Refusal, RefusalReason};
use trapeza_domain::search::SearchKind;
use trapeza_domain::staff::{Staff, StaffAction};
use trapeza_http::AppState;
use trapeza_http::extract::CorrelationId;
use url::form_urlencoded;
use uuid::Uuid;

/// The largest body.
const MAX_BODY_BYTES: usize = 16 * 1024;
/// How many of the newest requests are listed.
const MAX_LISTED: i64 = 200;

/// Every route with its method, for tests of access.
pub const ROUTES: &[(&str, &str)] = &[
    ("GET", "/admin/v1/search"),
    ("GET", "/admin/v1/objects/{kind}/{id}"),
    ("GET", "/admin/v1/work-lists"),
    ("GET", "/admin/v1/work-lists/{name}"),
    ("GET", "/admin/v1/actions"),
    ("POST", "/admin/v1/actions/{name}"),
    ("GET", "/admin/v1/requests"),
    ("GET", "/admin/v1/requests/{id}"),
    ("POST", "/admin/v1/requests/{id}/approve"),
    ("POST", "/admin/v1/requests/{id}/reject"),
    ("POST", "/admin/v1/requests/{id}/cancel"),
];

type Parameters = Path<HashMap<String, String>>;
type ApiResult = Result<(StatusCode, Value), ApiError>;

/// A request of an authenticated person.
struct Call {
    state: Arc<AppState>,
    person: Staff,
    path: HashMap<String, String>,
    query: HashMap<String, String>,
    headers: axum::http::HeaderMap,
    body: Body,
}

pub fn routes() -> Router<Arc<AppState>> {
    macro_rules! handler {
        ($function:path) => {
            |state: State<Arc<AppState>>, path: Parameters, request: Request| async move {
                respond(state, path, request, $function).await
            }
        };
    }
    Router::new()
        .route("/admin/v1/search", get(handler!(search)))
        .route("/admin/v1/objects/{kind}/{id}", get(handler!(object)))
        .route("/admin/v1/work-lists", get(handler!(work_lists)))
        .route("/admin/v1/work-lists/{name}", get(handler!(work_list)))
        .route("/admin/v1/actions", get(handler!(actions)))
        .route("/admin/v1/actions/{name}", post(handler!(action_run)))
        .route("/admin/v1/requests", get(handler!(requests)))
        .route("/admin/v1/requests/{id}", get(handler!(request_view)))
        .route("/admin/v1/requests/{id}/approve", post(handler!(request_approve)))
        .route("/admin/v1/requests/{id}/reject", post(handler!(request_reject)))
        .route("/admin/v1/requests/{id}/cancel", post(handler!(request_cancel)))
}

async fn respond<F: Future<Output = ApiResult> + Send>(
    State(state): State<Arc<AppState>>,
    Path(path): Parameters,
    request: Request,
    handle: impl FnOnce(Call) -> F + Send,
) -> Response {
    let correlation = CorrelationId::of(request.extensions());
    let handled = async {
        let person = authenticate(&state.app, token(&request)).await?;
        let query = request.uri().query().unwrap_or_default();
        let query = form_urlencoded::parse(query.as_bytes()).into_owned().collect();
        let (parts, body) = request.into_parts();
        handle(Call { state, person, path, query, headers: parts.headers, body }).await
    };
    match handled.await {
        Ok((status, body)) => trapeza_http::response::json(status, &body),
        Err(error) => failure(error, correlation),
    }
}

/// The token in the header `Authorization`.
fn token(request: &Request) -> Option<String> {
    let header = request.headers().get(header::AUTHORIZATION)?.to_str().ok()?;
    let token = header.strip_prefix("Bearer ")?.trim();
    (!token.is_empty()).then(|| token.to_owned())
}

async fn authenticate(app: &App, token: Option<String>) -> Result<Staff, ApiError> {
    let missing = "the header Authorization must be: Bearer TOKEN";
    let token = token.ok_or(ApiError::Unauthenticated(missing))?;
    let found = app.staff_token_authenticate(&token).await?;
    found.ok_or(ApiError::Unauthenticated("the token is unknown, was revoked or has expired"))
}

impl Call {
    fn app(&self) -> &App {
        &self.state.app
    }

    fn segment(&self, name: &str) -> &str {
        self.path.get(name).map_or("", String::as_str)
    }

    fn request_id(&self) -> Result<StaffRequestId, Refusal> {
        let unknown = || Refusal::new(RefusalReason::ResourceUnknown, "unknown request");
        StaffRequestId::parse(self.segment("id")).ok_or_else(unknown)
    }

    fn action(&self) -> Result<StaffAction, Refusal> {
        let unknown = || Refusal::new(RefusalReason::ResourceUnknown, "unknown action");
        StaffAction::parse(self.segment("name")).ok_or_else(unknown)
    }
}

async fn search(call: Call) -> ApiResult {
    let text = call.query.get("q").map_or("", String::as_str);
    let hits = call.app().staff_search(call.person.id, text).await?;
    Ok((StatusCode::OK, json!({ "results": hits.iter().map(json::hit).collect::<Vec<_>>() })))
}

async fn object(call: Call) -> ApiResult {
    let unknown = || Refusal::at(RefusalReason::ResourceUnknown, Field::Object, "unknown kind of object");
    let kind = SearchKind::parse_path(call.segment("kind")).ok_or_else(unknown)?;
    let view = call.app().object_view(call.person.id, kind, call.segment("id")).await?;
    let timeline = call.app().timeline(view.objects.clone()).await?;
    Ok((StatusCode::OK, json::object(&view, &timeline)))
}

async fn work_lists(call: Call) -> ApiResult {
    let counts = call.app().work_list_counts(call.person.id).await?;
    Ok((StatusCode::OK, json!({ "workLists": counts.iter().map(json::count).collect::<Vec<_>>() })))
}

async fn work_list(call: Call) -> ApiResult {
    let unknown = || Refusal::new(RefusalReason::ResourceUnknown, "unknown work list");
    let kind = WorkListKind::parse(call.segment("name")).ok_or_else(unknown)?;
    let limit = match call.query.get("limit").map(|text| text.parse::<usize>()) {
        None => MAX_ROWS,
        Some(Ok(limit)) if (1..=MAX_ROWS).contains(&limit) => limit,
        Some(_) => return Err(ApiError::field("limit", format!("must be 1–{MAX_ROWS}"))),
    };
    let list = call.app().work_list(call.person.id, kind, limit).await?;
    Ok((StatusCode::OK, json::work_list(&list)))
}

async fn actions(call: Call) -> ApiResult {
    let actions = StaffAction::ALL.iter().map(|action| json::action(*action, &call.person));
    Ok((StatusCode::OK, json!({ "actions": actions.collect::<Vec<_>>() })))
}

async fn action_run(call: Call) -> ApiResult {
    let action = call.action()?;
    // Who may not do it does not learn whether the body is right.
    call.person.require(action)?;
    let key = match call.headers.get("idempotency-key").map(|key| key.to_str().map(Uuid::parse_str)) {
        None => call.app().staff_action_key(),
        Some(Ok(Ok(key))) => key,
        Some(_) => return Err(ApiError::field("Idempotency-Key", "must be a UUID")),
    };
    let (state, person) = (call.state.clone(), call.person.id);
    let mut body = read_object(call.body, &["parameters", "reason"]).await?;
    let parameters = match body.remove("parameters").unwrap_or_else(|| json!({})) {
        Value::Object(values) => texts(values)?,
        _ => return Err(ApiError::field("parameters", "must be an object")),
    };
    let reason = text(&mut body, "reason")?;
    let parameters = ActionParameters::new(parameters);
    match state.app.staff_action_run_once(key, person, action, &parameters, &reason).await? {
        ActionResult::Done(outcome) => Ok((StatusCode::OK, json::outcome(&outcome))),
        ActionResult::Requested(request) => {
            let body = json!({ "status": "requested", "request": json::request(&request)? });
            Ok((StatusCode::ACCEPTED, body))
        }
    }
}

async fn requests(call: Call) -> ApiResult {
    let requests = call.app().staff_request_list(call.person.id, MAX_LISTED).await?;
    let requests: Result<Vec<Value>, UseCaseError> = requests.iter().map(json::request).collect();
    Ok((StatusCode::OK, json!({ "requests": requests? })))
}

async fn request_view(call: Call) -> ApiResult {
    let found = call.app().staff_request_view(call.person.id, call.request_id()?).await?;
    Ok((StatusCode::OK, json::request(&found)?))
}

async fn request_approve(call: Call) -> ApiResult {
    let outcome = call.app().staff_request_approve(call.person.id, call.request_id()?).await?;
    Ok((StatusCode::OK, json::outcome(&outcome)))
}

async fn request_reject(call: Call) -> ApiResult {
    let (state, person, id) = (call.state.clone(), call.person.id, call.request_id()?);
    let mut body = read_object(call.body, &["reason"]).await?;
    state.app.staff_request_reject(person, id, &text(&mut body, "reason")?).await?;
    Ok((StatusCode::OK, json::request(&state.app.staff_request_view(person, id).await?)?))
}

async fn request_cancel(call: Call) -> ApiResult {
    let (person, id) = (call.person.id, call.request_id()?);
    call.app().staff_request_cancel(person, id).await?;
    Ok((StatusCode::OK, json::request(&call.app().staff_request_view(person, id).await?)?))
}

/// The body as an object with these members at most. No body is an empty object.
async fn read_object(body: Body, names: &[&str]) -> Result<Map<String, Value>, ApiError> {
    let too_large = || Refusal::new(RefusalReason::TooLarge, "the body must have at most 16 KiB");
    let bytes = to_bytes(body, MAX_BODY_BYTES).await.map_err(|_| too_large())?;
    if bytes.is_empty() {
        return Ok(Map::new());
    }
    let parsed: Value = serde_json::from_slice(&bytes)
        .map_err(|error| Refusal::new(RefusalReason::Malformed, format!("the body must be JSON: {error}")))?;
    let Value::Object(object) = parsed else {
        return Err(Refusal::new(RefusalReason::Malformed, "the body must be a JSON object").into());
    };
    match object.keys().find(|name| !names.contains(&name.as_str())) {
        Some(unknown) => Err(ApiError::field(unknown, format!("unknown field; use {}", names.join(", ")))),
        None => Ok(object),
    }
}

/// A text, empty when it is absent.
fn text(body: &mut Map<String, Value>, name: &str) -> Result<String, ApiError> {
    match body.remove(name) {
        None | Some(Value::Null) => Ok(String::new()),
        Some(Value::String(text)) => Ok(text),
        Some(_) => Err(ApiError::field(name, "must be a text")),
    }
}

fn texts(values: Map<String, Value>) -> Result<Vec<(String, String)>, ApiError> {
    let text = |(name, value): (String, Value)| match value {
        Value::String(text) => Ok((name, text)),
        _ => Err(ApiError::field(&format!("parameters.{name}"), "must be a text")),
    };
    values.into_iter().map(text).collect()
}
