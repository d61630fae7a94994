//! Bank-offered consents: the third party names no accounts, and the customer chooses them at the bank.

use super::{Access, AccessLists, AccessTerms};
use crate::field::Field;
use crate::reference::StoredReference;
use crate::refusal::{Refusal, RefusalReason};

/// An account that the customer has chosen, with the rights that the third party gets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChosenAccount {
    pub account: StoredReference,
    pub balances: bool,
    pub transactions: bool,
}

impl AccessTerms {
    /// Whether the customer has to choose the accounts before the consent can be approved.
    pub const fn needs_choice(&self) -> bool {
        matches!(self.access, Access::Offered(_))
    }

    /// The terms with the customer's choice. A right that was not asked for is not granted.
    pub fn with_choice(&self, chosen: &[ChosenAccount]) -> Result<Self, Refusal> {
        let Access::Offered(rights) = &self.access else {
            let text = "the accounts of this consent are chosen already";
            return Err(Refusal::new(RefusalReason::StepOutOfOrder, text));
        };
        if chosen.is_empty() {
            return Err(Refusal::malformed(Field::Accounts, "choose at least one account"));
        }
        let named = |has: &dyn Fn(&ChosenAccount) -> bool| {
            chosen.iter().filter(|one| has(one)).map(|one| one.account.clone()).collect()
        };
        let lists = AccessLists {
            accounts: named(&|_| true),
            balances: named(&|one| one.balances && rights.balances),
            transactions: named(&|one| one.transactions && rights.transactions),
        };
        Ok(Self { access: Access::Listed(lists), ..self.clone() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::consent::{AccessOptions, OfferedRights, ValidUntil};
    use crate::reference::{AccountReference, Iban};
    use crate::time::{Date, Timestamp};

    #[test]
    fn choice_grants_no_right_that_was_not_asked_for() {
        let rights = OfferedRights { balances: true, transactions: false };
        let terms = AccessTerms {
            access: Access::Offered(rights),
            options: AccessOptions::default(),
            recurring: true,
            valid_until: ValidUntil::Date(Date(1)),
            end: Timestamp(0),
            frequency_per_day: 4,
            combined_service: false,
        };
        let iban = Iban::parse("GR1601101250000000012300695").unwrap();
        let account = AccountReference::iban(iban, None).to_stored(|_| [0; 32]);
        let all = ChosenAccount { account: account.clone(), balances: true, transactions: true };
        let chosen = terms.with_choice(std::slice::from_ref(&all)).unwrap();
        let lists = AccessLists {
            accounts: vec![account.clone()],
            balances: vec![account],
            transactions: Vec::new(),
        };
        assert_eq!(chosen.access, Access::Listed(lists));
        assert!(terms.needs_choice() && !chosen.needs_choice());
        let rights = OfferedRights { balances: false, transactions: true };
        let terms = AccessTerms { access: Access::Offered(rights), ..terms };
        let lists = AccessLists {
            accounts: vec![all.account.clone()],
            balances: Vec::new(),
            transactions: vec![all.account.clone()],
        };
        assert_eq!(terms.with_choice(std::slice::from_ref(&all)).unwrap().access, Access::Listed(lists));
        let neither = ChosenAccount { balances: false, transactions: false, ..all.clone() };
        let lists = AccessLists {
            accounts: vec![all.account.clone()],
            balances: Vec::new(),
            transactions: Vec::new(),
        };
        assert_eq!(terms.with_choice(&[neither]).unwrap().access, Access::Listed(lists));
        assert_eq!(terms.with_choice(&[]).unwrap_err().reason, RefusalReason::Malformed);
        assert_eq!(chosen.with_choice(&[all]).unwrap_err().reason, RefusalReason::StepOutOfOrder);
    }
}
