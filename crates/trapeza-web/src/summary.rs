//! The summary of a request for approval: third party, accounts, rights and validity; or amount, payee and account.

use trapeza_app::sca::{ApprovalAccount, ApprovalBulk, ApprovalPayment, ApprovalRequest};
use trapeza_domain::consent::Scope;
use trapeza_domain::payee_verification::{PayeeVerification, VerifiedPayee};
use trapeza_domain::payment::PaymentTiming;
use trapeza_texts::page::{PageTexts, fill, fill_all};
use trapeza_texts::standing_order;

/// The summary as a page shows it.
#[derive(Clone, Debug)]
pub struct Summary {
    /// What people look for: the amount and the payee, or who wants to see what.
    pub headline: String,
    pub heading: String,
    pub accounts: Vec<AccountRow>,
    /// A remark about the scope.
    pub note: Option<&'static str>,
    pub rows: Vec<SummaryRow>,
    /// The verification of the payee's name, where there was one.
    pub payee_check: Option<PayeeCheck>,
    pub assurance: &'static str,
}

/// The result of payee verification. Each result has its own colour, sign and words.
#[derive(Clone, Debug)]
pub struct PayeeCheck {
    /// The CSS class.
    pub class: &'static str,
    pub title: &'static str,
    pub text: String,
}

#[derive(Clone, Debug)]
pub struct AccountRow {
    pub name: Option<String>,
    pub number: String,
    pub rights: String,
}

#[derive(Clone, Debug)]
pub struct SummaryRow {
    pub label: &'static str,
    pub value: String,
    /// The CSS class of the row; empty for none.
    pub class: &'static str,
}

impl SummaryRow {
    pub fn new(label: &'static str, value: impl Into<String>) -> Self {
        Self { label, value: value.into(), class: "" }
    }

    pub fn highlighted(self, class: &'static str) -> Self {
        Self { class, ..self }
    }
}

impl Summary {
    /// The summary of a granted permission.
    pub fn permitted(
        texts: &'static PageTexts,
        tpp: &str,
        organisation: &str,
        approval: &ApprovalRequest,
    ) -> Self {
        let heading = match approval {
            ApprovalRequest::Access { scope: Scope::Listed, .. } => texts.may_listed,
            ApprovalRequest::Access { scope: Scope::AvailableAccounts, .. } => texts.may_list,
            ApprovalRequest::Access { scope: Scope::AvailableAccountsWithBalance, .. } => {
                texts.may_list_balances
            }
            ApprovalRequest::Access { scope: Scope::AllPsd2, .. } => texts.may_all,
            // A permission has its accounts; before that it only asks.
            ApprovalRequest::Access { scope: Scope::Offered, .. } => texts.ask_chosen,
            ApprovalRequest::Funds { .. } => texts.may_funds,
            ApprovalRequest::Payment(_) => texts.ask_pay,
            ApprovalRequest::Basket(_) => texts.ask_basket,
        };
        let heading = fill(heading, tpp);
        Self { headline: heading.clone(), heading, ..Self::new(texts, tpp, organisation, approval) }
    }

    pub fn new(texts: &'static PageTexts, tpp: &str, organisation: &str, approval: &ApprovalRequest) -> Self {
        let licence = SummaryRow::new(texts.licence, organisation);
        match approval {
            ApprovalRequest::Access { scope, accounts, recurring, until, frequency_per_day } => {
                let heading = match scope {
                    Scope::Listed => texts.ask_listed,
                    Scope::AvailableAccounts => texts.ask_list,
                    Scope::AvailableAccountsWithBalance => texts.ask_list_balances,
                    Scope::AllPsd2 => texts.ask_all,
                    Scope::Offered => texts.ask_chosen,
                };
                let often = if *recurring {
                    fill(texts.often_with_you, &frequency_per_day.to_string())
                } else {
                    texts.once.to_owned()
                };
                // While accounts are chosen, their rights are not listed.
                let names_owners = *scope == Scope::Offered && accounts.iter().any(|one| one.owner_name);
                let owners =
                    names_owners.then(|| SummaryRow::new(texts.owner_names, texts.owner_names_shown));
                Self {
                    headline: access_headline(texts, tpp, *scope, accounts.len()),
                    heading: fill(heading, tpp),
                    accounts: accounts.iter().map(|account| listed(texts, account)).collect(),
                    note: (!matches!(scope, Scope::Listed | Scope::Offered)).then_some(texts.all_note),
                    rows: owners
                        .into_iter()
                        .chain([
                            SummaryRow::new(texts.until, texts.day(*until)),
                            SummaryRow::new(texts.often, often),
                            licence,
                        ])
                        .collect(),
                    payee_check: None,
                    assurance: texts.no_money,
                }
            }
            ApprovalRequest::Funds { account, card } => {
                let card = card.iter().map(|card| SummaryRow::new(texts.card, card.clone()));
                let until = SummaryRow::new(texts.until, texts.until_taken_back);
                let account = AccountRow { rights: texts.yes_or_no.to_owned(), ..listed(texts, account) };
                Self {
                    headline: fill(texts.headline.funds, tpp),
                    heading: fill(texts.ask_funds, tpp),
                    accounts: vec![account],
                    note: None,
                    rows: card.chain([until, licence]).collect(),
                    payee_check: None,
                    assurance: texts.no_money,
                }
            }
            ApprovalRequest::Payment(payment) => match &payment.bulk {
                Some(bulk) => {
                    let from =
                        AccountRow { rights: texts.from_account.to_owned(), ..listed(texts, &payment.from) };
                    bulk_facts(texts, tpp, (payment, bulk), from, licence)
                }
                None => payment_facts(texts, tpp, payment, licence),
            },
            ApprovalRequest::Basket(members) => basket_facts(texts, tpp, members, licence),
        }
    }
}

