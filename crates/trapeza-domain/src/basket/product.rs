//! Validation of one product of a basket and its sums (§2.6).
//!
//! Prices include tax. Amounts are converted to minor units before they are compared.

use super::validate::{BasketField, amount, check_length, collect, optional, required};
use crate::decimal::{Decimal, parse_decimal, to_money};
use crate::field::Field;
use crate::money::{Currency, Money};
use crate::refusal::FieldErrors;

const MAX_TEXT_CHARS: usize = 255;
const MAX_URL_CHARS: usize = 2048;

/// A product as the merchant sent it. Numbers are the text of JSON numbers.
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

/// A product of a basket.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Product {
    pub number: Option<String>,
    pub name: String,
    /// As the merchant wrote it.
    pub quantity: String,
    pub quantity_units: Option<String>,
    pub unit_price: Money,
    /// In percent, as the merchant wrote it.
    pub tax_rate: Option<String>,
    pub total: Money,
    pub discount: Option<Money>,
    pub tax: Option<Money>,
    pub url: Option<String>,
    pub image_url: Option<String>,
}

/// All products, or `None` when one is invalid. Every product is validated, so that all errors are reported.
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
        let at = |field| BasketField { line: Some(index), field };
        let name = required(errors, at(Field::Name), fields.name)
            .and_then(|text| check_length(errors, at(Field::Name), text, MAX_TEXT_CHARS));
        let quantity = required(errors, at(Field::Quantity), fields.quantity)
            .and_then(|text| collect(errors, at(Field::Quantity), parse_decimal(text)));
        if quantity.as_ref().is_some_and(|quantity| *quantity <= Decimal::ZERO) {
            errors.add(at(Field::Quantity), "must be greater than zero");
        }
        let unit_price = required(errors, at(Field::UnitPrice), fields.unit_price)
            .and_then(|text| amount(errors, at(Field::UnitPrice), text, currency));
        let total = required(errors, at(Field::TotalAmount), fields.total)
            .and_then(|text| amount(errors, at(Field::TotalAmount), text, currency));
        let number = |text: &str| parse_decimal(text);
        let money = |text: &str| number(text).and_then(|number| to_money(number, currency));
        let discount = optional(errors, at(Field::TotalDiscountAmount), fields.discount, money);
        let tax = optional(errors, at(Field::TotalTaxAmount), fields.tax, money);
        let tax_rate = optional(errors, at(Field::TaxRate), fields.tax_rate, number);
        for (field, negative) in [
            (Field::UnitPrice, unit_price.is_some_and(|price| price.minor < 0)),
            (Field::TotalAmount, total.is_some_and(|total| total.minor < 0)),
            (Field::TotalDiscountAmount, discount.flatten().is_some_and(|discount| discount.minor < 0)),
            (
                Field::TaxRate,
                tax_rate.as_ref().is_some_and(|rate| rate.is_some_and(|rate| rate < Decimal::ZERO)),
            ),
        ] {
            if negative {
                errors.add(at(field), "must not be negative");
            }
        }
        for (field, text, max) in [
            (Field::ProductNumber, fields.number, MAX_TEXT_CHARS),
            (Field::QuantityUnits, fields.quantity_units, MAX_TEXT_CHARS),
            (Field::ProductUrl, fields.url, MAX_URL_CHARS),
            (Field::ProductImageUrl, fields.image_url, MAX_URL_CHARS),
        ] {
            let text = text.and_then(|text| check_length(errors, at(field), text, max));
            let is_url = matches!(field, Field::ProductUrl | Field::ProductImageUrl);
            if is_url && text.is_some_and(|url| !is_web_url(url)) {
                errors.add(at(field), "must be an http or https URL");
            }
        }
        let (quantity, unit_price, total) = (quantity?, unit_price?, total?);
        let (discount, tax, tax_rate) = (discount?, tax?, tax_rate?);
        check_line(at(Field::TotalAmount), &quantity, unit_price, discount, total, errors);
        if let (Some(rate), Some(tax)) = (&tax_rate, tax) {
            check_tax(at(Field::TotalTaxAmount), rate, tax, total, errors);
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

/// Merchants' pages and apps link to it, so a scheme that runs code, such as `javascript:`, is refused.
fn is_web_url(text: &str) -> bool {
    let scheme = text.split_once("://").map(|(scheme, _)| scheme);
    scheme.is_some_and(|scheme| ["http", "https"].iter().any(|known| scheme.eq_ignore_ascii_case(known)))
}

/// |total − (quantity × price − discount)| is less than one minor unit.
fn check_line(
    place: BasketField,
    quantity: &Decimal,
    unit_price: Money,
    discount: Option<Money>,
    total: Money,
    errors: &mut FieldErrors,
) {
    let expected = Decimal::from(unit_price.minor)
        .checked_mul(*quantity)
        .and_then(|price| price.checked_sub(discount.map_or(0, |discount| discount.minor).into()));
    let difference = expected.and_then(|expected| expected.checked_sub(total.minor.into()));
    if difference.is_none_or(|difference| difference.abs() >= Decimal::ONE) {
        errors.add(place, "must be quantity × Unit Price − Total Discount Amount");
    }
}

/// |tax − total·r / (100 + r)| is at most one minor unit, r in percent: prices include the tax.
fn check_tax(place: BasketField, rate: &Decimal, tax: Money, total: Money, errors: &mut FieldErrors) {
    // Both sides are multiplied by (100 + r) to avoid a division.
    let difference = rate.checked_add(Decimal::ONE_HUNDRED).and_then(|divisor| {
        let claimed = Decimal::from(tax.minor).checked_mul(divisor)?;
        let expected = Decimal::from(total.minor).checked_mul(*rate)?;
        Some((claimed.checked_sub(expected)?.abs(), divisor.abs()))
    });
    if difference.is_none_or(|(difference, minor_unit)| difference > minor_unit) {
        errors.add(place, "must be the share of Total Amount that Tax Rate implies");
    }
}
