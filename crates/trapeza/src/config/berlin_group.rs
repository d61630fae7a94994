//! The section `[berlin_group]`: the second dialect of the interface for third parties.

use super::parse::text;
use serde::{Deserialize, Deserializer};
use trapeza_http::{BerlinGroupSettings, CamtVersion, LinkForm};

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BerlinGroup {
    pub enabled: bool,
    #[serde(deserialize_with = "base")]
    pub base: String,
    pub links: Links,
    pub camt: Camt,
    #[serde(deserialize_with = "text")]
    pub sandbox_application: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Links {
    Absolute,
    Relative,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
pub enum Camt {
    #[serde(rename = "001.02")]
    V02,
    #[serde(rename = "001.08")]
    V08,
}

impl BerlinGroup {
    /// The settings of the server; `None` where the dialect is not offered.
    pub fn settings(&self) -> Option<BerlinGroupSettings> {
        self.enabled.then(|| BerlinGroupSettings {
            base: self.base.clone(),
            links: match self.links {
                Links::Absolute => LinkForm::Absolute,
                Links::Relative => LinkForm::Relative,
            },
            camt: match self.camt {
                Camt::V02 => CamtVersion::V02,
                Camt::V08 => CamtVersion::V08,
            },
            sandbox_application: self.sandbox_application.clone(),
        })
    }
}

/// A path of plain segments: the bank's own paths begin with `/v1` and `/v2`, so it must not be empty.
fn base<'de, D: Deserializer<'de>>(deserializer: D) -> Result<String, D::Error> {
    let text = String::deserialize(deserializer)?;
    let is_plain = |segment: &str| {
        !segment.is_empty()
            && segment.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte))
    };
    let mut segments = text.split('/');
    let valid = segments.next() == Some("") && text.len() > 1 && segments.all(is_plain);
    let is_native =
        ["/v1", "/v2"].iter().any(|native| text == *native || text.starts_with(&format!("{native}/")));
    if valid && !is_native {
        return Ok(text);
    }
    Err(serde::de::Error::custom("must be a path such as /berlin-group, and not below /v1 or /v2"))
}
