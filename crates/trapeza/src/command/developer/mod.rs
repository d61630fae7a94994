//! Commands for developers. They call a sandbox by its public interface, as a merchant, so it may run on another machine.

pub mod listen;
pub mod trigger;

use crate::bootstrap;
use crate::cli::{BankArgs, SandboxCaller};
use crate::demo::sandbox_file;
use serde_json::Value;
use std::time::Duration;
use trapeza_courier::{ApiClient, ApiResponse};

/// How long a response may take, beyond the time that it was asked to wait.
const TIMEOUT: Duration = Duration::from_secs(15);

/// A sandbox, called as a merchant.
struct SandboxApi {
    client: ApiClient,
    /// Without a slash at its end.
    server: String,
    application: String,
    key: String,
}

/// Why a call did not succeed.
enum CallError {
    /// The server is not there or busy: the call may succeed later.
    Unavailable(String),
    /// The call will not succeed.
    Refused(String),
}

impl CallError {
    fn text(self) -> String {
        match self {
            Self::Unavailable(text) | Self::Refused(text) => text,
        }
    }
}

impl SandboxApi {
    /// Resolves the arguments; what is not given is in the `sandbox.json` of the data directory.
    fn open(caller: &SandboxCaller) -> Result<Self, String> {
        let bank = BankArgs { data: caller.data.clone(), ..BankArgs::default() };
        let config = bank.sources().load().map_err(|error| error.to_string())?.config;
        let sandbox_file = sandbox_file::read(&config.data).unwrap_or_default();
        let missing =
            |flags: &str| format!("there is no sandbox.json in {}: {flags} required", config.data.display());
        let found = |given: &Option<String>, value: &Value| {
            given.clone().or_else(|| value.as_str().map(str::to_owned)).filter(|text| !text.is_empty())
        };
        let merchant = &sandbox_file["merchants"][0];
        let server =
            found(&caller.server, &sandbox_file["base_url"]).ok_or_else(|| missing("--server is"))?;
        if !is_web_address(&server) {
            return Err("--server must be an http or https URL".to_owned());
        }
        let credentials = "--application and --key are";
        let application = found(&caller.application, &merchant["application_id"]);
        let key = found(&caller.key, &merchant["subscription_key"]);
        Ok(Self {
            client: bootstrap::developer_client(&config)?,
            server: server.trim_end_matches('/').to_owned(),
            application: application.ok_or_else(|| missing(credentials))?,
            key: key.ok_or_else(|| missing(credentials))?,
        })
    }

    async fn get(&self, path: &str, wait: Duration) -> Result<Value, CallError> {
        self.call("GET", path, None, wait).await
    }

    async fn post(&self, path: &str, body: Option<&Value>) -> Result<Value, CallError> {
        self.call("POST", path, body, Duration::ZERO).await
    }

    async fn call(
        &self,
        method: &'static str,
        path: &str,
        body: Option<&Value>,
        wait: Duration,
    ) -> Result<Value, CallError> {
        let mut headers = vec![
            ("accept", "application/json"),
            ("x-application-id", self.application.as_str()),
            ("ocp-apim-subscription-key", self.key.as_str()),
        ];
        if body.is_some() {
            headers.push(("content-type", "application/json"));
        }
        let (url, body) = (format!("{}{path}", self.server), body.map(Value::to_string).unwrap_or_default());
        let sent = self.client.send(method, &url, &headers, body, TIMEOUT + wait).await;
        let response = sent.map_err(|problem| {
            CallError::Unavailable(format!("{} does not answer: {problem}", self.server))
        })?;
        answer(&self.server, path, &response)
    }
}

/// The body of a successful response, or why there is none.
fn answer(server: &str, path: &str, response: &ApiResponse) -> Result<Value, CallError> {
    let body: Option<Value> = serde_json::from_slice(&response.body).ok();
    let message = body.as_ref().and_then(|body| body["message"].as_str()).map(printable).unwrap_or_default();
    let path = path.split('?').next().unwrap_or_default();
    let text = |what: &str| format!("{server}{path} answered {}{what}", response.status);
    let described = if message.is_empty() { text("") } else { text(&format!(": {message}")) };
    match (response.status, body) {
        (200..=299, Some(body)) => Ok(body),
        (200..=299, None) => Err(CallError::Refused(text(" without JSON; is it a Trapeza sandbox?"))),
        (404, _) if path.starts_with("/sandbox/") => Err(CallError::Refused(text("; is it a sandbox?"))),
        (408 | 429 | 500.., _) => Err(CallError::Unavailable(described)),
        _ => Err(CallError::Refused(described)),
    }
}

fn is_web_address(text: &str) -> bool {
    let rest = text.strip_prefix("http://").or_else(|| text.strip_prefix("https://"));
    rest.is_some_and(|rest| !rest.is_empty() && !rest.starts_with('/') && !rest.contains(char::is_whitespace))
}

/// A text of another program for the terminal: one line without control characters, at most 200 characters.
fn printable(text: &str) -> String {
    text.trim().chars().take(200).map(|one| if one.is_control() { ' ' } else { one }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answered(status: u16, body: &str) -> Result<Value, String> {
        let response = ApiResponse { status, body: body.to_owned().into() };
        answer("http://bank", "/sandbox/callbacks?after=1", &response).map_err(|error| match error {
            CallError::Unavailable(text) => format!("later: {text}"),
            CallError::Refused(text) => text,
        })
    }

    #[test]
    fn answer_distinguishes_what_is_worth_a_retry() {
        assert_eq!(answered(200, "{}"), Ok(Value::Object(serde_json::Map::new())));
        for (status, body, expected) in [
            (
                200,
                "<html>",
                "http://bank/sandbox/callbacks answered 200 without JSON; is it a Trapeza sandbox?",
            ),
            (404, "{}", "http://bank/sandbox/callbacks answered 404; is it a sandbox?"),
            (
                401,
                r#"{"message":"unknown\u001b[0m key"}"#,
                "http://bank/sandbox/callbacks answered 401: unknown [0m key",
            ),
            (503, "", "later: http://bank/sandbox/callbacks answered 503"),
            (429, "{}", "later: http://bank/sandbox/callbacks answered 429"),
        ] {
            assert_eq!(answered(status, body), Err(expected.to_owned()));
        }
    }

    #[test]
    fn web_address_has_a_scheme_and_a_host() {
        for good in ["http://localhost:3000/hook", "https://shop.example"] {
            assert!(is_web_address(good), "{good}");
        }
        for bad in ["localhost:3000", "ftp://host", "http://", "http:///hook", "http://a b", ""] {
            assert!(!is_web_address(bad), "{bad}");
        }
    }
}
