//! What is bought, for how much, and whether the sums are right (§2.6). What becomes of it is not known here.
//!
//! Prices include tax. Each amount is taken for the whole minor units it means first, and compared then.

use crate::contact::{Email, Phone};
use crate::decimal::Decimal;
use crate::letter::is_unseen;
use crate::money::{Currency, Money};
use crate::refusal::Faults;

/// The most lines of a basket, and the longest of its texts.
pub const PRODUCTS_MAX: usize = 500;
pub const MERCHANT_DATA_BYTES: usize = 4096;
const IDENTIFIER_CHARACTERS: usize = 64;
const TEXT_CHARACTERS: usize = 255;
const URL_CHARACTERS: usize = 2048;

/// What a merchant may lend at once, both ends allowed. They are of one currency: the merchant's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    pub minimum: Money,
    pub maximum: Money,
}

impl Limits {
    pub fn allow(&self, amount: Money) -> bool {
        amount.currency == self.minimum.currency
            && (self.minimum.minor..=self.maximum.minor).contains(&amount.minor)
    }
}

/// A basket as a merchant sends it, unjudged. Numbers are the text of their JSON numbers.
#[derive(Clone, Debug, Default)]
pub struct BasketFields<'a> {
    pub value: Option<&'a str>,
    pub order_identifier: Option<&'a str>,
    /// `None` where something else than a line stood, of which its reader has told already.
    pub products: Vec<Option<ProductFields<'a>>>,
    pub merchant_data: Option<&'a str>,
    pub phone: Option<&'a str>,
    pub email: Option<&'a str>,
}

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

/// A basket that adds up.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BasketOrder {
    pub value: Money,
    pub order_identifier: String,
    pub products: Vec<Product>,
    /// The merchant's own; the bank does not read it.
    pub merchant_data: Option<String>,
    pub phone: Option<Phone>,
    pub email: Option<Email>,
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

impl BasketOrder {
    /// Reads a basket in the merchant's currency; what is wrong is added to `faults`, each at the spec's own name.
    pub fn parse(fields: &BasketFields<'_>, limits: &Limits, faults: &mut Faults) -> Option<Self> {
        let currency = limits.minimum.currency;
        let value = required(faults, "basketValue", fields.value)
            .and_then(|text| amount(faults, "basketValue", text, currency));
        if value.is_some_and(|value| !value.is_positive()) {
            faults.add("basketValue", "has to be more than zero");
        } else if value.is_some_and(|value| !limits.allow(value)) {
            let (least, most) = (limits.minimum.decimal(), limits.maximum.decimal());
            faults.add(
                "basketValue",
                format!("is outside the merchant's limits, {least} to {most} {currency}"),
            );
        }
        let order_identifier = required(faults, "orderIdentifier", fields.order_identifier)
            .and_then(|text| bounded(faults, "orderIdentifier", text, IDENTIFIER_CHARACTERS));
        if fields.products.len() > PRODUCTS_MAX {
            faults.add("basketProducts", format!("a basket has at most {PRODUCTS_MAX} lines"));
            return None;
        }
        let lines = fields.products.iter().enumerate();
        let products: Vec<Option<Product>> = lines
            .map(|(index, line)| {
                Product::parse(&format!("basketProducts[{index}]"), line.as_ref()?, currency, faults)
            })
            .collect();
        let products: Option<Vec<Product>> = products.into_iter().collect();
        if fields.merchant_data.is_some_and(|data| data.len() > MERCHANT_DATA_BYTES || data.contains('\0')) {
            faults
                .add("Merchant Data", format!("has at most {MERCHANT_DATA_BYTES} bytes, none of them zero"));
        }
        let phone = optional(faults, "phoneNumber", fields.phone, Phone::parse);
        let email = optional(faults, "email", fields.email, Email::parse);
        let order = Self {
            value: value?,
            order_identifier: order_identifier?.to_owned(),
            products: products?,
            merchant_data: fields.merchant_data.map(str::to_owned),
            phone: phone?,
            email: email?,
        };
        order.check_sum(faults)?;
        Some(order)
    }

    /// Where there are lines, the basket is worth exactly their sum.
    fn check_sum(&self, faults: &mut Faults) -> Option<()> {
        let sum = self.products.iter().try_fold(0_i64, |sum, line| sum.checked_add(line.total.minor));
        if self.products.is_empty() || sum == Some(self.value.minor) {
            return Some(());
        }
        faults.add("basketValue", "is not the sum of the lines' Total Amount");
        None
    }
}

