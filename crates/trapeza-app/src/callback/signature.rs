//! The headers of a callback, with its signature by Standard Webhooks: `v1,` and the base64 of the HMAC-SHA256 over
//! `id.timestamp.body`.

use crate::trace::TraceContext;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;
use trapeza_domain::id::CallbackId;
use trapeza_domain::secret::Secret;

/// The client that callbacks name.
pub const USER_AGENT: &str = concat!("Trapeza/", env!("CARGO_PKG_VERSION"));

/// The headers with which a callback is sent. `None` when the merchant has no usable secret.
pub fn delivery_headers(
    secrets: &[Secret<String>],
    id: CallbackId,
    timestamp_seconds: i64,
    body: &str,
    trace: TraceContext,
) -> Option<[(&'static str, String); 6]> {
    let signature = signature(secrets, id, timestamp_seconds, body)?;
    Some([
        ("content-type", "application/json".to_owned()),
        ("user-agent", USER_AGENT.to_owned()),
        ("traceparent", trace.to_string()),
        ("webhook-id", id.to_string()),
        ("webhook-timestamp", timestamp_seconds.to_string()),
        ("webhook-signature", signature),
    ])
}

/// The headers with which a notification of a third party is sent.
pub(super) fn notification_headers(id: CallbackId, trace: TraceContext) -> [(&'static str, String); 4] {
    [
        ("content-type", "application/json".to_owned()),
        ("user-agent", USER_AGENT.to_owned()),
        ("traceparent", trace.to_string()),
        ("x-request-id", id.to_string()),
    ]
}

/// The value of the `webhook-signature` header: one signature per secret, for a rotation without a gap. `None` for an invalid
/// secret.
fn signature(
    secrets: &[Secret<String>],
    id: CallbackId,
    timestamp_seconds: i64,
    body: &str,
) -> Option<String> {
    let signed = format!("{id}.{timestamp_seconds}.{body}");
    let signatures: Option<Vec<String>> = secrets.iter().map(|secret| one(secret, &signed)).collect();
    signatures.filter(|all| !all.is_empty()).map(|all| all.join(" "))
}

fn one(secret: &Secret<String>, signed: &str) -> Option<String> {
    let key = Secret::new(STANDARD.decode(secret.expose().strip_prefix("whsec_")?).ok()?);
    let mut mac = Hmac::<Sha256>::new_from_slice(key.expose()).ok()?;
    mac.update(signed.as_bytes());
    Some(format!("v1,{}", STANDARD.encode(mac.finalize().into_bytes())))
}

#[cfg(test)]
mod tests {
    use super::*;
    use uuid::Uuid;

    fn secret(byte: u8) -> Secret<String> {
        Secret::new(format!("whsec_{}", STANDARD.encode([byte; 32])))
    }

    /// The signatures are verified with the Standard Webhooks library.
    #[test]
    fn both_signatures_verify_with_the_reference_library() {
        let id = CallbackId::new(Uuid::from_u128(7));
        let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap().as_secs();
        let body = r#"{"type":"basket.approved"}"#;
        let signed = signature(&[secret(1), secret(2)], id, i64::try_from(now).unwrap(), body).unwrap();
        assert_eq!(signed.split(' ').count(), 2);
        let mut headers = http::HeaderMap::new();
        for (name, value) in [
            ("webhook-id", id.to_string()),
            ("webhook-timestamp", now.to_string()),
            ("webhook-signature", signed),
        ] {
            headers.insert(name, http::HeaderValue::from_str(&value).unwrap());
        }
        for byte in [1, 2] {
            let webhook = standardwebhooks::Webhook::new(secret(byte).expose()).unwrap();
            assert!(webhook.verify(body.as_bytes(), &headers).is_ok());
            assert!(webhook.verify(b"{}", &headers).is_err());
        }
        let other_webhook = standardwebhooks::Webhook::new(secret(3).expose()).unwrap();
        assert!(other_webhook.verify(body.as_bytes(), &headers).is_err());
    }

    #[test]
    fn invalid_secret_gives_no_signature() {
        let id = CallbackId::new(Uuid::from_u128(7));
        assert_eq!(signature(&[], id, 0, ""), None);
        assert_eq!(signature(&[Secret::new("plain".to_owned())], id, 0, ""), None);
        assert_eq!(signature(&[secret(1), Secret::new("whsec_?".to_owned())], id, 0, ""), None);
    }
}
