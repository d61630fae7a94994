//! Server-sent events of the bank's app, and the files that make it installable.

use super::page_request::PageRequest;
use axum::body::Body;
use axum::extract::State;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use futures_util::stream;
use serde_json::{Value, json};
use std::convert::Infallible;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;
use tokio::sync::{Semaphore, SemaphorePermit};
use trapeza_app::device::DeviceSession;
use trapeza_domain::id::AuthorisationId;
use trapeza_http::AppState;
use trapeza_texts::Language;
use trapeza_texts::page::PageTexts;

/// How often the database is polled. Every process polls, since another one may have stored the approval.
const POLL_INTERVAL: Duration = Duration::from_secs(1);
/// The number of polls per stream; the browser then reconnects.
const MAX_POLLS: u32 = 600;
/// The number of concurrent streams. Further browsers must retry; their page works without events.
static LISTENERS: Semaphore = Semaphore::const_new(1024);

const WORKER: &str = include_str!("../templates/scripts/worker.js");
const ICON: &str = include_str!("../templates/icon.svg");

/// One connected browser.
struct Listener {
    state: Arc<AppState>,
    browser: String,
    /// The last event that was sent.
    notice: Option<String>,
    looks: u32,
    _place: SemaphorePermit<'static>,
}

/// Streams an event whenever the pending approvals change, and when the session ends.
pub fn events(request: &PageRequest) -> Response {
    let Ok(place) = LISTENERS.try_acquire() else {
        return (StatusCode::SERVICE_UNAVAILABLE, [(header::RETRY_AFTER, "30")]).into_response();
    };
    let (state, browser) = (request.state.clone(), request.session.clone());
    let listener = Listener { state, browser, notice: None, looks: 0, _place: place };
    let news = stream::unfold(Some(listener), |listener| async move { listener?.next().await });
    let kept = KeepAlive::new().interval(Duration::from_secs(15));
    let mut response = Sse::new(news).keep_alive(kept).into_response();
    response.headers_mut().insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response
}

type NextEvent = (Result<Event, Infallible>, Option<Listener>);

impl Listener {
    /// Waits for the next event. The last one returns no listener, which ends the stream.
    async fn next(mut self) -> Option<NextEvent> {
        loop {
            if self.looks > 0 {
                tokio::time::sleep(POLL_INTERVAL).await;
            }
            self.looks += 1;
            if self.looks > MAX_POLLS || self.state.draining.load(Ordering::Relaxed) {
                return None;
            }
            let psu = match self.state.app.device_session(&self.browser).await {
                Ok(DeviceSession::SignedIn { psu, .. }) => psu,
                Ok(_) => return Some((Ok(Event::default().event("locked").data("")), None)),
                Err(_) => return None,
            };
            let Ok(waiting) = self.state.app.approval_pending_ids(psu).await else { return None };
            let seen = seen(waiting.iter());
            if self.notice.as_ref() != Some(&seen) {
                self.notice = Some(seen.clone());
                return Some((Ok(Event::default().event("questions").data(seen)), Some(self)));
            }
        }
    }
}

/// A digest of the pending approvals, which changes with them.
pub fn seen<'a>(questions: impl Iterator<Item = &'a AuthorisationId>) -> String {
    let ids: Vec<String> = questions.map(AuthorisationId::to_string).collect();
    ids.join(" ")
}

/// The service worker, with the texts it shows offline.
pub async fn worker(State(state): State<Arc<AppState>>) -> Response {
    let offline = Language::ALL
        .map(|language| (language.tag().to_owned(), Value::from(PageTexts::of(language).app.offline)));
    let (bank, offline) = (json!(**state.app.bank_name()), Value::from_iter(offline));
    let script = format!("const bank = {bank};\nconst offline = {offline};\n{WORKER}");
    let mut response = file("text/javascript; charset=utf-8", script);
    // The scope of the service worker includes `/app` itself.
    response.headers_mut().insert("service-worker-allowed", HeaderValue::from_static("/app"));
    response
}

/// The web app manifest: how the app is called and opened when it is installed on a device.
pub async fn manifest(State(state): State<Arc<AppState>>) -> Response {
    let icon =
        json!({ "src": "/app/icon.svg", "sizes": "any", "type": "image/svg+xml", "purpose": "any maskable" });
    let manifest = json!({
        "id": "/app",
        "name": **state.app.bank_name(),
        "short_name": **state.app.bank_name(),
        "start_url": "/app",
        "scope": "/app",
        "display": "standalone",
        "background_color": "#fbfaf8",
        "theme_color": "#1f5fa8",
        "icons": [icon],
    });
    file("application/manifest+json", manifest.to_string())
}

pub async fn icon() -> Response {
    file("image/svg+xml", ICON)
}

fn file(kind: &'static str, text: impl Into<Body>) -> Response {
    ([(header::CONTENT_TYPE, kind), (header::CACHE_CONTROL, "max-age=3600")], text.into()).into_response()
}
