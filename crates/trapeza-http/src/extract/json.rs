//! JSON as callers send it, kept exactly: numbers as their text (money never passes through a float), keys in order,
//! a key twice refused, depth bounded.
//!
//! The usual readers take the last of two equal keys and round numbers; between a signature check, a log and a ledger
//! such differences have been used to pay twice.

use std::borrow::Cow;
use std::collections::HashSet;

/// A value as it was written; a text without escapes is read where it lies in the body.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Json<'a> {
    Null,
    Bool(bool),
    /// The text of the number.
    Number(&'a str),
    Text(Cow<'a, str>),
    List(Vec<Json<'a>>),
    Object(Members<'a>),
}

/// Keys and values, in their order.
pub type Members<'a> = Vec<(Cow<'a, str>, Json<'a>)>;

/// Up to so many keys are compared one by one; only larger objects pay for a set.
const FEW: usize = 16;

/// What is wrong, in words for the caller.
pub type Fault = String;

pub fn parse(bytes: &[u8], depth: usize) -> Result<Json<'_>, Fault> {
    let text = std::str::from_utf8(bytes).map_err(|_| "the body is not UTF-8".to_owned())?;
    let mut reader = Reader { bytes: text.as_bytes(), text, at: 0 };
    let value = reader.value(depth)?;
    reader.space();
    if reader.at < reader.bytes.len() {
        return Err(reader.fault("there is something behind the JSON"));
    }
    Ok(value)
}

struct Reader<'a> {
    bytes: &'a [u8],
    text: &'a str,
    at: usize,
}

impl<'a> Reader<'a> {
    fn value(&mut self, depth: usize) -> Result<Json<'a>, Fault> {
        self.space();
        match self.peek() {
            Some(b'{' | b'[') if depth == 0 => Err(self.fault("the JSON is nested too deeply")),
            Some(b'{') => self.object(depth - 1),
            Some(b'[') => self.list(depth - 1),
            Some(b'"') => self.string().map(Json::Text),
            Some(b'-' | b'0'..=b'9') => self.number(),
            Some(b't') => self.word("true", Json::Bool(true)),
            Some(b'f') => self.word("false", Json::Bool(false)),
            Some(b'n') => self.word("null", Json::Null),
            _ => Err(self.fault("a JSON value was expected")),
        }
    }

    fn object(&mut self, depth: usize) -> Result<Json<'a>, Fault> {
        self.at += 1;
        let mut members: Members<'a> = Vec::new();
        let mut seen = HashSet::new();
        self.space();
        if self.take(b'}') {
            return Ok(Json::Object(members));
        }
        loop {
            self.space();
            if self.peek() != Some(b'"') {
                return Err(self.fault("a key in quotes was expected"));
            }
            let key = self.string()?;
            if is_known(&key, &members, &mut seen) {
                return Err(format!("the key {key:?} stands twice in one object"));
            }
            self.space();
            if !self.take(b':') {
                return Err(self.fault("a colon was expected"));
            }
            members.push((key, self.value(depth)?));
            self.space();
            if self.take(b'}') {
                return Ok(Json::Object(members));
            }
            if !self.take(b',') {
                return Err(self.fault("a comma or a closing brace was expected"));
            }
        }
    }

    fn list(&mut self, depth: usize) -> Result<Json<'a>, Fault> {
        self.at += 1;
        let mut items = Vec::new();
        self.space();
        if self.take(b']') {
            return Ok(Json::List(items));
        }
        loop {
            items.push(self.value(depth)?);
            self.space();
            if self.take(b']') {
                return Ok(Json::List(items));
            }
            if !self.take(b',') {
                return Err(self.fault("a comma or a closing bracket was expected"));
            }
        }
    }

    fn string(&mut self) -> Result<Cow<'a, str>, Fault> {
        self.at += 1;
        let mut out = Cow::Borrowed("");
        loop {
            let start = self.at;
            while self.peek().is_some_and(|byte| byte != b'"' && byte != b'\\' && byte >= 0x20) {
                self.at += 1;
            }
            // Stops only at ASCII, so both ends are character boundaries. The first piece is lent, not copied.
            out += &self.text[start..self.at];
            match self.peek() {
                Some(b'"') => {
                    self.at += 1;
                    return Ok(out);
                }
                Some(b'\\') => {
                    self.at += 1;
                    out.to_mut().push(self.escape()?);
                }
                Some(_) => return Err(self.fault("a control character stands in a text")),
                None => return Err(self.fault("a text does not end")),
            }
        }
    }

    fn escape(&mut self) -> Result<char, Fault> {
        let byte = self.peek();
        self.at += 1;
        Ok(match byte {
            Some(b'"') => '"',
            Some(b'\\') => '\\',
            Some(b'/') => '/',
            Some(b'b') => '\u{8}',
            Some(b'f') => '\u{c}',
            Some(b'n') => '\n',
            Some(b'r') => '\r',
            Some(b't') => '\t',
            Some(b'u') => {
                let first = self.hex()?;
                let code = match first {
                    0xD800..=0xDBFF => {
                        if !(self.take(b'\\') && self.take(b'u')) {
                            return Err(self.fault("half of a surrogate pair is missing"));
                        }
                        let second = self.hex()?;
                        if !(0xDC00..=0xDFFF).contains(&second) {
                            return Err(self.fault("half of a surrogate pair is missing"));
                        }
                        0x10000 + ((first - 0xD800) << 10) + (second - 0xDC00)
                    }
                    other => other,
                };
                char::from_u32(code).ok_or_else(|| self.fault("half of a surrogate pair is missing"))?
            }
            _ => return Err(self.fault("an escape is not known")),
        })
    }

    fn hex(&mut self) -> Result<u32, Fault> {
        let digits =
            self.bytes.get(self.at..self.at + 4).filter(|digits| digits.iter().all(u8::is_ascii_hexdigit));
        let digits = digits.and_then(|digits| std::str::from_utf8(digits).ok());
        let code = digits.and_then(|digits| u32::from_str_radix(digits, 16).ok());
        self.at += 4;
        code.ok_or_else(|| self.fault("four hexadecimal digits were expected"))
    }

    fn number(&mut self) -> Result<Json<'a>, Fault> {
        let start = self.at;
        self.take(b'-');
        if !self.take(b'0') && self.digits() == 0 {
            return Err(self.fault("a digit was expected"));
        }
        if self.take(b'.') && self.digits() == 0 {
            return Err(self.fault("a digit was expected after the point"));
        }
        if self.take(b'e') || self.take(b'E') {
            let _ = self.take(b'+') || self.take(b'-');
            if self.digits() == 0 {
                return Err(self.fault("a digit was expected in the exponent"));
            }
        }
        if self.peek().is_some_and(|byte| byte.is_ascii_digit()) {
            return Err(self.fault("a number begins with a superfluous zero"));
        }
        Ok(Json::Number(&self.text[start..self.at]))
    }

    fn digits(&mut self) -> usize {
        let start = self.at;
        while self.peek().is_some_and(|byte| byte.is_ascii_digit()) {
            self.at += 1;
        }
        self.at - start
    }

    fn word(&mut self, word: &str, value: Json<'a>) -> Result<Json<'a>, Fault> {
        if self.bytes[self.at..].starts_with(word.as_bytes()) {
            self.at += word.len();
            return Ok(value);
        }
        Err(self.fault("a JSON value was expected"))
    }

    fn space(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\n' | b'\r')) {
            self.at += 1;
        }
    }

    fn take(&mut self, byte: u8) -> bool {
        let found = self.peek() == Some(byte);
        self.at += usize::from(found);
        found
    }

    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    fn fault(&self, text: &str) -> Fault {
        format!("{text} (at byte {})", self.at)
    }
}

