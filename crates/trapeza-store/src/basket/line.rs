//! The form in which a basket keeps its lines: one text, read where it lies.
//!
//! `1`, then the fields of each line, one line behind the other. A text is its length in bytes, a colon and itself; an
//! amount is its minor units and a semicolon; `~` stands for what is not there. SQL can write it too, which is how
//! migration 0018 brought older baskets into it. A form is never changed, only followed by one with the next number.

use crate::error::StoreError;
use trapeza_domain::basket::Product;
use trapeza_domain::money::{Currency, Money};

const VERSION: char = '1';
const TEXT_END: char = ':';
const AMOUNT_END: char = ';';
const ABSENT: char = '~';

/// The lines in their kept form; `None` where there are none.
pub(super) fn kept(products: &[Product]) -> Option<String> {
    if products.is_empty() {
        return None;
    }
    // What a line takes besides its texts is less than this unless its amounts are huge.
    let room = products.iter().map(|product| 64 + text_bytes(product)).sum::<usize>();
    let mut out = Writer(String::with_capacity(1 + room));
    out.0.push(VERSION);
    products.iter().for_each(|product| out.product(product));
    Some(out.0)
}

/// The lines that a text in the kept form tells, in the basket's currency.
pub(super) fn read(text: &str, currency: Currency) -> Result<Vec<Product>, StoreError> {
    let products = text.strip_prefix(VERSION).and_then(|rest| Reader { rest, currency }.products());
    products.ok_or_else(|| StoreError::internal("a basket's lines are kept in a form that cannot be read"))
}

fn text_bytes(product: &Product) -> usize {
    let given =
        [&product.number, &product.quantity_units, &product.tax_rate, &product.url, &product.image_url];
    let given = given.into_iter().flatten().map(String::len).sum::<usize>();
    product.name.len() + product.quantity.len() + given
}

struct Writer(String);

impl Writer {
    fn product(&mut self, product: &Product) {
        self.opt_text(product.number.as_deref());
        self.text(&product.name);
        self.text(&product.quantity);
        self.opt_text(product.quantity_units.as_deref());
        self.amount(product.unit_price);
        self.opt_text(product.tax_rate.as_deref());
        self.amount(product.total);
        self.opt_amount(product.discount);
        self.opt_amount(product.tax);
        self.opt_text(product.url.as_deref());
        self.opt_text(product.image_url.as_deref());
    }

    fn text(&mut self, text: &str) {
        self.digits(text.len() as u64);
        self.0.push(TEXT_END);
        self.0.push_str(text);
    }

    fn opt_text(&mut self, text: Option<&str>) {
        match text {
            Some(text) => self.text(text),
            None => self.0.push(ABSENT),
        }
    }

    fn amount(&mut self, amount: Money) {
        if amount.minor < 0 {
            self.0.push('-');
        }
        self.digits(amount.minor.unsigned_abs());
        self.0.push(AMOUNT_END);
    }

    fn opt_amount(&mut self, amount: Option<Money>) {
        match amount {
            Some(amount) => self.amount(amount),
            None => self.0.push(ABSENT),
        }
    }

    /// Nearly all numbers here have few digits: the general printer takes longer than all the rest of a line.
    fn digits(&mut self, mut number: u64) {
        let mut room = [0_u8; 20];
        let mut at = room.len();
        loop {
            let [digit, ..] = (number % 10).to_le_bytes();
            at -= 1;
            room[at] = b'0' + digit;
            number /= 10;
            if number == 0 {
                break;
            }
        }
        self.0.extend(room[at..].iter().copied().map(char::from));
    }
}

struct Reader<'a> {
    rest: &'a str,
    currency: Currency,
}

impl<'a> Reader<'a> {
    fn products(&mut self) -> Option<Vec<Product>> {
        let mut products = Vec::new();
        while !self.rest.is_empty() {
            products.push(self.product()?);
        }
        Some(products)
    }

