//! Reads a body field by field and collects all field errors, each with its path.

use super::json::{Json, Members};
use crate::operation::FieldSpelling;
use std::cell::RefCell;
use std::rc::Rc;
use trapeza_domain::field::FieldPath;
use trapeza_domain::refusal::{FieldError, FieldErrors, Refusal, RefusalReason};

/// An object of the body, with its path. `null` counts as absent; unknown fields are ignored.
#[derive(Clone)]
pub struct Fields<'a> {
    members: &'a Members<'a>,
    path: String,
    errors: Rc<RefCell<FieldErrors>>,
    spelling: FieldSpelling,
}

/// The refusal of a body that lacks a required field although no error was reported. It is unreachable, since a missing
/// field has an error already; a refusal is safer than a panic.
pub fn missing_field() -> Refusal {
    Refusal::new(RefusalReason::Malformed, "a required field is missing")
}

/// The names of all fields of a request object.
pub trait FieldNames {
    const FIELD_NAMES: &'static [&'static str];
}

impl<'a> Fields<'a> {
    /// The whole body, which must be an object. `spelling` names the fields of the domain as the interface does.
    pub fn of(body: &'a Json<'a>, spelling: FieldSpelling) -> Result<Self, Refusal> {
        match body {
            Json::Object(members) => Ok(Self {
                members,
                path: String::new(),
                errors: Rc::new(RefCell::new(FieldErrors::default())),
                spelling,
            }),
            _ => Err(Refusal::new(RefusalReason::Malformed, "the body must be a JSON object")),
        }
    }

    /// Refuses the body if any field has an error.
    pub fn finish(&self) -> Result<(), Refusal> {
        std::mem::take(&mut *self.errors.borrow_mut()).finish()
    }

    pub fn error(&self, name: &str, text: impl Into<String>) {
        self.errors.borrow_mut().add(self.field_path(name), text);
    }

    /// Runs a parser of the domain on this object; its errors are added to the others, spelled as this API does.
    pub fn validate<T>(&self, parse: impl FnOnce(&mut FieldErrors) -> T) -> T {
        let mut errors = FieldErrors::default();
        let value = parse(&mut errors);
        for FieldError { path, text } in errors.into_vec() {
            self.error(&(self.spelling)(&path), text);
        }
        value
    }

    /// The same for a parser that also reports missing fields; such a report is dropped where the field has an error already.
    pub fn validate_all<T>(&self, parse: impl FnOnce(&mut FieldErrors) -> T) -> T {
        let mut errors = FieldErrors::default();
        let value = parse(&mut errors);
        let mut spelled = FieldErrors::default();
        for FieldError { path, text } in errors.into_vec() {
            spelled.add(self.field_path(&(self.spelling)(&path)), text);
        }
        self.errors.borrow_mut().merge(spelled);
        value
    }

