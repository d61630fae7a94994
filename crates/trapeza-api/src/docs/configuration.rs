//! Documentation of the merchant configuration (§4.5).

use super::content::{Doc, EMPTY, Payload, value};
use super::parameter::AMOUNT;
use crate::wire::configuration::{self, Configuration};
use serde_json::Value;
use trapeza_app::application::{AmountLimits, Plan, PlanOffer};
use trapeza_app::merchant_terms::MerchantTerms;
use trapeza_domain::money::{Currency, Money};
use trapeza_domain::time::Date;

pub static CONFIGURATION: Doc = Doc {
    parameters: &[&AMOUNT],
    response: Some(Payload::json::<Configuration>("The limits and plans of the merchant.", terms)),
    ..EMPTY
};

fn terms() -> Value {
    let euros = |minor| Money { minor, currency: Currency::EUR };
    let terms = MerchantTerms {
        limits: AmountLimits { minimum: euros(5_000), maximum: euros(150_000) },
        plans: vec![
            PlanOffer { plan: Plan { installments: 3, yearly_rate_bp: 0 }, is_default: true },
            PlanOffer { plan: Plan { installments: 12, yearly_rate_bp: 999 }, is_default: false },
        ],
    };
    let quote = terms.quote(AMOUNT.example, Date(20_000)).ok();
    value(&configuration::terms(&terms, quote.as_ref()))
}
