//! Accounts and their balances.

use super::amount::Amount;
use super::reference::Reference;
use super::schema;
use super::text::{cut, short_id};
use crate::link::Links;
use schemars::JsonSchema;
use serde::Serialize;
use trapeza_app::account_information::{AccountView, Balance, BalanceKind};
use trapeza_app::format_date;
use trapeza_domain::account::{Account, AccountStatus, AccountUsage};
use trapeza_domain::money::Money;
use uuid::Uuid;

/// A payment account.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "Account", deny_unknown_fields)]
pub struct AccountOut<'a> {
    /// The id in paths; it never changes.
    resource_id: Uuid,
    /// The IBAN.
    iban: &'a str,
    /// The currency, ISO 4217.
    #[schemars(regex(pattern = "^[A-Z]{3}$"))]
    currency: &'static str,
    /// The names of the owners, where the consent grants them.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = 140))]
    owner_name: Option<String>,
    /// The owner's name for the account.
    #[schemars(length(max = 70))]
    name: &'a str,
    /// The name of the product.
    #[schemars(length(max = 35))]
    product: &'a str,
    /// ISO 20022: CACC current, SVGS savings.
    #[schemars(extend("enum" = ["CACC", "SVGS"]))]
    cash_account_type: &'static str,
    #[schemars(schema_with = "schema::account_status")]
    status: &'static str,
    /// The bank's BIC.
    bic: &'a str,
    #[schemars(schema_with = "schema::account_usage")]
    usage: &'static str,
    /// The balances, if requested and covered by the consent.
    #[serde(skip_serializing_if = "Option::is_none")]
    balances: Option<Vec<BalanceOut>>,
    /// Links to what the consent covers.
    #[serde(rename = "_links", skip_serializing_if = "Links::is_empty")]
    links: Links,
}

impl<'a> AccountOut<'a> {
    pub fn of(view: &'a AccountView, base: &str) -> Self {
        let AccountView { account, owner_names, grant, balances } = view;
        let path = format!("{base}/v1/accounts/{}", account.id);
        Self {
            resource_id: account.id.uuid(),
            iban: account.iban.as_str(),
            currency: account.currency.code(),
            owner_name: grant.owner_name.then(|| cut(&owner_names.join(", "), 140).to_owned()),
            name: cut(account.name.as_str(), 70),
            product: cut(&account.product, 35),
            cash_account_type: account.kind.cash_account_type(),
            status: status(account.status),
            bic: account.bic.as_str(),
            usage: usage(account.usage),
            balances: balances.as_deref().map(|list| self::balances(list, account.credit_limit_minor)),
            links: Links::default().and_if(grant.balances, "balances", || format!("{path}/balances")).and_if(
                grant.transactions,
                "transactions",
                || format!("{path}/transactions"),
            ),
        }
    }
}

/// A balance.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "Balance", deny_unknown_fields)]
pub struct BalanceOut {
    balance_amount: Amount,
    #[schemars(extend("enum" = ["closingBooked", "expected", "interimAvailable", "interimBooked", "nonInvoiced"]))]
    balance_type: &'static str,
    /// Whether the credit limit is included.
    #[serde(skip_serializing_if = "Option::is_none")]
    credit_limit_included: Option<bool>,
    /// The date of the balance, unless it is current.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("format" = "date"))]
    reference_date: Option<String>,
    /// The last booked transaction.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = 35))]
    last_committed_transaction: Option<String>,
}

