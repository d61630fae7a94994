//! Reading a body field by field, so that all that is wrong with it is said at once, each fault with its path.

use std::cell::RefCell;
use std::rc::Rc;
use trapeza_domain::refusal::{FieldErrors, Refusal};
use trapeza_http::extract::json::{Json, Members};

/// An object of the body, at its path. Null counts as absent, unknown fields are passed over.
#[derive(Clone)]
pub struct Fields<'a> {
    members: &'a Members<'a>,
    path: String,
    faults: Rc<RefCell<FieldErrors>>,
}

impl<'a> Fields<'a> {
    /// The whole body, which has to be an object.
    pub fn of(body: &'a Json<'a>) -> Result<Self, Refusal> {
        match body {
            Json::Object(members) => Ok(Self {
                members,
                path: String::new(),
                faults: Rc::new(RefCell::new(FieldErrors::default())),
            }),
            _ => Err(Refusal::malformed("", "the body has to be a JSON object")),
        }
    }

    /// Ok when nothing was found wrong anywhere in the body.
    pub fn finish(&self) -> Result<(), Refusal> {
        std::mem::take(&mut *self.faults.borrow_mut()).finish()
    }

    pub fn fault(&self, name: &str, text: impl Into<String>) {
        self.faults.borrow_mut().add(self.path_of(name), text);
    }

    /// Lets a parser of the domain note its faults among the others; it is told where in the body it reads.
    pub fn validate_at<T>(&self, parse: impl FnOnce(&str, &mut FieldErrors) -> T) -> T {
        parse(&self.path, &mut self.faults.borrow_mut())
    }

    /// The same for a parser that also tells of fields that are missing: it is not heard where the field was only of
    /// the wrong kind.
    pub fn validate<T>(&self, parse: impl FnOnce(&mut FieldErrors) -> T) -> T {
        let mut faults = FieldErrors::default();
        let value = parse(&mut faults);
        self.faults.borrow_mut().merge(faults);
        value
    }

    /// A text that must be there.
    pub fn text(&self, name: &str) -> Option<&'a str> {
        let value = self.opt_text(name);
        self.required(name, value)
    }

    pub fn opt_text(&self, name: &str) -> Option<&'a str> {
        match self.get(name)? {
            Json::Text(text) => Some(text),
            _ => self.wrong(name, "has to be a text"),
        }
    }

    pub fn bool(&self, name: &str) -> Option<bool> {
        let value = self.opt_bool(name);
        self.required(name, value)
    }

    pub fn opt_bool(&self, name: &str) -> Option<bool> {
        match self.get(name)? {
            Json::Bool(value) => Some(*value),
            _ => self.wrong(name, "has to be true or false"),
        }
    }

    /// A whole number that must be there.
    pub fn integer(&self, name: &str) -> Option<i64> {
        let value = match self.get(name) {
            Some(Json::Number(text)) => match text.parse() {
                Ok(value) => Some(value),
                Err(_) => self.wrong(name, "has to be a whole number"),
            },
            Some(_) => self.wrong(name, "has to be a whole number"),
            None => None,
        };
        self.required(name, value)
    }

    /// The text of a number.
    pub fn opt_number(&self, name: &str) -> Option<&'a str> {
        match self.get(name)? {
            Json::Number(text) => Some(text),
            _ => self.wrong(name, "has to be a number"),
        }
    }

    pub fn object(&self, name: &str) -> Option<Self> {
        let value = self.opt_object(name);
        self.required(name, value)
    }

    pub fn opt_object(&self, name: &str) -> Option<Self> {
        match self.get(name)? {
            Json::Object(members) => {
                Some(Self { members, path: self.path_of(name), faults: self.faults.clone() })
            }
            _ => self.wrong(name, "has to be an object"),
        }
    }

    /// The objects of a list; none when the list is absent.
    pub fn objects(&self, name: &str) -> Vec<Self> {
        self.objects_with_gaps(name).into_iter().flatten().collect()
    }

    /// The same, with a gap where something else stands.
    pub fn objects_with_gaps(&self, name: &str) -> Vec<Option<Self>> {
        let Some(items) = self.list(name) else { return Vec::new() };
        let each = items.iter().enumerate().map(|(index, item)| {
            let place = format!("{name}[{index}]");
            match item {
                Json::Object(members) => {
                    let path = if self.path.is_empty() { place } else { self.path_of(&place) };
                    Some(Self { members, path, faults: self.faults.clone() })
                }
                _ => self.wrong(&place, "has to be an object"),
            }
        });
        each.collect()
    }

    /// The texts of a list, if it is there.
    pub fn opt_texts(&self, name: &str) -> Option<Vec<&'a str>> {
        let each = self.list(name)?.iter().enumerate().filter_map(|(index, item)| match item {
            Json::Text(text) => Some(&**text),
            _ => self.wrong(&format!("{name}[{index}]"), "has to be a text"),
        });
        Some(each.collect())
    }

    pub fn has(&self, name: &str) -> bool {
        self.get(name).is_some()
    }

    /// Keeps the value of a parse, or notes its fault.
    pub fn parsed<T>(&self, name: &str, parsed: Result<T, impl Into<String>>) -> Option<T> {
        parsed.map_err(|text| self.fault(name, text)).ok()
    }

    /// Notes that a field is missing, unless its fault was noted already.
    pub fn required<T>(&self, name: &str, value: Option<T>) -> Option<T> {
        if value.is_none() && !self.has(name) {
            self.fault(name, "is required");
        }
        value
    }

    fn list(&self, name: &str) -> Option<&'a [Json<'a>]> {
        match self.get(name)? {
            Json::List(items) => Some(items),
            _ => self.wrong(name, "has to be a list"),
        }
    }

    fn get(&self, name: &str) -> Option<&'a Json<'a>> {
        let member = self.members.iter().find(|(key, _)| key == name);
        member.map(|(_, value)| value).filter(|value| **value != Json::Null)
    }

    fn wrong<T>(&self, name: &str, text: &str) -> Option<T> {
        self.fault(name, text);
        None
    }

    fn path_of(&self, name: &str) -> String {
        if self.path.is_empty() { name.to_owned() } else { format!("{}.{name}", self.path) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use trapeza_http::extract::json;

    #[test]
    fn all_faults_are_told_at_once_with_their_paths() {
        let body = br#"{"a": {"b": 1}, "list": [{"c": "x"}, 2], "n": null, "i": 1.5}"#;
        let body = json::parse(body, 8).unwrap();
        let fields = Fields::of(&body).unwrap();
        assert_eq!(fields.object("a").and_then(|a| a.text("b").map(str::to_owned)), None);
        assert_eq!(fields.objects("list").len(), 1);
        assert_eq!(fields.text("n"), None);
        assert_eq!(fields.integer("i"), None);
        let paths: Vec<String> =
            fields.finish().unwrap_err().errors.into_iter().map(|fault| fault.path).collect();
        assert_eq!(paths, ["a.b", "list[1]", "n", "i"]);
    }
}
