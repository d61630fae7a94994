//! What a consent permits: listed accounts, or one of three global permissions.

use crate::field::{Field, FieldPath};
use crate::reference::{AccountReference, Pan, ReferenceFields, StoredReference};
use crate::refusal::FieldErrors;
use crate::string_enum::string_enum;

/// The permissions of a consent, with references as sent or as stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Access<R> {
    Listed(AccessLists<R>),
    /// The list of accounts only.
    AvailableAccounts,
    /// The list of accounts with their balances.
    AvailableAccountsWithBalance,
    /// Everything, including cards.
    AllPsd2,
    /// The customer chooses the accounts at the bank; nothing is permitted before.
    Offered(OfferedRights),
}

/// What a third party asks for without naming accounts, besides the accounts themselves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OfferedRights {
    pub balances: bool,
    pub transactions: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AccessLists<R> {
    pub accounts: Vec<R>,
    pub balances: Vec<R>,
    pub transactions: Vec<R>,
}

string_enum! {
    /// Which of the five forms an access has.
    pub enum Scope {
        Listed = "listed",
        AvailableAccounts = "availableAccounts",
        AvailableAccountsWithBalance = "availableAccountsWithBalance",
        AllPsd2 = "allPsd2",
        Offered = "offered",
    }
}

/// The fields of `access` as sent.
#[derive(Clone, Debug, Default)]
pub struct AccessFields<'a> {
    pub accounts: Vec<ReferenceFields<'a>>,
    pub balances: Vec<ReferenceFields<'a>>,
    pub transactions: Vec<ReferenceFields<'a>>,
    pub available_accounts: Option<&'a str>,
    pub available_accounts_with_balance: Option<&'a str>,
    pub all_psd2: Option<&'a str>,
}

impl<R> Access<R> {
    pub const fn scope(&self) -> Scope {
        match self {
            Self::Listed(_) => Scope::Listed,
            Self::AvailableAccounts => Scope::AvailableAccounts,
            Self::AvailableAccountsWithBalance => Scope::AvailableAccountsWithBalance,
            Self::AllPsd2 => Scope::AllPsd2,
            Self::Offered(_) => Scope::Offered,
        }
    }

    /// An access of this form, unless it has data of its own.
    pub fn of_scope(scope: Scope) -> Option<Self> {
        Some(match scope {
            Scope::Listed | Scope::Offered => return None,
            Scope::AvailableAccounts => Self::AvailableAccounts,
            Scope::AvailableAccountsWithBalance => Self::AvailableAccountsWithBalance,
            Scope::AllPsd2 => Self::AllPsd2,
        })
    }
}

impl Access<AccountReference> {
    /// Parses the fields: either one flag and empty lists, or non-empty lists and no flag. The paths of errors are
    /// relative to the access.
    pub fn parse(fields: &AccessFields<'_>, errors: &mut FieldErrors) -> Option<Self> {
        let lists = lists(fields, errors);
        let listed = [&fields.accounts, &fields.balances, &fields.transactions].iter().any(|l| !l.is_empty());
        let mut flags = Vec::new();
        for (scope, field, value) in [
            (Scope::AvailableAccounts, Field::AvailableAccounts, fields.available_accounts),
            (
                Scope::AvailableAccountsWithBalance,
                Field::AvailableAccountsWithBalance,
                fields.available_accounts_with_balance,
            ),
            (Scope::AllPsd2, Field::AllPsd2, fields.all_psd2),
        ] {
            flags.extend(value.map(|_| scope));
            if value.is_some_and(|value| value != "allAccounts") {
                errors.add(field, "must be allAccounts");
                return None;
            }
        }
        match (flags.as_slice(), listed) {
            ([], true) => lists.map(Self::Listed),
            ([scope], false) => lists.and_then(|_| Self::of_scope(*scope)),
            ([], false) => {
                let text = "name accounts in accounts, balances or transactions, or give one of \
                            availableAccounts, availableAccountsWithBalance and allPsd2";
                errors.add(FieldPath::REQUEST, text);
                None
            }
            ([scope], true) => {
                errors.add(
                    FieldPath::REQUEST,
                    format!("the lists must be empty when {} is given", scope.name()),
                );
                None
            }
            _ => {
                let text =
                    "only one of availableAccounts, availableAccountsWithBalance and allPsd2 may be given";
                errors.add(FieldPath::REQUEST, text);
                None
            }
        }
    }

