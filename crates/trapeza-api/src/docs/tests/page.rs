//! The pages show everything, and need nothing from elsewhere.

use crate::docs::webhook::WEBHOOKS;
use crate::docs::{DocVariant, Pages, page};
use crate::operation::OPERATIONS;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use sha2::{Digest, Sha256};
use std::collections::HashSet;

/// All pages by their path.
fn all(variant: DocVariant) -> Vec<(String, String)> {
    let pages = Pages::new(variant);
    let text = |bytes: bytes::Bytes| String::from_utf8(bytes.to_vec()).unwrap();
    let index = ("/docs".to_owned(), text(pages.index("")));
    let named = pages.names().into_iter().map(|name| {
        let page = pages.page(&name).unwrap_or_else(|| panic!("{name} is not rendered"));
        (format!("/docs/{name}"), text(page))
    });
    std::iter::once(index).chain(named).collect()
}

fn ids(page: &str) -> Vec<&str> {
    page.split(" id=\"").skip(1).filter_map(|rest| rest.split('"').next()).collect()
}

#[test]
fn every_operation_has_its_place_and_every_link_leads_to_one() {
    let pages = all(DocVariant::sandbox());
    for id in OPERATIONS.iter().map(|operation| operation.id).chain(WEBHOOKS.iter().map(|webhook| webhook.id))
    {
        let article = format!("<article id=\"{id}\">");
        assert!(pages.iter().any(|(_, page)| page.contains(&article)), "{id}");
    }
    for (path, page) in &pages {
        for link in page.split("href=\"").skip(1).filter_map(|rest| rest.split('"').next()) {
            let (target, anchor) = link.split_once('#').unwrap_or((link, ""));
            let target = if target.is_empty() { path } else { target };
            if target == "/openapi.json" {
                continue;
            }
            let found = pages.iter().find(|(path, _)| path == target);
            let (_, content) = found.unwrap_or_else(|| panic!("{path}: {link}"));
            assert!(anchor.is_empty() || ids(content).contains(&anchor), "{path}: {link}");
        }
    }
}

#[test]
fn id_is_unique_on_its_page() {
    for (path, page) in all(DocVariant::sandbox()) {
        let mut seen = HashSet::new();
        for id in ids(&page) {
            assert!(seen.insert(id), "{path}: {id} occurs twice");
        }
    }
}

#[test]
fn page_needs_no_script_and_nothing_from_elsewhere() {
    let production = DocVariant { sandbox: false, ..DocVariant::sandbox() };
    for (path, page) in all(production) {
        for absent in ["<script", "<link", "<img", "src=", "@import", "url(", " style=", "javascript:"] {
            assert!(!page.contains(absent), "{path}: {absent}");
        }
    }
}

#[test]
fn sandbox_page_has_one_script_of_its_own() {
    for (path, page) in all(DocVariant::sandbox()) {
        let page = page.replacen("<script src=\"/docs/run.js\" defer></script>", "", 1);
        for absent in ["<script", "<link", "<img", "src=", "@import", "url(", " style=", "javascript:"] {
            assert!(!page.contains(absent), "{path}: {absent}");
        }
    }
}

#[test]
fn address_and_searched_words_are_escaped() {
    let variant = DocVariant { public_url: "http://bank/<script>\"&".to_owned(), ..DocVariant::sandbox() };
    for (path, page) in all(variant.clone()) {
        assert!(!page.contains("<script>"), "{path}");
    }
    let found = Pages::new(variant).index("\"><script>alert(1)</script>");
    let found = std::str::from_utf8(&found).unwrap();
    assert!(!found.contains("<script>") && found.contains("&#60;script&#62;"), "the words are not escaped");
}

#[test]
fn search_finds_operations_by_words_fields_and_codes() {
    let pages = Pages::new(DocVariant::sandbox());
    let found = |query: &str| String::from_utf8(pages.index(query).to_vec()).unwrap();
    for (query, expected) in [
        ("revoke consent", "/docs/consents#deleteConsent"),
        ("frequencyPerDay", "/docs/consents#createConsent.request.frequencyPerDay"),
        ("refund", "/docs/pay-later#refundLoan"),
        ("STATUS_INVALID", "/docs/consents#startConsentAuthorisation"),
    ] {
        assert!(found(query).contains(&format!("href=\"{expected}\"")), "{query}");
    }
    assert!(found("zzz nothing").contains("0 found for"));
    assert!(!found("refund").contains("#createConsent\""), "an operation without the word is shown");
}

#[test]
fn production_has_no_sandbox_page() {
    let pages = Pages::new(DocVariant { sandbox: false, ..DocVariant::sandbox() });
    assert!(pages.page("sandbox").is_none());
    assert!(pages.page("consents").is_some());
}

#[test]
fn its_policy_allows_just_its_own_style_and_script() {
    assert!(
        !page::content_security_policy(false).to_str().unwrap().contains("script-src"),
        "production has no script"
    );
    let policy = page::content_security_policy(true);
    for (path, page) in all(DocVariant::sandbox()) {
        let style = page.split_once("<style>").unwrap().1.split_once("</style>").unwrap().0;
        let hash = STANDARD.encode(Sha256::digest(style));
        assert!(
            policy.to_str().unwrap().contains(&format!("style-src 'sha256-{hash}'")),
            "{path}: {policy:?}"
        );
    }
    assert!(!policy.to_str().unwrap().contains("unsafe"));
}
