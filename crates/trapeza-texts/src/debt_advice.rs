//! Independent services that advise people in debt, by country (Directive (EU) 2023/2225, Art. 36).

use crate::Language;

/// Name, address and, where one is published for the whole country, telephone number, in both languages.
const SERVICES: &[(&str, &str, &str)] = &[
    (
        "AT",
        "ASB Schuldnerberatungen, www.schuldenberatung.at",
        "ASB Schuldnerberatungen, www.schuldenberatung.at",
    ),
    ("FI", "Talous- ja velkaneuvonta, oikeus.fi", "Talous- ja velkaneuvonta, oikeus.fi"),
    (
        "GR",
        "the Borrowers' Information and Support Centres (KEYD), 213 212 5730, www.keyd.gov.gr",
        "τα Κέντρα Ενημέρωσης και Υποστήριξης Δανειοληπτών (ΚΕΥΔ), 213 212 5730, www.keyd.gov.gr",
    ),
    (
        "IE",
        "the Money Advice and Budgeting Service (MABS), www.mabs.ie",
        "η υπηρεσία Money Advice and Budgeting Service (MABS), www.mabs.ie",
    ),
];

/// Who advises people in debt in a country, given by its ISO code.
pub fn debt_advice(language: Language, country: &str) -> Option<&'static str> {
    let (_, english, greek) = SERVICES.iter().find(|(code, ..)| *code == country)?;
    Some(match language {
        Language::English => english,
        Language::Greek => greek,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn debt_advice_is_known_for_the_country_of_the_sandbox() {
        assert!(debt_advice(Language::English, "GR").unwrap().contains("213 212 5730"));
        assert!(debt_advice(Language::Greek, "GR").unwrap().contains("ΚΕΥΔ"));
        assert_eq!(debt_advice(Language::English, "XX"), None);
    }
}
