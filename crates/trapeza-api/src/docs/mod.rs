//! The documentation of the API: an OpenAPI document, HTML pages and a table of refusals.
//!
//! All of it is generated from [`crate::operation`] and the [`Doc`](content::Doc) of each operation, which `index` assigns.

mod account_information;
mod authorisation;
mod basket;
mod configuration;
mod consent;
mod content;
mod examples;
mod health;
mod index;
mod loan;
mod openapi;
mod page;
mod parameter;
mod parameters_of;
mod payment;
mod refund;
pub mod refusal;
mod sandbox;
mod sandbox_bank;
mod schema;
mod signature;
#[cfg(test)]
mod tests;
mod webhook;

pub use webhook::{WEBHOOKS, Webhook};

pub use openapi::document;
pub use page::Pages;

use crate::operation::{OPERATIONS, is_sandbox_only};
use axum::body::Body;
use axum::http::{HeaderValue, header};
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use serde_json::Value;
use std::sync::{Arc, OnceLock};
use trapeza_app::UseCaseError;
use trapeza_domain::field::FieldPath;
use trapeza_domain::refusal::{Refusal, RefusalReason};
use trapeza_domain::time::Timestamp;
use trapeza_http::extract::OpenRequest;
use trapeza_http::operation::Operation;
use trapeza_http::settings::{CertificateMode, Settings};
use uuid::Uuid;

/// The properties of a deployment that its documentation depends on.
#[derive(Clone, Debug)]
pub struct DocVariant {
    pub public_url: String,
    pub sandbox: bool,
    pub certificates: CertificateMode,
    /// The OpenAPI document of the Berlin Group's dialect, where it is offered.
    pub dialect: Option<Arc<Value>>,
}

/// Makes the OpenAPI document of the dialect, of the public URL and the base.
pub type DialectDocument = fn(&str, &str) -> Value;

impl DocVariant {
    /// The default sandbox: the variant with all operations.
    pub fn sandbox() -> Self {
        let public_url = "http://127.0.0.1:8080".to_owned();
        Self { public_url, sandbox: true, certificates: CertificateMode::Header, dialect: None }
    }

    pub fn of(settings: &Settings) -> Self {
        let public_url = settings.public_url.trim_end_matches('/').to_owned();
        Self { public_url, sandbox: settings.sandbox, certificates: settings.certificates, dialect: None }
    }

    /// With the page of the dialect, where the settings offer it.
    fn with_dialect(self, settings: &Settings, document: DialectDocument) -> Self {
        let base = settings.berlin_group.as_ref().map(|dialect| dialect.base.as_str());
        let dialect = base.map(|base| Arc::new(document(&self.public_url, base)));
        Self { dialect, ..self }
    }
}

/// The operations of a variant; production has no sandbox operations.
fn operations(variant: &DocVariant) -> impl Iterator<Item = &'static Operation> {
    let sandbox = variant.sandbox;
    OPERATIONS.iter().copied().filter(move |operation| sandbox || !is_sandbox_only(operation))
}

/// The correlation id of every example.
const SAMPLE_CORRELATION: Uuid = Uuid::from_u128(0x3c1d_6a52_9a0e_4b61_8f1d_2b7c_5e90_4d13);

/// The time of every example: 2026-11-15T09:30:00Z.
const NOW: Timestamp = Timestamp(1_794_735_000_000_000);

/// `GET /openapi.json`. The document is rendered by the first request.
pub async fn openapi(request: OpenRequest, rendered: Arc<OnceLock<Bytes>>) -> Result<Response, UseCaseError> {
    let variant = || DocVariant::of(&request.state.settings);
    let body = rendered.get_or_init(|| document(&variant()).to_string().into());
    let json = HeaderValue::from_static("application/json");
    Ok(([(header::CONTENT_TYPE, json)], Body::from(body.clone())).into_response())
}

/// `GET /docs`: the index, or with `q` the results of a search.
pub async fn index_page(request: OpenRequest, pages: Arc<PageCache>) -> Result<Response, UseCaseError> {
    let query = request.query()?;
    Ok(html(&request, pages.rendered(&request).index(query.get("q").unwrap_or_default())))
}

/// `GET /docs/{page}`.
pub async fn page(request: OpenRequest, pages: Arc<PageCache>) -> Result<Response, UseCaseError> {
    if request.state.settings.sandbox && request.path("page") == page::SCRIPT_NAME {
        let kind = HeaderValue::from_static("text/javascript; charset=utf-8");
        return Ok(([(header::CONTENT_TYPE, kind)], Body::from(page::SCRIPT)).into_response());
    }
    let found = pages.rendered(&request).page(request.path("page"));
    let unknown = || Refusal::at(RefusalReason::ResourceUnknown, FieldPath::spelled("page"), "unknown page");
    Ok(html(&request, found.ok_or_else(unknown)?))
}

/// The pages of a server, which are rendered by the first request.
pub struct PageCache {
    pages: OnceLock<Pages>,
    dialect: DialectDocument,
}

impl PageCache {
    pub fn new(dialect: DialectDocument) -> Self {
        Self { pages: OnceLock::new(), dialect }
    }

    fn rendered(&self, request: &OpenRequest) -> &Pages {
        let settings = &request.state.settings;
        let variant = || DocVariant::of(settings).with_dialect(settings, self.dialect);
        self.pages.get_or_init(|| Pages::new(variant()))
    }
}

fn html(request: &OpenRequest, body: Bytes) -> Response {
    let kind = HeaderValue::from_static("text/html; charset=utf-8");
    let headers = [
        (header::CONTENT_TYPE, kind),
        (header::CONTENT_SECURITY_POLICY, page::content_security_policy(request.state.settings.sandbox)),
        (header::REFERRER_POLICY, HeaderValue::from_static("no-referrer")),
    ];
    (headers, Body::from(body)).into_response()
}
