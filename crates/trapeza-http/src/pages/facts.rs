//! What is asked, in the visitor's words: who asks, which accounts, which rights, until when; or how much, to whom, from where.

use super::words::{Words, fill};
use trapeza_app::authorisation::{Asked, AskedAccount, AskedPayment};
use trapeza_domain::consent::Scope;
use trapeza_domain::payee::PayeeCheck;

/// A question as a page shows it.
#[derive(Clone, Debug)]
pub struct Facts {
    pub heading: String,
    pub accounts: Vec<AccountFact>,
    /// What the accounts alone do not tell.
    pub note: Option<&'static str>,
    pub rows: Vec<Fact>,
    pub assurance: &'static str,
}

#[derive(Clone, Debug)]
pub struct AccountFact {
    pub name: Option<String>,
    pub number: String,
    pub rights: String,
}

#[derive(Clone, Debug)]
pub struct Fact {
    pub label: &'static str,
    pub value: String,
}

impl Facts {
    pub fn new(words: &'static Words, tpp: &str, organisation: &str, asked: &Asked) -> Self {
        let licence = Fact { label: words.licence, value: organisation.to_owned() };
        match asked {
            Asked::Access { scope, accounts, recurring, until, frequency_per_day } => {
                let heading = match scope {
                    Scope::Listed => words.ask_listed,
                    Scope::AvailableAccounts => words.ask_list,
                    Scope::AvailableAccountsWithBalance => words.ask_list_balances,
                    Scope::AllPsd2 => words.ask_all,
                };
                let often = if *recurring {
                    fill(words.often_with_you, &frequency_per_day.to_string())
                } else {
                    words.once.to_owned()
                };
                Self {
                    heading: fill(heading, tpp),
                    accounts: accounts.iter().map(|account| listed(words, account)).collect(),
                    note: (*scope != Scope::Listed).then_some(words.all_note),
                    rows: vec![
                        Fact { label: words.until, value: words.day(*until) },
                        Fact { label: words.often, value: often },
                        licence,
                    ],
                    assurance: words.no_money,
                }
            }
            Asked::Funds { account, card } => {
                let card = card.iter().map(|card| Fact { label: words.card, value: card.clone() });
                let until = Fact { label: words.until, value: words.until_taken_back.to_owned() };
                let account = AccountFact { rights: words.yes_or_no.to_owned(), ..listed(words, account) };
                Self {
                    heading: fill(words.ask_funds, tpp),
                    accounts: vec![account],
                    note: None,
                    rows: card.chain([until, licence]).collect(),
                    assurance: words.no_money,
                }
            }
            Asked::Payment(payment) => payment_facts(words, tpp, payment, licence),
        }
    }
}

fn payment_facts(words: &'static Words, tpp: &str, payment: &AskedPayment, licence: Fact) -> Facts {
    let heading = if payment.cancellation { words.ask_call_back } else { words.ask_pay };
    let row = |label, value: &str| Fact { label, value: value.to_owned() };
    let mut rows = vec![row(words.amount, &payment.amount.to_string()), row(words.payee, &payment.payee)];
    rows.extend(payment.fee.is_positive().then(|| row(words.fee, &payment.fee.to_string())));
    rows.extend(payment.remittance.as_deref().map(|text| row(words.remittance, text)));
    rows.extend(payment.payee_check.map(|check| row(words.payee_check, payee_words(words, check))));
    rows.push(licence);
    let to = AccountFact {
        name: Some(payment.payee.clone()),
        number: grouped(&payment.payee_account),
        rights: words.to_account.to_owned(),
    };
    Facts {
        heading: fill(heading, tpp),
        accounts: vec![
            AccountFact { rights: words.from_account.to_owned(), ..listed(words, &payment.from) },
            to,
        ],
        note: None,
        rows,
        assurance: words.only_this,
    }
}

const fn payee_words(words: &Words, check: PayeeCheck) -> &'static str {
    match check {
        PayeeCheck::Match => words.payee_fits,
        PayeeCheck::Close => words.payee_close,
        PayeeCheck::NoMatch => words.payee_other,
        PayeeCheck::NotPossible => words.payee_unknown,
    }
}

fn listed(words: &Words, account: &AskedAccount) -> AccountFact {
    let mut rights = vec![words.details];
    rights.extend(account.balances.then_some(words.balances));
    rights.extend(account.transactions.then_some(words.transactions));
    let rights = rights.join(", ");
    AccountFact {
        name: account.name.clone(),
        number: grouped(&account.number),
        rights: account.currency.map_or(rights.clone(), |currency| format!("{currency} · {rights}")),
    }
}

/// An IBAN in groups of four, as it stands on paper. Other numbers stay as they are.
fn grouped(number: &str) -> String {
    let iban = number.len() > 14 && number.bytes().take(2).all(|byte| byte.is_ascii_uppercase());
    if !iban {
        return number.to_owned();
    }
    let mut out = String::new();
    for (index, c) in number.chars().enumerate() {
        if index > 0 && index % 4 == 0 {
            out.push(' ');
        }
        out.push(c);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::grouped;

    #[test]
    fn an_iban_is_grouped_and_a_card_is_not() {
        assert_eq!(grouped("GR1601101250000000012300695"), "GR16 0110 1250 0000 0001 2300 695");
        assert_eq!(grouped("411111******1111"), "411111******1111");
        assert_eq!(grouped("+306912345678"), "+306912345678");
    }
}
