//! A line of a basket: what it says, and whether its own sums are right (§2.6). Other lines are not known here.
//!
//! Prices include tax. Each amount is collect for the whole minor units it means first, and compared then.

use super::validate::{FieldPath, amount, check_length, collect, optional, required};
use crate::decimal::Decimal;
use crate::money::{Currency, Money};
use crate::refusal::FieldErrors;

const TEXT_CHARACTERS: usize = 255;
const URL_CHARACTERS: usize = 2048;

/// A line as a merchant sends it, unjudged. Numbers are the text of their JSON numbers.
#[derive(Clone, Debug, Default)]
pub struct ProductFields<'a> {
    pub number: Option<&'a str>,
    pub name: Option<&'a str>,
    pub quantity: Option<&'a str>,
    pub quantity_units: Option<&'a str>,
    pub unit_price: Option<&'a str>,
    pub tax_rate: Option<&'a str>,
    pub total: Option<&'a str>,
    pub discount: Option<&'a str>,
    pub tax: Option<&'a str>,
    pub url: Option<&'a str>,
    pub image_url: Option<&'a str>,
}

/// A line of a basket.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Product {
    pub number: Option<String>,
    pub name: String,
    /// As it was written.
    pub quantity: String,
    pub quantity_units: Option<String>,
    pub unit_price: Money,
    /// In percent, as it was written.
    pub tax_rate: Option<String>,
    pub total: Money,
    pub discount: Option<Money>,
    pub tax: Option<Money>,
    pub url: Option<String>,
    pub image_url: Option<String>,
}

/// All lines, or `None` when something is wrong with one. Each is judged, so that all errors are told.
pub(super) fn parse_lines(
    lines: &[Option<ProductFields<'_>>],
    currency: Currency,
    errors: &mut FieldErrors,
) -> Option<Vec<Product>> {
    let mut products = Vec::with_capacity(lines.len());
    for (index, line) in lines.iter().enumerate() {
        products.extend(line.as_ref().and_then(|line| Product::parse(index, line, currency, errors)));
    }
    (products.len() == lines.len()).then_some(products)
}

impl Product {
    fn parse(
        index: usize,
        fields: &ProductFields<'_>,
        currency: Currency,
        errors: &mut FieldErrors,
    ) -> Option<Self> {
        let at = |name| FieldPath { line: Some(index), name };
        let name = required(errors, at("name"), fields.name)
            .and_then(|text| check_length(errors, at("name"), text, TEXT_CHARACTERS));
        let quantity = required(errors, at("quantity"), fields.quantity)
            .and_then(|text| collect(errors, at("quantity"), Decimal::parse(text)));
        if quantity.as_ref().is_some_and(|quantity| !quantity.is_positive()) {
            errors.add(at("quantity"), "has to be more than zero");
        }
        let unit_price = required(errors, at("Unit Price"), fields.unit_price)
            .and_then(|text| amount(errors, at("Unit Price"), text, currency));
        let total = required(errors, at("Total Amount"), fields.total)
            .and_then(|text| amount(errors, at("Total Amount"), text, currency));
        let number = |text: &str| Decimal::parse(text);
        let money = |text: &str| number(text).and_then(|number| number.money(currency));
        let discount = optional(errors, at("Total Discount Amount"), fields.discount, money);
        let tax = optional(errors, at("Total Tax Amount"), fields.tax, money);
        let tax_rate = optional(errors, at("Tax Rate"), fields.tax_rate, number);
        for (name, negative) in [
            ("Unit Price", unit_price.is_some_and(|price| price.minor < 0)),
            ("Total Amount", total.is_some_and(|total| total.minor < 0)),
            ("Total Discount Amount", discount.flatten().is_some_and(|discount| discount.minor < 0)),
            (
                "Tax Rate",
                tax_rate.as_ref().is_some_and(|rate| rate.as_ref().is_some_and(Decimal::is_negative)),
            ),
        ] {
            if negative {
                errors.add(at(name), "is not negative");
            }
        }
        for (name, text, longest) in [
            ("Product Number", fields.number, TEXT_CHARACTERS),
            ("Quantity Units", fields.quantity_units, TEXT_CHARACTERS),
            ("Product URL", fields.url, URL_CHARACTERS),
            ("Product Image URL", fields.image_url, URL_CHARACTERS),
        ] {
            if let Some(text) = text {
                check_length(errors, at(name), text, longest);
            }
        }
        let (quantity, unit_price, total) = (quantity?, unit_price?, total?);
        let (discount, tax, tax_rate) = (discount?, tax?, tax_rate?);
        check_line(at("Total Amount"), &quantity, unit_price, discount, total, errors);
        if let (Some(rate), Some(tax)) = (&tax_rate, tax) {
            check_tax(at("Total Tax Amount"), rate, tax, total, errors);
        }
        let owned = |text: Option<&str>| text.map(str::to_owned);
        Some(Self {
            number: owned(fields.number),
            name: name?.to_owned(),
            quantity: fields.quantity.unwrap_or_default().to_owned(),
            quantity_units: owned(fields.quantity_units),
            unit_price,
            tax_rate: owned(fields.tax_rate),
            total,
            discount,
            tax,
            url: owned(fields.url),
            image_url: owned(fields.image_url),
        })
    }
}

/// |total − (quantity × price − discount)| is less than one minor unit.
fn check_line(
    place: FieldPath,
    quantity: &Decimal,
    unit_price: Money,
    discount: Option<Money>,
    total: Money,
    errors: &mut FieldErrors,
) {
    let priced = Decimal::from_minor(unit_price.minor).times(quantity);
    let due = priced.minus(&Decimal::from_minor(discount.map_or(0, |discount| discount.minor)));
    let off = due.minus(&Decimal::from_minor(total.minor));
    if off.reaches(&Decimal::from_minor(1)) {
        errors.add(place, "is not quantity × Unit Price less Total Discount Amount");
    }
}

/// |tax − total·r / (100 + r)| is at most one minor unit, r in percent: prices include the tax.
fn check_tax(place: FieldPath, rate: &Decimal, tax: Money, total: Money, errors: &mut FieldErrors) {
    let hundred_and_rate = rate.plus(&Decimal::from_minor(100));
    // Both sides times (100 + r), so that nothing has to be divided.
    let claimed = Decimal::from_minor(tax.minor).times(&hundred_and_rate);
    let off = claimed.minus(&Decimal::from_minor(total.minor).times(rate));
    let more_than_one = off.reaches(&hundred_and_rate) && !hundred_and_rate.reaches(&off);
    if more_than_one {
        errors.add(place, "is not the part of Total Amount that Tax Rate makes");
    }
}
