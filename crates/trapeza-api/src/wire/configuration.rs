//! A merchant's limits and installment plans. Numbers are exact decimals in their shortest form.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Number;
use trapeza_app::merchant_terms::{MerchantTerms, PlanQuote, PriceQuote};
use trapeza_domain::money::Money;

/// A merchant's limits and installment plans.
#[derive(Serialize, JsonSchema)]
pub struct Configuration {
    /// The limits of baskets.
    limits: Limits,
    /// The plans that a shopper may select.
    plans: Vec<Plan>,
    /// What a purchase of `amount` costs; only with that parameter.
    #[serde(skip_serializing_if = "Option::is_none")]
    quote: Option<Quote>,
}

/// The limits of baskets.
#[derive(Serialize, JsonSchema)]
#[schemars(inline)]
struct Limits {
    /// The smallest allowed basketValue.
    minimum: Number,
    /// The largest allowed basketValue.
    maximum: Number,
    /// The merchant's currency, ISO 4217.
    #[schemars(regex(pattern = "^[A-Z]{3}$"))]
    currency: &'static str,
}

/// An installment plan.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(inline)]
struct Plan {
    /// The number of monthly payments.
    installments: u32,
    /// The yearly interest rate in percent.
    yearly_rate: Number,
    /// Whether baskets show this plan before the shopper selects one.
    default: bool,
}

/// What a purchase costs.
#[derive(Serialize, JsonSchema)]
#[schemars(inline)]
struct Quote {
    /// The amount that was asked for.
    amount: Number,
    /// The cost with each plan.
    plans: Vec<QuotedPlan>,
}

/// What a purchase costs with one plan.
#[derive(Serialize, JsonSchema)]
#[schemars(inline)]
struct QuotedPlan {
    /// The number of monthly payments.
    installments: u32,
    /// The payments in their order; the last one contains what rounding leaves.
    payments: Vec<Number>,
    /// The sum of all interest.
    interest: Number,
    /// The sum of all payments.
    total: Number,
    /// The annual percentage rate of charge (APR), in percent with one decimal.
    apr: Number,
}

/// The configuration, with what a purchase costs if it was asked for.
pub fn terms(terms: &MerchantTerms, quote: Option<&PriceQuote>) -> Configuration {
    let plans = terms.plans.iter().map(|offer| Plan {
        installments: offer.plan.installments,
        yearly_rate: decimal(i64::from(offer.plan.yearly_rate_bp), 2),
        default: offer.is_default,
    });
    Configuration {
        limits: Limits {
            minimum: money(terms.limits.minimum),
            maximum: money(terms.limits.maximum),
            currency: terms.limits.minimum.currency.code(),
        },
        plans: plans.collect(),
        quote: quote.map(|quote| Quote {
            amount: money(quote.amount),
            plans: quote.plans.iter().map(quoted).collect(),
        }),
    }
}

fn quoted(plan: &PlanQuote) -> QuotedPlan {
    QuotedPlan {
        installments: plan.offer.plan.installments,
        payments: plan.payments.iter().copied().map(money).collect(),
        interest: money(plan.interest),
        total: money(plan.total),
        apr: decimal(plan.apr_tenths_of_percent, 1),
    }
}

/// An amount as a JSON number in its shortest form: 49.9, 50.
pub fn money(money: Money) -> Number {
    decimal(money.minor, money.currency.exponent())
}

/// `units` times `10^-places` as a JSON number, without passing through a float.
pub fn decimal(units: i64, places: u32) -> Number {
    let scale = 10_u64.pow(places);
    let (sign, size) = (if units < 0 { "-" } else { "" }, units.unsigned_abs());
    let fraction = format!("{:0width$}", size % scale, width = places as usize);
    let fraction = if places == 0 { "" } else { fraction.trim_end_matches('0') };
    let point = if fraction.is_empty() { "" } else { "." };
    let text = format!("{sign}{}{point}{fraction}", size / scale);
    text.parse().expect("digits with a point are a JSON number")
}

#[cfg(test)]
mod tests {
    use super::decimal;

    #[test]
    fn decimals_have_their_shortest_form() {
        for (units, places, text) in
            [(4990, 2, "49.9"), (5000, 2, "50"), (1, 2, "0.01"), (-105, 2, "-1.05"), (7, 0, "7"), (0, 3, "0")]
        {
            assert_eq!(decimal(units, places).to_string(), text);
        }
    }
}
