//! Baskets (§2.6, §4.5).

use super::configuration::money;
use super::fields::{Fields, missing_field};
use serde::Serialize;
use serde_json::Number;
use trapeza_app::application::MerchantUrls;
use trapeza_app::basket::BasketView;
use trapeza_app::{format_date, format_timestamp};
use trapeza_domain::basket::{
    AmountLimits, Basket, BasketFields, BasketOrder, Product, ProductFields, PublicBasketId,
};
use trapeza_domain::contact::{Email, Phone};
use trapeza_domain::decimal::parse_decimal;
use trapeza_domain::money::Money;
use trapeza_domain::refusal::Refusal;
use trapeza_http::extract::json::Json;
use trapeza_http::qr;
use trapeza_http::settings::checkout_url;
use uuid::Uuid;

/// A basket request with its idempotency key.
pub struct CreateBasket {
    pub request: Uuid,
    /// The `requestId` as it was sent.
    pub request_text: String,
    pub order: BasketOrder,
}

/// Reads a basket, or reports all its field errors.
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
    let order = fields.validate_all(|errors| BasketOrder::parse(&parts, limits, errors));
    fields.finish()?;
    let request_text = text.ok_or_else(missing_field)?.to_owned();
    Ok(CreateBasket {
        request: request.ok_or_else(missing_field)?,
        request_text,
        order: order.ok_or_else(missing_field)?,
    })
}

/// The merchant's idempotency key.
pub fn request_id(text: &str) -> Result<Uuid, &'static str> {
    let id = (text.len() == 36).then(|| Uuid::try_parse(text).ok()).flatten();
    id.ok_or("must be a UUID, for example 6f9619ff-8b86-4011-b42d-00cf4fc964ff")
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

/// The response that creates a basket, with the way to its checkout.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Created<'a> {
    request_id: &'a str,
    basket_id: i64,
    public_basket_id: String,
    /// A PNG in base64.
    qr_code_data: String,
    redirect_url: String,
    message: &'static str,
    errors: [&'static str; 0],
}

pub fn created<'a>(basket: &'a Basket, public_url: &str) -> Created<'a> {
    let redirect_url = checkout_url(public_url, basket.public);
    Created {
        request_id: &basket.request,
        basket_id: basket.id.number(),
        public_basket_id: basket.public.to_string(),
        qr_code_data: qr::png_base64(&redirect_url),
        redirect_url,
        message: "The basket was created.",
        errors: [],
    }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Found<'a> {
    basket: BasketOut<'a>,
    monthly_installments: Vec<InstallmentOut>,
    message: &'static str,
    errors: [&'static str; 0],
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct BasketOut<'a> {
    id: i64,
    public_basket_id: String,
    date_created: String,
    basket_value: Number,
    merchant_id: i64,
    merchant_name: &'a str,
    request_id: &'a str,
    order_identifier: &'a str,
    bnpl_amount: Number,
    basket_products: Vec<ProductOut<'a>>,
    merchant_code: &'a str,
    merchant_application: ApplicationOut<'a>,
    expiration_date: String,
    qr_code_data: String,
    qr_code_data_link: String,
    #[serde(rename = "Merchant Data", skip_serializing_if = "Option::is_none")]
    merchant_data: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    phone_number: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    email: Option<&'a str>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ApplicationOut<'a> {
    application_id: String,
    created: String,
    #[serde(flatten)]
    urls: UrlsOut<'a>,
}

/// The URLs of a merchant's application.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct UrlsOut<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    success_callback_url: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    fail_callback_url: Option<&'a str>,
    #[serde(rename = "successRedirectURI", skip_serializing_if = "Option::is_none")]
    success_redirect: Option<&'a str>,
    #[serde(rename = "failureRedirectURI", skip_serializing_if = "Option::is_none")]
    failure_redirect: Option<&'a str>,
}

impl<'a> UrlsOut<'a> {
    pub fn of(urls: &'a MerchantUrls) -> Self {
        Self {
            success_callback_url: urls.success_callback.as_deref(),
            fail_callback_url: urls.fail_callback.as_deref(),
            success_redirect: urls.success_redirect.as_deref(),
            failure_redirect: urls.failure_redirect.as_deref(),
        }
    }
}

