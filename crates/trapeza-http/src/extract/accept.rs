//! Content negotiation: operations answer `application/json`; a few also answer `application/xml`, or have a page for browsers on
//! the same path.

use axum::http::HeaderMap;
use axum::http::header::ACCEPT;
use trapeza_domain::field::FieldPath;
use trapeza_domain::refusal::{Refusal, RefusalReason};

/// Refuses a request whose `Accept` header excludes JSON, and XML where the operation has it.
pub(super) fn check_accept(headers: &HeaderMap, has_xml: bool) -> Result<(), Refusal> {
    if accepts_json(headers) || (has_xml && wants_xml(headers)) {
        return Ok(());
    }
    let text = match has_xml {
        true => "must allow application/json or application/xml",
        false => "must allow application/json",
    };
    Err(Refusal::at(RefusalReason::NotAcceptable, FieldPath::spelled("Accept"), text))
}

/// A request without the header accepts anything.
fn accepts_json(headers: &HeaderMap) -> bool {
    const PROVIDED: [&str; 3] = ["application/json", "*/*", "application/*"];
    !headers.contains_key(ACCEPT) || PROVIDED.iter().any(|media| lists(headers, media))
}

/// Whether XML is the answer: the request lists it and accepts no JSON.
pub fn wants_xml(headers: &HeaderMap) -> bool {
    lists(headers, "application/xml") && !accepts_json(headers)
}

/// Whether the request comes from a browser that shows its response: it lists HTML and does not list JSON. Programs list JSON,
/// `*/*` or nothing.
pub fn prefers_html(headers: &HeaderMap) -> bool {
    lists(headers, "text/html") && !lists(headers, "application/json")
}

/// Whether `Accept` lists a media range by its name, with a weight above zero.
fn lists(headers: &HeaderMap, media: &str) -> bool {
    let values = headers.get_all(ACCEPT).iter().filter_map(|value| value.to_str().ok());
    values.flat_map(|value| value.split(',')).any(|range| {
        // Most requests list one media range without parameters.
        if range.len() == media.len() {
            return range.eq_ignore_ascii_case(media);
        }
        let mut parts = range.split(';').map(str::trim);
        let kind = parts.next().unwrap_or_default();
        let weight = parts.find_map(|part| part.strip_prefix("q=")).unwrap_or("1");
        let refused = !weight.is_empty() && weight.bytes().all(|byte| matches!(byte, b'0' | b'.'));
        kind.eq_ignore_ascii_case(media) && !refused
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::http::HeaderValue;

    fn accept(value: &'static str) -> HeaderMap {
        HeaderMap::from_iter([(ACCEPT, HeaderValue::from_static(value))])
    }

    #[test]
    fn html_is_preferred_by_browsers_only() {
        let browser = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8";
        assert!(prefers_html(&accept(browser)));
        for program in ["*/*", "application/json", "application/json, text/html", "text/html;q=0, */*", ""] {
            assert!(!prefers_html(&accept(program)), "{program}");
        }
        assert!(!prefers_html(&HeaderMap::new()));
    }

    #[test]
    fn xml_is_the_answer_only_where_json_is_not_accepted() {
        for alone in ["application/xml", "application/xml;q=0.9, text/plain", "text/html, application/xml"] {
            assert!(wants_xml(&accept(alone)), "{alone}");
            assert!(check_accept(&accept(alone), true).is_ok(), "{alone}");
            assert!(check_accept(&accept(alone), false).is_err(), "{alone}");
        }
        for other in ["application/xml, application/json", "application/xml, */*;q=0.1", "application/*"] {
            assert!(!wants_xml(&accept(other)), "{other}");
            assert!(check_accept(&accept(other), false).is_ok(), "{other}");
        }
        for none in ["text/plain", "application/xml;q=0", "text/xml"] {
            assert!(check_accept(&accept(none), true).is_err(), "{none}");
        }
        assert!(!wants_xml(&HeaderMap::new()));
    }
}
