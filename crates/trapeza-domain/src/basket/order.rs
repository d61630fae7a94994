//! Validation of a basket: its products, amounts and sums (§2.6). Products are validated in `product`.
//!
//! Amounts are converted to minor units before they are compared.

use super::product::{Product, ProductFields, parse_lines};
use super::validate::{BasketField, amount, check_length, optional, required};
use crate::contact::{Email, Phone};
use crate::field::Field;
use crate::money::{Currency, Money};
use crate::refusal::{FieldErrors, Refusal};

/// Maximum number of products and maximum lengths.
pub const MAX_PRODUCTS: usize = 500;
pub const MAX_MERCHANT_DATA_BYTES: usize = 4096;
const MAX_IDENTIFIER_CHARS: usize = 64;

/// The smallest and largest amount that a merchant may have financed, both inclusive, in the merchant's currency.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AmountLimits {
    pub minimum: Money,
    pub maximum: Money,
}

impl AmountLimits {
    /// Limits that allow every amount above zero.
    pub const fn unlimited(currency: Currency) -> Self {
        Self { minimum: Money::new(1, currency), maximum: Money::new(i64::MAX, currency) }
    }

    pub fn allow(&self, amount: Money) -> bool {
        amount.currency == self.minimum.currency
            && (self.minimum.minor..=self.maximum.minor).contains(&amount.minor)
    }

    /// The refusal of a basket whose value is not within the limits.
    pub fn refusal(&self) -> Refusal {
        Refusal::malformed(Field::BasketValue, self.describe())
    }

    /// What an amount must be.
    pub fn describe(&self) -> String {
        let Self { minimum, maximum } = self;
        let (min, max) = (minimum.to_decimal_string(), maximum.to_decimal_string());
        format!("must be within the merchant's limits, {min} to {max} {}", minimum.currency)
    }
}

/// A basket as the merchant sent it. Numbers are the text of JSON numbers.
#[derive(Clone, Debug, Default)]
pub struct BasketFields<'a> {
    pub value: Option<&'a str>,
    pub order_identifier: Option<&'a str>,
    /// `None` for an element that is not an object; its error is already recorded.
    pub products: Vec<Option<ProductFields<'a>>>,
    pub merchant_data: Option<&'a str>,
    pub phone: Option<&'a str>,
    pub email: Option<&'a str>,
    pub success_callback: Option<&'a str>,
    pub fail_callback: Option<&'a str>,
    pub success_redirect: Option<&'a str>,
    pub failure_redirect: Option<&'a str>,
}

/// A valid basket.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BasketOrder {
    pub value: Money,
    pub order_identifier: String,
    pub products: Vec<Product>,
    /// The merchant's own data, which the bank does not interpret.
    pub merchant_data: Option<String>,
    pub phone: Option<Phone>,
    pub email: Option<Email>,
    /// Where callbacks are sent and where the shopper returns to, instead of the application's addresses. The app checks them.
    pub success_callback: Option<String>,
    pub fail_callback: Option<String>,
    pub success_redirect: Option<String>,
    pub failure_redirect: Option<String>,
}

impl BasketOrder {
    /// Validates a basket in the merchant's currency; all errors are added.
    pub fn parse(fields: &BasketFields<'_>, limits: &AmountLimits, errors: &mut FieldErrors) -> Option<Self> {
        let currency = limits.minimum.currency;
        let place = BasketField::of_basket;
        let value = required(errors, place(Field::BasketValue), fields.value)
            .and_then(|text| amount(errors, place(Field::BasketValue), text, currency));
        if value.is_some_and(|value| !value.is_positive()) {
            errors.add(place(Field::BasketValue), "must be greater than zero");
        } else if value.is_some_and(|value| !limits.allow(value)) {
            errors.add(place(Field::BasketValue), limits.describe());
        }
        let order_identifier = required(errors, place(Field::OrderIdentifier), fields.order_identifier)
            .and_then(|text| check_length(errors, place(Field::OrderIdentifier), text, MAX_IDENTIFIER_CHARS));
        if fields.products.len() > MAX_PRODUCTS {
            errors.add(place(Field::BasketProducts), format!("must have at most {MAX_PRODUCTS} products"));
            return None;
        }
        let products = parse_lines(&fields.products, currency, errors);
        if fields
            .merchant_data
            .is_some_and(|data| data.len() > MAX_MERCHANT_DATA_BYTES || data.contains('\0'))
        {
            let text = format!("must have at most {MAX_MERCHANT_DATA_BYTES} bytes and no NUL");
            errors.add(place(Field::MerchantData), text);
        }
        let phone = optional(errors, place(Field::PhoneNumber), fields.phone, Phone::parse);
        let email = optional(errors, place(Field::Email), fields.email, Email::parse);
        let order = Self {
            value: value?,
            order_identifier: order_identifier?.to_owned(),
            products: products?,
            merchant_data: fields.merchant_data.map(str::to_owned),
            phone: phone?,
            email: email?,
            success_callback: fields.success_callback.map(str::to_owned),
            fail_callback: fields.fail_callback.map(str::to_owned),
            success_redirect: fields.success_redirect.map(str::to_owned),
            failure_redirect: fields.failure_redirect.map(str::to_owned),
        };
        order.check_sum(errors)?;
        Some(order)
    }