impl Product {
    fn parse(
        path: &str,
        fields: &ProductFields<'_>,
        currency: Currency,
        faults: &mut Faults,
    ) -> Option<Self> {
        let at = |name: &str| format!("{path}.{name}");
        let name = required(faults, &at("name"), fields.name)
            .and_then(|text| bounded(faults, &at("name"), text, TEXT_CHARACTERS));
        let quantity = required(faults, &at("quantity"), fields.quantity)
            .and_then(|text| faults.take(&at("quantity"), Decimal::parse(text)));
        if quantity.as_ref().is_some_and(|quantity| !quantity.is_positive()) {
            faults.add(at("quantity"), "has to be more than zero");
        }
        let unit_price = required(faults, &at("Unit Price"), fields.unit_price)
            .and_then(|text| amount(faults, &at("Unit Price"), text, currency));
        let total = required(faults, &at("Total Amount"), fields.total)
            .and_then(|text| amount(faults, &at("Total Amount"), text, currency));
        let number = |text: &str| Decimal::parse(text);
        let money = |text: &str| number(text).and_then(|number| number.money(currency));
        let discount = optional(faults, &at("Total Discount Amount"), fields.discount, money);
        let tax = optional(faults, &at("Total Tax Amount"), fields.tax, money);
        let tax_rate = optional(faults, &at("Tax Rate"), fields.tax_rate, number);
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
                faults.add(at(name), "is not negative");
            }
        }
        for (name, text, longest) in [
            ("Product Number", fields.number, TEXT_CHARACTERS),
            ("Quantity Units", fields.quantity_units, TEXT_CHARACTERS),
            ("Product URL", fields.url, URL_CHARACTERS),
            ("Product Image URL", fields.image_url, URL_CHARACTERS),
        ] {
            if let Some(text) = text {
                bounded(faults, &at(name), text, longest);
            }
        }
        let (quantity, unit_price, total) = (quantity?, unit_price?, total?);
        let (discount, tax, tax_rate) = (discount?, tax?, tax_rate?);
        check_line(&at("Total Amount"), &quantity, unit_price, discount, total, faults);
        if let (Some(rate), Some(tax)) = (&tax_rate, tax) {
            check_tax(&at("Total Tax Amount"), rate, tax, total, faults);
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
    path: &str,
    quantity: &Decimal,
    unit_price: Money,
    discount: Option<Money>,
    total: Money,
    faults: &mut Faults,
) {
    let priced = Decimal::from_minor(unit_price.minor).times(quantity);
    let due = priced.minus(&Decimal::from_minor(discount.map_or(0, |discount| discount.minor)));
    let off = due.minus(&Decimal::from_minor(total.minor));
    if off.reaches(&Decimal::from_minor(1)) {
        faults.add(path, "is not quantity × Unit Price less Total Discount Amount");
    }
}

/// |tax − total·r / (100 + r)| is at most one minor unit, r in percent: prices include the tax.
fn check_tax(path: &str, rate: &Decimal, tax: Money, total: Money, faults: &mut Faults) {
    let hundred_and_rate = rate.clone().plus(&Decimal::from_minor(100));
    // Both sides times (100 + r), so that nothing has to be divided.
    let claimed = Decimal::from_minor(tax.minor).times(&hundred_and_rate);
    let off = claimed.minus(&Decimal::from_minor(total.minor).times(rate));
    let more_than_one = off.reaches(&hundred_and_rate) && !hundred_and_rate.reaches(&off);
    if more_than_one {
        faults.add(path, "is not the part of Total Amount that Tax Rate makes");
    }
}

fn required<T>(faults: &mut Faults, path: &str, value: Option<T>) -> Option<T> {
    if value.is_none() {
        faults.add(path, "is required");
    }
    value
}

fn amount(faults: &mut Faults, path: &str, text: &str, currency: Currency) -> Option<Money> {
    faults.take(path, Decimal::parse(text).and_then(|number| number.money(currency)))
}

fn bounded<'a>(faults: &mut Faults, path: &str, text: &'a str, longest: usize) -> Option<&'a str> {
    let fits = !text.is_empty() && text.chars().count() <= longest && !text.chars().any(is_unseen);
    if fits {
        return Some(text);
    }
    faults.add(path, format!("has 1 to {longest} characters, none of them unseen"));
    None
}

