//! Why a consent was rejected, in words that a third party may read.

use crate::string_enum::string_enum;

string_enum! {
    pub enum ConsentRejection {
        /// The customer refused it.
        Refused = "refused",
        /// It lists an account or card that the customer does not have.
        Account = "account",
        /// It was not authorised in time.
        Overdue = "overdue",
    }
}

impl ConsentRejection {
    /// The reason in ISO 20022's external status reason codes.
    pub const fn iso_code(self) -> &'static str {
        match self {
            Self::Refused => "CUST",
            Self::Account => "AC01",
            Self::Overdue => "DS24",
        }
    }

    /// The reason in a sentence. It does not say which account, or whether it exists.
    pub const fn description(self) -> &'static str {
        match self {
            Self::Refused => "the customer rejected the consent",
            Self::Account => "the customer cannot give access to all the accounts of the consent",
            Self::Overdue => "the consent was not authorised in time",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_reason_has_its_code_and_its_words() {
        let codes = ConsentRejection::ALL.iter().map(|reason| reason.iso_code());
        assert_eq!(codes.collect::<Vec<_>>(), ["CUST", "AC01", "DS24"]);
        let mut words: Vec<&str> = ConsentRejection::ALL.iter().map(|reason| reason.description()).collect();
        words.dedup();
        assert!(
            words.len() == ConsentRejection::ALL.len()
                && words.iter().all(|text| text.contains("the consent"))
        );
    }
}
