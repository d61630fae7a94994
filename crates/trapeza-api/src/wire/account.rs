//! Accounts and their balances (§2.5), out.

use super::amount::Amount;
use super::envelope::{Envelope, Links, REST};
use super::writer::Writer;
use serde::Serialize;
use trapeza_app::account_information::{AccountView, Balance, BalanceKind};
use trapeza_app::format_date;
use trapeza_domain::account::{Account, AccountStatus, AccountUsage};
use uuid::Uuid;

/// Where a balance is shown; its number depends on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BalanceTable {
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
    pub fn of(view: &'a AccountView, shown: BalanceTable) -> Self {
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
pub fn balances(balances: &[Balance], shown: BalanceTable) -> Vec<BalanceOut> {
    let out = |balance: &Balance| {
        Some(BalanceOut {
            balance_amount: Amount(balance.amount),
            balance_type: balance_number(balance, shown)?,
            credit_limit_included: balance.credit_limit_included,
            reference_date: balance.reference_day.map(format_date),
            last_committed_transaction: balance.last_entry.map(|id| id.to_string()),
        })
    };
    balances.iter().filter_map(out).collect()
}

/// §2.5 has three lists of numbers (docs/decisions.md, "Balances").
const fn balance_number(balance: &Balance, shown: BalanceTable) -> Option<u32> {
    Some(match (balance.kind, shown) {
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

/// The envelope of an answer that has links of its own.
#[derive(Serialize, Default)]
#[serde(rename_all = "camelCase")]
pub struct EnvelopeTail {
    authentication_schemes: [&'static str; 0],
    properties: super::envelope::Empty,
    status_code: u32,
    tpp_messages: [&'static str; 0],
}

/// The balances of one account, as JSON: what is read most often of all.
pub fn balance_list(account: &Account, list: &[Balance]) -> Vec<u8> {
    let mut out = Writer::new(1024);
    out.raw(r#"{"account":{"iban":"#);
    out.text(account.iban.as_str());
    out.raw(r#","currency":""#);
    out.raw(account.currency.code());
    out.raw(r#""},"balances":["#);
    list.iter().for_each(|balance| balance_line(&mut out, balance));
    out.raw(r#"],"_links":{"account":{"href":"/v1/accounts/"#);
    out.raw(account.id.uuid().hyphenated().encode_lower(&mut Uuid::encode_buffer()));
    out.raw(r#""}},"#);
    out.raw(REST);
    out.into_bytes()
}

/// A [`BalanceOut`] where balances are asked for.
fn balance_line(out: &mut Writer, balance: &Balance) {
    let Some(number) = balance_number(balance, BalanceTable::Balances) else { return };
    out.comma();
    out.raw(r#"{"balanceAmount":"#);
    out.amount(balance.amount);
    out.raw(r#","balanceType":"#);
    out.number(number.into());
    out.raw(r#","creditLimitIncluded":"#);
    out.raw(if balance.credit_limit_included { "true" } else { "false" });
    if let Some(day) = balance.reference_day {
        out.raw(r#","referenceDate":"#);
        out.day(day);
    }
    let mut room = Uuid::encode_buffer();
    let last = balance.last_entry.map(|id| &*id.hyphenated().encode_lower(&mut room));
    out.opt_text(r#","lastCommittedTransaction":"#, last);
    out.raw("}");
}

#[cfg(test)]
mod tests {
    use super::*;
    use trapeza_domain::account::AccountKind;
    use trapeza_domain::id::AccountId;
    use trapeza_domain::ledger::LedgerAccountId;
    use trapeza_domain::money::{Currency, Money};
    use trapeza_domain::reference::{Bic, Iban};
    use trapeza_domain::time::Date;

    fn account() -> Account {
        Account {
            id: AccountId::new(Uuid::from_u128(7)),
            ledger: LedgerAccountId(1),
            kind: AccountKind::Current,
            status: AccountStatus::Enabled,
            usage: AccountUsage::Private,
            iban: Iban::parse("GR1601101250000000012300695").unwrap(),
            bic: Bic::parse("TRPZGRAA").unwrap(),
            currency: Currency::EUR,
            product: "Current account".to_owned(),
            name: "Household".to_owned(),
            credit_limit_minor: 50_000,
            owners: Vec::new(),
        }
    }

    /// Every kind, with and without what may be missing.
    fn every_balance() -> Vec<Balance> {
        use BalanceKind::*;
        let kinds = [Booked, Available, LastMidnight, CreditLimit, Reserved, NotInvoiced];
        let cases = kinds.into_iter().flat_map(|kind| (0_i64..8).map(move |case| (kind, case)));
        let balance = |(kind, case): (BalanceKind, i64)| Balance {
            kind,
            amount: Money::new(case * 1_234_567 - 5, Currency::EUR),
            savings: case & 1 > 0,
            credit_limit_included: case & 2 > 0,
            reference_day: (case & 4 > 0).then_some(Date(20_000)),
            last_entry: (case & 4 == 0).then(|| Uuid::from_u128(0xfeed << 64)),
        };
        cases.map(balance).collect()
    }

    #[test]
    fn balances_are_written_as_everywhere_else() {
        #[derive(Serialize)]
        struct Whole<'a> {
            account: AccountReferenceOut<'a>,
            balances: Vec<BalanceOut>,
            #[serde(flatten)]
            envelope: Envelope,
        }
        let (account, all) = (account(), every_balance());
        for list in [&all[..], &all[..1], &[]] {
            let href = format!("/v1/accounts/{}", account.id);
            let whole = Whole {
                account: AccountReferenceOut::of(&account),
                balances: balances(list, BalanceTable::Balances),
                envelope: Envelope::with(Links::one("account", href)),
            };
            let written = String::from_utf8(balance_list(&account, list)).unwrap();
            assert_eq!(written, serde_json::to_string(&whole).unwrap());
        }
    }
}