fn access_headline(texts: &PageTexts, tpp: &str, scope: Scope, accounts: usize) -> String {
    let texts = texts.headline;
    match scope {
        Scope::Listed if accounts == 1 => fill(texts.see_one, tpp),
        Scope::Listed => fill_all(texts.see_several, &[tpp, &accounts.to_string()]),
        Scope::AvailableAccounts => fill(texts.see_list, tpp),
        Scope::AvailableAccountsWithBalance => fill(texts.see_balances, tpp),
        Scope::AllPsd2 => fill(texts.see_all, tpp),
        Scope::Offered => fill(texts.see_chosen, tpp),
    }
}

fn payment_facts(
    texts: &'static PageTexts,
    tpp: &str,
    payment: &ApprovalPayment,
    licence: SummaryRow,
) -> Summary {
    let heading = match payment.cancellation {
        true => texts.ask_cancel,
        // Ordered in the bank's own app, which has no licence to show.
        false if licence.value.is_empty() => texts.own_pay,
        false => texts.ask_pay,
    };
    let is_standing = matches!(payment.timing, PaymentTiming::Standing(_));
    let amount = if is_standing { texts.amount_each } else { texts.amount };
    let mut rows = vec![
        SummaryRow::new(amount, texts.money(payment.amount)).highlighted("large"),
        SummaryRow::new(texts.payee, payment.payee.clone()),
    ];
    rows.extend(payment.fee.is_positive().then(|| SummaryRow::new(texts.fee, texts.money(payment.fee))));
    rows.extend(payment.remittance.clone().map(|text| SummaryRow::new(texts.remittance, text)));
    rows.extend(timing_rows(texts, payment.timing));
    rows.extend((!licence.value.is_empty()).then_some(licence));
    let to = AccountRow {
        name: Some(payment.payee.clone()),
        number: format_iban(&payment.payee_account),
        rights: texts.to_account.to_owned(),
    };
    let headline = if payment.cancellation { texts.headline.cancel } else { texts.headline.pay };
    Summary {
        headline: fill_all(headline, &[&texts.money(payment.amount), &payment.payee]),
        heading: fill(heading, tpp),
        accounts: vec![
            AccountRow { rights: texts.from_account.to_owned(), ..listed(texts, &payment.from) },
            to,
        ],
        note: None,
        rows,
        // Who cancels does not pay anyone.
        payee_check: payment
            .payee_verification
            .as_ref()
            .filter(|_| !payment.cancellation)
            .map(|verified| payee_check(texts, verified)),
        assurance: if is_standing && !payment.cancellation { texts.only_on_days } else { texts.only_this },
    }
}

/// The sum, how many payments, the fingerprint of the list, and its first lines.
fn bulk_facts(
    texts: &'static PageTexts,
    tpp: &str,
    (payment, bulk): (&ApprovalPayment, &ApprovalBulk),
    from: AccountRow,
    licence: SummaryRow,
) -> Summary {
    let (heading, headline) = match payment.cancellation {
        true => (texts.bulk_cancel_heading, texts.headline.bulk_cancel),
        false => (texts.bulk_heading, texts.headline.bulk),
    };
    let mut rows = vec![SummaryRow::new(texts.amount, texts.money(payment.amount)).highlighted("large")];
    rows.extend(count_rows(texts, bulk));
    rows.extend(payment.fee.is_positive().then(|| SummaryRow::new(texts.fee, texts.money(payment.fee))));
    rows.extend(timing_rows(texts, payment.timing));
    rows.push(licence);
    let lines = bulk.lines.iter().map(|(amount, payee, account)| AccountRow {
        name: Some(payee.clone()),
        number: format_iban(account),
        rights: texts.money(*amount),
    });
    Summary {
        headline: fill_all(headline, &[&texts.money(payment.amount), &bulk.count.to_string()]),
        heading: fill(heading, tpp),
        accounts: std::iter::once(from).chain(lines).collect(),
        note: Some(texts.bulk_note),
        rows,
        payee_check: None,
        assurance: texts.only_this,
    }
}

