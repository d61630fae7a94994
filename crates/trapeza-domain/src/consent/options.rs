//! What an access consent says besides its accounts: whether their owners are named, and the types of accounts that it is
//! restricted to.

use crate::reference::{AccountReference, Pan, StoredReference};
use crate::string_enum::string_enum;

/// The further terms of an access consent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AccessOptions<R> {
    pub owner_names: OwnerNames<R>,
    /// The cashAccountTypes of ISO 20022 to which the consent is restricted; all where it is empty.
    pub restricted_to: Vec<String>,
}

/// The accounts whose owners are named.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OwnerNames<R> {
    Hidden,
    /// Of all accounts that the consent covers.
    All,
    Listed(Vec<R>),
}

string_enum! {
    /// Which of the three forms the right to owner names has.
    pub enum OwnerNameScope {
        Hidden = "hidden",
        All = "all",
        Listed = "listed",
    }
}

impl<R> OwnerNames<R> {
    pub const fn scope(&self) -> OwnerNameScope {
        match self {
            Self::Hidden => OwnerNameScope::Hidden,
            Self::All => OwnerNameScope::All,
            Self::Listed(_) => OwnerNameScope::Listed,
        }
    }
}

/// The cashAccountType of cards.
pub const CARD_ACCOUNT_TYPE: &str = "CARD";

impl<R> Default for AccessOptions<R> {
    fn default() -> Self {
        Self { owner_names: OwnerNames::Hidden, restricted_to: Vec::new() }
    }
}

impl<R> AccessOptions<R> {
    /// Whether accounts of this cashAccountType are covered.
    pub fn permits(&self, account_type: &str) -> bool {
        self.restricted_to.is_empty() || self.restricted_to.iter().any(|permitted| permitted == account_type)
    }

    /// Whether the owners of an account are named; `names` says whether a reference is one of the account.
    pub fn names_owner(&self, names: impl Fn(&R) -> bool) -> bool {
        match &self.owner_names {
            OwnerNames::Hidden => false,
            OwnerNames::All => true,
            OwnerNames::Listed(list) => list.iter().any(names),
        }
    }
}

impl AccessOptions<AccountReference> {
    /// The options with stored references.
    pub fn to_stored(&self, hash: &dyn Fn(&Pan) -> [u8; 32]) -> AccessOptions<StoredReference> {
        let owner_names = match &self.owner_names {
            OwnerNames::Hidden => OwnerNames::Hidden,
            OwnerNames::All => OwnerNames::All,
            OwnerNames::Listed(list) => {
                OwnerNames::Listed(list.iter().map(|reference| reference.to_stored(hash)).collect())
            }
        };
        AccessOptions { owner_names, restricted_to: self.restricted_to.clone() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reference::Iban;

    #[test]
    fn stored_options_name_the_same_owners_and_types() {
        let reference = AccountReference::iban(Iban::parse("GR1601101250000000012300695").unwrap(), None);
        let stored = |owner_names| {
            AccessOptions { owner_names, restricted_to: vec!["CACC".to_owned()] }.to_stored(&|_| [0; 32])
        };
        let expected = |owner_names| AccessOptions { owner_names, restricted_to: vec!["CACC".to_owned()] };
        assert_eq!(stored(OwnerNames::Hidden), expected(OwnerNames::Hidden));
        assert_eq!(stored(OwnerNames::All), expected(OwnerNames::All));
        let listed = OwnerNames::Listed(vec![reference.to_stored(|_| [0; 32])]);
        assert_eq!(stored(OwnerNames::Listed(vec![reference])), expected(listed));
    }
}
