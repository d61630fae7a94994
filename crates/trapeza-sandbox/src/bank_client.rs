//! The HTTP client of the pages: requests to the program's own listener, recorded as they were sent and answered.
//!
//! Every request has a connection of its own. A pooled one would belong to the runtime of the worker thread that opened it, and the
//! pages run on all of them.

use bytes::Bytes;
use http_body_util::{BodyExt, Full, Limited};
use hyper::header::{CONTENT_TYPE, HeaderMap};
use hyper::{Method, Request};
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::TokioExecutor;
use serde_json::Value;
use std::net::SocketAddr;
use std::time::Duration;
use tokio::time::timeout;
use uuid::Builder;

/// From connecting to the last byte of the response. The clock of the sandbox answers when everything due is done.
const TIMEOUT: Duration = Duration::from_secs(25);
/// The largest response that is read.
const MAX_RESPONSE_BYTES: usize = 8 << 20;
/// Larger request bodies are not shown.
const MAX_SHOWN_BYTES: usize = 64 * 1024;
/// Longer texts of a response are shortened on the page.
const MAX_SHOWN_CHARS: usize = 300;
/// The response headers that the page shows.
const SHOWN_HEADERS: [&str; 7] = [
    "x-correlation-id",
    "x-request-id",
    "idempotent-replay",
    "location",
    "aspsp-sca-approach",
    "x-frequency-remaining",
    "retry-after",
];

pub struct BankClient {
    client: Client<HttpConnector, Full<Bytes>>,
    address: SocketAddr,
}

/// A request that is not sent yet.
pub struct Call {
    method: Method,
    path: String,
    headers: Vec<(&'static str, String)>,
    body: Option<Bytes>,
}

/// A request with its response.
#[derive(Clone, Debug)]
pub struct Exchange {
    pub method: String,
    pub path: String,
    pub request_headers: Vec<(&'static str, String)>,
    /// Empty when there is none.
    pub request_body: String,
    /// Zero when there was no response.
    pub status: u16,
    pub response_headers: Vec<(&'static str, String)>,
    pub response_body: String,
    /// The response as JSON; null when it is none.
    pub value: Value,
}

impl Call {
    fn new(method: Method, path: &str, body: Option<&Value>) -> Self {
        let body = body.map(|body| Bytes::from(body.to_string()));
        Self { method, path: path.to_owned(), headers: Vec::new(), body }
    }

    pub fn get(path: &str) -> Self {
        Self::new(Method::GET, path, None)
    }

    pub fn delete(path: &str) -> Self {
        Self::new(Method::DELETE, path, None)
    }

    pub fn post(path: &str, body: Value) -> Self {
        Self::new(Method::POST, path, Some(&body))
    }

    /// A POST of a file as it is.
    pub fn post_file(path: &str, file: Bytes) -> Self {
        Self { body: Some(file), ..Self::new(Method::POST, path, None) }
    }

    pub fn put(path: &str, body: Value) -> Self {
        Self::new(Method::PUT, path, Some(&body))
    }

    pub fn patch(path: &str, body: Value) -> Self {
        Self::new(Method::PATCH, path, Some(&body))
    }

    pub fn header(mut self, name: &'static str, value: &str) -> Self {
        self.headers.push((name, value.to_owned()));
        self
    }
}

impl BankClient {
    pub fn new(address: SocketAddr) -> Self {
        let client = Client::builder(TokioExecutor::new()).pool_max_idle_per_host(0).build_http();
        Self { client, address }
    }

    /// Where the program listens, as its own pages reach it.
    pub const fn address(&self) -> SocketAddr {
        self.address
    }

    /// Sends a request. A failure is an exchange without a response.
    pub async fn send(&self, call: Call) -> Exchange {
        let sent = timeout(TIMEOUT, self.exchange(&call)).await;
        let (status, headers, body) = match sent {
            Ok(Some(answer)) => answer,
            Ok(None) | Err(_) => (0, HeaderMap::new(), Bytes::new()),
        };
        let value = serde_json::from_slice(&body).unwrap_or(Value::Null);
        let shown = |name: &&'static str| {
            let value = headers.get(*name)?.to_str().ok()?;
            Some((*name, value.to_owned()))
        };
        Exchange {
            method: call.method.to_string(),
            path: call.path,
            request_headers: call.headers,
            request_body: call.body.as_ref().map_or_else(String::new, shown_body),
            status,
            response_headers: SHOWN_HEADERS.iter().filter_map(shown).collect(),
            response_body: if value.is_null() { String::new() } else { pretty(&value) },
            value,
        }
    }

    async fn exchange(&self, call: &Call) -> Option<(u16, HeaderMap, Bytes)> {
        let uri = format!("http://{}{}", self.address, call.path);
        let mut request = Request::builder().method(call.method.clone()).uri(uri);
        for (name, value) in &call.headers {
            request = request.header(*name, value);
        }
        if call.body.is_some() {
            request = request.header(CONTENT_TYPE, "application/json");
        }
        let body = call.body.clone().unwrap_or_default();
        let response = self.client.request(request.body(Full::new(body)).ok()?).await.ok()?;
        let (parts, body) = response.into_parts();
        let body = Limited::new(body, MAX_RESPONSE_BYTES).collect().await.ok()?;
        Some((parts.status.as_u16(), parts.headers, body.to_bytes()))
    }
}

impl Exchange {
    pub fn is_success(&self) -> bool {
        (200..300).contains(&self.status)
    }

