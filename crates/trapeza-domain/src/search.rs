//! The search of the bank's staff: what it finds, and the words by which names are found.

use crate::clearing::to_sepa_charset;
use crate::string_enum::string_enum;

/// Longer names and searches are cut off.
const CHARACTERS: usize = 140;

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
        Authorisation = "authorisation",
        Basket = "basket",
        Loan = "loan",
        Callback = "callback",
        ClearingBatch = "clearing batch",
        IncomingTransfer = "incoming transfer",
        Request = "request",
    }
}

/// The words of a name in Latin letters, without accents and case, whatever script it is written in; in alphabetical order, each
/// once.
pub fn name_words(name: &str) -> Vec<String> {
    let latin = to_sepa_charset(name, CHARACTERS).to_lowercase();
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
    fn scripts_accents_and_case_do_not_matter() {
        assert_eq!(name_words("Νίκος Γεωργίου"), name_words("NIKOS GEORGIOU"));
        assert_eq!(name_words("José-María Núñez"), ["jose", "maria", "nunez"]);
        assert_eq!(name_words("Anna  anna "), ["anna"]);
        assert!(name_words(" . ").is_empty());
    }
}
