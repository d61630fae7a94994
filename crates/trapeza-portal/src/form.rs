//! Forms of the portal. All are rendered by one template: every form has its CSRF token, and every invalid field is marked and
//! described by its error.

use crate::portal_request::PortalRequest;
use askama::Template;
use trapeza_domain::field::Field;
use trapeza_domain::refusal::Refusal;

#[derive(Clone, Debug, Template)]
#[template(path = "portal/form.html")]
pub struct Form {
    action: String,
    csrf: String,
    fields: Vec<Input>,
    button: String,
    /// `no` for what cannot be undone, `plain` for what is not the main action.
    class: &'static str,
    /// The error that belongs to no field.
    error: Option<String>,
}

#[derive(Clone, Debug)]
pub struct Input {
    /// Unique on the page.
    pub id: String,
    pub name: &'static str,
    pub label: String,
    pub value: String,
    pub hint: Option<String>,
    pub error: Option<String>,
    pub kind: InputKind,
}

#[derive(Clone, Debug)]
pub enum InputKind {
    /// With its type and the name for autocompletion.
    Line(&'static str, &'static str),
    Area,
    Choice(Vec<(&'static str, String)>),
    Check,
    Hidden,
}

impl Input {
    fn new(name: &'static str, label: &str, kind: InputKind) -> Self {
        let (label, value) = (label.to_owned(), String::new());
        Self { id: name.to_owned(), name, label, value, hint: None, error: None, kind }
    }

    pub fn text(name: &'static str, label: &str) -> Self {
        Self::new(name, label, InputKind::Line("text", "off"))
    }

    pub fn email(name: &'static str, label: &str) -> Self {
        Self::new(name, label, InputKind::Line("text", "username"))
    }

    pub fn new_password(name: &'static str, label: &str) -> Self {
        Self::new(name, label, InputKind::Line("password", "new-password"))
    }

    pub fn password(name: &'static str, label: &str) -> Self {
        Self::new(name, label, InputKind::Line("password", "current-password"))
    }

    pub fn code(name: &'static str, label: &str) -> Self {
        Self::new(name, label, InputKind::Line("text", "one-time-code"))
    }

    pub fn area(name: &'static str, label: &str) -> Self {
        Self::new(name, label, InputKind::Area)
    }

    pub fn choice(name: &'static str, label: &str, options: Vec<(&'static str, String)>) -> Self {
        Self::new(name, label, InputKind::Choice(options))
    }

    pub fn check(name: &'static str, label: &str) -> Self {
        Self::new(name, label, InputKind::Check)
    }

    pub fn hidden(name: &'static str, value: &str) -> Self {
        Self::new(name, "", InputKind::Hidden).value(value)
    }

    pub fn value(mut self, value: &str) -> Self {
        self.value = value.to_owned();
        self
    }

    pub fn hint(mut self, hint: &str) -> Self {
        self.hint = Some(hint.to_owned());
        self
    }

    /// Another id than the name, where a page has several forms with the same fields.
    pub fn id(mut self, id: String) -> Self {
        self.id = id;
        self
    }

    fn has_value(&self, value: &str) -> bool {
        self.value == value
    }

    fn described(&self) -> String {
        let hint = self.hint.as_ref().map(|_| format!("{}-hint", self.id));
        let error = self.error.as_ref().map(|_| format!("{}-error", self.id));
        hint.into_iter().chain(error).collect::<Vec<_>>().join(" ")
    }
}

impl Form {
    pub fn new(request: &PortalRequest, action: &str, button: &str) -> Self {
        Self {
            action: action.to_owned(),
            csrf: request.web.csrf_token(action.split('?').next().unwrap_or(action)),
            fields: Vec::new(),
            button: button.to_owned(),
            class: "",
            error: None,
        }
    }

    pub fn field(mut self, input: Input) -> Self {
        self.fields.push(input);
        self
    }

    pub fn class(mut self, class: &'static str) -> Self {
        self.class = class;
        self
    }

    /// Fills in what was sent, except passwords and codes.
    pub fn filled(mut self, request: &PortalRequest) -> Self {
        for input in &mut self.fields {
            let is_secret =
                matches!(input.kind, InputKind::Line(_, kind) if kind != "off" && kind != "username");
            if !is_secret && !matches!(input.kind, InputKind::Hidden) {
                input.value = request.web.field(input.name).to_owned();
            }
        }
        self
    }

    /// Marks the fields that a refusal names. `names` says how this form spells the domain's fields.
    pub fn refused(mut self, refusal: &Refusal, names: &[(Field, &str)]) -> Self {
        for error in &refusal.errors {
            let field = error.path.outermost();
            let name = names.iter().find(|(known, _)| Some(*known) == field).map(|(_, name)| *name);
            match self.fields.iter_mut().find(|input| Some(input.name) == name) {
                Some(input) => input.error = Some(error.text.clone()),
                None => self.error = Some(error.text.clone()),
            }
        }
        self
    }
}