    /// A text of the response by its JSON pointer; empty when it is absent.
    pub fn text(&self, pointer: &str) -> &str {
        self.value.pointer(pointer).and_then(Value::as_str).unwrap_or_default()
    }

    /// The errors of a refusal, each with the name of its field; the name is empty when no single field is wrong.
    pub fn errors(&self) -> Vec<(String, String)> {
        let entry = |value: &Value, field: &str, text: &str| {
            let found = |name: &str| value[name].as_str().unwrap_or_default().to_owned();
            (found(field), found(text))
        };
        let list = |name: &str| self.value[name].as_array().cloned().unwrap_or_default();
        let mut errors: Vec<_> = list("tppMessages").iter().map(|one| entry(one, "path", "text")).collect();
        errors.extend(list("errors").iter().map(|one| entry(one, "field", "message")));
        if errors.is_empty() {
            let text = match (self.status, self.text("/message")) {
                (0, _) => "The bank did not answer. Try again.".to_owned(),
                (status, "") => format!("The bank answered {status}."),
                (_, message) => message.to_owned(),
            };
            errors.push((String::new(), text));
        }
        errors
    }

    /// The errors of a refusal in one line.
    pub fn problem(&self) -> String {
        let one = |(field, text): (String, String)| match field.as_str() {
            "" => text,
            field => format!("{field}: {text}"),
        };
        self.errors().into_iter().map(one).collect::<Vec<_>>().join(" ")
    }
}

/// A new UUID for the header `x-Request-ID` or a `requestId`.
pub fn request_id() -> String {
    Builder::from_random_bytes(random()).into_uuid().to_string()
}

/// Random digits for the state of a redirect.
pub fn random_hex() -> String {
    random().iter().map(|byte| format!("{byte:02x}")).collect()
}

fn random() -> [u8; 16] {
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes).expect("the operating system has random bytes");
    bytes
}

/// A request body as the page shows it.
fn shown_body(body: &Bytes) -> String {
    if body.len() > MAX_SHOWN_BYTES {
        return format!("({} bytes)", body.len());
    }
    serde_json::from_slice(body)
        .map_or_else(|_| String::from_utf8_lossy(body).into_owned(), |value| pretty(&value))
}

/// JSON on several lines, without the middle of long texts such as pictures.
fn pretty(value: &Value) -> String {
    let mut value = value.clone();
    shorten(&mut value);
    serde_json::to_string_pretty(&value).unwrap_or_default()
}

fn shorten(value: &mut Value) {
    match value {
        Value::String(text) if text.chars().count() > MAX_SHOWN_CHARS => {
            let start: String = text.chars().take(MAX_SHOWN_CHARS / 4).collect();
            *text = format!("{start}… ({} characters)", text.chars().count());
        }
        Value::Array(list) => list.iter_mut().for_each(shorten),
        Value::Object(fields) => fields.values_mut().for_each(shorten),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn answered(status: u16, value: Value) -> Exchange {
        let (method, path) = ("GET".to_owned(), "/".to_owned());
        let (request_body, response_body) = (String::new(), String::new());
        let (request_headers, response_headers) = (Vec::new(), Vec::new());
        Exchange {
            method,
            path,
            request_headers,
            request_body,
            status,
            response_headers,
            response_body,
            value,
        }
    }

    #[test]
    fn errors_of_both_interfaces_name_their_fields() {
        let first = answered(400, json!({ "tppMessages": [{ "path": "access", "text": "is required" }] }));
        assert_eq!(first.problem(), "access: is required");
        let second =
            answered(400, json!({ "errors": [{ "field": "amount", "message": "must be above zero" }] }));
        assert_eq!(second.problem(), "amount: must be above zero");
        assert_eq!(answered(503, Value::Null).problem(), "The bank answered 503.");
        assert_eq!(answered(0, Value::Null).problem(), "The bank did not answer. Try again.");
    }

    #[test]
    fn long_text_is_shortened_on_the_page() {
        let shown = pretty(&json!({ "qrCodeData": "A".repeat(5000), "name": "Lamp" }));
        assert!(
            shown.contains("(5000 characters)") && shown.contains("Lamp") && shown.len() < 300,
            "{shown}"
        );
    }

    #[tokio::test]
    async fn listener_that_does_not_exist_is_an_exchange_without_response() {
        let client = BankClient::new("127.0.0.1:9".parse().unwrap());
        let exchange = client.send(Call::get("/livez")).await;
        assert_eq!((exchange.status, exchange.is_success()), (0, false));
    }
}
