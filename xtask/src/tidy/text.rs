//! Rules about the text of a file: its module doc, its length, unfinished work, SQL outside the store, and names
//! of JSON fields outside the interfaces.

use super::literal;

const LINES_WARNED: usize = 400;
const LINES_ALLOWED: usize = 500;

/// Marks of unfinished work. Written in halves, or this file would find itself.
const UNFINISHED: [&str; 5] = [
    concat!("todo", "!("),
    concat!("unimplemented", "!("),
    concat!("#[", "ignore"),
    concat!("TO", "DO"),
    concat!("FIX", "ME"),
];

/// Findings in one file, named by its path from the root.
pub fn check(path: &str, text: &str) -> Vec<String> {
    let mut findings = unfinished(path, text);
    if !path.ends_with(".rs") {
        return findings;
    }
    if path.contains("/src/") && !text.starts_with("//!") {
        findings.push(format!(
            "{path}:1: begin with a module doc (//!): what the module does, then its invariants"
        ));
    }
    let lines = length(path, text);
    if lines > LINES_ALLOWED {
        findings.push(format!(
            "{path}: {lines} lines without its tests; must be split (at most {LINES_ALLOWED})"
        ));
    }
    if !may_contain_sql(path) {
        findings.extend(sql(path, without_tests(text)));
    }
    findings.extend(spelled_fields(path, without_tests(text)));
    findings
}

/// Names of fields as an interface spells them, in the crates that decide.
fn spelled_fields(path: &str, text: &str) -> Vec<String> {
    let decides = ["crates/trapeza-domain/src/", "crates/trapeza-app/src/"];
    if !decides.iter().any(|sources| path.starts_with(sources)) {
        return Vec::new();
    }
    let lines = text.lines().enumerate().filter(|(_, line)| line.contains("FieldPath::spelled("));
    lines
        .map(|(index, _)| format!("{path}:{}: name a Field; only an interface spells it", index + 1))
        .collect()
}

/// A file that is close to the limit.
pub fn long_warning(path: &str, text: &str) -> Option<String> {
    let lines = if path.ends_with(".rs") { length(path, text) } else { 0 };
    (lines > LINES_WARNED && lines <= LINES_ALLOWED)
        .then(|| format!("{path}: {lines} lines without its tests; look for the seam"))
}

fn unfinished(path: &str, text: &str) -> Vec<String> {
    let marks = |line: &str| UNFINISHED.into_iter().find(|mark| line.contains(mark));
    let lines = text.lines().enumerate();
    lines
        .filter_map(|(index, line)| {
            Some(format!("{path}:{}: {} is unfinished work", index + 1, marks(line)?))
        })
        .collect()
}

fn length(path: &str, text: &str) -> usize {
    let is_test = path.starts_with("tests/") || path.contains("/tests/") || path.ends_with("/tests.rs");
    if is_test { 0 } else { without_tests(text).lines().count() }
}

/// Tests come last in a file.
fn without_tests(text: &str) -> &str {
    text.split("#[cfg(test)]\nmod ").next().unwrap_or(text)
}

fn may_contain_sql(path: &str) -> bool {
    // The benchmark runs statements without the store, for comparison.
    let allowed = ["crates/trapeza-store/", "crates/trapeza-testkit/", "bench/", "tests/", "xtask/"];
    allowed.iter().any(|directory| path.starts_with(directory))
        || path.contains("/tests/")
        || path.ends_with("/tests.rs")
}

fn sql(path: &str, text: &str) -> Vec<String> {
    let literals = literal::strings(text).into_iter();
    literals
        .filter(|(_, literal)| is_sql(literal))
        .map(|(line, _)| format!("{path}:{line}: an SQL statement; SQL belongs in trapeza-store"))
        .collect()
}

