//! A payment account as its owners and third parties see it. Its balance is in the ledger.

use crate::id::{AccountId, PsuId};
use crate::ledger::LedgerAccountId;
use crate::money::{Currency, Money};
use crate::reference::{AccountReference, Bic, Iban};
use crate::string_enum::string_enum;

string_enum! {
    /// The product an account belongs to.
    pub enum AccountKind {
        Current = "current",
        Savings = "savings",
    }

    /// Whether an account or a card can be used.
    pub enum AccountStatus {
        Enabled = "enabled",
        /// Closed: no longer listed, but its history stays.
        Deleted = "deleted",
        /// Listed, but payments to and from it are rejected.
        Blocked = "blocked",
    }

    /// Private or business use.
    pub enum AccountUsage {
        Private = "private",
        Organisation = "organisation",
    }
}

impl AccountKind {
    /// The cashAccountType of ISO 20022.
    pub const fn cash_account_type(self) -> &'static str {
        match self {
            Self::Current => "CACC",
            Self::Savings => "SVGS",
        }
    }
}

/// The name of an account: the bank's at first, for example "Savings account", or one that the owner chose. Only the bank's names are
/// translated for their reader, so the two are never mixed up, even where they are spelled alike.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AccountName {
    text: String,
    is_own: bool,
}

impl AccountName {
    /// A name that the owner chose.
    pub fn own(text: impl Into<String>) -> Self {
        Self { text: text.into(), is_own: true }
    }

    /// A name that the bank gives.
    pub fn of_bank(text: impl Into<String>) -> Self {
        Self { text: text.into(), is_own: false }
    }

    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// Whether the owner chose it.
    pub const fn is_own(&self) -> bool {
        self.is_own
    }
}

/// One account in one currency. A multi-currency IBAN is several accounts that share the IBAN.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Account {
    pub id: AccountId,
    pub ledger: LedgerAccountId,
    pub kind: AccountKind,
    pub status: AccountStatus,
    pub usage: AccountUsage,
    pub iban: Iban,
    pub bic: Bic,
    pub currency: Currency,
    /// The bank's product name, for example "Everyday".
    pub product: String,
    pub name: AccountName,
    /// How far below zero the balance may go; zero when no overdraft is granted.
    pub credit_limit_minor: i64,
    /// The owner, or all owners of a joint account, the first one being the oldest.
    pub owners: Vec<PsuId>,
}

impl Account {
    pub fn reference(&self) -> AccountReference {
        AccountReference::iban(self.iban, Some(self.currency))
    }

    pub fn credit_limit(&self) -> Option<Money> {
        (self.credit_limit_minor > 0).then(|| Money::new(self.credit_limit_minor, self.currency))
    }

    pub fn is_owned_by(&self, psu: PsuId) -> bool {
        self.owners.contains(&psu)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use uuid::Uuid;

    #[test]
    fn stored_name_parses_to_its_variant() {
        for status in AccountStatus::ALL {
            assert_eq!(AccountStatus::parse(status.name()), Some(*status));
        }
        assert_eq!(AccountKind::parse("Current"), None);
    }

    #[test]
    fn joint_account_is_owned_by_each_owner_only() {
        let psu = |n| PsuId::new(Uuid::from_u128(n));
        let account = Account {
            id: AccountId::new(Uuid::from_u128(1)),
            ledger: LedgerAccountId(1),
            kind: AccountKind::Current,
            status: AccountStatus::Enabled,
            usage: AccountUsage::Private,
            iban: Iban::parse("GR1601101250000000012300695").unwrap(),
            bic: Bic::parse("TRPZGRAA").unwrap(),
            currency: Currency::EUR,
            product: "Everyday".to_owned(),
            name: AccountName::own("Household"),
            credit_limit_minor: 0,
            owners: vec![psu(1), psu(2)],
        };
        assert!(account.is_owned_by(psu(1)) && account.is_owned_by(psu(2)) && !account.is_owned_by(psu(3)));
        assert_eq!(account.credit_limit(), None);
    }
}
