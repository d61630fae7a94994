//! Whether the accounts of a consent belong to its customer. This is checked only after the customer's authorisation,
//! because an earlier answer would tell a third party who owns an account.

use crate::StoreError;
use trapeza_domain::account::{Account, AccountStatus};
use trapeza_domain::card::Card;
use trapeza_domain::consent::{Access, AccessTerms, FundsTerms, matches_account};
use trapeza_domain::id::{AccountId, PsuId};
use trapeza_domain::reference::{StoredIdentifier, StoredPan, StoredReference};
use trapeza_store::Tx;

/// The accounts and cards of a customer.
pub(crate) struct CustomerAssets {
    accounts: Vec<Account>,
    cards: Vec<Card>,
}

impl CustomerAssets {
    pub(crate) fn load(tx: &mut Tx<'_>, psu: PsuId) -> Result<Self, StoreError> {
        let mut accounts = tx.account_list(psu)?;
        accounts.retain(|account| account.status != AccountStatus::Deleted);
        let mut cards = tx.card_list(psu)?;
        cards.retain(|card| card.status != AccountStatus::Deleted);
        Ok(Self { accounts, cards })
    }

    /// Whether everything that the consent lists belongs to the customer.
    pub(crate) fn cover_access(&self, tx: &mut Tx<'_>, terms: &AccessTerms) -> Result<bool, StoreError> {
        let lists = match &terms.access {
            Access::Listed(lists) => lists,
            // Nothing is chosen yet.
            Access::Offered(_) => return Ok(false),
            Access::AvailableAccounts | Access::AvailableAccountsWithBalance | Access::AllPsd2 => {
                return Ok(true);
            }
        };
        for reference in lists.accounts.iter().chain(&lists.balances).chain(&lists.transactions) {
            if self.matching_accounts(tx, reference)?.is_empty() {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Whether the account belongs to the customer, and the card, if there is one, belongs to the account.
    pub(crate) fn cover_funds(&self, tx: &mut Tx<'_>, terms: &FundsTerms) -> Result<bool, StoreError> {
        // Only accounts match: funds are confirmed on accounts, and a card number would match none then.
        let own = self.accounts.iter().filter(|account| matches_account(&terms.account, account));
        let accounts: Vec<AccountId> = own.map(|account| account.id).collect();
        let Some(pan) = &terms.card_number else { return Ok(!accounts.is_empty()) };
        let card = tx.card_by_pan_hash(&pan.hash)?;
        Ok(card.is_some_and(|card| accounts.contains(&card.account)))
    }

    /// The customer's accounts that a reference names, directly or by one of the customer's cards.
    pub(crate) fn matching_accounts(
        &self,
        tx: &mut Tx<'_>,
        reference: &StoredReference,
    ) -> Result<Vec<AccountId>, StoreError> {
        let has_currency = |currency| reference.currency.is_none_or(|wanted| wanted == currency);
        let accounts = |matches: &dyn Fn(&Account) -> bool| {
            let own =
                self.accounts.iter().filter(|account| matches(account) && has_currency(account.currency));
            own.map(|account| account.id).collect()
        };
        let cards = |matches: &dyn Fn(&Card) -> bool| {
            let own = self.cards.iter().filter(|card| matches(card) && has_currency(card.currency));
            own.map(|card| card.account).collect()
        };
        Ok(match &reference.identifier {
            StoredIdentifier::Iban(iban) => accounts(&|account| account.iban == *iban),
            StoredIdentifier::Bban(bban) => {
                accounts(&|account| account.iban.as_str().get(4..) == Some(bban.as_str()))
            }
            StoredIdentifier::Pan(StoredPan { hash, .. }) => {
                let found = tx.card_by_pan_hash(hash)?.map(|card| card.id);
                cards(&|card| Some(card.id) == found)
            }
            StoredIdentifier::MaskedPan(masked) => cards(&|card| card.masked_pan == *masked),
            // A telephone number identifies a customer, but none of the accounts.
            StoredIdentifier::Msisdn(_) => Vec::new(),
        })
    }
}
