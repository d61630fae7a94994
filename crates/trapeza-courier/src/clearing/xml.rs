//! A small tree of XML, read from strangers and written by us. There are no documents inside documents here: whoever
//! declares a type or an entity, or nests too deep, is no bank.

use quick_xml::Reader;
use quick_xml::escape::escape;
use quick_xml::events::{BytesStart, Event};
use std::fmt::Write;

/// Messages of ISO 20022 are about ten deep.
const DEPTH: usize = 32;
/// What ten thousand transfers have, and some.
const ELEMENTS: usize = 600_000;
const TEXT_BYTES: usize = 4096;

/// An element with a text or with children; a text between children is nothing.
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

    /// Elements one inside the other.
    pub fn nested(path: &str, text: impl Into<String>) -> Self {
        match path.split_once('/') {
            Some((name, rest)) => Self::new(name).with(Self::nested(rest, text)),
            None => Self::leaf(path, text),
        }
    }

    /// The first child of this name, and so on down the path.
    pub fn find(&self, path: &str) -> Option<&Self> {
        path.split('/').try_fold(self, |at, name| at.children.iter().find(|child| child.name == name))
    }

    pub fn all<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a Self> {
        self.children.iter().filter(move |child| child.name == name)
    }

    /// The text at the end of a path, if there is one.
    pub fn text(&self, path: &str) -> Option<&str> {
        self.find(path).map(|found| found.text.as_str()).filter(|text| !text.is_empty())
    }

    pub fn attribute(&self, name: &str) -> Option<&str> {
        self.attributes.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    /// The whole document.
    pub fn print(&self) -> String {
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
            let _ = writeln!(out, ">{}</{name}>", escape(&self.text));
            return;
        }
        out.push_str(">\n");
        for child in &self.children {
            child.print_into(out, depth + 1);
        }
        let _ = writeln!(out, "{indent}</{name}>");
    }
}

/// Reads a document. What is wrong is said without repeating anything of it.
pub fn parse(bytes: &[u8]) -> Result<Element, &'static str> {
    let text = std::str::from_utf8(bytes).map_err(|_| "it is not UTF-8")?;
    let mut reader = Reader::from_str(text.strip_prefix('\u{feff}').unwrap_or(text));
    let mut open: Vec<Element> = Vec::new();
    let mut root = None;
    let mut count = 0;
    loop {
        match reader.read_event().map_err(|_| "it is not well-formed XML")? {
            Event::Start(start) => {
                count += 1;
                if open.len() >= DEPTH || count > ELEMENTS || root.is_some() {
                    return Err("it nests too deep, or has too many elements");
                }
                open.push(begun(&start)?);
            }
            Event::Empty(start) => {
                count += 1;
                if count > ELEMENTS || root.is_some() {
                    return Err("it nests too deep, or has too many elements");
                }
                close(begun(&start)?, &mut open, &mut root);
            }
            Event::End(_) => {
                let ended = open.pop().ok_or("it is not well-formed XML")?;
                close(ended, &mut open, &mut root);
            }
            Event::Text(text) => add(&mut open, &text.xml10_content())?,
            Event::CData(text) => add(&mut open, &text.xml10_content())?,
            Event::GeneralRef(name) => {
                let letter = match name.resolve_char_ref().map_err(|_| "it is not well-formed XML")? {
                    Some(letter) => letter,
                    None => predefined(&name.xml10_content()).ok_or("it uses entities of its own")?,
                };
                add(&mut open, letter.encode_utf8(&mut [0; 4]))?;
            }
            Event::DocType(_) => return Err("it declares a document type"),
            Event::PI(_) => return Err("it has instructions for programs"),
            Event::Decl(_) | Event::Comment(_) => {}
            Event::Eof => break,
        }
    }
    if open.is_empty() { root.ok_or("it is empty") } else { Err("it breaks off") }
}

fn begun(start: &BytesStart<'_>) -> Result<Element, &'static str> {
    let mut element = Element::new(start.local_name().into_inner());
    for attribute in start.attributes() {
        let attribute = attribute.map_err(|_| "it is not well-formed XML")?;
        // None of the attributes that are read here needs an escape.
        let (name, value) = (attribute.key.into_inner().to_owned(), attribute.value.into_owned());
        element.attributes.push((name, value));
    }
    Ok(element)
}

fn close(mut ended: Element, open: &mut [Element], root: &mut Option<Element>) {
    ended.text = match ended.children.is_empty() {
        // Words on several lines are words.
        true => ended.text.split_whitespace().collect::<Vec<_>>().join(" "),
        false => String::new(),
    };
    match open.last_mut() {
        Some(parent) => parent.children.push(ended),
        None => *root = Some(ended),
    }
}

fn add(open: &mut [Element], text: &str) -> Result<(), &'static str> {
    let Some(element) = open.last_mut() else {
        return if text.trim().is_empty() { Ok(()) } else { Err("it has text outside its elements") };
    };
    if element.text.len() + text.len() > TEXT_BYTES {
        return Err("a text in it is too long");
    }
    if text.chars().any(|letter| letter.is_control() && !letter.is_whitespace()) {
        return Err("a text in it has control characters");
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
    fn what_is_written_is_read_back() {
        let amount = Element::leaf("Amt", "1.00").with_attribute("Ccy", "EUR");
        let tree = Element::new("Document").with(amount).with(Element::nested("A/B", "x < y & \"z\" 'w' >"));
        assert_eq!(parse(tree.print().as_bytes()), Ok(tree));
    }

    #[test]
    fn prefixes_comments_and_line_breaks_do_not_matter() {
        let text = "\u{feff}<?xml version=\"1.0\"?><!-- a --><p:D xmlns:p=\"u\">\n <p:A> two\n words<![CDATA[ &]]>&#x41;</p:A> </p:D>\n";
        let read = parse(text.as_bytes()).unwrap();
        assert_eq!((read.name.as_str(), read.text("A")), ("D", Some("two words &A")));
        assert_eq!(read.attribute("xmlns:p"), Some("u"));
    }

    #[test]
    fn what_no_bank_sends_is_refused() {
        let deep = format!("{}{}", "<a>".repeat(40), "</a>".repeat(40));
        let long = format!("<a>{}</a>", "x".repeat(5000));
        for (text, fault) in [
            ("", "it is empty"),
            ("hello", "it has text outside its elements"),
            ("<a>", "it breaks off"),
            ("<a></b>", "it is not well-formed XML"),
            ("<a/><b/>", "it nests too deep, or has too many elements"),
            ("<!DOCTYPE a [<!ENTITY x \"y\">]><a>&x;</a>", "it declares a document type"),
            ("<a>&x;</a>", "it uses entities of its own"),
            ("<a>&#0;</a>", "it is not well-formed XML"),
            ("<a>&#x1;</a>", "a text in it has control characters"),
            ("<?php evil ?><a/>", "it has instructions for programs"),
            ("<a b=1/>", "it is not well-formed XML"),
            (&deep, "it nests too deep, or has too many elements"),
            (&long, "a text in it is too long"),
        ] {
            let shown: String = text.chars().take(40).collect();
            assert_eq!(parse(text.as_bytes()), Err(fault), "{shown}");
        }
        assert_eq!(parse(&[0xff, 0xfe]), Err("it is not UTF-8"));
    }

    proptest::proptest! {
        #[test]
        fn no_bytes_make_reading_panic(bytes: Vec<u8>, text in "[<>/&;!\\[\\]a-c\"= ?-]{0,60}") {
            let _ = parse(&bytes);
            let _ = parse(text.as_bytes());
        }
    }
}
