//! What a consent grants per account and card. References are matched with the customer's current accounts and cards:
//! nothing is granted that the customer does not own.

use super::{Access, AccessLists, AccessTerms, CARD_ACCOUNT_TYPE};
use crate::account::Account;
use crate::card::Card;
use crate::reference::{StoredIdentifier, StoredReference};

/// What may be read of an account or a card.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Grant {
    /// It appears in the list.
    pub listed: bool,
    /// Its details may be read.
    pub details: bool,
    /// Its balances appear in the list.
    pub list_balances: bool,
    pub balances: bool,
    pub transactions: bool,
    /// The names of its owners are shown by interfaces that ask for this right.
    pub owner_name: bool,
}

impl Grant {
    const NOTHING: Self = Self {
        listed: false,
        details: false,
        list_balances: false,
        balances: false,
        transactions: false,
        owner_name: false,
    };
    const EVERYTHING: Self = Self {
        listed: true,
        details: true,
        list_balances: true,
        balances: true,
        transactions: true,
        owner_name: false,
    };
}

impl AccessTerms {
    pub fn account_grant(&self, account: &Account) -> Grant {
        if !self.options.permits(account.kind.cash_account_type()) {
            return Grant::NOTHING;
        }
        let names = |reference: &StoredReference| matches_account(reference, account);
        let grant = match &self.access {
            Access::AllPsd2 => Grant::EVERYTHING,
            Access::Offered(_) => Grant::NOTHING,
            Access::AvailableAccounts => Grant { listed: true, ..Grant::NOTHING },
            Access::AvailableAccountsWithBalance => {
                Grant { listed: true, list_balances: true, ..Grant::NOTHING }
            }
            Access::Listed(lists) => lists.grant(names),
        };
        Grant { owner_name: grant.listed && self.options.names_owner(names), ..grant }
    }

    /// `pan_hash` is the keyed hash under which the card is stored.
    pub fn card_grant(&self, card: &Card, pan_hash: &[u8; 32]) -> Grant {
        if !self.options.permits(CARD_ACCOUNT_TYPE) {
            return Grant::NOTHING;
        }
        let names = |reference: &StoredReference| matches_card(reference, card, pan_hash);
        let grant = match &self.access {
            Access::AllPsd2 => Grant::EVERYTHING,
            Access::AvailableAccounts | Access::AvailableAccountsWithBalance | Access::Offered(_) => {
                Grant::NOTHING
            }
            Access::Listed(lists) => lists.grant(names),
        };
        Grant { owner_name: grant.listed && self.options.names_owner(names), ..grant }
    }
}

impl AccessLists<StoredReference> {
    /// A permission for balances or transactions implies the one for the account itself.
    fn grant(&self, names: impl Fn(&StoredReference) -> bool) -> Grant {
        let (balances, transactions) =
            (self.balances.iter().any(&names), self.transactions.iter().any(&names));
        let listed = balances || transactions || self.accounts.iter().any(&names);
        Grant { listed, details: listed, list_balances: balances, balances, transactions, owner_name: false }
    }
}

/// Whether a reference matches an account: by its IBAN or its BBAN, in its currency.
pub fn matches_account(reference: &StoredReference, account: &Account) -> bool {
    let iban = account.iban.as_str();
    let named = match &reference.identifier {
        StoredIdentifier::Iban(named) => named.as_str() == iban,
        StoredIdentifier::Bban(bban) => iban.get(4..) == Some(bban.as_str()),
        StoredIdentifier::Pan(_) | StoredIdentifier::MaskedPan(_) | StoredIdentifier::Msisdn(_) => false,
    };
    named && reference.currency.is_none_or(|currency| currency == account.currency)
}

