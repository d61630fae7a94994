//! Prints a page of the documentation, to look at it without a bank: `cargo run -p trapeza-api --example docs_page states > page.html`.

use std::io::Write;
use trapeza_api::docs::{DocVariant, Pages};

fn main() -> std::io::Result<()> {
    let pages = Pages::new(DocVariant::sandbox());
    let page = std::env::args().nth(1).and_then(|name| pages.page(&name));
    std::io::stdout().lock().write_all(&page.unwrap_or_else(|| pages.index("")))
}
