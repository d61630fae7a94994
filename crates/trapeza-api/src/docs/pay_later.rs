//! Pay Later, documented (§4.5).

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
        "What the merchant may lend, and how it is paid back.",
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
            required("minimum", Number, "The smallest basketValue, itself allowed."),
            required("maximum", Number, "The largest basketValue, itself allowed."),
            required("currency", Text, "The merchant's currency, ISO 4217."),
        ]);
        let plan = Schema::Object(vec![
            required("installments", Integer, "How many monthly payments."),
            required("yearlyRate", Number, "The interest of a year, in percent."),
            required("default", Boolean, "Whether baskets show this plan before the customer chooses."),
        ]);
        Schema::Object(vec![
            required("limits", limits, "Which baskets are taken."),
            required("plans", list(plan), "The plans that a customer may choose from."),
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
