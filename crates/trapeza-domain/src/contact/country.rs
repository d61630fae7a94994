//! The countries a bank may be in, and how their telephone numbers are dialled.

use super::Phone;
use std::fmt;

/// A country by its ISO 3166 code: one of the European Economic Area, Switzerland or the United Kingdom.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Country(&'static CallingCode);

/// Code of the country, its calling code, what precedes a number dialled within the country, which international numbers leave
/// out (Italy keeps its leading zero), and the fewest digits of a number without either.
#[derive(Debug, PartialEq, Eq)]
struct CallingCode {
    country: &'static str,
    calling: &'static str,
    trunk: &'static str,
    fewest_digits: usize,
}

/// Numbers that are dialled within one of these countries are shorter where they begin with its calling code.
const INTERNATIONAL_DIGITS: usize = 11;

const fn row(
    country: &'static str,
    calling: &'static str,
    trunk: &'static str,
    fewest_digits: usize,
) -> CallingCode {
    CallingCode { country, calling, trunk, fewest_digits }
}

static GREECE: CallingCode = row("GR", "30", "", 10);

static CALLING_CODES: [CallingCode; 32] = [
    row("AT", "43", "0", 7),
    row("BE", "32", "0", 8),
    row("BG", "359", "0", 8),
    row("CH", "41", "0", 9),
    row("CY", "357", "", 8),
    row("CZ", "420", "", 9),
    row("DE", "49", "0", 7),
    row("DK", "45", "", 8),
    row("EE", "372", "", 7),
    row("ES", "34", "", 9),
    row("FI", "358", "0", 6),
    row("FR", "33", "0", 9),
    row("GB", "44", "0", 9),
    row("GR", "30", "", 10),
    row("HR", "385", "0", 8),
    row("HU", "36", "06", 8),
    row("IE", "353", "0", 7),
    row("IS", "354", "", 7),
    row("IT", "39", "", 8),
    row("LI", "423", "", 7),
    row("LT", "370", "0", 8),
    row("LU", "352", "", 6),
    row("LV", "371", "", 8),
    row("MT", "356", "", 8),
    row("NL", "31", "0", 9),
    row("NO", "47", "", 8),
    row("PL", "48", "", 9),
    row("PT", "351", "", 9),
    row("RO", "40", "0", 9),
    row("SE", "46", "0", 7),
    row("SI", "386", "0", 8),
    row("SK", "421", "0", 9),
];

impl Country {
    pub const GREECE: Self = Self(&GREECE);

    pub fn parse(code: &str) -> Result<Self, &'static str> {
        let found = CALLING_CODES.iter().find(|row| row.country == code);
        found.map(Self).ok_or(
            "must be the two-letter code of a country of the European Economic Area, CH or GB, for example GR",
        )
    }

    pub const fn code(self) -> &'static str {
        self.0.country
    }

    /// `+30`.
    pub fn calling_code(self) -> String {
        format!("+{}", self.0.calling)
    }
}

impl fmt::Debug for Country {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Country({})", self.code())
    }
}

impl Phone {
    /// Reads a number as people write it: in international form with `+` or `00`, or as it is dialled within the country. Spaces,
    /// hyphens, full stops, slashes and brackets between digits are ignored.
    pub fn parse_national(text: &str, country: Country) -> Result<Self, &'static str> {
        let separators = [' ', '\u{a0}', '-', '‑', '–', '.', '/', '(', ')'];
        let written: String = text.trim().chars().filter(|c| !separators.contains(c)).collect();
        if written.starts_with('+') {
            return Self::parse(&written);
        }
        if let Some(rest) = written.strip_prefix("00") {
            return Self::parse(&format!("+{rest}"));
        }
        let national = written.strip_prefix(country.0.trunk).unwrap_or(&written);
        // A number that begins with the calling code and is too long for a national one was written without its plus sign.
        let is_international =
            written.starts_with(country.0.calling) && written.len() >= INTERNATIONAL_DIGITS;
        if !is_international && national.len() < country.0.fewest_digits {
            return Err(
                "must be a whole telephone number, as it is dialled within the country or with + and its country code",
            );
        }
        let (prefix, rest) =
            if is_international { ("", written.as_str()) } else { (country.0.calling, national) };
        Self::parse(&format!("+{prefix}{rest}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn phone_is_read_as_people_write_it() {
        for text in [
            "6912345678",
            "691 234 5678",
            "+306912345678",
            "+30 691 234-5678",
            "00306912345678",
            "0030 (691) 2345678",
            " 306912345678 ",
            "691.234.5678",
        ] {
            let phone = Phone::parse_national(text, Country::GREECE);
            assert_eq!(phone.as_ref().map(Phone::as_str), Ok("+306912345678"), "{text}");
        }
        let read_in = |text: &str, code: &str| {
            Phone::parse_national(text, Country::parse(code).unwrap()).map(|phone| phone.as_str().to_owned())
        };
        assert_eq!(read_in("0151 23456789", "DE").as_deref(), Ok("+4915123456789"));
        assert_eq!(read_in("06 20 123 4567", "HU").as_deref(), Ok("+36201234567"));
        assert_eq!(read_in("06 1234 5678", "IT").as_deref(), Ok("+390612345678"));
        assert_eq!(read_in("+44 7700 900123", "GR").as_deref(), Ok("+447700900123"));
        for odd in ["", "abc", "69", "690 000", "+", "00", "6912345678x", "++306912345678", "٦٩١٢٣٤٥٦٧٨"]
        {
            assert!(Phone::parse_national(odd, Country::GREECE).is_err(), "{odd}");
        }
    }

    #[test]
    fn country_has_a_known_code() {
        assert_eq!(Country::parse("GR").unwrap().calling_code(), "+30");
        assert_eq!(Country::parse("GR").unwrap(), Country::GREECE);
        for wrong in ["", "gr", "GRC", "XX", "US"] {
            assert!(Country::parse(wrong).is_err(), "{wrong}");
        }
        assert!(CALLING_CODES.iter().map(|row| row.country).is_sorted());
    }
}
