//! The settings of the bank: what customers read about it, and how its pages look.

use super::Switch;
use super::parse::{bank_name, iban, optional_path, text};
use serde::{Deserialize, Deserializer, de::Error};
use std::path::PathBuf;
use trapeza_app::bank_profile::{Colour, Languages, Scheme};
use trapeza_domain::contact::{Country, Email, Phone};
use trapeza_domain::reference::Iban;

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Bank {
    #[serde(deserialize_with = "bank_name")]
    pub name: String,
    #[serde(deserialize_with = "languages")]
    pub languages: Languages,
    #[serde(deserialize_with = "country")]
    pub country: Country,
    #[serde(deserialize_with = "line")]
    pub debt_advice: Option<String>,
    #[serde(deserialize_with = "optional_path")]
    pub logo: Option<PathBuf>,
    #[serde(deserialize_with = "colour_light")]
    pub colour_light: Option<Colour>,
    #[serde(deserialize_with = "colour_dark")]
    pub colour_dark: Option<Colour>,
    #[serde(deserialize_with = "telephone")]
    pub contact_telephone: Option<Phone>,
    #[serde(deserialize_with = "email")]
    pub contact_email: Option<Email>,
    #[serde(deserialize_with = "website")]
    pub contact_website: Option<String>,
    #[serde(deserialize_with = "line")]
    pub contact_address: Option<String>,
    #[serde(deserialize_with = "line")]
    pub legal_name: Option<String>,
    #[serde(deserialize_with = "line")]
    pub registration: Option<String>,
    #[serde(deserialize_with = "line")]
    pub supervisory_authority: Option<String>,
    #[serde(deserialize_with = "line")]
    pub applicable_law: Option<String>,
    #[serde(deserialize_with = "line")]
    pub dispute_body: Option<String>,
    pub declared_income: Switch,
    #[serde(deserialize_with = "iban")]
    pub collection_iban: Option<Iban>,
}

fn languages<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Languages, D::Error> {
    Languages::parse(&String::deserialize(deserializer)?).map_err(D::Error::custom)
}

fn country<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Country, D::Error> {
    Country::parse(&String::deserialize(deserializer)?).map_err(D::Error::custom)
}

fn colour_light<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Colour>, D::Error> {
    colour(deserializer, Scheme::Light)
}

fn colour_dark<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Colour>, D::Error> {
    colour(deserializer, Scheme::Dark)
}

fn colour<'de, D: Deserializer<'de>>(deserializer: D, scheme: Scheme) -> Result<Option<Colour>, D::Error> {
    let Some(written) = text(deserializer)? else { return Ok(None) };
    Colour::parse(&written).and_then(|colour| colour.checked(scheme)).map(Some).map_err(D::Error::custom)
}

fn telephone<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Phone>, D::Error> {
    text(deserializer)?.map(|number| Phone::parse(&number)).transpose().map_err(D::Error::custom)
}

fn email<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Email>, D::Error> {
    text(deserializer)?.map(|address| Email::parse(&address)).transpose().map_err(D::Error::custom)
}

fn website<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<String>, D::Error> {
    let Some(address) = line(deserializer)? else { return Ok(None) };
    let host = address.strip_prefix("https://").or_else(|| address.strip_prefix("http://"));
    let is_named =
        |host: &str| host.starts_with(char::is_alphanumeric) && !host.contains([' ', '"', '<', '@']);
    if !host.is_some_and(is_named) {
        return Err(D::Error::custom("expected a web address such as https://www.bank.example"));
    }
    Ok(Some(address))
}

/// A line of text for documents and pages.
const MAX_LINE_CHARS: usize = 200;

fn line<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<String>, D::Error> {
    let Some(line) = text(deserializer)? else { return Ok(None) };
    if line.trim() != line || line.contains(char::is_control) || line.chars().count() > MAX_LINE_CHARS {
        let text = format!("expected one line of at most {MAX_LINE_CHARS} characters");
        return Err(D::Error::custom(text));
    }
    Ok(Some(line))
}

#[cfg(test)]
mod tests {
    use crate::config::{Config, Mode, Sources};

    fn load(variable: &str, value: &str) -> Result<Config, String> {
        let environment = vec![(format!("TRAPEZA_BANK_{variable}"), value.to_owned())];
        let sources = Sources { mode: Mode::Production, file: None, environment, flags: Vec::new() };
        sources.load().map(|effective| effective.config).map_err(|error| error.to_string())
    }

    #[test]
    fn bank_setting_that_is_invalid_is_refused_by_its_name() {
        for (variable, key, wrong) in [
            ("LANGUAGES", "bank.languages", "en, fr"),
            ("COUNTRY", "bank.country", "Greece"),
            ("COLOUR_LIGHT", "bank.colour_light", "#ffcc00"),
            ("COLOUR_DARK", "bank.colour_dark", "#1f5fa8"),
            ("COLOUR_DARK", "bank.colour_dark", "blue"),
            ("CONTACT_TELEPHONE", "bank.contact_telephone", "210 1234567"),
            ("CONTACT_EMAIL", "bank.contact_email", "help"),
            ("CONTACT_WEBSITE", "bank.contact_website", "javascript:alert(1)"),
            ("CONTACT_WEBSITE", "bank.contact_website", "https://"),
            ("CONTACT_ADDRESS", "bank.contact_address", "1 Stadiou\nAthens"),
            ("LEGAL_NAME", "bank.legal_name", " Bank"),
            ("REGISTRATION", "bank.registration", &"1".repeat(201)),
        ] {
            let problem = load(variable, wrong).unwrap_err();
            assert!(problem.starts_with(key), "{problem}");
        }
        let problem = load("COLOUR_LIGHT", "#ffcc00").unwrap_err();
        assert!(problem.contains("4.5:1") && problem.contains("page (#fbfaf8)"), "{problem}");
    }

    #[test]
    fn bank_setting_that_is_empty_is_not_set() {
        for variable in ["COLOUR_LIGHT", "COLOUR_DARK", "CONTACT_TELEPHONE", "CONTACT_WEBSITE", "LEGAL_NAME"]
        {
            assert!(load(variable, "").is_ok(), "{variable}");
        }
        let bank = load("CONTACT_TELEPHONE", "+302101234567").unwrap().bank;
        assert_eq!(bank.contact_telephone.unwrap().as_str(), "+302101234567");
    }
}