    fn product(&mut self) -> Option<Product> {
        Some(Product {
            number: self.opt_text()?,
            name: self.text()?.to_owned(),
            quantity: self.text()?.to_owned(),
            quantity_units: self.opt_text()?,
            unit_price: self.amount()?,
            tax_rate: self.opt_text()?,
            total: self.amount()?,
            discount: self.opt_amount()?,
            tax: self.opt_amount()?,
            url: self.opt_text()?,
            image_url: self.opt_text()?,
        })
    }

    fn text(&mut self) -> Option<&'a str> {
        let length = self.until(TEXT_END)?.parse().ok()?;
        let (text, rest) = self.rest.split_at_checked(length)?;
        self.rest = rest;
        Some(text)
    }

    fn opt_text(&mut self) -> Option<Option<String>> {
        if self.is_absent() { Some(None) } else { self.text().map(|text| Some(text.to_owned())) }
    }

    fn amount(&mut self) -> Option<Money> {
        let minor = self.until(AMOUNT_END)?.parse().ok()?;
        Some(Money::new(minor, self.currency))
    }

    fn opt_amount(&mut self) -> Option<Option<Money>> {
        if self.is_absent() { Some(None) } else { self.amount().map(Some) }
    }

    fn until(&mut self, end: char) -> Option<&'a str> {
        let (head, rest) = self.rest.split_once(end)?;
        self.rest = rest;
        Some(head)
    }

    fn is_absent(&mut self) -> bool {
        let rest = self.rest.strip_prefix(ABSENT);
        self.rest = rest.unwrap_or(self.rest);
        rest.is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn euros(minor: i64) -> Money {
        Money::new(minor, Currency::EUR)
    }

    fn bare() -> Product {
        Product {
            number: None,
            name: "Delivery".into(),
            quantity: "1".into(),
            quantity_units: None,
            unit_price: euros(1490),
            tax_rate: None,
            total: euros(1490),
            discount: None,
            tax: None,
            url: None,
            image_url: None,
        }
    }

    #[test]
    fn the_form_is_this_one_for_ever() {
        let book = Product {
            number: Some("B-204".into()),
            name: "Ιστορία;~:".into(),
            quantity: "3.0".into(),
            quantity_units: Some("pieces".into()),
            tax_rate: Some("6".into()),
            discount: Some(euros(500)),
            tax: Some(euros(-1)),
            url: Some("u".into()),
            image_url: Some(String::new()),
            ..bare()
        };
        let text =
            "15:B-20417:Ιστορία;~:3:3.06:pieces1490;1:61490;500;-1;1:u0:~8:Delivery1:1~1490;~1490;~~~~";
        let products = vec![book, bare()];
        assert_eq!(kept(&products).as_deref(), Some(text));
        assert_eq!(read(text, Currency::EUR).unwrap(), products);
        assert_eq!(kept(&[]), None);
    }

    #[test]
    fn what_is_not_in_the_form_is_refused() {
        let whole = kept(&[bare()]).unwrap();
        for end in 2..whole.len() {
            assert!(read(&whole[..end], Currency::EUR).is_err(), "{}", &whole[..end]);
        }
        let next = whole.replacen('1', "2", 1);
        for odd in ["", "2", next.as_str(), "1~99999999999999999999:x", "1~2:é1:1", "1~1:é", "1~-1:x"] {
            assert!(read(odd, Currency::EUR).is_err(), "{odd}");
        }
    }

    fn text() -> impl Strategy<Value = String> {
        "[a-z0-9:;~é日 -]{0,12}"
    }

    prop_compose! {
        fn product()(
            texts in proptest::array::uniform2(text()),
            given in proptest::array::uniform5(proptest::option::of(text())),
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
        fn any_lines_are_read_back(products in proptest::collection::vec(product(), 1..4)) {
            let text = kept(&products).unwrap();
            prop_assert_eq!(read(&text, Currency::EUR).unwrap(), products);
        }

        #[test]
        fn no_text_makes_it_panic(text in "1?[0-9:;~é-]{0,40}") {
            let _ = read(&text, Currency::EUR);
        }
    }
}
