//! Baskets, documented (§2.6, §4.5).

use super::NOW;
use super::content::value;
use super::content::{Doc, EMPTY, LOCATION, Payload, REPLAY};
use super::parameter::{API_VERSION, APPLICATION_ID, BASKET_ID};
use super::schema::Schema::{self, Formatted, Integer, Number, Text};
use super::schema::{Component, Field, list, optional, required};
use crate::wire::basket as wire;
use serde_json::{Value, json};
use trapeza_app::application::{AmountLimits, MerchantUrls, Plan};
use trapeza_app::basket::BasketView;
use trapeza_app::parse_date;
use trapeza_domain::application::{Application, ApplicationOwner};
use trapeza_domain::basket::{Basket, BasketId, NewBasket, PublicBasketId};
use trapeza_domain::id::{ApplicationId, MerchantId};
use trapeza_domain::money::{Currency, Money};
use trapeza_domain::time::TimeDelta;
use trapeza_http::extract::json;
use uuid::Uuid;

pub static CREATE: Doc = Doc {
    parameters: &[&API_VERSION],
    request: Some(Payload::json("What is bought.", || Schema::Component(&ORDER), order)),
    answer: Some(Payload::json(
        "The basket is made, and waits for its customer.",
        || Schema::Component(&CREATED),
        || value(&wire::created(&basket(), PUBLIC_URL)),
    )),
    headers: &[&LOCATION, &REPLAY],
    ..EMPTY
};

pub static FIND: Doc = Doc {
    parameters: &[&BASKET_ID, &API_VERSION],
    answer: Some(Payload::json(
        "The basket as it is now.",
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
            optional("Product Number", Text, "The merchant's number of it."),
            required("name", Text, "What it is called; 1 to 255 characters."),
            required("quantity", Number, "How much of it; more than zero."),
            optional("Quantity Units", Text, "What the quantity counts."),
            required("Unit Price", Number, "The price of one, tax included."),
            optional("Tax Rate", Number, "In percent."),
            required(
                "Total Amount",
                Number,
                "quantity × Unit Price less Total Discount Amount, to less than a cent.",
            ),
            optional("Total Discount Amount", Number, "What is taken off the line."),
            optional("Total Tax Amount", Number, "The tax in Total Amount, to the cent."),
            optional("Product URL", Text, "Where it is described."),
            optional("Product Image URL", Text, "Where it is shown."),
        ])
    },
};

fn ordered() -> Vec<Field> {
    vec![
        required(
            "basketValue",
            Number,
            "What the basket costs; with lines exactly their sum. Within the merchant's limits.",
        ),
        required(
            "requestId",
            Formatted("uuid"),
            "Your own id of this call. Sent again, the first answer comes back.",
        ),
        required("orderIdentifier", Text, "Your own name of the order; 1 to 64 characters."),
        optional("basketProducts", list(Schema::Component(&PRODUCT)), "The lines; at most 500."),
        optional("Merchant Data", Text, "Yours; kept and given back unread. At most 4096 bytes."),
        optional("phoneNumber", Text, "The customer's telephone, as E.164 writes it: +306900000001."),
        optional("email", Formatted("email"), "The customer's address."),
    ]
}

static ORDER: Component = Component {
    name: "BasketOrder",
    description: "A basket as a merchant sends it. Numbers are taken exactly as they are written.",
    schema: || Schema::Object(ordered()),
};

static CREATED: Component = Component {
    name: "BasketCreated",
    description: "How the customer gets to the checkout.",
    schema: || {
        Schema::Object(vec![
            required("requestId", Formatted("uuid"), "The id that was sent."),
            required("basketId", Integer, "The basket's number, for POST /bnplsandbox/createbnpl."),
            required("publicBasketId", Text, "The basket's name, for everything else."),
            required(
                "qrCodeData",
                Formatted("byte"),
                "A PNG picture of a QR code that leads to redirectUrl, in base64.",
            ),
            required("redirectUrl", Formatted("uri"), "The checkout: lead your customer there."),
            required("message", Text, "What happened, in words."),
            required("errors", list(Schema::AnyObject), "Empty."),
        ])
    },
};