    /// When there are products, the basket's value must be exactly their sum.
    fn check_sum(&self, errors: &mut FieldErrors) -> Option<()> {
        let sum = self.products.iter().try_fold(0_i64, |sum, line| sum.checked_add(line.total.minor));
        if self.products.is_empty() || sum == Some(self.value.minor) {
            return Some(());
        }
        errors.add(Field::BasketValue, "must be the sum of the products' Total Amount");
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::field::FieldPath;
    use crate::money::Currency;

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

    /// The paths of all errors.
    fn errors(fields: &BasketFields<'_>) -> Vec<FieldPath> {
        let mut errors = FieldErrors::default();
        let euros = |minor| Money::new(minor, Currency::EUR);
        let limits = AmountLimits { minimum: euros(3_000), maximum: euros(150_000) };
        let order = BasketOrder::parse(fields, &limits, &mut errors);
        match errors.finish() {
            Ok(()) => {
                assert!(order.is_some());
                Vec::new()
            }
            Err(refusal) => refusal.errors.into_iter().map(|error| error.path).collect(),
        }
    }

    #[test]
    fn parse_accepts_a_basket_with_right_sums() {
        assert_eq!(errors(&basket()), Vec::new());
        let bare = BasketFields { products: Vec::new(), phone: None, email: None, ..basket() };
        assert_eq!(errors(&bare), Vec::new());
        let floats = ProductFields { unit_price: Some("12.399999999999999"), ..line() };
        assert_eq!(errors(&BasketFields { products: vec![Some(floats)], ..basket() }), Vec::new());
    }

    #[test]
    fn parse_reports_every_error_with_its_path() {
        let with = |change: fn(&mut ProductFields<'_>)| {
            let mut product = line();
            change(&mut product);
            errors(&BasketFields {
                products: vec![Some(line()), Some(product)],
                value: Some("70.4"),
                ..basket()
            })
        };
        let at = |field: Field| vec![FieldPath::from(field).inside(Field::BasketProducts.element(1))];
        assert_eq!(with(|line| line.name = None), at(Field::Name));
        assert_eq!(
            with(|line| line.quantity = Some("0")),
            [at(Field::Quantity), at(Field::TotalAmount)].concat()
        );
        assert_eq!(with(|line| line.unit_price = Some("12.405")), at(Field::UnitPrice));
        let both = [at(Field::TotalAmount), vec![Field::BasketValue.into()]].concat();
        assert_eq!(with(|line| line.total = Some("35.21")), both);
        assert_eq!(with(|line| line.tax = Some("6.83")), at(Field::TotalTaxAmount));
        assert_eq!(
            with(|line| line.tax_rate = Some("-1")),
            [at(Field::TaxRate), at(Field::TotalTaxAmount)].concat()
        );
        let sum = BasketFields { value: Some("35.19"), ..basket() };
        assert_eq!(errors(&sum), [Field::BasketValue.into()]);
        for (value, total) in [("29.99", "29.99"), ("1500.01", "1500.01"), ("-35.2", "35.2")] {
            let line = ProductFields {
                name: Some("x"),
                quantity: Some("1"),
                unit_price: Some(total),
                total: Some(total),
                ..ProductFields::default()
            };
            let outside = BasketFields { value: Some(value), products: vec![Some(line)], ..basket() };
            assert_eq!(errors(&outside)[0], Field::BasketValue.into(), "{value}");
        }
        assert_eq!(
            with(|line| (line.unit_price, line.discount, line.tax_rate) = (Some("x"), Some("-1"), Some("y"))),
            [at(Field::UnitPrice), at(Field::TaxRate), at(Field::TotalDiscountAmount)].concat()
        );
        let nothing = BasketFields::default();
        assert_eq!(errors(&nothing), [Field::BasketValue.into(), Field::OrderIdentifier.into()]);
        let contacts = BasketFields { phone: Some(""), email: Some("no-address"), ..basket() };
        assert_eq!(errors(&contacts), [Field::PhoneNumber.into(), Field::Email.into()]);
        let long = "x".repeat(MAX_MERCHANT_DATA_BYTES + 1);
        assert_eq!(
            errors(&BasketFields { merchant_data: Some(&long), ..basket() }),
            [Field::MerchantData.into()]
        );
    }

    #[test]
    fn tax_may_differ_by_one_minor_unit() {
        let tax = |text| {
            let product = ProductFields { tax: Some(text), ..line() };
            errors(&BasketFields { products: vec![Some(product)], ..basket() }).is_empty()
        };
        // 35.20 × 24 / 124 = 6.8129…
        assert_eq!(
            [tax("6.80"), tax("6.81"), tax("6.82"), tax("6.79"), tax("6.83")],
            [false, true, true, false, false]
        );
    }
}
