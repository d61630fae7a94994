//! Path parameters. A parameter is a whole segment of the route template.

use percent_encoding::percent_decode_str;

/// The segments of a path. Paths are rarely percent-encoded, so the common case stores nothing.
pub enum Segments {
    /// Nothing is percent-encoded: the path is read as sent.
    AsSent,
    Decoded(Vec<String>),
}

impl Segments {
    /// Bytes that are not UTF-8 become U+FFFD, which no id or name contains: the parameter is then as unknown as any other
    /// that names nothing.
    pub fn parse(path: &str) -> Self {
        if !path.contains('%') {
            return Self::AsSent;
        }
        // A decoded segment may contain a slash, so segments are stored separately.
        let decoded =
            path.split('/').map(|segment| percent_decode_str(segment).decode_utf8_lossy().into_owned());
        Self::Decoded(decoded.collect())
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
        Segments::parse(path).param(name, TEMPLATE, path).map(str::to_owned)
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
    fn invalid_escape_is_literal_and_invalid_utf8_is_replaced() {
        assert_eq!(param("/v1/100%/of/%zz", "service").as_deref(), Some("100%"));
        assert_eq!(param("/v1/100%/of/%zz", "id").as_deref(), Some("%zz"));
        assert_eq!(param("/v1/%ff/of/x", "service").as_deref(), Some("\u{fffd}"));
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