static APPLICATION: Component = Component {
    name: "MerchantApplication",
    description: "The application that made the basket.",
    schema: || {
        Schema::Object(vec![
            required("applicationId", Formatted("uuid"), "Its X-Application-ID."),
            optional("successCallbackUrl", Text, "Where an approval is told."),
            optional("failCallbackUrl", Text, "Where anything else is told."),
            required("created", Formatted("date-time"), "When it was registered."),
            optional("successRedirectURI", Text, "Where the customer goes after an approval."),
            optional("failureRedirectURI", Text, "Where the customer goes otherwise."),
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
            required("publicBasketId", Text, "The basket's name in links."),
            required("dateCreated", Formatted("date-time"), "When it was made."),
            required("merchantId", Integer, "The merchant's number."),
            required("merchantName", Text, "The merchant's name."),
            required("bnplAmount", Number, "What is lent for it; what was refunded is not any more."),
            required("merchantCode", Text, "The merchant's code."),
            required("merchantApplication", Schema::Component(&APPLICATION), "The application that made it."),
            required("expirationDate", Formatted("date-time"), "When nothing is lent for it any more."),
            required(
                "qrCodeData",
                Formatted("byte"),
                "A PNG picture of a QR code that leads to the checkout, in base64.",
            ),
            required("qrCodeDataLink", Formatted("uri"), "The same picture at an address."),
        ]);
        Schema::Object(fields)
    },
};

static INSTALLMENT: Component = Component {
    name: "MonthlyInstallment",
    description: "One payment of a plan.",
    schema: || {
        Schema::Object(vec![
            required(
                "paymentDay",
                Formatted("date-time"),
                "The day it is collected: the due date, or the next TARGET day.",
            ),
            required("paymentAmount", Number, "How much, interest included."),
            required("originalDueDate", Formatted("date-time"), "The day it falls due."),
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
                "What is paid when: by the contract less what was refunded, or until there is one by your default plan from today.",
            ),
            required("message", Text, "What was done, in words."),
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

/// The example's basket, read by the same code that reads callers' baskets.
pub fn basket() -> Basket {
    let text = order().to_string();
    let body = json::parse(text.as_bytes(), 8).expect("the example is JSON");
    let asked = wire::order(&body, &limits()).expect("the example is a basket");
    let birth = NewBasket {
        id: BasketId::new(147_502_188_203_467),
        public: PublicBasketId::parse(BASKET_ID.example).expect("the example is a name"),
        application: ApplicationId::parse(APPLICATION_ID.example).expect("the example is an id"),
        merchant: MerchantId::new(Uuid::nil()),
        request: asked.request_text,
        now: NOW,
        expires_at: NOW.plus(TimeDelta::minutes(30)),
    };
    Basket::create(birth, asked.order).0
}

fn view() -> BasketView {
    let basket = basket();
    let plan = Plan { installments: 3, yearly_rate_bp: 0 };
    let today = parse_date("2026-11-15").expect("the example's day is one");
    let installments = plan.schedule(basket.order.value.minor, today).expect("enough for three");
    BasketView {
        merchant: trapeza_app::basket::MerchantRecord {
            id: basket.merchant,
            number: 1001,
            code: "PAPYRUS".to_owned(),
            name: "Papyrus Books".to_owned(),
            limits: limits(),
            basket_ttl: TimeDelta::minutes(30),
            discount_basis_points: 250,
        },
        application: trapeza_app::basket::ApplicationRecord {
            application: Application {
                id: basket.application,
                owner: ApplicationOwner::Merchant(basket.merchant),
                name: "Papyrus Books".to_owned(),
                sandbox: true,
            },
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
