//! An element that is read: its children are compared with the schema, and every error has the element's path.

use super::content::{Content, Slot};
use super::document::{PainDocument, PainVersion};
use std::cell::RefCell;
use trapeza_domain::field::FieldPath;
use trapeza_domain::refusal::{FieldError, FieldErrors, Refusal, RefusalReason};
use trapeza_xml::Element;

/// More errors than these are not reported.
const MAX_ERRORS: usize = 100;

/// What is wrong with a message.
#[derive(Debug, Default)]
pub struct Errors {
    malformed: RefCell<Vec<FieldError>>,
    unsupported: RefCell<Vec<FieldError>>,
}

impl Errors {
    pub fn malformed(&self, path: String, text: impl Into<String>) {
        add(&self.malformed, path, text.into());
    }

    fn unsupported(&self, path: String, text: impl Into<String>) {
        add(&self.unsupported, path, text.into());
    }

    /// Refuses the message if anything is wrong. What is not supported is reported before what is malformed, as for JSON.
    pub fn finish(self) -> Result<(), Refusal> {
        let (malformed, unsupported) = (self.malformed.into_inner(), self.unsupported.into_inner());
        let (reason, errors) = match unsupported.is_empty() {
            true if malformed.is_empty() => return Ok(()),
            true => (RefusalReason::Malformed, malformed),
            false => (RefusalReason::Unsupported, unsupported),
        };
        Err(Refusal { errors, ..Refusal::new(reason, "") })
    }
}

fn add(errors: &RefCell<Vec<FieldError>>, path: String, text: String) {
    let mut errors = errors.borrow_mut();
    if errors.len() < MAX_ERRORS {
        errors.push(FieldError { path: FieldPath::spelled(path), text });
    }
}

/// An element with its path, `CstmrCdtTrfInitn/PmtInf/CdtTrfTxInf[2]/Amt`. Repeated elements are counted from 0.
#[derive(Clone, Debug)]
pub struct Node<'a> {
    element: &'a Element,
    pub path: String,
    pub version: PainVersion,
    errors: &'a Errors,
}

impl<'a> Node<'a> {
    /// The message, whose children are compared with its content.
    pub fn of(document: &'a PainDocument, content: Content, errors: &'a Errors) -> Self {
        let PainDocument { version, message } = document;
        let node = Self { element: message, path: message.name.clone(), version: *version, errors };
        node.check(content);
        node
    }

    pub fn error(&self, text: impl Into<String>) {
        self.errors.malformed(self.path.clone(), text);
    }

    pub fn unsupported(&self, text: impl Into<String>) {
        self.errors.unsupported(self.path.clone(), text);
    }

    pub fn has(&self, name: &str) -> bool {
        self.child(name).is_some()
    }

    pub fn child(&self, name: &str) -> Option<Self> {
        self.element.find(name).map(|element| self.inner(element, self.path_of(name)))
    }

    /// A child whose own children are compared with its content.
    pub fn open(&self, name: &str, content: Content) -> Option<Self> {
        self.child(name).inspect(|child| child.check(content))
    }

    /// All children of a name.
    pub fn all(&self, name: &'a str) -> Vec<Self> {
        let each = self.element.all(name).enumerate();
        each.map(|(index, element)| self.inner(element, format!("{}[{index}]", self.path_of(name)))).collect()
    }

    /// The text of a child of at most this many characters.
    pub fn text(&self, name: &str, max: usize) -> Option<&'a str> {
        self.child(name)?.own_text(max, &[])
    }

    /// The text of the element, which has no other attributes than these.
    pub fn own_text(&self, max: usize, attributes: &[&str]) -> Option<&'a str> {
        let Element { text, children, attributes: given, .. } = self.element;
        if !children.is_empty() || given.iter().any(|(name, _)| !attributes.contains(&name.as_str())) {
            self.error("must contain a text only");
        } else if text.is_empty() {
            self.error("must not be empty");
        } else if text.chars().count() > max {
            self.error(format!("must have at most {max} characters"));
        } else {
            return Some(text);
        }
        None
    }

    pub fn attribute(&self, name: &str) -> Option<&'a str> {
        self.element.attribute(name)
    }

    /// Checks that a child, if it is there, has one of the values that are executed.
    pub fn one_of(&self, name: &str, allowed: &[&str]) {
        if let Some(child) = self.child(name)
            && child.own_text(140, &[]).is_some_and(|text| !allowed.contains(&text))
        {
            child.unsupported(format!("must be {}", allowed.join(" or ")));
        }
    }

    /// The value of a child that the domain parses.
    pub fn parsed<T>(
        &self,
        name: &str,
        max: usize,
        parse: impl FnOnce(&str) -> Result<T, &'static str>,
    ) -> Option<T> {
        let child = self.child(name)?;
        parse(child.own_text(max, &[])?).map_err(|text| child.error(text)).ok()
    }

    /// Runs a parser of the domain; `spell` makes paths of its fields.
    pub fn validate<T>(
        &self,
        spell: impl Fn(&FieldPath) -> String,
        parse: impl FnOnce(&mut FieldErrors) -> T,
    ) -> T {
        let mut errors = FieldErrors::default();
        let value = parse(&mut errors);
        for FieldError { path, text } in errors.into_vec() {
            self.errors.malformed(spell(&path), text);
        }
        value
    }

    pub fn path_of(&self, name: &str) -> String {
        format!("{}/{name}", self.path)
    }

    fn inner(&self, element: &'a Element, path: String) -> Self {
        Self { element, path, version: self.version, errors: self.errors }
    }

    /// Compares the children with what the schema allows, in its order.
    pub fn check(&self, content: Content) {
        let slots: Vec<Slot> = Slot::all(content, self.version).collect();
        if !self.element.attributes.is_empty() {
            self.error("must not have attributes");
        }
        let mut at = 0;
        for child in &self.element.children {
            let place = slots.iter().position(|slot| slot.name == child.name);
            let Some((place, slot)) = place.and_then(|place| Some((place, slots.get(place)?))) else {
                let text = format!("is no element of {} here", self.version.name());
                self.errors.malformed(self.path_of(&child.name), text);
                continue;
            };
            if slot.is_refused() {
                let text = "is not supported for this product; remove it";
                self.errors.unsupported(self.path_of(slot.name), text);
            } else if place < at {
                self.errors.malformed(self.path_of(slot.name), "is out of place or repeated");
            }
            at = at.max(place + usize::from(!slot.is_repeated()));
        }
        for slot in slots.iter().filter(|slot| slot.is_required() && self.element.find(slot.name).is_none()) {
            self.errors.malformed(self.path_of(slot.name), "is required");
        }
    }
}
