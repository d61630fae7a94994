//! A merchant's limits and plans as JSON. Numbers are exact decimals, written as short as they are.

use serde_json::{Number, Value, json};
use trapeza_app::merchant_terms::MerchantTerms;
use trapeza_domain::money::Money;

pub fn terms(terms: &MerchantTerms) -> Value {
    let plans = terms.plans.iter().map(|offer| {
        json!({
            "installments": offer.plan.installments,
            "yearlyRate": decimal(i64::from(offer.plan.yearly_rate_bp), 2),
            "default": offer.is_default,
        })
    });
    json!({
        "limits": {
            "minimum": money(terms.limits.minimum),
            "maximum": money(terms.limits.maximum),
            "currency": terms.limits.minimum.currency.code(),
        },
        "plans": plans.collect::<Vec<_>>(),
    })
}

/// An amount as a JSON number, the shortest that says it: 49.9, 50.
pub fn money(money: Money) -> Value {
    decimal(money.minor, money.currency.exponent())
}

/// A number of `10^-places` as a JSON number, without passing through a float.
pub fn decimal(units: i64, places: u32) -> Value {
    let scale = 10_u64.pow(places);
    let (sign, size) = (if units < 0 { "-" } else { "" }, units.unsigned_abs());
    let fraction = format!("{:0width$}", size % scale, width = places as usize);
    let fraction = fraction.trim_end_matches('0');
    let point = if fraction.is_empty() || places == 0 { "" } else { "." };
    let fraction = if point.is_empty() { "" } else { fraction };
    let text = format!("{sign}{}{point}{fraction}", size / scale);
    text.parse::<Number>().map_or(Value::Null, Value::Number)
}

#[cfg(test)]
mod tests {
    use super::decimal;

    #[test]
    fn numbers_are_written_as_short_as_they_are() {
        for (units, places, text) in
            [(4990, 2, "49.9"), (5000, 2, "50"), (1, 2, "0.01"), (-105, 2, "-1.05"), (7, 0, "7"), (0, 3, "0")]
        {
            assert_eq!(decimal(units, places).to_string(), text);
        }
    }
}
