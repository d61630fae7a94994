//! Whether the accounts that a consent names are its customer's own. ApprovalRequest when the customer has agreed and never
//! before: an earlier answer would tell a third party whose account is whose.

use crate::StoreError;
use trapeza_domain::account::{Account, AccountStatus};
use trapeza_domain::card::Card;
use trapeza_domain::consent::{Access, AccessTerms, FundsTerms, matches_account};
use trapeza_domain::id::{AccountId, PsuId};
use trapeza_domain::reference::{StoredIdentifier, StoredPan, StoredReference};
use trapeza_store::Tx;

/// What a customer has with the bank.
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

    /// Whether everything that is to be read is the customer's.
    pub(crate) fn cover_access(&self, tx: &mut Tx<'_>, terms: &AccessTerms) -> Result<bool, StoreError> {
        let Access::Listed(lists) = &terms.access else { return Ok(true) };
        for reference in lists.accounts.iter().chain(&lists.balances).chain(&lists.transactions) {
            if self.named(tx, reference)?.is_empty() {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Whether the account is the customer's and the card, if one is named, belongs to it.
    pub(crate) fn cover_funds(&self, tx: &mut Tx<'_>, terms: &FundsTerms) -> Result<bool, StoreError> {
        // An account, not a card: amounts are asked for on accounts, and a card's own number would find none then.
        let own = self.accounts.iter().filter(|account| matches_account(&terms.account, account));
        let accounts: Vec<AccountId> = own.map(|account| account.id).collect();
        let Some(pan) = &terms.card_number else { return Ok(!accounts.is_empty()) };
        let card = tx.card_by_pan_hash(&pan.hash)?;
        Ok(card.is_some_and(|card| accounts.contains(&card.account)))
    }

    /// The customer's own accounts that a reference names, itself or by a card of theirs.
    pub(crate) fn named(
        &self,
        tx: &mut Tx<'_>,
        reference: &StoredReference,
    ) -> Result<Vec<AccountId>, StoreError> {
        let fits = |currency| reference.currency.is_none_or(|wanted| wanted == currency);
        let accounts = |is: &dyn Fn(&Account) -> bool| {
            let own = self.accounts.iter().filter(|account| is(account) && fits(account.currency));
            own.map(|account| account.id).collect()
        };
        let cards = |is: &dyn Fn(&Card) -> bool| {
            let own = self.cards.iter().filter(|card| is(card) && fits(card.currency));
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
            // A telephone number is a customer's, and says which of their accounts to nobody.
            StoredIdentifier::Msisdn(_) => Vec::new(),
        })
    }
}
