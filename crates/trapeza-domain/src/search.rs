//! The search of the bank's staff: what it finds, and the words by which names are found.

use crate::clearing::to_sepa_charset;
use crate::string_enum::string_enum;

/// Longer names and searches are cut off.
const MAX_CHARS: usize = 140;

string_enum! {
    /// What a search finds.
    pub enum SearchKind {
        Customer = "customer",
        Shopper = "shopper",
        Account = "account",
        Card = "card",
        Application = "application",
        Merchant = "merchant",
        Payment = "payment",
        Consent = "consent",
        SigningBasket = "signing basket",
        Authorisation = "authorisation",
        Basket = "basket",
        Loan = "loan",
        Callback = "callback",
        ClearingBatch = "clearing batch",
        IncomingTransfer = "incoming transfer",
        Request = "request",
    }
}

impl SearchKind {
    /// The name as a segment of a path, without spaces.
    pub const fn path_name(self) -> &'static str {
        match self {
            Self::SigningBasket => "signing-basket",
            Self::ClearingBatch => "clearing-batch",
            Self::IncomingTransfer => "incoming-transfer",
            kind => kind.name(),
        }
    }

    /// The inverse of [`Self::path_name`].
    pub fn parse_path(text: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|kind| kind.path_name() == text)
    }

    /// The kind of its objects in the audit log.
    pub const fn audit_kind(self) -> &'static str {
        match self {
            Self::Customer => "psu",
            Self::SigningBasket => "signing_basket",
            Self::ClearingBatch => "batch",
            Self::IncomingTransfer => "transfer",
            kind => kind.name(),
        }
    }

    /// Whether its objects have the data of a person, so that every look at one is recorded.
    pub const fn is_personal(self) -> bool {
        !matches!(self, Self::Application | Self::Merchant | Self::Callback | Self::ClearingBatch)
    }

    /// Whether its objects have an amount.
    pub const fn has_amount(self) -> bool {
        matches!(self, Self::Payment | Self::Basket | Self::Loan | Self::IncomingTransfer)
    }
}

/// The words of a name in Latin letters, without accents and case, whatever script it is written in; in alphabetical order, each
/// once.
pub fn name_words(name: &str) -> Vec<String> {
    let latin = to_sepa_charset(name, MAX_CHARS).to_lowercase();
    let words = latin.split(|letter: char| !letter.is_ascii_alphanumeric());
    let mut words: Vec<String> = words.filter(|word| !word.is_empty()).map(str::to_owned).collect();
    words.sort_unstable();
    words.dedup();
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn path_name_needs_no_encoding_and_parses_to_its_kind() {
        for kind in SearchKind::ALL {
            let name = kind.path_name();
            assert!(name.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'-'), "{name}");
            assert_eq!(SearchKind::parse_path(name), Some(*kind));
        }
        assert_eq!(SearchKind::parse_path("clearing batch"), None);
    }

    #[test]
    fn scripts_accents_and_case_do_not_matter() {
        assert_eq!(name_words("Νίκος Γεωργίου"), name_words("NIKOS GEORGIOU"));
        assert_eq!(name_words("José-María Núñez"), ["jose", "maria", "nunez"]);
        assert_eq!(name_words("Anna  anna "), ["anna"]);
        assert!(name_words(" . ").is_empty());
    }
}