/// Whether an object has this key already. `seen` is filled when there are more than a few.
fn is_known<'a>(key: &str, members: &Members<'a>, seen: &mut HashSet<Cow<'a, str>>) -> bool {
    if members.len() < FEW {
        return members.iter().any(|(known, _)| known == key);
    }
    // No key stands twice among them, so the first so many are in the set.
    seen.extend(members[seen.len()..].iter().map(|(known, _)| known.clone()));
    seen.contains(key)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn read(text: &str) -> Result<Json<'_>, Fault> {
        parse(text.as_bytes(), 4)
    }

    #[test]
    fn numbers_keep_their_text_and_keys_their_order() {
        let value =
            read(r#" {"b": 0.30000000000000004, "a": [1e3, -0, true, null, "\u00e9\uD83D\uDE00\n"]} "#);
        let list = vec![
            Json::Number("1e3"),
            Json::Number("-0"),
            Json::Bool(true),
            Json::Null,
            Json::Text("é😀\n".into()),
        ];
        let members = vec![("b".into(), Json::Number("0.30000000000000004")), ("a".into(), Json::List(list))];
        assert_eq!(value, Ok(Json::Object(members)));
    }

    #[test]
    fn what_is_not_json_is_refused() {
        for bad in [
            "",
            "{",
            "{}}",
            "{\"a\":1,}",
            "[1,]",
            "01",
            "1.",
            ".5",
            "+1",
            "1e",
            "NaN",
            "tru",
            "'a'",
            "{a:1}",
            "\"\\x\"",
            "\"\\u12\"",
            "\"\\ud800\"",
            "\"\\ud800\\u0041\"",
            "\"\\udc00\"",
            "\"a\nb\"",
            "\"open",
            "[[[[[1]]]]]",
            "{\"a\":1,\"a\":2}",
            "{\"a\":1,\"\\u0061\":2}",
            "\u{feff}{}",
            "{} {}",
        ] {
            assert!(read(bad).is_err(), "{bad}");
        }
        assert!(parse(&[b'"', 0xff, b'"'], 4).is_err());
        assert!(read("[[[[1]]]]").is_ok());
    }

    #[test]
    fn a_key_that_stands_twice_is_found_among_few_and_among_many() {
        for count in [1, FEW - 1, FEW, FEW + 1, 3 * FEW] {
            let keys: Vec<String> = (0..count).map(|number| format!("\"k{number}\": {number}")).collect();
            let object = |more: &str| format!("{{{}{more}}}", keys.join(","));
            assert!(read(&object("")).is_ok(), "{count}");
            for again in [0, count - 1] {
                let fault = read(&object(&format!(",\"k{again}\": 0"))).unwrap_err();
                assert!(fault.contains("twice"), "{count}, {again}: {fault}");
            }
        }
    }

    proptest! {
        #[test]
        fn it_never_panics(bytes in proptest::collection::vec(any::<u8>(), 0..64)) {
            let _ = parse(&bytes, 8);
        }

        /// Whatever the well-known reader accepts we accept with the same texts, and the other way round, but for what
        /// we are stricter about.
        #[test]
        fn it_agrees_with_the_well_known_reader(text in r#"[\[\]{}:,"\\a-c0-9.eE+\-u tfn]{0,24}"#) {
            let theirs = serde_json::from_str::<serde_json::Value>(&text).is_ok();
            match read(&text) {
                Ok(_) => prop_assert!(theirs, "{text}"),
                Err(fault) => prop_assert!(!theirs || fault.contains("twice") || fault.contains("deeply"), "{text}: {fault}"),
            }
        }
    }
}
