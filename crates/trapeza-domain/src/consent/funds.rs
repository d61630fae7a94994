//! Funds consents: permission for a card issuer to ask whether an amount is available. Whether the card belongs to the
//! account is checked when the customer authorises the consent, never before.

use super::{Calendar, ValidUntil};
use crate::field::Field;
use crate::reference::{AccountReference, Pan, StoredPan, StoredReference};
use crate::refusal::{FieldErrors, Refusal};

/// Maximum length of free texts, in characters.
const MAX_TEXT_CHARS: usize = 140;

/// A funds consent as requested.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FundsConsentRequest {
    pub account: AccountReference,
    pub card_number: Option<Pan>,
    pub card_expiry: Option<ValidUntil>,
    pub card_information: Option<String>,
    pub registration_information: Option<String>,
}

/// A funds consent as stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FundsTerms {
    pub account: StoredReference,
    pub card_number: Option<StoredPan>,
    pub card_expiry: Option<ValidUntil>,
    pub card_information: Option<String>,
    pub registration_information: Option<String>,
}

impl FundsConsentRequest {
    pub fn terms(
        &self,
        calendar: &Calendar<'_>,
        hash: &dyn Fn(&Pan) -> [u8; 32],
    ) -> Result<FundsTerms, Refusal> {
        let mut errors = FieldErrors::default();
        if self.card_expiry.is_some_and(|expiry| expiry.is_past(calendar)) {
            errors.add(Field::CardExpiry, "must not be in the past");
        }
        for (field, text) in [
            (Field::CardInformation, &self.card_information),
            (Field::RegistrationInformation, &self.registration_information),
        ] {
            if let Some(text) = text {
                errors.collect(field, check_text(text));
            }
        }
        errors.finish()?;
        Ok(FundsTerms {
            account: self.account.to_stored(hash),
            card_number: self.card_number.as_ref().map(|pan| StoredPan::new(pan, hash)),
            card_expiry: self.card_expiry,
            card_information: self.card_information.clone(),
            registration_information: self.registration_information.clone(),
        })
    }
}

/// The text is displayed to people, and not every database stores NUL.
fn check_text(text: &str) -> Result<(), &'static str> {
    if text.chars().count() > MAX_TEXT_CHARS || text.chars().any(char::is_control) {
        return Err("must have at most 140 characters, without control characters");
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::field::FieldPath;
    use crate::reference::Iban;
    use crate::time::{Date, Timestamp};

    fn order() -> FundsConsentRequest {
        FundsConsentRequest {
            account: AccountReference::iban(Iban::parse("GR1601101250000000012300695").unwrap(), None),
            card_number: Some(Pan::parse("4111111111111111").unwrap()),
            card_expiry: Some(ValidUntil::Date(Date(100))),
            card_information: Some("Gold".into()),
            registration_information: None,
        }
    }

    fn terms(order: &FundsConsentRequest) -> Result<FundsTerms, Vec<FieldPath>> {
        let calendar = Calendar { now: Timestamp(0), today: Date(100), day_end: &|_| Timestamp(0) };
        let refusal = |refusal: Refusal| refusal.errors.into_iter().map(|error| error.path).collect();
        order.terms(&calendar, &|_| [5; 32]).map_err(refusal)
    }

    #[test]
    fn card_number_is_stored_as_hash_and_mask() {
        let card = terms(&order()).unwrap().card_number.unwrap();
        assert_eq!((card.hash, card.masked.as_str()), ([5; 32], "411111******1111"));
    }

    #[test]
    fn expired_card_and_invalid_texts_are_reported_together() {
        let wrong = FundsConsentRequest {
            card_expiry: Some(ValidUntil::Date(Date(99))),
            card_information: Some("x".repeat(141)),
            registration_information: Some("a\0b".into()),
            ..order()
        };
        let fields = [Field::CardExpiry, Field::CardInformation, Field::RegistrationInformation];
        assert_eq!(terms(&wrong), Err(fields.map(FieldPath::from).to_vec()));
        assert!(terms(&FundsConsentRequest { card_information: Some("é".repeat(140)), ..order() }).is_ok());
    }
}
