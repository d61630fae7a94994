//! `trapeza openapi`: the interface's description for programs, as the sandbox serves it.

use trapeza_api::docs::{DocVariant, document};

pub fn run() -> (String, bool) {
    (format!("{:#}\n", document(&DocVariant::sandbox())), true)
}
