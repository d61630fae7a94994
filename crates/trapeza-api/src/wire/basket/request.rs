//! The request that creates a basket.

use crate::wire::field_name::spell;
use crate::wire::request::{FromField, NumberText, Required, request};
use trapeza_domain::basket::{AmountLimits, BasketFields, BasketOrder, MAX_PRODUCTS, ProductFields};
use trapeza_domain::refusal::Refusal;
use trapeza_http::extract::fields::{Fields, missing_field};
use trapeza_http::extract::json::Json;
use uuid::Uuid;

request! {
    /// A basket request. Numbers are read exactly as written.
    #[schemars(rename = "BasketOrder")]
    pub struct BasketBody<'a> {
        /// Your idempotency key. A repeated request gets the first response.
        #[schemars(with = "Uuid")]
        "requestId" => request_id: Required<RequestId<'a>>,
        /// The total amount, which is the sum of the lines if there are any. Within the merchant's limits.
        "basketValue" => basket_value: Required<NumberText<'a>>,
        /// Your identifier of the order.
        #[schemars(length(min = 1, max = 64))]
        "orderIdentifier" => order_identifier: Required<&'a str>,
        /// The lines.
        #[schemars(with = "Option<Vec<ProductBody<'a>>>", length(max = MAX_PRODUCTS))]
        "basketProducts" => basket_products: Option<ProductList<'a>>,
        /// Your own data, stored and returned unchanged. At most 4096 bytes.
        "Merchant Data" => merchant_data: Option<&'a str>,
        /// The shopper's phone number in E.164: +306900000001.
        "phoneNumber" => phone_number: Option<&'a str>,
        /// The shopper's e-mail address.
        #[schemars(extend("format" = "email"))]
        "email" => email: Option<&'a str>,
        /// The endpoint of the callback after an approval, instead of the application's. On one of the application's hosts.
        #[schemars(length(max = 2048))]
        "successCallbackUrl" => success_callback: Option<&'a str>,
        /// The endpoint of the callback otherwise.
        #[schemars(length(max = 2048))]
        "failCallbackUrl" => fail_callback: Option<&'a str>,
        /// Where the shopper returns to after an approval, instead of the application's address. On one of the application's hosts.
        #[schemars(length(max = 2048))]
        "successRedirectURI" => success_redirect: Option<&'a str>,
        /// Where the shopper returns to otherwise.
        #[schemars(length(max = 2048))]
        "failureRedirectURI" => failure_redirect: Option<&'a str>,
    }
}

request! {
    /// A line of a basket. Prices include tax.
    #[schemars(rename = "BasketProductRequest")]
    pub struct ProductBody<'a> {
        /// The merchant's number of the product.
        #[schemars(length(min = 1, max = 255))]
        "Product Number" => number: Option<&'a str>,
        /// The name of the product.
        #[schemars(length(min = 1, max = 255))]
        "name" => name: Required<&'a str>,
        /// The quantity, greater than zero.
        #[schemars(extend("exclusiveMinimum" = 0))]
        "quantity" => quantity: Required<NumberText<'a>>,
        /// The unit of the quantity.
        #[schemars(length(min = 1, max = 255))]
        "Quantity Units" => quantity_units: Option<&'a str>,
        /// The price of one unit, including tax.
        #[schemars(extend("minimum" = 0))]
        "Unit Price" => unit_price: Required<NumberText<'a>>,
        /// The tax rate in percent.
        #[schemars(extend("minimum" = 0))]
        "Tax Rate" => tax_rate: Option<NumberText<'a>>,
        /// quantity × Unit Price less Total Discount Amount, to less than a cent.
        #[schemars(extend("minimum" = 0))]
        "Total Amount" => total: Required<NumberText<'a>>,
        /// The discount of the line.
        #[schemars(extend("minimum" = 0))]
        "Total Discount Amount" => discount: Option<NumberText<'a>>,
        /// The tax in Total Amount, to the cent.
        "Total Tax Amount" => tax: Option<NumberText<'a>>,
        /// The URL of the product page.
        #[schemars(length(min = 1, max = 2048))]
        "Product URL" => url: Option<&'a str>,
        /// The URL of an image.
        #[schemars(length(min = 1, max = 2048))]
        "Product Image URL" => image_url: Option<&'a str>,
    }
}

/// The merchant's idempotency key, parsed and as it was sent.
pub struct RequestId<'a> {
    pub id: Uuid,
    pub text: &'a str,
}

impl<'a> FromField<'a> for RequestId<'a> {
    fn from_field(fields: &Fields<'a>, name: &'static str) -> Option<Self> {
        let text = fields.opt_text(name)?;
        let id = (text.len() == 36).then(|| Uuid::try_parse(text).ok()).flatten();
        let id = fields
            .parsed(name, id.ok_or("must be a UUID, for example 6f9619ff-8b86-4011-b42d-00cf4fc964ff"))?;
        Some(Self { id, text })
    }
}

/// The lines of a basket, with `None` for elements that are not objects.
pub struct ProductList<'a>(Vec<Option<ProductBody<'a>>>);

impl<'a> FromField<'a> for ProductList<'a> {
    fn from_field(fields: &Fields<'a>, name: &'static str) -> Option<Self> {
        let lines = fields.objects_with_gaps(name);
        Some(Self(lines.iter().map(|line| line.as_ref().map(ProductBody::read)).collect()))
    }
}

/// A basket request with its idempotency key.
pub struct CreateBasket {
    pub request: Uuid,
    /// The `requestId` as it was sent.
    pub request_text: String,
    pub order: BasketOrder,
}

/// Reads a basket, or reports all its field errors.
pub fn order(body: &Json, limits: &AmountLimits) -> Result<CreateBasket, Refusal> {
    let fields = Fields::of(body, spell)?;
    let request = BasketBody::read(&fields);
    let products = request.basket_products.map(|ProductList(lines)| lines).unwrap_or_default();
    let parts = BasketFields {
        value: request.basket_value.0.map(|NumberText(text)| text),
        order_identifier: request.order_identifier.0,
        products: products.into_iter().map(|line| line.map(ProductFields::from)).collect(),
        merchant_data: request.merchant_data,
        phone: request.phone_number,
        email: request.email,
        success_callback: request.success_callback,
        fail_callback: request.fail_callback,
        success_redirect: request.success_redirect,
        failure_redirect: request.failure_redirect,
    };
    let order = fields.validate_all(|errors| BasketOrder::parse(&parts, limits, errors));
    fields.finish()?;
    let RequestId { id, text } = request.request_id.value()?;
    Ok(CreateBasket { request: id, request_text: text.to_owned(), order: order.ok_or_else(missing_field)? })
}

impl<'a> From<ProductBody<'a>> for ProductFields<'a> {
    fn from(line: ProductBody<'a>) -> Self {
        let number = |value: Option<NumberText<'a>>| value.map(|NumberText(text)| text);
        Self {
            number: line.number,
            name: line.name.0,
            quantity: number(line.quantity.0),
            quantity_units: line.quantity_units,
            unit_price: number(line.unit_price.0),
            tax_rate: number(line.tax_rate),
            total: number(line.total.0),
            discount: number(line.discount),
            tax: number(line.tax),
            url: line.url,
            image_url: line.image_url,
        }
    }
}