#[derive(Serialize)]
struct ProductOut<'a> {
    #[serde(rename = "Product Number", skip_serializing_if = "Option::is_none")]
    number: Option<&'a str>,
    name: &'a str,
    quantity: Number,
    #[serde(rename = "Quantity Units", skip_serializing_if = "Option::is_none")]
    quantity_units: Option<&'a str>,
    #[serde(rename = "Unit Price")]
    unit_price: Number,
    #[serde(rename = "Tax Rate", skip_serializing_if = "Option::is_none")]
    tax_rate: Option<Number>,
    #[serde(rename = "Total Amount")]
    total: Number,
    #[serde(rename = "Total Discount Amount", skip_serializing_if = "Option::is_none")]
    discount: Option<Number>,
    #[serde(rename = "Total Tax Amount", skip_serializing_if = "Option::is_none")]
    tax: Option<Number>,
    #[serde(rename = "Product URL", skip_serializing_if = "Option::is_none")]
    url: Option<&'a str>,
    #[serde(rename = "Product Image URL", skip_serializing_if = "Option::is_none")]
    image_url: Option<&'a str>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct InstallmentOut {
    payment_day: String,
    payment_amount: Number,
    original_due_date: String,
}

pub fn found<'a>(view: &'a BasketView, public_url: &str) -> Found<'a> {
    let currency = view.basket.order.value.currency;
    let installments = view.installments.iter().map(|installment| InstallmentOut {
        payment_day: format!("{}T00:00:00Z", format_date(installment.payment)),
        payment_amount: money(Money::new(installment.amount_minor(), currency)),
        original_due_date: format!("{}T00:00:00Z", format_date(installment.due)),
    });
    Found {
        basket: basket(view, public_url),
        monthly_installments: installments.collect(),
        message: "The basket was found.",
        errors: [],
    }
}

fn basket<'a>(view: &'a BasketView, public_url: &str) -> BasketOut<'a> {
    let (basket, order, merchant) = (&view.basket, &view.basket.order, &view.merchant);
    let checkout = checkout_url(public_url, basket.public);
    BasketOut {
        id: basket.id.number(),
        public_basket_id: basket.public.to_string(),
        date_created: format_timestamp(basket.created_at),
        basket_value: money(order.value),
        merchant_id: merchant.number,
        merchant_name: &merchant.name,
        request_id: &basket.request,
        order_identifier: &order.order_identifier,
        bnpl_amount: money(view.financed),
        basket_products: order.products.iter().map(product_out).collect(),
        merchant_code: &merchant.code,
        merchant_application: ApplicationOut {
            application_id: view.application.id.to_string(),
            created: format_timestamp(view.application.created_at),
            urls: UrlsOut::of(&view.application.urls),
        },
        expiration_date: format_timestamp(basket.expires_at),
        qr_code_data: qr::png_base64(&checkout),
        qr_code_data_link: format!("{checkout}/qr.png"),
        merchant_data: order.merchant_data.as_deref(),
        phone_number: order.phone.as_ref().map(Phone::as_str),
        email: order.email.as_ref().map(Email::as_str),
    }
}

fn product_out(product: &Product) -> ProductOut<'_> {
    ProductOut {
        number: product.number.as_deref(),
        name: &product.name,
        quantity: number(&product.quantity),
        quantity_units: product.quantity_units.as_deref(),
        unit_price: money(product.unit_price),
        tax_rate: product.tax_rate.as_deref().map(number),
        total: money(product.total),
        discount: product.discount.map(money),
        tax: product.tax.map(money),
        url: product.url.as_deref(),
        image_url: product.image_url.as_deref(),
    }
}

/// A stored decimal in its shortest form. It was validated when the basket was created.
fn number(text: &str) -> Number {
    let shortest = parse_decimal(text).map(|number| number.normalize().to_string()).unwrap_or_default();
    shortest.parse().unwrap_or(Number::from(0))
}

/// The path under which the merchant finds the basket.
pub fn path(basket: PublicBasketId) -> String {
    ["/basket/id?basketId=", &basket.to_string()].concat()
}
