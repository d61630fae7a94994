//! Samples of the app's template contexts, with markup in names.

use super::templates::SessionView;
use super::templates::{
    AccountCard, Accounts, Choice, Code, Line, Pay, PayErrors, PermissionCard, Permissions, Question,
};
use super::templates::{
    AppHeader, Confirm, ConfirmApproval, Home, LoanCard, LoanPage, LoanWithdrawal, Loans, SignIn, TypedValues,
};
use crate::layout::Back;
use crate::samples::{EVIL, Samples, all_facts, form, layout, summary};
use crate::summary::SummaryRow;
use trapeza_domain::credit_document::DocumentKind;
use trapeza_domain::payment::{PaymentRejection, RejectionReason};
use trapeza_texts::page::{PageTexts, fill};
use trapeza_texts::rejection;

pub fn app_header(texts: &'static PageTexts, here: &str) -> AppHeader {
    let session = SessionView { ends: "14:20".to_owned(), seconds: 900, page: "/app/pay".to_owned() };
    AppHeader::new(texts, "Eleni <b>P</b>", here, (form(), session))
}

pub fn account_card(texts: &PageTexts, note: Option<&'static str>) -> AccountCard {
    AccountCard {
        href: "/app/accounts/1".to_owned(),
        name: EVIL.to_owned(),
        number: "GR16 0110 1250 0000 0001 2300 695".to_owned(),
        note,
        rows: vec![SummaryRow::new(texts.app.booked, "1,234.56 EUR")],
    }
}

pub const UNFUNDED: PaymentRejection =
    PaymentRejection { reason: RejectionReason::Funds, clearing_code: None };

impl Samples for Accounts {
    fn samples(texts: &'static PageTexts) -> Vec<Self> {
        let accounts = vec![account_card(texts, None), account_card(texts, Some(texts.app.blocked))];
        vec![Self {
            layout: layout(texts, texts.app.tab_accounts),
            top: app_header(texts, "/app/accounts"),
            accounts,
            cards: Vec::new(),
            rejected: vec![Line {
                day: "1 March 2026".to_owned(),
                who: EVIL.to_owned(),
                text: Some(rejection::sentence(texts.language, &UNFUNDED)),
                amount: "12.50 EUR".to_owned(),
                into: false,
            }],
        }]
    }
}

impl Samples for Pay {
    fn samples(texts: &'static PageTexts) -> Vec<Self> {
        let choice = Choice { id: "1".to_owned(), label: EVIL.to_owned(), chosen: true };
        let one = |typed, errors| Self {
            layout: layout(texts, texts.app.tab_pay),
            top: app_header(texts, "/app/pay"),
            form: form(),
            idempotency_key: "6f9619ff".to_owned(),
            accounts: vec![choice.clone()],
            fees: fill(&fill(texts.customer.pay_fees, texts.customer.pay_free), "€0.50"),
            typed,
            errors,
        };
        let typed =
            TypedValues { iban: "\"><script>".to_owned(), name: EVIL.to_owned(), ..TypedValues::default() };
        vec![
            one(TypedValues::default(), PayErrors::default()),
            one(
                typed,
                PayErrors {
                    from: Some(texts.app.pay_from_wrong),
                    iban: Some(texts.app.pay_iban_wrong),
                    name: Some(texts.app.pay_name_wrong),
                    amount: Some(texts.app.pay_amount_wrong),
                    remittance: Some(texts.app.pay_remittance_wrong),
                },
            ),
        ]
    }
}

fn loan(texts: &'static PageTexts, late: bool, active: bool) -> LoanCard {
    let line = |text: Option<&str>| Line {
        day: texts.day(trapeza_domain::time::Date(20_000)),
        who: String::new(),
        text: text.map(str::to_owned),
        amount: "30.00 EUR".to_owned(),
        into: text.is_some(),
    };
    LoanCard {
        id: "6f9619ff".to_owned(),
        merchant: EVIL.to_owned(),
        state: texts.app.loan_active.to_owned(),
        late,
        ended: !active,
        next: active.then(|| SummaryRow::new(texts.customer.loan_next, "30.00 EUR")),
        rows: vec![SummaryRow::new(texts.app.loan_left, "60.00 EUR").highlighted("large")],
        schedule: vec![line(Some(&fill(texts.app.loan_paid, "1 May 2026"))), line(None)],
        repay: active.then(|| fill(texts.app.loan_repay, "60.00 EUR")),
        withdraw: active.then(|| LoanWithdrawal {
            text: fill(texts.app.loan_withdraw_text, "1 May 2026"),
            label: fill(texts.app.loan_withdraw, "60.00 EUR"),
        }),
    }
}

