//! Documentation of the merchant configuration (§4.5).

use super::content::value;
use super::content::{Doc, EMPTY, Payload};
use super::schema::Schema::{self, Boolean, Integer, Number, Text};
use super::schema::{Component, list, required};
use crate::wire;
use serde_json::Value;
use trapeza_app::application::{AmountLimits, Plan, PlanOffer};
use trapeza_app::merchant_terms::MerchantTerms;
use trapeza_domain::money::{Currency, Money};

pub static CONFIGURATION: Doc = Doc {
    answer: Some(Payload::json(
        "The limits and plans of the merchant.",
        || Schema::Component(&MERCHANT_TERMS),
        terms,
    )),
    ..EMPTY
};

static MERCHANT_TERMS: Component = Component {
    name: "Configuration",
    description: "A merchant's limits and installment plans.",
    schema: || {
        let limits = Schema::Object(vec![
            required("minimum", Number, "The smallest allowed basketValue."),
            required("maximum", Number, "The largest allowed basketValue."),
            required("currency", Text, "The merchant's currency, ISO 4217."),
        ]);
        let plan = Schema::Object(vec![
            required("installments", Integer, "The number of monthly payments."),
            required("yearlyRate", Number, "The yearly interest rate in percent."),
            required("default", Boolean, "Whether baskets show this plan before the shopper selects one."),
        ]);
        Schema::Object(vec![
            required("limits", limits, "The limits of baskets."),
            required("plans", list(plan), "The plans that a shopper may select."),
        ])
    },
};

fn terms() -> Value {
    let euros = |minor| Money { minor, currency: Currency::EUR };
    value(&wire::configuration::terms(&MerchantTerms {
        limits: AmountLimits { minimum: euros(5_000), maximum: euros(150_000) },
        plans: vec![
            PlanOffer { plan: Plan { installments: 3, yearly_rate_bp: 0 }, is_default: true },
            PlanOffer { plan: Plan { installments: 12, yearly_rate_bp: 999 }, is_default: false },
        ],
    }))
}
