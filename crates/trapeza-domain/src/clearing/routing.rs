//! The routing table of SEPA credit transfers: which bank, named by its BIC, an IBAN belongs to. The countries are those of
//! the European Payments Council's list of SEPA scheme countries (EPC409-09).

use crate::reference::{Bic, Iban};
use std::collections::{HashMap, HashSet};

/// Countries by the letters of their IBANs. Overseas regions and dependencies use the IBANs of their country.
const SEPA_COUNTRIES: [&str; 42] = [
    "AD", "AL", "AT", "BE", "BG", "CH", "CY", "CZ", "DE", "DK", "EE", "ES", "FI", "FR", "GB", "GI", "GR",
    "HR", "HU", "IE", "IS", "IT", "LI", "LT", "LU", "LV", "MC", "MD", "ME", "MK", "MT", "NL", "NO", "PL",
    "PT", "RO", "RS", "SE", "SI", "SK", "SM", "VA",
];

/// Whether SEPA credit transfers reach accounts of the IBAN's country.
pub fn is_sepa_country(iban: &Iban) -> bool {
    SEPA_COUNTRIES.contains(&iban.country())
}

/// All SEPA countries, for tables that have a row for each.
pub const fn sepa_countries() -> &'static [&'static str] {
    &SEPA_COUNTRIES
}

/// Banks by country and bank code, and this bank's own codes.
#[derive(Clone, Debug, Default)]
pub struct RoutingTable {
    own: HashSet<(String, String)>,
    banks: HashMap<(String, String), Bic>,
    /// For bank codes without a row of their own.
    countries: HashMap<String, Bic>,
}

impl RoutingTable {
    /// Adds a code of this bank.
    pub fn add_own(&mut self, country: &str, bank_code: &str) {
        self.own.insert((country.to_owned(), bank_code.to_owned()));
    }

    /// Adds a bank, or without a bank code the bank for all other codes of the country.
    pub fn add_route(&mut self, country: &str, bank_code: Option<&str>, bic: Bic) {
        match bank_code {
            Some(code) => self.banks.insert((country.to_owned(), code.to_owned()), bic),
            None => self.countries.insert(country.to_owned(), bic),
        };
    }

    /// The bank that the IBAN belongs to.
    pub fn find(&self, iban: &Iban) -> Option<&Bic> {
        let country = iban.country().to_owned();
        let bank = iban.bank_code().and_then(|code| self.banks.get(&(country.clone(), code)));
        bank.or_else(|| self.countries.get(&country))
    }

    /// Whether the IBAN has a code of this bank.
    pub fn is_own_bank(&self, iban: &Iban) -> bool {
        let key = iban.bank_code().map(|code| (iban.country().to_owned(), code));
        key.is_some_and(|key| self.own.contains(&key))
    }

    /// Whether the IBAN belongs to this bank.
    pub fn is_own(&self, iban: &Iban) -> bool {
        !self.own.is_empty() && !self.is_other_bank(iban)
    }

    /// Whether the IBAN belongs to another bank. Unknown, and therefore false, when the table has no own codes.
    pub fn is_other_bank(&self, iban: &Iban) -> bool {
        let key = iban.bank_code().map(|code| (iban.country().to_owned(), code));
        !self.own.is_empty() && key.is_none_or(|key| !self.own.contains(&key))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn iban(text: &str) -> Iban {
        Iban::parse(text).unwrap()
    }

    fn bic(text: &str) -> Bic {
        Bic::parse(text).unwrap()
    }

    #[test]
    fn route_of_the_bank_precedes_the_route_of_the_country() {
        let mut table = RoutingTable::default();
        let account = iban("DE89370400440532013000");
        assert_eq!(table.find(&account), None);
        table.add_route("DE", None, bic("MARKDEFF"));
        assert_eq!(table.find(&account), Some(&bic("MARKDEFF")));
        table.add_route("DE", Some("37040044"), bic("COBADEFF"));
        assert_eq!(table.find(&account), Some(&bic("COBADEFF")));
        assert_eq!(table.find(&iban("DE02100100100006820101")), Some(&bic("MARKDEFF")));
        assert_eq!(table.find(&iban("GR1601101250000000012300695")), None);
    }

    #[test]
    fn other_banks_are_known_by_the_own_codes() {
        let mut table = RoutingTable::default();
        let (own, other) = (iban("GR1601101250000000012300695"), iban("DE89370400440532013000"));
        assert!(!table.is_other_bank(&other), "without own codes nothing is known");
        table.add_own("GR", "011");
        assert!(!table.is_other_bank(&own));
        assert!(table.is_other_bank(&other));
    }

    #[test]
    fn sepa_countries_are_those_of_the_list() {
        assert!(is_sepa_country(&iban("GR1601101250000000012300695")));
        assert!(is_sepa_country(&iban("RS35260005601001611379")));
        for other in ["BR1800360305000010009795493C1", "AE070331234567890123456", "FO6264600001631634"] {
            assert!(!is_sepa_country(&iban(other)), "{other}");
        }
        assert!(SEPA_COUNTRIES.is_sorted());
    }
}
