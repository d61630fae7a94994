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
mod tests {
    use super::*;
    use trapeza_domain::account::AccountName;
    use trapeza_domain::money::{Currency, Money};
    use trapeza_domain::time::Date;
    use trapeza_texts::page::ENGLISH;

    const LICENCE: (&str, &str) = ("Licence", "PSDGR-BOG-000001");

    const fn eur(minor: i64) -> Money {
        Money::new(minor, Currency::EUR)
    }

    fn household() -> ApprovalAccount {
        ApprovalAccount {
            number: "GR1601101250000000012300695".to_owned(),
            currency: Some("EUR"),
            name: Some(AccountName::own("Household")),
            balances: false,
            transactions: false,
            owner_name: false,
        }
    }

    fn payment() -> ApprovalPayment {
        ApprovalPayment {
            cancellation: false,
            amount: eur(123_456),
            fee: eur(35),
            payee: "Anna Muster".to_owned(),
            payee_account: "DE89370400440532013000".to_owned(),
            from: household(),
            remittance: Some("Invoice 7".to_owned()),
            timing: PaymentTiming::OnDate(Date(20_818)),
            payee_verification: None,
            bulk: None,
        }
    }

    fn access(scope: Scope, accounts: Vec<ApprovalAccount>, recurring: bool) -> ApprovalRequest {
        ApprovalRequest::Access { scope, accounts, recurring, until: Date(20_818), frequency_per_day: 4 }
    }

    fn summary_of(approval: &ApprovalRequest) -> Summary {
        Summary::new(&ENGLISH, "Kyklos", LICENCE.1, approval)
    }

    fn rows(summary: &Summary) -> Vec<(&str, &str)> {
        summary.rows.iter().map(|row| (row.label, row.value.as_str())).collect()
    }

    fn accounts(summary: &Summary) -> Vec<(Option<&str>, &str, &str)> {
        summary
            .accounts
            .iter()
            .map(|row| (row.name.as_deref(), row.number.as_str(), row.rights.as_str()))
            .collect()
    }

    #[test]
    fn only_ibans_are_grouped() {
        assert_eq!(format_iban("GR1601101250000000012300695"), "GR16 0110 1250 0000 0001 2300 695");
        assert_eq!(format_iban("411111******1111"), "411111******1111");
        assert_eq!(format_iban("+306912345678"), "+306912345678");
    }

    #[test]
    fn payee_checks_differ_and_only_a_close_match_names_the_owner() {
        for texts in [&trapeza_texts::page::ENGLISH, &trapeza_texts::page::GREEK] {
            let checks: Vec<PayeeCheck> = PayeeVerification::ALL
                .iter()
                .map(|result| {
                    payee_check(texts, &VerifiedPayee::new(*result, Some("Eleni Papadaki".to_owned())))
                })
                .collect();
            for (index, check) in checks.iter().enumerate() {
                let is_close = PayeeVerification::ALL[index] == PayeeVerification::Close;
                assert_eq!(check.text.contains("Eleni Papadaki"), is_close, "{check:?}");
                let same = |other: &&PayeeCheck| {
                    other.class == check.class || other.title == check.title || other.text == check.text
                };
                assert_eq!(checks.iter().filter(same).count(), 1, "{check:?}");
            }
        }
    }

    #[test]
    fn payment_has_each_fact_at_its_place() {
        let own = (Some("Household"), "GR16 0110 1250 0000 0001 2300 695", "From this account");
        let other = (Some("Anna Muster"), "DE89 3704 0044 0532 0130 00", "To this account");
        let ordered = summary_of(&ApprovalRequest::Payment(Box::new(payment())));
        assert_eq!(ordered.headline, "€1,234.56 to Anna Muster");
        assert_eq!(ordered.heading, "Kyklos asks to make this payment");
        assert_eq!(
            rows(&ordered),
            [
                ("Amount", "€1,234.56"),
                ("To", "Anna Muster"),
                ("Fee", "€0.35"),
                ("Reference", "Invoice 7"),
                ("Execution date", "31 December 2026"),
                LICENCE
            ]
        );
        assert_eq!(accounts(&ordered), [own, other]);

        let cancelled = ApprovalPayment { cancellation: true, ..payment() };
        let cancelled = summary_of(&ApprovalRequest::Payment(Box::new(cancelled)));
        assert_eq!(cancelled.headline, "Cancel €1,234.56 to Anna Muster");
        assert_eq!(cancelled.heading, "Kyklos asks to cancel this payment");
        assert_eq!(accounts(&cancelled), [own, other]);

        let plain =
            ApprovalPayment { fee: eur(0), remittance: None, timing: PaymentTiming::Immediate, ..payment() };
        let plain = Summary::new(&ENGLISH, "", "", &ApprovalRequest::Payment(Box::new(plain)));
        assert_eq!(plain.heading, "You pay");
        assert_eq!(rows(&plain), [("Amount", "€1,234.56"), ("To", "Anna Muster")]);
    }

