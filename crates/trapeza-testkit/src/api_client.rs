//! An HTTP client of the API, and its responses.

use crate::seal::TestSeal;
use reqwest::{Client, Method};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::sync::Arc;
use uuid::Uuid;

/// A client with fixed headers.
#[derive(Clone)]
pub struct ApiClient {
    client: Client,
    base_url: String,
    headers: Vec<(String, String)>,
    fresh_request_id: bool,
    seal: Option<Arc<TestSeal>>,
    observer: Option<Observer>,
}

/// Sees every response of a client, with the method and the path of its request.
pub type Observer = Arc<dyn Fn(&Method, &str, &ApiResponse) + Send + Sync>;

/// A whole response, as snapshots contain it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ApiResponse {
    pub status: u16,
    pub headers: BTreeMap<String, String>,
    pub body: Value,
}

impl ApiClient {
    pub(crate) fn new(client: Client, base_url: String) -> Self {
        Self { client, base_url, headers: Vec::new(), fresh_request_id: false, seal: None, observer: None }
    }

    /// A client of a server at this address.
    pub fn to(base_url: &str) -> Self {
        Self::new(Client::new(), base_url.to_owned())
    }

    /// With all headers of a third party of `sandbox.json`.
    #[must_use]
    pub fn as_tpp(self, tpp: &Value) -> Self {
        self.with("Ocp-Apim-Subscription-Key", text(&tpp["subscription_key"]))
            .with("ClientId", text(&tpp["client_id"]))
            .with("Certificate", text(&tpp["certificate"]))
            .with_request_id()
    }

    /// With all headers of a merchant of `sandbox.json`.
    #[must_use]
    pub fn as_merchant(self, merchant: &Value) -> Self {
        self.with("Ocp-Apim-Subscription-Key", text(&merchant["subscription_key"]))
            .with("X-Application-ID", text(&merchant["application_id"]))
    }

    /// With an additional header, or another value for an existing one.
    #[must_use]
    pub fn with(mut self, name: &str, value: &str) -> Self {
        self = self.without(name);
        self.headers.push((name.to_owned(), value.to_owned()));
        self
    }

    /// With an additional header even if it already has it.
    #[must_use]
    pub fn with_second(mut self, name: &str, value: &str) -> Self {
        self.headers.push((name.to_owned(), value.to_owned()));
        self
    }

    #[must_use]
    pub fn without(mut self, name: &str) -> Self {
        self.headers.retain(|(known, _)| !known.eq_ignore_ascii_case(name));
        self.fresh_request_id &= !name.eq_ignore_ascii_case("x-Request-ID");
        self
    }

    /// Signs each request.
    #[must_use]
    pub fn signed_by(mut self, seal: Arc<TestSeal>) -> Self {
        self.seal = Some(seal);
        self
    }

    /// Shows each response to an observer.
    #[must_use]
    pub fn observed_by(mut self, observer: Observer) -> Self {
        self.observer = Some(observer);
        self
    }

    /// The value of a header that it sends.
    pub fn header(&self, name: &str) -> Option<&str> {
        let found = self.headers.iter().find(|(known, _)| known.eq_ignore_ascii_case(name));
        found.map(|(_, value)| value.as_str())
    }

    /// With a new `x-Request-ID` for each request.
    #[must_use]
    pub fn with_request_id(mut self) -> Self {
        self.fresh_request_id = true;
        self
    }

    pub async fn get(&self, path: &str) -> ApiResponse {
        self.send(Method::GET, path, None).await
    }

    pub async fn delete(&self, path: &str) -> ApiResponse {
        self.send(Method::DELETE, path, None).await
    }

    pub async fn post(&self, path: &str, body: &Value) -> ApiResponse {
        self.send(Method::POST, path, Some(body.to_string().into_bytes())).await
    }

    pub async fn put(&self, path: &str, body: &Value) -> ApiResponse {
        self.send(Method::PUT, path, Some(body.to_string().into_bytes())).await
    }

    pub async fn patch(&self, path: &str, body: &Value) -> ApiResponse {
        self.send(Method::PATCH, path, Some(body.to_string().into_bytes())).await
    }

    pub async fn send(&self, method: Method, path: &str, body: Option<Vec<u8>>) -> ApiResponse {
        self.try_send(method, path, body).await.expect("the bank answers")
    }

    /// The response, or an error when the process is gone.
    pub async fn try_send(
        &self,
        method: Method,
        path: &str,
        body: Option<Vec<u8>>,
    ) -> Result<ApiResponse, reqwest::Error> {
        let mut headers = self.headers.clone();
        if self.fresh_request_id {
            headers.push(("x-Request-ID".to_owned(), Uuid::from_u128(rand_u128()).to_string()));
        }
        if let Some(seal) = &self.seal {
            headers.extend(seal.sign(&headers, body.as_deref().unwrap_or_default()));
        }
        let mut request = self.client.request(method.clone(), format!("{}{path}", self.base_url));
        for (name, value) in &headers {
            request = request.header(name, value);
        }
        if let Some(body) = body {
            if self.header("Content-Type").is_none() {
                request = request.header("Content-Type", "application/json");
            }
            request = request.body(body);
        }
        let response = request.send().await?;
        let status = response.status().as_u16();
        let headers = response
            .headers()
            .iter()
            .map(|(name, value)| (name.to_string(), String::from_utf8_lossy(value.as_bytes()).into_owned()))
            .collect();
        let bytes = response.bytes().await?;
        let body = if bytes.is_empty() {
            Value::Null
        } else {
            serde_json::from_slice(&bytes)
                .unwrap_or_else(|_| Value::String(String::from_utf8_lossy(&bytes).into_owned()))
        };
        let response = ApiResponse { status, headers, body };
        if let Some(observe) = &self.observer {
            observe(&method, path, &response);
        }
        Ok(response)
    }
}

