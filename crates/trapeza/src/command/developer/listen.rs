//! `trapeza listen`: prints the callbacks of a merchant as they arise in a sandbox, and forwards them to an address of the developer.
//!
//! The list of callbacks is read with a cursor, so a restart of the server neither loses nor repeats one.

use super::{CallError, SandboxApi, is_web_address, printable};
use crate::cli::Listen;
use crate::command::runtime;
use serde_json::{Value, json};
use std::io::Write;
use std::time::{Duration, Instant};
use trapeza_app::format_timestamp;
use trapeza_domain::time::Timestamp;

/// How long the server waits for a callback before it answers without one.
const LONG_POLL_TIMEOUT: Duration = Duration::from_secs(15);
/// How long a receiver may take, as in production.
const FORWARD_TIMEOUT: Duration = Duration::from_secs(15);
/// The delay after the first failed request to the server; it doubles with each failure up to the maximum.
const FIRST_RETRY_DELAY: Duration = Duration::from_millis(250);
const MAX_RETRY_DELAY: Duration = Duration::from_secs(10);

/// What became of a forwarded callback.
struct Forwarded {
    /// The status and the body of the answer, or why there is none.
    answer: Result<(u16, String), String>,
    duration: Duration,
}

impl Forwarded {
    fn is_accepted(&self) -> bool {
        matches!(self.answer, Ok((200..=299, _)))
    }
}

pub fn run(options: &Listen, print: fn(&str)) -> (String, bool) {
    match runtime().and_then(|runtime| runtime.block_on(listen(options, print))) {
        Ok(all_accepted) => (String::new(), all_accepted),
        Err(problem) => (format!("{problem}\n"), false),
    }
}

/// Returns whether every callback was accepted, once there were as many as asked for.
async fn listen(options: &Listen, print: fn(&str)) -> Result<bool, String> {
    if options.forward_to.as_deref().is_some_and(|url| !is_web_address(url)) {
        return Err("--forward-to must be an http or https URL".to_owned());
    }
    let api = SandboxApi::open(&options.caller)?;
    let mut left = options.count.map(|count| count.get()).or_else(|| options.once.then_some(1));
    // The first request shows whether server and key are right; later failures are retried.
    let first = api.get("/sandbox/callbacks", Duration::ZERO).await.map_err(CallError::text)?;
    let mut cursor = cursor_of(&first)?;
    let target = options.forward_to.as_deref().map(|url| format!(", forwarding to {url}"));
    note(&format!("listening to {} as {}{}", api.server, api.application, target.unwrap_or_default()));
    let (mut all_accepted, mut delay) = (true, FIRST_RETRY_DELAY);
    while left != Some(0) {
        let path = format!("/sandbox/callbacks?after={cursor}&wait={}", LONG_POLL_TIMEOUT.as_secs());
        let list = match api.get(&path, LONG_POLL_TIMEOUT).await {
            Ok(list) => list,
            Err(CallError::Refused(text)) => return Err(text),
            Err(CallError::Unavailable(text)) => {
                note(&format!("{text}; trying again"));
                tokio::time::sleep(delay).await;
                delay = (delay * 2).min(MAX_RETRY_DELAY);
                continue;
            }
        };
        delay = FIRST_RETRY_DELAY;
        for callback in list["callbacks"].as_array().into_iter().flatten() {
            let forwarded = match &options.forward_to {
                Some(url) => Some(forward(&api, url, callback).await),
                None => None,
            };
            all_accepted &= forwarded.as_ref().is_none_or(Forwarded::is_accepted);
            print(&line(options.json, now(), callback, forwarded.as_ref()));
            left = left.map(|left| left - 1);
            if left == Some(0) {
                break;
            }
        }
        cursor = cursor_of(&list)?;
    }
    Ok(all_accepted)
}

fn cursor_of(list: &Value) -> Result<String, String> {
    let cursor = list["cursor"].as_str().filter(|text| text.bytes().all(|byte| byte.is_ascii_digit()));
    cursor.map(str::to_owned).ok_or_else(|| "the server answered without a cursor".to_owned())
}

/// Sends a callback with the headers and the body that the bank signed.
async fn forward(api: &SandboxApi, url: &str, callback: &Value) -> Forwarded {
    let headers = callback["headers"].as_object().into_iter().flatten();
    let headers: Vec<(&str, &str)> =
        headers.filter_map(|(name, value)| Some((name.as_str(), value.as_str()?))).collect();
    let body = callback["body"].as_str().unwrap_or_default().to_owned();
    let began = Instant::now();
    let answer = api.client.send("POST", url, &headers, body, FORWARD_TIMEOUT).await;
    let answer = answer.map(|answer| (answer.status, String::from_utf8_lossy(&answer.body).into_owned()));
    Forwarded { answer, duration: began.elapsed() }
}

/// One line per callback.
fn line(is_json: bool, time: String, callback: &Value, forwarded: Option<&Forwarded>) -> String {
    let text = |name: &str| printable(callback[name].as_str().unwrap_or_default());
    if is_json {
        let mut object = json!({
            "time": time,
            "type": callback["type"],
            "id": callback["id"],
            "headers": callback["headers"],
            "body": callback["body"],
        });
        if let Some(Forwarded { answer, duration }) = forwarded {
            object["durationMs"] = json!(u64::try_from(duration.as_millis()).unwrap_or(u64::MAX));
            match answer {
                Ok((status, body)) => (object["status"], object["answer"]) = (json!(status), json!(body)),
                Err(problem) => object["error"] = json!(problem),
            }
        }
        return format!("{object}\n");
    }
    let answer = forwarded.map(|Forwarded { answer, duration }| match answer {
        Ok((status, body)) => {
            let took = duration.as_millis();
            let body = printable(body);
            let body = if body.is_empty() { body } else { format!(": {body}") };
            format!("  → {status} in {took} ms{body}")
        }
        Err(problem) => format!("  → no answer: {}", printable(problem)),
    });
    format!("{time}  {}  {}{}\n", text("type"), text("id"), answer.unwrap_or_default())
}

fn now() -> String {
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
    format_timestamp(Timestamp(i64::try_from(now.as_secs()).unwrap_or(i64::MAX).saturating_mul(1_000_000)))
}

/// Writes to the terminal beside the output, which programs may read.
fn note(text: &str) {
    let mut out = std::io::stderr().lock();
    let _ = writeln!(out, "{text}");
}

#[cfg(test)]
mod tests {
    use super::*;

    fn callback() -> Value {
        json!({ "id": "7", "type": "basket.approved", "headers": { "webhook-id": "7" }, "body": "{}" })
    }

    #[test]
    fn line_has_time_event_id_and_answer() {
        let time = || "2026-11-15T09:30:00Z".to_owned();
        assert_eq!(line(false, time(), &callback(), None), "2026-11-15T09:30:00Z  basket.approved  7\n");
        let answered = |answer| Forwarded { answer, duration: Duration::from_millis(12) };
        let refused = answered(Ok((500, "no\u{1b}[31m\nroute".to_owned())));
        assert_eq!(
            line(false, time(), &callback(), Some(&refused)),
            "2026-11-15T09:30:00Z  basket.approved  7  → 500 in 12 ms: no [31m route\n"
        );
        assert!(!refused.is_accepted());
        let silent = answered(Err("connection refused".to_owned()));
        let printed: Value = serde_json::from_str(&line(true, time(), &callback(), Some(&silent))).unwrap();
        assert_eq!(printed["error"], "connection refused");
        assert_eq!((&printed["body"], &printed["headers"]["webhook-id"]), (&json!("{}"), &json!("7")));
    }
}
