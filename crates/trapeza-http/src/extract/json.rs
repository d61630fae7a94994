//! Strict JSON for request bodies: duplicate keys are refused, depth is bounded, and numbers keep their text.
//!
//! Lenient readers take the last of two equal keys and round numbers. Where a signature check, a log and a ledger read the
//! same body, such differences have been exploited, and money must never pass through a float.

use serde::Deserialize;
use serde::de::{Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;
use std::borrow::Cow;
use std::fmt;

/// A JSON value. Strings without escapes and numbers are borrowed from the body.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Json<'a> {
    Null,
    Bool(bool),
    /// The number as it was written.
    Number(&'a str),
    Text(Cow<'a, str>),
    List(Vec<Json<'a>>),
    Object(Members<'a>),
}

/// Keys and values of an object, in their order.
pub type Members<'a> = Vec<(Cow<'a, str>, Json<'a>)>;

/// Up to this number of members the keys of an object are compared with each other; those of a larger one are sorted.
const FEW_MEMBERS: usize = 16;

/// Parses a body. The error is a message for the caller.
pub fn parse(bytes: &[u8], max_depth: usize) -> Result<Json<'_>, String> {
    let text = std::str::from_utf8(bytes).map_err(|_| "the body is not UTF-8".to_owned())?;
    match text.trim_ascii_start().as_bytes().first() {
        Some(b'{' | b'[') => value(text, max_depth),
        _ => from_str::<&RawValue>(text).and_then(|raw| value(raw.get(), max_depth)),
    }
}

/// Parses a value. The syntax of an object or a list is checked while its elements are separated; that of other values was
/// checked before.
fn value(text: &str, depth: usize) -> Result<Json<'_>, String> {
    match text.trim_ascii_start().as_bytes().first() {
        Some(b'{' | b'[') if depth == 0 => Err("the JSON is nested too deeply".to_owned()),
        Some(b'{') => {
            let RawMembers(members) = from_str(text)?;
            check_unique(&members)?;
            let members = members.into_iter().map(|(key, raw)| Ok((key, value(raw.get(), depth - 1)?)));
            members.collect::<Result<_, String>>().map(Json::Object)
        }
        Some(b'[') => {
            let items: Vec<&RawValue> = from_str(text)?;
            let items = items.into_iter().map(|raw| value(raw.get(), depth - 1));
            items.collect::<Result<_, String>>().map(Json::List)
        }
        Some(b'"') if memchr::memchr(b'\\', text.as_bytes()).is_some() => {
            from_str(text).map(|Text(text)| Json::Text(text))
        }
        Some(b'"') => Ok(Json::Text(Cow::Borrowed(&text[1..text.len() - 1]))),
        Some(b't' | b'f') => from_str(text).map(Json::Bool),
        Some(b'n') => Ok(Json::Null),
        _ => Ok(Json::Number(text)),
    }
}

fn from_str<'a, T: Deserialize<'a>>(text: &'a str) -> Result<T, String> {
    let mut deserializer = serde_json::Deserializer::from_str(text);
    let value = T::deserialize(&mut deserializer).map_err(|error| format!("invalid JSON: {error}"))?;
    deserializer.end().map_err(|_| "unexpected data after the JSON value".to_owned())?;
    Ok(value)
}

fn check_unique(members: &[(Cow<'_, str>, &RawValue)]) -> Result<(), String> {
    if members.len() <= FEW_MEMBERS {
        let mut earlier = members.iter().enumerate().map(|(index, (key, _))| (key, &members[..index]));
        let duplicate = earlier.find(|(key, earlier)| earlier.iter().any(|(other, _)| other == *key));
        return duplicate.map_or(Ok(()), |(key, _)| Err(format!("duplicate key {key:?}")));
    }
    let mut keys: Vec<&str> = members.iter().map(|(key, _)| &**key).collect();
    keys.sort_unstable();
    let duplicate = keys.windows(2).find(|pair| pair[0] == pair[1]);
    duplicate.map_or(Ok(()), |pair| Err(format!("duplicate key {:?}", pair[0])))
}

/// A string, borrowed where it has no escapes.
struct Text<'a>(Cow<'a, str>);

impl<'de> Deserialize<'de> for Text<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct TextVisitor;
        impl<'de> Visitor<'de> for TextVisitor {
            type Value = Text<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a string")
            }

            fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Self::Value, E> {
                Ok(Text(Cow::Borrowed(text)))
            }

            fn visit_str<E>(self, text: &str) -> Result<Self::Value, E> {
                Ok(Text(Cow::Owned(text.to_owned())))
            }
        }
        deserializer.deserialize_str(TextVisitor)
    }
}

/// The members of one object, with their values still unparsed.
struct RawMembers<'a>(Vec<(Cow<'a, str>, &'a RawValue)>);

impl<'de> Deserialize<'de> for RawMembers<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct MembersVisitor;
        impl<'de> Visitor<'de> for MembersVisitor {
            type Value = RawMembers<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut members = Vec::new();
                while let Some((Text(key), value)) = map.next_entry()? {
                    members.push((key, value));
                }
                Ok(RawMembers(members))
            }
        }
        deserializer.deserialize_map(MembersVisitor)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn read(text: &str) -> Result<Json<'_>, String> {
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
    fn string_without_escapes_is_borrowed() {
        let Ok(Json::List(items)) = read(r#"["plain", "esc\u0061ped"]"#) else { panic!("a list") };
        assert!(matches!(items[0], Json::Text(Cow::Borrowed("plain"))));
        assert_eq!(items[1], Json::Text("escaped".into()));
    }

    #[test]
    fn errors_name_the_problem() {
        for (text, error) in [
            ("{} {}", "unexpected data after the JSON value"),
            ("[[[[[1]]]]]", "the JSON is nested too deeply"),
            (r#"{"a": {"b": 1, "b": 2}}"#, "duplicate key \"b\""),
            ("[1,", "invalid JSON: EOF while parsing a value at line 1 column 3"),
        ] {
            assert_eq!(read(text), Err(error.to_owned()), "{text}");
        }
    }

    #[test]
    fn invalid_json_is_refused() {
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
    fn duplicate_key_is_refused_in_small_and_large_objects() {
        for count in [1, 2, 15, 40] {
            let keys: Vec<String> = (0..count).map(|number| format!("\"k{number}\": {number}")).collect();
            let object = |more: &str| format!("{{{}{more}}}", keys.join(","));
            assert!(read(&object("")).is_ok(), "{count}");
            for again in [0, count - 1] {
                let error = read(&object(&format!(",\"k{again}\": 0"))).unwrap_err();
                assert_eq!(error, format!("duplicate key \"k{again}\""));
            }
        }
    }

    proptest! {
        #[test]
        fn arbitrary_bytes_do_not_panic(bytes in proptest::collection::vec(any::<u8>(), 0..64)) {
            let _ = parse(&bytes, 8);
        }

        /// Accepts what `serde_json::Value` accepts, except for duplicate keys and depth.
        #[test]
        fn accepts_the_same_texts_as_serde_json(text in r#"[\[\]{}:,"\\a-c0-9.eE+\-u tfn]{0,24}"#) {
            let theirs = serde_json::from_str::<serde_json::Value>(&text).is_ok();
            match read(&text) {
                Ok(_) => prop_assert!(theirs, "{text}"),
                Err(error) => {
                    let stricter = error.contains("duplicate") || error.contains("deeply");
                    prop_assert!(!theirs || stricter, "{text}: {error}");
                }
            }
        }
    }
}
