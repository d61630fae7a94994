//! Accounts and their balances (§2.5), out.

use super::amount::Amount;
use super::envelope::{Envelope, Links};
use super::writer::Writer;
use serde::Serialize;
use trapeza_app::print_day;
use trapeza_app::reading::{AccountView, Balance, BalanceKind};
use trapeza_domain::account::{Account, AccountStatus, AccountUsage};

/// Where a balance is shown; its number depends on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shown {
    /// In a list, beside transactions, with cards.
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
    pub fn of(view: &'a AccountView, shown: Shown) -> Self {
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
            balances: balances.as_deref().map(|balances| self::balances(balances, shown)),
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

/// The balances that have a number where they are shown.
pub fn balances(balances: &[Balance], shown: Shown) -> Vec<BalanceOut> {
    let out = |balance: &Balance| {
        Some(BalanceOut {
            balance_amount: Amount(balance.amount),
            balance_type: balance_number(balance, shown)?,
            credit_limit_included: balance.credit_limit_included,
            reference_date: balance.reference_day.map(print_day),
            last_committed_transaction: balance.last_line.map(|id| id.to_string()),
        })
    };
    balances.iter().filter_map(out).collect()
}

/// §2.5 has three lists of numbers (docs/decisions.md, "Balances").
const fn balance_number(balance: &Balance, shown: Shown) -> Option<u32> {
    Some(match (balance.kind, shown) {
        (BalanceKind::Booked, Shown::List) => 5,
        (BalanceKind::Booked, Shown::Details) => 1,
        (BalanceKind::Booked, Shown::Balances) => {
            if balance.savings {
                4
            } else {
                1
            }
        }
        (BalanceKind::Available, Shown::List) => 4,
        (BalanceKind::Available, Shown::Details) => 0,
        (BalanceKind::Available, Shown::Balances) => {
            if balance.savings {
                5
            } else {
                3
            }
        }
        (BalanceKind::LastMidnight, Shown::List) => 0,
        (BalanceKind::CreditLimit, Shown::Details | Shown::Balances) => 2,
        (BalanceKind::Reserved, Shown::List) => 2,
        (BalanceKind::NotInvoiced, Shown::List) => 7,
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

/// The envelope of an answer that has links of its own.
#[derive(Serialize, Default)]
#[serde(rename_all = "camelCase")]
pub struct EnvelopeTail {
    authentication_schemes: [&'static str; 0],
    properties: super::envelope::Empty,
    status_code: u32,
    tpp_messages: [&'static str; 0],
}

/// The balances of one account, as JSON.
pub fn balance_list(account: &Account, list: &[Balance]) -> Vec<u8> {
    let mut out = Writer::new(1024);
    out.raw(r#"{"account":"#);
    out.value(&AccountReferenceOut::of(account));
    out.raw(r#","balances":"#);
    out.value(&balances(list, Shown::Balances));
    out.rest(&Envelope::with(Links::one("account", format!("/v1/accounts/{}", account.id))));
    out.into_bytes()
}
