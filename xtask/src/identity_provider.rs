//! What the tests of the console's sign-in need: an OpenID Connect provider from npm, run by node.

use crate::npm;
use crate::process::{Outcome, root};

/// One version for everybody, like axe-core. It runs with node 20, although it recommends a newer one.
const PROVIDER: &str = "oidc-provider@9.13.3";

/// `cargo xtask identity-provider`: finds it or installs it.
pub fn find_or_install() -> Outcome {
    let place = root().join("target/identity-provider");
    if place.join("node_modules/oidc-provider/package.json").exists() {
        return Ok(());
    }
    npm::install(&place, &[PROVIDER])
}
