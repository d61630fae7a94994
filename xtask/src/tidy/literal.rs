//! The string literals of a Rust file: just enough of a lexer to tell a string from a comment, a lifetime and a
//! character. It knows nothing of what the strings mean.

/// Each string literal with the line it starts on. Escapes are left as written, except that an escaped line break
/// becomes a space.
pub fn strings(source: &str) -> Vec<(usize, String)> {
    let bytes = source.as_bytes();
    let mut found = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        let rest = &source[at..];
        let skip = if rest.starts_with("//") {
            rest.find('\n').unwrap_or(rest.len())
        } else if rest.starts_with("/*") {
            comment_length(rest)
        } else if let Some((start, end, length)) = string_bounds(rest, at > 0 && is_word(bytes[at - 1])) {
            let line = source[..at].matches('\n').count() + 1;
            found.push((line, rest[start..end].replace("\\\n", " ")));
            length
        } else if rest.starts_with('\'') {
            character_length(rest)
        } else {
            rest.chars().next().map_or(1, char::len_utf8)
        };
        at += skip;
    }
    found
}

/// Block comments nest.
fn comment_length(rest: &str) -> usize {
    let mut depth = 0_usize;
    let mut at = 0;
    while at < rest.len() {
        if rest[at..].starts_with("/*") {
            depth += 1;
            at += 2;
        } else if rest[at..].starts_with("*/") {
            depth -= 1;
            at += 2;
            if depth == 0 {
                return at;
            }
        } else {
            at += rest[at..].chars().next().map_or(1, char::len_utf8);
        }
    }
    rest.len()
}

/// If a string begins here: where its content starts and ends, and how long the whole is.
fn string_bounds(rest: &str, after_word: bool) -> Option<(usize, usize, usize)> {
    if rest.starts_with('"') {
        let mut escaped = false;
        for (index, byte) in rest.bytes().enumerate().skip(1) {
            match byte {
                _ if escaped => escaped = false,
                b'\\' => escaped = true,
                b'"' => return Some((1, index, index + 1)),
                _ => {}
            }
        }
        return Some((1, rest.len(), rest.len()));
    }
    // r"…", r#"…"#, br#"…"#; but not the end of a name such as `for`.
    if after_word {
        return None;
    }
    let raw = rest.strip_prefix("br").or_else(|| rest.strip_prefix('r'))?;
    let hashes = raw.bytes().take_while(|byte| *byte == b'#').count();
    if raw.as_bytes().get(hashes) != Some(&b'"') {
        return None;
    }
    let start = rest.len() - raw.len() + hashes + 1;
    let closing = format!("\"{}", "#".repeat(hashes));
    let end = rest[start..].find(&closing).map_or(rest.len(), |length| start + length);
    Some((start, end, (end + closing.len()).min(rest.len())))
}

/// `'"'` and `'\''` are characters, `'a` is a lifetime.
fn character_length(rest: &str) -> usize {
    let mut characters = rest.char_indices().skip(1);
    match characters.next() {
        Some((_, '\\')) => rest[3.min(rest.len())..].find('\'').map_or(1, |length| 3 + length + 1),
        Some((_, _)) => match characters.next() {
            Some((close, '\'')) => close + 1,
            _ => 1,
        },
        None => 1,
    }
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

#[cfg(test)]
mod tests {
    use super::*;

    fn only(source: &str) -> Vec<String> {
        strings(source).into_iter().map(|(_, text)| text).collect()
    }

    #[test]
    fn all_string_literals_are_found() {
        let source = "let a = \"one\";\nlet b = r#\"t\"wo\"#;\nlet c = br\"three\";";
        let expected = [(1, "one".to_owned()), (2, "t\"wo".to_owned()), (3, "three".to_owned())];
        assert_eq!(strings(source), expected);
    }

    #[test]
    fn comments_chars_and_lifetimes_are_ignored() {
        assert!(
            only("// \"no\"\n/* \"no /* \"no\" */ */ let x: &'a str; let q = '\"'; let p = '\\''; // \"")
                .is_empty()
        );
        assert_eq!(only("let q = '\"'; let s = \"yes\"; fn f<'a>() {}"), ["yes"]);
        assert_eq!(only("'\\u{e9}' \"yes\" '\\\\' \"too\" 'é' \"three\""), ["yes", "too", "three"]);
    }

    #[test]
    fn escaped_quote_does_not_end_a_string() {
        assert_eq!(only(r#""a\"b" "c""#), [r#"a\"b"#, "c"]);
        assert_eq!(only("\"one \\\n   two\""), ["one     two"]);
    }
}
