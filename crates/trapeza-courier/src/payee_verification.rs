//! Payee verification for accounts of other banks: a service that takes `{"iban", "name"}` and answers `{"result", "name"}`, the owner's name
//! on a close match. A late or invalid answer counts as none.

use crate::client_span::ClientSpan;
use crate::json_client::JsonClient;
use serde_json::{Value, json};
use std::future::Future;
use std::pin::Pin;
use std::time::Duration;
use trapeza_app::payment::PayeeVerifier;
use trapeza_app::{Entropy, trace};
use trapeza_domain::payee_verification::{PayeeVerification, VerifiedPayee};
use trapeza_domain::reference::Iban;

/// The longest name of ISO 20022.
const MAX_NAME_CHARS: usize = 140;

pub struct HttpPayeeVerifier {
    client: JsonClient,
    limit: Duration,
}

impl HttpPayeeVerifier {
    pub const fn new(client: JsonClient, limit: Duration) -> Self {
        Self { client, limit }
    }

    async fn request(&self, iban: &Iban, name: &str) -> Result<VerifiedPayee, String> {
        let body = json!({ "iban": iban.as_str(), "name": name }).to_string();
        let span = trace::current().map(|request| {
            let context = request.child(Entropy::os().fast_uuid());
            ClientSpan::start("POST payee-verification", context, Some(request.span()))
        });
        let answer = self.client.ask(body, span.as_ref().map(|span| span.context), self.limit).await;
        if let Some(span) = span {
            span.finish(None, answer.is_err());
        }
        let answer = answer?;
        let answer: Value =
            serde_json::from_slice(&answer).map_err(|_| "the response is not JSON".to_owned())?;
        let result = answer["result"].as_str().and_then(PayeeVerification::parse);
        let result = result.ok_or_else(|| "the response has no known result".to_owned())?;
        Ok(VerifiedPayee::new(result, answer["name"].as_str().and_then(owner_name)))
    }
}

/// The name as it can be shown: not empty, without control characters, not longer than ISO 20022 allows.
fn owner_name(text: &str) -> Option<String> {
    let name: String = text.chars().filter(|letter| !letter.is_control()).take(MAX_NAME_CHARS).collect();
    Some(name.trim().to_owned()).filter(|name| !name.is_empty())
}

impl PayeeVerifier for HttpPayeeVerifier {
    fn verify<'a>(
        &'a self,
        iban: &'a Iban,
        name: &'a str,
    ) -> Pin<Box<dyn Future<Output = Option<VerifiedPayee>> + Send + 'a>> {
        Box::pin(async move {
            // The name stays out of the log.
            let answer = self.request(iban, name).await;
            answer
                .inspect_err(|error| {
                    tracing::warn!(error, "payee verification: request failed, the result is NOAP")
                })
                .ok()
        })
    }
}

#[cfg(test)]
mod tests {
    use super::owner_name;

    #[test]
    fn name_is_trimmed_and_has_at_most_140_characters_and_no_control_characters() {
        let long = "é".repeat(140);
        for (text, expected) in [
            (" Near\n Lee ", Some("Near Lee")),
            (&format!("{long}x"), Some(long.as_str())),
            ("\u{7}", None),
            ("  ", None),
        ] {
            assert_eq!(owner_name(text).as_deref(), expected, "{text:?}");
        }
    }
}
