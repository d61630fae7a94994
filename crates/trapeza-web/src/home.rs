//! Pages without a session, for people who follow a bare address: the first page, errors of paths that are not pages, and the messages
//! of the sandbox. Programs get the JSON responses of these paths.

use super::language::{self, texts};
use super::layout::{Back, Layout, render_without_cookie};
use super::templates::{DemoCustomer, ErrorPage, Home, Messages, Notice, SandboxStart, SentMessage};
use axum::extract::{Request, State};
use axum::http::{HeaderMap, Method, StatusCode};
use axum::response::Response;
use serde_json::Value;
use std::sync::Arc;
use trapeza_app::UseCaseError;
use trapeza_app::notification::MessageView;
use trapeza_app::sandbox::SandboxCustomer;
use trapeza_http::extract::{CorrelationId, prefers_html};
use trapeza_http::response::json;
use trapeza_http::{AppState, not_found};
use trapeza_texts::format;
use trapeza_texts::page::{PageTexts, fill};
use uuid::Uuid;

/// How many of the newest messages the first page shows.
const MESSAGES_SHOWN: usize = 3;

/// The first page: where customers and developers continue. Programs get the same links as JSON.
pub async fn home(State(state): State<Arc<AppState>>, request: Request) -> Response {
    if !matches!(*request.method(), Method::GET | Method::HEAD) {
        return not_found(request).await;
    }
    if !is_browser(&request) {
        return json(StatusCode::OK, &index(&state));
    }
    let texts = texts(&state, request.headers());
    let sandbox = match state.settings.sandbox {
        true => match sandbox_start(&state, texts).await {
            Ok(start) => Some(start),
            Err(error) => {
                let correlation = CorrelationId::of(request.extensions());
                return internal_error_page(&state, texts, correlation, &error);
            }
        },
        false => None,
    };
    let layout = layout(&state, texts, &fill(texts.home_title, state.app.bank_name()));
    render_without_cookie(&state, StatusCode::OK, &Home { layout, sandbox })
}

/// Where a program finds everything else.
fn index(state: &AppState) -> Value {
    let mut links = serde_json::json!({
        "openapi": "/openapi.json",
        "documentation": "/docs",
        "portal": "/portal",
        "app": "/app",
        "statistics": "/statistics",
        "ready": "/readyz",
    });
    if state.settings.sandbox {
        links["sandbox"] = serde_json::json!({
            "clock": "/sandbox/clock",
            "messages": "/sandbox/messages",
            "customers": "/sandbox/customers",
            "outcomes": "/sandbox/outcomes",
            "bank": "/sandbox/bank",
            "page": "/sandbox",
            "sampleThirdParty": "/sample/tpp",
            "sampleShop": "/sample/shop",
        });
    }
    serde_json::json!({ "bank": &**state.app.bank_name(), "sandbox": state.settings.sandbox, "links": links })
}

async fn sandbox_start(state: &AppState, texts: &PageTexts) -> Result<SandboxStart, UseCaseError> {
    let customer = |one: SandboxCustomer| DemoCustomer {
        name: one.customer.name,
        login: one.customer.login,
        password: one.customer.password.map(|password| password.expose().clone()),
        ibans: one.accounts.iter().map(|(account, _)| account.iban.printed()).collect(),
    };
    let (customers, sent) = (state.app.sandbox_customers().await?, state.app.messages().await?);
    let (zone, now) = (state.app.clock().zone(), state.app.now());
    Ok(SandboxStart {
        clock: fill(
            texts.home.clock_text,
            &format::day_and_time(texts.language, zone.day(now), &zone.clock_time(now)),
        ),
        customers: customers.into_iter().map(customer).collect(),
        messages: sent.into_iter().take(MESSAGES_SHOWN).map(|message| shown(state, texts, message)).collect(),
    })
}

fn internal_error_page(
    state: &AppState,
    texts: &'static PageTexts,
    correlation: Uuid,
    error: &UseCaseError,
) -> Response {
    if !error.is_overload() {
        tracing::error!(%correlation, %error, "page of the sandbox failed with an internal error");
    }
    let layout = layout(state, texts, texts.trouble_title);
    let page = Notice { layout, text: texts.trouble_text, back: None };
    render_without_cookie(state, StatusCode::SERVICE_UNAVAILABLE, &page)
}

/// An unknown path below `/app`.
pub async fn unknown(State(state): State<Arc<AppState>>, request: Request) -> Response {
    if !is_browser(&request) {
        return not_found(request).await;
    }
    let texts = texts(&state, request.headers());
    let layout = layout(&state, texts, texts.unknown_title);
    let back = Some(Back { href: "/app".to_owned(), label: texts.open_app.to_owned() });
    render_without_cookie(&state, StatusCode::NOT_FOUND, &Notice { layout, text: texts.unknown_text, back })
}

/// An error as a browser sees it, in the place of its JSON response, whose message it shows.
pub fn error_page(state: &AppState, headers: &HeaderMap, status: StatusCode, message: &str) -> Response {
    let texts = texts(state, headers);
    let (title, text) = match status {
        StatusCode::NOT_FOUND => (texts.unknown_title, texts.unknown_path_text),
        StatusCode::TOO_MANY_REQUESTS => (texts.trouble_title, texts.trouble_text),
        _ if status.is_server_error() => (texts.trouble_title, texts.trouble_text),
        _ => (texts.program_title, texts.program_text),
    };
    let detail = format!("{status}: {message}");
    // A path that is no page cannot switch its language; the first page can.
    let languages = language::links(&state.app.bank_profile().languages, texts.language, ("/", ""));
    let layout = Layout { languages, ..layout(state, texts, title) };
    render_without_cookie(state, status, &ErrorPage { layout, text, detail })
}

/// The messages that the sandbox has sent to its customers. Elsewhere the path does not exist.
pub async fn messages(State(state): State<Arc<AppState>>, request: Request) -> Response {
    if !state.settings.sandbox || !is_browser(&request) {
        return not_found(request).await;
    }
    let texts = texts(&state, request.headers());
    let sent = match state.app.messages().await {
        Ok(sent) => sent,
        Err(error) => {
            let correlation = CorrelationId::of(request.extensions());
            return internal_error_page(&state, texts, correlation, &error);
        }
    };
    let page = Messages {
        layout: layout(&state, texts, texts.messages_title),
        messages: sent.into_iter().map(|message| shown(&state, texts, message)).collect(),
    };
    render_without_cookie(&state, StatusCode::OK, &page)
}

fn is_browser(request: &Request) -> bool {
    matches!(*request.method(), Method::GET | Method::HEAD) && prefers_html(request.headers())
}

fn layout(state: &AppState, texts: &'static PageTexts, title: &str) -> Layout {
    Layout::new(texts, state.app.bank_profile(), state.settings.sandbox, title)
}

fn shown(state: &AppState, texts: &PageTexts, message: MessageView) -> SentMessage {
    let zone = state.app.clock().zone();
    let (day, time) = (zone.day(message.sent_at), zone.clock_time(message.sent_at));
    SentMessage {
        to: message.to,
        channel: message.channel,
        sent: format::day_and_time(texts.language, day, &time),
        text: message.text,
        code: message.code,
    }
}
