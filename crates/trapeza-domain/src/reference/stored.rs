//! Account references as stored: a card number is a keyed hash, to find the card, and its mask, to display it.

use super::{AccountReference, Bban, Iban, Identifier, MaskedPan, Msisdn, Pan};
use crate::money::Currency;
use std::fmt;

/// A stored card number.
#[derive(Clone, PartialEq, Eq)]
pub struct StoredPan {
    pub hash: [u8; 32],
    pub masked: MaskedPan,
}

impl StoredPan {
    pub fn new(pan: &Pan, hash: impl Fn(&Pan) -> [u8; 32]) -> Self {
        Self { hash: hash(pan), masked: pan.masked() }
    }
}

impl fmt::Debug for StoredPan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "StoredPan({})", self.masked.as_str())
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StoredIdentifier {
    Iban(Iban),
    Bban(Bban),
    Pan(StoredPan),
    MaskedPan(MaskedPan),
    Msisdn(Msisdn),
}

/// An [`AccountReference`] without a whole card number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredReference {
    pub identifier: StoredIdentifier,
    pub currency: Option<Currency>,
}

impl AccountReference {
    pub fn to_stored(&self, hash: impl Fn(&Pan) -> [u8; 32]) -> StoredReference {
        let identifier = match &self.identifier {
            Identifier::Iban(iban) => StoredIdentifier::Iban(*iban),
            Identifier::Bban(bban) => StoredIdentifier::Bban(bban.clone()),
            Identifier::Pan(pan) => StoredIdentifier::Pan(StoredPan::new(pan, hash)),
            Identifier::MaskedPan(masked) => StoredIdentifier::MaskedPan(masked.clone()),
            Identifier::Msisdn(msisdn) => StoredIdentifier::Msisdn(msisdn.clone()),
        };
        StoredReference { identifier, currency: self.currency }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stored_pan_is_hash_and_mask() {
        let pan = Pan::parse("4111111111111111").unwrap();
        let reference = AccountReference { identifier: Identifier::Pan(pan), currency: Some(Currency::EUR) };
        let held = reference.to_stored(|_| [3; 32]);
        let expected = StoredPan { hash: [3; 32], masked: MaskedPan::parse("411111******1111").unwrap() };
        assert_eq!(held.identifier, StoredIdentifier::Pan(expected));
        assert_eq!(held.currency, Some(Currency::EUR));
        assert!(!format!("{held:?}").contains("4111111111111111"));
    }
}
