//! Validation of single basket fields, and their paths.

use crate::decimal::{parse_decimal, to_money};
use crate::money::{Currency, Money};
use crate::refusal::FieldErrors;
use crate::text::is_control_or_bidi;

/// The path of a field. It is formatted only when there is an error.
#[derive(Clone, Copy)]
pub(super) struct FieldPath {
    /// The index of the product, or `None` for a field of the basket itself.
    pub(super) line: Option<usize>,
    pub(super) name: &'static str,
}

impl FieldPath {
    pub(super) const fn of_basket(name: &'static str) -> Self {
        Self { line: None, name }
    }
}

impl From<FieldPath> for String {
    fn from(FieldPath { line, name }: FieldPath) -> Self {
        match line {
            None => name.to_owned(),
            Some(index) => format!("basketProducts[{index}].{name}"),
        }
    }
}

pub(super) fn required<T>(errors: &mut FieldErrors, place: FieldPath, value: Option<T>) -> Option<T> {
    if value.is_none() {
        errors.add(place, "is required");
    }
    value
}

pub(super) fn amount(
    errors: &mut FieldErrors,
    place: FieldPath,
    text: &str,
    currency: Currency,
) -> Option<Money> {
    collect(errors, place, parse_decimal(text).and_then(|number| to_money(number, currency)))
}

pub(super) fn check_length<'a>(
    errors: &mut FieldErrors,
    place: FieldPath,
    text: &'a str,
    longest: usize,
) -> Option<&'a str> {
    let fits = !text.is_empty() && text.chars().count() <= longest && !text.chars().any(is_control_or_bidi);
    if fits {
        return Some(text);
    }
    errors.add(place, format!("must have 1 to {longest} characters, without control characters"));
    None
}

/// An optional field; when present it must be valid.
pub(super) fn optional<T>(
    errors: &mut FieldErrors,
    place: FieldPath,
    text: Option<&str>,
    parse: impl Fn(&str) -> Result<T, &'static str>,
) -> Option<Option<T>> {
    match text {
        None => Some(None),
        Some(text) => collect(errors, place, parse(text)).map(Some),
    }
}

/// Returns the value of a parse, or records its error.
pub(super) fn collect<T>(
    errors: &mut FieldErrors,
    place: FieldPath,
    parsed: Result<T, &'static str>,
) -> Option<T> {
    parsed.map_err(|text| errors.add(place, text)).ok()
}
