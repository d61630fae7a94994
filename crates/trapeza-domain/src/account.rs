//! A payment account as its owners and third parties see it. Its money is in the ledger, not here.

use crate::id::{AccountId, PsuId};
use crate::ledger::LedgerAccountId;
use crate::money::{Currency, Money};
use crate::reference::{AccountReference, Bic, Iban};
use crate::string_enum::string_enum;

string_enum! {
    /// What an account is for.
    pub enum AccountKind {
        Current = "current",
        Savings = "savings",
    }

    /// Whether an account, or a card, can be used.
    pub enum AccountStatus {
        Enabled = "enabled",
        /// Closed: it is no longer listed, its history stays.
        Deleted = "deleted",
        /// Seen but not usable.
        Blocked = "blocked",
    }

    /// Who uses an account.
    pub enum AccountUsage {
        Private = "private",
        Organisation = "organisation",
    }
}

impl AccountKind {
    /// cashAccountType of ISO 20022.
    pub const fn cash_account_type(self) -> &'static str {
        match self {
            Self::Current => "CACC",
            Self::Savings => "SVGS",
        }
    }
}

/// One account in one currency. A multi-currency IBAN is several accounts that share it.
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
    /// What the bank calls this kind of account: "Everyday".
    pub product: String,
    /// What its owner calls it.
    pub name: String,
    /// How far below zero it may go; zero when it may not.
    pub credit_limit_minor: i64,
    /// One owner, or several of a joint account, the first being the oldest.
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
    fn stored_names_are_read_back() {
        for status in AccountStatus::ALL {
            assert_eq!(AccountStatus::parse(status.name()), Some(*status));
        }
        assert_eq!(AccountKind::parse("Current"), None);
    }

    #[test]
    fn a_joint_account_belongs_to_each_owner_and_no_other() {
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
            name: "Household".to_owned(),
            credit_limit_minor: 0,
            owners: vec![psu(1), psu(2)],
        };
        assert!(account.is_owned_by(psu(1)) && account.is_owned_by(psu(2)) && !account.is_owned_by(psu(3)));
        assert_eq!(account.credit_limit(), None);
    }
}
