//! What is asked, in the visitor's words: who asks, which accounts, which rights, until when; or how much, to whom, from where.

use super::words::{Words, fill};
use trapeza_app::sca::{ApprovalAccount, ApprovalPayment, ApprovalRequest};
use trapeza_domain::consent::Scope;
use trapeza_domain::payee_verification::PayeeVerification;

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
    /// How it stands out, if it does.
    pub class: &'static str,
}

impl Fact {
    pub fn new(label: &'static str, value: impl Into<String>) -> Self {
        Self { label, value: value.into(), class: "" }
    }

    pub fn standing_out(self, class: &'static str) -> Self {
        Self { class, ..self }
    }
}

impl Facts {
    /// A permission that was given: what its third party may do, not what it asks.
    pub fn permitted(words: &'static Words, tpp: &str, organisation: &str, asked: &ApprovalRequest) -> Self {
        let heading = match asked {
            ApprovalRequest::Access { scope: Scope::Listed, .. } => words.may_listed,
            ApprovalRequest::Access { scope: Scope::AvailableAccounts, .. } => words.may_list,
            ApprovalRequest::Access { scope: Scope::AvailableAccountsWithBalance, .. } => {
                words.may_list_balances
            }
            ApprovalRequest::Access { scope: Scope::AllPsd2, .. } => words.may_all,
            ApprovalRequest::Funds { .. } => words.may_funds,
            ApprovalRequest::Payment(_) => words.ask_pay,
        };
        Self { heading: fill(heading, tpp), ..Self::new(words, tpp, organisation, asked) }
    }

    pub fn new(words: &'static Words, tpp: &str, organisation: &str, asked: &ApprovalRequest) -> Self {
        let licence = Fact::new(words.licence, organisation);
        match asked {
            ApprovalRequest::Access { scope, accounts, recurring, until, frequency_per_day } => {
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
                        Fact::new(words.until, words.day(*until)),
                        Fact::new(words.often, often),
                        licence,
                    ],
                    assurance: words.no_money,
                }
            }
            ApprovalRequest::Funds { account, card } => {
                let card = card.iter().map(|card| Fact::new(words.card, card.clone()));
                let until = Fact::new(words.until, words.until_taken_back);
                let account = AccountFact { rights: words.yes_or_no.to_owned(), ..listed(words, account) };
                Self {
                    heading: fill(words.ask_funds, tpp),
                    accounts: vec![account],
                    note: None,
                    rows: card.chain([until, licence]).collect(),
                    assurance: words.no_money,
                }
            }
            ApprovalRequest::Payment(payment) => payment_facts(words, tpp, payment, licence),
        }
    }
}

fn payment_facts(words: &'static Words, tpp: &str, payment: &ApprovalPayment, licence: Fact) -> Facts {
    let heading = match payment.cancellation {
        true => words.ask_call_back,
        // Ordered in the bank's own app, which has no licence to show.
        false if licence.value.is_empty() => words.own_pay,
        false => words.ask_pay,
    };
    let mut rows = vec![
        Fact::new(words.amount, payment.amount.to_string()).standing_out("large"),
        Fact::new(words.payee, payment.payee.clone()),
    ];
    rows.extend(payment.fee.is_positive().then(|| Fact::new(words.fee, payment.fee.to_string())));
    rows.extend(payment.remittance.clone().map(|text| Fact::new(words.remittance, text)));
    rows.extend(payment.payee_verification.map(|check| {
        let fact = Fact::new(words.payee_verification, payee_words(words, check));
        // Whoever pays the wrong person should at least have been told so.
        if check == PayeeVerification::Match { fact } else { fact.standing_out("warn") }
    }));
    rows.extend((!licence.value.is_empty()).then_some(licence));
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

const fn payee_words(words: &Words, check: PayeeVerification) -> &'static str {
    match check {
        PayeeVerification::Match => words.payee_fits,
        PayeeVerification::Close => words.payee_close,
        PayeeVerification::NoMatch => words.payee_other,
        PayeeVerification::NotPossible => words.payee_unknown,
    }
}

fn listed(words: &Words, account: &ApprovalAccount) -> AccountFact {
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
pub fn grouped(number: &str) -> String {
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
