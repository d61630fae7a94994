//! Accounts and their balances (§2.5).

use super::amount::Amount;
use super::envelope::{Envelope, EnvelopeTail, Links};
use serde::Serialize;
use trapeza_app::account_information::{AccountView, Balance, BalanceKind};
use trapeza_app::format_date;
use trapeza_domain::account::{Account, AccountStatus, AccountUsage};

/// Which table defines the numbers of balance types; it depends on the response.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BalanceTable {
    /// In lists, with transactions and for cards.
    List,
    Details,
    Balances,
}

#[derive(Serialize)]
pub struct AccountReferenceOut<'a> {
    pub iban: &'a str,
    pub currency: &'static str,
}

impl<'a> AccountReferenceOut<'a> {
    pub fn of(account: &'a Account) -> Self {
        Self { iban: account.iban.as_str(), currency: account.currency.code() }
    }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct AccountOut<'a> {
    resource_id: String,
    iban: &'a str,
    currency: &'static str,
    name: &'a str,
    owner_name: String,
    product: &'a str,
    cash_account_type: &'static str,
    status: u32,
    bic: &'a str,
    usage: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    balances: Option<Vec<BalanceOut>>,
    #[serde(rename = "_links")]
    links: Links,
}

impl<'a> AccountOut<'a> {
    pub fn of(view: &'a AccountView, table: BalanceTable) -> Self {
        let AccountView { account, owner_names, grant, balances } = view;
        let path = format!("/v1/accounts/{}", account.id);
        let mut links = Links::default();
        if grant.details {
            links.add("account", path.clone());
        }
        if grant.balances {
            links.add("balances", format!("{path}/balances"));
        }
        if grant.transactions {
            links.add("transactions", format!("{path}/transactions"));
        }
        Self {
            resource_id: account.id.to_string(),
            iban: account.iban.as_str(),
            currency: account.currency.code(),
            name: &account.name,
            owner_name: owner_names.join(", "),
            product: &account.product,
            cash_account_type: account.kind.cash_account_type(),
            status: status(account.status),
            bic: account.bic.as_str(),
            usage: usage(account.usage),
            balances: balances.as_deref().map(|balances| self::balances(balances, table)),
            links,
        }
    }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct BalanceOut {
    balance_amount: Amount,
    balance_type: u32,
    credit_limit_included: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    reference_date: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    last_committed_transaction: Option<String>,
}

/// The balances that have a number in the table.
pub fn balances(balances: &[Balance], table: BalanceTable) -> Vec<BalanceOut> {
    let out = |balance: &Balance| {
        Some(BalanceOut {
            balance_amount: Amount(balance.amount),
            balance_type: balance_number(balance, table)?,
            credit_limit_included: balance.credit_limit_included,
            reference_date: balance.reference_day.map(format_date),
            last_committed_transaction: balance.last_entry.map(|id| id.to_string()),
        })
    };
    balances.iter().filter_map(out).collect()
}

/// §2.5 has three tables of numbers (docs/behaviour/consents.md, "Balances").
const fn balance_number(balance: &Balance, table: BalanceTable) -> Option<u32> {
    Some(match (balance.kind, table) {
        (BalanceKind::Booked, BalanceTable::List) => 5,
        (BalanceKind::Booked, BalanceTable::Details) => 1,
        (BalanceKind::Booked, BalanceTable::Balances) => {
            if balance.savings {
                4
            } else {
                1
            }
        }
        (BalanceKind::Available, BalanceTable::List) => 4,
        (BalanceKind::Available, BalanceTable::Details) => 0,
        (BalanceKind::Available, BalanceTable::Balances) => {
            if balance.savings {
                5
            } else {
                3
            }
        }
        (BalanceKind::LastMidnight, BalanceTable::List) => 0,
        (BalanceKind::CreditLimit, BalanceTable::Details | BalanceTable::Balances) => 2,
        (BalanceKind::Reserved, BalanceTable::List) => 2,
        (BalanceKind::NotInvoiced, BalanceTable::List) => 7,
        _ => return None,
    })
}

/// 0 enabled, 1 deleted, 2 blocked (§3).
pub const fn status(status: AccountStatus) -> u32 {
    match status {
        AccountStatus::Enabled => 0,
        AccountStatus::Deleted => 1,
        AccountStatus::Blocked => 2,
    }
}

/// 0 PRIV, 1 ORGA (§3).
pub const fn usage(usage: AccountUsage) -> u32 {
    match usage {
        AccountUsage::Private => 0,
        AccountUsage::Organisation => 1,
    }
}

#[derive(Serialize)]
pub struct AccountList<'a> {
    pub accounts: Vec<AccountOut<'a>>,
    #[serde(flatten)]
    pub envelope: Envelope,
}

#[derive(Serialize)]
pub struct AccountDetails<'a> {
    #[serde(flatten)]
    pub account: AccountOut<'a>,
    #[serde(flatten)]
    pub envelope: EnvelopeTail,
}

/// The balances of one account.
#[derive(Serialize)]
pub struct AccountBalances<'a> {
    account: AccountReferenceOut<'a>,
    balances: Vec<BalanceOut>,
    #[serde(flatten)]
    envelope: Envelope,
}

impl<'a> AccountBalances<'a> {
    pub fn of(account: &'a Account, list: &[Balance]) -> Self {
        Self {
            account: AccountReferenceOut::of(account),
            balances: balances(list, BalanceTable::Balances),
            envelope: Envelope::with(Links::one("account", format!("/v1/accounts/{}", account.id))),
        }
    }
}
