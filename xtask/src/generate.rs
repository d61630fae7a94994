//! Files that a program of ours prints: written by `cargo xtask gen`, found stale by `cargo xtask gen --check`.
//!
//! A generated file is committed, so that a reader sees it without building and a change to it shows in review.

use crate::client;
use crate::process::{Outcome, capture_stdout, cargo, root};
use std::path::Path;

/// The file that the clients are made from.
const DOCUMENT: &str = "docs/openapi.json";

/// One file and the cargo command whose standard output it is.
struct Generated {
    file: &'static str,
    cargo: &'static [&'static str],
}

/// Everything that is generated. A new line here is all a new generated file needs.
const ALL: &[Generated] = &[
    Generated { file: DOCUMENT, cargo: &["run", "--quiet", "--package=trapeza", "--", "openapi"] },
    Generated {
        file: "docs/openapi-berlin-group.json",
        cargo: &["run", "--quiet", "--package=trapeza", "--", "gen", "openapi-berlin-group"],
    },
    Generated {
        file: "docs/refusals.md",
        cargo: &["run", "--quiet", "--package=trapeza", "--", "gen", "refusals"],
    },
    Generated {
        file: "docs/states/authorisation.md",
        cargo: &["run", "--quiet", "--package=trapeza", "--", "gen", "states-authorisation"],
    },
    Generated {
        file: "docs/states/consent.md",
        cargo: &["run", "--quiet", "--package=trapeza", "--", "gen", "states-consent"],
    },
    Generated {
        file: "docs/states/basket.md",
        cargo: &["run", "--quiet", "--package=trapeza", "--", "gen", "states-basket"],
    },
    Generated {
        file: "docs/states/loan.md",
        cargo: &["run", "--quiet", "--package=trapeza", "--", "gen", "states-loan"],
    },
    Generated {
        file: "docs/states/payment.md",
        cargo: &["run", "--quiet", "--package=trapeza", "--", "gen", "states-payment"],
    },
    Generated {
        file: "docs/states/signing-basket.md",
        cargo: &["run", "--quiet", "--package=trapeza", "--", "gen", "states-signing-basket"],
    },
    Generated {
        file: "docs/states/callback.md",
        cargo: &["run", "--quiet", "--package=trapeza", "--", "gen", "states-callback"],
    },
    Generated {
        file: "docs/staff-actions.md",
        cargo: &["run", "--quiet", "--package=trapeza", "--", "gen", "staff-actions"],
    },
];

pub fn run(check: bool) -> Outcome {
    let mut stale = Vec::new();
    for generated in ALL {
        let text = capture_stdout(cargo().args(generated.cargo))?;
        if !settle(&root().join(generated.file), &text, check)? {
            stale.push(generated.file);
        }
        if generated.file == DOCUMENT {
            for (file, text) in client::files(&text)? {
                if !settle(&root().join(file), &text, check)? {
                    stale.push(file);
                }
            }
        }
    }
    if stale.is_empty() {
        return Ok(());
    }
    Err(format!("not fresh: {}; `cargo xtask gen` writes them", stale.join(", ")))
}

/// Whether the file now holds the text; unless we only check, it does.
fn settle(file: &Path, text: &str, check: bool) -> Outcome<bool> {
    let fresh = std::fs::read_to_string(file).is_ok_and(|held| held == text);
    if fresh || check {
        return Ok(fresh);
    }
    let written =
        file.parent().map_or(Ok(()), std::fs::create_dir_all).and_then(|()| std::fs::write(file, text));
    written.map_err(|e| format!("{}: {e}", file.display()))?;
    println!("written: {}", file.display());
    Ok(true)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stale_file_is_reported_and_regenerated() {
        let dir = std::env::temp_dir().join(format!("trapeza-gen-{}", std::process::id()));
        let file = dir.join("docs/table.md");
        assert_eq!(settle(&file, "new", true), Ok(false));
        assert_eq!(settle(&file, "new", false), Ok(true));
        assert_eq!(settle(&file, "new", true), Ok(true));
        assert_eq!(settle(&file, "newer", true), Ok(false));
        std::fs::remove_dir_all(dir).unwrap();
    }
}
