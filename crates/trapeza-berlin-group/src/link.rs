//! Links: objects with an `href`, by the names of the standard.

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::ser::{Serialize, SerializeMap, Serializer};
use std::borrow::Cow;
use trapeza_app::sca::AuthorisationView;
use trapeza_domain::authorisation::{NextStep, ScaApproach};
use trapeza_http::AppState;

/// Links in the order they were added.
#[derive(Default)]
pub struct Links(Vec<(&'static str, String)>);

impl Links {
    pub fn one(name: &'static str, href: String) -> Self {
        Self(vec![(name, href)])
    }

    #[must_use]
    pub fn and(mut self, name: &'static str, href: String) -> Self {
        self.0.push((name, href));
        self
    }

    #[must_use]
    pub fn and_if(self, condition: bool, name: &'static str, href: impl FnOnce() -> String) -> Self {
        if condition { self.and(name, href()) } else { self }
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The links of a new object: itself and its status.
    pub fn of_object(path: &str) -> Self {
        Self::one("self", path.to_owned()).and("status", format!("{path}/status"))
    }

    /// With the link that starts the authorisation of a new object, where the third party does that itself.
    #[must_use]
    pub fn and_start(self, approach: ScaApproach, has_psu: bool, authorisations: String) -> Self {
        let name = match approach {
            ScaApproach::Embedded => "startAuthorisationWithPsuAuthentication",
            ScaApproach::Decoupled if !has_psu => "startAuthorisationWithPsuIdentification",
            ScaApproach::Redirect | ScaApproach::Decoupled => "startAuthorisation",
        };
        self.and(name, authorisations)
    }

    /// With the one next step of an authorisation, by its approach, if it has one.
    #[must_use]
    pub fn and_next_step(self, view: &AuthorisationView, own: &str, public_url: &str) -> Self {
        let has = |step: NextStep| view.next.contains(&step);
        match (view.approach, &view.redirect_token) {
            (ScaApproach::Redirect, Some(token)) => {
                self.and("scaRedirect", format!("{}/sca/{token}", public_url.trim_end_matches('/')))
            }
            (ScaApproach::Redirect, None) | (ScaApproach::Decoupled, _) => self,
            (ScaApproach::Embedded, _) => {
                let order = [
                    NextStep::UpdatePsuIdentification,
                    NextStep::UpdatePsuAuthentication,
                    NextStep::AuthoriseTransaction,
                    NextStep::SelectAuthenticationMethod,
                ];
                match order.into_iter().find(|step| has(*step)) {
                    Some(step) => self.and(step.name(), own.to_owned()),
                    None => self,
                }
            }
        }
    }

    /// With everything that an answer about an authorisation links to.
    #[must_use]
    pub fn and_authorisation(self, view: &AuthorisationView, own: &str, public_url: &str) -> Self {
        self.and_next_step(view, own, public_url).and("scaStatus", own.to_owned())
    }
}

/// The start of every link to an operation of this dialect.
pub fn base(state: &AppState) -> String {
    let settings = &state.settings;
    settings.berlin_group.as_ref().map(|dialect| dialect.link_base(&settings.public_url)).unwrap_or_default()
}

#[derive(serde::Serialize, JsonSchema)]
#[schemars(inline, deny_unknown_fields)]
struct Link<'a> {
    href: &'a str,
}

impl Serialize for Links {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.0.len()))?;
        for (name, href) in &self.0 {
            map.serialize_entry(name, &Link { href })?;
        }
        map.end()
    }
}

impl JsonSchema for Links {
    fn schema_name() -> Cow<'static, str> {
        "Links".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "description": "Links by their names.",
            "type": "object",
            "additionalProperties": generator.subschema_for::<Link<'_>>(),
        })
    }
}
