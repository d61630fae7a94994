//! `trapeza gen`: pages of the documentation that are made from the code. Hidden: `cargo xtask gen` is its only caller.

use crate::cli::Page;
use trapeza_http::docs::refusal;

pub fn run(page: Page) -> (String, bool) {
    let text = match page {
        Page::Refusals => refusal::table(),
    };
    (text, true)
}
