//! Baskets (§2.6, §4.5), in and out: the spec's field names with their spaces, and numbers exactly as they are.

use super::configuration::money;
use super::fields::Fields;
use super::writer::Writer;
use serde_json::{Map, Number, Value, json};
use trapeza_app::basket::BasketView;
use trapeza_app::{format_date, format_timestamp};
use trapeza_domain::basket::{
    AmountLimits, Basket, BasketFields, BasketOrder, Product, ProductFields, PublicBasketId,
};
use trapeza_domain::contact::{Email, Phone};
use trapeza_domain::decimal::parse_decimal;
use trapeza_domain::installment::Installment;
use trapeza_domain::money::{Currency, Money};
use trapeza_domain::refusal::Refusal;
use trapeza_http::extract::json::Json;
use trapeza_http::qr;
use trapeza_http::settings::checkout_url;
use uuid::Uuid;

/// What a merchant sends to make a basket.
pub struct CreateBasket {
    pub request: Uuid,
    /// The same as it was written.
    pub request_text: String,
    pub order: BasketOrder,
}

/// A basket as a merchant sends it, or all that is wrong with it.
pub fn order(body: &Json, limits: &AmountLimits) -> Result<CreateBasket, Refusal> {
    let fields = Fields::of(body)?;
    let text = fields.text("requestId");
    let request = text.and_then(|text| fields.parsed("requestId", request_id(text)));
    let lines = fields.objects_with_gaps("basketProducts");
    let parts = BasketFields {
        value: fields.opt_number("basketValue"),
        order_identifier: fields.opt_text("orderIdentifier"),
        products: lines.iter().map(|line| line.as_ref().map(product)).collect(),
        merchant_data: fields.opt_text("Merchant Data"),
        phone: fields.opt_text("phoneNumber"),
        email: fields.opt_text("email"),
    };
    let order = fields.validate(|faults| BasketOrder::parse(&parts, limits, faults));
    fields.finish()?;
    // What is missing has its fault, so this is not reached; better a refusal than a panic.
    let missing = || Refusal::malformed("", "a required field is missing");
    let request_text = text.ok_or_else(missing)?.to_owned();
    Ok(CreateBasket {
        request: request.ok_or_else(missing)?,
        request_text,
        order: order.ok_or_else(missing)?,
    })
}

/// The merchant's own id of a call.
pub fn request_id(text: &str) -> Result<Uuid, &'static str> {
    let id = (text.len() == 36).then(|| Uuid::try_parse(text).ok()).flatten();
    id.ok_or("a UUID is wanted, such as 6f9619ff-8b86-4011-b42d-00cf4fc964ff")
}

fn product<'a>(line: &Fields<'a>) -> ProductFields<'a> {
    ProductFields {
        number: line.opt_text("Product Number"),
        name: line.opt_text("name"),
        quantity: line.opt_number("quantity"),
        quantity_units: line.opt_text("Quantity Units"),
        unit_price: line.opt_number("Unit Price"),
        tax_rate: line.opt_number("Tax Rate"),
        total: line.opt_number("Total Amount"),
        discount: line.opt_number("Total Discount Amount"),
        tax: line.opt_number("Total Tax Amount"),
        url: line.opt_text("Product URL"),
        image_url: line.opt_text("Product Image URL"),
    }
}

