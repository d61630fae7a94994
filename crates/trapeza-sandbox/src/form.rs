//! Forms of the sandbox's pages. Every form has its CSRF token and the step that it submits; every invalid field is marked and
//! described by its error.

use askama::Template;
use trapeza_web::page_request::PageRequest;

#[derive(Clone, Debug, Template)]
#[template(path = "sandbox/form.html")]
pub struct Form {
    action: String,
    csrf: String,
    step: &'static str,
    /// The walk that the form belongs to.
    walk: Option<String>,
    fields: Vec<Input>,
    button: String,
    /// `no` for what cannot be undone, `plain` for what is not the main action.
    class: &'static str,
    /// The error that belongs to no field.
    error: Option<String>,
}

#[derive(Clone, Debug)]
pub struct Input {
    pub name: &'static str,
    label: String,
    value: String,
    hint: Option<String>,
    error: Option<String>,
    kind: InputKind,
}

#[derive(Clone, Debug)]
enum InputKind {
    Line,
    Password,
    /// Values with their labels.
    Choice(Vec<(String, String)>),
    /// The same as radio buttons.
    Radio(Vec<(String, String)>),
}

impl Input {
    fn new(name: &'static str, label: &str, kind: InputKind) -> Self {
        Self { name, label: label.to_owned(), value: String::new(), hint: None, error: None, kind }
    }

    pub fn line(name: &'static str, label: &str) -> Self {
        Self::new(name, label, InputKind::Line)
    }

    pub fn password(name: &'static str, label: &str) -> Self {
        Self::new(name, label, InputKind::Password)
    }

    pub fn choice(name: &'static str, label: &str, options: Vec<(String, String)>) -> Self {
        Self::new(name, label, InputKind::Choice(options))
    }

    pub fn radio(name: &'static str, label: &str, options: Vec<(String, String)>) -> Self {
        Self::new(name, label, InputKind::Radio(options))
    }

    pub fn value(mut self, value: &str) -> Self {
        self.value = value.to_owned();
        self
    }

    pub fn hint(mut self, hint: &str) -> Self {
        self.hint = Some(hint.to_owned());
        self
    }

    /// Unique on the page: a page may have several forms with the same fields.
    fn id(&self, step: &str) -> String {
        format!("{step}-{}", self.name)
    }

    fn described(&self, step: &str) -> String {
        let id = self.id(step);
        let hint = self.hint.as_ref().map(|_| format!("{id}-hint"));
        let error = self.error.as_ref().map(|_| format!("{id}-error"));
        hint.into_iter().chain(error).collect::<Vec<_>>().join(" ")
    }

    fn has_value(&self, value: &str) -> bool {
        self.value == value
    }
}

impl Form {
    pub fn new(request: &PageRequest, action: &str, step: &'static str, button: &str) -> Self {
        Self {
            action: action.to_owned(),
            csrf: request.csrf_token(action),
            step,
            walk: None,
            fields: Vec::new(),
            button: button.to_owned(),
            class: "",
            error: None,
        }
    }

    /// Binds the form to a walk, so that it is refused after another one has begun.
    pub fn of_walk(mut self, walk: &str) -> Self {
        self.walk = Some(walk.to_owned());
        self
    }

    pub fn field(mut self, input: Input) -> Self {
        self.fields.push(input);
        self
    }

    pub fn class(mut self, class: &'static str) -> Self {
        self.class = class;
        self
    }

    /// Whether only the button is visible.
    pub fn is_button(&self) -> bool {
        self.fields.is_empty() && self.error.is_none()
    }

    /// Marks the fields that are named like an error; the other errors are shown above the form.
    pub fn errors(mut self, errors: &[(String, String)]) -> Self {
        for (field, text) in errors {
            match self.fields.iter_mut().find(|input| input.name == field) {
                Some(input) => input.error = Some(text.clone()),
                None => {
                    let text = if field.is_empty() { text.clone() } else { format!("{field}: {text}") };
                    let before = self.error.take().map_or_else(String::new, |before| format!("{before} "));
                    self.error = Some(before + &text);
                }
            }
        }
        self
    }
}
