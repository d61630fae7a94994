//! Documentation of the merchant configuration (§4.5).

use super::content::{Doc, EMPTY, Payload, value};
use crate::wire::configuration::{self, Configuration};
use serde_json::Value;
use trapeza_app::application::{AmountLimits, Plan, PlanOffer};
use trapeza_app::merchant_terms::MerchantTerms;
use trapeza_domain::money::{Currency, Money};

pub static CONFIGURATION: Doc = Doc {
    response: Some(Payload::json::<Configuration>("The limits and plans of the merchant.", terms)),
    ..EMPTY
};

fn terms() -> Value {
    let euros = |minor| Money { minor, currency: Currency::EUR };
    value(&configuration::terms(&MerchantTerms {
        limits: AmountLimits { minimum: euros(5_000), maximum: euros(150_000) },
        plans: vec![
            PlanOffer { plan: Plan { installments: 3, yearly_rate_bp: 0 }, is_default: true },
            PlanOffer { plan: Plan { installments: 12, yearly_rate_bp: 999 }, is_default: false },
        ],
    }))
}