/// Upper case anywhere is SQL. Lower case is SQL only where a statement would begin: "select … from" is also English.
fn is_sql(literal: &str) -> bool {
    let words: Vec<&str> = literal.split_whitespace().collect();
    let line = format!(" {} ", words.join(" "));
    let lower = line.to_lowercase();
    let pair = |text: &str, first: &str, then: &str| {
        text.find(first).is_some_and(|at| text[at + first.len() - 1..].contains(then))
    };
    let begins = |first: &str, then: &str| lower.starts_with(first) && lower.contains(then);
    pair(&line, " SELECT ", " FROM ")
        || pair(&line, " UPDATE ", " SET ")
        || line.contains(" DELETE FROM ")
        || lower.contains(" insert into ")
        || lower.contains(" create table ")
        || begins(" select ", " from ")
        || (begins(" update ", " set ") && lower.contains('='))
        || begins(" delete from ", " where ")
}

#[cfg(test)]
mod tests {
    use super::*;

    const HTTP: &str = "crates/trapeza-http/src/api.rs";

    fn statement(sql: &str) -> String {
        format!("//! Doc.\nfn f() {{ g(\"{sql}\") }}\n")
    }

    #[test]
    fn clean_file_has_no_findings() {
        assert!(check(HTTP, "//! Doc.\nfn select() {} // SELECT a FROM b\n").is_empty());
    }

    #[test]
    fn sql_outside_the_store_is_reported() {
        for sql in [
            "SELECT a FROM b",
            "select a from b",
            "WITH x AS (SELECT 1) SELECT a\\\n   FROM b",
            "INSERT INTO a VALUES ($1)",
            "UPDATE a SET b = 1",
            "DELETE FROM a",
            "CREATE TABLE a (b)",
        ] {
            let findings = check(HTTP, &statement(sql));
            assert_eq!(findings.len(), 1, "{sql}: {findings:?}");
            assert!(
                findings[0].starts_with("crates/trapeza-http/src/api.rs:2: an SQL statement"),
                "{findings:?}"
            );
            assert!(check("crates/trapeza-store/src/payment.rs", &statement(sql)).is_empty());
        }
    }

    #[test]
    fn spelled_field_is_reported_in_domain_and_app_only() {
        let source = "//! Doc.\nfn f() { at(FieldPath::spelled(\"creditorName\")) }\n";
        assert_eq!(check("crates/trapeza-app/src/payment.rs", source).len(), 1);
        assert_eq!(check("crates/trapeza-domain/src/payment.rs", source).len(), 1);
        assert!(check(HTTP, source).is_empty());
    }

    #[test]
    fn english_is_not_sql() {
        for text in ["Please select one from the list", "update the app, then set it up", "SELECT nothing"] {
            assert!(check(HTTP, &statement(text)).is_empty(), "{text}");
        }
    }

    #[test]
    fn missing_module_doc_is_reported() {
        assert!(check(HTTP, "use std::fmt;\n")[0].contains("module doc"));
        assert!(check("crates/trapeza/build.rs", "fn main() {}\n").is_empty());
    }

    #[test]
    fn long_file_is_warned_then_refused() {
        let file = |lines: usize| format!("//! Doc.\n{}", "// line\n".repeat(lines - 1));
        assert_eq!(long_warning(HTTP, &file(400)), None);
        assert!(long_warning(HTTP, &file(401)).is_some());
        assert!(check(HTTP, &file(500)).is_empty());
        assert!(check(HTTP, &file(501))[0].contains("501 lines"));
        assert!(check(HTTP, &format!("{}#[cfg(test)]\nmod tests {{\n{}", file(300), file(300))).is_empty());
    }

    #[test]
    fn unfinished_work_is_reported() {
        for mark in UNFINISHED {
            let text = format!("//! Doc.\n{mark}\n");
            assert_eq!(check(HTTP, &text), [format!("{HTTP}:2: {mark} is unfinished work")]);
            assert_eq!(check("crates/trapeza/Cargo.toml", &text).len(), 1);
        }
    }
}
