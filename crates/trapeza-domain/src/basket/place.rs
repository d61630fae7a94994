//! Where in a basket something is wrong, and the judging of one field by its form.

use crate::decimal::Decimal;
use crate::letter::is_unseen;
use crate::money::{Currency, Money};
use crate::refusal::Faults;

/// Where something is wrong. Made into words only when it is: nearly nothing ever is, and there are many fields.
#[derive(Clone, Copy)]
pub(super) struct Place {
    /// The line, counted from 0, or none for the basket itself.
    pub(super) line: Option<usize>,
    pub(super) name: &'static str,
}

impl Place {
    pub(super) const fn of_basket(name: &'static str) -> Self {
        Self { line: None, name }
    }
}

impl From<Place> for String {
    fn from(Place { line, name }: Place) -> Self {
        match line {
            None => name.to_owned(),
            Some(index) => format!("basketProducts[{index}].{name}"),
        }
    }
}

pub(super) fn required<T>(faults: &mut Faults, place: Place, value: Option<T>) -> Option<T> {
    if value.is_none() {
        faults.add(place, "is required");
    }
    value
}

pub(super) fn amount(faults: &mut Faults, place: Place, text: &str, currency: Currency) -> Option<Money> {
    taken(faults, place, Decimal::parse(text).and_then(|number| number.money(currency)))
}

pub(super) fn bounded<'a>(
    faults: &mut Faults,
    place: Place,
    text: &'a str,
    longest: usize,
) -> Option<&'a str> {
    let fits = !text.is_empty() && text.chars().count() <= longest && !text.chars().any(is_unseen);
    if fits {
        return Some(text);
    }
    faults.add(place, format!("has 1 to {longest} characters, none of them unseen"));
    None
}

/// A field that may be left out, but not be wrong.
pub(super) fn optional<T>(
    faults: &mut Faults,
    place: Place,
    text: Option<&str>,
    parse: impl Fn(&str) -> Result<T, &'static str>,
) -> Option<Option<T>> {
    match text {
        None => Some(None),
        Some(text) => taken(faults, place, parse(text)).map(Some),
    }
}

/// Keeps the value of a parse, or notes its fault.
pub(super) fn taken<T>(faults: &mut Faults, place: Place, parsed: Result<T, &'static str>) -> Option<T> {
    parsed.map_err(|text| faults.add(place, text)).ok()
}
