//! Reads the parameters of an action and collects the errors of all of them.

use super::ActionParameters;
use trapeza_domain::field::Field;
use trapeza_domain::refusal::{FieldErrors, Refusal};
use trapeza_domain::text::is_control_or_bidi;

/// Maximum number of characters of a note or of the reason of a posting.
const MAX_TEXT_CHARS: usize = 140;

pub(super) struct ParameterReader<'a> {
    given: &'a ActionParameters,
    errors: FieldErrors,
}

impl<'a> ParameterReader<'a> {
    pub(super) fn new(given: &'a ActionParameters) -> Self {
        Self { given, errors: FieldErrors::default() }
    }

    /// A parameter that must be there.
    pub(super) fn required(&mut self, name: &str, field: Field) -> Option<&'a str> {
        let value = self.given.get(name);
        if value.is_none() {
            self.wrong(field, "is required");
        }
        value
    }

    /// A parameter that must be there and have a form.
    pub(super) fn parsed<T, E: Into<String>>(
        &mut self,
        name: &str,
        field: Field,
        parse: impl FnOnce(&'a str) -> Result<T, E>,
    ) -> Option<T> {
        let value = self.required(name, field)?;
        self.errors.collect(field, parse(value))
    }

    /// A parameter that may be absent, but not invalid.
    pub(super) fn optional<T, E: Into<String>>(
        &mut self,
        name: &str,
        field: Field,
        parse: impl FnOnce(&'a str) -> Result<T, E>,
    ) -> Option<T> {
        let value = self.given.get(name)?;
        self.errors.collect(field, parse(value))
    }

    /// A text that may be absent.
    pub(super) fn text(&self, name: &str) -> Option<String> {
        self.given.get(name).map(str::to_owned)
    }

    pub(super) fn id<T>(
        &mut self,
        name: &str,
        field: Field,
        parse: impl FnOnce(&'a str) -> Option<T>,
    ) -> Option<T> {
        self.parsed(name, field, |value| parse(value).ok_or("must be an id"))
    }

    pub(super) fn wrong(&mut self, field: Field, expected: impl Into<String>) {
        self.errors.add(field, expected);
    }

    pub(super) fn errors(&mut self) -> &mut FieldErrors {
        &mut self.errors
    }

    pub(super) fn finish(self) -> Result<(), Refusal> {
        self.errors.finish()
    }
}

/// A text that is stored with its object.
pub(super) fn short_text(text: &str) -> Result<String, String> {
    if text.chars().count() <= MAX_TEXT_CHARS && !text.chars().any(is_control_or_bidi) {
        return Ok(text.to_owned());
    }
    Err(format!("must be 1–{MAX_TEXT_CHARS} characters without control characters"))
}
