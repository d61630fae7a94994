//! Forms. All are rendered by one template: every form has its CSRF token, and every invalid field is marked and described by its
//! error.

use crate::page_request::PageRequest;
use askama::Template;
use trapeza_domain::field::Field;
use trapeza_domain::refusal::{Refusal, RefusalReason};

/// The field of a confirmation.
const CONFIRMATION: &str = "sure";

#[derive(Clone, Debug, Template)]
#[template(path = "site/form.html")]
pub struct Form {
    action: String,
    /// `None` for a search, which is sent as a query and changes nothing.
    csrf: Option<String>,
    /// What the ids of the fields begin with, where a page has several forms with the same fields.
    prefix: Option<&'static str>,
    fields: Vec<Input>,
    button: String,
    /// Whether a form without visible fields has a button as wide as the page's other forms.
    is_wide: bool,
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
    id: String,
    name: &'static str,
    label: String,
    value: String,
    hint: Option<String>,
    error: Option<String>,
    kind: InputKind,
    /// Whether a box must be ticked before the form can be sent.
    required: bool,
}

#[derive(Clone, Debug)]
enum InputKind {
    /// With its type and the name for autocompletion.
    Line(&'static str, &'static str),
    Area,
    /// Values with their labels.
    Choice(Vec<(String, String)>),
    /// The same as radio buttons.
    Radio(Vec<(String, String)>),
    Check,
    /// With the types of files that the browser offers.
    File(&'static str),
    Hidden,
}

impl Input {
    fn new(name: &'static str, label: &str, kind: InputKind) -> Self {
        let (label, value) = (label.to_owned(), String::new());
        Self { id: name.to_owned(), name, label, value, hint: None, error: None, kind, required: false }
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

    /// The password of another site, which the browser neither fills in nor saves.
    pub fn other_password(name: &'static str, label: &str) -> Self {
        Self::new(name, label, InputKind::Line("password", "off"))
    }

    pub fn code(name: &'static str, label: &str) -> Self {
        Self::new(name, label, InputKind::Line("text", "one-time-code"))
    }

    pub fn area(name: &'static str, label: &str) -> Self {
        Self::new(name, label, InputKind::Area)
    }

    pub fn choice(name: &'static str, label: &str, options: Vec<(impl Into<String>, String)>) -> Self {
        let options = options.into_iter().map(|(value, label)| (value.into(), label));
        Self::new(name, label, InputKind::Choice(options.collect()))
    }

    pub fn radio(name: &'static str, label: &str, options: Vec<(String, String)>) -> Self {
        Self::new(name, label, InputKind::Radio(options))
    }

    pub fn file(name: &'static str, label: &str, accept: &'static str) -> Self {
        Self::new(name, label, InputKind::File(accept))
    }

    pub fn check(name: &'static str, label: &str) -> Self {
        Self::new(name, label, InputKind::Check)
    }

    /// A box that must be ticked before the form can be sent: the confirmation of what cannot be undone. Where the form is sent to,
    /// [`require_confirmation`] or [`is_confirmed`] checks it.
    pub fn confirmation(label: &str) -> Self {
        Self { required: true, ..Self::check(CONFIRMATION, label) }
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
    /// A form that changes something.
    pub fn new(request: &PageRequest, action: &str, button: &str) -> Self {
        let csrf = request.csrf_token(action.split('?').next().unwrap_or(action));
        Self::with_csrf(Some(csrf), action, button)
    }

    /// A form whose fields become the query of a page.
    pub fn search(action: &str, button: &str) -> Self {
        Self::with_csrf(None, action, button).class("plain")
    }

    fn with_csrf(csrf: Option<String>, action: &str, button: &str) -> Self {
        Self {
            action: action.to_owned(),
            csrf,
            prefix: None,
            fields: Vec::new(),
            button: button.to_owned(),
            is_wide: false,
            class: "",
            error: None,
            passkey: None,
        }
    }

    /// `single` when only the button is visible, `search` for a search.
    fn layout(&self) -> &'static str {
        let is_button = self.fields.iter().all(|input| matches!(input.kind, InputKind::Hidden));
        match (&self.csrf, is_button && !self.is_wide) {
            (None, _) => "search",
            (Some(_), true) => "single",
            (Some(_), false) => "",
        }
    }

    /// A file is sent with its form as several parts.
    fn is_upload(&self) -> bool {
        self.fields.iter().any(|input| matches!(input.kind, InputKind::File(_)))
    }

    /// What the ids of the fields that follow begin with.
    pub const fn prefix(mut self, prefix: &'static str) -> Self {
        self.prefix = Some(prefix);
        self
    }

    pub fn field(mut self, mut input: Input) -> Self {
        if let Some(prefix) = self.prefix {
            input.id = format!("{prefix}-{}", input.id);
        }
        self.fields.push(input);
        self
    }

    pub(super) const fn wide(mut self) -> Self {
        self.is_wide = true;
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
    pub fn filled(mut self, request: &PageRequest) -> Self {
        for input in &mut self.fields {
            let is_kept = match input.kind {
                InputKind::Line(kind, complete) => kind == "text" && matches!(complete, "off" | "username"),
                InputKind::Hidden | InputKind::File(_) => false,
                InputKind::Area | InputKind::Choice(_) | InputKind::Radio(_) | InputKind::Check => true,
            };
            if is_kept {
                input.value = request.field(input.name).to_owned();
            }
        }
        self
    }

    /// Fills in the query that was sent.
    pub fn filled_from_query(mut self, request: &PageRequest) -> Self {
        for input in &mut self.fields {
            input.value = request.query(input.name).unwrap_or_default().trim().to_owned();
        }
        self
    }

    /// Marks one field.
    pub fn with_error(mut self, name: &str, text: &str) -> Self {
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

    /// Marks the fields that are named like an error, elements of a list included; the other errors are shown above the form.
    pub fn errors(mut self, errors: &[(String, String)]) -> Self {
        for (field, text) in errors {
            match self.fields.iter_mut().find(|input| Some(input.name) == field.split('[').next()) {
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

/// Whether the confirmation of a form is ticked.
pub fn is_confirmed(request: &PageRequest) -> bool {
    !request.field(CONFIRMATION).is_empty()
}

/// Refuses a form whose confirmation is not ticked.
pub fn require_confirmation(request: &PageRequest) -> Result<(), Refusal> {
    match is_confirmed(request) {
        true => Ok(()),
        false => Err(Refusal::new(RefusalReason::Malformed, "the box that confirms it must be ticked")),
    }
}
