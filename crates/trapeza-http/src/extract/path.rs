//! Path parameters. A parameter is a whole segment of the route template.

use percent_encoding::percent_decode_str;
use trapeza_domain::refusal::{Refusal, RefusalReason};

/// The segments of a path. Paths are rarely percent-encoded, so the common case stores nothing.
pub enum Segments {
    /// Nothing is percent-encoded: the path is read as sent.
    AsSent,
    Decoded(Vec<String>),
}

impl Segments {
    pub fn parse(path: &str) -> Result<Self, Refusal> {
        if !path.contains('%') {
            return Ok(Self::AsSent);
        }
        // A decoded segment may contain a slash, so segments are stored separately.
        let decoded =
            path.split('/').map(|segment| Ok(percent_decode_str(segment).decode_utf8()?.into_owned()));
        let decoded: Result<Vec<String>, std::str::Utf8Error> = decoded.collect();
        decoded
            .map(Self::Decoded)
            .map_err(|_| Refusal::new(RefusalReason::PathUnknown, "the path is not UTF-8"))
    }

    /// The parameter `name` of the template, in the path that was parsed.
    pub fn param<'a>(&'a self, name: &str, template: &str, path: &'a str) -> Option<&'a str> {
        let matches =
            |segment: &str| segment.strip_prefix('{').and_then(|rest| rest.strip_suffix('}')) == Some(name);
        let place = template.split('/').position(matches)?;
        match self {
            Self::AsSent => path.split('/').nth(place),
            Self::Decoded(segments) => segments.get(place).map(String::as_str),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const TEMPLATE: &str = "/v1/{service}/of/{id}";

    fn param(path: &str, name: &str) -> Option<String> {
        Segments::parse(path).unwrap().param(name, TEMPLATE, path).map(str::to_owned)
    }

    #[test]
    fn parameter_is_found_by_its_name() {
        for path in ["/v1/one/of/two", "/v1/%6fne/of/tw%6F"] {
            assert_eq!(param(path, "service").as_deref(), Some("one"));
            assert_eq!(param(path, "id").as_deref(), Some("two"));
            assert_eq!(param(path, "of"), None);
        }
    }

    #[test]
    fn encoded_slash_stays_inside_its_segment() {
        assert_eq!(param("/v1/a%2Fb/of/c", "service").as_deref(), Some("a/b"));
        assert_eq!(param("/v1/a%2Fb/of/c", "id").as_deref(), Some("c"));
    }

    #[test]
    fn invalid_escape_is_literal_and_invalid_utf8_is_refused() {
        assert_eq!(param("/v1/100%/of/%zz", "service").as_deref(), Some("100%"));
        assert_eq!(param("/v1/100%/of/%zz", "id").as_deref(), Some("%zz"));
        assert!(Segments::parse("/v1/%ff/of/x").is_err());
    }

    proptest! {
        #[test]
        fn encoded_text_is_decoded(service in "\\PC{1,9}", id in "\\PC{1,9}") {
            let encoded = |text: &str| text.bytes().map(|byte| format!("%{byte:02x}")).collect::<String>();
            let path = format!("/v1/{}/of/{}", encoded(&service), encoded(&id));
            prop_assert_eq!(param(&path, "service"), Some(service));
            prop_assert_eq!(param(&path, "id"), Some(id));
        }
    }
}
