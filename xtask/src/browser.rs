//! What the tests of pages need: Chromium with its driver from the system's packages, and axe-core, which tells whether
//! everybody can use a page.

use crate::npm;
use crate::process::{Outcome, on_path, packages_install, root};

/// One version for everybody: a rule that is new today must not break yesterday's commit.
const AXE: &str = "axe-core@4.14.0";

/// `cargo xtask browser`: finds these or installs them.
pub fn find_or_install() -> Outcome {
    if on_path("chromium").is_none() || on_path("chromedriver").is_none() {
        packages_install("Chromium", &["chromium", "chromium-driver"])?;
    }
    let place = root().join("target/browser");
    if place.join("node_modules").join("axe-core/axe.min.js").exists() {
        return Ok(());
    }
    npm::install(&place, &[AXE])
}