    #[test]
    fn bulk_payment_shows_its_sum_count_fingerprint_and_first_lines() {
        let line = |minor, payee: &str, account: &str| (eur(minor), payee.to_owned(), account.to_owned());
        let bulk = ApprovalBulk {
            count: 3,
            fingerprint: "A1B2-C3D4".to_owned(),
            lines: vec![
                line(1_000, "Anna Muster", "DE89370400440532013000"),
                line(2_000, "Paul Weber", "FR1420041010050500013M02606"),
            ],
        };
        let bulk = ApprovalPayment { bulk: Some(bulk), ..payment() };
        let summary = summary_of(&ApprovalRequest::Payment(Box::new(bulk)));
        assert_eq!(summary.headline, "€1,234.56 in 3 payments");
        assert_eq!(summary.heading, "Kyklos asks to make these payments");
        assert_eq!(
            rows(&summary),
            [
                ("Amount", "€1,234.56"),
                ("Payments", "3"),
                ("List", "A1B2-C3D4"),
                ("Not shown", "1 payments"),
                ("Fee", "€0.35"),
                ("Execution date", "31 December 2026"),
                LICENCE
            ]
        );
        assert_eq!(
            accounts(&summary),
            [
                (Some("Household"), "GR16 0110 1250 0000 0001 2300 695", "From this account"),
                (Some("Anna Muster"), "DE89 3704 0044 0532 0130 00", "€10.00"),
                (Some("Paul Weber"), "FR14 2004 1010 0505 0001 3M02 606", "€20.00")
            ]
        );
    }

    #[test]
    fn each_right_is_listed_beside_the_account_that_it_is_for() {
        let listed = vec![
            ApprovalAccount { balances: true, ..household() },
            ApprovalAccount { currency: None, transactions: true, ..household() },
            ApprovalAccount { owner_name: true, ..household() },
        ];
        let summary = summary_of(&access(Scope::Listed, listed.clone(), true));
        let rights: Vec<&str> = accounts(&summary).into_iter().map(|(_, _, rights)| rights).collect();
        assert_eq!(
            rights,
            [
                "EUR · Name and number, balance",
                "Name and number, transactions",
                "EUR · Name and number, names of the owners"
            ]
        );
        let often = ("How often", "Whenever you use it, and up to 4 times a day without you");
        assert_eq!(rows(&summary), [("Until", "31 December 2026"), often, LICENCE]);
        let once = summary_of(&access(Scope::Listed, listed, false));
        assert_eq!(rows(&once), [("Until", "31 December 2026"), ("How often", "Once"), LICENCE]);
    }

    #[test]
    fn each_scope_has_its_own_words_when_asked_for_and_when_given() {
        let later = Some("This includes accounts that you open later.");
        for (scope, what, note) in [
            (Scope::Listed, "read these accounts", None),
            (Scope::AvailableAccounts, "see which accounts you have", later),
            (Scope::AvailableAccountsWithBalance, "see your accounts and their balances", later),
            (Scope::AllPsd2, "read all your accounts and cards", later),
        ] {
            let approval = access(scope, vec![household()], true);
            let (asked, given) =
                (summary_of(&approval), Summary::permitted(&ENGLISH, "Kyklos", LICENCE.1, &approval));
            assert_eq!(asked.heading, format!("Kyklos asks to {what}"));
            assert_eq!(given.heading, format!("Kyklos may {what}"));
            assert_eq!((asked.note, given.note), (note, note), "{scope:?}");
        }
    }

    #[test]
    fn funds_consent_names_its_account_and_card() {
        let card = Some("411111******1111".to_owned());
        let approval = ApprovalRequest::Funds { account: household(), card };
        let asked = summary_of(&approval);
        assert_eq!(asked.heading, "Kyklos asks to check whether an amount is available");
        assert_eq!(rows(&asked), [("Card", "411111******1111"), ("Until", "Until you withdraw it"), LICENCE]);
        let rights = "Yes or no to an amount, never the balance";
        assert_eq!(accounts(&asked), [(Some("Household"), "GR16 0110 1250 0000 0001 2300 695", rights)]);
        let given = Summary::permitted(&ENGLISH, "Kyklos", LICENCE.1, &approval);
        assert_eq!(given.heading, "Kyklos may check whether an amount is available");
    }
}
