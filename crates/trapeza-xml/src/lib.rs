//! A small XML tree, in which messages of ISO 20022 are written and read. Untrusted input is limited: document types, entities,
//! processing instructions and deep nesting are refused.

mod decimal;
pub mod structure;

pub use decimal::plain_decimal;

use quick_xml::Reader;
use quick_xml::escape::escape;
use quick_xml::events::{BytesStart, Event};
use std::borrow::Cow;
use std::fmt::Write;

/// ISO 20022 messages are about ten levels deep.
const MAX_DEPTH: usize = 32;
/// Elements of ten thousand transfers, and some more.
const MAX_ELEMENTS: usize = 600_000;
const MAX_TEXT_BYTES: usize = 4096;

/// An element with a text or with children; text between children is ignored.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Element {
    /// Without its prefix.
    pub name: String,
    pub text: String,
    pub attributes: Vec<(String, String)>,
    pub children: Vec<Element>,
}

impl Element {
    pub fn new(name: &str) -> Self {
        Self { name: name.to_owned(), ..Self::default() }
    }

    pub fn leaf(name: &str, text: impl Into<String>) -> Self {
        Self { text: text.into(), ..Self::new(name) }
    }

    #[must_use]
    pub fn with(mut self, child: Self) -> Self {
        self.children.push(child);
        self
    }

    #[must_use]
    pub fn with_all(mut self, children: impl IntoIterator<Item = Self>) -> Self {
        self.children.extend(children);
        self
    }

    #[must_use]
    pub fn with_attribute(mut self, name: &str, value: &str) -> Self {
        self.attributes.push((name.to_owned(), value.to_owned()));
        self
    }

    /// Nested elements from a path.
    pub fn nested(path: &str, text: impl Into<String>) -> Self {
        match path.split_once('/') {
            Some((name, rest)) => Self::new(name).with(Self::nested(rest, text)),
            None => Self::leaf(path, text),
        }
    }

    /// The first element at a path.
    pub fn find(&self, path: &str) -> Option<&Self> {
        path.split('/').try_fold(self, |at, name| at.children.iter().find(|child| child.name == name))
    }

    pub fn all<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a Self> {
        self.children.iter().filter(move |child| child.name == name)
    }

    /// The text at a path.
    pub fn text(&self, path: &str) -> Option<&str> {
        self.find(path).map(|found| found.text.as_str()).filter(|text| !text.is_empty())
    }

    pub fn attribute(&self, name: &str) -> Option<&str> {
        self.attributes.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    /// The whole document.
    pub fn serialize(&self) -> String {
        let mut out = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n".to_owned();
        self.print_into(&mut out, 0);
        out
    }

    fn print_into(&self, out: &mut String, depth: usize) {
        let (indent, name) = ("  ".repeat(depth), &self.name);
        // Writing to a String cannot fail.
        let _ = write!(out, "{indent}<{name}");
        for (name, value) in &self.attributes {
            let _ = write!(out, " {name}=\"{}\"", escape(value));
        }
        if self.children.is_empty() {
            let _ = writeln!(out, ">{}</{name}>", escape(printable(&self.text)));
            return;
        }
        out.push_str(">\n");
        for child in &self.children {
            child.print_into(out, depth + 1);
        }
        let _ = writeln!(out, "{indent}</{name}>");
    }
}

/// The text with spaces for the control characters, which XML cannot contain in any form.
fn printable(text: &str) -> Cow<'_, str> {
    let is_allowed = |letter: char| match letter {
        '\t' | '\n' | '\r' => true,
        '\u{fffe}' | '\u{ffff}' => false,
        letter => !letter.is_control(),
    };
    if text.chars().all(is_allowed) {
        return text.into();
    }
    text.chars().map(|letter| if is_allowed(letter) { letter } else { ' ' }).collect()
}

/// Parses a document. Errors never repeat its content.
pub fn parse(bytes: &[u8]) -> Result<Element, &'static str> {
    let text = std::str::from_utf8(bytes).map_err(|_| "not UTF-8")?;
    // Not even a comment may contain it.
    if text.contains('\0') {
        return Err("not well-formed XML");
    }
    let mut reader = Reader::from_str(text.strip_prefix('\u{feff}').unwrap_or(text));
    let mut open: Vec<Element> = Vec::new();
    let mut root = None;
    let mut count = 0;
    loop {
        match reader.read_event().map_err(|_| "not well-formed XML")? {
            Event::Start(start) => {
                count += 1;
                if open.len() >= MAX_DEPTH || count > MAX_ELEMENTS || root.is_some() {
                    return Err("nesting too deep or too many elements");
                }
                open.push(begun(&start)?);
            }
            Event::Empty(start) => {
                count += 1;
                if count > MAX_ELEMENTS || root.is_some() {
                    return Err("nesting too deep or too many elements");
                }
                close(begun(&start)?, &mut open, &mut root);
            }
            Event::End(_) => {
                let ended = open.pop().ok_or("not well-formed XML")?;
                close(ended, &mut open, &mut root);
            }
            Event::Text(text) => add(&mut open, &text.xml10_content())?,
            Event::CData(text) => add(&mut open, &text.xml10_content())?,
            Event::GeneralRef(name) => {
                let letter = match name.resolve_char_ref().map_err(|_| "not well-formed XML")? {
                    Some(letter) => letter,
                    None => predefined(&name.xml10_content()).ok_or("entities are not allowed")?,
                };
                add(&mut open, letter.encode_utf8(&mut [0; 4]))?;
            }
            Event::DocType(_) => return Err("document types are not allowed"),
            Event::PI(_) => return Err("processing instructions are not allowed"),
            Event::Decl(_) | Event::Comment(_) => {}
            Event::Eof => break,
        }
    }
    if open.is_empty() { root.ok_or("the document is empty") } else { Err("the document is incomplete") }
}

