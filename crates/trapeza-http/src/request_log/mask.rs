//! Masks what a request log must not contain. Headers and query parameters are masked unless they are listed; members of a body are
//! masked when their name says that they are secret.

use axum::http::{HeaderMap, Uri};
use serde_json::Value;

const MASK: &str = "***";
/// Longer bodies are not stored, and longer values are cut.
const BODY_BYTES_MAX: usize = 8 * 1024;
const VALUE_CHARACTERS_MAX: usize = 512;

/// Headers without secrets.
const HEADERS: [&str; 28] = [
    "accept",
    "accept-encoding",
    "accept-language",
    "allow",
    "cache-control",
    "clientid",
    "consent-id",
    "consentid",
    "content-length",
    "content-type",
    "digest",
    "host",
    "idempotent-replay",
    "location",
    "psu-id",
    "psu-ip-address",
    "psu_id",
    "psuipaddress",
    "retry-after",
    "tpp-decoupled-preferred",
    "tpp-nok-redirect-uri",
    "tpp-redirect-preferred",
    "tpp-redirect-uri",
    "traceparent",
    "user-agent",
    "x-application-id",
    "x-correlation-id",
    "x-request-id",
];

/// Query parameters of operations.
const PARAMETERS: [&str; 12] = [
    "amount",
    "api-version",
    "basketId",
    "bookingStatus",
    "cursor",
    "dateFrom",
    "dateTo",
    "entryReferenceFrom",
    "isSuccessCallback",
    "limit",
    "orderIdentifier",
    "withBalance",
];

/// A member whose name contains one of these, in lower case, is masked with everything below it.
const SECRET_PARTS: [&str; 8] = [
    "authenticationdata",
    "cardnumber",
    "certificate",
    "password",
    "scaredirect",
    "secret",
    "signature",
    "token",
];
/// A member whose name ends with one of these is masked too.
const SECRET_ENDS: [&str; 6] = ["cvc", "cvv", "key", "otp", "pan", "pin"];

/// Lines of `name: value`.
pub(super) fn headers(headers: &HeaderMap) -> String {
    let line = |(name, value): (&axum::http::HeaderName, &axum::http::HeaderValue)| {
        let name = name.as_str();
        let shown = match value.to_str() {
            // The query of an address may contain a secret of the caller.
            Ok(text) if name.ends_with("redirect-uri") => shortened(without_query(text)),
            Ok(text) if HEADERS.contains(&name) => shortened(text),
            _ => MASK.to_owned(),
        };
        format!("{name}: {shown}\n")
    };
    headers.iter().map(line).collect()
}

/// Path and query.
pub(super) fn target(uri: &Uri) -> String {
    let Some(query) = uri.query() else { return shortened(uri.path()) };
    let parameter = |pair: &str| match pair.split_once('=') {
        Some((name, _)) if PARAMETERS.contains(&name) => pair.to_owned(),
        _ => MASK.to_owned(),
    };
    let query: Vec<String> = query.split('&').map(parameter).collect();
    shortened(&format!("{}?{}", uri.path(), query.join("&")))
}

/// `None` for a body that is empty, too long or no JSON.
pub(super) fn body(bytes: &[u8]) -> Option<String> {
    if bytes.is_empty() || bytes.len() > BODY_BYTES_MAX {
        return None;
    }
    let mut value: Value = serde_json::from_slice(bytes).ok()?;
    mask(&mut value);
    Some(value.to_string())
}

fn mask(value: &mut Value) {
    match value {
        Value::Object(members) => {
            for (name, value) in members {
                let name = name.to_lowercase();
                if SECRET_PARTS.iter().any(|part| name.contains(part))
                    || SECRET_ENDS.iter().any(|end| name.ends_with(end))
                {
                    *value = MASK.into();
                } else {
                    mask(value);
                }
            }
        }
        Value::Array(elements) => elements.iter_mut().for_each(mask),
        Value::String(text) if text.len() > VALUE_CHARACTERS_MAX => *text = shortened(text),
        _ => {}
    }
}

