//! Documentation of baskets (§2.6, §4.5).

use super::NOW;
use super::content::value;
use super::content::{Doc, EMPTY, LOCATION, Payload, REPLAY};
use super::parameter::{API_VERSION, APPLICATION_ID, BASKET_ID};
use super::schema::Schema::{self, Formatted, Integer, Number, Text};
use super::schema::{Component, Field, list, optional, required};
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
    request: Some(Payload::json("The basket.", || Schema::Component(&ORDER), order)),
    answer: Some(Payload::json(
        "The basket was created.",
        || Schema::Component(&CREATED),
        || value(&wire::created(&basket(), PUBLIC_URL)),
    )),
    headers: &[&LOCATION, &REPLAY],
    ..EMPTY
};

pub static FIND: Doc = Doc {
    parameters: &[&BASKET_ID, &API_VERSION],
    answer: Some(Payload::json(
        "The basket.",
        || Schema::Component(&FOUND),
        || value(&wire::found(&view(), PUBLIC_URL)),
    )),
    ..EMPTY
};

const PUBLIC_URL: &str = "https://bank.example";

static PRODUCT: Component = Component {
    name: "BasketProduct",
    description: "A line of a basket. Prices include tax.",
    schema: || {
        Schema::Object(vec![
            optional("Product Number", Text, "The merchant's number of the product."),
            required("name", Text, "The name of the product; 1 to 255 characters."),
            required("quantity", Number, "The quantity, greater than zero."),
            optional("Quantity Units", Text, "The unit of the quantity."),
            required("Unit Price", Number, "The price of one unit, including tax."),
            optional("Tax Rate", Number, "The tax rate in percent."),
            required(
                "Total Amount",
                Number,
                "quantity × Unit Price less Total Discount Amount, to less than a cent.",
            ),
            optional("Total Discount Amount", Number, "The discount of the line."),
            optional("Total Tax Amount", Number, "The tax in Total Amount, to the cent."),
            optional("Product URL", Text, "The URL of the product page."),
            optional("Product Image URL", Text, "The URL of an image."),
        ])
    },
};

fn ordered() -> Vec<Field> {
    vec![
        required(
            "basketValue",
            Number,
            "The total amount, which is the sum of the lines if there are any. Within the merchant's limits.",
        ),
        required(
            "requestId",
            Formatted("uuid"),
            "Your idempotency key. A repeated request gets the first response.",
        ),
        required("orderIdentifier", Text, "Your identifier of the order; 1 to 64 characters."),
        optional("basketProducts", list(Schema::Component(&PRODUCT)), "The lines; at most 500."),
        optional("Merchant Data", Text, "Your own data, stored and returned unchanged. At most 4096 bytes."),
        optional("phoneNumber", Text, "The shopper's phone number in E.164: +306900000001."),
        optional("email", Formatted("email"), "The shopper's e-mail address."),
    ]
}

static ORDER: Component = Component {
    name: "BasketOrder",
    description: "A basket request. Numbers are read exactly as written.",
    schema: || Schema::Object(ordered()),
};

static CREATED: Component = Component {
    name: "BasketCreated",
    description: "A new basket with the links to its checkout.",
    schema: || {
        Schema::Object(vec![
            required("requestId", Formatted("uuid"), "The idempotency key that was sent."),
            required("basketId", Integer, "The basket's number, for POST /bnplsandbox/createbnpl."),
            required("publicBasketId", Text, "The public id of the basket, for all other operations."),
            required("qrCodeData", Formatted("byte"), "A QR code with redirectUrl, as a PNG in base64."),
            required("redirectUrl", Formatted("uri"), "The checkout, to which the shopper is redirected."),
            required("message", Text, "A description of the result."),
            required("errors", list(Schema::AnyObject), "Empty."),
        ])
    },
};

static APPLICATION: Component = Component {
    name: "MerchantApplication",
    description: "The application that created the basket.",
    schema: || {
        Schema::Object(vec![
            required("applicationId", Formatted("uuid"), "Its X-Application-ID."),
            optional("successCallbackUrl", Text, "The callback URL for approvals."),
            optional("failCallbackUrl", Text, "The callback URL for all other outcomes."),
            required("created", Formatted("date-time"), "When it was registered."),
            optional("successRedirectURI", Text, "The redirect URL after an approval."),
            optional("failureRedirectURI", Text, "The redirect URL otherwise."),
        ])
    },
};

static BASKET: Component = Component {
    name: "Basket",
    description: "A basket.",
    schema: || {
        let mut fields = ordered();
        fields.extend([
            required("id", Integer, "The basket's number."),
            required("publicBasketId", Text, "The public id of the basket."),
            required("dateCreated", Formatted("date-time"), "When the basket was created."),
            required("merchantId", Integer, "The merchant's number."),
            required("merchantName", Text, "The merchant's name."),
            required("bnplAmount", Number, "The financed amount, less refunds."),
            required("merchantCode", Text, "The merchant's code."),
            required(
                "merchantApplication",
                Schema::Component(&APPLICATION),
                "The application that created it.",
            ),
            required("expirationDate", Formatted("date-time"), "When the basket expires."),
            required(
                "qrCodeData",
                Formatted("byte"),
                "A QR code with the checkout's URL, as a PNG in base64.",
            ),
            required("qrCodeDataLink", Formatted("uri"), "The URL of the same image."),
        ]);
        Schema::Object(fields)
    },
};

static INSTALLMENT: Component = Component {
    name: "MonthlyInstallment",
    description: "One installment of a plan.",
    schema: || {
        Schema::Object(vec![
            required(
                "paymentDay",
                Formatted("date-time"),
                "The day of collection: the due date, or the next TARGET day.",
            ),
            required("paymentAmount", Number, "The amount, including interest."),
            required("originalDueDate", Formatted("date-time"), "The due date."),
        ])
    },
};

static FOUND: Component = Component {
    name: "BasketFound",
    description: "A basket with its installments.",
    schema: || {
        Schema::Object(vec![
            required("basket", Schema::Component(&BASKET), "The basket."),
            required(
                "monthlyInstallments",
                list(Schema::Component(&INSTALLMENT)),
                "The installments: of the contract less refunds, or of your default plan from today while there is no contract.",
            ),
            required("message", Text, "A description of the result."),
            required("errors", list(Schema::AnyObject), "Empty."),
        ])
    },
};

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