fn begun(start: &BytesStart<'_>) -> Result<Element, &'static str> {
    let mut element = Element::new(start.local_name().into_inner());
    for attribute in start.attributes() {
        let attribute = attribute.map_err(|_| "not well-formed XML")?;
        // Attributes that are read here contain no escapes.
        let (name, value) = (attribute.key.into_inner().to_owned(), attribute.value.into_owned());
        element.attributes.push((name, value));
    }
    Ok(element)
}

fn close(mut ended: Element, open: &mut [Element], root: &mut Option<Element>) {
    ended.text = match ended.children.is_empty() {
        // Line breaks in a text count as spaces.
        true => ended.text.split_whitespace().collect::<Vec<_>>().join(" "),
        false => String::new(),
    };
    match open.last_mut() {
        Some(parent) => {
            // Indentation before a child is no text: many children of one parent are not a long one.
            parent.text.clear();
            parent.children.push(ended);
        }
        None => *root = Some(ended),
    }
}

fn add(open: &mut [Element], text: &str) -> Result<(), &'static str> {
    let Some(element) = open.last_mut() else {
        return if text.trim().is_empty() { Ok(()) } else { Err("text outside of elements") };
    };
    if element.text.len() + text.len() > MAX_TEXT_BYTES {
        return Err("a text is too long");
    }
    if text.chars().any(|letter| letter.is_control() && !letter.is_whitespace()) {
        return Err("a text contains control characters");
    }
    element.text.push_str(text);
    Ok(())
}

fn predefined(name: &str) -> Option<char> {
    Some(match name {
        "lt" => '<',
        "gt" => '>',
        "amp" => '&',
        "quot" => '"',
        "apos" => '\'',
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn serialised_tree_parses_to_itself() {
        let amount = Element::leaf("Amt", "1.00").with_attribute("Ccy", "EUR");
        let tree = Element::new("Document").with(amount).with(Element::nested("A/B", "x < y & \"z\" 'w' >"));
        assert_eq!(parse(tree.serialize().as_bytes()), Ok(tree));
    }

    #[test]
    fn control_characters_are_written_as_spaces() {
        let text = Element::leaf("A", "a\u{0}b\u{1b}c\u{ffff}d\u{85}e").serialize();
        assert_eq!(parse(text.as_bytes()), Ok(Element::leaf("A", "a b c d e")));
    }

    #[test]
    fn prefixes_comments_and_line_breaks_are_ignored() {
        let text = "\u{feff}<?xml version=\"1.0\"?><!-- a --><p:D xmlns:p=\"u\">\n <p:A> two\n words<![CDATA[ &]]>&#x41;</p:A> </p:D>\n";
        let read = parse(text.as_bytes()).unwrap();
        assert_eq!((read.name.as_str(), read.text("A")), ("D", Some("two words &A")));
        assert_eq!(read.attribute("xmlns:p"), Some("u"));
    }

    #[test]
    fn indentation_of_many_children_is_not_a_long_text() {
        let text = format!("<a>{}\n</a>", "\n    <b>1</b>".repeat(5000));
        assert_eq!(parse(text.as_bytes()).map(|read| read.children.len()), Ok(5000));
    }

    #[test]
    fn hostile_documents_are_refused() {
        let deep = format!("{}{}", "<a>".repeat(40), "</a>".repeat(40));
        let long = format!("<a>{}</a>", "x".repeat(5000));
        for (text, error) in [
            ("", "the document is empty"),
            ("hello", "text outside of elements"),
            ("<a>", "the document is incomplete"),
            ("<a></b>", "not well-formed XML"),
            ("<a/><b/>", "nesting too deep or too many elements"),
            ("<!DOCTYPE a [<!ENTITY x \"y\">]><a>&x;</a>", "document types are not allowed"),
            ("<a>&x;</a>", "entities are not allowed"),
            ("<a>&#0;</a>", "not well-formed XML"),
            ("<a>&#x1;</a>", "a text contains control characters"),
            ("<?php evil ?><a/>", "processing instructions are not allowed"),
            ("<a b=1/>", "not well-formed XML"),
            ("<a><!-- \0 --></a>", "not well-formed XML"),
            (&deep, "nesting too deep or too many elements"),
            (&long, "a text is too long"),
        ] {
            let shown: String = text.chars().take(40).collect();
            assert_eq!(parse(text.as_bytes()), Err(error), "{shown}");
        }
        assert_eq!(parse(&[0xff, 0xfe]), Err("not UTF-8"));
    }

    proptest::proptest! {
        #[test]
        fn parse_never_panics(bytes: Vec<u8>, text in "[<>/&;!\\[\\]a-c\"= ?-]{0,60}") {
            let _ = parse(&bytes);
            let _ = parse(text.as_bytes());
        }
    }
}
