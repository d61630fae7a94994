//! Documentation of baskets (§2.6, §4.5).

use super::NOW;
use super::content::{Doc, EMPTY, LOCATION, Payload, REPLAY, Shell, value};
use super::parameter::{API_VERSION, APPLICATION_ID, BASKET_ID};
use crate::wire::basket as wire;
use serde_json::{Value, json};
use trapeza_app::application::{AmountLimits, MerchantUrls, Plan};
use trapeza_app::basket::{BasketApplication, BasketMerchant, BasketView};
use trapeza_app::parse_date;
use trapeza_domain::basket::{Basket, BasketId, NewBasket, PublicBasketId};
use trapeza_domain::id::{ApplicationId, MerchantId};
use trapeza_domain::money::{Currency, Money};
use trapeza_domain::time::TimeDelta;
use trapeza_http::extract::json;
use uuid::Uuid;

pub static CREATE: Doc = Doc {
    parameters: &[&API_VERSION],
    request: Some(Payload::json::<wire::BasketBody<'_>>("The basket.", order)),
    response: Some(Payload::json::<wire::Created<'_>>("The basket was created.", || {
        value(&wire::created(&basket(), PUBLIC_URL))
    })),
    headers: &[&LOCATION, &REPLAY],
    shell: Shell::capture(&[("BASKET_ID", ".basketId"), ("PUBLIC_BASKET_ID", ".publicBasketId")]),
    ..EMPTY
};

pub static FIND: Doc = Doc {
    parameters: &[&BASKET_ID, &API_VERSION],
    response: Some(Payload::json::<wire::Found<'_>>("The basket.", || {
        value(&wire::found(&view(), PUBLIC_URL))
    })),
    ..EMPTY
};

const PUBLIC_URL: &str = "https://bank.example";

fn order() -> Value {
    json!({
        "basketValue": 120.3,
        "requestId": "6f9619ff-8b86-4011-b42d-00cf4fc964ff",
        "orderIdentifier": "order-1138",
        "basketProducts": [
            {
                "Product Number": "B-204", "name": "A history of banking", "quantity": 3, "Quantity Units": "pieces",
                "Unit Price": 36.8, "Tax Rate": 6, "Total Amount": 105.4, "Total Discount Amount": 5,
                "Total Tax Amount": 5.97,
            },
            { "name": "Delivery", "quantity": 1, "Unit Price": 14.9, "Total Amount": 14.9 },
        ],
        "Merchant Data": "till 4",
        "phoneNumber": "+306900000001",
        "email": "maria@shop.example",
    })
}

fn limits() -> AmountLimits {
    let euros = |minor| Money { minor, currency: Currency::EUR };
    AmountLimits { minimum: euros(5_000), maximum: euros(150_000) }
}

/// The basket of the example, parsed like a caller's.
pub fn basket() -> Basket {
    let text = order().to_string();
    let body = json::parse(text.as_bytes(), 8).expect("the example is JSON");
    let asked = wire::order(&body, &limits()).expect("the example is a basket");
    let new = NewBasket {
        id: BasketId::new(147_502_188_203_467),
        public: PublicBasketId::parse(BASKET_ID.example).expect("the example is a name"),
        application: ApplicationId::parse(APPLICATION_ID.example).expect("the example is an id"),
        merchant: MerchantId::new(Uuid::nil()),
        request: asked.request_text,
        now: NOW,
        expires_at: NOW.plus(TimeDelta::minutes(30)),
    };
    Basket::create(new, asked.order).0
}

fn view() -> BasketView {
    let basket = basket();
    let plan = Plan { installments: 3, yearly_rate_bp: 0 };
    let today = parse_date("2026-11-15").expect("the example's day is one");
    let installments = plan.schedule(basket.order.value.minor, today).expect("enough for three");
    BasketView {
        merchant: BasketMerchant {
            number: 1001,
            code: "PAPYRUS".to_owned(),
            name: "Papyrus Books".to_owned(),
        },
        application: BasketApplication {
            id: basket.application,
            created_at: NOW,
            urls: MerchantUrls {
                success_callback: Some("https://shop.example/paid".to_owned()),
                fail_callback: Some("https://shop.example/failed".to_owned()),
                success_redirect: Some("https://shop.example/thanks".to_owned()),
                failure_redirect: Some("https://shop.example/basket".to_owned()),
            },
        },
        financed: basket.order.value,
        basket,
        installments,
    }
}
