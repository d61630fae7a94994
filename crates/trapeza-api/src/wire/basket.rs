//! Baskets (§2.6, §4.5).

mod request;

pub use request::{BasketBody, RequestId, order};

use super::configuration::money;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Number;
use trapeza_app::application::MerchantUrls;
use trapeza_app::basket::BasketView;
use trapeza_app::{format_date, format_timestamp};
use trapeza_domain::basket::{Basket, Product, PublicBasketId};
use trapeza_domain::contact::{Email, Phone};
use trapeza_domain::decimal::parse_decimal;
use trapeza_domain::money::Money;
use trapeza_http::settings::checkout_url;
use uuid::Uuid;

/// A new basket with the links to its checkout.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "BasketCreated")]
pub struct Created<'a> {
    /// The idempotency key that was sent.
    #[schemars(with = "Uuid")]
    request_id: &'a str,
    /// The basket's number, for POST /bnplsandbox/createbnpl only. All other operations take publicBasketId.
    basket_id: i64,
    /// The public id of the basket: the basketId of all other operations.
    public_basket_id: String,
    /// A QR code with redirectUrl, as a PNG in base64.
    #[schemars(extend("format" = "byte"))]
    qr_code_data: String,
    /// The checkout, to which the shopper is redirected.
    #[schemars(extend("format" = "uri"))]
    redirect_url: String,
    /// A description of the result.
    message: &'static str,
    /// Always empty.
    errors: [&'static str; 0],
}

pub fn created<'a>(basket: &'a Basket, public_url: &str) -> Created<'a> {
    let redirect_url = checkout_url(public_url, basket.public);
    Created {
        request_id: &basket.request,
        basket_id: basket.id.number(),
        public_basket_id: basket.public.to_string(),
        qr_code_data: trapeza_qr::png_base64(&redirect_url),
        redirect_url,
        message: "The basket was created.",
        errors: [],
    }
}

/// A basket with its installments.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "BasketFound")]
pub struct Found<'a> {
    /// The basket.
    basket: BasketOut<'a>,
    /// The installments: of the contract less refunds, or of your default plan from today while there is no contract.
    monthly_installments: Vec<InstallmentOut>,
    /// A description of the result.
    message: &'static str,
    /// Always empty.
    errors: [&'static str; 0],
}

/// A basket.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "Basket")]
struct BasketOut<'a> {
    /// The basket's number.
    id: i64,
    /// The public id of the basket.
    public_basket_id: String,
    /// When the basket was created.
    #[schemars(extend("format" = "date-time"))]
    date_created: String,
    /// The total amount.
    basket_value: Number,
    /// The merchant's number.
    merchant_id: i64,
    /// The merchant's name.
    merchant_name: &'a str,
    /// Your idempotency key.
    #[schemars(with = "Uuid")]
    request_id: &'a str,
    /// Your identifier of the order.
    order_identifier: &'a str,
    /// The financed amount, less refunds.
    bnpl_amount: Number,
    /// The lines.
    basket_products: Vec<ProductOut<'a>>,
    /// The merchant's code.
    merchant_code: &'a str,
    /// The application that created it.
    merchant_application: ApplicationOut<'a>,
    /// When the basket expires.
    #[schemars(extend("format" = "date-time"))]
    expiration_date: String,
    /// A QR code with the checkout's URL, as a PNG in base64.
    #[schemars(extend("format" = "byte"))]
    qr_code_data: String,
    /// The URL of the same image.
    #[schemars(extend("format" = "uri"))]
    qr_code_data_link: String,
    /// Your own data, returned unchanged.
    #[serde(rename = "Merchant Data", skip_serializing_if = "Option::is_none")]
    merchant_data: Option<&'a str>,
    /// The shopper's phone number in E.164.
    #[serde(skip_serializing_if = "Option::is_none")]
    phone_number: Option<&'a str>,
    /// The shopper's e-mail address.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("format" = "email"))]
    email: Option<&'a str>,
}

/// The application that created the basket.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "MerchantApplication")]
struct ApplicationOut<'a> {
    /// Its X-Application-ID.
    application_id: Uuid,
    /// When it was registered.
    #[schemars(extend("format" = "date-time"))]
    created: String,
    #[serde(flatten)]
    urls: UrlsOut<'a>,
}

/// The URLs of a merchant's application.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct UrlsOut<'a> {
    /// The callback URL for approvals.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("format" = "uri"))]
    success_callback_url: Option<&'a str>,
    /// The callback URL for all other outcomes.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("format" = "uri"))]
    fail_callback_url: Option<&'a str>,
    /// The redirect URL after an approval.
    #[serde(rename = "successRedirectURI", skip_serializing_if = "Option::is_none")]
    #[schemars(extend("format" = "uri"))]
    success_redirect: Option<&'a str>,
    /// The redirect URL otherwise.
    #[serde(rename = "failureRedirectURI", skip_serializing_if = "Option::is_none")]
    #[schemars(extend("format" = "uri"))]
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

/// A line of a basket. Prices include tax.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "BasketProduct")]
struct ProductOut<'a> {
    /// The merchant's number of the product.
    #[serde(rename = "Product Number", skip_serializing_if = "Option::is_none")]
    number: Option<&'a str>,
    /// The name of the product.
    name: &'a str,
    /// The quantity.
    quantity: Number,
    /// The unit of the quantity.
    #[serde(rename = "Quantity Units", skip_serializing_if = "Option::is_none")]
    quantity_units: Option<&'a str>,
    /// The price of one unit, including tax.
    #[serde(rename = "Unit Price")]
    unit_price: Number,
    /// The tax rate in percent.
    #[serde(rename = "Tax Rate", skip_serializing_if = "Option::is_none")]
    tax_rate: Option<Number>,
    /// quantity × Unit Price less Total Discount Amount.
    #[serde(rename = "Total Amount")]
    total: Number,
    /// The discount of the line.
    #[serde(rename = "Total Discount Amount", skip_serializing_if = "Option::is_none")]
    discount: Option<Number>,
    /// The tax in Total Amount.
    #[serde(rename = "Total Tax Amount", skip_serializing_if = "Option::is_none")]
    tax: Option<Number>,
    /// The URL of the product page.
    #[serde(rename = "Product URL", skip_serializing_if = "Option::is_none")]
    url: Option<&'a str>,
    /// The URL of an image.
    #[serde(rename = "Product Image URL", skip_serializing_if = "Option::is_none")]
    image_url: Option<&'a str>,
}

/// One installment of a plan.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "MonthlyInstallment")]
struct InstallmentOut {
    /// The day of collection: the due date, or the next TARGET day.
    #[schemars(extend("format" = "date-time"))]
    payment_day: String,
    /// The amount, including interest.
    payment_amount: Number,
    /// The due date.
    #[schemars(extend("format" = "date-time"))]
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
            application_id: view.application.id.uuid(),
            created: format_timestamp(view.application.created_at),
            urls: UrlsOut::of(&view.application.urls),
        },
        expiration_date: format_timestamp(basket.expires_at),
        qr_code_data: trapeza_qr::png_base64(&checkout),
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