fn without_query(address: &str) -> &str {
    address.split(['?', '#']).next().unwrap_or_default()
}

fn shortened(text: &str) -> String {
    match text.char_indices().nth(VALUE_CHARACTERS_MAX) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::http::{HeaderName, HeaderValue};

    #[test]
    fn every_header_of_a_credential_is_masked() {
        for name in [
            "authorization",
            "certificate",
            "client-cert",
            "cookie",
            "ocp-apim-subscription-key",
            "proxy-authorization",
            "psu-authorization",
            "set-cookie",
            "signature",
            "tpp-qwac-certificate",
            "tpp-signature-certificate",
            "webhook-signature",
        ] {
            let planted = (HeaderName::from_static(name), HeaderValue::from_static("planted"));
            assert_eq!(headers(&HeaderMap::from_iter([planted])), format!("{name}: ***\n"));
        }
    }

    #[test]
    fn every_member_with_the_name_of_a_secret_is_masked() {
        for name in [
            "scaAuthenticationData",
            "certificate",
            "tppCertificate",
            "password",
            "newPassword",
            "scaRedirect",
            "clientSecret",
            "secret",
            "signature",
            "deviceSignature",
            "access_token",
            "token",
            "cvc",
            "cardCvc",
            "cvv",
            "key",
            "subscriptionKey",
            "OTP",
            "smsOtp",
            "pan",
            "cardPAN",
            "cardNumber",
            "pin",
            "newPin",
        ] {
            let sent = format!("{{\"{name}\":{{\"inner\":\"planted\"}},\"amount\":\"12.50\"}}");
            let stored: Value = serde_json::from_str(&body(sent.as_bytes()).unwrap()).unwrap();
            assert_eq!(stored[name], MASK, "{name}");
            assert_eq!(stored["amount"], "12.50", "{name}");
        }
    }

    #[test]
    fn headers_are_masked_unless_they_are_listed() {
        let mut map = HeaderMap::new();
        for (name, value) in [
            ("ocp-apim-subscription-key", "planted"),
            ("certificate", "planted"),
            ("authorization", "Bearer planted"),
            ("tpp-redirect-uri", "https://tpp.example/back?state=planted"),
            ("x-unknown", "planted"),
            ("x-request-id", "6f9619ff-8b86-4011-b42d-00cf4fc964ff"),
        ] {
            map.insert(name, HeaderValue::from_static(value));
        }
        let text = headers(&map);
        assert!(!text.contains("planted"), "{text}");
        assert!(text.contains("x-request-id: 6f9619ff-8b86-4011-b42d-00cf4fc964ff\n"));
        assert!(text.contains("tpp-redirect-uri: https://tpp.example/back\n"));
        assert!(text.contains("certificate: ***\n"));
    }

    #[test]
    fn unknown_parameters_are_masked() {
        let uri = "/v1/accounts?withBalance=true&token=planted&planted".parse().unwrap();
        assert_eq!(target(&uri), "/v1/accounts?withBalance=true&***&***");
    }

    #[test]
    fn secret_members_are_masked_at_every_depth() {
        let sent = r#"{"psuData":{"password":"planted","encryptedPassword":["planted"]},"scaAuthenticationData":"planted",
            "list":[{"OTP":"planted","iban":"GR1601101250000000012300695"}],"_links":{"scaRedirect":{"href":"/planted"}}}"#;
        let text = body(sent.as_bytes()).unwrap();
        assert!(!text.contains("planted"), "{text}");
        assert!(text.contains("GR1601101250000000012300695"));
    }

    #[test]
    fn body_that_is_long_or_no_json_is_not_stored() {
        assert_eq!(body(b""), None);
        assert_eq!(body(b"password=planted"), None);
        assert_eq!(body(format!("\"{}\"", "x".repeat(BODY_BYTES_MAX)).as_bytes()), None);
        assert!(body(format!("\"{}\"", "x".repeat(1_000)).as_bytes()).unwrap().ends_with("x…\""));
    }
}
