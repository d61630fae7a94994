//! The signing string: the signed headers, one per line (draft-cavage-http-signatures §2.3).

use axum::http::{HeaderMap, Method, Uri};

/// The request line, as the pseudo-header `(request-target)`.
pub const REQUEST_TARGET: &str = "(request-target)";

/// Method and target of a request; a response has none.
#[derive(Clone, Copy)]
pub struct RequestTarget<'a> {
    pub method: &'a Method,
    pub uri: &'a Uri,
}

/// Builds the string of the named headers, whose names are in lower case. Several values of a header are joined by a comma and a
/// space. `None` when a header was not sent.
pub fn build<'n>(
    names: impl IntoIterator<Item = &'n str>,
    target: Option<RequestTarget<'_>>,
    headers: &HeaderMap,
) -> Option<Vec<u8>> {
    let mut text = Vec::new();
    for name in names {
        if !text.is_empty() {
            text.push(b'\n');
        }
        text.extend_from_slice(name.as_bytes());
        text.extend_from_slice(b": ");
        if name == REQUEST_TARGET {
            let RequestTarget { method, uri } = target?;
            text.extend_from_slice(method.as_str().to_ascii_lowercase().as_bytes());
            text.push(b' ');
            text.extend_from_slice(uri.path_and_query().map_or("/", |target| target.as_str()).as_bytes());
            continue;
        }
        let mut values = headers.get_all(name).iter().map(|value| value.as_bytes().trim_ascii());
        text.extend_from_slice(values.next()?);
        for value in values {
            text.extend_from_slice(b", ");
            text.extend_from_slice(value);
        }
    }
    Some(text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::http::{HeaderName, HeaderValue};

    #[test]
    fn string_has_a_line_for_each_header_in_the_listed_order() {
        let headers = HeaderMap::from_iter([
            (HeaderName::from_static("digest"), HeaderValue::from_static(" SHA-256=AAEC ")),
            (HeaderName::from_static("x-request-id"), HeaderValue::from_static("7")),
            (HeaderName::from_static("empty"), HeaderValue::from_static("")),
            (HeaderName::from_static("several"), HeaderValue::from_static("one ")),
        ]);
        let mut headers = headers;
        headers.append("several", HeaderValue::from_static(" two, three"));
        let uri = Uri::from_static("/v1/accounts?withBalance=true");
        let target = Some(RequestTarget { method: &Method::GET, uri: &uri });
        let text =
            build(["x-request-id", "(request-target)", "several", "empty", "digest"], target, &headers);
        let expected = "x-request-id: 7\n(request-target): get /v1/accounts?withBalance=true\nseveral: one, two, three\nempty: \ndigest: SHA-256=AAEC";
        assert_eq!(text.as_deref(), Some(expected.as_bytes()));
        assert_eq!(build(["digest", "date"], target, &headers), None, "a header that was not sent");
        assert_eq!(build(["(request-target)"], None, &headers), None, "a response has no target");
        assert_eq!(build(["(created)"], target, &headers), None);
    }
}
