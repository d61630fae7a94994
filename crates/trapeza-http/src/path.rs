//! What a path says where its template has a parameter. Parameters are whole segments: a template that had one inside a
//! segment would not be read here.

use percent_encoding::percent_decode_str;
use trapeza_domain::refusal::{Refusal, RefusalReason};

/// How the segments of a path are read. Hardly a path has anything encoded, and then there is nothing to keep.
pub enum Segments {
    AsSent,
    Decoded(Vec<String>),
}

impl Segments {
    pub fn parse(path: &str) -> Result<Self, Refusal> {
        if !path.contains('%') {
            return Ok(Self::AsSent);
        }
        // A segment may have become several now, so they are kept apart.
        let decoded =
            path.split('/').map(|segment| Ok(percent_decode_str(segment).decode_utf8()?.into_owned()));
        let decoded: Result<Vec<String>, std::str::Utf8Error> = decoded.collect();
        decoded
            .map(Self::Decoded)
            .map_err(|_| Refusal::new(RefusalReason::PathUnknown, "the path is not UTF-8"))
    }

    /// The parameter that a template calls `name`, of the path that was parsed.
    pub fn named<'a>(&'a self, name: &str, template: &str, path: &'a str) -> Option<&'a str> {
        let is_named =
            |segment: &str| segment.strip_prefix('{').and_then(|rest| rest.strip_suffix('}')) == Some(name);
        let place = template.split('/').position(is_named)?;
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

    fn named(path: &str, name: &str) -> Option<String> {
        Segments::parse(path).unwrap().named(name, TEMPLATE, path).map(str::to_owned)
    }

    #[test]
    fn a_parameter_is_found_by_its_name() {
        for path in ["/v1/one/of/two", "/v1/%6fne/of/tw%6F"] {
            assert_eq!(named(path, "service").as_deref(), Some("one"));
            assert_eq!(named(path, "id").as_deref(), Some("two"));
            assert_eq!(named(path, "of"), None);
        }
    }

    #[test]
    fn an_encoded_slash_ends_no_segment() {
        assert_eq!(named("/v1/a%2Fb/of/c", "service").as_deref(), Some("a/b"));
        assert_eq!(named("/v1/a%2Fb/of/c", "id").as_deref(), Some("c"));
    }

    #[test]
    fn what_encodes_nothing_stays_and_what_is_not_text_is_refused() {
        assert_eq!(named("/v1/100%/of/%zz", "service").as_deref(), Some("100%"));
        assert_eq!(named("/v1/100%/of/%zz", "id").as_deref(), Some("%zz"));
        assert!(Segments::parse("/v1/%ff/of/x").is_err());
    }

    proptest! {
        #[test]
        fn what_was_encoded_comes_out(service in "\\PC{1,9}", id in "\\PC{1,9}") {
            let encoded = |text: &str| text.bytes().map(|byte| format!("%{byte:02x}")).collect::<String>();
            let path = format!("/v1/{}/of/{}", encoded(&service), encoded(&id));
            prop_assert_eq!(named(&path, "service"), Some(service));
            prop_assert_eq!(named(&path, "id"), Some(id));
        }
    }
}
