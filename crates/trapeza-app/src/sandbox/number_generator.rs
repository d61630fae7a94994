//! Account and card numbers of a sandbox, with valid check digits, that no real bank has issued.

use trapeza_domain::reference::{Bic, Iban, Pan};

/// A country with a branch of the sandbox bank.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Country {
    Greece,
    Germany,
    France,
}

impl Country {
    pub const ALL: [Self; 3] = [Self::Greece, Self::Germany, Self::France];

    pub fn bic(self) -> Bic {
        let code = match self {
            Self::Greece => "TRPZGRAA",
            Self::Germany => "TRPZDEFF",
            Self::France => "TRPZFRPP",
        };
        Bic::parse(code).expect("the demo bank's codes have the form of a BIC")
    }

    /// Bank and branch codes of the demo bank.
    const fn own_bank(self) -> &'static str {
        match self {
            Self::Greece => "9990001",
            Self::Germany => "99900001",
            Self::France => "9990000001",
        }
    }

    const fn other_bank(self) -> &'static str {
        match self {
            Self::Greece => "9980042",
            Self::Germany => "99800042",
            Self::France => "9980000042",
        }
    }

    /// An account number of the demo bank.
    pub fn iban(self, number: u64) -> Iban {
        self.compose(self.own_bank(), number)
    }

    /// An account number of another bank in the country.
    pub fn foreign_iban(self, number: u64) -> Iban {
        self.compose(self.other_bank(), number)
    }

    /// Whether an IBAN belongs to the demo bank, by country and bank code.
    pub fn is_own(iban: &Iban) -> bool {
        Self::ALL.iter().any(|country| {
            let one = country.iban(0);
            let length = country.own_bank().len();
            let bank = |iban: &Iban| iban.as_str().get(4..4 + length).map(str::to_owned);
            one.country() == iban.country() && bank(&one) == bank(iban)
        })
    }

    fn compose(self, bank: &str, number: u64) -> Iban {
        let (code, bban) = match self {
            Self::Greece => ("GR", format!("{bank}{number:016}")),
            Self::Germany => ("DE", format!("{bank}{:010}", number % 10_000_000_000)),
            Self::France => ("FR", french(bank, number)),
        };
        let check = 98 - remainder(&format!("{bban}{code}00"));
        Iban::parse(&format!("{code}{check:02}{bban}")).expect("the composed number has its country's form")
    }
}

/// A French BBAN ends with a key over bank, branch and account.
fn french(bank: &str, number: u64) -> String {
    let account = number % 100_000_000_000;
    let (bank_part, branch) = bank.split_at(5);
    let value = |digits: &str| digits.parse::<u64>().unwrap_or(0);
    let key = 97 - (89 * value(bank_part) + 15 * value(branch) + 3 * account) % 97;
    format!("{bank}{account:011}{key:02}")
}

/// ISO 7064 modulo 97, with letters counted from A = 10.
fn remainder(text: &str) -> u32 {
    text.chars().fold(0, |rest, character| {
        let value = character.to_digit(36).unwrap_or(0);
        if value > 9 { (rest * 100 + value) % 97 } else { (rest * 10 + value) % 97 }
    })
}

/// A card number from its first digits; the last digit is the check digit.
pub fn pan(first_digits: &str) -> Pan {
    let numbers = (0..10).map(|check| format!("{first_digits}{check}"));
    numbers
        .map(|number| Pan::parse(&number))
        .find_map(Result::ok)
        .expect("one of ten check digits is right for a number of this length")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn generated_numbers_have_the_national_form() {
        assert_eq!(Country::Greece.iban(1).as_str().len(), 27);
        assert_eq!(Country::Germany.iban(1).as_str().len(), 22);
        assert_eq!(Country::France.iban(1).as_str().len(), 27);
        assert_ne!(Country::France.iban(1), Country::France.foreign_iban(1));
        for country in [Country::Greece, Country::Germany, Country::France] {
            assert!(Country::is_own(&country.iban(7)));
            assert!(!Country::is_own(&country.foreign_iban(7)));
        }
    }

    #[test]
    fn check_digits_match_known_ibans() {
        assert_eq!(remainder("370400440532013000DE89"), 1);
        assert_eq!(french("2004101005", 500_013_026), "20041010050050001302606"[..].to_owned());
        assert_eq!(pan("411111111111111").masked().as_str(), "411111******1111");
    }
}
