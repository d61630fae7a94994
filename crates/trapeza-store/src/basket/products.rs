//! The products of a basket in one column, so that a basket is one row to write and to read.

use crate::error::StoreError;
use crate::stored_form;
use serde::{Deserialize, Serialize};
use trapeza_domain::basket::Product;
use trapeza_domain::money::{Currency, Money};

/// A product as it is stored. Amounts are in the basket's currency.
#[derive(Serialize, Deserialize)]
struct StoredProduct<'a> {
    #[serde(borrow)]
    number: Option<&'a str>,
    name: &'a str,
    quantity: &'a str,
    quantity_units: Option<&'a str>,
    unit_price_minor: i64,
    tax_rate: Option<&'a str>,
    total_minor: i64,
    discount_minor: Option<i64>,
    tax_minor: Option<i64>,
    url: Option<&'a str>,
    image_url: Option<&'a str>,
}

/// `None` when there are no products.
pub(super) fn encode(products: &[Product]) -> Option<Vec<u8>> {
    let stored: Vec<StoredProduct<'_>> = products.iter().map(stored).collect();
    (!stored.is_empty()).then(|| stored_form::encode(&stored))
}

pub(super) fn decode(bytes: &[u8], currency: Currency) -> Result<Vec<Product>, StoreError> {
    let stored: Vec<StoredProduct<'_>> = stored_form::decode(bytes, "products of a basket")?;
    Ok(stored.iter().map(|stored| product(stored, currency)).collect())
}

fn stored(product: &Product) -> StoredProduct<'_> {
    StoredProduct {
        number: product.number.as_deref(),
        name: &product.name,
        quantity: &product.quantity,
        quantity_units: product.quantity_units.as_deref(),
        unit_price_minor: product.unit_price.minor,
        tax_rate: product.tax_rate.as_deref(),
        total_minor: product.total.minor,
        discount_minor: product.discount.map(|amount| amount.minor),
        tax_minor: product.tax.map(|amount| amount.minor),
        url: product.url.as_deref(),
        image_url: product.image_url.as_deref(),
    }
}

fn product(stored: &StoredProduct<'_>, currency: Currency) -> Product {
    let owned = |text: Option<&str>| text.map(str::to_owned);
    let amount = |minor| Money::new(minor, currency);
    Product {
        number: owned(stored.number),
        name: stored.name.to_owned(),
        quantity: stored.quantity.to_owned(),
        quantity_units: owned(stored.quantity_units),
        unit_price: amount(stored.unit_price_minor),
        tax_rate: owned(stored.tax_rate),
        total: amount(stored.total_minor),
        discount: stored.discount_minor.map(amount),
        tax: stored.tax_minor.map(amount),
        url: owned(stored.url),
        image_url: owned(stored.image_url),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stored_form::VERSION;
    use proptest::prelude::*;

    fn euros(minor: i64) -> Money {
        Money::new(minor, Currency::EUR)
    }

    fn delivery() -> Product {
        Product {
            number: None,
            name: "Delivery".into(),
            quantity: "1".into(),
            quantity_units: None,
            unit_price: euros(1490),
            tax_rate: None,
            total: euros(1490),
            discount: None,
            tax: Some(euros(-1)),
            url: None,
            image_url: Some("u".into()),
        }
    }

    #[test]
    fn version_1_never_changes() {
        let expected = [
            &[1, 1, 0, 8][..],
            b"Delivery",
            &[1, b'1', 0, 0xa4, 0x17, 0, 0xa4, 0x17, 0, 1, 1, 0, 1, 1, b'u'],
        ]
        .concat();
        let products = vec![delivery()];
        assert_eq!(encode(&products).as_deref(), Some(&expected[..]));
        assert_eq!(decode(&expected, Currency::EUR).unwrap(), products);
    }

    #[test]
    fn no_products_encode_to_none() {
        assert_eq!(encode(&[]), None);
    }

    #[test]
    fn truncated_extended_or_newer_bytes_are_an_error() {
        let whole = encode(&[delivery()]).unwrap();
        for end in 0..whole.len() {
            assert!(decode(&whole[..end], Currency::EUR).is_err(), "{end}");
        }
        assert!(decode(&[&whole[..], &[0]].concat(), Currency::EUR).is_err());
        let mut newer = whole;
        newer[0] = VERSION + 1;
        assert!(decode(&newer, Currency::EUR).is_err());
    }

    prop_compose! {
        fn any_product()(
            texts: [String; 2],
            given: [Option<String>; 5],
            amounts: [i64; 2],
            more: [Option<i64>; 2],
        ) -> Product {
            let ([name, quantity], [number, quantity_units, tax_rate, url, image_url]) = (texts, given);
            let ([unit_price, total], [discount, tax]) = (amounts.map(euros), more.map(|one| one.map(euros)));
            Product {
                number, name, quantity, quantity_units, unit_price, tax_rate, total, discount, tax, url, image_url,
            }
        }
    }

    proptest! {
        #[test]
        fn encoded_products_decode_to_the_same(products in proptest::collection::vec(any_product(), 1..4)) {
            let bytes = encode(&products).unwrap();
            prop_assert_eq!(decode(&bytes, Currency::EUR).unwrap(), products);
        }

        #[test]
        fn any_bytes_decode_without_panic(bytes in proptest::collection::vec(any::<u8>(), 0..60)) {
            let bytes = [&[VERSION][..], &bytes].concat();
            let _ = decode(&bytes, Currency::EUR);
        }
    }
}
