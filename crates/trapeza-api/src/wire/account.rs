//! Accounts and their balances (§2.5).

use super::amount::Amount;
use super::envelope::{Envelope, EnvelopeTail, Links};
use super::reference::Reference;
use super::schema::{numbered, one_of};
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::Serialize;
use trapeza_app::account_information::{AccountView, Balance, BalanceKind};
use trapeza_app::format_date;
use trapeza_domain::account::{Account, AccountStatus, AccountUsage};
use trapeza_domain::id::AccountId;
use uuid::Uuid;

/// Which table defines the numbers of balance types; it depends on the response.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BalanceTable {
    /// In lists, with transactions and for cards.
    List,
    Details,
    Balances,
}

/// A payment account.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "Account")]
pub struct AccountOut<'a> {
    /// The id in paths; it never changes.
    resource_id: Uuid,
    /// The IBAN.
    iban: &'a str,
    /// The currency, ISO 4217.
    #[schemars(regex(pattern = "^[A-Z]{3}$"))]
    currency: &'static str,
    /// The owner's name for the account.
    name: &'a str,
    /// The names of the owners, if the consent grants them.
    #[serde(skip_serializing_if = "Option::is_none")]
    owner_name: Option<String>,
    /// The name of the product.
    product: &'a str,
    /// ISO 20022: CACC current, SVGS savings.
    #[schemars(schema_with = "cash_account_type_schema")]
    cash_account_type: &'static str,
    #[schemars(schema_with = "status_schema")]
    status: u32,
    /// The bank's BIC.
    bic: &'a str,
    #[schemars(schema_with = "usage_schema")]
    usage: u32,
    /// The balances, if requested and covered by the consent.
    #[serde(skip_serializing_if = "Option::is_none")]
    balances: Option<Vec<BalanceOut>>,
    /// Links to what the consent covers.
    #[serde(rename = "_links")]
    links: Links,
}

impl<'a> AccountOut<'a> {
    pub fn of(view: &'a AccountView, table: BalanceTable) -> Self {
        let AccountView { account, owner_names, grant, balances } = view;
        let path = account_path(account.id);
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
            resource_id: account.id.uuid(),
            iban: account.iban.as_str(),
            currency: account.currency.code(),
            name: account.name.as_str(),
            owner_name: grant.owner_name.then(|| owner_names.join(", ")),
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

/// A balance. The meaning of its type depends on the response.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "Balance")]
pub struct BalanceOut {
    /// The amount.
    balance_amount: Amount,
    /// In lists, beside transactions and with cards: 0 closingBooked, 2 authorised, 4 interimAvailable, 5 interimBooked,
    /// 7 nonInvoiced. In the details of an account: 0 available, 1 current, 2 credit limit. In the balances of an account:
    /// 1 current, 2 credit limit, 3 credit available, 4 savings balance, 5 savings available.
    #[schemars(range(max = 7))]
    balance_type: u32,
    /// Whether the credit limit is included.
    credit_limit_included: bool,
    /// The date of the balance, unless it is current.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("format" = "date"))]
    reference_date: Option<String>,
    /// The id of the last booked transaction.
    #[serde(skip_serializing_if = "Option::is_none")]
    last_committed_transaction: Option<Uuid>,
}

/// The balances that have a number in the table.
pub fn balances(balances: &[Balance], table: BalanceTable) -> Vec<BalanceOut> {
    let out = |balance: &Balance| {
        Some(BalanceOut {
            balance_amount: balance.amount.into(),
            balance_type: balance_number(balance, table)?,
            credit_limit_included: balance.credit_limit_included,
            reference_date: balance.reference_day.map(format_date),
            last_committed_transaction: balance.last_entry,
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

fn cash_account_type_schema(_: &mut SchemaGenerator) -> Schema {
    one_of(["CACC", "SVGS"])
}

pub fn status_schema(_: &mut SchemaGenerator) -> Schema {
    numbered(["enabled", "deleted", "blocked"])
}

pub fn usage_schema(_: &mut SchemaGenerator) -> Schema {
    numbered(["PRIV", "ORGA"])
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

/// The accounts of a consent.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Accounts")]
pub struct AccountList<'a> {
    /// The accounts, in the order they were opened.
    pub accounts: Vec<AccountOut<'a>>,
    #[serde(flatten)]
    pub envelope: Envelope,
}

/// A payment account.
#[derive(Serialize, JsonSchema)]
pub struct AccountDetails<'a> {
    #[serde(flatten)]
    pub account: AccountOut<'a>,
    #[serde(flatten)]
    pub envelope: EnvelopeTail,
}

/// The balances of an account.
#[derive(Serialize, JsonSchema)]
pub struct AccountBalances<'a> {
    /// The account.
    account: Reference<'a>,
    /// The balances.
    balances: Vec<BalanceOut>,
    #[serde(flatten)]
    envelope: Envelope,
}

impl<'a> AccountBalances<'a> {
    pub fn of(account: &'a Account, list: &[Balance]) -> Self {
        Self {
            account: Reference::of_account(account),
            balances: balances(list, BalanceTable::Balances),
            envelope: Envelope::with(Links::one("account", account_path(account.id))),
        }
    }
}

/// The path of an account.
pub fn account_path(id: AccountId) -> String {
    ["/v1/accounts/", id.uuid().hyphenated().encode_lower(&mut Uuid::encode_buffer())].concat()
}