/// How many payments it is, the fingerprint of the list, and how many are not listed.
pub fn count_rows(texts: &'static PageTexts, bulk: &ApprovalBulk) -> Vec<SummaryRow> {
    let hidden = (bulk.count as usize).saturating_sub(bulk.lines.len());
    let mut rows = vec![
        SummaryRow::new(texts.bulk_count, bulk.count.to_string()),
        SummaryRow::new(texts.bulk_fingerprint, bulk.fingerprint.clone()),
    ];
    let is_listed = !bulk.lines.is_empty() && hidden > 0;
    rows.extend(
        is_listed.then(|| SummaryRow::new(texts.bulk_more, fill(texts.bulk_payments, &hidden.to_string()))),
    );
    rows
}

/// Whom a payment is for, in a list: the payee, or how many payments it is.
pub fn payee_or_count(texts: &PageTexts, payment: &ApprovalPayment) -> String {
    match &payment.bulk {
        Some(bulk) => fill(texts.bulk_payments, &bulk.count.to_string()),
        None => payment.payee.clone(),
    }
}

/// Every member with everything that its own summary has, one below the other.
fn basket_facts(
    texts: &'static PageTexts,
    tpp: &str,
    members: &[ApprovalRequest],
    licence: SummaryRow,
) -> Summary {
    let mut rows = Vec::new();
    for member in members {
        let summary = Summary::new(texts, tpp, "", member);
        rows.push(SummaryRow::new(texts.basket_order, summary.headline).highlighted("member"));
        for (index, AccountRow { name, number, rights }) in summary.accounts.into_iter().enumerate() {
            let account = name.map_or(number.clone(), |name| format!("{name}, {number}"));
            rows.push(match member {
                ApprovalRequest::Payment(_) => {
                    let label = if index == 0 { texts.from_account } else { texts.to_account };
                    SummaryRow::new(label, account)
                }
                _ => SummaryRow::new(texts.basket_account, format!("{account} ({rights})")),
            });
        }
        rows.extend(summary.note.map(|note| SummaryRow::new(texts.basket_account, note)));
        // The amount and the payee are in the headline, the licence is everybody's.
        rows.extend(summary.rows.into_iter().filter(|row| !row.value.is_empty() && row.class.is_empty()));
        rows.extend(summary.payee_check.map(|check| SummaryRow::new(check.title, check.text)));
    }
    rows.push(licence);
    let heading = fill(texts.ask_basket, tpp);
    Summary {
        headline: heading.clone(),
        heading,
        accounts: Vec::new(),
        note: Some(texts.basket_note),
        rows,
        payee_check: None,
        // A member may be a standing order, or a permission that lasts.
        assurance: texts.only_these,
    }
}

/// When a payment is made, unless it is made at once.
pub fn timing_rows(texts: &'static PageTexts, timing: PaymentTiming) -> Vec<SummaryRow> {
    match timing {
        PaymentTiming::Immediate => Vec::new(),
        PaymentTiming::OnDate(date) => vec![SummaryRow::new(texts.execution_date, texts.day(date))],
        PaymentTiming::Standing(order) => {
            let (language, rule) = (texts.language, order.rule);
            vec![
                SummaryRow::new(texts.standing_order, standing_order::terms(language, &order)),
                SummaryRow::new(texts.standing_order_rule, standing_order::rule(language, rule)),
            ]
        }
    }
}

/// On a close match the payer sees the owner's name (Regulation (EU) 2024/886), on no match never.
pub fn payee_check(texts: &'static PageTexts, verified: &VerifiedPayee) -> PayeeCheck {
    let (class, title, text) = match (verified.result(), verified.owner_name()) {
        (PayeeVerification::Match, _) => ("match", texts.payee_match_title, texts.payee_match.to_owned()),
        (PayeeVerification::Close, Some(name)) => {
            ("close", texts.payee_close_title, fill(texts.payee_close_name, name))
        }
        (PayeeVerification::Close, None) => ("close", texts.payee_close_title, texts.payee_close.to_owned()),
        (PayeeVerification::NoMatch, _) => {
            ("no-match", texts.payee_other_title, texts.payee_other.to_owned())
        }
        (PayeeVerification::NotPossible, _) => {
            ("not-possible", texts.payee_unknown_title, texts.payee_unknown.to_owned())
        }
    };
    PayeeCheck { class, title, text }
}

fn listed(texts: &PageTexts, account: &ApprovalAccount) -> AccountRow {
    let mut rights = vec![texts.details];
    rights.extend(account.balances.then_some(texts.balances));
    rights.extend(account.transactions.then_some(texts.transactions));
    rights.extend(account.owner_name.then_some(texts.owner_name));
    let rights = rights.join(", ");
    AccountRow {
        name: account.name.as_ref().map(|name| texts.account_name(name)),
        number: format_iban(&account.number),
        rights: account.currency.map_or(rights.clone(), |currency| format!("{currency} · {rights}")),
    }
}

/// An IBAN in groups of four, as printed. Other numbers are unchanged.
pub fn format_iban(number: &str) -> String {
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
mod tests;