impl Samples for Loans {
    fn samples(texts: &'static PageTexts) -> Vec<Self> {
        let one = |active, ended, notice| Self {
            layout: layout(texts, texts.app.loans_title),
            top: app_header(texts, "/app/loans"),
            active,
            ended,
            notice,
        };
        let repaid = Some((texts.app.loan_notice_repaid, true));
        vec![
            one(Vec::new(), Vec::new(), None),
            one(vec![loan(texts, false, true)], vec![loan(texts, false, false)], repaid),
            one(vec![loan(texts, true, true)], Vec::new(), Some((texts.app.loan_notice_short, false))),
        ]
    }
}

fn documents(texts: &'static PageTexts) -> Vec<Back> {
    crate::document::links(texts.language, "/app/loans/6f9619ff", DocumentKind::ALL)
}

impl Samples for LoanPage {
    fn samples(texts: &'static PageTexts) -> Vec<Self> {
        let one = |loan, help, notice| Self {
            layout: layout(texts, EVIL),
            top: app_header(texts, "/app/loans"),
            loan,
            help,
            notice,
            documents: documents(texts),
        };
        vec![
            one(loan(texts, true, true), Some(crate::samples::help(texts)), None),
            one(loan(texts, false, false), None, Some((texts.app.loan_notice_repaid, true))),
        ]
    }
}

impl Samples for Confirm {
    fn samples(texts: &'static PageTexts) -> Vec<Self> {
        let one = |rows, approval, error| Self {
            layout: layout(texts, texts.app.loan_repay_title),
            top: app_header(texts, "/app/loans"),
            form: form(),
            rows,
            text: texts.app.loan_repay_text,
            label: fill(texts.app.loan_repay_confirm, "€60.00"),
            cancel: "/app/loans",
            approval,
            error,
        };
        let approval = ConfirmApproval {
            id: "6f9619ff".to_owned(),
            link: "00ff".to_owned(),
            choice: "repayment",
            shown_at: 1,
        };
        let row = SummaryRow::new(texts.app.loan_shop, EVIL);
        vec![one(vec![row], Some(approval), Some(texts.app.confirm_again)), one(Vec::new(), None, None)]
    }
}

impl Samples for Permissions {
    fn samples(texts: &'static PageTexts) -> Vec<Self> {
        let card = |summary| PermissionCard {
            id: "6f9619ff".to_owned(),
            summary,
            state: texts.app.permission_ended.to_owned(),
            rows: vec![SummaryRow::new(texts.app.last_used, texts.app.never_used)],
        };
        let all = || all_facts(texts).into_iter().map(card).collect::<Vec<_>>();
        let one = |now, before, notice| Self {
            layout: layout(texts, texts.app.permissions_title),
            top: app_header(texts, "/app/permissions"),
            now,
            before,
            notice,
        };
        vec![one(Vec::new(), Vec::new(), None), one(all(), all(), Some(texts.app.withdrawn))]
    }
}

impl Samples for SignIn {
    fn samples(texts: &'static PageTexts) -> Vec<Self> {
        let one = |user: &str, error| Self {
            layout: layout(texts, texts.app.title),
            form: form(),
            user: user.to_owned(),
            error,
        };
        vec![
            one("", None),
            one("\"><script>x</script>", Some(texts.app.wrong)),
            one("eleni", Some(texts.app.slow)),
        ]
    }
}

impl Samples for Code {
    fn samples(texts: &'static PageTexts) -> Vec<Self> {
        let one = |error| Self { layout: layout(texts, texts.app.code_title), form: form(), error };
        vec![one(None), one(Some(texts.code_wrong))]
    }
}

impl Samples for Home {
    fn samples(texts: &'static PageTexts) -> Vec<Self> {
        let question = |summary| Question {
            id: "6f9619ff".to_owned(),
            summary,
            numbers: ["17", "42", "80"].map(str::to_owned).to_vec(),
            link: "00ff".to_owned(),
        };
        let one = |questions, notice| Self {
            layout: layout(texts, texts.app.title),
            form: form(),
            top: app_header(texts, "/app"),
            seen: "6f9619ff".to_owned(),
            questions,
            accounts: vec![account_card(texts, None), account_card(texts, Some(texts.app.blocked))],
            cards: vec![account_card(texts, None)],
            notice,
        };
        vec![
            one(vec![question(summary(texts))], None),
            one(all_facts(texts).into_iter().map(question).collect(), Some((texts.app.notice_wrong, false))),
            one(Vec::new(), Some((texts.app.notice_approved, true))),
            one(Vec::new(), Some((texts.app.notice_refused, false))),
            one(Vec::new(), Some((texts.app.notice_gone, false))),
        ]
    }
}
