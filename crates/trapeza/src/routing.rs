//! The file with the routing table of SEPA credit transfers (`clearing.routes`).

use trapeza_domain::clearing::RoutingTable;
use trapeza_domain::reference::Bic;

/// Stands for all other banks of a country.
const ALL_OTHERS: &str = "*";

/// Parses a table; the error has the number of its line.
pub fn parse(text: &str) -> Result<RoutingTable, (usize, &'static str)> {
    let mut table = RoutingTable::default();
    for (number, line) in (1..).zip(text.lines()) {
        let line = line.split('#').next().unwrap_or_default();
        let words: Vec<&str> = line.split_whitespace().collect();
        match words[..] {
            [] => {}
            ["own", country, code] => {
                table.add_own(check_country(country).map_err(|text| (number, text))?, code)
            }
            [country, code, bic] => {
                let country = check_country(country).map_err(|text| (number, text))?;
                let bic = Bic::parse(bic).map_err(|text| (number, text))?;
                table.add_route(country, Some(code).filter(|code| *code != ALL_OTHERS), bic);
            }
            _ => return Err((number, "expected country, bank code and BIC, or own, country and bank code")),
        }
    }
    Ok(table)
}

fn check_country(country: &str) -> Result<&str, &'static str> {
    let right = country.len() == 2 && country.bytes().all(|letter| letter.is_ascii_uppercase());
    if right { Ok(country) } else { Err("the country must be two capital letters") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use trapeza_domain::reference::Iban;

    #[test]
    fn table_has_banks_countries_and_own_codes() {
        let text = "# Germany\nDE 37040044 COBADEFF\nDE * MARKDEFF # all others\n\nown GR 011\n";
        let table = parse(text).unwrap();
        let route = |iban: &str| table.find(&Iban::parse(iban).unwrap()).map(|bic| bic.as_str().to_owned());
        assert_eq!(route("DE89370400440532013000").as_deref(), Some("COBADEFF"));
        assert_eq!(route("DE02100100100006820101").as_deref(), Some("MARKDEFF"));
        assert_eq!(route("GR1601101250000000012300695"), None);
        assert!(table.is_other_bank(&Iban::parse("DE02100100100006820101").unwrap()));
    }

    #[test]
    fn faulty_line_is_named() {
        for (text, line) in
            [("DE 1 COBADEFF\nDE 2", 2), ("DE 1 SHORT", 1), ("Germany * COBADEFF", 1), ("own gr 011", 1)]
        {
            assert_eq!(parse(text).map_err(|(line, _)| line).err(), Some(line), "{text}");
        }
    }
}
