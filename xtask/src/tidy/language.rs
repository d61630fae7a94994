//! The words that the glossary replaces (docs/glossary.md, "Words we do not use"). Identifiers are split into their words, so that
//! a name such as `is_let_in` is found as well.

/// A word or phrase, in lower case, and what to write instead.
const REPLACED: [(&str, &str); 25] = [
    ("anew", "again, restart"),
    ("anybody", "name the subject: the caller, the customer"),
    ("birth", "New… (a constructor's fields)"),
    ("begins anew", "restarts"),
    ("called back", "cancelled"),
    ("desk", "…Context; desktop for a screen"),
    ("folds the log", "checkpoints the WAL"),
    ("forget", "erase, remove, delete"),
    ("furnished", "seeded"),
    ("furniture", "seed data"),
    ("given out", "published"),
    ("handed over", "submitted"),
    ("has to be", "must be"),
    ("have to be", "must be"),
    ("is wanted", "is required, expected"),
    ("let in", "authenticated"),
    ("lets in", "authenticates"),
    ("nobody", "name the subject: no caller, no customer"),
    ("patience", "timeout"),
    ("put away", "archived"),
    ("somebody", "name the subject: a caller, a customer"),
    ("told", "reported, shown, answered"),
    ("turned down", "rejected"),
    ("verdict", "result, decision, outcome"),
    ("whoever", "name the subject: the caller, the process that …"),
];

/// Findings in one file, named by its path from the root.
pub fn check(path: &str, text: &str) -> Vec<String> {
    if path.starts_with("xtask/src/tidy/") || path == "docs/glossary.md" {
        return Vec::new();
    }
    let mut findings = Vec::new();
    for (index, line) in text.lines().enumerate() {
        let words = words(line);
        for (word, instead) in REPLACED {
            if words.contains(&format!(" {word} ")) {
                findings
                    .push(format!("{path}:{}: \"{word}\"; write: {instead} (docs/glossary.md)", index + 1));
            }
        }
    }
    findings
}

/// The words of a line in lower case between single spaces, with identifiers split at underscores and capitals.
fn words(line: &str) -> String {
    let mut words = String::from(" ");
    let mut previous = ' ';
    for letter in line.chars() {
        if letter.is_alphanumeric() {
            if letter.is_uppercase() && previous.is_lowercase() {
                words.push(' ');
            }
            words.extend(letter.to_lowercase());
        } else if !words.ends_with(' ') {
            words.push(' ');
        }
        previous = letter;
    }
    words.push(' ');
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn replaced_words_are_reported_in_comments_names_and_phrases() {
        for line in [
            "// Whoever calls.",
            "// It is nobody's.",
            "fn is_let_in() {}",
            "struct PaymentBirth;",
            "\"the id has to be a UUID\"",
        ] {
            let findings = check("crates/trapeza-app/src/consent.rs", line);
            assert_eq!(findings.len(), 1, "{line}: {findings:?}");
            assert!(findings[0].starts_with("crates/trapeza-app/src/consent.rs:1: "), "{findings:?}");
        }
    }

    #[test]
    fn parts_of_other_words_are_not_reported() {
        for line in ["let stole = untold_riches;", "desktop", "// The letting agent", "outlet_index"] {
            assert!(check("a.rs", line).is_empty(), "{line}");
        }
    }
}