/// The basket was made: how its customer gets to the checkout. Written straight into one buffer: most of it is a picture.
pub fn created(basket: &Basket, public_url: &str) -> Vec<u8> {
    let checkout = checkout_url(public_url, basket.public);
    let mut out = Writer::new(CREATED_BYTES);
    out.raw(r#"{"requestId":"#);
    out.text(&basket.request);
    out.raw(r#","basketId":"#);
    out.number(basket.id.number());
    out.raw(r#","publicBasketId":""#);
    out.raw(&basket.public.to_string());
    out.raw(r#"","qrCodeData":""#);
    out.raw(&qr::png_base64(&checkout));
    out.raw(r#"","redirectUrl":"#);
    out.text(&checkout);
    out.raw(r#","message":"The basket was created.","errors":[]}"#);
    out.into_bytes()
}

/// Enough for a basket's answer with a link of the usual length.
const CREATED_BYTES: usize = 1280;

pub fn found(view: &BasketView, public_url: &str) -> Value {
    let currency = view.basket.order.value.currency;
    let installments = view.installments.iter().map(|one| installment(one, currency));
    json!({
        "basket": shown(view, public_url),
        "monthlyInstallments": installments.collect::<Vec<_>>(),
        "message": "The basket was found.",
        "errors": [],
    })
}

fn shown(view: &BasketView, public_url: &str) -> Value {
    let (basket, order, merchant) = (&view.basket, &view.basket.order, &view.merchant);
    let checkout = checkout_url(public_url, basket.public);
    let mut shown = json!({
        "id": basket.id.number(),
        "publicBasketId": basket.public.to_string(),
        "dateCreated": format_timestamp(basket.created_at),
        "basketValue": money(order.value),
        "merchantId": merchant.number,
        "merchantName": merchant.name,
        "requestId": basket.request,
        "orderIdentifier": order.order_identifier,
        "bnplAmount": money(view.financed),
        "basketProducts": order.products.iter().map(line).collect::<Vec<_>>(),
        "merchantCode": merchant.code,
        "merchantApplication": application(view),
        "expirationDate": format_timestamp(basket.expires_at),
        "qrCodeData": qr::png_base64(&checkout),
        "qrCodeDataLink": format!("{checkout}/qr.png"),
    });
    for (name, text) in [
        ("Merchant Data", order.merchant_data.as_deref()),
        ("phoneNumber", order.phone.as_ref().map(Phone::as_str)),
        ("email", order.email.as_ref().map(Email::as_str)),
    ] {
        put(&mut shown, name, text.map(Value::from));
    }
    shown
}

fn application(view: &BasketView) -> Value {
    let (application, urls) = (&view.application, &view.application.urls);
    let mut shown = json!({
        "applicationId": application.application.id.to_string(),
        "created": format_timestamp(application.created_at),
    });
    for (name, url) in [
        ("successCallbackUrl", &urls.success_callback),
        ("failCallbackUrl", &urls.fail_callback),
        ("successRedirectURI", &urls.success_redirect),
        ("failureRedirectURI", &urls.failure_redirect),
    ] {
        put(&mut shown, name, url.as_deref().map(Value::from));
    }
    shown
}

fn line(product: &Product) -> Value {
    let text = |text: &Option<String>| text.as_deref().map(Value::from);
    let amount = |amount: Option<Money>| amount.map(money);
    let fields = [
        ("Product Number", text(&product.number)),
        ("name", Some(Value::from(product.name.as_str()))),
        ("quantity", Some(number(&product.quantity))),
        ("Quantity Units", text(&product.quantity_units)),
        ("Unit Price", Some(money(product.unit_price))),
        ("Tax Rate", product.tax_rate.as_deref().map(number)),
        ("Total Amount", Some(money(product.total))),
        ("Total Discount Amount", amount(product.discount)),
        ("Total Tax Amount", amount(product.tax)),
        ("Product URL", text(&product.url)),
        ("Product Image URL", text(&product.image_url)),
    ];
    let given = fields.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?)));
    Value::Object(given.collect::<Map<_, _>>())
}

fn installment(one: &Installment, currency: Currency) -> Value {
    json!({
        "paymentDay": format!("{}T00:00:00Z", format_date(one.payment)),
        "paymentAmount": money(Money::new(one.amount_minor(), currency)),
        "originalDueDate": format!("{}T00:00:00Z", format_date(one.due)),
    })
}

/// A number that was read before, the shortest that says it.
fn number(text: &str) -> Value {
    let shortest = parse_decimal(text).map(|number| number.normalize().to_string()).unwrap_or_default();
    shortest.parse::<Number>().map_or(Value::Null, Value::Number)
}

fn put(shown: &mut Value, name: &str, value: Option<Value>) {
    if let Some(value) = value {
        shown[name] = value;
    }
}

/// Where a merchant finds a basket again.
pub fn path(basket: PublicBasketId) -> String {
    ["/basket/id?basketId=", &basket.to_string()].concat()
}
