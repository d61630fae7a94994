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
    /// `None` for a search, which is sent as a query and changes nothing.
    csrf: Option<String>,
    fields: Vec<Input>,
    button: String,
    /// `no` for what cannot be undone, `plain` for what is not the main action.
    class: &'static str,
    /// The error that belongs to no field.
    error: Option<String>,
    /// What the browser is asked for before the form is sent.
    passkey: Option<PasskeyRequest>,
}

/// What the script of passkeys asks the browser for.
#[derive(Clone, Debug)]
pub struct PasskeyRequest {
    /// `create` or `get`.
    pub kind: &'static str,
    pub challenge: String,
    /// The host name that the passkey is bound to.
    pub party: String,
    /// The id and the name of the member; empty for `get`.
    pub user: String,
    pub user_name: String,
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
    Choice(Vec<(String, String)>),
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

    pub fn choice(name: &'static str, label: &str, options: Vec<(&str, String)>) -> Self {
        let options = options.into_iter().map(|(value, label)| (value.to_owned(), label));
        Self::new(name, label, InputKind::Choice(options.collect()))
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
            csrf: Some(request.web.csrf_token(action.split('?').next().unwrap_or(action))),
            fields: Vec::new(),
            button: button.to_owned(),
            class: "",
            error: None,
            passkey: None,
        }
    }

    /// A form whose fields become the query of a page.
    pub fn search(action: &str, button: &str) -> Self {
        Self {
            action: action.to_owned(),
            csrf: None,
            fields: Vec::new(),
            button: button.to_owned(),
            class: "plain",
            error: None,
            passkey: None,
        }
    }

    /// `single` when only the button is visible, `search` for a search.
    fn layout(&self) -> &'static str {
        match (&self.csrf, self.fields.iter().all(|input| matches!(input.kind, InputKind::Hidden))) {
            (None, _) => "search",
            (Some(_), true) => "single",
            (Some(_), false) => "",
        }
    }

    pub fn field(mut self, input: Input) -> Self {
        self.fields.push(input);
        self
    }

    pub fn passkey(mut self, passkey: PasskeyRequest) -> Self {
        self.passkey = Some(passkey);
        self
    }

    /// Whether the form needs the script of passkeys.
    pub const fn has_passkey(&self) -> bool {
        self.passkey.is_some()
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

    /// Fills in the query that was sent.
    pub fn queried(mut self, request: &PortalRequest) -> Self {
        for input in &mut self.fields {
            input.value = request.web.query(input.name).unwrap_or_default().trim().to_owned();
        }
        self
    }

    /// Marks one field.
    pub fn marked(mut self, name: &str, text: &str) -> Self {
        if let Some(input) = self.fields.iter_mut().find(|input| input.name == name) {
            input.error = Some(text.to_owned());
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
