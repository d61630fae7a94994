//! Made-up exchange rates of the demo bank, in ten-thousandths.

use super::rng::Rng;
use trapeza_domain::money::{Currency, Money};
use trapeza_domain::time::Date;
use trapeza_domain::transaction::CurrencyExchange;

/// Units of a currency per euro, times ten thousand.
fn rate(rng: &Rng, currency: Currency) -> i64 {
    match currency.code() {
        "USD" => rng.between(10_600, 11_100),
        "GBP" => rng.between(8_400, 8_700),
        "CHF" => rng.between(9_300, 9_700),
        "JPY" => rng.between(1_580_000, 1_690_000),
        _ => 10_000,
    }
}

/// Converts an amount to euro, rounded half up, with the exchange details.
pub fn to_euro(rng: &Rng, amount: Money, day: Date) -> (Money, CurrencyExchange) {
    let rate = rate(rng, amount.currency);
    // The yen has no minor unit: its amount is scaled to two decimals, as the other currencies have.
    let scaled = amount.minor * 10i64.pow(2 - amount.currency.exponent().min(2)) * 10_000;
    let euro = Money::new((scaled + rate / 2) / rate, Currency::EUR);
    (euro, exchange(amount.currency, Currency::EUR, rate, day))
}

/// Converts an amount in euro to another currency.
pub fn from_euro(rng: &Rng, euro: Money, currency: Currency, day: Date) -> (Money, CurrencyExchange) {
    let rate = rate(rng, currency);
    let scale = 10i64.pow(2 - currency.exponent().min(2)) * 10_000;
    let amount = Money::new((euro.minor * rate + scale / 2) / scale, currency);
    (amount, exchange(Currency::EUR, currency, rate, day))
}

fn exchange(source: Currency, target: Currency, rate: i64, day: Date) -> CurrencyExchange {
    CurrencyExchange {
        source,
        target,
        unit: Currency::EUR,
        rate: format!("{}.{:04}", rate / 10_000, rate % 10_000),
        quotation_day: day,
        contract: Some(format!("FX{}{}", source.code(), day.0)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conversion_gives_plausible_amounts() {
        let rng = Rng::new(1);
        let (euro, exchange) = to_euro(&rng, Money::new(10_000, Currency::USD), Date(0));
        assert!((9_000..=9_440).contains(&euro.minor), "{euro}");
        assert_eq!((exchange.source, exchange.target), (Currency::USD, Currency::EUR));
        let (euro, _) = to_euro(&rng, Money::new(1_000, Currency::JPY), Date(0));
        assert!((590..=635).contains(&euro.minor), "{euro}");
        let (yen, _) = from_euro(&rng, Money::new(10_000, Currency::EUR), Currency::JPY, Date(0));
        assert!((15_800..=16_900).contains(&yen.minor), "{yen}");
    }
}