    /// A required string.
    pub fn text(&self, name: &str) -> Option<&'a str> {
        let value = self.opt_text(name);
        self.required(name, value)
    }

    pub fn opt_text(&self, name: &str) -> Option<&'a str> {
        match self.get(name)? {
            Json::Text(text) => Some(text),
            _ => self.invalid(name, "must be a string"),
        }
    }

    pub fn opt_bool(&self, name: &str) -> Option<bool> {
        match self.get(name)? {
            Json::Bool(value) => Some(*value),
            _ => self.invalid(name, "must be true or false"),
        }
    }

    pub fn opt_integer(&self, name: &str) -> Option<i64> {
        let value = match self.get(name)? {
            Json::Number(text) => text.parse().ok(),
            _ => None,
        };
        value.or_else(|| self.invalid(name, "must be an integer"))
    }

    /// A number, as it was written.
    pub fn opt_number(&self, name: &str) -> Option<&'a str> {
        match self.get(name)? {
            Json::Number(text) => Some(text),
            _ => self.invalid(name, "must be a number"),
        }
    }

    pub fn opt_object(&self, name: &str) -> Option<Self> {
        match self.get(name)? {
            Json::Object(members) => Some(self.inner(members, name)),
            _ => self.invalid(name, "must be an object"),
        }
    }

    /// The objects of a list; empty when the list is absent.
    pub fn objects(&self, name: &str) -> Vec<Self> {
        self.objects_with_gaps(name).into_iter().flatten().collect()
    }

    /// The same, with `None` for entries that are not objects.
    pub fn objects_with_gaps(&self, name: &str) -> Vec<Option<Self>> {
        let Some(items) = self.list(name) else { return Vec::new() };
        let each = items.iter().enumerate().map(|(index, item)| {
            let name = format!("{name}[{index}]");
            match item {
                Json::Object(members) => Some(self.inner(members, &name)),
                _ => self.invalid(&name, "must be an object"),
            }
        });
        each.collect()
    }

    /// The strings of a list, if it is present.
    pub fn opt_texts(&self, name: &str) -> Option<Vec<&'a str>> {
        let each = self.list(name)?.iter().enumerate().filter_map(|(index, item)| match item {
            Json::Text(text) => Some(&**text),
            _ => self.invalid(&format!("{name}[{index}]"), "must be a string"),
        });
        Some(each.collect())
    }

    pub fn has(&self, name: &str) -> bool {
        self.get(name).is_some()
    }

    /// Records an error for each field that the object does not have.
    pub fn refuse_unknown<T: FieldNames>(&self) {
        for (name, _) in self.members.iter().filter(|(name, _)| !T::FIELD_NAMES.contains(&&**name)) {
            self.error(name, format!("unknown field; use {}", T::FIELD_NAMES.join(", ")));
        }
    }

    /// The value of a parse, or records its error.
    pub fn parsed<T>(&self, name: &str, parsed: Result<T, impl Into<String>>) -> Option<T> {
        parsed.map_err(|text| self.error(name, text)).ok()
    }

    /// Records that a field is missing, unless it has an error already.
    pub fn required<T>(&self, name: &str, value: Option<T>) -> Option<T> {
        if value.is_none() && !self.has(name) {
            self.error(name, "is required");
        }
        value
    }

    fn list(&self, name: &str) -> Option<&'a [Json<'a>]> {
        match self.get(name)? {
            Json::List(items) => Some(items),
            _ => self.invalid(name, "must be a list"),
        }
    }

    fn get(&self, name: &str) -> Option<&'a Json<'a>> {
        let member = self.members.iter().find(|(key, _)| key == name);
        member.map(|(_, value)| value).filter(|value| **value != Json::Null)
    }

    /// Records that a field has the wrong type, once, however often it is read.
    fn invalid<T>(&self, name: &str, text: &str) -> Option<T> {
        let mut error = FieldErrors::default();
        error.add(self.field_path(name), text);
        self.errors.borrow_mut().merge(error);
        None
    }

    fn field_path(&self, name: &str) -> FieldPath {
        FieldPath::spelled(self.path_of(name))
    }

    /// An object inside this one.
    fn inner(&self, members: &'a Members<'a>, name: &str) -> Self {
        Self { members, path: self.path_of(name), errors: self.errors.clone(), spelling: self.spelling }
    }

    /// The path of a field of this object; of the object itself when there is no name.
    fn path_of(&self, name: &str) -> String {
        match (self.path.as_str(), name) {
            ("", name) => name.to_owned(),
            (path, "") => path.to_owned(),
            (path, name) => format!("{path}.{name}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::extract::json;

    #[test]
    fn all_field_errors_are_reported_with_their_paths() {
        let body = br#"{"a": {"b": 1}, "list": [{"c": "x"}, 2], "n": null, "i": 1.5}"#;
        let body = json::parse(body, 8).unwrap();
        let fields = Fields::of(&body, |_| String::new()).unwrap();
        assert_eq!(fields.opt_object("a").and_then(|a| a.text("b").map(str::to_owned)), None);
        assert_eq!(fields.objects("list").len(), 1);
        assert_eq!(fields.text("n"), None);
        assert_eq!(fields.opt_integer("i"), None);
        let paths = fields.finish().unwrap_err().errors.into_iter().map(|error| error.path);
        let expected = ["a.b", "list[1]", "n", "i"].map(FieldPath::spelled);
        assert_eq!(paths.collect::<Vec<_>>(), expected);
    }
}
