//! Validation of single basket fields, and their places.

use crate::decimal::{parse_decimal, to_money};
use crate::field::{Field, FieldPath};
use crate::money::{Currency, Money};
use crate::refusal::FieldErrors;
use crate::text::is_control_or_bidi;

/// The place of a field. It becomes a path only when there is an error.
#[derive(Clone, Copy)]
pub(super) struct BasketField {
    /// The index of the product, or `None` for a field of the basket itself.
    pub(super) line: Option<usize>,
    pub(super) field: Field,
}

impl BasketField {
    pub(super) const fn of_basket(field: Field) -> Self {
        Self { line: None, field }
    }
}

impl From<BasketField> for FieldPath {
    fn from(BasketField { line, field }: BasketField) -> Self {
        match line {
            None => field.into(),
            Some(index) => Self::from(field).inside(Field::BasketProducts.element(index)),
        }
    }
}

pub(super) fn required<T>(errors: &mut FieldErrors, place: BasketField, value: Option<T>) -> Option<T> {
    if value.is_none() {
        errors.add(place, "is required");
    }
    value
}

pub(super) fn amount(
    errors: &mut FieldErrors,
    place: BasketField,
    text: &str,
    currency: Currency,
) -> Option<Money> {
    collect(errors, place, parse_decimal(text).and_then(|number| to_money(number, currency)))
}

pub(super) fn check_length<'a>(
    errors: &mut FieldErrors,
    place: BasketField,
    text: &'a str,
    max: usize,
) -> Option<&'a str> {
    let fits = !text.is_empty() && text.chars().count() <= max && !text.chars().any(is_control_or_bidi);
    if fits {
        return Some(text);
    }
    errors.add(place, format!("must have 1 to {max} characters, without control characters"));
    None
}

/// An optional field; when present it must be valid.
pub(super) fn optional<T>(
    errors: &mut FieldErrors,
    place: BasketField,
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
    place: BasketField,
    parsed: Result<T, &'static str>,
) -> Option<T> {
    parsed.map_err(|text| errors.add(place, text)).ok()
}
