//! The alert rules in `deploy/prometheus`: checked and tested by Prometheus's own tool, promtool.

use crate::process::{Outcome, on_path, packages_install, root, run};
use std::process::Command;

/// `cargo xtask alerts`.
pub fn check() -> Outcome {
    if on_path("promtool").is_none() {
        packages_install("promtool", &["prometheus"])?;
    }
    let directory = root().join("deploy/prometheus");
    let promtool = |words: &[&str]| run(Command::new("promtool").args(words).current_dir(&directory));
    promtool(&["check", "rules", "trapeza.rules.yml"])?;
    promtool(&["check", "config", "prometheus.example.yml"])?;
    promtool(&["test", "rules", "trapeza.test.yml"])
}