/// A field that may be left out, but not be wrong.
fn optional<T>(
    faults: &mut Faults,
    path: &str,
    text: Option<&str>,
    parse: impl Fn(&str) -> Result<T, &'static str>,
) -> Option<Option<T>> {
    match text {
        None => Some(None),
        Some(text) => faults.take(path, parse(text)).map(Some),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line<'a>() -> ProductFields<'a> {
        ProductFields {
            name: Some("Novel"),
            quantity: Some("3"),
            unit_price: Some("12.40"),
            tax_rate: Some("24"),
            total: Some("35.20"),
            discount: Some("2"),
            tax: Some("6.81"),
            ..ProductFields::default()
        }
    }

    fn basket<'a>() -> BasketFields<'a> {
        BasketFields {
            value: Some("35.2"),
            order_identifier: Some("order-1"),
            products: vec![Some(line())],
            phone: Some("+306900000001"),
            email: Some("eleni@shop.example"),
            ..BasketFields::default()
        }
    }

    /// The paths of what is wrong.
    fn faults(fields: &BasketFields<'_>) -> Vec<String> {
        let mut faults = Faults::default();
        let euros = |minor| Money::new(minor, Currency::EUR);
        let limits = Limits { minimum: euros(3_000), maximum: euros(150_000) };
        let order = BasketOrder::parse(fields, &limits, &mut faults);
        match faults.finish() {
            Ok(()) => {
                assert!(order.is_some());
                Vec::new()
            }
            Err(refusal) => refusal.faults.into_iter().map(|fault| fault.path).collect(),
        }
    }

    #[test]
    fn a_basket_that_adds_up_is_taken() {
        assert_eq!(faults(&basket()), Vec::<String>::new());
        let bare = BasketFields { products: Vec::new(), phone: None, email: None, ..basket() };
        assert_eq!(faults(&bare), Vec::<String>::new());
        let floats = ProductFields { unit_price: Some("12.399999999999999"), ..line() };
        assert_eq!(faults(&BasketFields { products: vec![Some(floats)], ..basket() }), Vec::<String>::new());
    }

    #[test]
    fn every_fault_has_its_field() {
        let with = |change: fn(&mut ProductFields<'_>)| {
            let mut product = line();
            change(&mut product);
            faults(&BasketFields {
                products: vec![Some(line()), Some(product)],
                value: Some("70.4"),
                ..basket()
            })
        };
        let at = |name: &str| vec![format!("basketProducts[1].{name}")];
        assert_eq!(with(|line| line.name = None), at("name"));
        assert_eq!(with(|line| line.quantity = Some("0")), [at("quantity"), at("Total Amount")].concat());
        assert_eq!(with(|line| line.unit_price = Some("12.405")), at("Unit Price"));
        let both = [at("Total Amount"), vec!["basketValue".to_owned()]].concat();
        assert_eq!(with(|line| line.total = Some("35.21")), both);
        assert_eq!(with(|line| line.tax = Some("6.83")), at("Total Tax Amount"));
        assert_eq!(
            with(|line| line.tax_rate = Some("-1")),
            [at("Tax Rate"), at("Total Tax Amount")].concat()
        );
        let sum = BasketFields { value: Some("35.19"), ..basket() };
        assert_eq!(faults(&sum), ["basketValue"]);
        for (value, total) in [("29.99", "29.99"), ("1500.01", "1500.01"), ("-35.2", "35.2")] {
            let line = ProductFields {
                name: Some("x"),
                quantity: Some("1"),
                unit_price: Some(total),
                total: Some(total),
                ..ProductFields::default()
            };
            let outside = BasketFields { value: Some(value), products: vec![Some(line)], ..basket() };
            assert_eq!(faults(&outside)[0], "basketValue", "{value}");
        }
        assert_eq!(
            with(|line| (line.unit_price, line.discount, line.tax_rate) = (Some("x"), Some("-1"), Some("y"))),
            [at("Unit Price"), at("Tax Rate"), at("Total Discount Amount")].concat()
        );
        let nothing = BasketFields::default();
        assert_eq!(faults(&nothing), ["basketValue", "orderIdentifier"]);
        let contacts = BasketFields { phone: Some(""), email: Some("nobody"), ..basket() };
        assert_eq!(faults(&contacts), ["phoneNumber", "email"]);
        let long = "x".repeat(MERCHANT_DATA_BYTES + 1);
        assert_eq!(faults(&BasketFields { merchant_data: Some(&long), ..basket() }), ["Merchant Data"]);
    }

    #[test]
    fn a_cent_of_tax_either_way_is_rounding_and_two_are_not() {
        let tax = |text| {
            let product = ProductFields { tax: Some(text), ..line() };
            faults(&BasketFields { products: vec![Some(product)], ..basket() }).is_empty()
        };
        // 35.20 × 24 / 124 = 6.8129…
        assert_eq!(
            [tax("6.80"), tax("6.81"), tax("6.82"), tax("6.79"), tax("6.83")],
            [false, true, true, false, false]
        );
    }
}