/// The balances in the types of the standard. What is booked less what is held is expected; a credit limit is no balance.
pub fn balances(balances: &[Balance], credit_limit_minor: i64) -> Vec<BalanceOut> {
    let mut out = Vec::with_capacity(balances.len() + 1);
    for balance in balances {
        let balance_type = match balance.kind {
            BalanceKind::Booked => "interimBooked",
            BalanceKind::Available => "interimAvailable",
            BalanceKind::LastMidnight => "closingBooked",
            BalanceKind::NotInvoiced => "nonInvoiced",
            BalanceKind::CreditLimit | BalanceKind::Reserved => continue,
        };
        let is_available = balance.kind == BalanceKind::Available;
        out.push(BalanceOut {
            balance_amount: balance.amount.into(),
            balance_type,
            credit_limit_included: is_available.then_some(balance.credit_limit_included),
            reference_date: balance.reference_day.map(format_date),
            last_committed_transaction: balance.last_entry.map(short_id),
        });
        if is_available {
            let minor = balance.amount.minor.saturating_sub(credit_limit_minor);
            out.push(BalanceOut {
                balance_amount: Money::new(minor, balance.amount.currency).into(),
                balance_type: "expected",
                credit_limit_included: None,
                reference_date: None,
                last_committed_transaction: None,
            });
        }
    }
    out
}

pub const fn status(status: AccountStatus) -> &'static str {
    match status {
        AccountStatus::Enabled => "enabled",
        AccountStatus::Deleted => "deleted",
        AccountStatus::Blocked => "blocked",
    }
}

pub const fn usage(usage: AccountUsage) -> &'static str {
    match usage {
        AccountUsage::Private => "PRIV",
        AccountUsage::Organisation => "ORGA",
    }
}

/// The accounts of a consent.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Accounts", deny_unknown_fields)]
pub struct AccountList<'a> {
    /// The accounts, in the order they were opened.
    pub accounts: Vec<AccountOut<'a>>,
}

/// One account of a consent.
#[derive(Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct AccountDetails<'a> {
    pub account: AccountOut<'a>,
}

/// The balances of an account.
#[derive(Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct AccountBalances<'a> {
    account: Reference<'a>,
    balances: Vec<BalanceOut>,
}

impl<'a> AccountBalances<'a> {
    pub fn of(account: &'a Account, list: &[Balance]) -> Self {
        Self { account: Reference::of_account(account), balances: balances(list, account.credit_limit_minor) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;
    use trapeza_domain::money::Currency;
    use trapeza_domain::time::Date;

    #[test]
    fn credit_limit_is_in_what_is_available_and_not_in_what_is_expected() {
        let balance = |kind, minor| Balance {
            kind,
            amount: Money::new(minor, Currency::EUR),
            savings: false,
            credit_limit_included: false,
            reference_day: None,
            last_entry: None,
        };
        let list = [
            Balance { last_entry: Some(Uuid::nil()), ..balance(BalanceKind::Booked, 10_000) },
            Balance { credit_limit_included: true, ..balance(BalanceKind::Available, 57_000) },
            balance(BalanceKind::CreditLimit, 50_000),
            balance(BalanceKind::Reserved, 3_000),
            balance(BalanceKind::NotInvoiced, -200),
            Balance { reference_day: Some(Date(20_818)), ..balance(BalanceKind::LastMidnight, 9_000) },
        ];
        let amount = |text: &str| json!({ "currency": "EUR", "amount": text });
        assert_eq!(
            serde_json::to_value(balances(&list, 50_000)).unwrap(),
            json!([
                {
                    "balanceAmount": amount("100.00"),
                    "balanceType": "interimBooked",
                    "lastCommittedTransaction": "00000000000000000000000000000000",
                },
                {
                    "balanceAmount": amount("570.00"),
                    "balanceType": "interimAvailable",
                    "creditLimitIncluded": true,
                },
                { "balanceAmount": amount("70.00"), "balanceType": "expected" },
                { "balanceAmount": amount("-2.00"), "balanceType": "nonInvoiced" },
                {
                    "balanceAmount": amount("90.00"),
                    "balanceType": "closingBooked",
                    "referenceDate": "2026-12-31",
                },
            ])
        );
    }

    #[test]
    fn status_and_usage_have_the_words_of_the_standard() {
        let statuses = [AccountStatus::Enabled, AccountStatus::Deleted, AccountStatus::Blocked].map(status);
        assert_eq!(statuses, ["enabled", "deleted", "blocked"]);
        assert_eq!([AccountUsage::Private, AccountUsage::Organisation].map(usage), ["PRIV", "ORGA"]);
    }
}
