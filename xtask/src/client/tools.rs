//! What checks the clients: Python and Node.js from the system's packages; mypy, tsc and newman from their registries.
//!
//! Without a registry the flows of the clients still run; only types and the collection are not checked, which the tests say.

use crate::process::{Outcome, on_path, packages_install, root, run};
use std::path::Path;
use std::process::Command;

/// One version for everybody: a rule that is new today must not break yesterday's commit.
const MYPY: &str = "mypy==1.19.1";
const NODE_PACKAGES: [&str; 2] = ["typescript@5.9.3", "newman@6.2.2"];

/// `cargo xtask client-tools`: installs them in target/clients, where the tests look for them.
pub fn install() -> Outcome {
    for (program, package) in [("python3", "python3-venv"), ("node", "nodejs"), ("npm", "npm")] {
        if on_path(program).is_none() {
            packages_install(program, &[package])?;
        }
    }
    let place = root().join("target/clients");
    std::fs::create_dir_all(&place).map_err(|e| format!("{}: {e}", place.display()))?;
    for (tool, outcome) in [("mypy", mypy(&place)), ("tsc and newman", node_packages(&place))] {
        if let Err(problem) = outcome {
            println!("{tool} cannot be installed, what it checks is not checked: {problem}");
        }
    }
    Ok(())
}

fn mypy(place: &Path) -> Outcome {
    if place.join("venv/bin/mypy").exists() {
        return Ok(());
    }
    run(Command::new("python3").args(["-m", "venv"]).arg(place.join("venv")))?;
    run(Command::new(place.join("venv/bin/pip")).args(["install", "--quiet", MYPY]))
}

fn node_packages(place: &Path) -> Outcome {
    let programs = place.join("node_modules/.bin");
    if programs.join("tsc").exists() && programs.join("newman").exists() {
        return Ok(());
    }
    let quiet = ["--no-audit", "--no-fund", "--ignore-scripts", "--loglevel=error"];
    run(Command::new("npm").arg("install").arg("--prefix").arg(place).args(quiet).args(NODE_PACKAGES))
}
