//! What makes the app an app: the news as it happens, and the files by which a telephone installs it. What is asked and
//! of whom is not known here.

use super::page_request::PageRequest;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use futures_util::stream;
use std::convert::Infallible;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;
use tokio::sync::{Semaphore, SemaphorePermit};
use trapeza_app::device::DeviceSession;
use trapeza_domain::id::AuthorisationId;
use trapeza_http::AppState;

/// How often the bank looks for what is new. Every process looks for itself, since another may have been asked.
const EVERY: Duration = Duration::from_secs(1);
/// How long one stream lives; the browser then asks for another.
const LOOKS: u32 = 600;
/// How many browsers may listen at a time. One too many is told to try again, and has its page meanwhile.
static LISTENERS: Semaphore = Semaphore::const_new(1024);

const WORKER: &str = include_str!("../templates/scripts/worker.js");
const MANIFEST: &str = include_str!("../templates/app.webmanifest");
const ICON: &str = include_str!("../templates/icon.svg");

/// One browser that listens.
struct Listener {
    state: Arc<AppState>,
    browser: String,
    /// What it was told last.
    told: Option<String>,
    looks: u32,
    _place: SemaphorePermit<'static>,
}

/// Tells the browser whenever what its customer is asked has changed, and when the app has locked itself.
pub fn events(request: &PageRequest) -> Response {
    let Ok(place) = LISTENERS.try_acquire() else {
        return (StatusCode::SERVICE_UNAVAILABLE, [(header::RETRY_AFTER, "30")]).into_response();
    };
    let (state, browser) = (request.state.clone(), request.session.clone());
    let listener = Listener { state, browser, told: None, looks: 0, _place: place };
    let news = stream::unfold(Some(listener), |listener| async move { listener?.next().await });
    let kept = KeepAlive::new().interval(Duration::from_secs(15));
    let mut response = Sse::new(news).keep_alive(kept).into_response();
    response.headers_mut().insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response
}

type Told = (Result<Event, Infallible>, Option<Listener>);

impl Listener {
    /// Waits for something to tell. The last thing is told without a listener to go on with.
    async fn next(mut self) -> Option<Told> {
        loop {
            if self.looks > 0 {
                tokio::time::sleep(EVERY).await;
            }
            self.looks += 1;
            if self.looks > LOOKS || self.state.draining.load(Ordering::Relaxed) {
                return None;
            }
            let psu = match self.state.app.device_session(&self.browser).await {
                Ok(DeviceSession::SignedIn { psu, .. }) => psu,
                Ok(_) => return Some((Ok(Event::default().event("locked").data("")), None)),
                Err(_) => return None,
            };
            let Ok(waiting) = self.state.app.approval_pending_ids(psu).await else { return None };
            let seen = seen(waiting.iter());
            if self.told.as_ref() != Some(&seen) {
                self.told = Some(seen.clone());
                return Some((Ok(Event::default().event("questions").data(seen)), Some(self)));
            }
        }
    }
}

/// What a page shows, in a word that changes with it.
pub fn seen<'a>(questions: impl Iterator<Item = &'a AuthorisationId>) -> String {
    let ids: Vec<String> = questions.map(AuthorisationId::to_string).collect();
    ids.join(" ")
}

pub async fn worker() -> Response {
    let mut response = file("text/javascript; charset=utf-8", WORKER);
    // The app's first page lies above the worker's own directory.
    response.headers_mut().insert("service-worker-allowed", HeaderValue::from_static("/app"));
    response
}

pub async fn manifest() -> Response {
    file("application/manifest+json", MANIFEST)
}

pub async fn icon() -> Response {
    file("image/svg+xml", ICON)
}

fn file(kind: &'static str, text: &'static str) -> Response {
    ([(header::CONTENT_TYPE, kind), (header::CACHE_CONTROL, "max-age=3600")], text).into_response()
}
