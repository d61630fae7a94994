//! The accounts that a customer can choose from, where the third party has named none.

use super::target::LoadedTarget;
use crate::StoreError;
use trapeza_domain::account::{Account, AccountName, AccountStatus};
use trapeza_domain::consent::{Access, AccessTerms, OfferedRights};
use trapeza_domain::id::{AccountId, PsuId};
use trapeza_store::Tx;

/// The accounts that a customer can choose from, and what the third party asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AccountOffer {
    pub accounts: Vec<OfferedAccount>,
    pub rights: OfferedRights,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OfferedAccount {
    pub id: AccountId,
    pub name: AccountName,
    pub number: String,
    pub currency: &'static str,
}

/// What the signed-in customer can choose from, while nothing is chosen.
pub(super) fn offer(
    tx: &mut Tx<'_>,
    loaded: &LoadedTarget,
    psu: PsuId,
) -> Result<Option<AccountOffer>, StoreError> {
    let LoadedTarget::Access(access) = loaded else { return Ok(None) };
    let Access::Offered(rights) = access.terms.access else { return Ok(None) };
    let offered = |account: Account| OfferedAccount {
        id: account.id,
        name: account.name,
        number: account.iban.as_str().to_owned(),
        currency: account.currency.code(),
    };
    let accounts = selectable_accounts(tx, &access.terms, psu)?.into_iter().map(offered).collect();
    Ok(Some(AccountOffer { accounts, rights }))
}

/// The customer's accounts of the types to which the consent is restricted.
pub(super) fn selectable_accounts(
    tx: &mut Tx<'_>,
    terms: &AccessTerms,
    psu: PsuId,
) -> Result<Vec<Account>, StoreError> {
    let mut own = tx.account_list(psu)?;
    own.retain(|account| account.status != AccountStatus::Deleted);
    own.retain(|account| terms.options.permits(account.kind.cash_account_type()));
    Ok(own)
}
