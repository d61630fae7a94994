//! The developers' portal: sign-up, sign-in and sessions, members, and who may use which route.

pub mod access;
pub mod application;
mod markup;
mod member;
pub mod object;
pub mod passkey;
mod price;
mod request_log;
mod settlement;
mod sign_in;
mod sign_up;
mod usage;
mod webhook;

use trapeza_testkit::Page;

/// Whether an input is marked as invalid and described by an error that the page has.
pub fn is_marked(page: &Page, field: &str) -> bool {
    let input = page.html.split(&format!("id=\"{field}\"")).nth(1).and_then(|rest| rest.split('>').next());
    input.is_some_and(|input| {
        input.contains("aria-invalid=\"true\"") && input.contains(&format!("{field}-error"))
    }) && page.says(&format!("id=\"{field}-error\" role=\"alert\""))
}