/// Whether a reference matches a card. An IBAN does not match the cards of its account.
pub fn matches_card(reference: &StoredReference, card: &Card, pan_hash: &[u8; 32]) -> bool {
    let named = match &reference.identifier {
        StoredIdentifier::Pan(pan) => pan.hash == *pan_hash,
        StoredIdentifier::MaskedPan(masked) => *masked == card.masked_pan,
        StoredIdentifier::Iban(_) | StoredIdentifier::Bban(_) | StoredIdentifier::Msisdn(_) => false,
    };
    named && reference.currency.is_none_or(|currency| currency == card.currency)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::account::{AccountKind, AccountName, AccountStatus, AccountUsage};
    use crate::consent::{AccessOptions, OfferedRights, OwnerNames, ValidUntil};
    use crate::id::{AccountId, CardId, PsuId};
    use crate::ledger::LedgerAccountId;
    use crate::money::Currency;
    use crate::reference::{AccountReference, Bban, Bic, Iban, MaskedPan, StoredIdentifier, StoredPan};
    use crate::time::{Date, Timestamp};
    use uuid::Uuid;

    const IBAN: &str = "GR1601101250000000012300695";

    fn account(currency: Currency) -> Account {
        Account {
            id: AccountId::new(Uuid::from_u128(1)),
            ledger: LedgerAccountId(1),
            kind: AccountKind::Current,
            status: AccountStatus::Enabled,
            usage: AccountUsage::Private,
            iban: Iban::parse(IBAN).unwrap(),
            bic: Bic::parse("TRPZGRAA").unwrap(),
            currency,
            product: "Everyday".to_owned(),
            name: AccountName::of_bank("Current"),
            credit_limit_minor: 0,
            owners: Vec::new(),
        }
    }

    fn card() -> Card {
        Card {
            id: CardId::new(Uuid::from_u128(2)),
            ledger: LedgerAccountId(2),
            holder: PsuId::new(Uuid::from_u128(3)),
            account: AccountId::new(Uuid::from_u128(1)),
            masked_pan: MaskedPan::parse("411111******1111").unwrap(),
            status: AccountStatus::Enabled,
            usage: AccountUsage::Private,
            currency: Currency::EUR,
            product: "Card".to_owned(),
            name: "Card".to_owned(),
            credit_limit_minor: 0,
            expiry: Date(1),
        }
    }

    fn terms(access: Access<StoredReference>) -> AccessTerms {
        AccessTerms {
            access,
            options: AccessOptions::default(),
            recurring: true,
            valid_until: ValidUntil::Date(Date(1)),
            end: Timestamp(0),
            frequency_per_day: 4,
            combined_service: false,
        }
    }

    fn reference(currency: Option<Currency>) -> Vec<StoredReference> {
        vec![AccountReference::iban(Iban::parse(IBAN).unwrap(), currency).to_stored(|_| [0; 32])]
    }

    #[test]
    fn each_list_grants_its_permission_and_the_account() {
        let none = Vec::new;
        let listed = |accounts, balances, transactions| {
            terms(Access::Listed(AccessLists { accounts, balances, transactions }))
                .account_grant(&account(Currency::EUR))
        };
        let one = || reference(None);
        let details = Grant { listed: true, details: true, ..Grant::NOTHING };
        assert_eq!(listed(one(), none(), none()), details);
        assert_eq!(listed(none(), none(), one()), Grant { transactions: true, ..details });
        assert_eq!(listed(none(), one(), none()), Grant { balances: true, list_balances: true, ..details });
        assert_eq!(listed(none(), none(), none()), Grant::NOTHING);
    }

    #[test]
    fn card_is_granted_by_its_own_number_in_its_currency_only() {
        let masked = MaskedPan::parse("411111******1111").unwrap();
        let card = card();
        let named = |identifier, currency| StoredReference { identifier, currency };
        let pan = |hash| StoredIdentifier::Pan(StoredPan { hash, masked: masked.clone() });
        let other = MaskedPan::parse("411111******1112").unwrap();
        for (reference, expected) in [
            (named(pan([7; 32]), None), true),
            (named(pan([7; 32]), Some(Currency::EUR)), true),
            (named(pan([7; 32]), Some(Currency::JPY)), false),
            (named(pan([8; 32]), None), false),
            (named(StoredIdentifier::MaskedPan(masked.clone()), None), true),
            (named(StoredIdentifier::MaskedPan(other), None), false),
            (reference(None).remove(0), false),
        ] {
            assert_eq!(matches_card(&reference, &card, &[7; 32]), expected, "{reference:?}");
        }
    }

    #[test]
    fn currency_restricts_an_iban_to_one_account() {
        let euro = terms(Access::Listed(AccessLists {
            accounts: reference(Some(Currency::EUR)),
            balances: Vec::new(),
            transactions: Vec::new(),
        }));
        assert!(euro.account_grant(&account(Currency::EUR)).listed);
        assert!(!euro.account_grant(&account(Currency::JPY)).listed);
    }

    #[test]
    fn flags_grant_list_balances_or_everything() {
        let grant = |access| terms(access).account_grant(&account(Currency::EUR));
        assert_eq!(grant(Access::AvailableAccounts), Grant { listed: true, ..Grant::NOTHING });
        let with_balance = Grant { listed: true, list_balances: true, ..Grant::NOTHING };
        assert_eq!(grant(Access::AvailableAccountsWithBalance), with_balance);
        assert_eq!(grant(Access::AllPsd2), Grant::EVERYTHING);
        let offered = Access::Offered(OfferedRights { balances: true, transactions: true });
        assert_eq!(grant(offered), Grant::NOTHING, "nothing before the customer has chosen");
    }

    #[test]
    fn owner_name_is_granted_only_where_it_was_asked_for() {
        let granted = |owner_names| {
            let options = AccessOptions { owner_names, restricted_to: Vec::new() };
            let terms = AccessTerms { options, ..terms(Access::AvailableAccounts) };
            terms.account_grant(&account(Currency::EUR)).owner_name
        };
        assert!(!granted(OwnerNames::Hidden));
        assert!(granted(OwnerNames::All));
        assert!(granted(OwnerNames::Listed(reference(None))));
        assert!(!granted(OwnerNames::Listed(reference(Some(Currency::JPY)))));
        let options = AccessOptions { owner_names: OwnerNames::All, restricted_to: Vec::new() };
        let nothing = AccessLists { accounts: Vec::new(), balances: Vec::new(), transactions: Vec::new() };
        let terms = AccessTerms { options, ..terms(Access::Listed(nothing)) };
        assert_eq!(
            terms.account_grant(&account(Currency::EUR)),
            Grant::NOTHING,
            "it is no right to accounts"
        );
    }

    #[test]
    fn restriction_grants_accounts_of_the_named_types_only() {
        let granted = |types: &[&str]| {
            let restricted_to = types.iter().map(|name| (*name).to_owned()).collect();
            let options = AccessOptions { restricted_to, ..AccessOptions::default() };
            AccessTerms { options, ..terms(Access::AllPsd2) }.account_grant(&account(Currency::EUR))
        };
        assert_eq!(granted(&[]), Grant::EVERYTHING);
        assert_eq!(granted(&["SVGS", "CACC"]), Grant::EVERYTHING);
        assert_eq!(granted(&["SVGS"]), Grant::NOTHING);
    }

    #[test]
    fn domestic_number_is_that_of_the_iban() {
        let named = |bban: &str| StoredReference {
            identifier: StoredIdentifier::Bban(Bban::parse(bban).unwrap()),
            currency: None,
        };
        assert!(matches_account(&named(&IBAN[4..]), &account(Currency::EUR)));
        assert!(!matches_account(&named("01101250000000012300696"), &account(Currency::EUR)));
    }

    #[test]
    fn holder_of_a_card_is_named_only_with_a_right_to_the_card() {
        let card = card();
        let pan = StoredIdentifier::Pan(StoredPan { hash: [7; 32], masked: card.masked_pan.clone() });
        let own = || vec![StoredReference { identifier: pan.clone(), currency: None }];
        let granted = |owner_names, accounts| {
            let lists = AccessLists { accounts, balances: Vec::new(), transactions: Vec::new() };
            let options = AccessOptions { owner_names, restricted_to: Vec::new() };
            AccessTerms { options, ..terms(Access::Listed(lists)) }.card_grant(&card, &[7; 32]).owner_name
        };
        assert!(granted(OwnerNames::All, own()));
        assert!(granted(OwnerNames::Listed(own()), own()));
        assert!(!granted(OwnerNames::Hidden, own()));
        assert!(!granted(OwnerNames::Listed(reference(None)), own()));
        assert!(!granted(OwnerNames::All, Vec::new()), "it is no right to the card");
    }
}
