//! Samples of the app's pages, with names that try to be markup.

use super::view::{
    Account, AccountCard, Accounts, Choice, Code, Line, Pay, PermissionCard, Permissions, Question,
};
use super::view::{LoanCard, LoanWithdrawal, Loans, Questions, SignIn, Top, Typed};
use crate::facts::Fact;
use crate::samples::{EVIL, Samples, all_facts, facts, form, frame};
use crate::words::{Words, fill};

fn top(words: &'static Words, here: &str) -> Top {
    Top::new(words, "Eleni <b>P</b>", here, form())
}

fn card(words: &Words, note: Option<&'static str>) -> AccountCard {
    AccountCard {
        href: "/app/accounts/1".to_owned(),
        name: EVIL.to_owned(),
        number: "GR16 0110 1250 0000 0001 2300 695".to_owned(),
        note,
        rows: vec![Fact::new(words.app.booked, "1,234.56 EUR")],
    }
}

impl Samples for Accounts {
    fn samples(words: &'static Words) -> Vec<Self> {
        let accounts = vec![card(words, None), card(words, Some(words.app.blocked))];
        vec![Self { frame: frame(words, words.app.tab_accounts), top: top(words, "/app/accounts"), accounts }]
    }
}

impl Samples for Account {
    fn samples(words: &'static Words) -> Vec<Self> {
        let line = |into| Line {
            day: "1 March 2026".to_owned(),
            who: EVIL.to_owned(),
            text: Some("Rent <b>November</b>".to_owned()),
            amount: "12.50 EUR".to_owned(),
            into,
        };
        let one = |lines| Self {
            frame: frame(words, words.app.tab_accounts),
            top: top(words, "/app/accounts"),
            account: card(words, None),
            lines,
        };
        vec![one(vec![line(true), line(false)]), one(Vec::new())]
    }
}

impl Samples for Pay {
    fn samples(words: &'static Words) -> Vec<Self> {
        let choice = Choice { id: "1".to_owned(), label: EVIL.to_owned(), chosen: true };
        let one = |typed, faults| Self {
            frame: frame(words, words.app.tab_pay),
            top: top(words, "/app/pay"),
            form: form(),
            once: "6f9619ff".to_owned(),
            accounts: vec![choice.clone()],
            typed,
            faults,
        };
        let typed = Typed { iban: "\"><script>".to_owned(), name: EVIL.to_owned(), ..Typed::default() };
        vec![
            one(Typed::default(), Vec::new()),
            one(typed, vec![words.app.pay_iban_wrong, words.app.pay_amount_wrong]),
        ]
    }
}

impl Samples for Loans {
    fn samples(words: &'static Words) -> Vec<Self> {
        let line = |text: Option<&str>| Line {
            day: words.day(trapeza_domain::time::Date(20_000)),
            who: String::new(),
            text: text.map(str::to_owned),
            amount: "30.00 EUR".to_owned(),
            into: text.is_some(),
        };
        let card = |late, repay: bool| LoanCard {
            id: "6f9619ff".to_owned(),
            merchant: EVIL.to_owned(),
            state: words.app.loan_active.to_owned(),
            late,
            rows: vec![Fact::new(words.app.loan_left, "60.00 EUR").standing_out("large")],
            schedule: vec![line(Some(words.app.loan_paid)), line(None)],
            repay: repay.then(|| fill(words.app.loan_repay, "60.00 EUR")),
            withdraw: repay.then(|| LoanWithdrawal {
                text: fill(words.app.loan_withdraw_text, "1 May 2026"),
                label: fill(words.app.loan_withdraw, "60.00 EUR"),
            }),
        };
        let one = |loans, told| Self {
            frame: frame(words, words.app.loans_title),
            top: top(words, "/app/loans"),
            form: form(),
            loans,
            told,
        };
        vec![
            one(Vec::new(), None),
            one(vec![card(false, true), card(true, false)], Some((words.app.loan_told_repaid, true))),
            one(vec![card(true, true)], Some((words.app.loan_told_short, false))),
        ]
    }
}

impl Samples for Permissions {
    fn samples(words: &'static Words) -> Vec<Self> {
        let card = |facts| PermissionCard {
            id: "6f9619ff".to_owned(),
            facts,
            state: words.app.permission_ended.to_owned(),
            rows: vec![Fact::new(words.app.last_used, words.app.never_used)],
        };
        let all = || all_facts(words).into_iter().map(card).collect::<Vec<_>>();
        let one = |now, before, told| Self {
            frame: frame(words, words.app.permissions_title),
            top: top(words, "/app/permissions"),
            form: form(),
            now,
            before,
            told,
        };
        vec![one(Vec::new(), Vec::new(), None), one(all(), all(), Some(words.app.withdrawn))]
    }
}

impl Samples for SignIn {
    fn samples(words: &'static Words) -> Vec<Self> {
        let one = |user: &str, fault| Self {
            frame: frame(words, words.app.title),
            form: form(),
            user: user.to_owned(),
            fault,
        };
        vec![
            one("", None),
            one("\"><script>x</script>", Some(words.app.wrong)),
            one("eleni", Some(words.app.slow)),
        ]
    }
}

impl Samples for Code {
    fn samples(words: &'static Words) -> Vec<Self> {
        let one = |fault| Self { frame: frame(words, words.app.code_title), form: form(), fault };
        vec![one(None), one(Some(words.code_wrong))]
    }
}

impl Samples for Questions {
    fn samples(words: &'static Words) -> Vec<Self> {
        let question = |facts| Question {
            id: "6f9619ff".to_owned(),
            facts,
            numbers: ["17", "42", "80"].map(str::to_owned).to_vec(),
            link: "00ff".to_owned(),
        };
        let one = |questions, told| Self {
            frame: frame(words, words.app.title),
            form: form(),
            top: top(words, "/app"),
            seen: "6f9619ff".to_owned(),
            questions,
            told,
        };
        vec![
            one(vec![question(facts(words))], None),
            one(all_facts(words).into_iter().map(question).collect(), Some((words.app.told_wrong, false))),
            one(Vec::new(), Some((words.app.told_approved, true))),
            one(Vec::new(), Some((words.app.told_refused, false))),
            one(Vec::new(), Some((words.app.told_gone, false))),
        ]
    }
}