fn text(value: &Value) -> &str {
    value.as_str().expect("the sandbox_file has this text")
}

/// Different for every request of a test run.
fn rand_u128() -> u128 {
    use std::hash::{BuildHasher, RandomState};
    let (high, low) = (RandomState::new().hash_one(1), RandomState::new().hash_one(2));
    (u128::from(high) << 64) | u128::from(low)
}

impl ApiResponse {
    /// The response with values that differ from run to run replaced: ids by their order of appearance, timestamps, the server's
    /// address.
    pub fn redacted(&self) -> Value {
        let mut names = Names::default();
        let kept = [
            "content-type",
            "location",
            "retry-after",
            "allow",
            "idempotent-replay",
            "x-frequency-remaining",
            "aspsp-sca-approach",
        ];
        let headers: serde_json::Map<String, Value> = self
            .headers
            .iter()
            .filter(|(name, _)| kept.contains(&name.as_str()))
            .map(|(name, value)| (name.clone(), Value::String(names.replace(value))))
            .collect();
        json!({ "status": self.status, "headers": headers, "body": names.walk(&self.body) })
    }

    /// The selection of a method that sends a code (push sends none), when a customer who has entered the password has to choose.
    pub fn method_with_code(&self) -> Option<Value> {
        if self.text("/scaStatus") != "psuAuthenticated" {
            return None;
        }
        let methods = self.body["scaMethods"].as_array().expect("methods");
        let sends_code = |method: &&Value| method["authenticationType"] != 3;
        let id = &methods.iter().find(sends_code).expect("a method with a code")["authenticationMethodId"];
        Some(json!({ "authenticationMethodId": id }))
    }

    pub fn text(&self, pointer: &str) -> &str {
        let found = self.body.pointer(pointer).and_then(Value::as_str);
        found.unwrap_or_else(|| panic!("no text at {pointer} in {self:?}"))
    }
}

/// The first bytes of every PNG in base64.
const PNG_BASE64: &str = "iVBORw0KGgo";

#[derive(Default)]
struct Names(Vec<String>);

impl Names {
    fn walk(&mut self, value: &Value) -> Value {
        match value {
            Value::String(text) => Value::String(self.replace(text)),
            Value::Array(items) => items.iter().map(|item| self.walk(item)).collect(),
            Value::Object(members) => members
                .iter()
                .map(|(key, member)| match member {
                    // Baskets have the only numeric ids of the API.
                    Value::Number(_) if key == "basketId" || key == "id" => {
                        (key.clone(), Value::String("[number]".to_owned()))
                    }
                    member => (key.clone(), self.walk(member)),
                })
                .collect(),
            other => other.clone(),
        }
    }

    /// Replaces timestamps, the server's address, ids, and the token after one.
    fn replace(&mut self, text: &str) -> String {
        let digits = |range: std::ops::Range<usize>| {
            text.as_bytes().get(range).is_some_and(|bytes| bytes.iter().all(u8::is_ascii_digit))
        };
        let dated = digits(0..4) && digits(5..7) && digits(8..10) && text.as_bytes()[4] == b'-';
        // Midnight is a date, and dates of the test bank are always the same.
        if dated && text.len() >= 20 && text.ends_with('Z') && !text.ends_with("T00:00:00Z") {
            return "[instant]".to_owned();
        }
        if text.starts_with(PNG_BASE64) {
            return "[picture]".to_owned();
        }
        let mut out = String::new();
        let mut rest = text;
        if let Some(path) =
            text.strip_prefix("http://127.0.0.1:").map(|rest| rest.trim_start_matches(char::is_numeric))
        {
            out.push_str("[bank]");
            rest = path;
        }
        while !rest.is_empty() {
            let id = rest.get(..36).filter(|part| Uuid::try_parse(part).is_ok());
            // A public basket id is an id without hyphens.
            let name = rest.get(..32).filter(|part| part.bytes().all(|byte| byte.is_ascii_hexdigit()));
            match id.or(name) {
                Some(id) => {
                    let known = self.0.iter().position(|known| known == id);
                    let number = known.unwrap_or_else(|| {
                        self.0.push(id.to_owned());
                        self.0.len() - 1
                    });
                    out.push_str(&format!("[id {number}]"));
                    rest = &rest[id.len()..];
                    // 43 characters are 32 bytes: the token of a redirect link.
                    if rest.len() == 44 && rest.starts_with('.') {
                        out.push_str(".[token]");
                        rest = "";
                    }
                }
                None => {
                    let first = rest.chars().next().unwrap_or_default();
                    out.push(first);
                    rest = &rest[first.len_utf8()..];
                }
            }
        }
        out
    }
}

/// A transcript for a snapshot: steps with their whole responses.
#[derive(Default)]
pub struct Transcript(Vec<Value>);

impl Transcript {
    pub fn push(&mut self, step: &str, answer: &ApiResponse) {
        let mut entry = json!({ "step": step });
        if let (Some(entry), Value::Object(redacted)) = (entry.as_object_mut(), answer.redacted()) {
            entry.extend(redacted);
        }
        self.0.push(entry);
    }

    /// As text, so that numbers keep their form on the wire.
    pub fn text(&self) -> String {
        serde_json::to_string_pretty(&self.0).expect("a transcript is JSON")
    }
}
