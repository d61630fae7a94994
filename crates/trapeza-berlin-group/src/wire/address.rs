//! Postal addresses.

use super::text::cut;
use schemars::JsonSchema;
use serde::Serialize;
use trapeza_domain::card::AcceptorAddress;
use trapeza_domain::payment::Address;

/// An address.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "Address", deny_unknown_fields)]
pub struct AddressOut<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = 70))]
    pub street_name: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = 16))]
    pub building_number: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = 35))]
    pub town_name: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = 16))]
    pub post_code: Option<&'a str>,
    /// Two letters of ISO 3166-1.
    #[schemars(regex(pattern = "^[A-Z]{2}$"))]
    pub country: &'a str,
}

impl<'a> AddressOut<'a> {
    /// The address of the merchant where a card was used.
    pub fn of_acceptor(address: &'a AcceptorAddress) -> Self {
        Self {
            street_name: short(&address.street, 70),
            building_number: short(&address.building_number, 16),
            town_name: short(&address.city, 35),
            post_code: short(&address.postal_code, 16),
            country: &address.country,
        }
    }

    /// The address of a payee. The other dialect accepts one without a country, which the standard cannot show.
    pub fn of_payee(address: &'a Address) -> Option<Self> {
        let country = address.country.as_deref().filter(|country| country.len() == 2)?;
        Some(Self {
            street_name: short(&address.street, 70),
            building_number: short(&address.building_number, 16),
            town_name: short(&address.city, 35),
            post_code: short(&address.postal_code, 16),
            country,
        })
    }
}

fn short(text: &Option<String>, max: usize) -> Option<&str> {
    text.as_deref().map(|text| cut(text, max))
}
