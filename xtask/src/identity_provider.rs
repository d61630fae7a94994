//! What the tests of the console's sign-in need: an OpenID Connect provider from npm, run by node.

use crate::process::{Outcome, on_path, packages_install, root, run};
use std::process::Command;

/// One version for everybody, like axe-core. It runs with node 20, although it recommends a newer one.
const PROVIDER: &str = "oidc-provider@9.13.3";

/// `cargo xtask identity-provider`: finds it or installs it.
pub fn find_or_install() -> Outcome {
    let place = root().join("target/identity-provider");
    if place.join("node_modules/oidc-provider/package.json").exists() {
        return Ok(());
    }
    if on_path("npm").is_none() {
        packages_install("npm", &["npm"])?;
    }
    std::fs::create_dir_all(&place).map_err(|e| format!("{}: {e}", place.display()))?;
    let quiet = ["--no-audit", "--no-fund", "--ignore-scripts", "--loglevel=error"];
    run(Command::new("npm").arg("install").arg("--prefix").arg(&place).args(quiet).arg(PROVIDER))
}
