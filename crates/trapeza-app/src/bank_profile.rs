//! What the operator says about the bank: its name, how customers reach it, its legal details, languages, country and brand.
//!
//! Every value is valid by construction; errors say what is expected and leave the name of the setting to the configuration.

mod brand;
mod colour;

pub use brand::{Brand, Logo, LogoKind, MAX_LOGO_BYTES};
pub use colour::{Colour, Scheme};

use std::sync::Arc;
use trapeza_domain::contact::{Country, Email, Phone};
use trapeza_texts::{Language, debt_advice};

/// The bank as customers know it.
#[derive(Clone, Debug)]
pub struct BankProfile {
    /// The short name: at the beginning of messages, on pages, in statements.
    pub name: Arc<str>,
    pub contact: BankContact,
    pub legal: LegalDetails,
    pub languages: Languages,
    /// Where the bank's customers are: their national telephone numbers, and who advises debtors.
    pub country: Country,
    /// Who advises people in debt, where the operator names it.
    pub debt_advice: Option<String>,
    pub brand: Brand,
}

/// How customers reach the bank.
#[derive(Clone, Debug, Default)]
pub struct BankContact {
    pub telephone: Option<Phone>,
    pub email: Option<Email>,
    /// An address that begins with `https://` or `http://`.
    pub website: Option<String>,
    /// In one line, for example `1 Stadiou Street, 105 62 Athens, Greece`.
    pub postal_address: Option<String>,
}

/// What documents say about the lender.
#[derive(Clone, Debug, Default)]
pub struct LegalDetails {
    /// The registered name.
    pub name: Option<String>,
    /// The register and the number in it.
    pub registration: Option<String>,
    pub supervisory_authority: Option<String>,
    /// The law of credit agreements and the competent courts.
    pub applicable_law: Option<String>,
    /// The body for out-of-court settlement of disputes, with its contact.
    pub dispute_body: Option<String>,
}

/// The languages of the pages in the bank's order. The first is used where a customer's language is not known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Languages(Vec<Language>);

impl Default for BankProfile {
    fn default() -> Self {
        Self {
            name: "Trapeza".into(),
            contact: BankContact::default(),
            legal: LegalDetails::default(),
            languages: Languages::default(),
            country: Country::GREECE,
            debt_advice: None,
            brand: Brand::default(),
        }
    }
}

impl BankProfile {
    /// The name of the lender in documents: the registered one, or else the short one.
    pub fn legal_name(&self) -> &str {
        self.legal.name.as_deref().unwrap_or(&self.name)
    }

    /// Who advises people in debt in the bank's country.
    pub fn debt_advice(&self, language: Language) -> Option<&str> {
        self.debt_advice.as_deref().or_else(|| debt_advice(language, self.country.code()))
    }
}

impl BankContact {
    /// Whether there is any way to reach the bank.
    pub fn is_empty(&self) -> bool {
        self.telephone.is_none()
            && self.email.is_none()
            && self.website.is_none()
            && self.postal_address.is_none()
    }
}

impl Default for Languages {
    fn default() -> Self {
        Self(Language::ALL.to_vec())
    }
}

impl Languages {
    /// Reads a list such as `en, el`.
    pub fn parse(text: &str) -> Result<Self, &'static str> {
        const FORM: &str = "must be a list of en and el, each at most once, for example \"el, en\"";
        let mut languages = Vec::new();
        for tag in text.split(',').map(str::trim) {
            let language = Language::ALL.into_iter().find(|language| language.tag() == tag).ok_or(FORM)?;
            if languages.contains(&language) {
                return Err(FORM);
            }
            languages.push(language);
        }
        Ok(Self(languages))
    }

    pub fn as_slice(&self) -> &[Language] {
        &self.0
    }

    /// The language of customers whose own is not known.
    pub fn first(&self) -> Language {
        self.0.first().copied().unwrap_or_default()
    }

    /// The language of a tag, if the bank has it.
    pub fn find(&self, tag: &str) -> Option<Language> {
        self.0.iter().copied().find(|language| language.tag() == tag)
    }

    /// The language that `Accept-Language` headers prefer among the bank's.
    pub fn accepted<'a>(&self, values: impl IntoIterator<Item = &'a str>) -> Language {
        Language::from_accept_language_among(values, &self.0).unwrap_or_else(|| self.first())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn languages_keep_the_order_of_the_bank() {
        let languages = Languages::parse("el, en").unwrap();
        assert_eq!(languages.as_slice(), [Language::Greek, Language::English]);
        assert_eq!(languages.accepted(["fr"]), Language::Greek);
        assert_eq!(languages.accepted(["en;q=0.5, el;q=0.4"]), Language::English);
        let one = Languages::parse("el").unwrap();
        assert_eq!((one.accepted(["en"]), one.find("en")), (Language::Greek, None));
        for wrong in ["", "fr", "en,", "en, en", "EN"] {
            assert!(Languages::parse(wrong).is_err(), "{wrong:?}");
        }
    }
}
