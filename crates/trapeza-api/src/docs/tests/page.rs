//! The page shows everything, and asks for nothing from elsewhere.

use crate::docs::webhook::WEBHOOKS;
use crate::docs::{DocVariant, html, page};
use crate::operation::OPERATIONS;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use sha2::{Digest, Sha256};

#[test]
fn every_operation_has_its_place_and_every_link_leads_to_one() {
    let page = html(&DocVariant::sandbox());
    for operation in OPERATIONS {
        assert!(page.contains(&format!("<article id=\"{}\">", operation.id)), "{}", operation.id);
    }
    for webhook in WEBHOOKS {
        assert!(page.contains(&format!("<article id=\"{}\">", webhook.id)), "{}", webhook.id);
    }
    for target in page.split("href=\"#").skip(1).filter_map(|rest| rest.split('"').next()) {
        assert!(page.contains(&format!("id=\"{target}\"")), "{target}");
    }
}

#[test]
fn it_needs_no_script_and_nothing_from_elsewhere() {
    let page = html(&DocVariant::sandbox());
    for absent in ["<script", "<link", "<img", "src=", "@import", "url(", " style=", "javascript:"] {
        assert!(!page.contains(absent), "{absent}");
    }
}

#[test]
fn what_it_is_given_is_escaped() {
    let variant = DocVariant { public_url: "http://bank/<script>\"&".to_owned(), ..DocVariant::sandbox() };
    let page = html(&variant);
    assert!(!page.contains("<script>") && page.contains("&#60;script&#62;"), "the address is not escaped");
}

#[test]
fn its_policy_allows_just_its_own_style() {
    let page = html(&DocVariant::sandbox());
    let style = page.split_once("<style>").unwrap().1.split_once("</style>").unwrap().0;
    let hash = STANDARD.encode(Sha256::digest(style));
    let policy = page::policy();
    assert!(policy.to_str().unwrap().contains(&format!("style-src 'sha256-{hash}'")), "{policy:?}");
    assert!(!policy.to_str().unwrap().contains("unsafe"));
}
