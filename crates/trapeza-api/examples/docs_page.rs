//! Prints the documentation's page, to look at it without a bank: `cargo run -p trapeza-api --example docs_page > page.html`.

use std::io::Write;
use trapeza_api::docs::{DocVariant, html};

fn main() -> std::io::Result<()> {
    std::io::stdout().lock().write_all(html(&DocVariant::sandbox()).as_bytes())
}
