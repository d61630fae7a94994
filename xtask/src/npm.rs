//! Packages of npm's registry, each set in a directory of its own under `target`.

use crate::process::{Outcome, on_path, packages_install, run};
use std::path::{Path, PathBuf};
use std::process::Command;

/// Installs packages into `place`/node_modules.
pub fn install(place: &Path, packages: &[&str]) -> Outcome {
    std::fs::create_dir_all(place).map_err(|e| format!("{}: {e}", place.display()))?;
    let quiet = ["--no-audit", "--no-fund", "--ignore-scripts", "--loglevel=error"];
    run(find_or_install()?.arg("install").arg("--prefix").arg(place).args(quiet).args(packages))
}

fn find_or_install() -> Outcome<Command> {
    if on_path("npm").is_some() {
        return Ok(Command::new("npm"));
    }
    // Packages of Node.js itself bring npm, and conflict with Debian's package of it; the link to it may be absent.
    if let Some(node) = on_path("node")
        && let Some(script) = bundled(&node)
    {
        let mut command = Command::new(node);
        command.arg(script);
        return Ok(command);
    }
    packages_install("npm", &["npm"])?;
    Ok(Command::new("npm"))
}

/// The npm that was installed with this node.
fn bundled(node: &Path) -> Option<PathBuf> {
    let script = node.parent()?.parent()?.join("lib/node_modules/npm/bin/npm-cli.js");
    script.is_file().then_some(script)
}