    /// The access with stored references.
    pub fn to_stored(&self, hash: &dyn Fn(&Pan) -> [u8; 32]) -> Access<StoredReference> {
        let held =
            |list: &[AccountReference]| list.iter().map(|reference| reference.to_stored(hash)).collect();
        match self {
            Self::Listed(lists) => Access::Listed(AccessLists {
                accounts: held(&lists.accounts),
                balances: held(&lists.balances),
                transactions: held(&lists.transactions),
            }),
            Self::AvailableAccounts => Access::AvailableAccounts,
            Self::AvailableAccountsWithBalance => Access::AvailableAccountsWithBalance,
            Self::AllPsd2 => Access::AllPsd2,
            Self::Offered(rights) => Access::Offered(*rights),
        }
    }
}

/// Parses all lists, so that every error is reported.
fn lists(fields: &AccessFields<'_>, errors: &mut FieldErrors) -> Option<AccessLists<AccountReference>> {
    let mut read = |field: Field, list: &[ReferenceFields<'_>]| -> Option<Vec<AccountReference>> {
        let one = |(index, fields): (usize, &ReferenceFields<'_>)| {
            errors.inside(field.element(index), |errors| AccountReference::parse(*fields, errors))
        };
        let read: Vec<Option<AccountReference>> = list.iter().enumerate().map(one).collect();
        read.into_iter().collect()
    };
    let accounts = read(Field::Accounts, &fields.accounts);
    let balances = read(Field::Balances, &fields.balances);
    let transactions = read(Field::Transactions, &fields.transactions);
    Some(AccessLists { accounts: accounts?, balances: balances?, transactions: transactions? })
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALL: Option<&str> = Some("allAccounts");

    fn iban(text: &str) -> Vec<ReferenceFields<'_>> {
        vec![ReferenceFields { iban: Some(text), ..Default::default() }]
    }

    fn good() -> Vec<ReferenceFields<'static>> {
        iban("GR1601101250000000012300695")
    }

    /// The parsed form, or the paths of all errors.
    fn parse(fields: &AccessFields<'_>) -> Result<Scope, Vec<FieldPath>> {
        let mut errors = FieldErrors::default();
        let access = Access::parse(fields, &mut errors);
        match errors.finish() {
            Ok(()) => Ok(access.expect("no errors, so a value").scope()),
            Err(refusal) => {
                assert!(access.is_none(), "errors leave no value");
                Err(refusal.errors.into_iter().map(|error| error.path).collect())
            }
        }
    }

    #[test]
    fn parse_accepts_lists_or_one_flag() {
        let listed = AccessFields { balances: good(), ..Default::default() };
        assert_eq!(parse(&listed), Ok(Scope::Listed));
        let flag = AccessFields { all_psd2: ALL, ..Default::default() };
        assert_eq!(parse(&flag), Ok(Scope::AllPsd2));
        let flag = AccessFields { available_accounts: ALL, ..Default::default() };
        assert_eq!(parse(&flag), Ok(Scope::AvailableAccounts));
        let flag = AccessFields { available_accounts_with_balance: ALL, ..Default::default() };
        assert_eq!(parse(&flag), Ok(Scope::AvailableAccountsWithBalance));
    }

    #[test]
    fn parse_rejects_none_both_and_two_flags() {
        let whole = Err(vec![FieldPath::REQUEST]);
        assert_eq!(parse(&AccessFields::default()), whole);
        let both = AccessFields { accounts: good(), all_psd2: ALL, ..Default::default() };
        assert_eq!(parse(&both), whole);
        let two = AccessFields { available_accounts: ALL, all_psd2: ALL, ..Default::default() };
        assert_eq!(parse(&two), whole);
    }

    #[test]
    fn parse_reports_every_error_with_its_path() {
        let fields = AccessFields {
            accounts: [good(), iban("GR00")].concat(),
            transactions: vec![ReferenceFields::default()],
            ..Default::default()
        };
        let iban = FieldPath::from(Field::Iban).inside(Field::Accounts.element(1));
        assert_eq!(parse(&fields), Err(vec![iban, Field::Transactions.element(0).into()]));
        let odd = AccessFields { all_psd2: Some("some"), ..Default::default() };
        assert_eq!(parse(&odd), Err(vec![Field::AllPsd2.into()]));
    }
}
