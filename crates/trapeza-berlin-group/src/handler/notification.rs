//! The headers with which a third party asks to be notified of the changed status of what it creates, and their answer.

use crate::header::{EffectiveHeaders, NOTIFICATION_CONTENT};
use axum::http::HeaderValue;
use axum::response::Response;
use trapeza_domain::refusal::Refusal;
use trapeza_domain::status_change::NotificationContent;
use trapeza_http::extract::malformed;

/// Where the third party wants to be notified, and of what. Nothing is sent when `content` is empty.
#[derive(Clone)]
pub struct Notification {
    pub uri: String,
    pub content: NotificationContent,
}

impl Notification {
    pub fn read(headers: &EffectiveHeaders<'_>) -> Result<Option<Self>, Refusal> {
        let Some(uri) = headers.notification_uri else { return Ok(None) };
        let content = match headers.notification_content {
            None => NotificationContent::ALL,
            Some(text) => parse(text).ok_or_else(|| {
                malformed(
                    NOTIFICATION_CONTENT,
                    "must be status= and a list of SCA, PROCESS and LAST, for example status=SCA,LAST",
                )
            })?,
        };
        Ok(Some(Self { uri: uri.to_owned(), content }))
    }

    /// What the use case stores; nothing where none of the requested ones is known.
    pub fn wanted(&self) -> Option<(String, NotificationContent)> {
        (!self.content.is_empty()).then(|| (self.uri.clone(), self.content))
    }

    /// Adds what will be sent.
    pub fn answer(&self, response: &mut Response) {
        let support = if self.content.is_empty() { "false" } else { "true" };
        let headers = response.headers_mut();
        headers.insert("aspsp-notification-support", HeaderValue::from_static(support));
        if let (false, Ok(content)) = (self.content.is_empty(), HeaderValue::try_from(format(self.content))) {
            headers.insert("aspsp-notification-content", content);
        }
    }
}

/// `status=SCA, LAST`. Words that the bank does not know are left out. `None` when it has another form.
fn parse(text: &str) -> Option<NotificationContent> {
    let (name, words) = text.split_once('=')?;
    if !name.trim().eq_ignore_ascii_case("status") {
        return None;
    }
    let mut content = NotificationContent::default();
    for word in words.split(',') {
        match word.trim() {
            "SCA" => content.sca = true,
            "PROCESS" => content.process = true,
            "LAST" => content.last = true,
            _ => {}
        }
    }
    Some(content)
}

fn format(content: NotificationContent) -> String {
    let NotificationContent { sca, process, last } = content;
    let words = [(sca, "SCA"), (process, "PROCESS"), (last, "LAST")];
    let words: Vec<&str> = words.into_iter().filter_map(|(wanted, word)| wanted.then_some(word)).collect();
    ["status=", &words.join(",")].concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn content_is_read_and_written() {
        for (text, written) in [
            ("status=SCA,PROCESS,LAST", "status=SCA,PROCESS,LAST"),
            ("status=LAST, SCA", "status=SCA,LAST"),
            ("status=PROCESS,ELSE", "status=PROCESS"),
        ] {
            assert_eq!(parse(text).map(format).as_deref(), Some(written));
        }
        assert_eq!(parse("status=ELSE"), Some(NotificationContent::default()));
        for text in ["SCA", "state=SCA", ""] {
            assert_eq!(parse(text), None, "{text}");
        }
    }
}
