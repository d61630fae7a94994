//! What checks the clients: Python and Node.js from the system's packages; mypy, schemathesis, datamodel-codegen, tsc and newman from their registries.
//!
//! Without a registry the flows of the clients still run; only types, the collection and generated requests are not checked, which the tests say.

use crate::npm;
use crate::process::{Outcome, on_path, packages_install, root, run};
use std::path::Path;
use std::process::Command;

/// One version for everybody: a rule that is new today must not break yesterday's commit.
const PYTHON_PACKAGES: [(&str, &str); 3] = [
    ("mypy", "mypy==1.19.1"),
    ("schemathesis", "schemathesis==4.32.5"),
    ("datamodel-codegen", "datamodel-code-generator==0.89.0"),
];
const NODE_PACKAGES: [&str; 2] = ["typescript@5.9.3", "newman@6.2.2"];

/// `cargo xtask client-tools`: installs them in target/clients, where the tests look for them.
pub fn install() -> Outcome {
    for (program, package) in [("python3", "python3-venv"), ("node", "nodejs")] {
        if on_path(program).is_none() {
            packages_install(program, &[package])?;
        }
    }
    let place = root().join("target/clients");
    std::fs::create_dir_all(&place).map_err(|e| format!("{}: {e}", place.display()))?;
    for (tool, outcome) in [
        ("mypy, schemathesis and datamodel-codegen", python_packages(&place)),
        ("tsc and newman", node_packages(&place)),
    ] {
        if let Err(problem) = outcome {
            println!("{tool} cannot be installed, what it checks is not checked: {problem}");
        }
    }
    Ok(())
}

fn python_packages(place: &Path) -> Outcome {
    let programs = place.join("venv/bin");
    if !programs.join("pip").exists() {
        run(Command::new("python3").args(["-m", "venv"]).arg(place.join("venv")))?;
    }
    for (program, package) in PYTHON_PACKAGES {
        if !programs.join(program).exists() {
            run(Command::new(programs.join("pip")).args(["install", "--quiet", package]))?;
        }
    }
    Ok(())
}

fn node_packages(place: &Path) -> Outcome {
    let programs = place.join("node_modules/.bin");
    if programs.join("tsc").exists() && programs.join("newman").exists() {
        return Ok(());
    }
    npm::install(place, &NODE_PACKAGES)
}
