//! Server-sent events of the bank's app, and the files that make it installable.

use super::brand::BrandView;
use super::internal_error;
use super::page_request::PageRequest;
use axum::body::Body;
use axum::extract::State;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use futures_util::stream;
use serde_json::{Value, json};
use std::collections::HashMap;
use std::convert::Infallible;
use std::sync::atomic::Ordering;
use std::sync::{Arc, LazyLock, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use trapeza_app::device::DeviceSession;
use trapeza_domain::id::{AuthorisationId, PsuId};
use trapeza_http::AppState;
use trapeza_texts::Language;
use trapeza_texts::page::PageTexts;

/// How often the database is polled. Every process polls, since another one may have stored the approval.
const POLL_INTERVAL: Duration = Duration::from_secs(1);
/// The number of polls per stream; the browser then reconnects.
const MAX_POLLS: u32 = 600;
/// The number of concurrent streams, and of one customer. Further browsers must retry; their page works without events.
const MAX_STREAMS: u32 = 1024;
const MAX_STREAMS_PER_PSU: u32 = 4;

/// Concurrent streams per customer.
static STREAMS: LazyLock<Mutex<HashMap<PsuId, u32>>> = LazyLock::new(Mutex::default);

const WORKER: &str = include_str!("../templates/scripts/worker.js");
const ICON: &str = include_str!("../templates/icon.svg");

/// One connected browser.
struct Listener {
    state: Arc<AppState>,
    browser: String,
    /// The last event that was sent.
    last_event: Option<String>,
    polls: u32,
    _permit: StreamPermit,
}

/// The right to hold one stream open.
struct StreamPermit(PsuId);

impl StreamPermit {
    fn acquire(psu: PsuId) -> Option<Self> {
        let mut streams = streams();
        let all: u32 = streams.values().sum();
        let own = streams.entry(psu).or_default();
        if all >= MAX_STREAMS || *own >= MAX_STREAMS_PER_PSU {
            return None;
        }
        *own += 1;
        Some(Self(psu))
    }
}

impl Drop for StreamPermit {
    fn drop(&mut self) {
        let mut streams = streams();
        if let Some(own) = streams.get_mut(&self.0) {
            *own -= 1;
        }
        streams.retain(|_, own| *own > 0);
    }
}

fn streams() -> MutexGuard<'static, HashMap<PsuId, u32>> {
    // No operation under the lock can panic halfway.
    STREAMS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Streams an event whenever the pending approvals change, and when the session ends.
pub async fn events(request: &PageRequest) -> Response {
    let (state, browser) = (request.state.clone(), request.session.clone());
    let permit = match state.app.device_session(&browser).await {
        Ok(DeviceSession::SignedIn { psu, .. }) => StreamPermit::acquire(psu),
        Ok(_) => {
            let ended = stream::iter([Ok::<_, Infallible>(locked())]);
            return Sse::new(ended).into_response();
        }
        Err(error) => return internal_error(request, &error),
    };
    let Some(permit) = permit else {
        return (StatusCode::SERVICE_UNAVAILABLE, [(header::RETRY_AFTER, "30")]).into_response();
    };
    let listener = Listener { state, browser, last_event: None, polls: 0, _permit: permit };
    let events = stream::unfold(Some(listener), |listener| async move { listener?.next().await });
    let keep_alive = KeepAlive::new().interval(Duration::from_secs(15));
    let mut response = Sse::new(events).keep_alive(keep_alive).into_response();
    response.headers_mut().insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response
}

type NextEvent = (Result<Event, Infallible>, Option<Listener>);

impl Listener {
    /// Waits for the next event. The last one returns no listener, which ends the stream.
    async fn next(mut self) -> Option<NextEvent> {
        loop {
            if self.polls > 0 {
                tokio::time::sleep(POLL_INTERVAL).await;
            }
            self.polls += 1;
            if self.polls > MAX_POLLS || self.state.draining.load(Ordering::Relaxed) {
                return None;
            }
            let psu = match self.state.app.device_session(&self.browser).await {
                Ok(DeviceSession::SignedIn { psu, .. }) => psu,
                Ok(_) => return Some((Ok(locked()), None)),
                Err(_) => return None,
            };
            let Ok(waiting) = self.state.app.approval_pending_ids(psu).await else { return None };
            let seen = seen(waiting.iter());
            if self.last_event.as_ref() != Some(&seen) {
                self.last_event = Some(seen.clone());
                return Some((Ok(Event::default().event("questions").data(seen)), Some(self)));
            }
        }
    }
}

/// The session has ended.
fn locked() -> Event {
    Event::default().event("locked").data("")
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
    let bank = state.app.bank_profile();
    let (brand, colour) = (BrandView::of(&bank.brand), bank.brand.colour_light);
    let icon =
        json!({ "src": brand.icon, "sizes": "any", "type": brand.icon_type, "purpose": "any maskable" });
    let manifest = json!({
        "id": "/app",
        "name": **state.app.bank_name(),
        "short_name": **state.app.bank_name(),
        "start_url": "/app",
        "scope": "/app",
        "display": "standalone",
        "background_color": "#fbfaf8",
        "theme_color": colour.map_or("#1f5fa8".to_owned(), |colour| colour.to_string()),
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

#[cfg(test)]
mod tests {
    use super::*;
    use uuid::Uuid;

    #[test]
    fn one_customer_cannot_take_the_streams_of_another() {
        let psu = |number| PsuId::new(Uuid::from_u128(number));
        let held: Vec<_> = (0..MAX_STREAMS_PER_PSU).map(|_| StreamPermit::acquire(psu(1)).unwrap()).collect();
        assert!(StreamPermit::acquire(psu(1)).is_none());
        assert!(StreamPermit::acquire(psu(2)).is_some());
        drop(held);
        assert!(StreamPermit::acquire(psu(1)).is_some());
        assert!(streams().is_empty());
    }
}
