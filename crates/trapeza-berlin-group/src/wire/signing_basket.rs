//! Signing baskets.

use super::authorisation::{ChallengeData, ScaMethod};
use super::field_name::spell;
use super::request::{FromField, request};
use super::schema;
use crate::link::Links;
use schemars::JsonSchema;
use serde::Serialize;
use trapeza_app::signing_basket::SigningBasketRequest;
use trapeza_domain::refusal::Refusal;
use trapeza_domain::signing_basket::{BasketMember, SigningBasket};
use trapeza_http::extract::fields::Fields;
use trapeza_http::extract::json::Json;
use uuid::Uuid;

request! {
    /// Payments and consents that the customer approves together. All wait for their authorisation, which was not started.
    #[schemars(rename = "SigningBasketRequest")]
    pub struct BasketRequest<'a> {
        /// The payments.
        #[schemars(with = "Option<Vec<String>>")]
        "paymentIds" => payment_ids: Ids<'a>,
        /// The consents to account information.
        #[schemars(with = "Option<Vec<String>>")]
        "consentIds" => consent_ids: Ids<'a>,
    }
}

/// A list of ids.
pub struct Ids<'a>(Vec<&'a str>);

impl<'a> FromField<'a> for Ids<'a> {
    fn from_field(fields: &Fields<'a>, name: &'static str) -> Option<Self> {
        fields.opt_texts(name).map(Self)
    }
}

/// Reads the request of a basket.
pub fn order(body: &Json) -> Result<SigningBasketRequest, Refusal> {
    let fields = Fields::of(body, spell)?;
    let request = BasketRequest::read(&fields);
    fields.finish()?;
    let owned = |ids: Option<Ids<'_>>| {
        ids.map(|Ids(ids)| ids.into_iter().map(str::to_owned).collect()).unwrap_or_default()
    };
    Ok(SigningBasketRequest { payments: owned(request.payment_ids), consents: owned(request.consent_ids) })
}

/// A new signing basket.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "SigningBasketCreated", deny_unknown_fields)]
pub struct Created<'a> {
    #[schemars(schema_with = "schema::transaction_status")]
    pub transaction_status: &'static str,
    /// The id of the signing basket.
    pub basket_id: Uuid,
    /// The methods of the customer, where one must be selected.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub sca_methods: Vec<ScaMethod<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub chosen_sca_method: Option<ScaMethod<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub challenge_data: Option<ChallengeData<'a>>,
    #[serde(rename = "_links")]
    pub links: Links,
    /// A text for the customer.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = 500))]
    pub psu_message: Option<&'a str>,
}

/// A signing basket.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "SigningBasket", deny_unknown_fields)]
pub struct Details {
    /// The ids of its payments.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    payments: Vec<Uuid>,
    /// The ids of its consents.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    consents: Vec<Uuid>,
    #[schemars(schema_with = "schema::transaction_status")]
    transaction_status: &'static str,
}

pub fn details(basket: &SigningBasket) -> Details {
    let (mut payments, mut consents) = (Vec::new(), Vec::new());
    for member in &basket.members {
        match member {
            BasketMember::Payment(id) => payments.push(id.uuid()),
            BasketMember::Consent(id) => consents.push(id.uuid()),
        }
    }
    Details { payments, consents, transaction_status: basket.state.status().name() }
}

/// The status of a signing basket.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "SigningBasketStatus", deny_unknown_fields)]
pub struct Status {
    #[schemars(schema_with = "schema::transaction_status")]
    transaction_status: &'static str,
}

pub fn status(basket: &SigningBasket) -> Status {
    Status { transaction_status: basket.state.status().name() }
}
